// SpMM computed in double precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<f64, f64, f64>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
