// Dense products in single precision.
#include "dense_launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <> struct tiles_for<f32> {
    using wide = thread_tile<f32, 128, 128, 16, 3, 8, 8>;
    using large = wide;
    using small = thread_tile<f32, 64, 64, 16, 3, 8, 4>;
    using tiny = thread_tile<f32, 32, 32, 16, 2, 4, 4>;
};
}  // namespace dense_cuda

template <> void tuned_gemm<f32>(cuda_device& device, const heron_gemm_args& args) {
    dense_cuda::gemm_of<f32>(device, args);
}
template <> void tuned_gemm_batched<f32>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_batched_of<f32>(device, args);
}
template <> void tuned_gemmt<f32>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<f32>(device, args);
}

}  // namespace heron::HERON_LEVEL
