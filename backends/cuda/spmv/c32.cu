// SpMV computed in single precision complex.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmv<c32, c32, c32, c32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);
template void tuned_spmv<cf16, cf16, cf16, c32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                                heron_workspace&);
template void tuned_spmv<cbf16, cbf16, cbf16, c32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                                   heron_workspace&);
template void tuned_spmv<f32, c32, c32, c32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);

}  // namespace heron::HERON_LEVEL
