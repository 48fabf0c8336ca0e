// SpSV through csrsv2.
#include "operands.hpp"

using namespace heron::tools;

namespace {

constexpr auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

struct solver {
    solver() { cusparseCreateCsrsv2Info(&info); }
    ~solver() { cusparseDestroyCsrsv2Info(info); }
    solver(const solver&) = delete;
    solver& operator=(const solver&) = delete;

    // The descriptor with the triangle that the matrix names.
    cusparseMatDescr_t triangle_of(cusparseConstSpMatDescr_t matrix) const {
        cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
        cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
        cusparseSpMatGetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
        cusparseSpMatGetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag);
        cusparseSetMatFillMode(descr.get(), fill);
        cusparseSetMatDiagType(descr.get(), diag);
        return descr.get();
    }

    csrsv2Info_t info = nullptr;
    descriptor descr = general_matrix();
    void* buffer = nullptr;
};

solver& solver_of(cusparseSpSVDescr_t descr) { return *reinterpret_cast<solver*>(descr); }

}  // namespace

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr) {
    *descr = reinterpret_cast<cusparseSpSVDescr_t>(new solver);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
    delete &solver_of(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void*,
                                         cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t descr, size_t* size) {
    csr_operand a;
    if (!describe(matrix, a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    auto& s = solver_of(descr);
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrsv2_size(handle, op, a.rows, a.nnz, s.triangle_of(matrix), a.of<T>(), a.offsets,
                                       a.columns, s.info, size);
    });
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void*,
                                       cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t,
                                       cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                       cusparseSpSVDescr_t descr, void* buffer) {
    csr_operand a;
    if (!describe(matrix, a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    auto& s = solver_of(descr);
    s.buffer = buffer;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrsv2_analysis(handle, op, a.rows, a.nnz, s.descr.get(), a.of<T>(), a.offsets,
                                           a.columns, s.info, policy, buffer);
    });
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType, cusparseSpSVAlg_t,
                                    cusparseSpSVDescr_t descr) {
    csr_operand a;
    describe(matrix, a);
    auto& s = solver_of(descr);
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrsv2_solve(handle, op, a.rows, a.nnz, static_cast<const T*>(alpha),
                                        s.descr.get(), a.of<T>(), a.offsets, a.columns, s.info,
                                        static_cast<const T*>(describe(x)), static_cast<T*>(describe(y)),
                                        policy, s.buffer);
    });
}

}  // extern "C"
