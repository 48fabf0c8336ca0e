#pragma once
// Sparse products as CUDA runs them: the shared plans' slots are these specialisations.
#include "cuda_device.cuh"
#include "../common/plans/spgemm.hpp"

namespace heron::HERON_LEVEL {

// The files spgemm_*.cu hold one type each; other types and very large matrices go through the shared plan.
template <class CT>
void tuned_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                          heron_workspace& workspace);

namespace plans {
template <>
void spgemm_estimate<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                  heron_workspace& workspace);
template <>
void spgemm_symbolic<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                  heron_workspace& workspace);
template <>
void spgemm_numeric<cuda_device>(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                                 heron_workspace& workspace);
}  // namespace plans

}  // namespace heron::HERON_LEVEL
