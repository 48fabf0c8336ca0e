#pragma once
// Kronecker products as CUDA runs them.
#include "cuda/runtime/device.cuh"
#include "common/kron/plan.hpp"

namespace heron::HERON_LEVEL {

// False when the shape is not one for the tuned kernels. The files kron_*.cu hold one type each.
template <class CT>
bool tuned_kronmult(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                    heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
