#pragma once
// COO, SELL and small-block BSR times vector.
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// COO: out[to] += alpha*op(a)*x[from]. Every warp takes a run of consecutive elements, 32 at a time. Where
// neighbours have the same destination, as the elements of a row have, they are added up first and leave the
// warp once.
template <class VA, class VX, class CT, class IT>
class coo_scatter_run {
  public:
    static constexpr int batch = 4;  // of 32 elements, loaded at once
    static constexpr int most_batches = 4;

    __device__ coo_scatter_run(const IT* to, const product<VA, VX, CT, CT, IT, IT>& p, CT alpha)
        : to_(to), p_(p), alpha_(alpha), lane_(threadIdx.x % warp_size) {}

    __device__ void run(int64_t first, int batches) {
        for (int i = 0; i < batches && first < p_.nnz; ++i, first += batch * warp_size) {
            IT to[batch], from[batch];
            VA a[batch];
            CT x[batch];
            // Not under a condition, which would put the loads of x behind each other.
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const int64_t k = first + j * warp_size + lane_;
                const int64_t at = k < p_.nnz ? k : p_.nnz - 1;
                to[j] = load_streaming(to_ + at);
                from[j] = load_streaming(p_.indices + at);
                a[j] = load_streaming(p_.values + at);
            }
#pragma unroll
            for (int j = 0; j < batch; ++j) x[j] = p_.x_at(from[j]);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const bool inside = first + j * warp_size + lane_ < p_.nnz;
                add_slab(inside ? to[j] : none, mul(p_.element(a[j]), x[j]));
            }
        }
        if (lane_ == 0) put(pending_to_, pending_);
    }

  private:
    static constexpr IT none = -1;

    __device__ void put(IT to, CT sum) const {
        if (to != none) add_at_once(p_.y + (static_cast<int64_t>(to) - p_.base), mul(alpha_, sum));
    }

    __device__ void add_slab(IT to, CT term) {
        if (lane_ == 0) {
            if (to == pending_to_)
                term = add(pending_, term);
            else
                put(pending_to_, pending_);
        }
        const IT to_below = from_lane_below(to, 1);
        const unsigned heads = __ballot_sync(all_lanes, lane_ == 0 || to_below != to);
        const unsigned up_to_here = all_lanes >> (warp_size - 1 - lane_);
        const int begin = warp_size - 1 - __clz(static_cast<int>(heads & up_to_here));
        // Lanes that are all heads have nothing to add up.
        for (int distance = heads == all_lanes ? warp_size : 1; distance < warp_size; distance *= 2) {
            const CT below = from_lane_below(term, distance);
            if (lane_ - distance >= begin) term = add(below, term);
        }
        const bool ends = lane_ < warp_size - 1 && (heads >> (lane_ + 1) & 1u);
        if (ends) put(to, term);
        pending_to_ = value_of_lane(to, warp_size - 1);
        pending_ = value_of_lane(term, warp_size - 1);
    }

    const IT* const to_;
    const product<VA, VX, CT, CT, IT, IT>& p_;
    const CT alpha_;
    const int lane_;
    IT pending_to_ = none;
    CT pending_{};
};

// p.indices are the places in x, p.y is out; a warp takes so many batches.
template <class VA, class VX, class CT, class IT>
__global__ void __launch_bounds__(block_threads)
    scatter_coo(const __grid_constant__ product<VA, VX, CT, CT, IT, IT> p, const IT* to, int batches) {
    using work = coo_scatter_run<VA, VX, CT, IT>;
    const int64_t warp = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) / warp_size;
    const CT alpha = p.alpha_now();
    if (equal(alpha, CT{})) return;
    work(to, p, alpha).run(warp * batches * work::batch * warp_size, batches);
}

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

// SELL: threads share a row's elements, several loads at a time. Blocks may have fewer threads.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_slices(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, int64_t slice_size,
                    int share_bits) {
    constexpr int batch = 8;
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
// multiply_slices.
template <class VA, class VX, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    scatter_slices(const __grid_constant__ product<VA, VX, CT, CT, OT, IT> p, int64_t slice_size,
                   int share_bits) {
    constexpr int batch = 4;
    const int rows_of_block = static_cast<int>(blockDim.x) >> share_bits;
    const int64_t row =
        static_cast<int64_t>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) % rows_of_block;
    const CT alpha = p.alpha_now();
    if (row >= p.rows || equal(alpha, CT{})) return;
    const slice_share mine(p, slice_size, row, static_cast<int>(threadIdx.x) / rows_of_block, share_bits);
    for (int64_t k = mine.first; k < mine.end; k += batch * mine.step) {
        const slice_batch<VA, IT, batch> loaded(p, mine, k);
        const CT x = mul(alpha, load<CT>(load_shared_by_many(p.x_shifted + row)));
#pragma unroll
        for (int j = 0; j < batch; ++j)
            if (loaded.index[j] >= 0)
                add_at_once(p.y + (static_cast<int64_t>(loaded.index[j]) - p.base),
                            mul(p.element(loaded.a[j]), x));
    }
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
