// SDDMM of complex numbers.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_sddmm<c32, c32, c32>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);
template void tuned_sddmm<c64, c64, c64>(cuda_device&, heron_phase, const heron_sddmm_args&,
                                         heron_workspace&);

}  // namespace heron::HERON_LEVEL
