#pragma once
// Large products: a block computes one tile of C. Copies run several steps ahead, what is multiplied next is
// loaded into registers while the last is multiplied, and layouts are known at compile time.
#include "kernel.cuh"
#include "large_tiles.cuh"
#include "panels.cuh"
#include <algorithm>

namespace heron::HERON_LEVEL::dense_cuda {

template <class Tile, int Lines, layout How>
struct panel_of_tile {
    static constexpr int padding = [] {
        if constexpr (Tile::keeps_depth)
            return How == layout::depth ? Tile::depth_padding : Tile::padding;
        else
            return Tile::padding;
    }();
    using type = std::conditional_t<
        How == layout::mirrored,
        mirrored_panel<typename Tile::CT, Lines, Tile::depth, Tile::threads, padding>,
        panel<typename Tile::CT, Lines, Tile::depth, Tile::threads, padding, How, Tile::keeps_depth>>;
};

// Which of `parts` of a step's copies begins at a slot of a group; -1 for none.
template <class Tile, int parts>
__device__ constexpr int copy_part_at(int group, int slot) {
    constexpr int every = Tile::groups * Tile::slots / parts;
    const int number = group * Tile::slots + slot;
    return number % every == 0 && number / every < parts ? number / every : -1;
}

// Steps of the inner dimension.
struct inner_range {
    int64_t begin, end;

    __device__ inner_range within(int64_t first, int64_t last) const {
        return {max(begin, first), min(end, last)};
    }
    __device__ bool is_empty() const { return begin >= end; }
};

// The tile of a block and the item that it is of, in few registers: there are not as many blocks as numbers.
template <class Tile>
struct place_of_block {
    int item, row_tile, column_tile;

    __device__ int64_t row() const { return int64_t{row_tile} * Tile::rows; }
    __device__ int64_t column() const { return int64_t{column_tile} * Tile::columns; }
};

// What comes into shared memory for a tile, step by step.
template <class Tile, layout HowA, layout HowB>
class panel_pair {
  public:
    using CT = typename Tile::CT;
    using a_panel = typename panel_of_tile<Tile, Tile::rows, HowA>::type;
    using b_panel = typename panel_of_tile<Tile, Tile::columns, HowB>::type;
    using fragments = typename Tile::template fragments<a_panel, b_panel>;
    static constexpr int stage_size = a_panel::size + b_panel::size;
    static constexpr bool is_mirrored = HowA == layout::mirrored || HowB == layout::mirrored;

    __device__ panel_pair(const parameters<CT>& p, const place_of_block<Tile>& at) : p_(p), at_(at) {}

    __device__ void begin(const operand& a, const operand& b, inner_range steps) {
        const CT* const from_a = a.at.template of<CT>(at_.item);
        const CT* const from_b = b.at.template of<CT>(at_.item);
        is_aligned_ = ((reinterpret_cast<uintptr_t>(from_a) | reinterpret_cast<uintptr_t>(from_b)) & 15) == 0;
        a_.begin(from_a, a, at_.row(), p_.m, steps.begin);
        b_.begin(from_b, b, at_.column(), p_.n, steps.begin);
        const auto depth = static_cast<int>(steps.is_empty() ? 0 : steps.end - steps.begin);
        full_ = depth / Tile::depth;
        rest_ = depth % Tile::depth;
    }

    // That have not been copied yet.
    __device__ int steps() const { return full_ + (rest_ > 0 ? 1 : 0); }

    // True if the next step to copy is a whole one of aligned operands; copies it if it is not.
    __device__ bool begin_step(CT* to) {
        const bool is_full = full_ > 0;
        if (is_full) {
            --full_;
            if (a_panel::has_parts && (is_aligned_ || !needs_alignment)) return true;
        }
        const int depth = is_full ? Tile::depth : rest_;
        a_.copy_rest(to, depth, at_.row(), p_.m);
        b_.copy_rest(to + a_panel::size, depth, at_.column(), p_.n);
        if (!is_full) rest_ = 0;
        return false;
    }

    __device__ void copy_part(CT* to, int part, int parts, bool is_there) {
        a_.copy_part(to, part, parts, is_there);
        b_.copy_part(to + a_panel::size, part, parts, is_there);
    }

  private:
    // Of each item's operands; where it is known for all items the layouts say so.
    static constexpr bool needs_alignment = a_panel::is_wide || b_panel::is_wide;

    const parameters<CT>& p_;
    const place_of_block<Tile>& at_;
    int full_ = 0, rest_ = 0;
    bool is_aligned_ = true;
    a_panel a_;
    b_panel b_;
};

// What a step takes in shared memory, of a mirrored operand at most.
template <class Tile, layout HowA, layout HowB>
constexpr int stage_size_of() {
    using enum layout;
    if constexpr (HowA == mirrored)
        return std::max(stage_size_of<Tile, lines, HowB>(), stage_size_of<Tile, depth, HowB>());
    else if constexpr (HowB == mirrored)
        return std::max(stage_size_of<Tile, HowA, lines>(), stage_size_of<Tile, HowA, depth>());
    else
        return panel_pair<Tile, HowA, HowB>::stage_size;
}

template <class Tile, layout HowA, layout HowB, bool conjugates_b, class Work = whole_work>
class large_product {
  public:
    static_assert(Tile::stages >= 3);  // the next, and the one that comes, while one is multiplied
    using CT = typename Tile::CT;
    static constexpr int stage_size = stage_size_of<Tile, HowA, HowB>();
    static constexpr int slice_size = Tile::slices > 1 ? Tile::rows* Tile::columns : 0;
    static constexpr int shared_size =
        stage_size * Tile::stages > slice_size ? stage_size* Tile::stages : slice_size;
    static constexpr int shared_bytes = shared_size * static_cast<int>(sizeof(CT));
    // What a block of a cluster needs.
    static constexpr int split_bytes =
        std::max(shared_bytes, Tile::rows* Tile::columns* static_cast<int>(sizeof(CT)));

    // rank: of this block among the cluster's, a power of two, each of which has a part of the inner
    // dimension.
    __device__ large_product(const parameters<CT>& p, int64_t item, tile_place place, int rank, CT* shared,
                             const Work& work = {})
        : p_(p),
          work_(work),
          at_{static_cast<int>(item), static_cast<int>(place.row), static_cast<int>(place.column)},
          rank_(rank),
          shared_(shared) {}

    __device__ void run() {
        if (at_.row() >= p_.m || at_.column() >= p_.n) return;
        const bool reads = p_.reads();
        if (!reads && p_.hermitian && equal(p_.beta.get(), one<CT>())) return;
        tile_.clear();
        if (reads) add_all();
        if (Tile::slices > 1) {
            tile_.join_slices(shared_);
            if (tile_.slice() > 0) return;
        }
        if (p_.splits > 1) join_blocks();
        if (work_.stores) store();
    }

  private:
    __device__ void add_all() {
        if constexpr (HowA == layout::mirrored || HowB == layout::mirrored) {
            add_mirrored();
        } else {
            panel_pair<Tile, HowA, HowB> panels(p_, at_);
            panels.begin(p_.a[0], p_.b[0], steps_of_block());
            add_steps(panels, p_.terms, constant_conjugation<conjugates_b>{});
        }
    }

    // Of a mirrored operand first what is stored by lines, then what is on the diagonal, then the rest.
    __device__ void add_mirrored() {
        add_side<layout::lines>();
        add_side<layout::mirrored>();
        add_side<layout::depth>();
    }

    template <layout How>
    __device__ void add_side() {
        constexpr bool is_left = HowA == layout::mirrored;
        constexpr int64_t size = is_left ? Tile::rows : Tile::columns;
        operand a = p_.a[0], b = p_.b[0];
        operand& side = is_left ? a : b;
        const int64_t line = is_left ? at_.row() : at_.column();
        const bool is_before = (How == layout::lines) == (side.line_step == 1);
        const inner_range steps = How == layout::mirrored ? steps_of_block().within(line, line + size)
                                  : is_before             ? steps_of_block().within(0, line)
                                                          : steps_of_block().within(line + size, p_.k);
        if (steps.is_empty()) return;
        const bool conjugates =
            How != layout::mirrored &&
            side.mirrored == (is_before ? mirror::hermitian_before : mirror::hermitian_behind);
        const int64_t apart = max(side.line_step, side.depth_step);
        if (How == layout::lines) side.line_step = 1, side.depth_step = apart;
        if (How == layout::depth) side.line_step = apart, side.depth_step = 1;
        panel_pair<Tile, is_left ? How : HowA, is_left ? HowB : How> panels(p_, at_);
        panels.begin(a, b, steps);
        add_steps(panels, 1, conjugation_of_steps{is_left && conjugates, !is_left && conjugates});
        __syncthreads();
    }

    template <class Panels, class Conjugation>
    __device__ void add_steps(Panels& panels, int terms, const Conjugation& conjugates) {
        const int steps = panels.steps();
        const int all = steps * terms;
        const auto begin_step = [&](bool is_there, CT* to) {
            if (!is_there) return false;
            if (terms > 1 && panels.steps() == 0) panels.begin(p_.a[1], p_.b[1], steps_of_block());
            return panels.begin_step(to) && work_.copies;
        };
        constexpr int b_begin = Panels::a_panel::size;
#pragma unroll 1
        for (int s = 0; s < Tile::stages - 1; ++s) {
            CT* const to = shared_ + s * stage_size;
            panels.copy_part(to, 0, 1, begin_step(s < all, to));
            commit_copies();
        }
        wait_for_copies<Tile::stages - 2>();
        __syncthreads();
        typename Panels::fragments f;
        tile_.load_first(f, shared_, shared_ + b_begin);
        int stage = 0, free = Tile::stages - 1, s = 0;
#pragma unroll 1
        for (int end = terms > 1 && p_.conjugate_second ? steps : all; s < all; end = all) {
#pragma unroll 1
            for (; s < end; ++s) {
                const CT* const here = shared_ + stage * stage_size;
                stage = stage + 1 < Tile::stages ? stage + 1 : 0;
                const CT* const next = shared_ + stage * stage_size;
                CT* const to = shared_ + free * stage_size;
                free = free + 1 < Tile::stages ? free + 1 : 0;
                const bool copies = begin_step(s + Tile::stages - 1 < all, to);
                if constexpr (Panels::is_mirrored) panels.copy_part(to, 0, 1, copies);
#pragma unroll
                for (int g = 0; g < Tile::groups; ++g) {
                    const bool is_last = g + 1 == Tile::groups;
                    if (is_last) {
                        // The next step is here for all threads, and none still loads from this one, whose
                        // place the step after the next copies will fill.
                        wait_for_copies<Tile::stages - 3>();
                        __syncthreads();
                    }
                    const CT* const from = is_last ? next : here;
                    tile_.add(f, g % 2, from, from + b_begin, is_last ? 0 : g + 1, work_, conjugates,
                              [&](int slot) {
                                  const int part = Panels::is_mirrored
                                                       ? -1
                                                       : copy_part_at<Tile, Tile::copy_parts>(g, slot);
                                  if (part >= 0) panels.copy_part(to, part, Tile::copy_parts, copies);
                              });
                }
                commit_copies();
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

    // Of the inner dimension, or the part of it that is the item's, those of this block of a cluster.
    __device__ inner_range steps_of_block() const {
        const int64_t begin = at_.item * p_.part, end = p_.part > 0 ? min(begin + p_.part, p_.k) : p_.k;
        const auto steps = static_cast<int>((end - begin + Tile::depth - 1) / Tile::depth);
        const int most = (steps + p_.splits - 1) / p_.splits * Tile::depth;
        const int64_t first = begin + int64_t{rank_} * most;
        return {first, min(first + most, end)};
    }

    __device__ bool is_mine(int share) const { return (share & (p_.splits - 1)) == rank_; }

    // Every block of a cluster adds up its share of the sums of all, in the order of their ranks. What
    // another block has comes late, so numbers of several shares are under way at a time.
    __device__ void join_blocks() {
        using number = typename Tile::number;
        auto* const here = reinterpret_cast<number*>(shared_) + threadIdx.x;
        auto* const sums = tile_.sums();
        constexpr int apart = Tile::threads / Tile::slices, shares = Tile::sum_count / Tile::share;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Tile::sum_count; ++i) here[i * apart] = sums[i];
        meet_cluster();
#pragma unroll 1
        for (int s = rank_; s < shares; s += p_.splits * shares_at_a_time) join_shares(here, s, apart);
        meet_cluster();
#pragma unroll
        for (int i = 0; i < Tile::sum_count; ++i) sums[i] = here[i * apart];
    }

    static constexpr int shares_at_a_time = 4;

    // Of the thread's own shares those from `first` on; another block does not read them here. Beyond the
    // last one it comes again.
    __device__ void join_shares(typename Tile::number* here, int first, int apart) const {
        using number = typename Tile::number;
        constexpr int last = Tile::sum_count / Tile::share - 1;
        number sums[shares_at_a_time][Tile::share] = {};
        int places[shares_at_a_time];
#pragma unroll
        for (int n = 0; n < shares_at_a_time; ++n) {
            const int share = first + n * p_.splits;
            places[n] = (share <= last ? share : first) * Tile::share * apart;
        }
#pragma unroll 1
        for (int rank = 0; rank < p_.splits; ++rank) {
            const number* const there = in_block(here, rank);
            number parts[shares_at_a_time][Tile::share];
#pragma unroll
            for (int n = 0; n < shares_at_a_time; ++n)
#pragma unroll
                for (int e = 0; e < Tile::share; ++e) parts[n][e] = there[places[n] + e * apart];
#pragma unroll
            for (int n = 0; n < shares_at_a_time; ++n)
#pragma unroll
                for (int e = 0; e < Tile::share; ++e)
                    sums[n][e] = heron::HERON_LEVEL::add(sums[n][e], parts[n][e]);
        }
#pragma unroll
        for (int n = 0; n < shares_at_a_time; ++n)
#pragma unroll
            for (int e = 0; e < Tile::share; ++e) here[places[n] + e * apart] = sums[n][e];
    }

    __device__ void store() {
        CT alpha = p_.alpha.get();
        if (p_.terms > 1 && p_.conjugate_second) alpha = conj(alpha);
        const CT beta = p_.beta.get();
        CT* const c = const_cast<CT*>(p_.c.template of<CT>(at_.item));
        const bool is_whole = at_.row() + Tile::rows <= p_.m && at_.column() + Tile::columns <= p_.n;
        const bool is_stored = p_.stored == part::all     ? true
                               : p_.stored == part::lower ? at_.row() >= at_.column() + Tile::columns
                                                          : at_.column() >= at_.row() + Tile::rows;
        const bool is_aligned =
            ((reinterpret_cast<uintptr_t>(c) | static_cast<uintptr_t>(p_.ldc * sizeof(CT))) & 15) == 0;
        if (is_whole && is_stored && p_.c_step == 1 && (Tile::run == 1 || is_aligned))
            store_whole(c + at_.row() + at_.column() * p_.ldc, alpha, beta);
        else
            store_part(c, alpha, beta);
    }

    __device__ void store_whole(CT* c, CT alpha, CT beta) const {
        tile_.each([&](int i, int j, const CT* sums, int share) {
            if (!is_mine(share)) return;
            finish_run<Tile::run>(p_, c + i + j * p_.ldc, sums, alpha, beta);
        });
    }

    __device__ void store_part(CT* c, CT alpha, CT beta) const {
        tile_.each([&](int i, int j, const CT* sums, int share) {
            if (!is_mine(share)) return;
            const int64_t column = at_.column() + j;
#pragma unroll
            for (int e = 0; e < Tile::run; ++e) {
                const int64_t row = at_.row() + i + e;
                if (row >= p_.m || column >= p_.n) continue;
                if (p_.stored == part::lower ? row < column : p_.stored == part::upper && row > column)
                    continue;
                finish(p_, c + row * p_.c_step + column * p_.ldc, sums[e], alpha, beta, row == column);
            }
        });
    }

    const parameters<CT>& p_;
    Work work_;
    place_of_block<Tile> at_;
    int rank_;
    CT* shared_;
    Tile tile_;
};

// The tiles of a triangle, diagonal included, cover squares whose side is the longer one of a tile's.
struct triangle_tiles {
    int64_t squares;  // on the diagonal
    int high, wide;   // tiles of a square

    __host__ __device__ triangle_tiles(int64_t lines, int rows, int columns)
        : squares(tiles_of(lines, rows > columns ? rows : columns)),
          high(rows > columns ? 1 : columns / rows),
          wide(rows > columns ? rows / columns : 1) {}

    __host__ __device__ int64_t count() const { return squares * (squares + 1) / 2 * high * wide; }

    // A row of the lower triangle's squares after the other; the upper triangle is the lower one from the
    // other end.
    __device__ tile_place place(int64_t number, part stored) const {
        const int64_t row = triangle_place_of(number / (high * wide), part::lower).row;
        const int64_t within = number - row * (row + 1) / 2 * high * wide;
        const tile_place lower{row * high + within % high, within / high};
        if (stored == part::lower) return lower;
        return {squares * high - 1 - lower.row, squares * wide - 1 - lower.column};
    }
};

template <class Tile>
__host__ __device__ int64_t large_tiles_of_item(const parameters<typename Tile::CT>& p) {
    if (p.stored != part::all) return triangle_tiles(p.m, Tile::rows, Tile::columns).count();
    return tiles_of(p.m, Tile::rows) * tiles_of(p.n, Tile::columns);
}

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_large(const __grid_constant__ parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    const auto per_item = static_cast<unsigned>(large_tiles_of_item<Tile>(p));
    const auto splits = static_cast<unsigned>(p.splits), unit = blockIdx.x / splits;
    const auto rows = static_cast<unsigned>(tiles_of(p.m, Tile::rows)), number = unit % per_item;
    const auto columns = static_cast<unsigned>(tiles_of(p.n, Tile::columns));
    const tile_place place = p.stored == part::all
                                 ? place_of(number, rows, columns)
                                 : triangle_tiles(p.m, Tile::rows, Tile::columns).place(number, p.stored);
    large_product<Tile, HowA, HowB, conjugates_b>(p, unit / per_item, place,
                                                  static_cast<int>(blockIdx.x % splits),
                                                  reinterpret_cast<typename Tile::CT*>(shared))
        .run();
}

// C from its parts' sums, which have been multiplied by alpha and lie behind each other as m x n matrices. A
// thread has one element.
template <class CT>
__global__ void join_parts(const __grid_constant__ parameters<CT> p, const CT* sums, int parts) {
    const int64_t size = p.m * p.n, number = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (number >= size) return;
    const int64_t row = number % p.m, column = number / p.m;
    if (p.stored == part::lower ? row < column : p.stored == part::upper && row > column) return;
    const CT beta = p.beta.get();
    if (!p.reads() && p.hermitian && equal(beta, one<CT>())) return;
    CT sum{};
#pragma unroll 8
    for (int i = 0; i < parts; ++i) sum = add(sum, sums[i * size + number]);
    CT* const c = const_cast<CT*>(p.c.template of<CT>(0));
    finish(p, c + row * p.c_step + column * p.ldc, sum, one<CT>(), beta, row == column);
}

// The same with parts of its work left out, for a study of what binds.
template <class Tile, layout HowA, layout HowB>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    study_large(const __grid_constant__ parameters<typename Tile::CT> p, part_of_work work) {
    extern __shared__ __align__(16) unsigned char shared[];
    const tile_place place =
        place_of<int64_t>(blockIdx.x, tiles_of(p.m, Tile::rows), tiles_of(p.n, Tile::columns));
    large_product<Tile, HowA, HowB, false, part_of_work>(p, 0, place, 0,
                                                         reinterpret_cast<typename Tile::CT*>(shared), work)
        .run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
