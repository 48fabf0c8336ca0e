#pragma once
// Triangular solves that look for zero pivots.
#include "pivoted_analysis.hpp"

namespace heron::core {

class pivoted_solve final : public pivoted_analysis {
  public:
    pivoted_solve() : pivoted_analysis(operation::trisolve) {}

    // What the analysis was made for.
    int64_t right_sides = 0;
    // Whether a search or a solve has told of missing pivots.
    bool knows_pivots = false;
};

// As report_zero_pivot of any analysis. Before the first solve it looks for pivots that are not stored in the
// arrays that were analysed.
void report_zero_pivot(context& c, pivoted_solve& s, int32_t* position);

// with_levels: the caller's policy; a solve with levels needs an analysis with them.
struct pivoted_phase {
    phase_call call;
    bool with_levels = false;
};

// ANALYSE for about so many right-hand sides, of a square matrix; any number may be solved for. It may be
// repeated, for other matrices too.
void analyse_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                     const heron_spmat& a, int64_t right_sides);

// RUN: op(A)*C = alpha*B with any values of the pattern that was analysed. B and C may be the same memory in
// one layout.
void solve_pivoted(context& c, const pivoted_phase& phase, pivoted_solve& s, heron_operation op,
                   const void* alpha, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& result);

// The same for functions without a workspace, a policy and a report of zero pivots, and whose analysis is not
// told of right-hand sides. Where a solve asks for more than was analysed, it analyses again: for several
// right-hand sides at a time, or for a diagonal that was taken for ones.
void analyse_kept(context& c, pivoted_solve& s, heron_operation op, const heron_spmat& a);
void solve_kept(context& c, pivoted_solve& s, heron_operation op, const void* alpha, const heron_spmat& a,
                const heron_dnmat& b, const heron_dnmat& result);

// Throws unless the matrix is as large as the one that was analysed, and of its type.
void require_analysed_matrix(const context& c, const pivoted_solve& s, const heron_spmat& a);

// The SIZE of both that look for zero pivots.
void size_pivoted(const phase_call& phase, const heron_spmat& a);
// The same, which also allocates what the first analysis needs: that takes long and cannot be captured.
void size_pivoted(context& c, const phase_call& phase, pivoted_solve& s, heron_operation op,
                  const heron_spmat& a, int64_t right_sides);

}  // namespace heron::core
