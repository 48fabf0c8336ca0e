// SDDMM computed in single precision from 16-bit storage.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_sddmm<f16, f16, f32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);
template void tuned_sddmm<f16, f32, f32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);
template void tuned_sddmm<bf16, bf16, f32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                           heron_workspace&);
template void tuned_sddmm<bf16, f32, f32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                          heron_workspace&);

}  // namespace heron::HERON_LEVEL
