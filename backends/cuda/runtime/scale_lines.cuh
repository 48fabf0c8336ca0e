#pragma once
// y := beta*y and C := beta*C before what is added to them in any order.
#include "early_launch.cuh"
#include "warp.cuh"

namespace heron::HERON_LEVEL {

// Lines of neighbouring elements, `step` apart: one line where there is nothing between them.
struct dense_lines {
    int64_t lines, length, step, batches, stride;

    static constexpr int piece = 4 * warp_size;  // of a line, for a warp

    void join_lines() {
        if (step != length) return;
        length *= lines;
        lines = 1;
    }
    __host__ __device__ int64_t pieces() const { return (length + piece - 1) / piece; }
};

constexpr int scale_threads = 128;

// The next kernel may start meanwhile.
template <class CT>
__global__ void __launch_bounds__(scale_threads)
    scale_lines(CT* c, const __grid_constant__ dense_lines lines, scalar_argument<CT> beta_argument) {
    begin_behind_kernel_before();
    const CT beta = beta_argument.device ? *beta_argument.device : beta_argument.value;
    const int64_t pieces = lines.pieces();
    const int64_t warps = int64_t{gridDim.x} * (scale_threads / warp_size);
    const int64_t warp = (int64_t{blockIdx.x} * scale_threads + threadIdx.x) / warp_size;
    for (int64_t i = warp; i < pieces * lines.lines * lines.batches; i += warps) {
        const int64_t line = i / pieces % lines.lines;
        CT* const to = c + i / pieces / lines.lines * lines.stride + line * lines.step;
        const int64_t first = i % pieces * dense_lines::piece + threadIdx.x % warp_size;
#pragma unroll
        for (int j = 0; j < dense_lines::piece; j += warp_size)
            if (first + j < lines.length) to[first + j] = equal(beta, CT{}) ? CT{} : mul(beta, to[first + j]);
    }
}

template <class CT>
void launch_scale_lines(cuda_device& device, CT* c, const dense_lines& lines,
                        const scalar_argument<CT>& beta) {
    constexpr int warps = scale_threads / warp_size;
    const int64_t pieces = lines.pieces() * lines.lines * lines.batches;
    launch_early(device, scale_lines<CT>, (pieces + warps - 1) / warps, scale_threads, c, lines, beta);
}

}  // namespace heron::HERON_LEVEL
