#pragma once
// CSR times vector for matrices whose rows are alike and not short: a group of lanes, or a block, sums a row
// straight from global memory, four neighbouring elements per lane and load. No stage in shared memory stands
// between the matrix and the multiplication, so the loads of many rows are under way at once.
#include "operands.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// Four neighbouring elements, loaded in as few pieces as 16 bytes allow.
template <class T>
struct quad {
    static constexpr int size = 4;
    static constexpr int bytes = size * int(sizeof(T));
    static constexpr int piece = bytes < 16 ? bytes : 16;
    alignas(piece) T at[size];

    // from is aligned to `piece`.
    __device__ void load(const T* from) {
        struct alignas(piece) part {
            char bytes[piece];
        };
#pragma unroll
        for (int i = 0; i < bytes / piece; ++i) {
            const part p = load_streaming(reinterpret_cast<const part*>(from) + i);
            __builtin_memcpy(reinterpret_cast<char*>(at) + i * piece, &p, piece);
        }
    }
};

// Four elements of a row from position k on, k a multiple of four; those outside [begin, end) are not used.
template <class Product, class VA, class CT, class IT>
struct row_piece {
    quad<IT> index;
    quad<VA> value;
    int64_t k = 0;

    __device__ void load(const Product& p, int64_t from, int64_t begin, int64_t end) {
        k = from;
        if (k >= end) return;
        if (k + quad<VA>::size <= p.nnz) {
            index.load(p.indices + k);
            value.load(p.values + k);
            return;
        }
#pragma unroll
        for (int j = 0; j < quad<VA>::size; ++j) {
            if (k + j < begin || k + j >= end) continue;
            index.at[j] = p.indices[k + j];
            value.at[j] = p.values[k + j];
        }
    }

    __device__ CT sum(const Product& p, int64_t begin, int64_t end, CT sum) const {
        CT x[quad<VA>::size];
#pragma unroll
        for (int j = 0; j < quad<VA>::size; ++j)
            x[j] = k + j >= begin && k + j < end ? p.x_at(index.at[j]) : CT{};
#pragma unroll
        for (int j = 0; j < quad<VA>::size; ++j)
            sum = k + j >= begin && k + j < end ? mad(p.element(value.at[j]), x[j], sum) : sum;
        return sum;
    }
};

// What lane number `lane` of `lanes` has of the row.
template <class Product, class VA, class CT, class IT>
static __device__ inline CT sum_of_lane(const Product& p, int64_t begin, int64_t end, int lane, int lanes) {
    constexpr int size = quad<VA>::size;
    CT sum{};
    row_piece<Product, VA, CT, IT> now, next;
    int64_t k = (begin & ~int64_t{size - 1}) + lane * size;
    now.load(p, k, begin, end);
    for (; k < end; k += lanes * size) {
        next.load(p, k + lanes * size, begin, end);
        sum = now.sum(p, begin, end, sum);
        now = next;
    }
    return sum;
}

// Any grid and any number of lanes, a power of two up to 32, will do. The arrays are aligned for quads.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_row_vectors(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, int lane_bits) {
    begin_behind_kernel_before();
    using operands = product<VA, VX, VY, CT, OT, IT>;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const int lanes = 1 << lane_bits;
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int64_t rows_at_once = static_cast<int64_t>(gridDim.x) * (block_threads >> lane_bits);
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) >> lane_bits;
    // The lanes of a warp leave the loop together.
    const int64_t warp_first = first - (threadIdx.x % warp_size >> lane_bits);
    for (int64_t step = 0; warp_first + step < p.rows; step += rows_at_once) {
        const int64_t row = first + step;
        const bool mine = row < p.rows;
        const int64_t begin = mine ? p.offset(row) : 0;
        const int64_t end = mine && !equal(alpha, CT{}) ? p.offset(row + 1) : begin;
        const CT sum = sum_over_lanes(sum_of_lane<operands, VA, CT, IT>(p, begin, end, lane, lanes), lanes);
        if (mine && lane == 0) kernels::update_y(p.y, row, sum, alpha, beta);
    }
}

// The same for few rows that are longer: a block sums a row. Any grid and any number of whole warps will do.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_row_blocks(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p) {
    begin_behind_kernel_before();
    using operands = product<VA, VX, VY, CT, OT, IT>;
    __shared__ CT sums[block_warps];
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        if (thread == 0 && !equal(beta, CT{})) prefetch_line(p.y + row);
        const int64_t begin = p.offset(row);
        const int64_t end = equal(alpha, CT{}) ? begin : p.offset(row + 1);
        CT sum = sum_over_lanes(sum_of_lane<operands, VA, CT, IT>(p, begin, end, thread, threads), warp_size);
        if (thread % warp_size == 0) sums[thread / warp_size] = sum;
        __syncthreads();
        if (thread == 0) {
            for (int warp = 1; warp < threads / warp_size; ++warp) sum = add(sum, sums[warp]);
            kernels::update_y(p.y, row, sum, alpha, beta);
        }
        __syncthreads();
    }
}

}  // namespace heron::HERON_LEVEL
