#pragma once
// What a cuBLAS handle is: a context of the core with the settings that cuBLAS alone has.
#include "core/context.hpp"
#include <cublas_api.h>
#include <atomic>

namespace heron::cublas {

class handle : public core::context {
  public:
    std::atomic<cublasMath_t> math_mode = CUBLAS_DEFAULT_MATH;
    std::atomic<cublasAtomicsMode_t> atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    std::atomic<int> sm_count_target = 0;

    // How products of matrices of this type are computed in the math mode.
    heron_gemm_algorithm algorithm_for(heron_type type) const;
};

// Both throw NOT_INITIALIZED when the handle is NULL. What stands behind a public handle is the address of
// the context, so that it is a heron_handle too.
inline core::context& context_of(cublasHandle_t public_handle) { return core::context::from(public_handle); }
inline handle& handle_of(cublasHandle_t public_handle) {
    return static_cast<handle&>(context_of(public_handle));
}
inline cublasHandle_t to_cublas(handle* h) {
    return reinterpret_cast<cublasHandle_t>(static_cast<core::context*>(h));
}

}  // namespace heron::cublas
