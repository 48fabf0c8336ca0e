#pragma once
// SpMV as CUDA runs it.
#include "cuda/runtime/device.cuh"
#include "common/spmv/plan.hpp"

namespace heron::HERON_LEVEL {

// One row of the table of data types; the files spmv_*.cu hold one kind of compute type each.
template <class VA, class VX, class VY, class CT>
void tuned_spmv(cuda_device& device, heron_phase phase, const heron_spmv_args& args,
                heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
