#pragma once
// SDDMM with both operands contiguous along the inner dimension. Groups of eight lanes form one inner product
// after the other, in pieces of 16 bytes: a group reads 128 bytes of a column of op(B) at a time, several
// columns before it uses the first, and keeps the row of op(A) in registers for as long as the elements are
// of one row. Every lane owns one element of C, finds its row and column, and in the end writes it, so that
// offsets, indices and values are read and written by whole lines, and all formats are the same to the
// products. As in the row decomposition of Sputnik (Gale et al., SC 2020), but balanced by elements, not by
// rows.
#include "../common/plans/sddmm.hpp"
#include "warp.cuh"

namespace heron::HERON_LEVEL {

constexpr int sddmm_threads = 256;
constexpr int sddmm_lanes = 8;         // of a group
constexpr int sddmm_tile = warp_size;  // elements of C per warp and turn
constexpr int sddmm_turns = 4;         // consecutive tiles of one warp

// 16 bytes of a vector.
template <class VX>
struct alignas(16) piece {
    static constexpr int size = 16 / sizeof(VX);
    VX element[size];
};

template <class VX, class VC, class CT, class IT>
struct sampling {
    heron_spmat c;
    // Vector v of batch item b begins at a + (b*a_stride + v*a_step) pieces.
    const piece<VX>* a;
    const piece<VX>* b;
    int64_t a_step, a_stride, b_step, b_stride;
    int pieces;  // of a vector
    int conjugate_a, conjugate_b;
    int64_t block_rows, block_cols, count, lines;  // count: elements of C per item
    int64_t tiles;                                 // per item
    scalar_argument<CT> alpha, beta;
};

template <class CT>
static __device__ inline CT value_of(const scalar_argument<CT>& s) {
    return s.device ? *s.device : s.value;
}

// Sum over the piece; each factor conjugated or not.
template <class CT, class VX>
static __device__ inline CT multiply_pieces(const piece<VX>& a, const piece<VX>& b, int conjugate_a,
                                            int conjugate_b, CT sum) {
#pragma unroll
    for (int i = 0; i < piece<VX>::size; ++i) {
        const CT ai = load<CT>(a.element[i]);
        const CT bi = load<CT>(b.element[i]);
        sum = mad(conjugate_a ? conj(ai) : ai, conjugate_b ? conj(bi) : bi, sum);
    }
    return sum;
}

// The place of one element of C.
struct sampled_place {
    int64_t line, row, column;
};

template <class VX, class VC, class CT, class IT>
class place_finder {
  public:
    __device__ place_finder(const sampling<VX, VC, CT, IT>& p, int64_t item)
        : p_(p),
          wide_(p.c.offset_type == HERON_INDEX_64),
          first_offset_(item * p.c.offsets_stride),
          indices_(static_cast<const IT*>(p.c.indices) + item * p.c.indices_stride),
          rows_(static_cast<const IT*>(p.c.row_indices)) {
        if (rows_) rows_ += item * p.c.indices_stride;
    }

    // The place of an element whose line is not before `low`, and probably not many times first_step behind
    // it.
    __device__ sampled_place find(int64_t element, int64_t low, int64_t first_step) const {
        if (p_.c.format == HERON_FORMAT_COO)
            return {0, int64_t{rows_[element]} - p_.c.base, int64_t{indices_[element]} - p_.c.base};
        if (p_.c.format == HERON_FORMAT_CSR) {
            const int64_t line = line_from(low, element, first_step);
            return {line, line, int64_t{indices_[element]} - p_.c.base};
        }
        const int64_t size = p_.block_rows * p_.block_cols;
        const int64_t block = element / size;
        const int64_t inside = element % size;
        const bool by_rows = p_.c.block_order == HERON_ORDER_ROW;
        const int64_t r = by_rows ? inside / p_.block_cols : inside % p_.block_rows;
        const int64_t s = by_rows ? inside % p_.block_cols : inside / p_.block_rows;
        const int64_t line = line_from(low, block, first_step);
        return {line, line * p_.block_rows + r, (int64_t{indices_[block]} - p_.c.base) * p_.block_cols + s};
    }

  private:
    __device__ int64_t offset(int64_t i) const {
        const int64_t at = first_offset_ + i;
        return (wide_ ? static_cast<const i64*>(p_.c.offsets)[at]
                      : int64_t{static_cast<const i32*>(p_.c.offsets)[at]}) -
               p_.c.base;
    }

    // Steps that double from `low` to a line behind the block, then bisection: near lines are found soon.
    __device__ int64_t line_from(int64_t low, int64_t block, int64_t first_step) const {
        const int64_t last = p_.lines - 1;
        int64_t high = low;
        for (int64_t step = first_step; high < last && offset(high + 1) <= block; step *= 2) {
            low = high + 1;
            high = low + step < last ? low + step : last;
        }
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (offset(middle + 1) > block)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    const sampling<VX, VC, CT, IT>& p_;
    const bool wide_;
    const int64_t first_offset_;
    const IT* indices_;
    const IT* rows_;
};

// The inner product of every lane's own element with `chunks` pieces per lane at a time. All lanes of a warp
// take part.
template <int chunks, class VX, class VC, class CT, class IT>
static __device__ inline CT sample_tile(const sampling<VX, VC, CT, IT>& p, int64_t item,
                                        const sampled_place& mine) {
    constexpr int at_once = chunks < 8 ? 8 / chunks : 1;  // columns in flight
    const int lane = static_cast<int>(threadIdx.x) % sddmm_lanes;
    const int group = static_cast<int>(threadIdx.x) % warp_size / sddmm_lanes * sddmm_lanes;
    const piece<VX>* const a_item = p.a + item * p.a_stride;
    const piece<VX>* const b_item = p.b + item * p.b_stride;
    CT result{};
    for (int first = 0; first < p.pieces; first += chunks * sddmm_lanes) {
        piece<VX> a[chunks];
        int64_t row_of_a = -1;
#pragma unroll 1
        for (int step = 0; step < sddmm_lanes; step += at_once) {
            piece<VX> b[at_once][chunks];
            int64_t rows[at_once];
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                rows[u] = value_of_lane(mine.row, group + step + u);
                const piece<VX>* const column =
                    b_item + value_of_lane(mine.column, group + step + u) * p.b_step;
#pragma unroll
                for (int i = 0; i < chunks; ++i) {
                    const int at = first + i * sddmm_lanes + lane;
                    b[u][i] = at < p.pieces ? column[at] : piece<VX>{};
                }
            }
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                if (rows[u] != row_of_a) {
                    row_of_a = rows[u];
#pragma unroll
                    for (int i = 0; i < chunks; ++i) {
                        const int at = first + i * sddmm_lanes + lane;
                        a[i] = at < p.pieces ? a_item[row_of_a * p.a_step + at] : piece<VX>{};
                    }
                }
                CT sum{};
#pragma unroll
                for (int i = 0; i < chunks; ++i)
                    sum = multiply_pieces(a[i], b[u][i], p.conjugate_a, p.conjugate_b, sum);
                sum = sum_over_lanes(sum, sddmm_lanes);
                if (lane == step + u) result = add(result, sum);
            }
        }
    }
    return result;
}

template <int chunks, class VX, class VC, class CT, class IT>
__global__ void __launch_bounds__(sddmm_threads)
    sample_elements(const __grid_constant__ sampling<VX, VC, CT, IT> p) {
    const CT alpha = value_of(p.alpha);
    const CT beta = value_of(p.beta);
    const bool reads = !equal(alpha, CT{}) && p.pieces > 0;
    const int64_t warps = static_cast<int64_t>(gridDim.x) * (sddmm_threads / warp_size);
    const int64_t warp = (static_cast<int64_t>(blockIdx.x) * sddmm_threads + threadIdx.x) / warp_size;
    const int64_t runs = (p.tiles + sddmm_turns - 1) / sddmm_turns;
    for (int64_t run = warp; run < runs * p.c.batch_count; run += warps) {
        const int64_t item = run / runs;
        const int64_t first_tile = run % runs * sddmm_turns;
        const place_finder<VX, VC, CT, IT> finder(p, item);
        VC* const c = static_cast<VC*>(p.c.values) + item * p.c.values_stride;
        sampled_place place{};
        for (int64_t tile = first_tile; tile < first_tile + sddmm_turns && tile < p.tiles; ++tile) {
            const int64_t element = tile * sddmm_tile + threadIdx.x % warp_size;
            CT sum{};
            if (reads) {
                // Lanes behind the last element do as the last one does.
                place = finder.find(element < p.count ? element : p.count - 1, place.line,
                                    tile == first_tile ? p.lines : 1);
                sum = sample_tile<chunks>(p, item, place);
            }
            if (element < p.count) kernels::update_sample(c, element, sum, alpha, beta);
        }
    }
}

}  // namespace heron::HERON_LEVEL
