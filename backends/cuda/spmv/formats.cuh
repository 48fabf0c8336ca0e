#pragma once
// SELL and small-block BSR times vector.
#include "operands.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// What a thread takes of a SELL matrix: every step-th element from `first` on, all of one row. Threads of a
// warp read neighbours, because a slice is stored column by column.
struct slice_share {
    int64_t first, end, step;

    template <class P>
    __device__ slice_share(const P& p, int64_t slice_size, int64_t row, int share, int share_bits) {
        const int64_t slice = row / slice_size;
        const int64_t origin = static_cast<int64_t>(p.offsets[0]);
        first =
            static_cast<int64_t>(p.offsets[slice]) - origin + (row - slice * slice_size) + share * slice_size;
        end = static_cast<int64_t>(p.offsets[slice + 1]) - origin;
        step = slice_size << share_bits;
    }
};

// Elements that a thread loads at once. Column -1 is padding; what its values hold is loaded and not used.
template <class VA, class IT, int count>
struct slice_batch {
    IT index[count];
    VA a[count];

    template <class P>
    __device__ slice_batch(const P& p, const slice_share& share, int64_t k) {
#pragma unroll
        for (int j = 0; j < count; ++j) {
            const int64_t at = k + j * share.step;
            index[j] = at < share.end ? load_streaming(p.indices + at) : IT{-1};
            a[j] = at < share.end ? load_streaming(p.values + at) : VA{};
        }
    }
};

// Elements that a thread of multiply_slices loads at once: as many as leave room for four blocks.
template <class CT>
constexpr int elements_of_slice_batch = sizeof(CT) > 8 ? 4 : 8;

// SELL: threads share a row's elements, several loads at a time. Blocks may have fewer threads.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_slices(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, int64_t slice_size,
                    int share_bits) {
    begin_behind_kernel_before();
    constexpr int batch = elements_of_slice_batch<CT>;
    __shared__ CT sums[block_threads];
    const int rows_of_block = static_cast<int>(blockDim.x) >> share_bits;
    const int64_t row =
        static_cast<int64_t>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) % rows_of_block;
    const int share = static_cast<int>(threadIdx.x) / rows_of_block;
    const CT alpha = p.alpha_now();
    CT sum{};
    if (row < p.rows && !equal(alpha, CT{})) {
        const slice_share mine(p, slice_size, row, share, share_bits);
        for (int64_t k = mine.first; k < mine.end; k += batch * mine.step) {
            const slice_batch<VA, IT, batch> loaded(p, mine, k);
            CT x[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j) x[j] = loaded.index[j] >= 0 ? p.x_at(loaded.index[j]) : CT{};
#pragma unroll
            for (int j = 0; j < batch; ++j)
                if (loaded.index[j] >= 0) sum = mad(p.element(loaded.a[j]), x[j], sum);
        }
    }
    if (share_bits > 0) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int i = 1; share == 0 && i < 1 << share_bits; ++i)
            sum = add(sum, sums[threadIdx.x + i * rows_of_block]);
    }
    if (row < p.rows && share == 0) kernels::update_y(p.y, row, sum, alpha, p.beta_now());
}

// SELL by columns: out += alpha*op(A)*x, where p.y is out and p.x_shifted is x. The threads are those of
// multiply_slices. Unless it is the product's first kernel it may start while out is being scaled.
template <class VA, class VX, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    scatter_slices(const __grid_constant__ product<VA, VX, CT, CT, OT, IT> p, int64_t slice_size,
                   int share_bits, int is_first) {
    if (is_first) begin_behind_kernel_before();
    constexpr int batch = 4;
    const int rows_of_block = static_cast<int>(blockDim.x) >> share_bits;
    const int64_t row =
        static_cast<int64_t>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) % rows_of_block;
    const CT alpha = p.alpha_now();
    if (row >= p.rows || equal(alpha, CT{})) {
        after_kernel_before(p.y);
        return;
    }
    const slice_share mine(p, slice_size, row, static_cast<int>(threadIdx.x) / rows_of_block, share_bits);
    for (int64_t k = mine.first; k < mine.end; k += batch * mine.step) {
        const slice_batch<VA, IT, batch> loaded(p, mine, k);
        const CT x = mul(alpha, load<CT>(load_shared_by_many(p.x_shifted + row)));
        if (k == mine.first) after_kernel_before(p.y);
#pragma unroll
        for (int j = 0; j < batch; ++j)
            if (loaded.index[j] >= 0)
                add_at_once(p.y + (static_cast<int64_t>(loaded.index[j]) - p.base),
                            mul(p.element(loaded.a[j]), x));
    }
    after_kernel_before(p.y);
}

// Shape of the blocks of a BSR matrix of up to 32 elements each.
struct small_blocks {
    int rows, columns;
    int row_major;
};

// BSR with small blocks: one warp per row of blocks. The elements of as many whole blocks as 32 lanes hold
// are read at once; a lane keeps its place within the block all along, and in the end the lanes of one row
// are added up in order.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_small_blocks(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, small_blocks shape,
                          int64_t block_rows) {
    begin_behind_kernel_before();
    __shared__ CT sums[block_threads];
    const int64_t block_row = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) / warp_size;
    if (block_row >= block_rows) return;
    const int lane = threadIdx.x % warp_size;
    const int area = shape.rows * shape.columns;
    const int at_once = warp_size / area;
    const int place = lane % area;
    const int column = shape.row_major ? place % shape.columns : place / shape.rows;
    const CT alpha = p.alpha_now();
    const int64_t begin = p.offset(block_row);
    const int64_t end = equal(alpha, CT{}) || lane >= at_once * area ? begin : p.offset(block_row + 1);
    CT sum{};
    for (int64_t b = begin + lane / area; b < end; b += at_once) {
        const int64_t index = static_cast<int64_t>(load_shared_by_many(p.indices + b)) - p.base;
        const CT x = load<CT>(load_shared_by_many(p.x_shifted + p.base + index * shape.columns + column));
        sum = mad(p.element(load_streaming(p.values + b * area + place)), x, sum);
    }
    CT* const mine = sums + threadIdx.x / warp_size * warp_size;
    mine[lane] = sum;
    __syncwarp();
    if (lane >= shape.rows) return;
    CT total{};
    for (int group = 0; group < at_once; ++group)
        for (int c = 0; c < shape.columns; ++c)
            total = add(
                total,
                mine[group * area + (shape.row_major ? lane * shape.columns + c : c * shape.rows + lane)]);
    kernels::update_y(p.y, block_row * shape.rows + lane, total, alpha, p.beta_now());
}

}  // namespace heron::HERON_LEVEL
