// SpMV through csrmv, SpMM through csrmm2 and gemmi, SpGEMM through csrgemm2.
#include "operands.hpp"

using namespace heron::tools;

namespace {

const descriptor general = general_matrix();

// A product C = A B in its steps. The buffer of the first is kept for the others.
struct product {
    csrgemm2Info_t info = nullptr;
    void* buffer = nullptr;
};

product* product_of(cusparseSpGEMMDescr_t descr) { return reinterpret_cast<product*>(descr); }

template <class T>
cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                          const csr_operand& a, const dense_operand& b, const void* beta,
                          const dense_operand& c) {
    const auto* const scale = static_cast<const T*>(alpha);
    const auto* const keep = static_cast<const T*>(beta);
    if (b.order == CUSPARSE_ORDER_COL && c.order == CUSPARSE_ORDER_COL)
        return removed<T>::csrmm2(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, a.rows, c.cols, a.cols, a.nnz,
                                  scale, general.get(), a.of<T>(), a.offsets, a.columns, b.of<T>(), b.ld,
                                  keep, c.of<T>(), c.ld);
    // By rows: C^T = B^T A^T, and CSR is the CSC of A^T.
    if (b.order != c.order || op != CUSPARSE_OPERATION_NON_TRANSPOSE) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return removed<T>::gemmi(handle, c.cols, a.rows, a.cols, a.nnz, scale, b.of<T>(), b.ld, a.of<T>(),
                             a.offsets, a.columns, keep, c.of<T>(), c.ld);
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t,
                                         size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t, void*) {
    csr_operand a;
    if (!describe(matrix, a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrmv(handle, op, a.rows, a.cols, a.nnz, static_cast<const T*>(alpha),
                                 general.get(), a.of<T>(), a.offsets, a.columns,
                                 static_cast<const T*>(describe(x)), static_cast<const T*>(beta),
                                 static_cast<T*>(describe(y)));
    });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t,
                                         size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t,
                                         void*) {
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t,
                              const void* alpha, cusparseConstSpMatDescr_t matrix,
                              cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
                              cudaDataType, cusparseSpMMAlg_t, void*) {
    csr_operand a;
    if (!describe(matrix, a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(a.type, [&]<class T>(T) {
        return multiply<T>(handle, op, alpha, a, describe(b), beta, describe(c));
    });
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) {
    auto made = std::make_unique<product>();
    const cusparseStatus_t status = cusparseCreateCsrgemm2Info(&made->info);
    *descr = reinterpret_cast<cusparseSpGEMMDescr_t>(made.release());
    return status;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
    const std::unique_ptr<product> owned(product_of(descr));
    return cusparseDestroyCsrgemm2Info(owned->info);
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t,
                                               cusparseOperation_t, const void* alpha,
                                               cusparseConstSpMatDescr_t first,
                                               cusparseConstSpMatDescr_t second, const void*,
                                               cusparseSpMatDescr_t, cudaDataType, cusparseSpGEMMAlg_t,
                                               cusparseSpGEMMDescr_t descr, size_t* size, void* buffer) {
    csr_operand a, b;
    if (!describe(first, a) || !describe(second, b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    product_of(descr)->buffer = buffer;
    if (buffer) return CUSPARSE_STATUS_SUCCESS;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrgemm2_size(handle, a.rows, b.cols, a.cols, static_cast<const T*>(alpha),
                                         general.get(), a.nnz, a.offsets, a.columns, general.get(), b.nnz,
                                         b.offsets, b.columns, nullptr, general.get(), 0, nullptr, nullptr,
                                         product_of(descr)->info, size);
    });
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                        const void*, cusparseConstSpMatDescr_t first,
                                        cusparseConstSpMatDescr_t second, const void*,
                                        cusparseSpMatDescr_t result, cudaDataType, cusparseSpGEMMAlg_t,
                                        cusparseSpGEMMDescr_t descr, size_t* size, void* buffer) {
    *size = 1;
    if (!buffer) return CUSPARSE_STATUS_SUCCESS;
    csr_operand a, b, c;
    describe(first, a);
    describe(second, b);
    describe(result, c);
    return cusparseXcsrgemm2Nnz(handle, a.rows, b.cols, a.cols, general.get(), a.nnz, a.offsets, a.columns,
                                general.get(), b.nnz, b.offsets, b.columns, general.get(), 0, nullptr,
                                nullptr, general.get(), c.offsets, &found_counts[result],
                                product_of(descr)->info, product_of(descr)->buffer);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                     const void* alpha, cusparseConstSpMatDescr_t first,
                                     cusparseConstSpMatDescr_t second, const void*,
                                     cusparseSpMatDescr_t result, cudaDataType, cusparseSpGEMMAlg_t,
                                     cusparseSpGEMMDescr_t descr) {
    csr_operand a, b, c;
    describe(first, a);
    describe(second, b);
    describe(result, c);
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csrgemm2(handle, a.rows, b.cols, a.cols, static_cast<const T*>(alpha),
                                    general.get(), a.nnz, a.of<T>(), a.offsets, a.columns, general.get(),
                                    b.nnz, b.of<T>(), b.offsets, b.columns, nullptr, general.get(), 0,
                                    nullptr, nullptr, nullptr, general.get(), c.of<T>(), c.offsets, c.columns,
                                    product_of(descr)->info, product_of(descr)->buffer);
    });
}

}  // extern "C"
