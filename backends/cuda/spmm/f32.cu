// SpMM computed in single precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<f32, f32, f32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);
template void tuned_spmm<i8, f32, f32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
