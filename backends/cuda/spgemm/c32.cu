// Sparse products in complex single precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spgemm_numeric<c32>(cuda_device&, heron_phase, const heron_spgemm_args&,
                                        heron_workspace&);

}  // namespace heron::HERON_LEVEL
