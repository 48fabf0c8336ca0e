#pragma once
// SpMM of matrices of dense blocks in 16-bit types on Tensor Cores.
#include "cuda_device.cuh"

namespace heron::HERON_LEVEL {

// Whether multiply_blocked takes the product: Blocked-ELL, or BSR with square blocks by rows, of 8, 16, 32 or
// more rows, a power of two. Only addresses, and distances in memory, decide beside what SIZE knows.
bool takes_blocked(const heron_spmm_args& args);

// Needs no workspace.
void multiply_blocked(cuda_device& device, const heron_spmm_args& args);

}  // namespace heron::HERON_LEVEL
