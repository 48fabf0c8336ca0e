// SpMM computed in integers.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmm<i8, i32, i32>(cuda_device&, heron_phase, const heron_spmm_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
