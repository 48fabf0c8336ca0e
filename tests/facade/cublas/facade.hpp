#pragma once
// What the tests of the cuBLAS facade share.
#include "facade/cusparse/subject.hpp"
#include <cublas_api.h>

namespace heron::test {

template <>
inline constexpr cublasStatus_t invalid_of<cublasStatus_t> = CUBLAS_STATUS_INVALID_VALUE;

constexpr cublasStatus_t blas_ok = CUBLAS_STATUS_SUCCESS;
constexpr cublasStatus_t blas_not_initialized = CUBLAS_STATUS_NOT_INITIALIZED;
constexpr cublasStatus_t blas_invalid = CUBLAS_STATUS_INVALID_VALUE;
constexpr cublasStatus_t blas_not_supported = CUBLAS_STATUS_NOT_SUPPORTED;

class blas_handle {
  public:
    blas_handle() { REQUIRE(cublasCreate_v2(&handle_) == blas_ok); }
    ~blas_handle() { cublasDestroy_v2(handle_); }
    blas_handle(const blas_handle&) = delete;
    blas_handle& operator=(const blas_handle&) = delete;
    operator cublasHandle_t() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

}  // namespace heron::test

// Of a family that tests include once for each type: the full name of a function as text.
#define BLAS_TEXT(name) #name
#define BLAS_NAME(name) BLAS_TEXT(name)
