// SpMM computed in double complex precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<c64, c64, c64>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
