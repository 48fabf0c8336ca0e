// Dense products in double precision, on Tensor Cores but for the smallest.
#include "launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <>
struct tiles_for<f64> {
    // Tile, depth, stages, part, blocks, slices, steps; percent of the peak when full, alone.
    using large = std::tuple<
        candidate<real_tile_of<tile_shape{{128, 128}, 16, 4, {64, 32}, 1}>, percent_of_peak{79, 79}>,
        candidate<real_tile_of<tile_shape{{128, 64}, 16, 4, {32, 32}, 1}>, percent_of_peak{76, 76}>,
        candidate<real_tile_of<tile_shape{{96, 96}, 16, 4, {48, 24}, 1}>, percent_of_peak{76, 76}>,
        candidate<real_tile_of<tile_shape{{64, 64}, 16, 3, {32, 32}, 3}>, percent_of_peak{72, 46}>,
        candidate<real_tile_of<tile_shape{{32, 32}, 32, 3, {16, 16}, 4}>, percent_of_peak{47, 30}>,
        candidate<real_tile_of<tile_shape{{64, 16}, 32, 3, {16, 16}, 4}>, percent_of_peak{46, 30}>>;
    using small = candidate<thread_tile<f64, 32, 32, 8, 3, 4, 4>, percent_of_peak{18, 8}>;
    using tiny = thread_tile<f64, 32, 32, 8, 3, 4, 4>;
    using items16 = items_tile<f64, 16, 16, 4, 4, 64>;
    using batches = std::tuple<
        batch_candidate<stream_tensor_tile<16, 32, 16, 3, 512, 1>, batch_speed{48}>,
        batch_candidate<stream_tensor_tile<32, 24, 16, 3, 384, 1>, batch_speed{46}>,
        batch_candidate<stream_tensor_tile<16, 48, 16, 3, 384, 1>, batch_speed{47}>,
        batch_candidate<real_tile_of<tile_shape{{128, 112}, 16, 4, {32, 56}, 1}>, batch_speed{74}>,
        batch_candidate<real_tile_of<tile_shape{{128, 128}, 16, 4, {64, 32}, 1}>, batch_speed{78}>>;
    // Three blocks a multiprocessor with a tile each are sooner ready.
    static double batch_limit(const parameters<f64>& p) {
        return static_cast<double>(tiles_of(p.m, 64) * tiles_of(p.n, 64) * 64 * 64) / 49;
    }
};
}  // namespace dense_cuda

template <>
void tuned_product<f64>(cuda_device& device, const dense_cuda::parameters<f64>& p, bool conjugates_a,
                        bool conjugates_b) {
    dense_cuda::choose(device, p, conjugates_a, conjugates_b);
}
template <>
void tuned_gemm<f64>(cuda_device& device, const heron_gemm_args& args) {
    if (plans::parts_left_out(args) != 0) return dense_cuda::study_of<f64>(device, args);
    dense_cuda::gemm_of<f64>(device, args);
}
template <>
void tuned_gemm_batched<f64>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_of<f64>(device, args);
}
template <>
bool tuned_symm<f64>(cuda_device& device, const heron_symm_args& args) {
    return dense_cuda::symm_of<f64>(device, args);
}
template <>
void tuned_gemmt<f64>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<f64>(device, args);
}

}  // namespace heron::HERON_LEVEL
