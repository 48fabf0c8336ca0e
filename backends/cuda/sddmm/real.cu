// SDDMM of real numbers in full precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_sddmm<f32, f32, f32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);
template void tuned_sddmm<f64, f64, f64>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);

}  // namespace heron::HERON_LEVEL
