#pragma once
// What the triangular solves share that have an info for their analysis.
#include "mat_descr.hpp"
#include "typed.hpp"
#include "core/ops/pivoted_solve.hpp"

namespace heron::cusparse {

// Whether the caller asks for levels.
bool has_levels(cusparseSolvePolicy_t policy);

inline core::pivoted_phase with_buffer(void* buffer, cusparseSolvePolicy_t policy) {
    return {{HERON_PHASE_RUN, nullptr, buffer}, has_levels(policy)};
}

template <class Info>
core::pivoted_solve& solve_of(Info* info) {
    return core::alive(info, core::role::info)->solve;
}

// The triangle that the descriptor names.
void set_triangle(heron_spmat& a, const cusparseMatDescr& descr);

// Whether right-hand sides and solutions are turned in memory.
bool turns_sides(cusparseOperation_t trans);

// n right-hand sides of a matrix, or their solutions.
template <class T>
heron_dnmat sides(const heron_spmat& a, int n, bool turned, const T* values, int ld, core::argument operand) {
    if (!turned) return column_matrix(a.rows, n, ld, values, operand);
    return core::transposed(column_matrix(n, a.rows, ld, values, operand));
}

}  // namespace heron::cusparse
