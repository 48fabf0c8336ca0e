#pragma once
// SpVV as CUDA runs it: the shared plan's slot is this specialisation.
#include "cuda_device.cuh"
#include "../common/plans/vector.hpp"

namespace heron::HERON_LEVEL::plans {

template <>
void spvv<cuda_device>(cuda_device& device, heron_phase phase, const heron_spvv_args& args,
                       heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL::plans
