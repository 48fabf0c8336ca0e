// Dense products in complex single precision.
#include "dense_launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <>
struct tiles_for<c32> {
    using large = std::tuple<candidate<large_thread_tile<c32, 128, 64, 8, 4, 8, 8, 2>, 75, 41>,
                             candidate<large_thread_tile<c32, 128, 64, 8, 4, 8, 8, 1, 2>, 73, 73>,
                             candidate<large_thread_tile<c32, 64, 64, 8, 4, 4, 8, 3>, 72, 50>>;
    using small = candidate<thread_tile<c32, 32, 32, 8, 3, 4, 4>, 40, 15>;
    using tiny = thread_tile<c32, 32, 32, 8, 3, 4, 4>;
};
}  // namespace dense_cuda

template <>
void tuned_gemm<c32>(cuda_device& device, const heron_gemm_args& args) {
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
