#pragma once
// Products of BSR matrices with vectors, without a workspace (common/spmv/blocks.hpp).
#include "cuda/runtime/early_device.cuh"

namespace heron::HERON_LEVEL {

// Whether it took the product.
bool multiply_by_blocks(early_cuda_device& device, const heron_spmv_args& args);

}  // namespace heron::HERON_LEVEL
