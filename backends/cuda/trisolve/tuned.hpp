#pragma once
// Triangular solves as CUDA runs them.
#include "cuda/runtime/device.cuh"
#include "common/trisolve/plan.hpp"

namespace heron::HERON_LEVEL {

// The files trisolve_*.cu hold one element type each.
template <class CT>
void tuned_trisolve(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                    heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
