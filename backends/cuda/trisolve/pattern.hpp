#pragma once
// What ANALYSE finds out about the pattern of a triangular system on a GPU.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/sort.hpp"

#include "common/trisolve/order.hpp"
#include "common/trisolve/plan.hpp"

namespace heron::HERON_LEVEL {

// The triangle of op(A) by rows where that is not a CSR matrix's own. Its arrays lie in the workspace.
struct gathered_triangle {
    const int* offsets = nullptr;
    const int* columns = nullptr;
    const int* sources = nullptr;
};

// Memory for the gathering of `stored` elements.
struct gather_memory {
    gather_memory(workspace_layout& layout, int64_t n, int64_t stored);
    int64_t stored;
    array_pair keys, sources;
    unsigned* others;
    int* offsets;
    size_t sort_bytes;
    void* sort_memory;
};

gathered_triangle gather_triangle(cuda_device& device, const heron_trisolve_args& args,
                                  const gather_memory& memory);

// Fewer rows run all at once in any order. With many right-hand sides a row takes more of the device.
constexpr int64_t fewest_ordered_rows = 8192;
constexpr int64_t fewest_ordered_rows_of_many = 1024;

// Narrower levels leave most of the device idle anyway; neighbours then gain more by being in one block.
constexpr plans::least_widths least_level{64, 64};
// A row of blocks is a group's, or several groups' by its right-hand sides: of a grid in its own order, a
// device would have less than a plane at work.
constexpr plans::least_widths least_level_of_blocks{16, 64};

// Sorts at least `fewest` rows by levels where that lets more rows run at the same time than their own order
// does, and says so in the schedule, all on the device.
void order_by_levels(cuda_device& device, const plans::row_pattern& rows, bool is_lower, bool is_unit,
                     const plans::row_order_memory& memory, const plans::long_rows_report& report = {},
                     int64_t fewest = fewest_ordered_rows, const plans::least_widths& least = least_level);

}  // namespace heron::HERON_LEVEL
