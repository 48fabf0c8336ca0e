// SparseToDense through csr2dense and DenseToSparse through nnz and dense2csr, matrices by columns.
#include "operands.hpp"

using namespace heron::tools;

namespace {

const descriptor general = general_matrix();

bool is_by_columns(const dense_operand& m) { return m.order == CUSPARSE_ORDER_COL; }

}  // namespace

extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t,
                                                  cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t,
                                                  size_t* size) {
    *size = 1;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t from,
                                       cusparseDnMatDescr_t to, cusparseSparseToDenseAlg_t, void*) {
    csr_operand a;
    const dense_operand b = describe(to);
    if (!describe(from, a) || !is_by_columns(b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::csr2dense(handle, a.rows, a.cols, general.get(), a.of<T>(), a.offsets, a.columns,
                                     b.of<T>(), b.ld);
    });
}

// The analysis counts the rows.
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t from,
                                                  cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t,
                                                  size_t* size) {
    *size = sizeof(int) * static_cast<size_t>(describe(from).rows);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t from,
                                                cusparseSpMatDescr_t to, cusparseDenseToSparseAlg_t,
                                                void* buffer) {
    csr_operand a;
    const dense_operand b = describe(from);
    if (!describe(to, a) || !is_by_columns(b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::nnz(handle, CUSPARSE_DIRECTION_ROW, b.rows, b.cols, general.get(), b.of<T>(), b.ld,
                               static_cast<int*>(buffer), &found_counts[to]);
    });
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t from,
                                               cusparseSpMatDescr_t to, cusparseDenseToSparseAlg_t,
                                               void* buffer) {
    csr_operand a;
    const dense_operand b = describe(from);
    if (!describe(to, a) || !is_by_columns(b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(a.type, [&]<class T>(T) {
        return removed<T>::dense2csr(handle, b.rows, b.cols, general.get(), b.of<T>(), b.ld,
                                     static_cast<const int*>(buffer), a.of<T>(), a.offsets, a.columns);
    });
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols,
                                      int64_t* nnz) {
    csr_operand a;
    if (!describe(matrix, a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *rows = a.rows;
    *cols = a.cols;
    *nnz = found_counts.contains(matrix) ? found_counts[matrix] : a.nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
