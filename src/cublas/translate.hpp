#pragma once
// cuBLAS's enums and Heron's. Values out of range throw with the argument's role.
#include "handle.hpp"
#include "core/error.hpp"
#include "core/facade_check.hpp"
#include "core/guard.hpp"

namespace heron::cublas {

// What the functions call their arguments, for those that have no names of their own.
extern const core::argument_names blas_names;

struct function : core::public_function {
    function(const char* called, core::argument_names names = {})
        : public_function{called, names, blas_names} {}
};

cublasStatus_t to_cublas(heron_status status);

// guarded(__func__, f), or guarded({__func__, own names}, f).
template <class F>
cublasStatus_t guarded(const char* name, F&& f) noexcept {
    if (!core::fits_core()) return CUBLAS_STATUS_NOT_INITIALIZED;
    const auto describe = [&] { return function(name); };
    return to_cublas(core::guard<heron_status>(name, describe, std::forward<F>(f)));
}
template <class F>
cublasStatus_t guarded(const function& called, F&& f) noexcept {
    if (!core::fits_core()) return CUBLAS_STATUS_NOT_INITIALIZED;
    return to_cublas(core::guard<heron_status>(called, std::forward<F>(f)));
}

heron_type type_from(cudaDataType type, const core::subject& about);
heron_operation operation_from(cublasOperation_t operation, const core::subject& about);
// Of a rank update, which turns its operands in one way alone: as NVIDIA's library takes them, both
// transposes mean that one.
heron_operation update_operation_from(cublasOperation_t operation, heron_operation turned);
heron_fill_mode fill_from(cublasFillMode_t fill);
heron_side side_from(cublasSideMode_t side);
heron_diag_type diagonal_from(cublasDiagType_t diagonal);

// The type of what a pointer points to.
constexpr heron_type type_of(const __half*) { return HERON_R_16F; }
constexpr heron_type type_of(const __nv_bfloat16*) { return HERON_R_16BF; }
constexpr heron_type type_of(const float*) { return HERON_R_32F; }
constexpr heron_type type_of(const double*) { return HERON_R_64F; }
constexpr heron_type type_of(const cuComplex*) { return HERON_C_32F; }
constexpr heron_type type_of(const cuDoubleComplex*) { return HERON_C_64F; }
constexpr heron_index_type index_type_of(const int*) { return HERON_INDEX_32; }
constexpr heron_index_type index_type_of(const int64_t*) { return HERON_INDEX_64; }

// Operands of batches.
inline heron_batch_operand at_addresses(const void* list) {
    return {HERON_BATCH_POINTERS, HERON_INDEX_64, nullptr, 0, list, 1};
}
inline heron_batch_operand strided(const void* first, int64_t stride) {
    return {HERON_BATCH_STRIDED, HERON_INDEX_64, const_cast<void*>(first), stride, nullptr, 0};
}

}  // namespace heron::cublas
