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
void solve_column(const Rows& rows, const solve_operands<CT>& all, bool scatters, range places,
                  int64_t column) {
    solve_operands<CT> o = all;
    o.b += column * o.b_column;
    o.c += column * o.c_column;
    if constexpr (Rows::can_scatter)
        if (scatters) return scatter_dense_vector(rows, o);
    constexpr const int* by_places = nullptr;
    solve_dense_vector(rows, o, places, by_places);
}

// Columns that follow each other from `first` on, in groups of that kind as long as there are enough of them.
// Returns the next one.
template <class Group, bool has_edges, class CT, class Rows>
int64_t solve_groups(const Rows& rows, const solve_operands<CT>& o, bool scatters, range places,
                     range columns) {
    int64_t j = columns.begin;
    for (; j + Group::count <= columns.end; j += Group::count)
        solve_group<Group, has_edges>(rows, o, scatters, places, j);
    return j;
}

// Some columns, as many at a time as fit the registers, so that the matrix is read less often; but one by one
// where rows are solved in lanes of their own.
template <class CT, class Rows>
void solve_columns(const Rows& rows, const solve_operands<CT>& o, bool scatters, range places,
                   range columns) {
    // As many as GCC unrolls, so that sums stay in registers. Real columns that are scattered have none, and
    // GCC makes vectors of loops that it does not unroll.
    constexpr int wide = 64 / sizeof(CT) * 2 < 16 ? 64 / sizeof(CT) * 2 : 16;
    const auto solve = [&]<class Group, bool has_edges>() {
        columns.begin = solve_groups<Group, has_edges>(rows, o, scatters, places, columns);
    };
    if (!rows.edges) return solve.template operator()<column_group<1, true>, false>();
    if (o.c_row != 1) {
        if constexpr (Rows::can_scatter && !is_complex_type<CT>)
            if (scatters) solve.template operator()<column_group<32, true>, true>();
        solve.template operator()<column_group<wide, true>, true>();
        solve.template operator()<column_group<8, true>, true>();
        solve.template operator()<column_group<4, true>, true>();
        solve.template operator()<column_group<2, true>, true>();
        return solve.template operator()<column_group<1, true>, true>();
    }
    const bool is_dense = o.b_row == 1;
    if (!is_dense || !rows.has_lone_rows) solve.template operator()<column_group<4, false>, true>();
    for (; is_dense && columns.begin < columns.end; ++columns.begin)
        solve_column(rows, o, scatters, places, columns.begin);
    solve.template operator()<column_group<1, false>, true>();
}

}  // namespace heron::HERON_LEVEL
