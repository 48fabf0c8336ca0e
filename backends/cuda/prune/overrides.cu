// Counting and pruning on CUDA, all by groups.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/prompt.hpp"
#include "cuda/runtime/scan.hpp"
#include "common/prune/grouped.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {

static plans::tile_policy tiles_on(cuda_device& device) {
    return {true, 8 * int64_t{device.multiprocessors()}, true};
}

using pruning = plans::grouped_pruning<cuda_device, true>;

void override_prune(heron_backend& table) {
    table.count_nonzeros = &slot<cuda_device, heron_count_nonzeros_args, &pruning::count_nonzeros,
                                 operation_names::count_nonzeros>;
    table.prune_count =
        &slot<cuda_device, heron_prune_count_args, &pruning::prune_count, operation_names::prune_count>;
    table.prune = &slot<cuda_device, heron_prune_args, &pruning::prune, operation_names::prune>;
    table.percentile =
        &slot<cuda_device, heron_percentile_args, &pruning::percentile, operation_names::percentile>;
}

}  // namespace heron::HERON_LEVEL
