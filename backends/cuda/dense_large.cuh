#pragma once
// Large products: a block computes one tile of C. Copies run several steps ahead, what is multiplied next is
// loaded into registers while the last is multiplied, and layouts are known at compile time.
#include "dense_kernel.cuh"
#include "dense_large_tiles.cuh"
#include "dense_panels.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

template <class Tile, int Lines, layout How>
struct panel_of_tile {
    static constexpr int padding = [] {
        if constexpr (Tile::keeps_depth)
            return How == layout::depth ? Tile::depth_padding : Tile::padding;
        else
            return Tile::padding;
    }();
    using type = panel<typename Tile::CT, Lines, Tile::depth, Tile::threads, padding, How, Tile::keeps_depth>;
};

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
class large_product {
  public:
    using CT = typename Tile::CT;
    using a_panel = typename panel_of_tile<Tile, Tile::rows, HowA>::type;
    using b_panel = typename panel_of_tile<Tile, Tile::columns, HowB>::type;
    static constexpr int stage_size = a_panel::size + b_panel::size;
    static constexpr int slice_size = Tile::slices > 1 ? Tile::rows* Tile::columns : 0;
    static constexpr int shared_size =
        stage_size * Tile::stages > slice_size ? stage_size* Tile::stages : slice_size;
    static constexpr int shared_bytes = shared_size * static_cast<int>(sizeof(CT));

    __device__ large_product(const parameters<CT>& p, int64_t item, tile_place place, CT* shared)
        : p_(p),
          item_(item),
          row_(place.row * Tile::rows),
          column_(place.column * Tile::columns),
          shared_(shared) {}

    __device__ void run() {
        if (row_ >= p_.m || column_ >= p_.n) return;
        const bool reads = p_.k > 0 && !equal(p_.alpha.get(), CT{});
        if (!reads && p_.hermitian && equal(p_.beta.get(), one<CT>())) return;
        tile_.clear();
        if (reads) add_all();
        if (Tile::slices > 1) {
            tile_.join_slices(shared_);
            if (tile_.slice() > 0) return;
        }
        store();
    }

  private:
    using fragments = typename Tile::template fragments<a_panel, b_panel>;
    static constexpr int copy_parts = Tile::groups - 1;  // the last group of a step waits for copies

    __device__ void add_all() {
        const auto steps = static_cast<int>((p_.k + Tile::depth - 1) / Tile::depth);
        const int all = steps * p_.terms;
        begin_term(0);
#pragma unroll 1
        for (int s = 0; s < Tile::stages - 1; ++s) {
            CT* const to = shared_ + s * stage_size;
            if (begin_step(s < all, to)) copy_part(to, 0, 1);
            commit_copies();
        }
        wait_for_copies<Tile::stages - 2>();
        __syncthreads();
        fragments f;
        tile_.load_first(f, shared_, shared_ + a_panel::size);
        int stage = 0, free = Tile::stages - 1, s = 0;
#pragma unroll 1
        for (int end = p_.terms > 1 && p_.conjugate_second ? steps : all; s < all; end = all) {
#pragma unroll 1
            for (; s < end; ++s) {
                const CT* const here = shared_ + stage * stage_size;
                stage = stage + 1 < Tile::stages ? stage + 1 : 0;
                const CT* const next = shared_ + stage * stage_size;
                CT* const to = shared_ + free * stage_size;
                free = free + 1 < Tile::stages ? free + 1 : 0;
                const bool copies = begin_step(s + Tile::stages - 1 < all, to);
#pragma unroll
                for (int g = 0; g < Tile::groups; ++g) {
                    const bool is_last = g + 1 == Tile::groups;
                    if (is_last) {
                        // The next step is here for all threads, and none still loads from this one, whose
                        // place the step after the next copies will fill.
                        wait_for_copies<Tile::stages - 2>();
                        __syncthreads();
                    }
                    const CT* const from = is_last ? next : here;
                    tile_.template add<conjugates_b>(f, g % 2, from, from + a_panel::size,
                                                     is_last ? 0 : g + 1, [&] {
                                                         if (g < copy_parts && copies)
                                                             copy_part(to, g, copy_parts);
                                                         if (g == copy_parts - 1) commit_copies();
                                                     });
                }
            }
            if (s < all) between_terms();
        }
        wait_for_copies<0>();
    }

    // The sum is multiplied by conj(alpha) in the end; the first term's factor is alpha.
    __device__ void between_terms() {
        const CT factor = phase(p_.alpha.get());
        tile_.scale(p_.conjugate_sum ? conj(factor) : factor);
    }

    __device__ void begin_term(int term) {
        const operand& a = p_.a[term];
        const operand& b = p_.b[term];
        a_.begin(a.at.template of<CT>(item_), a, row_, p_.m);
        b_.begin(b.at.template of<CT>(item_), b, column_, p_.n);
        full_ = static_cast<int>(p_.k / Tile::depth);
        rest_ = static_cast<int>(p_.k % Tile::depth);
    }

    // True if the next step to copy is a whole one; copies it if it is not.
    __device__ bool begin_step(bool is_there, CT* to) {
        if (!is_there) return false;
        if (full_ == 0 && rest_ == 0) begin_term(1);
        if (full_ > 0) {
            --full_;
            return true;
        }
        a_.copy_rest(to, rest_);
        b_.copy_rest(to + a_panel::size, rest_);
        rest_ = 0;
        return false;
    }

    __device__ void copy_part(CT* to, int part, int parts) {
        a_.copy_part(to, part, parts);
        b_.copy_part(to + a_panel::size, part, parts);
    }

    __device__ void store() {
        CT alpha = p_.alpha.get();
        if (p_.terms > 1 && p_.conjugate_second) alpha = conj(alpha);
        const CT beta = p_.beta.get();
        CT* const c = const_cast<CT*>(p_.c.template of<CT>(item_));
        const bool is_whole = row_ + Tile::rows <= p_.m && column_ + Tile::columns <= p_.n;
        const bool is_stored = p_.stored == part::all     ? true
                               : p_.stored == part::lower ? row_ >= column_ + Tile::columns
                                                          : column_ >= row_ + Tile::rows;
        const bool is_aligned =
            ((reinterpret_cast<uintptr_t>(c) | static_cast<uintptr_t>(p_.ldc * sizeof(CT))) & 15) == 0;
        if (is_whole && is_stored && (Tile::run == 1 || is_aligned))
            store_whole(c + row_ + column_ * p_.ldc, alpha, beta);
        else
            store_part(c, alpha, beta);
    }

    __device__ void store_whole(CT* c, CT alpha, CT beta) const {
        constexpr int run = Tile::run;
        const bool adds = !equal(beta, CT{});
        tile_.each([&](int i, int j, const CT* sums) {
            struct alignas(run * sizeof(CT)) many {
                CT values[run];
            };
            many* const to = reinterpret_cast<many*>(c + i + j * p_.ldc);
            many value;
#pragma unroll
            for (int e = 0; e < run; ++e)
                value.values[e] = mul(alpha, p_.conjugate_sum ? conj(sums[e]) : sums[e]);
            if (adds) {
                const many old = *to;
#pragma unroll
                for (int e = 0; e < run; ++e) value.values[e] = mad(beta, old.values[e], value.values[e]);
            }
            *to = value;
        });
    }

    __device__ void store_part(CT* c, CT alpha, CT beta) const {
        tile_.each([&](int i, int j, const CT* sums) {
            const int64_t column = column_ + j;
#pragma unroll
            for (int e = 0; e < Tile::run; ++e) {
                const int64_t row = row_ + i + e;
                if (row >= p_.m || column >= p_.n) continue;
                if (p_.stored == part::lower ? row < column : p_.stored == part::upper && row > column)
                    continue;
                finish(p_, c + row + column * p_.ldc, sums[e], alpha, beta, row == column);
            }
        });
    }

    const parameters<CT>& p_;
    int64_t item_, row_, column_;
    CT* shared_;
    int full_ = 0, rest_ = 0;
    a_panel a_;
    b_panel b_;
    Tile tile_;
};

// The tiles of a triangle, diagonal included, where tiles are `ratio` times as high as wide: row r of the
// lower triangle has (r + 1)*ratio, and the upper one is the lower one from the other end.
static __device__ inline tile_place triangle_of_wide(int64_t number, part stored, int64_t row_tiles,
                                                     int ratio) {
    tile_place place = triangle_place_of(number / ratio, part::lower);
    place.column = number - place.row * (place.row + 1) / 2 * ratio;
    if (stored == part::lower) return place;
    return {row_tiles - 1 - place.row, row_tiles * ratio - 1 - place.column};
}

template <class Tile>
__host__ __device__ int64_t large_tiles_of_item(const parameters<typename Tile::CT>& p) {
    const int64_t rows = tiles_of(p.m, Tile::rows), columns = tiles_of(p.n, Tile::columns);
    return p.stored == part::all ? rows * columns : rows * (rows + 1) / 2 * (Tile::rows / Tile::columns);
}

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_large(const __grid_constant__ parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int64_t per_item = large_tiles_of_item<Tile>(p);
    const int64_t rows = tiles_of(p.m, Tile::rows), number = blockIdx.x % per_item;
    const tile_place place = p.stored == part::all
                                 ? place_of(number, rows, tiles_of(p.n, Tile::columns))
                                 : triangle_of_wide(number, p.stored, rows, Tile::rows / Tile::columns);
    large_product<Tile, HowA, HowB, conjugates_b>(p, blockIdx.x / per_item, place,
                                                  reinterpret_cast<typename Tile::CT*>(shared))
        .run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
