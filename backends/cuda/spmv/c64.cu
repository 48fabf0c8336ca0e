// SpMV computed in double precision complex.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmv<c64, c64, c64, c64>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);
template void tuned_spmv<f64, c64, c64, c64>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);

}  // namespace heron::HERON_LEVEL
