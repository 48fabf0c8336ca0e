// SpMV computed in double precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmv<f64, f64, f64, f64>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);
template void tuned_spmv<f32, f64, f64, f64>(cuda_device&, heron_phase, const heron_spmv_args&,
                                             heron_workspace&);

}  // namespace heron::HERON_LEVEL
