#pragma once
// The rows of a triangular system on the CPU, and where their pivots are.
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
    [[gnu::always_inline]] CT pivot(int64_t row, CT stored) const {
        if (zero_pivot && equal(stored, CT{})) atomic_least(zero_pivot, static_cast<int32_t>(row / block));
        if (diagonal) stored = diagonal[row];
        return conjugate ? conj(stored) : stored;
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
    bool lower;                  // of op(A)
    bool stored_lower;           // of the rows here: the same, but for a matrix that is used by columns
    bool gathers = false;        // whether the hardware's gathers serve: see suits_gathers
    bool has_lone_rows = false;  // whether many neighbours need no other rows: see count_lone_rows

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

// Neighbouring rows that are looked at, and solved, together where none of them needs another.
inline constexpr int64_t lone_batch = 16;

// With edges: whether none of the rows [first, first + lone_batch) needs another.
template <class OT, class IT>
[[gnu::always_inline]] inline bool are_lone(const triangle_pattern<OT, IT>& rows, int64_t first) {
    const OT* const bodies = rows.offsets + first + (rows.stored_lower ? 0 : 1);
    int64_t different = 0;
    for (int64_t i = 0; i < lone_batch; ++i) different |= bodies[i] - rows.base - rows.edges[first + i];
    return different == 0;
}

// The rows in batches that are.
template <class OT, class IT>
[[gnu::noinline]] int64_t count_lone_rows(const triangle_pattern<OT, IT>& rows) {
    int64_t count = 0;
    for (int64_t first = 0; first + lone_batch <= rows.n; first += lone_batch)
        if (are_lone(rows, first)) count += lone_batch;
    return count;
}

// Tells of the rows that have a zero on their diagonal: before they are solved, so that these need not look.
template <class CT, class Rows>
[[gnu::noinline]] void tell_zero_pivots(const Rows& rows, const solve_operands<CT>& o) {
    for (int64_t row = 0; row < rows.n; ++row) o.pivot(row, rows.value(rows.pivot_at(row)));
}

// Stored elements as op(A) has them.
template <class CT, class Rows>
inline CT element(const Rows& rows, const solve_operands<CT>& o, int64_t k) {
    if constexpr (is_complex_type<CT>)
        if (o.conjugate) return conj(rows.value(k));
    return rows.value(k);
}

}  // namespace heron::HERON_LEVEL
