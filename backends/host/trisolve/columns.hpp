#pragma once
// Triangular systems with several right-hand sides on the CPU.
#include "groups.hpp"
#include "vector.hpp"

namespace heron::HERON_LEVEL {

// Rows at some places, or those that `order` has there, for one column.
template <class CT, class Rows, class ST>
void solve_vector(const Rows& rows, const solve_operands<CT>& o, range places, const ST* order) {
    if (rows.edges && o.b_row == 1 && o.c_row == 1) return solve_dense_vector(rows, o, places, order);
    for (int64_t place = places.begin; place < places.end; ++place)
        gather_row<column_group<1, true>, false>(rows, o, order ? int64_t{order[place]} : rows.row_at(place),
                                                 0);
}

// One column, edges, no gaps.
template <class CT, class Rows>
void solve_column(const Rows& rows, const solve_operands<CT>& all, bool scatters, int64_t column) {
    solve_operands<CT> o = all;
    o.b += column * o.b_column;
    o.c += column * o.c_column;
    if constexpr (Rows::can_scatter)
        if (scatters) return scatter_dense_vector(rows, o);
    constexpr const int* in_place = nullptr;
    solve_dense_vector(rows, o, {0, rows.n}, in_place);
}

// Some columns, as many at a time as fit the registers, so that the matrix is read less often.
template <class CT, class Rows>
void solve_columns(const Rows& rows, const solve_operands<CT>& o, bool scatters, range columns) {
    constexpr int wide = 64 / sizeof(CT) * 2;
    int64_t j = columns.begin;
    if (o.c_row == 1 && rows.edges) {
        for (; j + 4 <= columns.end; j += 4) solve_group<column_group<4, false>, true>(rows, o, scatters, j);
        for (; o.b_row == 1 && j < columns.end; ++j) solve_column(rows, o, scatters, j);
        for (; j < columns.end; ++j) solve_group<column_group<1, false>, true>(rows, o, scatters, j);
    } else if (rows.edges) {
        for (; j + wide <= columns.end; j += wide)
            solve_group<column_group<wide, true>, true>(rows, o, scatters, j);
        for (; j + 4 <= columns.end; j += 4) solve_group<column_group<4, true>, true>(rows, o, scatters, j);
        for (; j < columns.end; ++j) solve_group<column_group<1, true>, true>(rows, o, scatters, j);
    }
    for (; j < columns.end; ++j) solve_group<column_group<1, true>, false>(rows, o, scatters, j);
}

}  // namespace heron::HERON_LEVEL
