// Dense products in complex double precision, on Tensor Cores but for the smallest.
#include "launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
// Two blocks fit a multiprocessor but where both panels come by depth.
struct steps_of_16 : complex_tile_of<tile_shape{{64, 64}, 16, 3, {32, 32}, 2}> {
    static constexpr bool takes_depths = false, mirrors = false;
};
struct mirrored_tile : complex_tile_of<tile_shape{{64, 64}, 8, 4, {32, 32}, 2}> {
    static constexpr bool mirrors_only = true;
};

template <>
struct tiles_for<c64> {
    // Tile, depth, stages, part, blocks, slices, steps; percent of the peak when full, alone.
    using large = std::tuple<
        candidate<steps_of_16, percent_of_peak{81, 60}>,
        candidate<complex_tile_of<tile_shape{{32, 64}, 16, 3, {16, 16}, 2, 1, 8}>, percent_of_peak{77, 58}>,
        candidate<complex_tile_of<tile_shape{{64, 32}, 32, 3, {16, 16}, 1}>, percent_of_peak{77, 77}>,
        candidate<mirrored_tile, percent_of_peak{78, 59}>,
        candidate<complex_tile_of<tile_shape{{32, 32}, 16, 3, {16, 16}, 3, 1, 8}>, percent_of_peak{74, 46}>,
        candidate<complex_tile_of<tile_shape{{64, 16}, 16, 3, {16, 16}, 3, 1, 8}>, percent_of_peak{70, 43}>>;
    using small = candidate<warp_tile<32, 32, 8, 3, 16, 16>, percent_of_peak{26, 8}>;
    using tiny = thread_tile<c64, 16, 16, 8, 3, 2, 2>;
    using items16 = items_tile<c64, 16, 16, 4, 2, 64>;
    using batches = std::tuple<
        batch_candidate<complex_tile_of<tile_shape{{64, 64}, 8, 4, {32, 32}, 2}>, batch_speed{78}>,
        batch_candidate<complex_tile_of<tile_shape{{32, 32}, 16, 3, {16, 16}, 3, 1, 8}>, batch_speed{70}>>;
    static double batch_limit(const parameters<c64>&) { return HUGE_VAL; }
};
}  // namespace dense_cuda

template <>
void tuned_product<c64>(cuda_device& device, const dense_cuda::parameters<c64>& p, bool conjugates_a,
                        bool conjugates_b) {
    dense_cuda::choose(device, p, conjugates_a, conjugates_b);
}
template <>
void tuned_gemm<c64>(cuda_device& device, const heron_gemm_args& args) {
    if (plans::parts_left_out(args) != 0) return dense_cuda::study_of<c64>(device, args);
    dense_cuda::gemm_of<c64>(device, args);
}
template <>
void tuned_gemm_batched<c64>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_of<c64>(device, args);
}
template <>
bool tuned_symm<c64>(cuda_device& device, const heron_symm_args& args) {
    return dense_cuda::symm_of<c64>(device, args);
}
template <>
void tuned_gemmt<c64>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<c64>(device, args);
}

}  // namespace heron::HERON_LEVEL
