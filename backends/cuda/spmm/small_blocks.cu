#include "small_blocks.hpp"
#include "cuda/runtime/group_words.cuh"
#include "common/spmm/blocks.hpp"

namespace heron::HERON_LEVEL {

bool multiply_by_blocks(early_cuda_device& device, const heron_spmm_args& args) {
    if (!plans::takes_blocks(args)) return false;
    plans::multiply_by_blocks(device, args);
    return true;
}

}  // namespace heron::HERON_LEVEL
