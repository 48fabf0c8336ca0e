#pragma once
// Incomplete factorisations as CUDA runs them.
#include "cuda/runtime/device.cuh"
#include "common/factor/plan.hpp"

namespace heron::HERON_LEVEL {

// The files TYPE.cu hold one element type each.
template <class CT, plans::factor_kind kind>
void tuned_factor(cuda_device& device, heron_phase phase, const heron_factor_args& args,
                  heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
