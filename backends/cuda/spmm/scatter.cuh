#pragma once
// Small products whose additions fall on C in any order, in one launch, which may start while C is being
// scaled. A warp finds the rows of a tile of elements. Each group of its lanes takes a run of them, with its
// lanes across the columns, and adds up what falls on one row of C for as long as that row goes on, from tile
// to tile. Where A is transposed and C by columns a lane has an element instead.
#include "cuda/runtime/element_places.cuh"
#include "operands.cuh"
#include "cuda/runtime/scale_lines.cuh"

namespace heron::HERON_LEVEL {

constexpr int scatter_threads = 128;
constexpr int scatter_width = 4;  // columns of a lane, which are as many apart as a group has lanes, at most

template <class VA, class CT>
struct spmm_scattering : element_places {
    const VA* values;
    const VA* b;
    CT* c;
    kernels::spmm_shape shape;
    scalar_argument<CT> alpha;
    int to_columns;  // an element's column is the row of C, and its row that of B
    int is_first;    // kernel of the product
    int lane_bits;
    int columns;  // that a warp takes
    int column_tiles;

    __device__ CT alpha_now() const { return alpha.device ? *alpha.device : alpha.value; }
};

// The sums of a lane's columns for one row of C.
template <class VA, class CT, int width>
class scattered_row {
  public:
    __device__ scattered_row(const spmm_scattering<VA, CT>& p, int64_t batch, int64_t first_column)
        : p_(p),
          alpha_(p.alpha_now()),
          b_(p.b + batch * p.shape.b_stride),
          c_(p.c + batch * p.shape.c_stride),
          first_(first_column + (threadIdx.x & ((1u << p.lane_bits) - 1))) {}

    __device__ bool is_active() const { return !equal(alpha_, CT{}); }

    // Until C is scaled.
    __device__ void wait() {
        if (!is_scaled_) after_kernel_before(c_);
        is_scaled_ = true;
    }

    struct part_of_b {
        VA at[width];
    };
    __device__ part_of_b load(int row) const {
        part_of_b part;
#pragma unroll
        for (int v = 0; v < width; ++v)
            part.at[v] =
                exists(v)
                    ? load_shared_by_many(b_ + row * p_.shape.b_row_step + column(v) * p_.shape.b_column_step)
                    : VA{};
        return part;
    }

    __device__ void add(int row, CT a, const part_of_b& part) {
        if (row != row_) flush();
        row_ = row;
#pragma unroll
        for (int v = 0; v < width; ++v) {
            const CT b = heron::HERON_LEVEL::load<CT>(part.at[v]);
            sums_[v] = mad(a, p_.shape.conjugate_b ? conj(b) : b, sums_[v]);
        }
    }

    // After wait().
    __device__ void flush() {
#pragma unroll
        for (int v = 0; v < width; ++v) {
            if (row_ >= 0 && exists(v))
                atomic_add(c_ + row_ * p_.shape.c_row_step + column(v) * p_.shape.c_column_step,
                           mul(alpha_, sums_[v]));
            sums_[v] = CT{};
        }
        row_ = -1;
    }

  private:
    __device__ int64_t column(int v) const { return first_ + (int64_t{v} << p_.lane_bits); }
    __device__ bool exists(int v) const { return column(v) < p_.shape.columns; }

    const spmm_scattering<VA, CT>& p_;
    const CT alpha_;
    const VA* const b_;
    CT* const c_;
    const int64_t first_;
    bool is_scaled_ = false;
    int row_ = -1;  // none
    CT sums_[width] = {};
};

// The run of a lane's group in a tile of elements. All lanes of the warp together. Elements that follow each
// other in a row of A that is transposed share a row of B, which is loaded once.
template <class VA, class CT, int width>
static __device__ inline void scatter_tile(const spmm_scattering<VA, CT>& p, int64_t batch, int tile,
                                           const element_place& place, scattered_row<VA, CT, width>& sums) {
    constexpr int ahead = 8 / width;  // rows of B that are loaded before the first is used
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int run = p.tile >> (5 - p.lane_bits);
    const int first = (lane >> p.lane_bits) * run;
    const int64_t left = p.count - int64_t{tile} * p.tile;
    const int to = p.to_columns ? place.column : place.row;
    const int from = p.to_columns ? place.row : place.column;
    CT own{};
    if (lane < p.tile && lane < left)
        own = load<CT>(p.values[batch * p.matrix.values_stride + int64_t{tile} * p.tile + lane]);
    if (p.shape.conjugate_a) own = conj(own);
    typename scattered_row<VA, CT, width>::part_of_b current{};
    int loaded = -1;
    for (int i = 0; i < run; i += ahead) {
        typename scattered_row<VA, CT, width>::part_of_b parts[ahead];
        bool is_loaded[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            const int row = i + j < run ? value_of_lane(from, first + i + j) : loaded;
            is_loaded[j] = row != loaded;
            parts[j] = is_loaded[j] ? sums.load(row) : typename scattered_row<VA, CT, width>::part_of_b{};
            loaded = row;
        }
        sums.wait();
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            if (i + j >= run) break;
            const int element = first + i + j;
            const int row = value_of_lane(to, element);
            const CT a = value_of_lane(own, element);
            if (is_loaded[j]) current = parts[j];
            if (element < left) sums.add(row, a, current);
        }
    }
}

template <int width, class IT, class VA, class CT>
__global__ void __launch_bounds__(scatter_threads)
    scatter_elements(const __grid_constant__ spmm_scattering<VA, CT> p) {
    if (p.is_first) begin_behind_kernel_before();
    const int64_t blocks = p.blocks_of_item(scatter_threads);
    for (int64_t i = blockIdx.x; i < blocks * p.column_tiles * p.batches; i += gridDim.x) {
        const int64_t batch = i / blocks / p.column_tiles;
        scattered_row<VA, CT, width> sums(p, batch, i / blocks % p.column_tiles * p.columns);
        if (!sums.is_active()) return sums.wait();
        for_tiles<IT>(
            p, static_cast<int>(batch), static_cast<int>(i % blocks),
            [&](int tile, const element_place& place) { scatter_tile(p, batch, tile, place, sums); });
        sums.wait();
        sums.flush();
    }
}

// The lanes of a warp whose elements fall on one row of C: additions to one place follow each other slowly.
class lanes_of_row {
  public:
    // All lanes of the warp together, as for sum.
    __device__ explicit lanes_of_row(int row) {
        const unsigned same = __match_any_sync(all_lanes, row);
        const unsigned own = 1u << threadIdx.x % warp_size;
        is_first_ = (same & (own - 1)) == 0;
        others_ = is_first_ ? same & ~own : 0;
    }
    __device__ bool is_first() const { return is_first_; }

    // Over these lanes, for the first of them.
    template <class CT>
    __device__ CT sum(CT of_lane) const {
        CT all = of_lane;
        for (unsigned rest = others_; __any_sync(all_lanes, rest != 0); rest &= rest - 1) {
            const CT other = value_of_lane(of_lane, __ffs(static_cast<int>(rest)) - 1);
            if (rest != 0) all = add(all, other);
        }
        return all;
    }

  private:
    bool is_first_;
    unsigned others_;
};

// Adds the products of the lanes' elements of a transposed A and `columns` elements of their rows of B to
// their rows of C, if these are not -1. All lanes of the warp together.
template <class VA, class CT>
static __device__ inline void scatter_lanes(const spmm_scattering<VA, CT>& p, CT a, const VA* b, CT* c,
                                            int row, int64_t columns) {
    constexpr int ahead = 4;  // elements of B that are loaded before the first is used
    const lanes_of_row lanes(row);
    c += row * p.shape.c_row_step;
    for (int64_t first = 0; first < columns; first += ahead) {
        VA parts[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j)
            parts[j] =
                first + j < columns ? load_shared_by_many(b + (first + j) * p.shape.b_column_step) : VA{};
        if (first == 0) after_kernel_before(c);
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            if (first + j >= columns) break;
            const CT of_b = load<CT>(parts[j]);
            const CT sum = lanes.sum(mul(a, p.shape.conjugate_b ? conj(of_b) : of_b));
            if (row >= 0 && lanes.is_first()) atomic_add(c + (first + j) * p.shape.c_column_step, sum);
        }
    }
}

// A transposed A and a C by columns: elements that follow each other in a row of A are added to a column of C
// together, in which they are near each other.
template <class IT, class VA, class CT>
__global__ void __launch_bounds__(scatter_threads)
    scatter_elements_down(const __grid_constant__ spmm_scattering<VA, CT> p) {
    if (p.is_first) begin_behind_kernel_before();
    const CT alpha = p.alpha_now();
    const int64_t blocks = p.blocks_of_item(scatter_threads);
    const int64_t parts = equal(alpha, CT{}) ? 0 : blocks * p.column_tiles * p.batches;
    for (int64_t i = blockIdx.x; i < parts; i += gridDim.x) {
        const int64_t batch = i / blocks / p.column_tiles;
        const int64_t first = i / blocks % p.column_tiles * p.columns;
        const int64_t left = p.shape.columns - first;
        const VA* const values = p.values + batch * p.matrix.values_stride;
        const VA* const b = p.b + batch * p.shape.b_stride + first * p.shape.b_column_step;
        CT* const c = p.c + batch * p.shape.c_stride + first * p.shape.c_column_step;
        for_tiles<IT, true>(p, static_cast<int>(batch), static_cast<int>(i % blocks),
                            [&](int tile, const element_place& place) {
                                const int64_t k = int64_t{tile} * warp_size + threadIdx.x % warp_size;
                                const bool exists = k < p.count;
                                const CT a = exists ? load<CT>(values[k]) : CT{};
                                scatter_lanes(p, mul(alpha, p.shape.conjugate_a ? conj(a) : a),
                                              b + place.row * p.shape.b_row_step, c,
                                              exists ? place.column : -1,
                                              left < p.columns ? left : p.columns);
                            });
    }
    after_kernel_before(p.c);
}

}  // namespace heron::HERON_LEVEL
