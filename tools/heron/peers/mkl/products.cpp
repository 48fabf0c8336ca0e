// SpMV, SpMM and SpGEMM.
#include "mkl.hpp"

#include <cstring>
#include <memory>

using namespace heron::tools::mkl;

namespace {

const matrix_kind whole{};

}  // namespace

// A product of two sparse matrices, in MKL's memory until it is copied.
struct cusparseSpGEMMDescr {
    ~cusparseSpGEMMDescr() {
        if (result) library().get<int(matrix)>("mkl_sparse_destroy")(result);
    }
    matrix result = nullptr;
    int *offsets = nullptr, *columns = nullptr;
    void* values = nullptr;
};

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t,
                                         size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t op, const void*,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
    prepare<int, matrix_kind, int>(a->handle, "mkl_sparse_set_mv_hint", operation(op), whole, many_calls);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t, void*) {
    return by_type(a->type, [&]<class T>(T) {
        const auto mv = functions<T>::all().mv;
        if (!mv) return CUSPARSE_STATUS_NOT_SUPPORTED;
        return status_of(mv(operation(op), *static_cast<const T*>(alpha), a->handle, whole,
                            static_cast<const T*>(x->values), *static_cast<const T*>(beta),
                            static_cast<T*>(y->values)));
    });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t b,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t,
                                         size_t* size) {
    *size = 1;
    return b->order == c->order ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t op, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t,
                                         void*) {
    prepare<int, matrix_kind, int, int, int>(a->handle, "mkl_sparse_set_mm_hint", operation(op), whole,
                                             c->layout(), c->cols, many_calls);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t op, cusparseOperation_t,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t,
                              void*) {
    return by_type(a->type, [&]<class T>(T) {
        const auto mm = functions<T>::all().mm;
        if (!mm) return CUSPARSE_STATUS_NOT_SUPPORTED;
        return status_of(mm(operation(op), *static_cast<const T*>(alpha), a->handle, whole, c->layout(),
                            static_cast<const T*>(b->values), c->cols, b->ld, *static_cast<const T*>(beta),
                            static_cast<T*>(c->values), c->ld));
    });
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* made) {
    *made = new cusparseSpGEMMDescr;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) {
    delete product;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                               const void*, cusparseConstSpMatDescr_t,
                                               cusparseConstSpMatDescr_t, const void*, cusparseSpMatDescr_t,
                                               cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t,
                                               size_t* size, void*) {
    *size = 1;
    return library().has("mkl_sparse_spmm") ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

// With columns in order, as the others have them.
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t, cusparseOperation_t op, cusparseOperation_t,
                                        const void*, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void*, cusparseSpMatDescr_t c, cudaDataType,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product, size_t* size,
                                        void* buffer) {
    *size = 1;
    if (!buffer) return CUSPARSE_STATUS_SUCCESS;
    const int computed = library().get<int(int, matrix, matrix, matrix*)>("mkl_sparse_spmm")(
        operation(op), a->handle, b->handle, &product->result);
    if (computed != success) return status_of(computed);
    const int ordered = library().get<int(matrix)>("mkl_sparse_order")(product->result);
    if (ordered != success) return status_of(ordered);
    return by_type(a->type, [&]<class T>(T) {
        int base, rows, cols, *ends;
        T* values;
        const int found = functions<T>::all().export_csr(
            product->result, &base, &rows, &cols, &product->offsets, &ends, &product->columns, &values);
        product->values = values;
        if (found == success) c->nnz = product->offsets[c->rows];
        return status_of(found);
    });
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                     cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t, const void*,
                                     cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                     cusparseSpGEMMDescr_t product) {
    const auto nnz = static_cast<std::size_t>(c->nnz);
    std::memcpy(c->offsets, product->offsets, (static_cast<std::size_t>(c->rows) + 1) * sizeof(int));
    std::memcpy(c->columns, product->columns, nnz * sizeof(int));
    return by_type(c->type, [&]<class T>(T) {
        std::memcpy(c->values, product->values, nnz * sizeof(T));
        return CUSPARSE_STATUS_SUCCESS;
    });
}

}  // extern "C"
