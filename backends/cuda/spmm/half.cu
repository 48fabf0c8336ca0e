// SpMM computed in single precision from half precision and bfloat16.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<f16, f16, f32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);
template void tuned_spmm<f16, f32, f32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);
template void tuned_spmm<bf16, bf16, f32>(cuda_device&, heron_phase, const heron_spmm_args&,
                                          heron_workspace&);
template void tuned_spmm<bf16, f32, f32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
