#pragma once
// Where the elements of C are: their rows and columns, for a warp's tiles one after the other.
#include "common/sddmm/plan.hpp"
#include "cuda/runtime/turn_dense.cuh"

namespace heron::HERON_LEVEL {

constexpr int sddmm_tile = warp_size;  // elements of C per warp and turn, at most

template <class VX, class VC, class CT, class IT>
struct sampling {
    heron_spmat c;
    // As the caller has them, for kernels that copy nothing.
    heron_sddmm_vectors a_vectors, b_vectors;
    int64_t k;
    int lane_bits;  // of the groups of sample_directly
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
    int tile;       // elements that a warp takes at a time, at most sddmm_tile
    int turns;      // tiles of a warp
    int tiles;      // per item
    scalar_argument<CT> alpha, beta;
};

template <class CT>
static __device__ inline CT value_of(const scalar_argument<CT>& s) {
    return s.device ? *s.device : s.value;
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
        look_at_indices(first_tile);
        if (is_coo()) return;
        line_ = line_of(block_of(first_of(first_tile)), 0);
        look_at_ends(first_tile);
    }

    // The place of the lane's element of the tile that was looked at last. Lanes behind the last element get
    // its place.
    __device__ sampled_place find(int tile) {
        const IT base = static_cast<IT>(p_.c.base);
        if (is_coo()) return {static_cast<int>(ahead_.row - base), static_cast<int>(ahead_.column - base)};
        const int64_t first = block_of(first_of(tile));
        const int64_t element = element_of(tile);
        if (!is_bsr())
            return {lines_of(first, static_cast<int>(element - first)),
                    static_cast<int>(ahead_.column - base)};
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
        look_at_indices(tile);
        if (!is_coo()) look_at_ends(tile);
    }

  private:
    static constexpr int behind = 2 * sddmm_tile;  // of every block of a tile

    __device__ void look_at_indices(int tile) {
        const int64_t element = element_of(tile);
        ahead_.column = index(block_of(element));
        if (is_coo())
            ahead_.row = static_cast<const IT*>(p_.c.row_indices)[item_ * p_.c.indices_stride + element];
    }
    __device__ void look_at_ends(int tile) {
        ahead_.end = end_of(line_ + lane(), block_of(first_of(tile)));
    }

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
    __device__ bool is_coo() const { return p_.c.format == HERON_FORMAT_COO; }
    __device__ bool is_bsr() const { return p_.c.format == HERON_FORMAT_BSR; }
    __device__ int64_t block_of(int64_t element) const {
        return is_bsr() ? element / p_.block_size : element;
    }
    __device__ int64_t first_of(int tile) const { return int64_t{tile} * p_.tile; }
    // Lanes behind the tile's last element look at that one.
    __device__ int64_t element_of(int tile) const {
        const int64_t element = first_of(tile) + (lane() < p_.tile ? lane() : p_.tile - 1);
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

    // The line of a block, not before `low`: each step looks at 128 lines, because small matrices take as long
    // as the loads that wait for each other.
    __device__ int line_of(int64_t block, int low) const {
        constexpr int probes = 4;
        int high = p_.lines - 1;
        while (low < high) {
            const int step = (high - low) / (warp_size * probes) + 1;
            bool is_before[probes];
#pragma unroll
            for (int i = 0; i < probes; ++i) {
                const int64_t probe = low + int64_t{i * warp_size + lane() + 1} * step - 1;
                is_before[i] = probe < high && offset(probe + 1) <= block;
            }
            int before = 0;
#pragma unroll
            for (int i = 0; i < probes; ++i) before += __popc(__ballot_sync(all_lanes, is_before[i]));
            low += before * step;
            if (before < warp_size * probes && step <= high - low) high = low + step - 1;
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

}  // namespace heron::HERON_LEVEL
