#pragma once
// Dense products on CUDA: a block computes one tile of C. Tiles of A and B come into shared memory by
// asynchronous copies, several steps ahead. The inner dimension may have two terms, so that a rank-2k update
// is one kernel.
#include "common/runtime/dispatch.hpp"
#include "cuda/runtime/intrinsics.cuh"
#include "tiles.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// Where the matrices of the items of a batch begin. kind: 0 base + item*stride; 1 addresses; 2 and 3 base +
// index*stride with 32- and 64-bit indices.
struct places {
    const void* base;
    const void* list;
    int64_t stride, list_step;
    int kind;

    template <class CT>
    __device__ const CT* of(int64_t item) const {
        if (kind == 1) return static_cast<const CT* const*>(list)[item * list_step];
        const int64_t unit = kind == 0   ? item
                             : kind == 2 ? static_cast<const i32*>(list)[item * list_step]
                                         : static_cast<const i64*>(list)[item * list_step];
        return static_cast<const CT*>(base) + unit * stride;
    }
};

// Of a square operand one triangle may be there, with line >= l, and stand for the other too, element (l,
// line) for (line, l). Then an Hermitian one says whether its elements before (l < line) or behind the
// diagonal are conjugates of those that are there.
enum class mirror { none, symmetric, hermitian_before, hermitian_behind };

// Element (line, l) lies at line*line_step + l*depth_step; one of the steps is 1.
struct operand {
    places at;
    int64_t line_step, depth_step;
    int is_aligned;  // with line_step 1: 16 bytes can be loaded at once wherever a tile begins
    mirror mirrored = mirror::none;
};

enum class part { all, lower, upper };

// What a kernel does of its work: all, but in a study.
struct whole_work {
    static constexpr bool copies = true, loads = true, stores = true;
    static constexpr int multiplies = 1;
};
struct part_of_work {
    bool copies, loads;
    int multiplies;  // how often: a loop, where the compiler would predicate instructions that take their
                     // time all the same
    bool stores;
};

template <class CT>
struct scalar {
    CT value;
    const CT* device;
    const real_of<CT>* real;

    __device__ CT get() const {
        if (real) return heron::HERON_LEVEL::load<CT>(*real);
        return device ? *device : value;
    }
};

template <class CT>
struct parameters {
    int64_t m, n, k, count;
    int terms, conjugate_second, conjugate_sum, hermitian;
    part stored;
    operand a[2], b[2];
    scalar<CT> alpha, beta;
    places c;
    int64_t ldc;
    int64_t c_step;   // between rows of C; ldc is between columns
    int splits;       // blocks of a cluster that share the inner dimension
    int64_t part;     // if not 0, item i has this many steps of the inner dimension from i*part on
    const CT* guard;  // on the device: where it is zero, A and B are not read

    __device__ bool reads() const {
        return k > 0 && !equal(alpha.get(), CT{}) && !(guard && equal(*guard, CT{}));
    }
};

// Lines [line, line + Lines) and steps [begin, begin + Depth) of an operand, zero beyond its end.
template <int Lines, int Depth, int Length, int Threads, class CT>
static __device__ inline void load_tile(const CT* p, const operand& o, int64_t line, int64_t lines,
                                        int64_t begin, int64_t depth, CT* to) {
    constexpr int size = sizeof(CT);
    constexpr int wide = 16 / size;
    const int thread = static_cast<int>(threadIdx.x);
    if (o.line_step == 1 && o.is_aligned) {
#pragma unroll
        for (int n = thread; n < Lines / wide * Depth; n += Threads) {
            const int i = n % (Lines / wide) * wide, l = n / (Lines / wide);
            const int64_t left = lines - line - i;
            const int valid = begin + l < depth && left > 0 ? static_cast<int>(left < wide ? left : wide) : 0;
            const CT* const from = valid > 0 ? p + line + i + (begin + l) * o.depth_step : p;
            copy_async_or_zero<16>(to + l * Length + i, from, valid * size);
        }
    } else {
        const bool by_lines = o.line_step == 1;
#pragma unroll 4
        for (int n = thread; n < Lines * Depth; n += Threads) {
            const int i = by_lines ? n % Lines : n / Depth, l = by_lines ? n / Lines : n % Depth;
            const bool is_there = line + i < lines && begin + l < depth;
            const CT* const from = is_there ? p + (line + i) * o.line_step + (begin + l) * o.depth_step : p;
            copy_async_or_zero<size>(to + l * Length + i, from, is_there ? size : 0);
        }
    }
}

struct tile_place {
    int64_t row, column;  // in tiles
};

// Tile number `number` in an order that keeps neighbours together, so that what is loaded is still in the
// cache. Integers of 32 bits divide much faster, where they can hold the number of tiles.
template <class Integer>
static __device__ inline tile_place place_of(Integer number, Integer row_tiles, Integer column_tiles) {
    constexpr Integer band = 8;
    const Integer first = number / (band * column_tiles) * band;
    const Integer height = row_tiles - first < band ? row_tiles - first : band;
    const Integer within = number % (band * column_tiles);
    return {static_cast<int64_t>(first + within % height), static_cast<int64_t>(within / height)};
}

// The same for the tiles of a triangle, diagonal included, of square tiles.
static __device__ inline tile_place triangle_place_of(int64_t number, part stored) {
    auto row = static_cast<int64_t>((sqrt(8.0 * static_cast<double>(number) + 1.0) - 1.0) / 2.0);
    while (row * (row + 1) / 2 > number) --row;
    while ((row + 1) * (row + 2) / 2 <= number) ++row;
    const int64_t column = number - row * (row + 1) / 2;
    return stored == part::lower ? tile_place{row, column} : tile_place{column, row};
}

// alpha/conj(alpha) without overflow.
static __device__ inline f32 phase(f32) { return 1; }
static __device__ inline f64 phase(f64) { return 1; }
template <class CT>
static __device__ inline CT phase(CT alpha) {
    const auto re = fabs(alpha.re), im = fabs(alpha.im);
    const auto most = re > im ? re : im;
    const CT unit{alpha.re / most, alpha.im / most};
    const auto square = unit.re * unit.re + unit.im * unit.im;
    const CT squared = mul(unit, unit);
    return {squared.re / square, squared.im / square};
}

// One element of C from its sum; the caller has checked that it is stored.
template <class CT>
static __device__ inline void finish(const parameters<CT>& p, CT* to, CT sum, CT alpha, CT beta,
                                     bool is_diagonal) {
    CT value = mul(alpha, p.conjugate_sum ? conj(sum) : sum);
    const bool is_real = p.hermitian && is_diagonal;
    if (is_real) value = real_part(value);
    if (!equal(beta, CT{})) value = mad(beta, is_real ? real_part(*to) : *to, value);
    *to = is_real ? real_part(value) : value;
}

// The same for `run` neighbours in a column that can be stored at once and are not on the diagonal.
template <int run, class CT>
static __device__ inline void finish_run(const parameters<CT>& p, CT* to, const CT* sums, CT alpha, CT beta) {
    struct alignas(run * sizeof(CT)) many {
        CT values[run];
    } value;
#pragma unroll
    for (int e = 0; e < run; ++e) value.values[e] = mul(alpha, p.conjugate_sum ? conj(sums[e]) : sums[e]);
    if (!equal(beta, CT{})) {
        const many old = *reinterpret_cast<const many*>(to);
#pragma unroll
        for (int e = 0; e < run; ++e) value.values[e] = mad(beta, old.values[e], value.values[e]);
    }
    *reinterpret_cast<many*>(to) = value;
}

// One tile of one item.
template <class Tile, bool conjugates_b>
class tile_product {
  public:
    using CT = typename Tile::CT;
    static constexpr int a_size = Tile::row_length * Tile::depth;
    static constexpr int b_size = Tile::column_length * Tile::depth;
    static constexpr int shared_bytes = (a_size + b_size) * Tile::stages * static_cast<int>(sizeof(CT));

    __device__ tile_product(const parameters<CT>& p, int64_t item, tile_place place, CT* shared)
        : p_(p),
          item_(item),
          row_(place.row * Tile::rows),
          column_(place.column * Tile::columns),
          shared_(shared) {}

    __device__ void run() {
        const CT alpha = p_.alpha.get(), beta = p_.beta.get();
        const bool reads = p_.reads();
        if (!reads && p_.hermitian && equal(beta, one<CT>())) return;
        tile_.clear();
        if (reads) add_all(alpha);
        const CT last = reads && p_.terms > 1 && p_.conjugate_second ? conj(alpha) : alpha;
        CT* const c = const_cast<CT*>(p_.c.template of<CT>(item_));
        tile_.each([&](int i, int j, CT sum) {
            const int64_t row = row_ + i, column = column_ + j;
            if (row >= p_.m || column >= p_.n) return;
            if (p_.stored == part::lower ? row < column : p_.stored == part::upper && row > column) return;
            finish(p_, c + row * p_.c_step + column * p_.ldc, sum, last, beta, row == column);
        });
    }

  private:
    __device__ void add_all(CT alpha) {
        steps_ = (p_.k + Tile::depth - 1) / Tile::depth;
        const int64_t all = steps_ * p_.terms;
        for (int s = 0; s < Tile::stages - 1; ++s) {
            if (s < all) load_step(s);
            commit_copies();
        }
        for (int64_t s = 0; s < all; ++s) {
            wait_for_copies<Tile::stages - 2>();
            // The step is here for all threads, and none still reads the one before, whose place is filled
            // again.
            __syncthreads();
            if (s + Tile::stages - 1 < all) load_step(s + Tile::stages - 1);
            commit_copies();
            const CT* const a = shared_ + s % Tile::stages * (a_size + b_size);
            tile_.template add<conjugates_b>(a, a + a_size);
            if (s + 1 == steps_ && p_.terms > 1 && p_.conjugate_second) between_terms(alpha);
        }
        wait_for_copies<0>();
        __syncthreads();
    }

    // The sum is multiplied by conj(alpha) in the end; the first term's factor is alpha.
    __device__ void between_terms(CT alpha) {
        const CT factor = phase(alpha);
        tile_.scale(p_.conjugate_sum ? conj(factor) : factor);
    }

    __device__ void load_step(int64_t s) {
        const int term = s >= steps_ ? 1 : 0;
        const int64_t begin = (s - term * steps_) * Tile::depth;
        CT* const to = shared_ + s % Tile::stages * (a_size + b_size);
        const operand& a = p_.a[term];
        const operand& b = p_.b[term];
        load_tile<Tile::rows, Tile::depth, Tile::row_length, Tile::threads>(a.at.template of<CT>(item_), a,
                                                                            row_, p_.m, begin, p_.k, to);
        load_tile<Tile::columns, Tile::depth, Tile::column_length, Tile::threads>(
            b.at.template of<CT>(item_), b, column_, p_.n, begin, p_.k, to + a_size);
    }

    const parameters<CT>& p_;
    int64_t item_, row_, column_;
    CT* shared_;
    int64_t steps_ = 0;
    Tile tile_;
};

inline __host__ __device__ int64_t tiles_of(int64_t length, int tile) { return (length + tile - 1) / tile; }

template <class Tile>
__host__ __device__ int64_t tiles_of_item(const parameters<typename Tile::CT>& p) {
    const int64_t rows = tiles_of(p.m, Tile::rows), columns = tiles_of(p.n, Tile::columns);
    return p.stored == part::all ? rows * columns : rows * (rows + 1) / 2;
}

template <class Tile, bool conjugates_b>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply(const __grid_constant__ parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int64_t per_item = tiles_of_item<Tile>(p);
    for (int64_t unit = blockIdx.x; unit < per_item * p.count; unit += gridDim.x) {
        const int64_t number = unit % per_item;
        const tile_place place =
            p.stored == part::all ? place_of(number, tiles_of(p.m, Tile::rows), tiles_of(p.n, Tile::columns))
                                  : triangle_place_of(number, p.stored);
        tile_product<Tile, conjugates_b>(p, unit / per_item, place,
                                         reinterpret_cast<typename Tile::CT*>(shared))
            .run();
    }
}

}  // namespace heron::HERON_LEVEL::dense_cuda
