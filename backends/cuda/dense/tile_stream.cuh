#pragma once
// Batches whose items have a few large tiles: blocks go from tile to tile, and the copies run ahead into the
// next one while sums are formed and stored.
#include "large.cuh"
#include "stream.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
class tile_stream {
  public:
    using CT = typename Tile::CT;
    using a_panel = typename panel_of_tile<Tile, Tile::rows, HowA>::type;
    using b_panel = typename panel_of_tile<Tile, Tile::columns, HowB>::type;
    static constexpr int stage_size = a_panel::size + b_panel::size;
    static constexpr int shared_bytes = stage_size * Tile::stages * static_cast<int>(sizeof(CT));
    static_assert(Tile::slices == 1);

    __device__ tile_stream(const parameters<CT>& p, CT* shared)
        : p_(p),
          row_tiles_(static_cast<int>(tiles_of(p.m, Tile::rows))),
          per_item_(static_cast<int>(large_tiles_of_item<Tile>(p))),
          end_(per_item_ * static_cast<int>(p.count)),
          copied_(static_cast<int>(blockIdx.x)),
          shared_(shared) {}

    __device__ void run() {
        const auto steps = static_cast<int>(p_.reads() ? (p_.k + Tile::depth - 1) / Tile::depth : 0);
        if (steps == 0) copied_ = end_;
        const auto rest = static_cast<int>(p_.k % Tile::depth);
        constexpr int short_depth = short_groups * (Tile::depth / Tile::groups);
        const bool ends_short = short_groups < Tile::groups && steps > 0 && rest > 0 && rest <= short_depth;
#pragma unroll 1
        for (int s = 0; s < Tile::stages - 1; ++s) {
            CT* const to = shared_ + s * stage_size;
            copy_part(to, 0, 1, begin_step(to));
            commit_copies();
        }
        wait_for_copies<Tile::stages - 2>();
        __syncthreads();
        fragments f;
        tile_.load_first(f, shared_, shared_ + a_panel::size);
#pragma unroll 1
        for (int number = static_cast<int>(blockIdx.x); number < end_;
             number += static_cast<int>(gridDim.x)) {
            tile_.clear();
#pragma unroll 1
            for (int s = ends_short ? 1 : 0; s < steps; ++s) add_step<Tile::groups>(f);
            if (ends_short) add_step<short_groups>(f);
            store(number);
        }
        wait_for_copies<0>();
    }

  private:
    using fragments = typename Tile::template fragments<a_panel, b_panel>;
    static constexpr bool needs_alignment = a_panel::is_wide || b_panel::is_wide;
    // Of a last step that is at most half a step; an even number, as fragments take turns.
    static constexpr int short_groups = Tile::groups % 4 == 0 ? Tile::groups / 2 : Tile::groups;

    template <int groups>
    __device__ void add_step(fragments& f) {
        const CT* const here = shared_ + stage_ * stage_size;
        stage_ = stage_ + 1 < Tile::stages ? stage_ + 1 : 0;
        const CT* const next = shared_ + stage_ * stage_size;
        CT* const to = shared_ + free_ * stage_size;
        free_ = free_ + 1 < Tile::stages ? free_ + 1 : 0;
        const bool copies = begin_step(to);
        if constexpr (groups < Tile::groups) copy_part(to, 0, 1, copies);
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            const bool is_last = g + 1 == groups;
            if (is_last) {
                // The next step is here for all threads, and none still loads from this one, whose place the
                // step after the next copies will fill.
                wait_for_copies<Tile::stages - 3>();
                __syncthreads();
            }
            const CT* const from = is_last ? next : here;
            tile_.add(f, g % 2, from, from + a_panel::size, is_last ? 0 : g + 1, whole_work{},
                      constant_conjugation<conjugates_b>{}, [&](int slot) {
                          const int part =
                              groups < Tile::groups ? -1 : copy_part_at<Tile, Tile::stream_parts>(g, slot);
                          if (part >= 0) copy_part(to, part, Tile::stream_parts, copies);
                      });
        }
        commit_copies();
    }

    __device__ tile_place place(int number) const {
        const int within = number % per_item_;
        return {within % row_tiles_, within / row_tiles_};
    }

    // True if the next step to copy is a whole one of aligned operands; copies it if it is not.
    __device__ bool begin_step(CT* to) {
        if (copied_ >= end_) return false;
        if (left_ == 0) begin_tile();
        const int depth = left_ < Tile::depth ? left_ : Tile::depth;
        left_ -= depth;
        if (left_ == 0) copied_ += static_cast<int>(gridDim.x);
        if (needs_alignment && !is_aligned_) {
            a_.copy_rest(to, depth, at_.row(), p_.m);
            b_.copy_rest(to + a_panel::size, depth, at_.column(), p_.n);
            return false;
        }
        if (depth == Tile::depth) return true;
        a_.copy_last(to, depth, at_.row(), p_.m);
        b_.copy_last(to + a_panel::size, depth, at_.column(), p_.n);
        return false;
    }

    __device__ void begin_tile() {
        const tile_place tile = place(copied_);
        at_ = {copied_ / per_item_, static_cast<int>(tile.row), static_cast<int>(tile.column)};
        const CT* const a = p_.a[0].at.template of<CT>(at_.item);
        const CT* const b = p_.b[0].at.template of<CT>(at_.item);
        is_aligned_ = ((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b)) & 15) == 0;
        a_.begin(a, p_.a[0], at_.row(), p_.m, 0);
        b_.begin(b, p_.b[0], at_.column(), p_.n, 0);
        left_ = static_cast<int>(p_.k);
    }

    __device__ void copy_part(CT* to, int part, int parts, bool is_there) {
        a_.copy_part(to, part, parts, is_there);
        b_.copy_part(to + a_panel::size, part, parts, is_there);
    }

    __device__ void store(int number) const {
        const tile_place at = place(number);
        const int64_t first_row = at.row * Tile::rows, first_column = at.column * Tile::columns;
        const item_output<CT> output(p_, number / per_item_);
        tile_.each([&](int i, int j, const CT* sums, int) {
            output.template store<Tile::run>(first_row + i, first_column + j, sums);
        });
    }

    const parameters<CT>& p_;
    int row_tiles_, per_item_, end_;
    int copied_;  // the tile whose steps are copied
    CT* shared_;
    place_of_block<Tile> at_{};  // of that tile
    int left_ = 0;               // steps of that tile that have not been copied
    int stage_ = 0, free_ = Tile::stages - 1;
    bool is_aligned_ = true;
    a_panel a_;
    b_panel b_;
    Tile tile_;
};

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_tiles(const __grid_constant__ parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    tile_stream<Tile, HowA, HowB, conjugates_b>(p, reinterpret_cast<typename Tile::CT*>(shared)).run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
