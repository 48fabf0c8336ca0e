#pragma once
// What the kernels of the incomplete factorisations share: where a row's parts are, and which of its elements
// meet those of another row.
#include "cuda/trisolve/sweep.cuh"
#include "tuned.hpp"
#include <limits>
#include <type_traits>

namespace heron::HERON_LEVEL {

constexpr int factor_threads = 128;

// A row of a CSR matrix, or of blocks, in positions of elements, or blocks.
struct alignas(16) row_parts {
    static constexpr int is_regular = 1, is_alone = 2, late_shift = 2;

    int begin, diagonal, end;  // diagonal: the first that is not before it
    int marks;

    // 1 if the first that is not before the diagonal is the diagonal's own.
    __device__ int regular() const { return marks & is_regular; }
    // Whether none of its elements meets one of another row.
    __device__ bool alone() const { return (marks & is_alone) != 0; }
    // How many elements, the row's first, change nothing that it hands over.
    __device__ int late() const { return marks >> late_shift; }
    // How many are before the diagonal.
    __device__ int before_diagonal() const { return diagonal - begin; }
};

static __device__ inline row_parts load_parts(const row_parts* p) {
    const int4 v = __ldg(reinterpret_cast<const int4*>(p));
    return {v.x, v.y, v.z, v.w};
}

// The lanes of a warp that share a row with this one.
template <int lanes>
struct row_team {
    static __device__ int lane() { return static_cast<int>(threadIdx.x % lanes); }
    static __device__ int first_lane() { return static_cast<int>(threadIdx.x % warp_size / lanes * lanes); }
    static __device__ unsigned team() {
        constexpr unsigned of_row = lanes == warp_size ? all_lanes : (1u << lanes) - 1u;
        return of_row << first_lane();
    }
};

// The first position in [first, end) whose column is not before `column`.
static __device__ inline int lower_bound(const int* columns, int first, int end, int column) {
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (columns[middle] < column)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// An element of another row and the element of this row in the same column.
struct row_pair {
    int other = -1;  // -1: there is none
    int own = 0;
};

// The candidates for pairs of two ranges of ascending columns: the elements of the shorter range, each looked
// up in the other one. Up to `few` elements of the other row are looked up in this one in any case, whose
// columns are at hand: a search in the other row waits for one load after the other.
template <int few>
class range_meeting {
  public:
    range_meeting() = default;
    __device__ range_meeting(int own_first, int own_end, int other_first, int other_end)
        : own_first_(own_first), own_end_(own_end), other_first_(other_first), other_end_(other_end) {}

    __device__ int count() const { return by_own() ? own_count() : other_count(); }
    // Of candidate q. The column of this row's position k is own_columns[k - shift].
    __device__ int column(int q, const int* own_columns, int shift, const int* columns) const {
        return *(by_own() ? own_columns + (own_first_ + q - shift) : columns + (other_first_ + q));
    }
    // Candidate q, which has this column.
    __device__ row_pair find(int q, int column, const int* own_columns, int shift, const int* columns) const {
        if (by_own()) {
            const int found = lower_bound(columns, other_first_, other_end_, column);
            return found < other_end_ && columns[found] == column ? row_pair{found, own_first_ + q}
                                                                  : row_pair{};
        }
        const int found = lower_bound(own_columns, own_first_ - shift, own_end_ - shift, column);
        return found < own_end_ - shift && own_columns[found] == column
                   ? row_pair{other_first_ + q, found + shift}
                   : row_pair{};
    }
    __device__ row_pair at(int q, const int* own_columns, int shift, const int* columns) const {
        return find(q, column(q, own_columns, shift, columns), own_columns, shift, columns);
    }

  private:
    __device__ int own_count() const { return own_end_ - own_first_; }
    __device__ int other_count() const { return other_end_ - other_first_; }
    __device__ bool by_own() const { return own_count() < other_count() && other_count() > few; }

    int own_first_ = 0, own_end_ = 0, other_first_ = 0, other_end_ = 0;
};
using row_meeting = range_meeting<0>;

// The pairs that the element (or block) k of a row needs of the row of its column.
template <plans::factor_kind kind, class Meeting = row_meeting>
static __device__ Meeting meeting_of(const row_parts& own, int k, const row_parts& other) {
    if constexpr (kind == plans::factor_kind::lu)
        return {k + 1, own.end, other.diagonal + other.regular(), other.end};
    else
        return {own.begin, k, other.begin, other.diagonal};
}

template <class CT>
concept complex_number = std::is_same_v<CT, c32> || std::is_same_v<CT, c64>;

// Of normal numbers, and the smallest that lacks no digits where a product of some had a part below them.
template <class R>
struct normal_range {
    static constexpr R least = std::numeric_limits<R>::min();
    static constexpr R most = std::numeric_limits<R>::max();
    static constexpr R least_exact = least / std::numeric_limits<R>::epsilon();
};

// Rows multiply by the inverse of a pivot, which its row has worked out, instead of dividing by the pivot one
// after the other. 0 where that would not be as exact.
template <class CT>
static __device__ inline CT inverse_of(CT pivot) {
    return divide(one<CT>(), pivot);
}
template <class CT>
requires complex_number<CT>
static __device__ inline CT inverse_of(CT pivot) {
    using R = real_of<CT>;
    const R size = pivot.re * pivot.re + pivot.im * pivot.im;
    if (!(size >= normal_range<R>::least_exact)) return CT{};
    const R scale = R{1} / size;
    return {pivot.re * scale, -pivot.im * scale};
}
// A sum of squares and that of one more element of a Cholesky factor.
template <class CT>
static __device__ inline CT with_square(CT squares, CT l) {
    return add(squares, real_part(mul(l, conj(l))));
}
static __device__ inline f32 inverse_root(f32 a) { return rsqrtf(a); }
static __device__ inline f64 inverse_root(f64 a) { return rsqrt(a); }
static __device__ inline c32 inverse_root(c32 a) { return {rsqrtf(a.re), 0}; }
static __device__ inline c64 inverse_root(c64 a) { return {rsqrt(a.re), 0}; }

// Whether an inverse is a normal number.
template <class R>
static __device__ inline bool is_normal(R size) {
    return size >= normal_range<R>::least && size <= normal_range<R>::most;
}
template <class CT>
static __device__ inline bool is_usual(CT inverse) {
    if constexpr (complex_number<CT>)
        return is_normal(magnitude(inverse).re);
    else
        return is_normal(magnitude(inverse));
}

// What a factorisation reads and writes. Of CSR the block's size is 1.
template <class CT>
struct factor_operands {
    const int* columns;
    int base;
    const row_parts* parts;
    CT* a;
    CT tolerance;
    const i64* tolerance_bits;
    scalar_argument<CT> boost;
    heron_zero_pivot* zero_pivot;

    __device__ CT boosted(CT pivot) const {
        if (!tolerance_bits && less(tolerance, CT{})) return pivot;
        const CT limit = tolerance_bits ? from_double<CT>(*tolerance_bits) : tolerance;
        return not_above(modulus(pivot), limit) ? SCALAR(CT, boost.value, boost.device) : pivot;
    }
    // value / pivot of another row, of which the inverse is known; if it is no usual one, the pivot has been
    // stored before.
    __device__ CT quotient(CT value, CT inverse, int row) const {
        if (is_usual(inverse)) [[likely]]
            return mul(value, inverse);
        return divide(value, stored_pivot(row));
    }
    __device__ CT stored_pivot(int row) const {
        const row_parts stored = load_parts(parts + row);
        if (!stored.regular()) return CT{};
        __threadfence();
        words<CT> w;
        const auto* const from = reinterpret_cast<const volatile int*>(a + stored.diagonal);
        for (int i = 0; i < words<CT>::count; ++i) w.word[i] = from[i];
        return from_words(w);
    }
    __device__ void report_zero(int row) const {
        atomicMin(&zero_pivot->next, row);
        __threadfence();
    }
    // When all rows have been factored.
    __device__ void finish() const {
        __threadfence();
        zero_pivot->first = min(zero_pivot->structural, atomicExch(&zero_pivot->next, HERON_NO_PIVOT));
    }
};

// A row's own elements: in shared memory where these have room for it, else in place.
template <class CT>
struct own_row {
    CT* values;          // of position k: values[k - shift]
    const int* columns;  // likewise, with their base
    int shift;

    __device__ CT& value(int k) const { return values[k - shift]; }
    __device__ int column(int k) const { return columns[k - shift]; }
};

// A row's elements copied by its lanes to shared memory that has room for them.
template <class CT>
static __device__ own_row<CT> copied_row(const factor_operands<CT>& o, const row_parts& parts, CT* values,
                                         int* columns, int lane, int lanes) {
    for (int k = parts.begin + lane; k < parts.end; k += lanes) {
        values[k - parts.begin] = o.a[k];
        columns[k - parts.begin] = o.columns[k];
    }
    return {values, columns, parts.begin};
}

// A row with its parts, when all that it hands over has been worked out.
template <class CT, plans::factor_kind kind>
struct finished_row {
    using box = mailbox<CT>;
    using slot = typename box::slot;

    const factor_operands<CT>& o;
    int row;
    const row_parts& parts;
    const own_row<CT>& own;

    // Hands over what other rows need, and stores the factor but for late elements, by `threads` threads.
    // squares: of a Cholesky factor, in thread 0, the sum of those of the row's elements.
    __device__ void post(CT squares, slot* pivots, slot* elements, unsigned stamp, int thread,
                         int threads) const {
        constexpr bool lu = kind == plans::factor_kind::lu;
        const int first = lu ? parts.diagonal + parts.regular() : parts.begin;
        const int end = lu ? parts.end : parts.diagonal;
#pragma unroll 1
        for (int k = first + thread; k < end; k += threads) box::post(elements + k, own.value(k), stamp);
        if (thread == 0) post_pivot(squares, pivots + row, stamp);
        if (own.values == o.a) return;
#pragma unroll 1
        for (int k = parts.begin + (lu ? parts.late() : 0) + thread; k < end; k += threads)
            if (k != parts.diagonal || !parts.regular()) o.a[k] = own.value(k);
    }

  private:
    __device__ void post_pivot(CT squares, slot* to, unsigned stamp) const {
        CT pivot{}, inverse{};
        bool is_zero = true;
        if (parts.regular()) {
            pivot = own.value(parts.diagonal);
            if constexpr (kind == plans::factor_kind::lu) {
                pivot = o.boosted(pivot);
                is_zero = equal(pivot, CT{});
                inverse = inverse_of(pivot);
            } else {
                const CT square = sub(real_part(pivot), squares);
                is_zero = not_above(square, CT{});
                inverse = inverse_root(square);
                pivot = square_root(square);
            }
        }
        if (!is_usual(inverse)) {
            if (parts.regular()) o.a[parts.diagonal] = pivot;
            __threadfence();
        }
        box::post(to, inverse, stamp);
        if (parts.regular()) o.a[parts.diagonal] = pivot;
        if (is_zero) o.report_zero(row);
    }
};

}  // namespace heron::HERON_LEVEL
