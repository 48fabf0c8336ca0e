// SpSV and SpSM.
#include "mkl.hpp"

using namespace heron::tools::mkl;

struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* made) {
    *made = new cusparseSpSVDescr;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t solver) {
    delete solver;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t, size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t op, const void*,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t,
                                       cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                       cusparseSpSVDescr_t, void*) {
    return prepare<int, matrix_kind, int>(a->handle, "mkl_sparse_set_sv_hint", operation(op), a->triangle,
                                          many_calls);
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    cusparseDnVecDescr_t y, cudaDataType, cusparseSpSVAlg_t,
                                    cusparseSpSVDescr_t) {
    return by_type(a->type, [&]<class T>(T) {
        const auto trsv = functions<T>::all().trsv;
        if (!trsv) return CUSPARSE_STATUS_NOT_SUPPORTED;
        return status_of(trsv(operation(op), *static_cast<const T*>(alpha), a->handle, a->triangle,
                              static_cast<const T*>(x->values), static_cast<T*>(y->values)));
    });
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* made) {
    *made = new cusparseSpSMDescr;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t solver) {
    delete solver;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t,
                                         cusparseSpSMDescr_t, size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t, cusparseOperation_t op, cusparseOperation_t,
                                       const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t,
                                       cusparseDnMatDescr_t c, cudaDataType, cusparseSpSMAlg_t,
                                       cusparseSpSMDescr_t, void*) {
    return prepare<int, matrix_kind, int, int, int>(a->handle, "mkl_sparse_set_sm_hint", operation(op),
                                                    a->triangle, c->layout(), c->cols, many_calls);
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t, cusparseOperation_t op, cusparseOperation_t,
                                    const void* alpha, cusparseConstSpMatDescr_t a,
                                    cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType,
                                    cusparseSpSMAlg_t, cusparseSpSMDescr_t) {
    return by_type(a->type, [&]<class T>(T) {
        const auto trsm = functions<T>::all().trsm;
        if (!trsm) return CUSPARSE_STATUS_NOT_SUPPORTED;
        return status_of(trsm(operation(op), *static_cast<const T*>(alpha), a->handle, a->triangle,
                              c->layout(), static_cast<const T*>(b->values), c->cols, b->ld,
                              static_cast<T*>(c->values), c->ld));
    });
}

}  // extern "C"
