// SpMM.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

core::product_algorithm algorithm_from(cusparseSpMMAlg_t alg) {
    static constexpr heron_format any[] = {HERON_FORMAT_COO, HERON_FORMAT_CSR, HERON_FORMAT_CSC,
                                           HERON_FORMAT_BSR, HERON_FORMAT_BLOCKED_ELL};
    static constexpr heron_format coo[] = {HERON_FORMAT_COO};
    static constexpr heron_format compressed[] = {HERON_FORMAT_CSR, HERON_FORMAT_CSC};
    static constexpr heron_format blocked_ell[] = {HERON_FORMAT_BLOCKED_ELL};
    static constexpr heron_format bsr[] = {HERON_FORMAT_BSR};
    // In CUDA 12.5 and later; older headers have no name for it.
    constexpr int spmm_bsr_alg1 = 14;
    switch (static_cast<int>(alg)) {
        case CUSPARSE_SPMM_ALG_DEFAULT: return {HERON_DEFAULT, any, 5};
        case CUSPARSE_SPMM_COO_ALG1:
        case CUSPARSE_SPMM_COO_ALG3:
        case CUSPARSE_SPMM_COO_ALG4: return {HERON_DEFAULT, coo, 1};
        case CUSPARSE_SPMM_COO_ALG2: return {HERON_DETERMINISTIC, coo, 1};
        case CUSPARSE_SPMM_CSR_ALG1:
        case CUSPARSE_SPMM_CSR_ALG2: return {HERON_DEFAULT, compressed, 2};
        case CUSPARSE_SPMM_CSR_ALG3: return {HERON_DETERMINISTIC, compressed, 2};
        case CUSPARSE_SPMM_BLOCKED_ELL_ALG1: return {HERON_DEFAULT, blocked_ell, 1};
        case spmm_bsr_alg1: return {HERON_DEFAULT, bsr, 1};
        default: core::invalid(core::role::algorithm, "is not an SpMM algorithm");
    }
}

// The three SpMM functions differ in their phase alone.
void spmm(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op_a,
          cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
          cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c, cudaDataType compute_type,
          cusparseSpMMAlg_t alg) {
    core::context& context = context_of(handle);
    const heron_operation first = operation_from(op_a, "opA"), second = operation_from(op_b, "opB");
    const sparse_matrix& matrix = in(a, "matA");
    const heron_dnmat &right = in(b, "matB").value, &result = out(c, "matC").value;
    const heron_type type = type_from(compute_type, "computeType");
    const core::product_algorithm algorithm = algorithm_from(alg);
    with_kept_analysis(matrix, phase, core::operation::spmm, [&](core::analysis* kept) {
        core::spmm(context, phase, first, second, alpha, matrix.value, right, beta, result, type, algorithm,
                   kept);
    });
}

}  // namespace

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType compute_type,
                                         cusparseSpMMAlg_t alg, size_t* size) {
    return guarded(__func__,
                   [&] { spmm(handle, sizing(size), op_a, op_b, alpha, a, b, beta, c, compute_type, alg); });
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType compute_type,
                                         cusparseSpMMAlg_t alg, void* buffer) {
    return guarded(__func__, [&] {
        spmm(handle, analysing(buffer), op_a, op_b, alpha, a, b, beta, c, compute_type, alg);
    });
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType compute_type,
                              cusparseSpMMAlg_t alg, void* buffer) {
    return guarded(__func__, [&] {
        spmm(handle, running(buffer), op_a, op_b, alpha, a, b, beta, c, compute_type, alg);
    });
}
