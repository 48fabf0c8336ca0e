#pragma once
// Analyses of operations with pivots whose callers may overwrite the workspace between the phases: the
// caller's workspace is asked for and left alone, and what the analysis finds out is in memory of its own.
#include "core/kept_memory.hpp"
#include "core/submit.hpp"
#include "core/zero_pivot.hpp"

namespace heron::core {

class pivoted_analysis : public analysis {
  public:
    using analysis::analysis;

    // What an analysis that fails leaves.
    void restart();
    // Throws unless there is an analysis for this context's device, with levels where they are asked for.
    void require_analysed(const context& c, bool with_levels) const;

    kept_memory memory;
    zero_pivot_cell zero_pivot;
    bool is_analysed = false;
    bool with_levels = false;
};

// Throws unless the matrix and its blocks are square.
void require_square(const heron_spmat& a);

// What SIZE answers, and what the other phases ask of the caller's workspace, where there is one.
void answer_least_workspace(const phase_call& phase);
void require_least_workspace(const phase_call& phase);

// See report_zero_pivot(context&, const zero_pivot_cell&, int, int32_t*).
void report_zero_pivot(context& c, const pivoted_analysis& p, int32_t* position);

}  // namespace heron::core
