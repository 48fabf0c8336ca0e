#pragma once
// What the kernels of the incomplete factorisations share: where a row's parts are, and which of its elements
// meet those of another row.
#include "cuda/trisolve/sweep.cuh"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

// A row of a CSR matrix, or of blocks, in positions of elements, or blocks.
struct alignas(16) row_parts {
    int begin, diagonal, end;  // diagonal: the first that is not before it
    int regular;               // 1 if that is the diagonal's own
};

static __device__ inline row_parts load_parts(const row_parts* p) {
    const int4 v = __ldg(reinterpret_cast<const int4*>(p));
    return {v.x, v.y, v.z, v.w};
}

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
// up in the other one.
class row_meeting {
  public:
    row_meeting() = default;
    __device__ row_meeting(int own_first, int own_end, int other_first, int other_end)
        : own_first_(own_first), own_end_(own_end), other_first_(other_first), other_end_(other_end) {}

    __device__ bool by_own() const { return own_end_ - own_first_ < other_end_ - other_first_; }
    __device__ int count() const { return min(own_end_ - own_first_, other_end_ - other_first_); }
    // Candidate q. The column of this row's position k is own_columns[k - shift].
    __device__ row_pair at(int q, const int* own_columns, int shift, const int* columns) const {
        if (by_own()) {
            const int column = own_columns[own_first_ + q - shift];
            const int found = lower_bound(columns, other_first_, other_end_, column);
            return found < other_end_ && columns[found] == column ? row_pair{found, own_first_ + q}
                                                                  : row_pair{};
        }
        const int column = columns[other_first_ + q];
        const int found = lower_bound(own_columns, own_first_ - shift, own_end_ - shift, column);
        return found < own_end_ - shift && own_columns[found] == column
                   ? row_pair{other_first_ + q, found + shift}
                   : row_pair{};
    }

  private:
    int own_first_ = 0, own_end_ = 0, other_first_ = 0, other_end_ = 0;
};

// The pairs that the element (or block) k of a row needs of the row of its column.
template <plans::factor_kind kind, class Meeting = row_meeting>
static __device__ Meeting meeting_of(const row_parts& own, int k, const row_parts& other) {
    if constexpr (kind == plans::factor_kind::lu)
        return {k + 1, own.end, other.diagonal + other.regular, other.end};
    else
        return {own.begin, k, other.begin, other.diagonal};
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
        const CT limit = tolerance_bits ? from_double<CT>(*tolerance_bits) : tolerance;
        return not_above(modulus(pivot), limit) ? SCALAR(CT, boost.value, boost.device) : pivot;
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

// A row with its parts, when all that it needs has been used. squares: of a Cholesky factor, the sum of those
// of its elements.
template <class CT, plans::factor_kind kind>
struct finished_row {
    const factor_operands<CT>& o;
    int row;
    const row_parts& parts;
    const own_row<CT>& own;

    // By several threads; `reports` one of them.
    __device__ CT pivot(CT squares, bool reports) const {
        if (!parts.regular) {
            if (reports) o.report_zero(row);
            return CT{};
        }
        CT result = own.value(parts.diagonal);
        bool is_zero = false;
        if constexpr (kind == plans::factor_kind::lu) {
            result = o.boosted(result);
            is_zero = equal(result, CT{});
        } else {
            result = sub(real_part(result), squares);
            is_zero = not_above(result, CT{});
            result = square_root(result);
        }
        if (is_zero && reports) o.report_zero(row);
        return result;
    }

    // Hands over what other rows need, and stores the factor, by `threads` threads.
    __device__ void post(CT pivot, typename mailbox<CT>::slot* pivots, typename mailbox<CT>::slot* elements,
                         unsigned stamp, int thread, int threads) const {
        using box = mailbox<CT>;
        constexpr bool lu = kind == plans::factor_kind::lu;
        if (thread == 0) box::post(pivots + row, pivot, stamp);
        const int first = lu ? parts.diagonal + parts.regular : parts.begin;
        const int end = lu ? parts.end : parts.diagonal;
        for (int k = first + thread; k < end; k += threads) box::post(elements + k, own.value(k), stamp);
        if (own.values != o.a)
            for (int k = parts.begin + thread; k < end; k += threads)
                if (k != parts.diagonal || !parts.regular) o.a[k] = own.value(k);
        if (thread == 0 && parts.regular) o.a[parts.diagonal] = pivot;
    }
};

}  // namespace heron::HERON_LEVEL
