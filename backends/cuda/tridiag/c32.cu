// Tridiagonal systems of c32.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void solve_tridiagonal<c32>(cuda_device&, heron_phase, const heron_gtsv_args&, heron_workspace&);
template void solve_tridiagonal<c32>(cuda_device&, heron_phase, const heron_gtsv_batch_args&,
                                     heron_workspace&);
template void solve_interleaved<c32>(cuda_device&, const heron_gtsv_interleaved_args&);

}  // namespace heron::HERON_LEVEL
