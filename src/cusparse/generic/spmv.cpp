// SpMV.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

core::product_algorithm algorithm_from(cusparseSpMVAlg_t alg) {
    static constexpr heron_format coo[] = {HERON_FORMAT_COO};
    static constexpr heron_format compressed[] = {HERON_FORMAT_CSR, HERON_FORMAT_CSC};
    static constexpr heron_format sell[] = {HERON_FORMAT_SELL};
    static constexpr heron_format bsr[] = {HERON_FORMAT_BSR};
    // In CUDA 13.0.1 and later; older headers have no name for it.
    constexpr int spmv_bsr_alg1 = 6;
    switch (static_cast<int>(alg)) {
        case CUSPARSE_SPMV_ALG_DEFAULT: return {};
        case CUSPARSE_SPMV_COO_ALG1: return {HERON_DEFAULT, coo, 1};
        case CUSPARSE_SPMV_COO_ALG2: return {HERON_DETERMINISTIC, coo, 1};
        case CUSPARSE_SPMV_CSR_ALG1: return {HERON_DEFAULT, compressed, 2};
        case CUSPARSE_SPMV_CSR_ALG2: return {HERON_DETERMINISTIC, compressed, 2};
        case CUSPARSE_SPMV_SELL_ALG1: return {HERON_DETERMINISTIC, sell, 1};
        case spmv_bsr_alg1: return {HERON_DEFAULT, bsr, 1};
        default: core::invalid(core::role::algorithm, "is not an SpMV algorithm");
    }
}

// The three SpMV functions differ in their phase alone.
void spmv(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op, const void* alpha,
          cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y,
          cudaDataType compute_type, cusparseSpMVAlg_t alg) {
    core::context& c = context_of(handle);
    const heron_operation operation = operation_from(op, "opA");
    const sparse_matrix& matrix = in(a, "matA");
    const heron_dnvec &right = in(x, "vecX").value, &result = out(y, "vecY").value;
    const heron_type type = type_from(compute_type, "computeType");
    const core::product_algorithm algorithm = algorithm_from(alg);
    with_kept_analysis(matrix, phase, core::operation::spmv, [&](core::analysis* kept) {
        core::spmv(c, phase, operation, alpha, matrix.value, right, beta, result, type, algorithm, kept);
    });
}

}  // namespace

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         const void* beta, cusparseDnVecDescr_t y, cudaDataType compute_type,
                                         cusparseSpMVAlg_t alg, size_t* size) {
    return guarded(__func__,
                   [&] { spmv(handle, sizing(size), op, alpha, a, x, beta, y, compute_type, alg); });
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         const void* beta, cusparseDnVecDescr_t y, cudaDataType compute_type,
                                         cusparseSpMVAlg_t alg, void* buffer) {
    return guarded(__func__,
                   [&] { spmv(handle, analysing(buffer), op, alpha, a, x, beta, y, compute_type, alg); });
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpMVAlg_t alg,
                              void* buffer) {
    return guarded(__func__,
                   [&] { spmv(handle, running(buffer), op, alpha, a, x, beta, y, compute_type, alg); });
}
