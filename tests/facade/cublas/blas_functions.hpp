#pragma once
// The functions of cuBLAS by their scalar type, for tests that are written once for all four.
#include <cublas_api.h>
#include <cstdint>

namespace heron::test {

template <class T, class Int = int>
struct blas_functions;

#define HERON_FAMILY "facade/cublas/blas_functions.inc"
#include <cublas/foreach_type.inc>

// Calls f(blas_functions<T>{}) for each type.
template <class F>
void for_each_blas_type(F&& f) {
    f(blas_functions<float>{});
    f(blas_functions<double>{});
    f(blas_functions<cuComplex>{});
    f(blas_functions<cuDoubleComplex>{});
}

}  // namespace heron::test
