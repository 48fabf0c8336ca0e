#pragma once
// Products and solves with a triangle of up to 128 rows: the leaves of the recursions in dense_triangular.cu.
// The triangle comes into shared memory at once, and every warp works on vectors of its own, which its lanes
// hold in registers: a step takes a broadcast among lanes and no meeting of the block.
#include "triangular.cuh"
#include "cuda/runtime/warp.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// A warp has PerWarp vectors.
template <class Element, int PerWarp>
struct strip_tile {
    using CT = Element;
    static constexpr int rows = 128, per_warp = PerWarp, threads = 256;
    static constexpr int vectors = threads / warp_size * PerWarp;
    static constexpr int shared_bytes = rows * (rows + 1) / 2 * static_cast<int>(sizeof(CT));
};

template <class Tile, bool solves>
class triangle_strip {
  public:
    using CT = typename Tile::CT;

    __device__ triangle_strip(const leaf_parameters<CT>& p, CT* shared)
        : p_(p),
          triangle_(shared),
          order_(static_cast<int>(p.order)),
          lane_(static_cast<int>(threadIdx.x) % warp_size),
          first_(int64_t{blockIdx.x} * Tile::vectors +
                 static_cast<int>(threadIdx.x) / warp_size * Tile::per_warp) {}

    // Starts to copy the triangle.
    __device__ void begin() const {
        if (!equal(p_.alpha.get(), CT{})) copy_triangle();
    }

    // y := the x with M*x = beta*y, or alpha*M*y; zero if alpha is.
    __device__ void finish() {
        const CT alpha = p_.alpha.get();
        if (!equal(alpha, CT{})) {
            load_vectors(solves ? p_.beta.get() : alpha);
            prepare_diagonal();
#pragma unroll
            for (int part = 0; part < parts; ++part) work_on_part(part);
        }
        store_vectors();
    }

  private:
    static constexpr int parts = Tile::rows / warp_size;

    // Where column l of the packed triangle would have its row 0.
    static __device__ int column_of(int l) { return l * Tile::rows - l * (l + 1) / 2; }

    __device__ void copy_triangle() const {
        const bool by_rows = p_.row == 1 || p_.row == -1;
        const int rows = static_cast<int>(threadIdx.x) % Tile::rows;
#pragma unroll 4
        for (int other = static_cast<int>(threadIdx.x) / Tile::rows; other < order_;
             other += Tile::threads / Tile::rows) {
            const int i = by_rows ? rows : other, l = by_rows ? other : rows;
            if (i >= order_ || i < l || (i == l && p_.is_unit)) continue;
            copy_async<sizeof(CT)>(triangle_ + column_of(l) + i, p_.a + i * p_.row + l * p_.column);
        }
        commit_copies();
    }

    // A conjugated triangle works on conjugated vectors.
    __device__ CT turned(CT value) const { return p_.conjugates ? conj(value) : value; }

    __device__ void load_vectors(CT factor) {
#pragma unroll
        for (int v = 0; v < Tile::per_warp; ++v)
#pragma unroll
            for (int q = 0; q < parts; ++q) {
                const int row = q * warp_size + lane_;
                const bool is_there = row < order_ && first_ + v < p_.count;
                x_[v][q] =
                    is_there ? turned(mul(factor, p_.y[(first_ + v) * p_.y_line + row * p_.y_step])) : CT{};
                if (!solves) sums_[v][q] = CT{};
            }
    }

    // What the diagonal multiplies with.
    __device__ void prepare_diagonal() const {
        wait_for_copies<0>();
        __syncthreads();
        const auto l = static_cast<int>(threadIdx.x);
        if (l < order_) {
            CT& d = triangle_[column_of(l) + l];
            if (p_.is_unit)
                d = one<CT>();
            else if (solves)
                d = divide(one<CT>(), d);
        }
        __syncthreads();
    }

    // The columns of one part, and what they give the rows below. Beyond the order the triangle holds
    // anything: rows there get anything, and no others.
    __device__ void work_on_part(int part) {
        const int begin = part * warp_size, left = order_ - begin, end = left < warp_size ? left : warp_size;
#pragma unroll 4
        for (int l = 0; l < end; ++l) {
            const CT* const column = triangle_ + column_of(begin + l) + begin;
            CT a[parts];
#pragma unroll
            for (int q = part; q < parts; ++q) a[q] = column[(q - part) * warp_size + lane_];
#pragma unroll
            for (int v = 0; v < Tile::per_warp; ++v) {
                const CT x = value_of_lane(x_[v][part], l);
                if (solves)
                    eliminate(v, part, l, p_.is_unit ? x : mul(column[l], x), a);
                else
                    add_column(v, part, l, x, a);
            }
        }
    }

    __device__ void eliminate(int v, int part, int l, CT x, const CT (&a)[parts]) {
        const CT minus = sub(CT{}, x);
        CT& own = x_[v][part];
        own = lane_ == l ? x : lane_ > l ? mad(a[part], minus, own) : own;
#pragma unroll
        for (int q = part + 1; q < parts; ++q) x_[v][q] = mad(a[q], minus, x_[v][q]);
    }

    __device__ void add_column(int v, int part, int l, CT x, const CT (&a)[parts]) {
        if (lane_ >= l) sums_[v][part] = mad(a[part], x, sums_[v][part]);
#pragma unroll
        for (int q = part + 1; q < parts; ++q) sums_[v][q] = mad(a[q], x, sums_[v][q]);
    }

    __device__ void store_vectors() const {
        const bool is_zero = equal(p_.alpha.get(), CT{});
#pragma unroll
        for (int v = 0; v < Tile::per_warp; ++v)
#pragma unroll
            for (int q = 0; q < parts; ++q) {
                const int row = q * warp_size + lane_;
                if (row >= order_ || first_ + v >= p_.count) continue;
                p_.y[(first_ + v) * p_.y_line + row * p_.y_step] =
                    is_zero ? CT{} : turned(solves ? x_[v][q] : sums_[v][q]);
            }
    }

    const leaf_parameters<CT>& p_;
    CT* triangle_;
    int order_, lane_;
    int64_t first_;
    CT x_[Tile::per_warp][parts];
    CT sums_[Tile::per_warp][parts];
};

template <class Tile, bool solves>
__global__ void __launch_bounds__(Tile::threads)
    work_on_strips(const __grid_constant__ leaf_parameters<typename Tile::CT> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    triangle_strip<Tile, solves> strip(p, reinterpret_cast<typename Tile::CT*>(shared));
    strip.begin();
    strip.finish();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
