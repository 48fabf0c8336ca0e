// Sorting and colouring with the radix sort of groups.
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/group_words.cuh"
#include "common/runtime/slot.hpp"
#include "common/reorder/radix.hpp"

namespace heron::HERON_LEVEL {
namespace {

using sort = plans::radix_sort<cuda_device, 256, 16, 32>;

}  // namespace

void override_reorder(heron_backend& table) {
    table.sort_pairs = &slot<cuda_device, heron_sort_pairs_args, &plans::sort_pairs_by<cuda_device, sort>,
                             operation_names::sort_pairs>;
    table.sort_rows = &slot<cuda_device, heron_sort_rows_args, &plans::sort_rows_by<cuda_device, sort>,
                            operation_names::sort_rows>;
    table.color = &slot<cuda_device, heron_color_args, &plans::color_by<cuda_device, sort>,
                        operation_names::color>;
}

}  // namespace heron::HERON_LEVEL
