// SpMV computed in integers.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_spmv<i8, i8, i32, i32>(cuda_device&, heron_phase, const heron_spmv_args&,
                                           heron_workspace&);

}  // namespace heron::HERON_LEVEL
