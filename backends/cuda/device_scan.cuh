#pragma once
// The plans' exclusive scan on CUDA: blocks add up and later write chunks, a warp a run of neighbouring
// counts.
#include "cuda_device.cuh"
#include "warp.cuh"
#include "../common/plans/scan.hpp"

namespace heron::HERON_LEVEL {

constexpr int scan_threads = 256;
constexpr int scan_warps = scan_threads / warp_size;
constexpr int scan_steps = 16;  // of a warp, of as many counts as it has lanes
constexpr int64_t scan_run = int64_t{scan_steps} * warp_size;
constexpr int64_t scan_chunk = scan_run * scan_warps;

// The sum of the values of the lanes below and of one's own.
static __device__ inline i64 sum_up_to_lane(i64 v) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
        const i64 below = from_lane_below(v, distance);
        if (lane >= distance) v += below;
    }
    return v;
}

// The sum of the warps' totals before the own warp's, and of all. `totals` has a place for every warp; all
// threads of the block together.
struct warp_sums {
    i64 before, all;
};
static __device__ inline warp_sums sum_over_warps(i64 total, i64* totals, int warps) {
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    __syncthreads();
    if (threadIdx.x % warp_size == 0) totals[warp] = total;
    __syncthreads();
    warp_sums sums{0, 0};
    for (int w = 0; w < warps; ++w) {
        if (w < warp) sums.before += totals[w];
        sums.all += totals[w];
    }
    return sums;
}

// sums[c] := the sum of chunk c.
static __global__ void __launch_bounds__(scan_threads) add_chunks(const i64* counts, int64_t n, i64* sums) {
    __shared__ i64 totals[scan_warps];
    for (int64_t chunk = blockIdx.x; chunk * scan_chunk < n; chunk += gridDim.x) {
        i64 sum = 0;
#pragma unroll
        for (int step = 0; step < scan_steps; ++step) {
            const int64_t at = chunk * scan_chunk + step * scan_threads + threadIdx.x;
            if (at < n) sum += counts[at];
        }
        const i64 all = sum_over_warps(sum_over_lanes(sum, warp_size), totals, scan_warps).all;
        if (threadIdx.x == 0) sums[chunk] = all;
    }
}

// Turns the sums into what precedes each chunk, with the total behind the last one. One block.
constexpr int scan_sums_threads = 1024;
static __global__ void __launch_bounds__(scan_sums_threads) scan_sums(i64* sums, int64_t chunks) {
    __shared__ i64 totals[scan_sums_threads / warp_size];
    i64 before = 0;
    for (int64_t first = 0; first < chunks; first += scan_sums_threads) {
        const int64_t chunk = first + threadIdx.x;
        const i64 sum = chunk < chunks ? sums[chunk] : 0;
        const i64 up_to = sum_up_to_lane(sum);
        const warp_sums others =
            sum_over_warps(value_of_lane(up_to, warp_size - 1), totals, scan_sums_threads / warp_size);
        if (chunk < chunks) sums[chunk] = before + others.before + up_to - sum;
        before += others.all;
    }
    if (threadIdx.x == 0) sums[chunks] = before;
}

// out[k] := base + what precedes count k, for k in [0, n]. out may be counts.
template <class OT>
__global__ void __launch_bounds__(scan_threads)
    write_scan(const i64* counts, int64_t n, const i64* sums, int64_t base, OT* out) {
    __shared__ i64 totals[scan_warps];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int64_t chunk = blockIdx.x; chunk * scan_chunk <= n; chunk += gridDim.x) {
        const int64_t first = chunk * scan_chunk + warp * scan_run + lane;
        i64 values[scan_steps];
#pragma unroll
        for (int step = 0; step < scan_steps; ++step) {
            const int64_t at = first + step * warp_size;
            values[step] = at < n ? counts[at] : 0;
        }
        i64 total = 0;
#pragma unroll
        for (int step = 0; step < scan_steps; ++step) {
            const i64 up_to = sum_up_to_lane(values[step]);
            values[step] = total + up_to - values[step];
            total += value_of_lane(up_to, warp_size - 1);
        }
        const i64 before = base + sums[chunk] + sum_over_warps(total, totals, scan_warps).before;
#pragma unroll
        for (int step = 0; step < scan_steps; ++step) {
            const int64_t at = first + step * warp_size;
            if (at <= n) out[at] = static_cast<OT>(before + values[step]);
        }
    }
}

namespace plans {

template <>
class exclusive_scan<cuda_device> {
  public:
    exclusive_scan(workspace_layout& layout, int64_t n)
        : n_(n), chunks_((n + scan_chunk - 1) / scan_chunk), sums_(layout.take<i64>(chunks_ + 1)) {}

    void add(cuda_device& device, const i64* counts) const {
        device.launch_blocks(add_chunks, chunks_, scan_threads, 0, counts, n_, sums_);
        device.launch_blocks(scan_sums, 1, scan_sums_threads, 0, sums_, chunks_);
    }

    int64_t read_total(cuda_device& device) const {
        int64_t total = 0;
        device.read(&total, sums_ + chunks_, sizeof total);
        return total;
    }

    template <class OT>
    void write(cuda_device& device, const i64* counts, heron_index base, OT* out) const {
        device.launch_blocks(write_scan<OT>, n_ / scan_chunk + 1, scan_threads, 0, counts, n_, sums_, base,
                             out);
    }

  private:
    int64_t n_;
    int64_t chunks_;
    i64* sums_;
};

}  // namespace plans

}  // namespace heron::HERON_LEVEL
