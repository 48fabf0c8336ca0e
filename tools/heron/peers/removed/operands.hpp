// What generic descriptors describe, as the removed functions take it.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <map>
#include <memory>

namespace heron::tools {

template <class T>
struct removed;
#define HERON_FAMILY "peers/removed/functions.inc"
#include <cusparse/foreach_type.inc>

using descriptor = std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)>;

inline descriptor general_matrix() {
    cusparseMatDescr_t made = nullptr;
    cusparseCreateMatDescr(&made);
    return {made, cusparseDestroyMatDescr};
}

struct csr_operand {
    int rows = 0, cols = 0, nnz = 0;
    int *offsets = nullptr, *columns = nullptr;
    void* values = nullptr;
    cudaDataType type = CUDA_R_32F;

    template <class T>
    T* of() const {
        return static_cast<T*>(values);
    }
};

struct dense_operand {
    int rows = 0, cols = 0, ld = 0;
    void* values = nullptr;
    cusparseOrder_t order = CUSPARSE_ORDER_COL;

    template <class T>
    T* of() const {
        return static_cast<T*>(values);
    }
};

// The elements of results, which the newer interface keeps in their descriptors.
inline thread_local std::map<cusparseConstSpMatDescr_t, int> found_counts;

// False where the matrix is not in CSR with int indices from 0.
inline bool describe(cusparseConstSpMatDescr_t matrix, csr_operand& to) {
    std::int64_t rows, cols, nnz;
    const void *offsets, *columns, *values;
    cusparseIndexType_t offset_type, column_type;
    cusparseIndexBase_t base;
    if (cusparseConstCsrGet(matrix, &rows, &cols, &nnz, &offsets, &columns, &values, &offset_type,
                            &column_type, &base, &to.type) != CUSPARSE_STATUS_SUCCESS ||
        offset_type != CUSPARSE_INDEX_32I || column_type != CUSPARSE_INDEX_32I ||
        base != CUSPARSE_INDEX_BASE_ZERO)
        return false;
    to.rows = static_cast<int>(rows);
    to.cols = static_cast<int>(cols);
    to.nnz = static_cast<int>(nnz);
    to.offsets = static_cast<int*>(const_cast<void*>(offsets));
    to.columns = static_cast<int*>(const_cast<void*>(columns));
    to.values = const_cast<void*>(values);
    return true;
}

inline dense_operand describe(cusparseConstDnMatDescr_t matrix) {
    std::int64_t rows = 0, cols = 0, ld = 0;
    const void* values = nullptr;
    cudaDataType type;
    dense_operand result;
    cusparseConstDnMatGet(matrix, &rows, &cols, &ld, &values, &type, &result.order);
    result.rows = static_cast<int>(rows);
    result.cols = static_cast<int>(cols);
    result.ld = static_cast<int>(ld);
    result.values = const_cast<void*>(values);
    return result;
}

inline void* describe(cusparseConstDnVecDescr_t vector) {
    std::int64_t size = 0;
    const void* values = nullptr;
    cudaDataType type;
    cusparseConstDnVecGet(vector, &size, &values, &type);
    return const_cast<void*>(values);
}

// f(T{}) for a real type.
template <class F>
cusparseStatus_t by_type(cudaDataType type, F&& f) {
    if (type == CUDA_R_32F) return f(float{});
    if (type == CUDA_R_64F) return f(double{});
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

}  // namespace heron::tools
