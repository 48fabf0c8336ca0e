// Dense products in complex single precision.
#include "launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <>
struct tiles_for<c32> {
    // Tile, depth, stages, part, blocks, slices, steps; percent of the peak when full, alone.
    using large = std::tuple<
        candidate<thread_tile_of<c32, tile_shape{{128, 128}, 8, 4, {8, 8}, 1}>, percent_of_peak{75, 75}>,
        candidate<thread_tile_of<c32, tile_shape{{128, 64}, 8, 4, {8, 8}, 2}>, percent_of_peak{73, 41}>,
        candidate<thread_tile_of<c32, tile_shape{{96, 96}, 8, 4, {6, 6}, 1}>, percent_of_peak{75, 75}>,
        candidate<thread_tile_of<c32, tile_shape{{64, 64}, 8, 4, {4, 8}, 3}>, percent_of_peak{74, 62}>,
        candidate<thread_tile_of<c32, tile_shape{{32, 32}, 32, 3, {4, 8}, 4, 4}>, percent_of_peak{67, 41}>,
        candidate<thread_tile_of<c32, tile_shape{{64, 32}, 16, 4, {4, 4}, 2, 2}>, percent_of_peak{68, 64}>,
        candidate<thread_tile_of<c32, tile_shape{{48, 24}, 16, 4, {6, 6}, 1, 8}>, percent_of_peak{41, 41}>,
        candidate<thread_tile_of<c32, tile_shape{{64, 16}, 16, 3, {8, 4}, 4, 4}>, percent_of_peak{60, 40}>>;
    using small = candidate<thread_tile<c32, 32, 32, 8, 3, 4, 4>, percent_of_peak{40, 15}>;
    using tiny = thread_tile<c32, 32, 32, 8, 3, 4, 4>;
    using items16 = items_tile<c32, 16, 16, 4, 4, 64>;
    using batches = std::tuple<
        batch_candidate<stream_thread_tile<c32, 4, 4, 16, 2, 256, 2>, batch_speed{60, 32}>,
        batch_candidate<stream_thread_tile<c32, 8, 8, 8, 3, 256, 1>, batch_speed{54}>,
        batch_candidate<thread_tile_of<c32, tile_shape{{64, 64}, 8, 4, {4, 8}, 3}>, batch_speed{82}>,
        batch_candidate<thread_tile_of<c32, tile_shape{{80, 80}, 8, 4, {5, 5}, 1}>, batch_speed{71}>,
        batch_candidate<thread_tile_of<c32, tile_shape{{96, 96}, 8, 4, {6, 6}, 1}>, batch_speed{79}>,
        batch_candidate<thread_tile_of<c32, tile_shape{{112, 112}, 8, 4, {7, 7}, 1}>, batch_speed{75}>,
        batch_candidate<thread_tile_of<c32, tile_shape{{128, 128}, 8, 4, {8, 8}, 1}>, batch_speed{85}>>;
    static double batch_limit(const parameters<c32>&) { return HUGE_VAL; }
};
}  // namespace dense_cuda

template <>
void tuned_product<c32>(cuda_device& device, const dense_cuda::parameters<c32>& p, bool conjugates_a,
                        bool conjugates_b) {
    dense_cuda::choose(device, p, conjugates_a, conjugates_b);
}
template <>
void tuned_gemm<c32>(cuda_device& device, const heron_gemm_args& args) {
    if (plans::parts_left_out(args) != 0) return dense_cuda::study_of<c32>(device, args);
    dense_cuda::gemm_of<c32>(device, args);
}
template <>
void tuned_gemm_batched<c32>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_of<c32>(device, args);
}
template <>
void tuned_gemmt<c32>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<c32>(device, args);
}

}  // namespace heron::HERON_LEVEL
