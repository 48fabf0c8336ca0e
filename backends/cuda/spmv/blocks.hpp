#pragma once
// Products of BSR matrices that have no kernels for their blocks alone (common/spmv/blocks.hpp).
#include "cuda/runtime/device.cuh"

namespace heron::HERON_LEVEL {

// Whether it took the product. Needs no workspace.
bool multiply_by_blocks(cuda_device& device, const heron_spmv_args& args);
bool multiply_by_blocks(cuda_device& device, const heron_spmm_args& args);

}  // namespace heron::HERON_LEVEL
