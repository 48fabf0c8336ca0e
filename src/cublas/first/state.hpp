#pragma once
// The first interface's one state for the whole process: a handle, and the last error.
#include "cublas/translate.hpp"
#include <cublas.h>
#include <utility>

namespace heron::cublas::first {

// NULL before cublasInit and after cublasShutdown.
cublasHandle_t current_handle();
// Kept for cublasGetError unless it is success.
void report(cublasStatus_t status);

// f(handle), a function of the interface with handles.
template <class F>
void call(F&& f) {
    report(std::forward<F>(f)(current_handle()));
}

// The value that f(handle, result) leaves in its result; 0 where it fails.
template <class T, class F>
T result_of(F&& f) {
    T result{};
    report(std::forward<F>(f)(current_handle(), &result));
    return result;
}

// BLAS's letters; one that means nothing becomes a value that the functions refuse.
cublasOperation_t operation_of(char letter);
cublasFillMode_t fill_of(char letter);
cublasSideMode_t side_of(char letter);
cublasDiagType_t diagonal_of(char letter);

}  // namespace heron::cublas::first
