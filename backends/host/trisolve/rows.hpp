#pragma once
// The rows of a triangular system on the CPU, solved one after the other.
#include "common/trisolve/plan.hpp"
#include "host/spmv/rows.hpp"
#include "host/runtime/team.hpp"

namespace heron::HERON_LEVEL {

// B and C of one solve. Element (i, j) of B is b[i*b_row + j*b_column].
template <class CT>
struct solve_operands {
    CT alpha;
    const CT* diagonal;  // NULL, or in place of the matrix's
    bool unit, conjugate;
    const CT* b;
    int64_t b_row, b_column;
    CT* c;
    int64_t c_row, c_column;
    int32_t* zero_pivot;  // NULL, or the first row, or row of blocks, that has a zero on its diagonal
    int64_t block;

    // What a row that needs a pivot is divided by.
    CT pivot(int64_t row, CT stored) const {
        if (zero_pivot && equal(stored, CT{})) atomic_least(zero_pivot, static_cast<int32_t>(row / block));
        const CT value = diagonal ? diagonal[row] : stored;
        return conjugate ? conj(value) : value;
    }
};

// Where the elements of the rows are: all that analyses look at, so that they are compiled once for all types
// of values.
template <class OT, class IT>
struct triangle_pattern {
    const OT* offsets;
    const IT* columns;
    // NULL, or per row where the elements below the diagonal end (stored_lower) or those above it begin; the
    // pivot is next to that on the other side.
    const int64_t* edges;
    int64_t n, base;
    bool lower;         // of op(A)
    bool stored_lower;  // of the rows here: the same, but for a matrix that is used by columns
    bool gathers;       // whether the hardware's gathers serve: see suits_gathers

    int64_t begin(int64_t row) const { return offsets[row] - base; }
    // The row that comes at this place when every row comes after those that it needs.
    int64_t row_at(int64_t place) const { return lower ? place : n - 1 - place; }
    int64_t place_of(int64_t row) const { return lower ? row : n - 1 - row; }
    bool needs(int64_t row, int64_t column) const { return lower ? column < row : column > row; }
    bool has(int64_t row, int64_t column) const { return stored_lower ? column < row : column > row; }

    // With edges: the elements beside the diagonal, and the pivot.
    range body(int64_t row) const {
        return stored_lower ? range{begin(row), edges[row]} : range{edges[row], begin(row + 1)};
    }
    int64_t pivot_at(int64_t row) const { return stored_lower ? edges[row] : edges[row] - 1; }
};

// A CSR matrix, or rows that were gathered from another one, whose values are where `sources` says.
template <class CT, class OT, class IT, bool gathered>
struct triangle_rows : triangle_pattern<OT, IT> {
    // Whether the hardware can gather what a row needs of one right-hand side.
    static constexpr bool can_gather_needed = !gathered && can_gather<CT, CT, CT>;
    // Whether the rows may be those of A while op(A) is its transpose: gathered ones are always op(A)'s.
    static constexpr bool can_scatter = !gathered;

    const IT* sources;
    const CT* values;

    CT value(int64_t k) const {
        if constexpr (gathered)
            return values[sources[k]];
        else
            return values[k];
    }
};

// Finds the edges of all rows. False if a row mixes its triangles, or has not one pivot where it needs one.
template <class OT, class IT>
[[gnu::noinline]] bool find_edges(const triangle_pattern<OT, IT>& rows, bool unit, int64_t* edges) {
    for (int64_t row = 0; row < rows.n; ++row) {
        const int64_t begin = rows.begin(row);
        const int64_t end = rows.begin(row + 1);
        const int64_t own = row + rows.base;
        int64_t k = begin;
        while (k < end && rows.columns[k] < own) ++k;
        const int64_t lower_end = k;
        while (k < end && rows.columns[k] == own) ++k;
        const int64_t upper_begin = k;
        while (k < end && rows.columns[k] > own) ++k;
        if (k < end || (!unit && upper_begin != lower_end + 1)) return false;
        edges[row] = rows.stored_lower ? lower_end : upper_begin;
    }
    return true;
}

// Whether the hardware's gathers serve, judged by some rows: where hardly a row needs one of those just
// before it and most have elements beside the diagonal, since they save the branches that the lengths of rows
// make unpredictable; and where rows are long, of which they leave the latest elements to loads: a gather
// waits until a result that it needs has arrived in the cache, which a load does not.
template <class OT, class IT>
[[gnu::noinline]] bool suits_gathers(const triangle_pattern<OT, IT>& rows) {
    constexpr int64_t sampled = 1024;
    constexpr int64_t just_before = 16;
    int64_t looked_at = 0, waiting = 0, elements = 0;
    for (int64_t row = 0; row < rows.n; row += rows.n / sampled + 1, ++looked_at) {
        bool waits = false;
        elements += rows.begin(row + 1) - rows.begin(row);
        for (int64_t k = rows.begin(row); k < rows.begin(row + 1); ++k) {
            const int64_t column = rows.columns[k] - rows.base;
            const int64_t distance = rows.place_of(row) - rows.place_of(column);
            waits |= distance > 0 && distance <= just_before;
        }
        waiting += waits;
    }
    return (16 * waiting <= looked_at && elements >= 2 * looked_at) || elements >= 64 * looked_at;
}

// What seldom happens, apart from the loops.
template <class CT>
[[gnu::noinline]] CT divided(CT right, CT pivot) {
    return divide(right, pivot);
}

// right/pivot. What the next row waits for is one product, as the reciprocal does not depend on this row's
// sum; it serves where it is a finite number, and of a complex pivot where its square is in the range of
// normal numbers.
template <class CT>
[[gnu::always_inline]] inline CT quotient(CT right, CT pivot) {
    using R = real_of<CT>;
    if constexpr (is_complex_type<CT>) {
        constexpr R least = same_type<R, f32> ? R(0x1p-100) : R(0x1p-900);
        const R square = pivot.re * pivot.re + pivot.im * pivot.im;
        const R reciprocal = 1 / square;
        if (square >= least && reciprocal >= least)
            return mul(right, CT{pivot.re * reciprocal, -pivot.im * reciprocal});
    } else {
        constexpr R largest = same_type<R, f32> ? R(3.4e38) : R(1.79e308);
        const R reciprocal = 1 / pivot;
        if (reciprocal <= largest && reciprocal >= -largest) return right * reciprocal;
    }
    return divided(right, pivot);
}

// `width` columns of C, whose order the compiler knows: in loops over elements it counts.
template <int width, bool by_rows>
struct column_group {
    static constexpr int count = width;
    static int64_t row_step(int64_t step) { return by_rows ? step : 1; }
    static int64_t column_step(int64_t step) { return by_rows ? 1 : step; }
};

// Stored elements as op(A) has them.
template <class CT, class Rows>
inline CT element(const Rows& rows, const solve_operands<CT>& o, int64_t k) {
    if constexpr (is_complex_type<CT>)
        if (o.conjugate) return conj(rows.value(k));
    return rows.value(k);
}

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
inline void gather_row(const Rows& rows, const solve_operands<CT>& o, int64_t row, int64_t first) {
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
    pivot = o.pivot(row, pivot);
    CT* const to = x + own * row_step;
    for (int w = 0; w < width; ++w) {
        const CT rest = sub(mul(o.alpha, b[w * o.b_column]), sum[w]);
        to[w * c_step] = o.unit ? rest : quotient(rest, pivot);
    }
}

// One column of a transposed system, which is a row of A: what it has found is taken from the rows that need
// it. C holds alpha*B at first.
template <class Group, bool has_edges, class CT, class Rows>
inline void scatter_row(const Rows& rows, const solve_operands<CT>& o, int64_t row, int64_t first) {
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
    pivot = o.pivot(row, pivot);
    CT found[width];
    CT* const to = x + own * row_step;
    for (int w = 0; w < width; ++w) {
        found[w] = o.unit ? to[w * step] : quotient(to[w * step], pivot);
        to[w * step] = found[w];
    }
    for (int64_t k = all.begin; k < all.end; ++k) {
        const int64_t column = rows.columns[k];
        if (!has_edges && !rows.has(own, column)) continue;
        const CT factor = sub(CT{}, element(rows, o, k));
        CT* const other = x + column * row_step;
        for (int w = 0; w < width; ++w) other[w * step] = mad(factor, found[w], other[w * step]);
    }
}

// The products of the elements beside the diagonal with a vector.
template <bool lower, bool gathers, class CT, class Rows>
[[gnu::always_inline]] inline CT body_products(const Rows& rows, const solve_operands<CT>& o, range body,
                                               const CT* x) {
    if constexpr (gathers) {
        using index = std::remove_cvref_t<decltype(*rows.columns)>;
        // What may still be on its way to the cache.
        constexpr int64_t latest = 16;
        const bool is_long = body.end - body.begin >= 2 * latest;
        const range late = lower ? range{is_long ? body.end - latest : body.end, body.end}
                                 : range{body.begin, is_long ? body.begin + latest : body.begin};
        const CT sum = row_sum<row_way::gathered, false, CT, CT, CT, index>::of(
            rows.values, rows.columns, x, lower ? body.begin : late.end, lower ? late.begin : body.end);
        return is_long ? add(sum, sum_products<column_group<1, false>>(rows, o, late, x)) : sum;
    } else {
        prefetch_ahead<lower>(rows.values + body.begin);
        prefetch_ahead<lower>(rows.columns + body.begin);
        return sum_products<column_group<1, false>>(rows, o, body, x);
    }
}

// Asks for rows that come in no order of addresses: first for where they are, then for them.
template <class CT, class Rows, class ST>
[[gnu::always_inline]] inline void prefetch_rows(const Rows& rows, const solve_operands<CT>& o,
                                                 const ST* order, int64_t count) {
    constexpr int64_t near = 8, far = 16;
    if (count <= far) return;
    __builtin_prefetch(rows.offsets + order[far]);
    __builtin_prefetch(rows.edges + order[far]);
    __builtin_prefetch(o.b + order[far] * o.b_row);
    __builtin_prefetch(rows.columns + rows.begin(order[near]));
    __builtin_prefetch(rows.values + rows.begin(order[near]));
}

// Rows at places [places.begin, places.end), or those that `order` has there, for one column, with edges and
// C without gaps: what is the same in all rows is known here, so that as many rows as possible are under way
// at a time. Never inlined: a row gets the same bits whoever solves it.
template <bool lower, bool gathers, class CT, class Rows, class ST>
[[gnu::noinline]] void solve_places(const Rows& given, const solve_operands<CT>& operands, range places,
                                    const ST* order) {
    const Rows rows = given;
    const solve_operands<CT> o = operands;
    CT* const x = o.c - rows.base;
    for (int64_t place = places.begin; place < places.end; ++place) {
        if (order) prefetch_rows(rows, o, order + place, places.end - place);
        const int64_t row = order ? int64_t{order[place]} : lower ? place : rows.n - 1 - place;
        const int64_t edge = rows.edges[row];
        const range body = lower ? range{rows.begin(row), edge} : range{edge, rows.begin(row + 1)};
        const CT right = mul(o.alpha, o.b[row * o.b_row]);
        const CT rest = sub(right, body_products<lower, gathers>(rows, o, body, x));
        o.c[row] = o.unit ? rest : quotient(rest, o.pivot(row, rows.value(lower ? edge : edge - 1)));
    }
}

template <bool gathers, class CT, class Rows, class ST>
void solve_dense_vector(const Rows& rows, const solve_operands<CT>& o, range places, const ST* order) {
    rows.lower ? solve_places<true, gathers>(rows, o, places, order)
               : solve_places<false, gathers>(rows, o, places, order);
}

template <class CT, class Rows, class ST>
[[gnu::noinline]] void solve_vector(const Rows& rows, const solve_operands<CT>& o, range places,
                                    const ST* order) {
    const bool is_dense = rows.edges && o.c_row == 1;
    if constexpr (Rows::can_gather_needed)
        if (is_dense && rows.gathers) return solve_dense_vector<true>(rows, o, places, order);
    if (is_dense) return solve_dense_vector<false>(rows, o, places, order);
    for (int64_t place = places.begin; place < places.end; ++place)
        gather_row<column_group<1, true>, false>(rows, o, order ? int64_t{order[place]} : rows.row_at(place),
                                                 0);
}

// All rows for one group of columns.
template <class Group, bool has_edges, class CT, class Rows>
void solve_group(const Rows& rows, const solve_operands<CT>& o, bool scatters, int64_t first) {
    if (!Rows::can_scatter || !scatters) {
        for (int64_t place = 0; place < rows.n; ++place)
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

// Some columns, as many at a time as fit the registers, so that the matrix is read less often.
template <class CT, class Rows>
void solve_columns(const Rows& rows, const solve_operands<CT>& o, bool scatters, range columns) {
    constexpr int wide = 64 / sizeof(CT) * 2;
    int64_t j = columns.begin;
    if (o.c_row == 1 && rows.edges) {
        for (; j + 4 <= columns.end; j += 4) solve_group<column_group<4, false>, true>(rows, o, scatters, j);
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
