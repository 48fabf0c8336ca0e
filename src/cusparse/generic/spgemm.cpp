// SpGEMM and SpGEMMreuse.
#include "core/ops/spgemm.hpp"
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name names[] = {
    {core::role::analysis, "spgemmDescr"},       {core::role::workspace_size, "bufferSize#"},
    {core::role::fraction, "chunk_fraction"},    {core::role::estimate_phase, "SpGEMM_workEstimation"},
    {core::role::count_phase, "SpGEMM_compute"}, {core::role::copy_phase, "SpGEMM_copy"},
};
constexpr core::argument_name reuse_names[] = {
    {core::role::analysis, "spgemmDescr"},
    {core::role::workspace_size, "bufferSize#"},
    {core::role::estimate_phase, "SpGEMMreuse_workEstimation"},
    {core::role::count_phase, "SpGEMMreuse_nnz"},
    {core::role::copy_phase, "SpGEMMreuse_copy"},
};

core::spgemm_description& description(cusparseSpGEMMDescr_t d) {
    auto& kept = object<core::analysis>(d, core::role::analysis);
    return core::as<core::spgemm_analysis>(kept).description;
}

// One engine serves all algorithms; they only have to be some.
void require_algorithm(cusparseSpGEMMAlg_t alg) {
    const int value = alg;
    core::require(value >= CUSPARSE_SPGEMM_DEFAULT && value <= CUSPARSE_SPGEMM_ALG3, core::role::algorithm,
                  "is not an SpGEMM algorithm");
}

core::spgemm_operands operands(cusparseOperation_t op_a, cusparseOperation_t op_b,
                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                               cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg) {
    require_algorithm(alg);
    const heron_operation first = operation_from(op_a, "opA"), second = operation_from(op_b, "opB");
    const sparse_matrix &left = in(a, "matA"), &right = in(b, "matB");
    sparse_matrix& result = out(c, "matC");
    return {first, second, left.value, right.value, result.value};
}

// For the phases that write C's pattern, of which analyses are out of date then.
core::spgemm_operands operands_with_new_pattern(cusparseOperation_t op_a, cusparseOperation_t op_b,
                                                cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                                cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t alg) {
    const core::spgemm_operands x = operands(op_a, op_b, a, b, c, alg);
    out(c, "matC").analyses.clear();
    return x;
}

core::spgemm_scalars scalars(const void* alpha, const void* beta, cudaDataType compute_type) {
    return {alpha, beta, type_from(compute_type, "computeType")};
}

}  // namespace

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) {
    return guarded({__func__, names}, [&] {
        core::required(descr, "descr");
        *descr = reinterpret_cast<cusparseSpGEMMDescr_t>(new core::spgemm_analysis);
    });
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
    return guarded({__func__, names}, [&] { destroy<core::analysis>(descr); });
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, const void* alpha,
                                               cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                               const void* beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                               cusparseSpGEMMDescr_t descr, size_t* size, void* buffer) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        description(descr).work_estimation(context, operands(op_a, op_b, a, b, c, alg),
                                           scalars(alpha, beta, compute_type), {size, buffer, 1});
    });
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t* products) {
    return guarded({__func__, names}, [&] {
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
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        description(descr).estimate_memory(context, operands(op_a, op_b, a, b, c, alg),
                                           scalars(alpha, beta, compute_type), fraction, {size3, buffer3, 3},
                                           size2);
    });
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
                                        cusparseOperation_t op_b, const void* alpha,
                                        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void* beta, cusparseSpMatDescr_t c, cudaDataType compute_type,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size,
                                        void* buffer) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        description(descr).compute(context, operands_with_new_pattern(op_a, op_b, a, b, c, alg),
                                   scalars(alpha, beta, compute_type), {size, buffer, 2});
    });
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
                                     cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                                     cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t descr) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        description(descr).copy(context, operands_with_new_pattern(op_a, op_b, a, b, c, alg),
                                scalars(alpha, beta, compute_type));
    });
}

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                                    cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                                    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                                    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                                    size_t* size, void* buffer) {
    return guarded({__func__, reuse_names}, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_work_estimation(context, operands(op_a, op_b, a, b, c, alg),
                                                 {size, buffer, 1});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                         cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                         cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size2,
                                         void* buffer2, size_t* size3, void* buffer3, size_t* size4,
                                         void* buffer4) {
    return guarded({__func__, reuse_names}, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_nnz(context, operands_with_new_pattern(op_a, op_b, a, b, c, alg),
                                     {size2, buffer2, 2}, {size3, buffer3, 3}, {size4, buffer4, 4});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                          cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                          cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t* size,
                                          void* buffer) {
    return guarded({__func__, reuse_names}, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_copy(context, operands_with_new_pattern(op_a, op_b, a, b, c, alg),
                                      {size, buffer, 5});
    });
}
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
                                             cusparseOperation_t op_b, const void* alpha,
                                             cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                             const void* beta, cusparseSpMatDescr_t c,
                                             cudaDataType compute_type, cusparseSpGEMMAlg_t alg,
                                             cusparseSpGEMMDescr_t descr) {
    return guarded({__func__, reuse_names}, [&] {
        core::context& context = context_of(handle);
        description(descr).reuse_compute(context, operands(op_a, op_b, a, b, c, alg),
                                         scalars(alpha, beta, compute_type));
    });
}
