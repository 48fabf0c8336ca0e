#pragma once
// SpMM as CUDA runs it.
#include "cuda/runtime/device.cuh"
#include "common/spmm/plan.hpp"

namespace heron::HERON_LEVEL {

// One row of the table of data types; the files spmm_*.cu hold one kind of compute type each.
template <class VA, class VC, class CT>
void tuned_spmm(cuda_device& device, heron_phase phase, const heron_spmm_args& args,
                heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
