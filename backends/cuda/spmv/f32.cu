// SpMV computed in single precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmv<f32, f32, f32, f32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);
template void tuned_spmv<i8, i8, f32, f32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                           heron_workspace&);

}  // namespace heron::HERON_LEVEL
