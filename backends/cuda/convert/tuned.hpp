#pragma once
// The conversions that are compiled on their own.
#include "cuda/runtime/device.cuh"

namespace heron::HERON_LEVEL {

void tuned_dense_to_sparse(cuda_device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                           heron_workspace& workspace);
void tuned_sparse_to_dense(cuda_device& device, heron_phase phase, const heron_sparse_to_dense_args& args,
                           heron_workspace& workspace);
void tuned_transpose(cuda_device& device, heron_phase phase, const heron_transpose_args& args,
                     heron_workspace& workspace);

}  // namespace heron::HERON_LEVEL
