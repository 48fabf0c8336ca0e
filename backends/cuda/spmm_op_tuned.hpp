#pragma once
// Products with operators of the caller's as CUDA runs them: the shared plan's slot is this specialisation.
// Named semirings are the shared plan's; source text and LTO-IR become a kernel at run time.
#include "cuda_device.cuh"
#include "../common/plans/spmm_op.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void spmm_op<cuda_device>(cuda_device& device, heron_phase phase, const heron_spmm_op_args& args,
                          heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL::plans
