#pragma once
// Triangular solves as CUDA runs them: the shared plan's slot is this specialisation.
#include "cuda_device.cuh"
#include "../common/plans/trisolve.hpp"

namespace heron::HERON_LEVEL {

// The files trisolve_*.cu hold one element type each.
template <class CT>
void tuned_trisolve(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                    heron_workspace& workspace);

namespace plans {
template <>
void trisolve<cuda_device>(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                           heron_workspace& workspace);
}

}  // namespace heron::HERON_LEVEL
