// cublas_v2.h in C++17: halves, and the compute types of programs for CUDA 8 to 10.
#include <cublas_v2.h>
#include "no_family_macros.h"
#include <type_traits>

static_assert(
    std::is_same<decltype(&cublasHgemm_64),
                 cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t, int64_t,
                                    int64_t, const __half*, const __half*, int64_t, const __half*, int64_t,
                                    const __half*, __half*, int64_t)>::value,
    "halves are named as in NVIDIA's header");

cublasStatus_t product(cublasHandle_t handle, int n, const void* a, void* c);

cublasStatus_t product(cublasHandle_t handle, int n, const void* a, void* c) {
    const float one = 1, zero = 0;
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16F, n, a, CUDA_R_16F, n,
                        &zero, c, CUDA_R_16F, n, CUDA_R_32F, CUBLAS_GEMM_DFALT);
}
