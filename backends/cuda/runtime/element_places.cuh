#pragma once
// Where the elements of a sparse matrix are: their rows and columns, found by warps for tiles of up to 32
// elements, so that work is shared by elements in every format alike.
#include "warp.cuh"
#include <heron/args.h>
#include <algorithm>

namespace heron::HERON_LEVEL {

// COO, CSR or BSR matrices, one or as many as there are items of a batch, and how warps share their elements.
struct element_places {
    heron_spmat matrix;
    int64_t batches;
    int block_rows, block_cols, block_size;
    int lines;              // of blocks
    double lines_of_block;  // in the mean
    int64_t count;          // elements per item
    int tile;               // elements that a warp takes at a time, at most 32
    int turns;              // tiles of a warp, one after the other
    int tiles;              // per item

    void set_matrix(const heron_spmat& m, int64_t items) {
        const bool has_blocks = m.format == HERON_FORMAT_BSR;
        matrix = m;
        batches = items;
        block_rows = has_blocks ? static_cast<int>(m.block_rows) : 1;
        block_cols = has_blocks ? static_cast<int>(m.block_cols) : 1;
        block_size = block_rows * block_cols;
        lines = static_cast<int>(m.rows / block_rows);
        lines_of_block = m.nnz > 0 ? static_cast<double>(lines) / static_cast<double>(m.nnz) : 0;
        count = m.nnz * block_size;
    }

    bool is_lone_csr() const { return batches == 1 && matrix.format == HERON_FORMAT_CSR; }

    // A warp takes several tiles only once all warps that the device can hold have one.
    void share(int tile_of_warp, int multiprocessors, int most_turns) {
        const int64_t warps = int64_t{32} * multiprocessors;
        tile = tile_of_warp;
        tiles = static_cast<int>((count + tile - 1) / tile);
        turns = static_cast<int>(std::clamp<int64_t>((tiles * batches + warps - 1) / warps, 1, most_turns));
    }

    // Of so many threads, for one item.
    __host__ __device__ int blocks_of_item(int threads) const {
        const int part = turns * (threads / warp_size);
        return (tiles + part - 1) / part;
    }
};

// The place of one element.
struct element_place {
    int row, column;
};

// What a warp loads to find the places of a tile: the lane's element and the end of one line.
template <class IT>
struct places_ahead {
    int end;  // of line `line` + lane, in blocks behind the tile's first one
    IT column, row;
};

// Finds the places of a warp's tiles, one tile after the other. All lanes of the warp take part in every
// call. A kernel that always takes whole tiles says so, which saves registers, and one for a single CSR
// matrix, which saves instructions. Loads of several offsets are never under a condition, which would put
// them behind each other: what is behind the end is read before it.
template <class IT, bool whole_tiles, bool is_lone_csr>
class place_finder {
  public:
    __device__ place_finder(const element_places& p, int item, int first_tile)
        : p_(p), item_(is_lone_csr ? 0 : item), line_(0) {
        look_at_indices(first_tile);
        if (is_coo() || lines_are_far_apart()) return;
        line_ = line_near_guess(block_of(first_of(first_tile)));
        look_at_ends(first_tile);
    }

    // The place of the lane's element of the tile that was looked at last. Lanes behind the last element get
    // its place.
    __device__ element_place find(int tile) {
        const IT base = static_cast<IT>(p_.matrix.base);
        if (is_coo()) return {static_cast<int>(ahead_.row - base), static_cast<int>(ahead_.column - base)};
        const uint32_t element = element_of(tile);
        const uint32_t block = block_of(element);
        const int line = lines_of(block_of(first_of(tile)), block);
        const auto column = static_cast<int>(ahead_.column - base);
        if (!is_bsr()) return {line, column};
        const auto inside = static_cast<int>(element - block * static_cast<unsigned>(p_.block_size));
        const bool by_rows = p_.matrix.block_order == HERON_ORDER_ROW;
        const int r = by_rows ? inside / p_.block_cols : inside % p_.block_rows;
        const int s = by_rows ? inside % p_.block_cols : inside / p_.block_rows;
        return {line * p_.block_rows + r, column * p_.block_cols + s};
    }

    // Starts the loads for a tile, which is the first one or follows the one found last.
    __device__ void look_at(int tile) {
        look_at_indices(tile);
        if (!is_coo() && !lines_are_far_apart()) look_at_ends(tile);
    }

  private:
    static constexpr int behind = 2 * warp_size;      // of every block of a tile
    static constexpr double most_lines_of_block = 4;  // for which lines are looked at together

    __device__ void look_at_indices(int tile) {
        const uint32_t element = element_of(tile);
        ahead_.column = index(block_of(element));
        if (is_coo())
            ahead_.row =
                static_cast<const IT*>(p_.matrix.row_indices)[item_ * p_.matrix.indices_stride + element];
    }
    __device__ void look_at_ends(int tile) { ahead_.end = end_of(line_ + lane(), block_of(first_of(tile))); }

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
    __device__ bool is_coo() const { return !is_lone_csr && p_.matrix.format == HERON_FORMAT_COO; }
    __device__ bool is_bsr() const { return !is_lone_csr && p_.matrix.format == HERON_FORMAT_BSR; }
    __device__ bool lines_are_far_apart() const { return p_.lines_of_block > most_lines_of_block; }
    __device__ uint32_t block_of(uint32_t element) const {
        return is_bsr() ? element / static_cast<unsigned>(p_.block_size) : element;
    }
    __device__ int size() const { return whole_tiles ? warp_size : p_.tile; }
    __device__ uint32_t first_of(int tile) const {
        return static_cast<uint32_t>(tile) * static_cast<unsigned>(size());
    }
    // Lanes behind the tile's last element look at that one.
    __device__ uint32_t element_of(int tile) const {
        const uint32_t element =
            first_of(tile) + static_cast<unsigned>(lane() < size() ? lane() : size() - 1);
        const auto count = static_cast<uint32_t>(p_.count);
        return element < count ? element : count - 1;
    }
    __device__ IT index(uint32_t i) const {
        return static_cast<const IT*>(p_.matrix.indices)[item_ * p_.matrix.indices_stride + i];
    }
    // Counted from 0. Of an offset of 64 bits the lower half says it all.
    __device__ uint32_t offset(unsigned i) const {
        const int64_t at = item_ * p_.matrix.offsets_stride + i;
        const int shift = p_.matrix.offset_type == HERON_INDEX_64;
        return static_cast<const uint32_t*>(p_.matrix.offsets)[at << shift] -
               static_cast<uint32_t>(p_.matrix.base);
    }

    // Blocks from `first` on to the end of a line, as far as a tile reaches; the last line has no end.
    __device__ int end_of(int line, uint32_t first) const {
        const int last = p_.lines - 1;
        const uint32_t end = offset(static_cast<unsigned>(line < last ? line + 1 : last));
        if (line >= last) return behind;
        return end <= first ? 0 : end - first < behind ? static_cast<int>(end - first) : behind;
    }

    // The line of a block. Where lines are alike it is near the place that their mean length says, and one
    // step finds it there.
    __device__ int line_near_guess(uint32_t block) const {
        constexpr int parts = 4, window = parts * warp_size;
        const int guess = static_cast<int>(static_cast<double>(block) * p_.lines_of_block) - window / 2;
        const int last = p_.lines - window;
        const int first = guess > last ? (last > 0 ? last : 0) : (guess > 0 ? guess : 0);
        uint32_t begins[parts];
#pragma unroll
        for (int i = 0; i < parts; ++i) {
            const int line = first + i * warp_size + lane();
            begins[i] = offset(static_cast<unsigned>(line < p_.lines ? line : p_.lines - 1));
        }
        int begun = 0;
#pragma unroll
        for (int i = 0; i < parts; ++i)
            begun += __popc(
                __ballot_sync(all_lanes, first + i * warp_size + lane() < p_.lines && begins[i] <= block));
        if (begun > 0 && (begun < window || first + window >= p_.lines)) return first + begun - 1;
        return line_of<true>(block, begun > 0 ? first + window - 1 : 0);
    }

    // The line of a block, not before `low`, for the warp together or for every lane its own: each step looks
    // at 128 or at 8 lines, because small matrices take as long as the loads that wait for each other.
    template <bool together>
    __device__ int line_of(uint32_t block, int low) const {
        constexpr int probes = together ? 4 : 8;
        constexpr int lanes = together ? warp_size : 1;
        int high = p_.lines - 1;
        while (low < high) {
            const int step = (high - low) / (lanes * probes) + 1;
            bool is_before[probes];
#pragma unroll
            for (int i = 0; i < probes; ++i) {
                const int number = i * lanes + (together ? lane() : 0);
                const unsigned probe = static_cast<unsigned>(low) +
                                       static_cast<unsigned>(number + 1) * static_cast<unsigned>(step) - 1;
                const auto last = static_cast<unsigned>(high) - 1;
                const uint32_t end = offset((probe < last ? probe : last) + 1);
                is_before[i] = (probe <= last) & (end <= block);
            }
            int before = 0;
#pragma unroll
            for (int i = 0; i < probes; ++i)
                before += together ? __popc(__ballot_sync(all_lanes, is_before[i])) : int{is_before[i]};
            low += before * step;
            if (before < lanes * probes && step <= high - low) high = low + step - 1;
        }
        return low;
    }

    // The line of the lane's own block, in a tile whose first one is `first`. Lines are looked at 32 at a
    // time; many empty ones are skipped. Where most are empty every lane looks for itself.
    __device__ int lines_of(uint32_t first, uint32_t block) {
        int found = lines_are_far_apart() ? line_of<false>(block, line_)
                                          : line_among_ends(first, static_cast<int>(block - first));
        line_ = value_of_lane(found, warp_size - 1);
        return found;
    }

    __device__ int line_among_ends(uint32_t first, int own) const {
        int line = line_;
        int end = ahead_.end;
        int found = -1;
        for (;;) {
            const int before = ends_until(end, own);
            if (found < 0 && before < warp_size) found = line + before;
            const unsigned open = __ballot_sync(all_lanes, found < 0);
            if (open == 0) return found;
            const int next = value_of_lane(own, __ffs(static_cast<int>(open)) - 1);
            line = line_of<true>(first + static_cast<unsigned>(next), line + warp_size);
            end = end_of(line + lane(), first);
        }
    }

    // How many of the lanes' ends, which ascend, do not lie behind block `own`.
    static __device__ int ends_until(int end, int own) {
        int count = 0;
#pragma unroll
        for (int half = warp_size / 2; half > 0; half /= 2)
            if (value_of_lane(end, count + half - 1) <= own) count += half;
        return count + (value_of_lane(end, count) <= own);
    }

    const element_places& p_;
    const int item_;
    int line_;  // of the tile's first block, or a little before
    places_ahead<IT> ahead_;
};

// Calls f(tile, place) for the tiles of the warp in block number `block` of an item, one after the other,
// with the place of the lane's own element. A warp takes neighbouring tiles, and the warps of a block follow
// each other. All lanes of a warp take part.
template <class IT, bool whole_tiles = false, bool is_lone_csr = false, class F>
static __device__ inline void for_tiles(const element_places& p, int item, int block, F&& f) {
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    const int first = (block * warps + static_cast<int>(threadIdx.x) / warp_size) * p.turns;
    const int end = first + p.turns < p.tiles ? first + p.turns : p.tiles;
    if (first >= end) return;
    place_finder<IT, whole_tiles, is_lone_csr> finder(p, item, first);
    for (int tile = first; tile < end; ++tile) {
        const element_place place = finder.find(tile);
        if (tile + 1 < end) finder.look_at(tile + 1);
        f(tile, place);
    }
}

}  // namespace heron::HERON_LEVEL
