// SpGEMM and SpGEMMreuse.
#include "core/spgemm.hpp"
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

core::spgemm_description& description(cusparseSpGEMMDescr_t d) {
    return core::descriptor<core::spgemm_description>(d, "spgemmDescr");
}

// One engine serves all algorithms; they only have to be some.
void require_algorithm(cusparseSpGEMMAlg_t alg) {
    const int value = alg;
    core::require(value >= CUSPARSE_SPGEMM_DEFAULT && value <= CUSPARSE_SPGEMM_ALG3, "alg",
                  "is not an SpGEMM algorithm");
}

core::spgemm_operands operands(cusparseOperation_t op_a, cusparseOperation_t op_b,
                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                               cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg) {
    require_algorithm(alg);
    return {operation_from(op_a, "opA"), operation_from(op_b, "opB"), in(a, "matA"), in(b, "matB"),
            out(c, "matC")};
}

core::spgemm_scalars scalars(const void* alpha, const void* beta, cudaDataType compute_type) {
    return {alpha, beta, type_from(compute_type, "computeType")};
}

}  // namespace

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) {
    return guarded(__func__, [&] {
        core::required(descr, "descr");
        *descr = reinterpret_cast<cusparseSpGEMMDescr_t>(new core::spgemm_description);
    });
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
    return guarded(__func__, [&] { destroy<core::spgemm_description>(descr); });
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, const void* alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                               const void* beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                               cusparseSpGEMMDescr_t descr, size_t* size, void* buffer) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).work_estimation(context, operands(op_a, op_b, a, b, c, alg),
                                           scalars(alpha, beta, compute_type), {size, buffer, "bufferSize1"});
    });
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t* products) {
    return guarded(__func__, [&] {
        const core::spgemm_description& d = description(descr);
        *core::required(products, "num_prods") = d.products();
    });
}
cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, const void* alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                               const void* beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                               cusparseSpGEMMDescr_t descr, float fraction, size_t* size3,
                                               void* buffer3, size_t* size2) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).estimate_memory(context, operands(op_a, op_b, a, b, c, alg),
                                           scalars(alpha, beta, compute_type), fraction,
                                           {size3, buffer3, "bufferSize3"}, size2);
    });
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
                                        cusparseOperation_t op_b, const void* alpha,
                                        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size,
                                        void* buffer) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).compute(context, operands(op_a, op_b, a, b, c, alg),
                                   scalars(alpha, beta, compute_type), {size, buffer, "bufferSize2"});
    });
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
                                     cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                                     cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t descr) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).copy(context, operands(op_a, op_b, a, b, c, alg),
                                scalars(alpha, beta, compute_type));
    });
}

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                                    cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                                    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                                    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                                    size_t* size, void* buffer) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_work_estimation(context, operands(op_a, op_b, a, b, c, alg),
                                                 {size, buffer, "bufferSize1"});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                         cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                         cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size2,
                                         void* buffer2, size_t* size3, void* buffer3, size_t* size4,
                                         void* buffer4) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_nnz(context, operands(op_a, op_b, a, b, c, alg),
                                     {size2, buffer2, "bufferSize2"}, {size3, buffer3, "bufferSize3"},
                                     {size4, buffer4, "bufferSize4"});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                          cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                          cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size,
                                          void* buffer) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_copy(context, operands(op_a, op_b, a, b, c, alg),
                                      {size, buffer, "bufferSize5"});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
                                             cusparseOperation_t op_b, const void* alpha,
                                             cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                             const void* beta, cusparseSpMatDescr_t c,
                                             cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                             cusparseSpGEMMDescr_t descr) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_compute(context, operands(op_a, op_b, a, b, c, alg),
                                         scalars(alpha, beta, compute_type));
    });
}
