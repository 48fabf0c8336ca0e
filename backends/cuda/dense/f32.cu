// Dense products in single precision.
#include "launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <>
struct tiles_for<f32> {
    // Tile, depth, stages, part, blocks, slices, steps; percent of the peak when full, alone.
    using large = std::tuple<
        candidate<thread_tile_of<f32, tile_shape{{256, 128}, 8, 4, {8, 16}, 1}>, percent_of_peak{73, 73}>,
        candidate<thread_tile_of<f32, tile_shape{{128, 128}, 8, 4, {8, 16}, 2}>, percent_of_peak{73, 63}>,
        candidate<thread_tile_of<f32, tile_shape{{128, 64}, 16, 4, {8, 8}, 3}>, percent_of_peak{70, 54}>,
        candidate<thread_tile_of<f32, tile_shape{{64, 64}, 16, 4, {8, 4}, 4}>, percent_of_peak{62, 44}>,
        candidate<thread_tile_of<f32, tile_shape{{32, 32}, 32, 3, {4, 8}, 4, 4}>, percent_of_peak{46, 28}>,
        candidate<thread_tile_of<f32, tile_shape{{64, 16}, 32, 3, {8, 4}, 4, 4}>, percent_of_peak{46, 28}>>;
    using small = candidate<thread_tile<f32, 32, 32, 16, 2, 4, 4>, percent_of_peak{20, 8}>;
    using tiny = thread_tile<f32, 32, 32, 16, 2, 4, 4>;
    using items16 = items_tile<f32, 16, 16, 4, 4, 128>;
    using batches = std::tuple<
        batch_candidate<stream_thread_tile<f32, 8, 4, 16, 3, 256, 2>, batch_speed{46}>,
        batch_candidate<thread_tile_of<f32, tile_shape{{64, 64}, 16, 4, {8, 4}, 4}>, batch_speed{60}>,
        batch_candidate<thread_tile_of<f32, tile_shape{{96, 96}, 16, 4, {4, 12}, 2}>, batch_speed{62}>,
        batch_candidate<thread_tile_of<f32, tile_shape{{128, 128}, 8, 4, {8, 16}, 2}>, batch_speed{70}>>;
    static double batch_limit(const parameters<f32>&) { return HUGE_VAL; }
};
}  // namespace dense_cuda

template <>
void tuned_product<f32>(cuda_device& device, const dense_cuda::parameters<f32>& p, bool conjugates_a,
                        bool conjugates_b) {
    dense_cuda::choose(device, p, conjugates_a, conjugates_b);
}
template <>
void tuned_gemm<f32>(cuda_device& device, const heron_gemm_args& args) {
    if (plans::parts_left_out(args) != 0) return dense_cuda::study_of<f32>(device, args);
    dense_cuda::gemm_of<f32>(device, args);
}
template <>
void tuned_gemm_batched<f32>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_of<f32>(device, args);
}
template <>
void tuned_gemmt<f32>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<f32>(device, args);
}

}  // namespace heron::HERON_LEVEL
