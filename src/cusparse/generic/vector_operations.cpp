// Axpby, Gather, Scatter, Rot and SpVV.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

void spvv(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op,
          cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, const void* result,
          cudaDataType compute_type) {
    core::spvv(context_of(handle), phase, operation_from(op, "opX"), in(x, "vecX").value, in(y, "vecY").value,
               const_cast<void*>(result), type_from(compute_type, "computeType"));
}

}  // namespace

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                               const void* beta, cusparseDnVecDescr_t y) {
    return guarded(__func__, [&] {
        core::axpby(context_of(handle), alpha, in(x, "vecX").value, beta, out(y, "vecY").value);
    });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x) {
    return guarded(__func__,
                   [&] { core::gather(context_of(handle), in(y, "vecY").value, out(x, "vecX").value); });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y) {
    return guarded(__func__,
                   [&] { core::scatter(context_of(handle), in(x, "vecX").value, out(y, "vecY").value); });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c, const void* s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y) {
    return guarded(__func__,
                   [&] { core::rot(context_of(handle), c, s, out(x, "vecX").value, out(y, "vecY").value); });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void* result, cudaDataType compute_type, size_t* size) {
    return guarded(__func__, [&] { spvv(handle, sizing(size), op, x, y, result, compute_type); });
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void* result, cudaDataType compute_type,
                              void* buffer) {
    return guarded(__func__, [&] { spvv(handle, running(buffer), op, x, y, result, compute_type); });
}
