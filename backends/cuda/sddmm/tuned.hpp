#pragma once
// SDDMM as CUDA runs it.
#include "cuda/runtime/device.cuh"
#include "common/sddmm/plan.hpp"

namespace heron::HERON_LEVEL {

// One row of the table of data types; the files sddmm_*.cu hold some each.
template <class VX, class VC, class CT>
void tuned_sddmm(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                 heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
