#pragma once
// The pattern of a transposed CSR matrix sorted by columns in a caller's workspace, once where ANALYSE is
// called.
#include "common/runtime/pattern_stamp.hpp"
#include "common/runtime/plan_record.hpp"
#include "common/scan/plan.hpp"

namespace heron::HERON_LEVEL {

// Where ANALYSE left the sorted pattern, and the stamp by which a run recognises it: the caller may overwrite
// it.
struct sorted_columns_plan final : plan_of<sorted_columns_plan> {
    explicit sorted_columns_plan(const heron_workspace& workspace)
        : stamp(next_pattern_stamp()), memory(workspace.memory) {}

    // NULL if there is none for this memory.
    static const sorted_columns_plan* of(const heron_workspace& workspace) {
        const auto* const plan = plan_as<sorted_columns_plan>(workspace.plan);
        return plan && plan->memory == workspace.memory ? plan : nullptr;
    }

    uint64_t stamp;
    const void* memory;
    int64_t longest = INT64_MAX;  // of the columns' lengths, where the analysis looked at them
};

// The part of the workspace that it takes. What depends on the pattern alone lies between the stamps; with
// all of this before the operands' part it stays where it is for any B.
template <class Device, class OT, class IT>
struct sorted_columns {
    sorted_columns(workspace_layout& layout, const heron_spmat& a)
        : front(layout.take<uint64_t>(1)),
          offsets(layout.take<OT>(a.cols + 1)),
          rows(layout.take<IT>(a.nnz)),
          positions(layout.take<OT>(a.nnz)),
          back(layout.take<uint64_t>(1)),
          counts(layout.take<i64>(a.cols + 1)),
          is_lost(layout.take<int>(1)),
          scan(layout, a.cols) {}

    uint64_t* front;
    OT* offsets;
    IT* rows;
    OT* positions;  // in the arrays of A
    uint64_t* back;
    i64* counts;
    int* is_lost;
    plans::exclusive_scan<Device> scan;
};

}  // namespace heron::HERON_LEVEL
