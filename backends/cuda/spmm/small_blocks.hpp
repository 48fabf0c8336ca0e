#pragma once
// Products of BSR matrices with dense matrices that have no kernels for their blocks alone, without a
// workspace (common/spmm/blocks.hpp).
#include "cuda/runtime/early_device.cuh"

namespace heron::HERON_LEVEL {

// Whether it took the product.
bool multiply_by_blocks(early_cuda_device& device, const heron_spmm_args& args);

}  // namespace heron::HERON_LEVEL
