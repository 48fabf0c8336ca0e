// ConstrainedGeMM.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

// The two functions differ in their phase alone.
void constrained_gemm(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op_a,
                      cusparseOperation_t op_b, const void* alpha, cusparseDnMatDescr_t a,
                      cusparseDnMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                      cudaDataType compute_type) {
    core::context& context = context_of(handle);
    core::sddmm(context, phase, operation_from(op_a, "opA"), operation_from(op_b, "opB"), alpha,
                in(a, "matA").value, in(b, "matB").value, beta, out(c, "matC").value,
                type_from(compute_type, "computeType"));
}

}  // namespace

cusparseStatus_t cusparseConstrainedGeMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                                    cusparseOperation_t op_b, const void* alpha,
                                                    cusparseDnMatDescr_t a, cusparseDnMatDescr_t b,
                                                    const void* beta, cusparseSpMatDescr_t c,
                                                    cudaDataType compute_type, size_t* size) {
    return guarded(__func__, [&] {
        constrained_gemm(handle, sizing(size), op_a, op_b, alpha, a, b, beta, c, compute_type);
    });
}
cusparseStatus_t cusparseConstrainedGeMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha, cusparseDnMatDescr_t a,
                                         cusparseDnMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                                         cudaDataType compute_type, void* buffer) {
    return guarded(__func__, [&] {
        constrained_gemm(handle, running(buffer), op_a, op_b, alpha, a, b, beta, c, compute_type);
    });
}
