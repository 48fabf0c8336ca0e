// Conversions on CUDA by groups.
#include "cuda/runtime/early_device.cuh"
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/prompt.hpp"
#include "cuda/runtime/scan.hpp"
#include "common/convert/grouped.hpp"
#include "common/convert/grouped_rows.hpp"
#include "common/runtime/slot.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

static plans::reblock_policy policy_of(cuda_device& device) {
    return {true, 4 * int64_t{device.multiprocessors()}};
}

static void expand(early_cuda_device& device, heron_phase phase, const heron_pointers_to_indices_args& args,
                   heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) plans::expand_in_groups(device, args);
}

static void compress(early_cuda_device& device, heron_phase phase, const heron_indices_to_pointers_args& args,
                     heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) plans::compress_in_groups(device, args);
}

using grouped_reblock =
    plans::grouped_reblock<early_cuda_device, plans::exclusive_scan<cuda_device>, plans::lanes::always>;

void override_convert(heron_backend& table) {
    table.pointers_to_indices = &slot<early_cuda_device, heron_pointers_to_indices_args, &expand,
                                      operation_names::pointers_to_indices>;
    table.indices_to_pointers = &slot<early_cuda_device, heron_indices_to_pointers_args, &compress,
                                      operation_names::indices_to_pointers>;
    table.dense_to_sparse = &slot<cuda_device, heron_dense_to_sparse_args, &tuned_dense_to_sparse,
                                  operation_names::dense_to_sparse>;
    table.sparse_to_dense = &slot<cuda_device, heron_sparse_to_dense_args, &tuned_sparse_to_dense,
                                  operation_names::sparse_to_dense>;
    table.transpose = &slot<cuda_device, heron_transpose_args, &tuned_transpose, operation_names::transpose>;
    table.reblock_count =
        &slot<early_cuda_device, heron_reblock_count_args,
              &plans::count_blocks<grouped_reblock, early_cuda_device>, operation_names::reblock_count>;
    table.reblock = &slot<early_cuda_device, heron_reblock_args,
                          &plans::fill_blocks<grouped_reblock, early_cuda_device>, operation_names::reblock>;
}

}  // namespace heron::HERON_LEVEL
