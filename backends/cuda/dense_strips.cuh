#pragma once
// Products and solves with a triangle of up to 128 rows: the leaves of the recursions in dense_triangular.cu.
// The triangle comes into shared memory at once, and every warp works on vectors of its own, which its lanes
// hold in registers: a step takes a broadcast among lanes and no meeting of the block.
#include "dense_triangular.cuh"
#include "warp.cuh"

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

    // y := the x with M*x = beta*y, or alpha*M*y; zero if alpha is.
    __device__ void run() {
        const CT alpha = p_.alpha.get();
        if (!equal(alpha, CT{})) {
            copy_triangle();
            load_vectors(solves ? p_.beta.get() : alpha);
            prepare_diagonal();
#pragma unroll
            for (int part = 0; part < parts; ++part) work_on_part(part);
        }
        store_vectors();
    }

  private:
    static constexpr int parts = Tile::rows / warp_size;
    static constexpr int group = 4;  // columns that are worked on at a time

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

    // The columns of one part, a few at a time, and what they give the rows below. Beyond the order the
    // triangle holds anything: rows there get anything, and no others.
    __device__ void work_on_part(int part) {
        const int begin = part * warp_size, left = order_ - begin, end = left < warp_size ? left : warp_size;
#pragma unroll 1
        for (int s = 0; s < end; s += group) {
            const CT* columns[group];
#pragma unroll
            for (int e = 0; e < group; ++e) columns[e] = triangle_ + column_of(begin + s + e) + begin;
            CT a[group][parts];
#pragma unroll
            for (int e = 0; e < group; ++e)
#pragma unroll
                for (int q = part; q < parts; ++q) a[e][q] = columns[e][(q - part) * warp_size + lane_];
#pragma unroll
            for (int v = 0; v < Tile::per_warp; ++v) {
                CT x[group];
#pragma unroll
                for (int e = 0; e < group; ++e) x[e] = value_of_lane(x_[v][part], s + e);
                if (solves)
                    eliminate(v, part, s, x, columns, a);
                else
                    add_columns(v, part, s, x, a);
            }
        }
    }

    __device__ void eliminate(int v, int part, int s, CT (&x)[group], const CT* const (&columns)[group],
                              const CT (&a)[group][parts]) {
#pragma unroll
        for (int e = 0; e < group; ++e) {
            if (!p_.is_unit) x[e] = mul(columns[e][s + e], x[e]);
#pragma unroll
            for (int f = e + 1; f < group; ++f) x[f] = mad(columns[e][s + f], sub(CT{}, x[e]), x[f]);
        }
        CT own = x_[v][part];
#pragma unroll
        for (int e = 0; e < group; ++e) {
            const CT minus = sub(CT{}, x[e]);
            own = lane_ == s + e ? x[e] : lane_ > s + e ? mad(a[e][part], minus, own) : own;
#pragma unroll
            for (int q = part + 1; q < parts; ++q) x_[v][q] = mad(a[e][q], minus, x_[v][q]);
        }
        x_[v][part] = own;
    }

    __device__ void add_columns(int v, int part, int s, const CT (&x)[group], const CT (&a)[group][parts]) {
#pragma unroll
        for (int e = 0; e < group; ++e) {
            if (lane_ >= s + e) sums_[v][part] = mad(a[e][part], x[e], sums_[v][part]);
#pragma unroll
            for (int q = part + 1; q < parts; ++q) sums_[v][q] = mad(a[e][q], x[e], sums_[v][q]);
        }
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
    triangle_strip<Tile, solves>(p, reinterpret_cast<typename Tile::CT*>(shared)).run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
