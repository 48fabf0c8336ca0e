// SparseToDense and DenseToSparse.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

void sparse_to_dense(cusparseHandle_t handle, const core::phase_call& phase, cusparseConstSpMatDescr_t a,
                     cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg) {
    core::context& c = context_of(handle);
    require_default(alg);
    core::sparse_to_dense(c, phase, in(a, "matA").value, out(b, "matB").value);
}

void dense_to_sparse(cusparseHandle_t handle, const core::phase_call& phase, cusparseConstDnMatDescr_t a,
                     cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg) {
    core::context& c = context_of(handle);
    require_default(alg);
    sparse_matrix& result = out(b, "matB");
    core::dense_to_sparse(c, phase, in(a, "matA").value, result.value);
    if (phase.phase != HERON_PHASE_SIZE) result.analyses.clear();
}

}  // namespace

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg,
                                                  size_t* size) {
    return guarded(__func__, [&] { sparse_to_dense(handle, sizing(size), a, b, alg); });
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg, void* buffer) {
    return guarded(__func__, [&] { sparse_to_dense(handle, running(buffer), a, b, alg); });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg,
                                                  size_t* size) {
    return guarded(__func__, [&] { dense_to_sparse(handle, sizing(size), a, b, alg); });
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg,
                                                void* buffer) {
    return guarded(__func__, [&] { dense_to_sparse(handle, analysing(buffer), a, b, alg); });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg,
                                               void* buffer) {
    return guarded(__func__, [&] { dense_to_sparse(handle, running(buffer), a, b, alg); });
}
