// SpSV and SpSM.
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::solver_names spsv_names{"cusparseSpSV", "spsvDescr", "vecX", "vecY"};
constexpr core::solver_names spsm_names{"cusparseSpSM", "spsmDescr", "matB", "matC"};

core::triangular_solver& solver(cusparseSpSVDescr_t d) {
    return core::descriptor<core::triangular_solver>(d, spsv_names.descriptor);
}
core::triangular_solver& solver(cusparseSpSMDescr_t d) {
    return core::descriptor<core::triangular_solver>(d, spsm_names.descriptor);
}

template <class Descr>
void create(Descr* descr, const core::solver_names& names) {
    Descr& made = *core::required(descr, names.descriptor);
    made = reinterpret_cast<Descr>(new core::triangular_solver(names));
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
    core::spsv(c, phase, solver(descr), operation_from(op, "opA"), alpha, in(a, "matA"),
               optional && !x ? nullptr : &in(x, "vecX"), optional && !y ? nullptr : &out(y, "vecY"),
               type_from(compute_type, "computeType"));
}

void spsm(cusparseHandle_t handle, const core::phase_call& phase, cusparseOperation_t op_a,
          cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
          cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c_matrix, cudaDataType compute_type,
          cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr) {
    core::context& c = context_of(handle);
    require_default(alg);
    core::spsm(c, phase, solver(descr), operation_from(op_a, "opA"), operation_from(op_b, "opB"), alpha,
               in(a, "matA"), in(b, "matB"), out(c_matrix, "matC"), type_from(compute_type, "computeType"));
}

}  // namespace

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr) {
    return guarded(__func__, [&] { create(descr, spsv_names); });
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
    return guarded(__func__, [&] { destroy<core::triangular_solver>(descr); });
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType compute_type,
                                         cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, size_t* size) {
    return guarded(__func__,
                   [&] { spsv(handle, sizing(size), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                       cusparseDnVecDescr_t y, cudaDataType compute_type,
                                       cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, void* buffer) {
    return guarded(__func__,
                   [&] { spsv(handle, analysing(buffer), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t descr) {
    return guarded(__func__,
                   [&] { spsv(handle, running(nullptr), op, alpha, a, x, y, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t descr, void* values,
                                           cusparseSpSVUpdate_t part) {
    return guarded(__func__, [&] {
        core::update_triangular(context_of(handle), solver(descr), values, part_from(part));
    });
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descr) {
    return guarded(__func__, [&] { create(descr, spsm_names); });
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) {
    return guarded(__func__, [&] { destroy<core::triangular_solver>(descr); });
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType compute_type,
                                         cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, size_t* size) {
    return guarded(__func__,
                   [&] { spsm(handle, sizing(size), op_a, op_b, alpha, a, b, c, compute_type, alg, descr); });
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op_a,
                                       cusparseOperation_t op_b, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType compute_type,
                                       cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, void* buffer) {
    return guarded(__func__, [&] {
        spsm(handle, analysing(buffer), op_a, op_b, alpha, a, b, c, compute_type, alg, descr);
    });
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a,
                                    cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c,
                                    cudaDataType compute_type, cusparseSpSMAlg_t alg,
                                    cusparseSpSMDescr_t descr) {
    return guarded(__func__, [&] {
        spsm(handle, running(nullptr), op_a, op_b, alpha, a, b, c, compute_type, alg, descr);
    });
}
cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t descr, void* values,
                                           cusparseSpSMUpdate_t part) {
    return guarded(__func__, [&] {
        core::update_triangular(context_of(handle), solver(descr), values, part_from(part));
    });
}
