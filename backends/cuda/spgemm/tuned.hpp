#pragma once
// Sparse products as CUDA runs them.
#include "cuda/runtime/device.cuh"
#include "common/spgemm/plan.hpp"

namespace heron::HERON_LEVEL {

// The files spgemm_*.cu hold one type each; other types and very large matrices go through the shared plan.
template <class CT>
void tuned_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                          heron_workspace& workspace);

// Values again and again, from a list of the products. False without one.
bool listed_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                           heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
