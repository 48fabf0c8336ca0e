// Axpby, Gather, Scatter, Rot, SpVV, SpMV and the conversions between sparse and dense.
#include "translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

const core::sparse_vector& in(cusparseConstSpVecDescr_t v, const char* argument) {
    return core::descriptor<core::sparse_vector>(v, argument);
}
const core::dense_vector& in(cusparseConstDnVecDescr_t v, const char* argument) {
    return core::descriptor<core::dense_vector>(v, argument);
}
const core::sparse_matrix& in(cusparseConstSpMatDescr_t m, const char* argument) {
    return core::descriptor<core::sparse_matrix>(m, argument);
}
const core::dense_matrix& in(cusparseConstDnMatDescr_t m, const char* argument) {
    return core::descriptor<core::dense_matrix>(m, argument);
}
core::sparse_vector& out(cusparseSpVecDescr_t v, const char* argument) {
    return core::writable<core::sparse_vector>(v, argument);
}
core::dense_vector& out(cusparseDnVecDescr_t v, const char* argument) {
    return core::writable<core::dense_vector>(v, argument);
}
core::sparse_matrix& out(cusparseSpMatDescr_t m, const char* argument) {
    return core::writable<core::sparse_matrix>(m, argument);
}
core::dense_matrix& out(cusparseDnMatDescr_t m, const char* argument) {
    return core::writable<core::dense_matrix>(m, argument);
}

core::phase_call sizing(size_t* size) { return {HERON_PHASE_SIZE, core::required(size, "bufferSize"), nullptr}; }
core::phase_call analysing(void* buffer) { return {HERON_PHASE_ANALYSE, nullptr, buffer}; }
core::phase_call running(void* buffer) { return {HERON_PHASE_RUN, nullptr, buffer}; }

core::spmv_algorithm algorithm_from(cusparseSpMVAlg_t alg) {
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
        default: core::invalid("alg", "is not an SpMV algorithm");
    }
}

void require_default(int alg) { core::require(alg == 0, "alg", "is not an algorithm of this function"); }

// The three SpMV functions differ in their phase alone.
void spmv(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op, const void* alpha,
          cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y,
          cudaDataType compute_type, cusparseSpMVAlg_t alg) {
    core::spmv(context_of(handle), phase, operation_from(op, "opA"), alpha, in(a, "matA"), in(x, "vecX"), beta,
               out(y, "vecY"), type_from(compute_type, "computeType"), algorithm_from(alg));
}

void spvv(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
          cusparseConstDnVecDescr_t y, const void* result, cudaDataType compute_type) {
    core::spvv(context_of(handle), phase, operation_from(op, "opX"), in(x, "vecX"), in(y, "vecY"),
               const_cast<void*>(result), type_from(compute_type, "computeType"));
}

void sparse_to_dense(cusparseHandle_t handle, const core::phase_call& phase, cusparseConstSpMatDescr_t a,
                     cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg) {
    core::context& c = context_of(handle);
    require_default(alg);
    core::sparse_to_dense(c, phase, in(a, "matA"), out(b, "matB"));
}

void dense_to_sparse(cusparseHandle_t handle, const core::phase_call& phase, cusparseConstDnMatDescr_t a,
                     cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg) {
    core::context& c = context_of(handle);
    require_default(alg);
    core::dense_to_sparse(c, phase, in(a, "matA"), out(b, "matB"));
}

}  // namespace

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x, const void* beta,
                               cusparseDnVecDescr_t y) {
    return guarded(__func__, [&] { core::axpby(context_of(handle), alpha, in(x, "vecX"), beta, out(y, "vecY")); });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
    return guarded(__func__, [&] { core::gather(context_of(handle), in(y, "vecY"), out(x, "vecX")); });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
    return guarded(__func__, [&] { core::scatter(context_of(handle), in(x, "vecX"), out(y, "vecY")); });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c, const void* s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y) {
    return guarded(__func__, [&] { core::rot(context_of(handle), c, s, out(x, "vecX"), out(y, "vecY")); });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void* result, cudaDataType compute_type,
                                         size_t* size) {
    return guarded(__func__, [&] { spvv(handle, sizing(size), op, x, y, result, compute_type); });
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void* result, cudaDataType compute_type, void* buffer) {
    return guarded(__func__, [&] { spvv(handle, running(buffer), op, x, y, result, compute_type); });
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpMVAlg_t alg,
                                         size_t* size) {
    return guarded(__func__, [&] { spmv(handle, sizing(size), op, alpha, a, x, beta, y, compute_type, alg); });
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpMVAlg_t alg,
                                         void* buffer) {
    return guarded(__func__, [&] { spmv(handle, analysing(buffer), op, alpha, a, x, beta, y, compute_type, alg); });
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpMVAlg_t alg, void* buffer) {
    return guarded(__func__, [&] { spmv(handle, running(buffer), op, alpha, a, x, beta, y, compute_type, alg); });
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg, size_t* size) {
    return guarded(__func__, [&] { sparse_to_dense(handle, sizing(size), a, b, alg); });
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t alg, void* buffer) {
    return guarded(__func__, [&] { sparse_to_dense(handle, running(buffer), a, b, alg); });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, size_t* size) {
    return guarded(__func__, [&] { dense_to_sparse(handle, sizing(size), a, b, alg); });
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void* buffer) {
    return guarded(__func__, [&] { dense_to_sparse(handle, analysing(buffer), a, b, alg); });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg, void* buffer) {
    return guarded(__func__, [&] { dense_to_sparse(handle, running(buffer), a, b, alg); });
}
