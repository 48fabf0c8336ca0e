// Triangular solves in single precision.
#include "tuned.cuh"

namespace heron::HERON_LEVEL {

template void tuned_trisolve<f32>(cuda_device&, heron_phase, const heron_trisolve_args&, heron_workspace&);

}  // namespace heron::HERON_LEVEL
