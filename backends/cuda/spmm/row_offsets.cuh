#pragma once
// The row offsets of COO in a caller's workspace, made once where ANALYSE is called.
#include "common/runtime/pattern_stamp.hpp"
#include "common/runtime/plan_record.hpp"
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// The rows ascend, and their offsets lie between two stamps, in memory that the caller may overwrite.
struct row_offsets_plan final : plan_of<row_offsets_plan> {
    row_offsets_plan(const heron_workspace& workspace, int64_t down)
        : stamp(next_pattern_stamp()), memory(workspace.memory), columns_down(down) {}

    // NULL if there is none for this memory.
    static const row_offsets_plan* of(const heron_workspace& workspace) {
        const auto* const plan = plan_as<row_offsets_plan>(workspace.plan);
        return plan && plan->memory == workspace.memory ? plan : nullptr;
    }

    uint64_t stamp;
    const void* memory;
    int64_t columns_down;  // as in spmm_rows_plan
};

// The part of the workspace that it takes.
template <class OT>
struct row_offsets {
    row_offsets(workspace_layout& layout, const heron_spmat& a)
        : front(layout.take<uint64_t>(1)),
          offsets(layout.take<OT>(a.rows + 1)),
          back(layout.take<uint64_t>(1)),
          unsorted(layout.take<int>(1)) {}

    uint64_t* front;
    OT* offsets;
    uint64_t* back;
    int* unsorted;
};

// Nothing where the stamps of `made` tell that the offsets are there. Else `front` is cleared, which tells
// every plan for this memory that it is used anew, and *unsorted, which is 0 before, is set where the rows do
// not ascend.
template <class VA, class VC, class CT, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    find_row_offsets(const IT* rows, int64_t row_count, int64_t nnz, int64_t base, row_offsets<OT> to,
                     const __grid_constant__ spmm_guard made) {
    let_next_kernel_start();
    if (made.front && !made.is_skipped()) return;
    const int64_t step = int64_t{gridDim.x} * spmm_threads;
    const int64_t first = int64_t{blockIdx.x} * spmm_threads + threadIdx.x;
    const int64_t pairs = nnz - 1;
    for (int64_t item = first; item < pairs; item += step)
        kernels::spmm_coo_find_unsorted<VA, VC, CT, OT, IT>::run(item, rows, pairs, 0, to.unsorted);
    for (int64_t item = first; item <= row_count; item += step)
        kernels::spmm_coo_offsets<VA, VC, CT, OT, IT>::run(item, rows, row_count, nnz, 0, base, to.offsets);
    if (first == 0) *to.front = 0;
}

}  // namespace heron::HERON_LEVEL
