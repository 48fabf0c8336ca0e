#pragma once
// Dense products as CUDA runs them: one file for each type.
#include "common/dense/plan.hpp"
#include "cuda/runtime/device.cuh"

namespace heron::HERON_LEVEL {

// The files dense_*.cu hold one type each.
template <class CT>
void tuned_gemm(cuda_device& device, const heron_gemm_args& args);
template <class CT>
void tuned_gemm_batched(cuda_device& device, const heron_gemm_batched_args& args);
template <class CT>
void tuned_gemmt(cuda_device& device, const heron_gemmt_args& args);

// On Tensor Cores. False where a recursion is to do it.
template <class CT>
bool tuned_symm(cuda_device&, const heron_symm_args&) {
    return false;
}
template <>
bool tuned_symm<f64>(cuda_device& device, const heron_symm_args& args);
template <>
bool tuned_symm<c64>(cuda_device& device, const heron_symm_args& args);

namespace dense_cuda {
template <class CT>
struct parameters;
}
// Any product as the kernels take it.
template <class CT>
void tuned_product(cuda_device& device, const dense_cuda::parameters<CT>& p, bool conjugates_a,
                   bool conjugates_b);

// On Tensor Cores, as args.algorithm says. False where the product is too large for the kernels' indices.
bool tf32_gemm(cuda_device& device, const heron_gemm_args& args);
bool tf32_gemm_batched(cuda_device& device, const heron_gemm_batched_args& args);

// By warp groups, where the device has them. False where it has not, or the product is none of theirs;
// otherwise SIZE has told the workspace, and RUN has multiplied.
bool wgmma_gemm(cuda_device& device, heron_phase phase, const heron_gemm_args& args,
                heron_workspace& workspace);
bool wgmma_gemm_batched(cuda_device& device, heron_phase phase, const heron_gemm_batched_args& args,
                        heron_workspace& workspace);

// The slots whose products are the kernels' above.
namespace plans {
void cuda_symm(cuda_device& device, heron_phase phase, const heron_symm_args& args,
               heron_workspace& workspace);
void cuda_trmm(cuda_device& device, heron_phase phase, const heron_trmm_args& args,
               heron_workspace& workspace);
void cuda_trsm(cuda_device& device, heron_phase phase, const heron_trsm_args& args,
               heron_workspace& workspace);
}  // namespace plans

}  // namespace heron::HERON_LEVEL
