#pragma once
// The rows of a triangular system on the CPU, solved one after the other.
#include "../common/plans/trisolve.hpp"
#include "host_spmv_rows.hpp"
#include "host_team.hpp"

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

    CT pivot(int64_t row, CT stored) const {
        const CT value = diagonal ? diagonal[row] : stored;
        return conjugate ? conj(value) : value;
    }
};

// A CSR matrix, or rows that were gathered from another one, whose values are where `sources` says.
template <class CT, class OT, class IT, bool gathered>
struct triangle_rows {
    const OT* offsets;
    const IT* columns;
    const IT* sources;
    const CT* values;
    int64_t n, base;
    bool lower;  // of op(A)

    int64_t begin(int64_t row) const { return offsets[row] - base; }
    CT value(int64_t k) const {
        if constexpr (gathered)
            return values[sources[k]];
        else
            return values[k];
    }
    // The row that comes at this place when every row comes after those that it needs.
    int64_t row_at(int64_t place) const { return lower ? place : n - 1 - place; }
    int64_t place_of(int64_t row) const { return lower ? row : n - 1 - row; }
    bool needs(int64_t row, int64_t column) const { return lower ? column < row : column > row; }
};

// right/pivot. What the next row waits for is one product, as the reciprocal does not depend on this row's
// sum; it serves where it is a finite number.
template <class CT>
CT quotient(CT right, CT pivot) {
    if constexpr (!is_complex_type<CT>) {
        const CT reciprocal = 1 / pivot;
        constexpr CT largest = same_type<CT, f32> ? CT(3.4e38) : CT(1.79e308);
        if (reciprocal <= largest && reciprocal >= -largest) return right * reciprocal;
    }
    return divide(right, pivot);
}

// `width` columns of an operand; contiguous: next to each other.
template <int width, bool contiguous>
struct column_group {
    static constexpr int count = width;
    static int64_t step(int64_t column_step) { return contiguous ? 1 : column_step; }
};

// Takes the products of some elements of a row from what is left of its right-hand sides, and finds its
// pivot. Indices are the stored ones, base included, and so x is shifted.
template <class Group, class CT, class Rows>
inline void take_elements(const Rows& rows, const solve_operands<CT>& o, int64_t own, range elements,
                          const CT* x, CT* rest, CT& pivot) {
    const int64_t step = Group::step(o.c_column);
    for (int64_t k = elements.begin; k < elements.end; ++k) {
        const int64_t column = rows.columns[k];
        if (column == own) {
            pivot = add(pivot, rows.value(k));
        } else if (rows.needs(own, column)) {
            const CT stored = rows.value(k);
            const CT factor = sub(CT{}, is_complex_type<CT> && o.conjugate ? conj(stored) : stored);
            const CT* const from = x + column * o.c_row;
            for (int w = 0; w < Group::count; ++w) rest[w] = mad(factor, from[w * step], rest[w]);
        }
    }
}

// The halves of a long row side by side: one sum alone would wait for each of its products.
template <class CT, class Rows>
inline void take_halves(const Rows& rows, const solve_operands<CT>& o, int64_t own, range elements,
                        const CT* x, CT& rest, CT& pivot) {
    const int64_t half = (elements.end - elements.begin) / 2;
    CT first{};
    using one = column_group<1, true>;
    for (int64_t k = elements.begin; k < elements.begin + half; ++k) {
        take_elements<one>(rows, o, own, {k, k + 1}, x, &first, pivot);
        take_elements<one>(rows, o, own, {k + half, k + half + 1}, x, &rest, pivot);
    }
    take_elements<one>(rows, o, own, {elements.begin + 2 * half, elements.end}, x, &rest, pivot);
    rest = add(rest, first);
}

// One row of the system: its elements are multiplied by what other rows have found.
template <class Group, class CT, class Rows>
inline void gather_row(const Rows& rows, const solve_operands<CT>& o, int64_t row, int64_t first) {
    constexpr int width = Group::count;
    const int64_t b_step = Group::step(o.b_column);
    const int64_t c_step = Group::step(o.c_column);
    const CT* const b = o.b + row * o.b_row + first * o.b_column;
    CT* const x = o.c + first * o.c_column - rows.base * o.c_row;
    const int64_t own = row + rows.base;
    CT rest[width];
    for (int w = 0; w < width; ++w) rest[w] = mul(o.alpha, b[w * b_step]);
    CT pivot{};
    constexpr int64_t long_row = 8;
    const range elements{rows.begin(row), rows.begin(row + 1)};
    if (width == 1 && elements.end - elements.begin >= long_row)
        take_halves(rows, o, own, elements, x, rest[0], pivot);
    else
        take_elements<Group>(rows, o, own, elements, x, rest, pivot);
    pivot = o.pivot(row, pivot);
    CT* const to = x + own * o.c_row;
    for (int w = 0; w < width; ++w) to[w * c_step] = o.unit ? rest[w] : quotient(rest[w], pivot);
}

// One column of a transposed system, which is a row of A: what it has found is taken from the rows that need
// it. C holds alpha*B at first.
template <class Group, class CT, class Rows>
inline void scatter_row(const Rows& rows, const solve_operands<CT>& o, int64_t row, int64_t first) {
    constexpr int width = Group::count;
    const int64_t step = Group::step(o.c_column);
    CT* const x = o.c + first * o.c_column - rows.base * o.c_row;
    const int64_t own = row + rows.base;
    const int64_t begin = rows.begin(row);
    const int64_t end = rows.begin(row + 1);
    CT pivot{};
    for (int64_t k = begin; k < end; ++k)
        if (rows.columns[k] == own) pivot = add(pivot, rows.value(k));
    pivot = o.pivot(row, pivot);
    CT found[width];
    CT* const to = x + own * o.c_row;
    for (int w = 0; w < width; ++w) {
        found[w] = o.unit ? to[w * step] : quotient(to[w * step], pivot);
        to[w * step] = found[w];
    }
    for (int64_t k = begin; k < end; ++k) {
        const int64_t column = rows.columns[k];
        // Rows of A are columns of op(A): those that need this one come later.
        if (column == own || rows.needs(own, column)) continue;
        const CT stored = rows.value(k);
        const CT factor = sub(CT{}, is_complex_type<CT> && o.conjugate ? conj(stored) : stored);
        CT* const other = x + column * o.c_row;
        for (int w = 0; w < width; ++w) other[w * step] = mad(factor, found[w], other[w * step]);
    }
}

// All rows for one group of columns.
template <class Group, class CT, class Rows>
void solve_group(const Rows& rows, const solve_operands<CT>& o, bool scatters, int64_t first) {
    if (!scatters) {
        for (int64_t place = 0; place < rows.n; ++place)
            gather_row<Group>(rows, o, rows.row_at(place), first);
        return;
    }
    for (int64_t row = 0; row < rows.n; ++row)
        for (int64_t j = first; j < first + Group::count; ++j)
            o.c[row * o.c_row + j * o.c_column] = mul(o.alpha, o.b[row * o.b_row + j * o.b_column]);
    for (int64_t place = 0; place < rows.n; ++place) scatter_row<Group>(rows, o, rows.row_at(place), first);
}

// Some columns, as many at a time as fit the registers, so that the matrix is read less often.
template <class CT, class Rows>
void solve_columns(const Rows& rows, const solve_operands<CT>& o, bool scatters, range columns) {
    constexpr int wide = 64 / sizeof(CT) * 2;
    int64_t j = columns.begin;
    if (o.b_column == 1 && o.c_column == 1)
        for (; j + wide <= columns.end; j += wide)
            solve_group<column_group<wide, true>>(rows, o, scatters, j);
    for (; j + 4 <= columns.end; j += 4) solve_group<column_group<4, false>>(rows, o, scatters, j);
    for (; j < columns.end; ++j) solve_group<column_group<1, false>>(rows, o, scatters, j);
}

}  // namespace heron::HERON_LEVEL
