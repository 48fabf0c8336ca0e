// SDDMM.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

// The three SDDMM functions differ in their phase alone.
void sddmm(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op_a,
           cusparseOperation_t op_b, const void* alpha, cusparseConstDnMatDescr_t a,
           cusparseConstDnMatDescr_t b, const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
           cusparseSDDMMAlg_t alg) {
    core::context& context = context_of(handle);
    require_default(alg);
    core::sddmm(context, phase, operation_from(op_a, "opA"), operation_from(op_b, "opB"), alpha,
                in(a, "matA").value, in(b, "matB").value, beta, out(c, "matC").value,
                type_from(compute_type, "computeType"));
}

}  // namespace

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void* alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
                                          cusparseSDDMMAlg_t alg, size_t* size) {
    return guarded(__func__,
                   [&] { sddmm(handle, sizing(size), op_a, op_b, alpha, a, b, beta, c, compute_type, alg); });
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void* alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
                                          cusparseSDDMMAlg_t alg, void* buffer) {
    return guarded(__func__, [&] {
        sddmm(handle, analysing(buffer), op_a, op_b, alpha, a, b, beta, c, compute_type, alg);
    });
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
                               cusparseSDDMMAlg_t alg, void* buffer) {
    return guarded(__func__, [&] {
        sddmm(handle, running(buffer), op_a, op_b, alpha, a, b, beta, c, compute_type, alg);
    });
}
