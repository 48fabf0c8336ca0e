// SpMM computed in single complex precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<c32, c32, c32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);
template void tuned_spmm<cf16, cf16, c32>(cuda_device&, heron_phase, const heron_spmm_args&,
                                          heron_workspace&);
template void tuned_spmm<cbf16, cbf16, c32>(cuda_device&, heron_phase, const heron_spmm_args&,
                                            heron_workspace&);

}  // namespace heron::HERON_LEVEL
