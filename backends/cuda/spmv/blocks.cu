#include "blocks.hpp"
#include "cuda/runtime/group_words.cuh"
#include "common/spmv/blocks.hpp"

namespace heron::HERON_LEVEL {

// Blocks of fewer elements than a warp has lanes have a kernel of their own.
bool multiply_by_blocks(cuda_device& device, const heron_spmv_args& args) {
    if (!plans::takes_blocks(args) || args.a.block_rows * args.a.block_cols <= warp_size) return false;
    plans::multiply_by_blocks(device, args);
    return true;
}

bool multiply_by_blocks(cuda_device& device, const heron_spmm_args& args) {
    if (!plans::takes_blocks(args)) return false;
    plans::multiply_by_blocks(device, args);
    return true;
}

}  // namespace heron::HERON_LEVEL
