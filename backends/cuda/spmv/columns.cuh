#pragma once
// Transposed CSR times vector with what ANALYSE has found out about the columns. Short columns are gathered,
// a thread each. Elsewhere a tile, a stretch of the matrix, adds up in shared memory what it has for each of
// its columns, so that memory sees one atomic addition for each column of a tile.
#include "columns.hpp"
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// Adds everything to y element by element, where a pattern was overwritten: right for any grid, and slow.
template <class CT>
static __device__ void scatter_plainly(const product<CT, CT, CT, CT, i32, i32>& p, CT alpha) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x / warp_size;
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t row = thread / warp_size; row < p.rows; row += step) {
        const CT factor = mul(alpha, p.x_shifted[row]);
        for (int64_t k = p.offset(row) + thread % warp_size; k < p.offset(row + 1); k += warp_size)
            atomic_add(p.y + (static_cast<int64_t>(p.indices[k]) - p.base),
                       mul(p.element(p.values[k]), factor));
    }
}

// A warp's walk along its part of the elements, `batch` times 32 at a time.
template <class CT>
class part_walk {
    using operands = product<CT, CT, CT, CT, i32, i32>;

  public:
    static constexpr int batch = 8;

    __device__ part_walk(const operands& p, const row_pattern& pattern)
        : p_(p),
          pattern_(pattern),
          first_(part() * row_pattern::part + lane()),
          rank_(first_ < p.nnz ? pattern.ranks[part()] : 0) {}

    // use(element, place, product) for all elements. where(element) is loaded early.
    template <class Where, class F>
    __device__ void run(Where&& where, F&& use) {
#pragma unroll 1
        for (int step = 0; step < row_pattern::part; step += batch * warp_size) {
            decltype(where(int64_t{})) place[batch]{};
            uint32_t starts[batch];
            CT a[batch], x[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const int64_t k = first_ + step + j * warp_size;
                const bool exists = k < p_.nnz;
                starts[j] =
                    k - lane() < p_.nnz ? load_shared_by_many(pattern_.starts + (k - lane()) / 32) : 0;
                if (exists) place[j] = where(k);
                if (exists) a[j] = load_streaming(p_.values + k);
            }
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const int row = rank_ + __popc(starts[j] & 0xffffffffu >> (warp_size - 1 - lane()));
                rank_ += __popc(starts[j]);
                if (first_ + step + j * warp_size < p_.nnz)
                    x[j] = load_shared_by_many(p_.x_shifted + load_shared_by_many(pattern_.rows + row));
            }
#pragma unroll
            for (int j = 0; j < batch; ++j)
                if (first_ + step + j * warp_size < p_.nnz) use(place[j], mul(p_.element(a[j]), x[j]));
        }
    }

  private:
    static __device__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
    static __device__ int64_t part() {
        return int64_t{blockIdx.x} * row_pattern::warps + threadIdx.x / warp_size;
    }

    const operands& p_;
    const row_pattern& pattern_;
    const int64_t first_;
    int rank_;
};

// y += alpha*op(a)^T*x by tiles, one per block. Shared memory holds pattern.most_columns sums.
template <class CT>
__global__ void __launch_bounds__(row_pattern::threads)
    combine_tiles(const __grid_constant__ product<CT, CT, CT, CT, i32, i32> p,
                  const __grid_constant__ tile_pattern pattern) {
    extern __shared__ __align__(16) unsigned char shared[];
    CT* const sums = reinterpret_cast<CT*>(shared);
    const CT alpha = p.alpha_now();
    if (equal(alpha, CT{})) return;
    if (pattern.is_lost()) return scatter_plainly(p, alpha);
    const uint32_t begin = pattern.column_begins[blockIdx.x];
    const uint32_t count = pattern.column_counts[blockIdx.x];
    for (uint32_t i = threadIdx.x; i < count; i += row_pattern::threads) sums[i] = CT{};
    __syncthreads();
    part_walk<CT>(p, pattern)
        .run([&](int64_t k) { return load_streaming(pattern.places + k); },
             [&](uint16_t place, CT term) { atomic_add(sums + place, term); });
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += row_pattern::threads)
        atomic_add(p.y + pattern.columns[begin + i], mul(alpha, sums[i]));
}

// y += alpha*op(a)^T*x, an atomic addition per element.
template <class CT>
__global__ void __launch_bounds__(row_pattern::threads)
    scatter_parts(const __grid_constant__ product<CT, CT, CT, CT, i32, i32> p,
                  const __grid_constant__ row_pattern pattern) {
    const CT alpha = p.alpha_now();
    if (equal(alpha, CT{})) return;
    if (pattern.is_lost()) return scatter_plainly(p, alpha);
    part_walk<CT>(p, pattern)
        .run([&](int64_t k) { return load_streaming(p.indices + k); },
             [&](i32 index, CT term) { atomic_add(p.y + (index - p.base), mul(alpha, term)); });
}

// y := alpha*op(a)^T*x + beta*y, a thread per column. A lost pattern leaves y := beta*y.
template <class CT>
__global__ void __launch_bounds__(block_threads)
    gather_columns(const __grid_constant__ product<CT, CT, CT, CT, i32, i32> p,
                   const __grid_constant__ column_pattern pattern, int64_t columns) {
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const bool reads_a = !equal(alpha, CT{}) && !pattern.is_lost();
    const int64_t step = static_cast<int64_t>(gridDim.x) * block_threads;
    for (int64_t c = static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x; c < columns; c += step) {
        CT sum{};
        const int begin = pattern.offsets[c];
        const int end = reads_a ? pattern.offsets[c + 1] : begin;
#pragma unroll 4
        for (int q = begin; q < end; ++q) {
            const i32 row = load_shared_by_many(pattern.rows + q);
            const int64_t k =
                load_shared_by_many(p.offsets + row) - p.base + load_shared_by_many(pattern.places + q);
            sum = mad(p.element(load_shared_by_many(p.values + k)), load_shared_by_many(p.x_shifted + row),
                      sum);
        }
        kernels::update_y(p.y, c, sum, alpha, beta);
    }
}

// What gather_columns left out.
template <class CT>
__global__ void __launch_bounds__(block_threads)
    scatter_if_lost(const __grid_constant__ product<CT, CT, CT, CT, i32, i32> p,
                    const __grid_constant__ column_pattern pattern) {
    const CT alpha = p.alpha_now();
    if (pattern.is_lost() && !equal(alpha, CT{})) scatter_plainly(p, alpha);
}

}  // namespace heron::HERON_LEVEL
