#include "translate.hpp"
#include <fmt/format.h>

namespace heron::cublas {
namespace {

struct type_pair {
    cudaDataType cuda;
    heron_type heron;
};

constexpr type_pair types[] = {
    {CUDA_R_8I, HERON_R_8I},     {CUDA_R_32I, HERON_R_32I},   {CUDA_R_16F, HERON_R_16F},
    {CUDA_R_16BF, HERON_R_16BF}, {CUDA_R_32F, HERON_R_32F},   {CUDA_R_64F, HERON_R_64F},
    {CUDA_C_16F, HERON_C_16F},   {CUDA_C_16BF, HERON_C_16BF}, {CUDA_C_32F, HERON_C_32F},
    {CUDA_C_64F, HERON_C_64F},
};

[[noreturn]] void out_of_range(const core::subject& about, int value) {
    core::invalid(about, fmt::format("{} is not one of its values", value));
}

using core::part;
using core::role;

constexpr core::argument_name names[] = {
    {role::handle, "handle"},
    {role::rows, "m"},
    {role::columns, "n"},
    {role::inner, "k"},
    {role::lower_bandwidth, "kl"},
    {role::upper_bandwidth, "ku"},
    {role::count, "batchCount"},
    {role::alpha, "alpha"},
    {role::beta, "beta"},
    {role::a, "A"},
    {{role::a, part::ld}, "lda"},
    {{role::a, part::stride}, "strideA"},
    {role::b, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::b, part::stride}, "strideB"},
    {role::c, "C"},
    {{role::c, part::ld}, "ldc"},
    {{role::c, part::stride}, "strideC"},
    {role::x, "x"},
    {{role::x, part::inc}, "incx"},
    {role::y, "y"},
    {{role::y, part::inc}, "incy"},
    {role::operation_a, "trans"},
    {role::operation_b, "transb"},
    {role::fill, "uplo"},
    {role::side, "side"},
    {role::diagonal, "diag"},
    {role::result, "result"},
    {role::cosine, "c"},
    {role::sine, "s"},
    {role::parameters, "param"},
    {role::compute_type, "computeType"},
    {role::workspace, "workspace"},
};

}  // namespace

constinit const core::argument_names blas_names = names;

cublasStatus_t to_cublas(heron_status status) {
    switch (status) {
        case HERON_SUCCESS: return CUBLAS_STATUS_SUCCESS;
        case HERON_NOT_INITIALIZED: return CUBLAS_STATUS_NOT_INITIALIZED;
        // The workspace that a program gave is too small.
        case HERON_INSUFFICIENT_RESOURCES:
        case HERON_ALLOC_FAILED: return CUBLAS_STATUS_ALLOC_FAILED;
        case HERON_MATRIX_TYPE_NOT_SUPPORTED:
        case HERON_INVALID_VALUE: return CUBLAS_STATUS_INVALID_VALUE;
        case HERON_ARCH_MISMATCH: return CUBLAS_STATUS_ARCH_MISMATCH;
        case HERON_MAPPING_ERROR: return CUBLAS_STATUS_MAPPING_ERROR;
        case HERON_EXECUTION_FAILED: return CUBLAS_STATUS_EXECUTION_FAILED;
        case HERON_NOT_SUPPORTED: return CUBLAS_STATUS_NOT_SUPPORTED;
        case HERON_ZERO_PIVOT:
        case HERON_INTERNAL_ERROR: break;
    }
    return CUBLAS_STATUS_INTERNAL_ERROR;
}

heron_type type_from(cudaDataType type, const core::subject& about) {
    for (const type_pair& pair : types)
        if (pair.cuda == type) return pair.heron;
    if (type < 0 || type > CUDA_R_4F_E2M1) out_of_range(about, type);
    core::not_supported(about, fmt::format("cudaDataType {} is not supported", static_cast<int>(type)));
}

heron_operation operation_from(cublasOperation_t operation, const core::subject& about) {
    switch (operation) {
        case CUBLAS_OP_N: return HERON_OP_NONE;
        case CUBLAS_OP_T: return HERON_OP_TRANSPOSE;
        case CUBLAS_OP_C: return HERON_OP_CONJUGATE_TRANSPOSE;
        case CUBLAS_OP_CONJG: break;  // a placeholder, NVIDIA's header says
    }
    out_of_range(about, operation);
}

heron_operation update_operation_from(cublasOperation_t operation, heron_operation turned) {
    return operation_from(operation, role::operation_a) == HERON_OP_NONE ? HERON_OP_NONE : turned;
}

heron_fill_mode fill_from(cublasFillMode_t fill) {
    if (fill != CUBLAS_FILL_MODE_LOWER && fill != CUBLAS_FILL_MODE_UPPER) out_of_range(role::fill, fill);
    return fill == CUBLAS_FILL_MODE_LOWER ? HERON_FILL_LOWER : HERON_FILL_UPPER;
}

heron_side side_from(cublasSideMode_t side) {
    if (side != CUBLAS_SIDE_LEFT && side != CUBLAS_SIDE_RIGHT) out_of_range(role::side, side);
    return side == CUBLAS_SIDE_LEFT ? HERON_SIDE_LEFT : HERON_SIDE_RIGHT;
}

heron_diag_type diagonal_from(cublasDiagType_t diagonal) {
    if (diagonal != CUBLAS_DIAG_NON_UNIT && diagonal != CUBLAS_DIAG_UNIT)
        out_of_range(role::diagonal, diagonal);
    return diagonal == CUBLAS_DIAG_UNIT ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT;
}

heron_gemm_algorithm handle::algorithm_for(heron_type type) const {
    const int mode = math_mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    const bool rounds = mode == CUBLAS_TF32_TENSOR_OP_MATH || mode == CUBLAS_TENSOR_OP_MATH;
    return rounds && type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT;
}

}  // namespace heron::cublas
