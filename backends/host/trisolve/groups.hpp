#pragma once
// The rows of a triangular system on the CPU, solved one after the other for a group of right-hand sides.
#include "pivots.hpp"
#include "rows.hpp"

namespace heron::HERON_LEVEL {

// `width` columns of C, whose order the compiler knows: in loops over elements it counts.
template <int width, bool by_rows>
struct column_group {
    static constexpr int count = width;
    // Whether they are worked on as vectors from end to end. Vectors of four numbers are not: GCC loads and
    // stores them in different pieces, which wait for each other.
    static constexpr bool in_lanes = by_rows && (width == 2 || width >= 8);
    static int64_t row_step(int64_t step) { return by_rows ? step : 1; }
    static int64_t column_step(int64_t step) { return by_rows ? 1 : step; }
};

// The products of some elements of a row with one column of C. One sum alone would wait for each of its
// products.
template <class Group, class CT, class Rows>
inline CT sum_products(const Rows& rows, const solve_operands<CT>& o, range elements, const CT* x) {
    const int64_t step = Group::row_step(o.c_row);
    int64_t k = elements.begin;
    CT sum{};
    if (elements.end - k >= 8) {
        CT second{}, third{}, fourth{};
        for (; k + 4 < elements.end; k += 4) {
            sum = mad(element(rows, o, k), x[rows.columns[k] * step], sum);
            second = mad(element(rows, o, k + 1), x[rows.columns[k + 1] * step], second);
            third = mad(element(rows, o, k + 2), x[rows.columns[k + 2] * step], third);
            fourth = mad(element(rows, o, k + 3), x[rows.columns[k + 3] * step], fourth);
        }
        sum = add(add(sum, second), add(third, fourth));
    }
    for (; k < elements.end; ++k) sum = mad(element(rows, o, k), x[rows.columns[k] * step], sum);
    return sum;
}

// One row of the system: its elements are multiplied by what other rows have found. Indices are the stored
// ones, base included, and so x is shifted.
template <class Group, bool has_edges, class CT, class Rows>
[[gnu::always_inline]] inline void gather_row(const Rows& rows, const solve_operands<CT>& o, int64_t row,
                                              int64_t first) {
    constexpr int width = Group::count;
    const int64_t row_step = Group::row_step(o.c_row);
    const int64_t c_step = Group::column_step(o.c_column);
    const CT* const b = o.b + row * o.b_row + first * o.b_column;
    CT* const x = o.c + first * o.c_column - rows.base * row_step;
    const int64_t own = row + rows.base;
    const range all = has_edges ? rows.body(row) : range{rows.begin(row), rows.begin(row + 1)};
    CT pivot = has_edges && !o.unit ? rows.value(rows.pivot_at(row)) : CT{};
    CT sum[width] = {};
    if constexpr (has_edges && width == 1) {
        sum[0] = sum_products<Group>(rows, o, all, x);
    } else {
        for (int64_t k = all.begin; k < all.end; ++k) {
            const int64_t column = rows.columns[k];
            if (!has_edges && column == own) pivot = add(pivot, rows.value(k));
            if (!has_edges && !rows.has(own, column)) continue;
            const CT factor = element(rows, o, k);
            const CT* const from = x + column * row_step;
            for (int w = 0; w < width; ++w) sum[w] = mad(factor, from[w * c_step], sum[w]);
        }
    }
    if (!o.unit) pivot = o.pivot(row, pivot);
    CT* const to = x + own * row_step;
    if constexpr (Group::in_lanes) {
        for (int w = 0; w < width; ++w) sum[w] = sub(mul(o.alpha, b[w * o.b_column]), sum[w]);
        if (!o.unit) divide_all(sum, pivot);
        for (int w = 0; w < width; ++w) to[w * c_step] = sum[w];
    } else {
        for (int w = 0; w < width; ++w) {
            const CT rest = sub(mul(o.alpha, b[w * o.b_column]), sum[w]);
            to[w * c_step] = o.unit ? rest : quotient(rest, pivot);
        }
    }
}

// One column of a transposed system, which is a row of A: what it has found is taken from the rows that need
// it. C holds alpha*B at first.
template <class Group, bool has_edges, class CT, class Rows>
[[gnu::always_inline]] inline void scatter_row(const Rows& rows, const solve_operands<CT>& o, int64_t row,
                                               int64_t first) {
    constexpr int width = Group::count;
    const int64_t row_step = Group::row_step(o.c_row);
    const int64_t step = Group::column_step(o.c_column);
    CT* const x = o.c + first * o.c_column - rows.base * row_step;
    const int64_t own = row + rows.base;
    const range all = has_edges ? rows.body(row) : range{rows.begin(row), rows.begin(row + 1)};
    CT pivot = has_edges && !o.unit ? rows.value(rows.pivot_at(row)) : CT{};
    if constexpr (!has_edges)
        for (int64_t k = all.begin; k < all.end; ++k)
            if (rows.columns[k] == own) pivot = add(pivot, rows.value(k));
    CT found[width];
    CT* const to = x + own * row_step;
    if (!o.unit) pivot = o.pivot(row, pivot);
    if constexpr (Group::in_lanes && !is_complex_type<CT>) {
        for (int w = 0; w < width; ++w) found[w] = to[w * step];
        if (!o.unit) divide_all(found, pivot);
        for (int w = 0; w < width; ++w) to[w * step] = found[w];
    } else {
        for (int w = 0; w < width; ++w) {
            found[w] = o.unit ? to[w * step] : quotient(to[w * step], pivot);
            to[w * step] = found[w];
        }
    }
    for (int64_t k = all.begin; k < all.end; ++k) {
        const int64_t column = rows.columns[k];
        if (!has_edges && !rows.has(own, column)) continue;
        const CT factor = sub(CT{}, element(rows, o, k));
        CT* const other = x + column * row_step;
        for (int w = 0; w < width; ++w) other[w * step] = mad(factor, found[w], other[w * step]);
    }
}

// Rows at some places, which are all for a matrix that is used by columns, for one group of columns.
template <class Group, bool has_edges, class CT, class Rows>
[[gnu::noinline]] void solve_group(const Rows& given, const solve_operands<CT>& operands, bool scatters,
                                   range places, int64_t first) {
    const Rows rows = given;
    const solve_operands<CT> o = operands;
    if (!Rows::can_scatter || !scatters) {
        for (int64_t place = places.begin; place < places.end; ++place)
            gather_row<Group, has_edges>(rows, o, rows.row_at(place), first);
        return;
    }
    if constexpr (Rows::can_scatter) {
        for (int64_t row = 0; row < rows.n; ++row)
            for (int64_t j = first; j < first + Group::count; ++j)
                o.c[row * o.c_row + j * o.c_column] = mul(o.alpha, o.b[row * o.b_row + j * o.b_column]);
        for (int64_t place = 0; place < rows.n; ++place)
            scatter_row<Group, has_edges>(rows, o, rows.row_at(place), first);
    }
}

}  // namespace heron::HERON_LEVEL
