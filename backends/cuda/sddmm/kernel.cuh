#pragma once
// SDDMM with both operands contiguous along the inner dimension. Groups of four or eight lanes form several
// inner products at a time, in pieces of 16 bytes: a group reads several pieces of columns of op(B) before it
// uses the first, and keeps the row of op(A) in registers for as long as the elements are of one row. Every
// lane owns one element of C, finds its row and column while other elements are computed, and in the end
// writes it, so that offsets, indices and values are read and written by whole lines, and all formats are the
// same to the products. As in the row decomposition of Sputnik (Gale et al., SC 2020), but balanced by
// elements, not by rows.
#include "common/sddmm/plan.hpp"
#include "cuda/runtime/turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int sddmm_threads = 256;
constexpr int sddmm_tile = warp_size;  // elements of C per warp and turn
constexpr int sddmm_turns = 8;
constexpr int sddmm_part = sddmm_turns * (sddmm_threads / warp_size);  // tiles of a block
constexpr int sddmm_depth = 4;  // vectors of 16 bytes that a lane loads before it uses the first

template <class VX, class VC, class CT, class IT>
struct sampling {
    heron_spmat c;
    // Vector v of batch item b begins b*a_stride pieces and v*a_step bytes behind a.
    const vector_of<VX>* a;
    const vector_of<VX>* b;
    unsigned a_step, b_step;  // in bytes
    int64_t a_stride, b_stride;
    int pieces;  // of a vector
    int conjugate_a, conjugate_b;
    int block_rows, block_cols, block_size;
    int lines;      // of blocks
    int64_t count;  // elements of C per item
    int tiles;      // per item
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
    int row, column;
};

// What a warp loads to find the places of a tile: the lane's element and the end of one line.
template <class IT>
struct places_ahead {
    int end;  // of line `line` + lane, in blocks behind the tile's first one
    IT column, row;
};

// Finds the places of a warp's tiles, one tile after the other. All lanes of the warp take part in every
// call.
template <class VX, class VC, class CT, class IT>
class place_finder {
  public:
    __device__ place_finder(const sampling<VX, VC, CT, IT>& p, int item, int first_tile)
        : p_(p), item_(item), line_(0) {
        if (!is_coo()) line_ = line_of(block_of(first_of(first_tile)), 0);
        look_at(first_tile);
    }

    // The place of the lane's element of the tile that was looked at last. Lanes behind the last element get
    // its place.
    __device__ sampled_place find(int tile) {
        const IT base = static_cast<IT>(p_.c.base);
        if (is_coo()) return {static_cast<int>(ahead_.row - base), static_cast<int>(ahead_.column - base)};
        const int64_t first = block_of(first_of(tile));
        if (!is_bsr()) return {lines_of(first, lane()), static_cast<int>(ahead_.column - base)};
        const int64_t element = element_of(tile);
        const int64_t block = block_of(element);
        const auto inside = static_cast<int>(element - block * p_.block_size);
        const bool by_rows = p_.c.block_order == HERON_ORDER_ROW;
        const int r = by_rows ? inside / p_.block_cols : inside % p_.block_rows;
        const int s = by_rows ? inside % p_.block_cols : inside / p_.block_rows;
        const int line = lines_of(first, static_cast<int>(block - first));
        return {line * p_.block_rows + r, static_cast<int>(ahead_.column - base) * p_.block_cols + s};
    }

    // Starts the loads for a tile, which is the first one or follows the one found last.
    __device__ void look_at(int tile) {
        const int64_t element = element_of(tile);
        if (is_coo()) {
            ahead_.row = static_cast<const IT*>(p_.c.row_indices)[item_ * p_.c.indices_stride + element];
            ahead_.column = index(element);
            return;
        }
        ahead_.column = index(block_of(element));
        ahead_.end = end_of(line_ + lane(), block_of(first_of(tile)));
    }

  private:
    static constexpr int behind = 2 * sddmm_tile;  // of every block of a tile

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
    __device__ bool is_coo() const { return p_.c.format == HERON_FORMAT_COO; }
    __device__ bool is_bsr() const { return p_.c.format == HERON_FORMAT_BSR; }
    __device__ int64_t block_of(int64_t element) const {
        return is_bsr() ? element / p_.block_size : element;
    }
    static __device__ int64_t first_of(int tile) { return int64_t{tile} * sddmm_tile; }
    __device__ int64_t element_of(int tile) const {
        const int64_t element = first_of(tile) + lane();
        return element < p_.count ? element : p_.count - 1;
    }
    __device__ IT index(int64_t i) const {
        return static_cast<const IT*>(p_.c.indices)[item_ * p_.c.indices_stride + i];
    }
    __device__ int64_t offset(int64_t i) const {
        const int64_t at = item_ * p_.c.offsets_stride + i;
        return (p_.c.offset_type == HERON_INDEX_64 ? static_cast<const i64*>(p_.c.offsets)[at]
                                                   : int64_t{static_cast<const i32*>(p_.c.offsets)[at]}) -
               p_.c.base;
    }

    // Blocks from `first` on to the end of a line, as far as a tile reaches; the last line has no end.
    __device__ int end_of(int64_t line, int64_t first) const {
        if (line >= p_.lines - 1) return behind;
        const int64_t end = offset(line + 1) - first;
        return end < behind ? static_cast<int>(end) : behind;
    }

    // The line of a block, not before `low`: each step looks at 32 lines.
    __device__ int line_of(int64_t block, int low) const {
        int high = p_.lines - 1;
        while (low < high) {
            const int step = (high - low) / warp_size + 1;
            const int64_t probe = low + int64_t{lane() + 1} * step - 1;
            const bool is_before = probe < high && offset(probe + 1) <= block;
            const int before = __popc(__ballot_sync(all_lanes, is_before));
            low += before * step;
            if (before < warp_size && step <= high - low) high = low + step - 1;
        }
        return low;
    }

    // The line of the lane's own block, which is `own` blocks behind the tile's first one. Lines are looked
    // at 32 at a time; many empty ones are skipped.
    __device__ int lines_of(int64_t first, int own) {
        int line = line_;
        int end = ahead_.end;
        int found = -1;
        for (;;) {
            const int before = ends_until(end, own);
            if (found < 0 && before < warp_size) found = line + before;
            const unsigned open = __ballot_sync(all_lanes, found < 0);
            if (open == 0) break;
            line = line_of(first + value_of_lane(own, __ffs(static_cast<int>(open)) - 1), line + warp_size);
            end = end_of(line + lane(), first);
        }
        line_ = value_of_lane(found, warp_size - 1);
        return found;
    }

    // How many of the lanes' ends, which ascend, do not lie behind block `own`.
    static __device__ int ends_until(int end, int own) {
        int count = 0;
#pragma unroll
        for (int half = warp_size / 2; half > 0; half /= 2)
            if (value_of_lane(end, count + half - 1) <= own) count += half;
        return count + (value_of_lane(end, count) <= own);
    }

    const sampling<VX, VC, CT, IT>& p_;
    const int item_;
    int line_;  // of the tile's first block, or a little before
    places_ahead<IT> ahead_;
};

// The group's sum of sums[l % count] for its lane l: each step of the exchange halves what a lane holds.
template <int lanes, int count, class CT>
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
    for (int distance = count; distance < lanes; distance *= 2)
        sum = add(sum, from_lane_across(sum, distance));
    return sum;
}

// Every lanes-th piece of a vector from `at` on, zero behind its last one unless there is one for all.
template <int lanes, bool is_exact, int chunks, class VX>
static __device__ inline void load_pieces(vector_of<VX> (&to)[chunks], const vector_of<VX>* vector, int at,
                                          int pieces) {
#pragma unroll
    for (int i = 0; i < chunks; ++i)
        to[i] = is_exact || at + i * lanes < pieces ? load_shared_by_many(vector + at + i * lanes)
                                                    : vector_of<VX>{};
}

template <class VX>
static __device__ inline const vector_of<VX>* vector_at(const vector_of<VX>* first, int number,
                                                        unsigned bytes) {
    return reinterpret_cast<const vector_of<VX>*>(reinterpret_cast<const char*>(first) +
                                                  uint64_t{static_cast<unsigned>(number)} * bytes);
}

// The inner product of every lane's own element with `chunks` pieces per lane at a time. All lanes of a warp
// take part.
template <class Shape, class VX, class VC, class CT, class IT>
static __device__ inline CT sample_tile(const sampling<VX, VC, CT, IT>& p, int item,
                                        const sampled_place& mine) {
    constexpr int lanes = Shape::lanes;
    constexpr int chunks = Shape::chunks;
    constexpr int at_once = chunks < sddmm_depth ? sddmm_depth / chunks : 1;  // columns in flight
    constexpr unsigned first_of_groups = lanes == 8 ? 0x01010101u : 0x11111111u;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int group = static_cast<int>(threadIdx.x) % warp_size / lanes * lanes;
    const vector_of<VX>* const a_item = p.a + item * p.a_stride;
    const vector_of<VX>* const b_item = p.b + item * p.b_stride;
    const int row_below = from_lane_below(mine.row, 1);
    const unsigned begun = __ballot_sync(all_lanes, lane == 0 || mine.row != row_below);
    CT result{};
    for (int first = 0; first < p.pieces; first += chunks * lanes) {
        vector_of<VX> a[chunks];
#pragma unroll 1
        for (int step = 0; step < lanes; step += at_once) {
            vector_of<VX> b[at_once][chunks];
#pragma unroll
            for (int u = 0; u < at_once; ++u)
                load_pieces<lanes, Shape::is_exact>(
                    b[u], vector_at(b_item, value_of_lane(mine.column, group + step + u), p.b_step),
                    first + lane, p.pieces);
            CT sums[at_once] = {};
#pragma unroll
            for (int u = 0; u < at_once; ++u) {
                const int now = group + step + u;
                if (begun & (first_of_groups << (step + u))) {
                    const int row = value_of_lane(mine.row, now);
                    if (begun >> now & 1)
                        load_pieces<lanes, Shape::is_exact>(a, vector_at(a_item, row, p.a_step), first + lane,
                                                            p.pieces);
                }
#pragma unroll
                for (int i = 0; i < chunks; ++i)
                    sums[u] = multiply_pieces(a[i], b[u][i], p.conjugate_a, p.conjugate_b, sums[u]);
            }
            const CT sum = sum_of_own<lanes>(sums);
            if (lane / at_once == step / at_once) result = add(result, sum);
        }
        if constexpr (Shape::is_exact) break;
    }
    return result;
}

// Lanes of a group, pieces of a vector that a lane holds at a time, and whether these are all pieces.
template <int lanes_of_group, int chunks_of_lane, bool holds_all>
struct sddmm_shape {
    static constexpr int lanes = lanes_of_group;
    static constexpr int chunks = chunks_of_lane;
    static constexpr bool is_exact = holds_all;
};

// Blocks that a multiprocessor should have, so that the compiler leaves registers for as many.
template <class CT>
constexpr int sddmm_blocks(int chunks) {
    return chunks == 8 || sizeof(CT) > 8 ? 2 : sizeof(CT) > 4 ? 3 : 4;
}

// A warp takes neighbouring tiles one after the other, and the warps of a block follow each other.
template <class Shape, class VX, class VC, class CT, class IT>
__global__ void __launch_bounds__(sddmm_threads, sddmm_blocks<CT>(Shape::chunks))
    sample_elements(const __grid_constant__ sampling<VX, VC, CT, IT> p) {
    const bool reads = !equal(value_of(p.alpha), CT{}) && p.pieces > 0;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int parts = (p.tiles + sddmm_part - 1) / sddmm_part;
    for (int64_t i = blockIdx.x; i < int64_t{parts} * p.c.batch_count; i += gridDim.x) {
        const auto item = static_cast<int>(i / parts);
        const int first = static_cast<int>(i % parts) * sddmm_part + warp * sddmm_turns;
        const int end = first + sddmm_turns < p.tiles ? first + sddmm_turns : p.tiles;
        if (first >= end) continue;
        place_finder<VX, VC, CT, IT> finder(p, item, first);
        for (int tile = first; tile < end; ++tile) {
            const sampled_place place = finder.find(tile);
            if (tile + 1 < end) finder.look_at(tile + 1);
            const CT sum = reads ? sample_tile<Shape>(p, item, place) : CT{};
            const int64_t element = int64_t{tile} * sddmm_tile + threadIdx.x % warp_size;
            VC* const c = static_cast<VC*>(p.c.values) + item * p.c.values_stride;
            if (element < p.count)
                kernels::update_sample(c, element, sum, value_of(p.alpha), value_of(p.beta));
        }
    }
}

}  // namespace heron::HERON_LEVEL
