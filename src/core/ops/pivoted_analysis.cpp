#include "pivoted_analysis.hpp"

namespace heron::core {

void pivoted_analysis::restart() {
    is_analysed = false;
    forget();
}

void pivoted_analysis::require_analysed(const context& c, bool needs_levels) const {
    if (!is_analysed) invalid(role::info, "@ has not been called with it", role::analysis_phase);
    if (!is_of(c)) invalid(role::handle, "is on another device than that of @", role::analysis_phase);
    if (needs_levels && !with_levels)
        invalid(role::policy, "asks for levels, but @ was called without", role::analysis_phase);
}

void require_square(const heron_spmat& a) {
    if (a.rows != a.cols) invalid(role::a, fmt::format("{} x {} is not square", a.rows, a.cols));
    if (a.format == HERON_FORMAT_BSR && a.block_rows != a.block_cols)
        invalid(argument{role::a, part::block_cols}, "differs from @", argument{role::a, part::block_rows});
}

void answer_least_workspace(const phase_call& phase) {
    *required(phase.size, role::workspace_size) = least_workspace;
}

void require_least_workspace(const phase_call& phase) {
    if (phase.takes_scratch) return;
    if (!phase.memory) workspace_missing(least_workspace);
    require_aligned(phase.memory, documented_alignment, role::workspace);
}

void report_zero_pivot(context& c, const pivoted_analysis& p, int32_t* position) {
    const bool has_rows = p.is_analysed && p.made_for().a.rows > 0;
    const zero_pivot_cell none;
    report_zero_pivot(c, has_rows ? p.zero_pivot : none, has_rows ? p.made_for().a.base : 0, position);
}

}  // namespace heron::core
