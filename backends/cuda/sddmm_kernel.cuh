#pragma once
// SDDMM with both operands contiguous along the inner dimension. Groups of eight lanes form several inner
// products at a time, in pieces of 16 bytes: a group reads 128 bytes of a column of op(B) at once, several
// columns before it uses the first, and keeps the row of op(A) in registers for as long as the elements are
// of one row. Every lane owns one element of C, finds its row and column, and in the end writes it, so that
// offsets, indices and values are read and written by whole lines, and all formats are the same to the
// products. As in the row decomposition of Sputnik (Gale et al., SC 2020), but balanced by elements, not by
// rows.
#include "../common/plans/sddmm.hpp"
#include "turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int sddmm_threads = 256;
constexpr int sddmm_lanes = 8;  // of a group
constexpr unsigned first_of_groups = 0x01010101;
constexpr int sddmm_tile = warp_size;  // elements of C per warp and turn
constexpr int sddmm_turns = 4;
constexpr int sddmm_depth = 4;  // vectors of 16 bytes that a lane loads before it uses the first

template <class VX, class VC, class CT, class IT>
struct sampling {
    heron_spmat c;
    // Vector v of batch item b begins at a + (b*a_stride + v*a_step) pieces.
    const vector_of<VX>* a;
    const vector_of<VX>* b;
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
static __device__ inline CT multiply_pieces(const vector_of<VX>& a, const vector_of<VX>& b, int conjugate_a,
                                            int conjugate_b, CT sum) {
#pragma unroll
    for (int i = 0; i < vector_of<VX>::size; ++i) {
        const CT ai = load<CT>(a.at[i]);
        const CT bi = load<CT>(b.at[i]);
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

    // The line of an element, which is not before `low` and, where it is near, probably not many lines behind
    // it. All lanes of a warp together: each step of the search looks at 32 lines.
    __device__ int64_t line_of(int64_t element, int64_t low, bool is_near) const {
        if (p_.c.format == HERON_FORMAT_COO) return 0;
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
        const int64_t block = element / elements_of_block();
        int64_t high = p_.lines - 1;
        int64_t step = is_near ? 1 : (high - low + warp_size - 1) / warp_size;
        while (low < high) {
            const int64_t probe = low + (lane + 1) * step - 1;
            const bool is_before = probe < high && offset(probe + 1) <= block;
            const int before = __popc(__ballot_sync(all_lanes, is_before));
            low += before * step;
            if (before < warp_size && low + step - 1 < high) high = low + step - 1;
            step = (high - low + warp_size - 1) / warp_size;
        }
        return low;
    }

    // The place of an element whose line is not before `low`, and probably not far behind it.
    __device__ sampled_place find(int64_t element, int64_t low) const {
        if (p_.c.format == HERON_FORMAT_COO)
            return {0, int64_t{rows_[element]} - p_.c.base, int64_t{indices_[element]} - p_.c.base};
        if (p_.c.format == HERON_FORMAT_CSR) {
            const int64_t line = line_from(low, element);
            return {line, line, int64_t{indices_[element]} - p_.c.base};
        }
        const int64_t size = elements_of_block();
        const int64_t block = element / size;
        const int64_t inside = element % size;
        const bool by_rows = p_.c.block_order == HERON_ORDER_ROW;
        const int64_t r = by_rows ? inside / p_.block_cols : inside % p_.block_rows;
        const int64_t s = by_rows ? inside % p_.block_cols : inside / p_.block_rows;
        const int64_t line = line_from(low, block);
        return {line, line * p_.block_rows + r, (int64_t{indices_[block]} - p_.c.base) * p_.block_cols + s};
    }

  private:
    __device__ int64_t elements_of_block() const { return p_.block_rows * p_.block_cols; }
    __device__ int64_t offset(int64_t i) const {
        const int64_t at = first_offset_ + i;
        return (wide_ ? static_cast<const i64*>(p_.c.offsets)[at]
                      : int64_t{static_cast<const i32*>(p_.c.offsets)[at]}) -
               p_.c.base;
    }

    // Steps that double from `low` to a line behind the block, then bisection: near lines are found soon.
    __device__ int64_t line_from(int64_t low, int64_t block) const {
        const int64_t last = p_.lines - 1;
        int64_t high = low;
        for (int64_t step = 1; high < last && offset(high + 1) <= block; step *= 2) {
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

// The group's sum of sums[l % count] for its lane l: each step of the exchange halves what a lane holds.
template <int count, class CT>
static __device__ inline CT sum_of_own(CT (&sums)[count]) {
#pragma unroll
    for (int half = count / 2; half > 0; half /= 2) {
        const bool is_upper = threadIdx.x & half;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const CT kept = is_upper ? sums[i + half] : sums[i];
            const CT given = is_upper ? sums[i] : sums[i + half];
            sums[i] = add(kept, from_lane_across(given, half));
        }
    }
    CT sum = sums[0];
#pragma unroll
    for (int distance = count; distance < sddmm_lanes; distance *= 2)
        sum = add(sum, from_lane_across(sum, distance));
    return sum;
}

// Every sddmm_lanes-th piece of a vector from `at` on, zero behind its last one.
template <int chunks, class VX>
static __device__ inline void load_pieces(vector_of<VX> (&to)[chunks], const vector_of<VX>* vector, int at,
                                          int pieces) {
#pragma unroll
    for (int i = 0; i < chunks; ++i, at += sddmm_lanes)
        to[i] = at < pieces ? load_shared_by_many(vector + at) : vector_of<VX>{};
}

// The inner product of every lane's own element with `chunks` pieces per lane at a time. All lanes of a warp
// take part.
template <int chunks, class VX, class VC, class CT, class IT>
static __device__ inline CT sample_tile(const sampling<VX, VC, CT, IT>& p, int64_t item,
                                        const sampled_place& mine) {
    constexpr int at_once = chunks < sddmm_depth ? sddmm_depth / chunks : 1;  // columns in flight
    const int lane = static_cast<int>(threadIdx.x) % sddmm_lanes;
    const int group = static_cast<int>(threadIdx.x) % warp_size / sddmm_lanes * sddmm_lanes;
    const vector_of<VX>* const a_item = p.a + item * p.a_stride;
    const vector_of<VX>* const b_item = p.b + item * p.b_stride;
    const IT own_column = static_cast<IT>(mine.column);
    const int64_t row_below = from_lane_below(mine.row, 1);
    const unsigned begun = __ballot_sync(all_lanes, lane == 0 || mine.row != row_below);
    CT result{};
    for (int first = 0; first < p.pieces; first += chunks * sddmm_lanes) {
        vector_of<VX> a[chunks];
#pragma unroll 1
        for (int step = 0; step < sddmm_lanes; step += at_once) {
            vector_of<VX> b[at_once][chunks];
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                const vector_of<VX>* const column =
                    b_item + int64_t{value_of_lane(own_column, group + step + u)} * p.b_step;
                load_pieces(b[u], column, first + lane, p.pieces);
            }
            CT sums[at_once] = {};
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                const int now = group + step + u;
                if (begun & (first_of_groups << (step + u))) {
                    const int64_t row = value_of_lane(mine.row, now);
                    if (begun >> now & 1) load_pieces(a, a_item + row * p.a_step, first + lane, p.pieces);
                }
#pragma unroll
                for (int i = 0; i < chunks; ++i)
                    sums[u] = multiply_pieces(a[i], b[u][i], p.conjugate_a, p.conjugate_b, sums[u]);
            }
            const CT sum = sum_of_own(sums);
            if (lane / at_once == step / at_once) result = add(result, sum);
        }
    }
    return result;
}

// Blocks that a multiprocessor should have, so that the compiler leaves registers for as many.
template <class CT>
constexpr int sddmm_blocks(int chunks) {
    return chunks == 8 || sizeof(CT) > 8 ? 2 : sizeof(CT) > 4 ? 3 : 4;
}

// The warps of a block take neighbouring tiles at the same time, which read many of the same columns.
template <int chunks, class VX, class VC, class CT, class IT>
__global__ void __launch_bounds__(sddmm_threads, sddmm_blocks<CT>(chunks))
    sample_elements(const __grid_constant__ sampling<VX, VC, CT, IT> p) {
    constexpr int warps = sddmm_threads / warp_size;
    const CT alpha = value_of(p.alpha);
    const CT beta = value_of(p.beta);
    const bool reads = !equal(alpha, CT{}) && p.pieces > 0;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    constexpr int tiles_of_run = sddmm_turns * warps;
    const int64_t runs = (p.tiles + tiles_of_run - 1) / tiles_of_run;
    for (int64_t run = blockIdx.x; run < runs * p.c.batch_count; run += gridDim.x) {
        const int64_t item = run / runs;
        const int64_t first_tile = run % runs * tiles_of_run + warp;
        const place_finder<VX, VC, CT, IT> finder(p, item);
        VC* const c = static_cast<VC*>(p.c.values) + item * p.c.values_stride;
        int64_t line = 0;
        for (int turn = 0; turn < sddmm_turns; ++turn) {
            const int64_t tile = first_tile + turn * warps;
            if (tile >= p.tiles) break;
            const int64_t element = tile * sddmm_tile + threadIdx.x % warp_size;
            CT sum{};
            if (reads) {
                line = finder.line_of(tile * sddmm_tile, line, turn > 0);
                // Lanes behind the last element do as the last one does.
                sum = sample_tile<chunks>(p, item,
                                          finder.find(element < p.count ? element : p.count - 1, line));
            }
            if (element < p.count) kernels::update_sample(c, element, sum, alpha, beta);
        }
    }
}

}  // namespace heron::HERON_LEVEL
