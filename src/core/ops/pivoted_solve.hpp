#pragma once
// Triangular solves that look for zero pivots.
#include "pivoted_analysis.hpp"

namespace heron::core {

class pivoted_solve final : public pivoted_analysis {
  public:
    pivoted_solve() : pivoted_analysis(operation::trisolve) {}
};

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

// The SIZE of both.
void size_pivoted(const phase_call& phase, const heron_spmat& a);

}  // namespace heron::core
