// Dense products in complex double precision, on Tensor Cores but for the smallest.
#include "dense_launch.cuh"

namespace heron::HERON_LEVEL {

namespace dense_cuda {
template <>
struct tiles_for<c64> {
    using large = std::tuple<candidate<large_complex_tile<64, 64, 8, 4, 32, 32, 2>, 73, 50>>;
    using small = candidate<warp_tile<32, 32, 8, 3, 16, 16>, 45, 15>;
    using tiny = thread_tile<c64, 16, 16, 8, 3, 2, 2>;
};
}  // namespace dense_cuda

template <>
void tuned_gemm<c64>(cuda_device& device, const heron_gemm_args& args) {
    dense_cuda::gemm_of<c64>(device, args);
}
template <>
void tuned_gemm_batched<c64>(cuda_device& device, const heron_gemm_batched_args& args) {
    dense_cuda::gemm_of<c64>(device, args);
}
template <>
void tuned_gemmt<c64>(cuda_device& device, const heron_gemmt_args& args) {
    dense_cuda::gemmt_of<c64>(device, args);
}

}  // namespace heron::HERON_LEVEL
