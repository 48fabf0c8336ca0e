#pragma once
// SpMM of matrices of dense blocks: real, in 16 bits with sums in single precision, or in full precision.
#include "cuda/runtime/device.cuh"

namespace heron::HERON_LEVEL {

// Whether multiply_blocked takes the product: Blocked-ELL, or BSR with square blocks by rows, of 8, 16, 32 or
// more rows, a power of two. Only addresses, and distances in memory, decide beside what SIZE knows.
bool takes_blocked(const heron_spmm_args& args);

// Needs no workspace.
void multiply_blocked(cuda_device& device, const heron_spmm_args& args);

// Whether rows or columns that lie ld apart, and batches, can be moved in pieces of 16 bytes.
bool has_pieces(const void* values, int64_t ld, int64_t stride, int64_t elements);

// One row of the table of data types; the files spmm_blocks_*.cu hold some each.
template <class VA, class VC>
void multiply_blocks_of(cuda_device& device, const heron_spmm_args& args);

}  // namespace heron::HERON_LEVEL
