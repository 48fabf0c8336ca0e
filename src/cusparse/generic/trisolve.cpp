// SpSV and SpSM.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name spsv_names[] = {
    {core::role::b, "vecX"},
    {core::role::c, "vecY"},
    {core::role::analysis, "spsvDescr"},
    {core::role::size_phase, "cusparseSpSV_bufferSize"},
    {core::role::analysis_phase, "cusparseSpSV_analysis"},
};
constexpr core::argument_name spsm_names[] = {
    {core::role::analysis, "spsmDescr"},
    {core::role::size_phase, "cusparseSpSM_bufferSize"},
    {core::role::analysis_phase, "cusparseSpSM_analysis"},
};

// Of either function.
template <class Descr>
core::analysis& analysis_of(Descr d) {
    return object<core::analysis>(d, core::role::analysis);
}

template <class Descr>
void create(Descr* descr) {
    Descr& made = *core::required(descr, core::role::analysis);
    made = reinterpret_cast<Descr>(core::make_triangular_analysis().release());
}

core::matrix_part part_from(int part) {
    core::require(part == CUSPARSE_SPSV_UPDATE_GENERAL || part == CUSPARSE_SPSV_UPDATE_DIAGONAL, "updatePart",
                  "is not one of its values");
    return part == CUSPARSE_SPSV_UPDATE_GENERAL ? core::matrix_part::values : core::matrix_part::diagonal;
}

// Until the solution is asked for, the vectors may be missing.
void spsv(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op, const void* alpha,
          cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
          cudaDataType compute_type, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr) {
    const bool optional = phase.phase != HERON_PHASE_RUN;
    core::context& c = context_of(handle);
    require_default(alg);
    const sparse_matrix& matrix = in(a, "matA");
    core::spsv(c, phase, analysis_of(descr), operation_from(op, "opA"), alpha, matrix.value,
               optional && !x ? nullptr : &in(x, "vecX").value,
               optional && !y ? nullptr : &out(y, "vecY").value, type_from(compute_type, "computeType"),
               matrix.values_changed);
}

void spsm(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op_a,
          cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
          cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c_matrix, cudaDataType compute_type,
          cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr) {
    core::context& c = context_of(handle);
    require_default(alg);
    const sparse_matrix& matrix = in(a, "matA");
    core::spsm(c, phase, analysis_of(descr), operation_from(op_a, "opA"), operation_from(op_b, "opB"), alpha,
               matrix.value, in(b, "matB").value, out(c_matrix, "matC").value,
               type_from(compute_type, "computeType"), matrix.values_changed);
}

}  // namespace

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr) {
    return guarded({__func__, spsv_names}, [&] { create(descr); });
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
    return guarded({__func__, spsv_names}, [&] { destroy<core::analysis>(descr); });
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType compute_type,
                                         cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, size_t* size) {
    return guarded({__func__, spsv_names},
                   [&] { spsv(handle, sizing(size), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                       cusparseDnVecDescr_t y, cudaDataType compute_type,
                                       cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, void* buffer) {
    return guarded({__func__, spsv_names},
                   [&] { spsv(handle, analysing(buffer), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t descr) {
    return guarded({__func__, spsv_names},
                   [&] { spsv(handle, running(nullptr), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t descr, void* values,
                                           cusparseSpSVUpdate_t part) {
    return guarded({__func__, spsv_names}, [&] {
        core::update_triangular(context_of(handle), analysis_of(descr), values, part_from(part));
    });
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descr) {
    return guarded({__func__, spsm_names}, [&] { create(descr); });
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) {
    return guarded({__func__, spsm_names}, [&] { destroy<core::analysis>(descr); });
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType compute_type,
                                         cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, size_t* size) {
    return guarded({__func__, spsm_names},
                   [&] { spsm(handle, sizing(size), op_a, op_b, alpha, a, b, c, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op_a,
                                       cusparseOperation_t op_b, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType compute_type,
                                       cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, void* buffer) {
    return guarded({__func__, spsm_names}, [&] {
        spsm(handle, analysing(buffer), op_a, op_b, alpha, a, b, c, compute_type, alg, descr);
    });
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a,
                                    cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c,
                                    cudaDataType compute_type, cusparseSpSMAlg_t alg,
                                    cusparseSpSMDescr_t descr) {
    return guarded({__func__, spsm_names}, [&] {
        spsm(handle, running(nullptr), op_a, op_b, alpha, a, b, c, compute_type, alg, descr);
    });
}
cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t descr, void* values,
                                           cusparseSpSMUpdate_t part) {
    return guarded({__func__, spsm_names}, [&] {
        core::update_triangular(context_of(handle), analysis_of(descr), values, part_from(part));
    });
}
