// Products of single precision matrices on Tensor Cores, where the caller allows it.
#include "launch.cuh"
#include "tf32_tile.cuh"

namespace heron::HERON_LEVEL {
namespace dense_cuda {

template <bool has_two_parts>
bool multiply_by_tf32(cuda_device& device, const parameters<f32>& p) {
    using large = tf32_tile<128, 128, 16, 4, 64, 32, has_two_parts, 2>;
    using small = tf32_tile<64, 64, 16, 4, 32, 32, has_two_parts, 4>;
    return large_tiles_of_item<large>(p) * p.count >= device.multiprocessors()
               ? launch_large<large>(device, p, false)
               : launch_large<small>(device, p, false);
}

bool multiply_by_tf32(cuda_device& device, const parameters<f32>& p, heron_gemm_algorithm algorithm) {
    return algorithm == HERON_GEMM_TF32 ? multiply_by_tf32<false>(device, p)
                                        : multiply_by_tf32<true>(device, p);
}

}  // namespace dense_cuda

bool tf32_gemm(cuda_device& device, const heron_gemm_args& args) {
    return dense_cuda::multiply_by_tf32(device, dense_cuda::parameters_of<f32>(args), args.algorithm);
}

bool tf32_gemm_batched(cuda_device& device, const heron_gemm_batched_args& args) {
    return dense_cuda::multiply_by_tf32(device, dense_cuda::parameters_of<f32>(args), args.algorithm);
}

}  // namespace heron::HERON_LEVEL
