#pragma once
// COO times a vector or a few of them, by atomic additions to sums of neighbouring elements.
#include "operands.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// COO: out[to] += alpha*op(a)*x[from], for one or a few columns of x and out. Every warp takes a run of
// consecutive elements, 32 at a time. Where neighbours have the same destination, as the elements of a row
// have, they are added up first and leave the warp once.
template <int columns, class VA, class VX, class CT, class IT>
class coo_scatter_run {
    // One of each column.
    struct terms {
        CT at[columns];
    };

  public:
    static constexpr int batch = 4;  // of 32 elements, loaded at once
    static constexpr int most_batches = 4;

    __device__ coo_scatter_run(const IT* to, const product<VA, VX, CT, CT, IT, IT>& p,
                               const column_steps<columns>& steps, CT alpha)
        : to_(to), p_(p), steps_(steps), alpha_(alpha), lane_(threadIdx.x % warp_size) {}

    __device__ void run(int64_t first, int batches) {
        for (int i = 0; i < batches && first < p_.nnz; ++i, first += batch * warp_size) {
            IT to[batch], from[batch];
            VA a[batch];
            terms x[batch];
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
            for (int j = 0; j < batch; ++j)
#pragma unroll
                for (int c = 0; c < columns; ++c) x[j].at[c] = steps_.x_at(p_, from[j], c);
            if (i == 0) after_kernel_before(p_.y);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const bool inside = first + j * warp_size + lane_ < p_.nnz;
                const CT element = p_.element(a[j]);
#pragma unroll
                for (int c = 0; c < columns; ++c) x[j].at[c] = mul(element, x[j].at[c]);
                add_slab(inside ? to[j] : none, x[j]);
            }
        }
        if (lane_ == 0) put(pending_to_, pending_);
    }

  private:
    static constexpr IT none = -1;

    __device__ void put(IT to, const terms& sums) const {
        if (to == none) return;
        const int64_t row = static_cast<int64_t>(to) - p_.base;
#pragma unroll
        for (int c = 0; c < columns; ++c)
            add_at_once(p_.y + steps_.place_in_y(row, c), mul(alpha_, sums.at[c]));
    }

    static __device__ terms sum(const terms& first, const terms& second) {
        terms both;
#pragma unroll
        for (int c = 0; c < columns; ++c) both.at[c] = add(first.at[c], second.at[c]);
        return both;
    }

    __device__ void add_slab(IT to, terms term) {
        if (lane_ == 0) {
            if (to == pending_to_)
                term = sum(pending_, term);
            else
                put(pending_to_, pending_);
        }
        const IT to_below = from_lane_below(to, 1);
        const unsigned heads = __ballot_sync(all_lanes, lane_ == 0 || to_below != to);
        const unsigned up_to_here = all_lanes >> (warp_size - 1 - lane_);
        const int begin = warp_size - 1 - __clz(static_cast<int>(heads & up_to_here));
        // Lanes that are all heads have nothing to add up.
        for (int distance = heads == all_lanes ? warp_size : 1; distance < warp_size; distance *= 2) {
            terms below;
#pragma unroll
            for (int c = 0; c < columns; ++c) below.at[c] = from_lane_below(term.at[c], distance);
            if (lane_ - distance >= begin) term = sum(below, term);
        }
        const bool ends = lane_ < warp_size - 1 && (heads >> (lane_ + 1) & 1u);
        if (ends) put(to, term);
        pending_to_ = value_of_lane(to, warp_size - 1);
#pragma unroll
        for (int c = 0; c < columns; ++c) pending_.at[c] = value_of_lane(term.at[c], warp_size - 1);
    }

    const IT* const to_;
    const product<VA, VX, CT, CT, IT, IT>& p_;
    const column_steps<columns>& steps_;
    const CT alpha_;
    const int lane_;
    IT pending_to_ = none;
    terms pending_{};
};

// p.indices are the places in x, p.y is out; a warp takes so many batches. Unless it is the product's first
// kernel it may start while out is being scaled.
template <int columns, class VA, class VX, class CT, class IT>
__global__ void __launch_bounds__(block_threads)
    scatter_coo(const __grid_constant__ product<VA, VX, CT, CT, IT, IT> p, const IT* to,
                const __grid_constant__ column_steps<columns> steps, int batches, int is_first) {
    if (is_first) begin_behind_kernel_before();
    using work = coo_scatter_run<columns, VA, VX, CT, IT>;
    const int64_t warp = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) / warp_size;
    const CT alpha = p.alpha_now();
    if (!equal(alpha, CT{})) work(to, p, steps, alpha).run(warp * batches * work::batch * warp_size, batches);
    after_kernel_before(p.y);
}

// Adds the products of a COO matrix to out, which the kernel before scales unless this is the first one.
template <int columns, class VA, class VX, class CT, class IT>
void launch_scatter_coo(cuda_device& device, const product<VA, VX, CT, CT, IT, IT>& p, const IT* to,
                        const column_steps<columns>& steps, bool is_first) {
    using work = coo_scatter_run<columns, VA, VX, CT, IT>;
    // Warps that take one batch after the other wait for each: only where all that fit have one.
    constexpr int64_t elements = work::batch * warp_size;
    const int64_t warps = int64_t{40} * device.multiprocessors();
    const int64_t batches = std::clamp<int64_t>(p.nnz / (elements * warps), 1, work::most_batches);
    const int64_t per_block = batches * elements * block_warps;
    const int64_t blocks = (p.nnz + per_block - 1) / per_block;
    launch_early(device, scatter_coo<columns, VA, VX, CT, IT>, blocks, block_threads, p, to, steps,
                 static_cast<int>(batches), is_first);
}

}  // namespace heron::HERON_LEVEL
