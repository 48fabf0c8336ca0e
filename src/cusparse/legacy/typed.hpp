#pragma once
// What the typed functions share: views of operands that come as single arrays, and what these are called.
#include "cusparse/translate.hpp"
#include "core/operations.hpp"
#include "core/views.hpp"

namespace heron::cusparse {

extern const core::argument_names typed_names;
extern const core::argument_names csr_names;

constexpr heron_type type_of(const float*) { return HERON_R_32F; }
constexpr heron_type type_of(const double*) { return HERON_R_64F; }
constexpr heron_type type_of(const cuComplex*) { return HERON_C_32F; }
constexpr heron_type type_of(const cuDoubleComplex*) { return HERON_C_64F; }

// A NULL handle is NOT_INITIALIZED in typed functions.
inline core::context& typed_context_of(cusparseHandle_t handle) { return core::context::from(handle); }

// A sparse vector of unknown size: as long as its indices reach, and empty without any.
heron_spvec sparse_x(heron_type type, int nnz, const void* values, const int* indices,
                     cusparseIndexBase_t base);
heron_spmat csr_matrix(heron_type type, cusparseMatDescr_t descr, int rows, int cols, int nnz,
                       const void* values, const int* offsets, const int* columns);

template <class T>
heron_spvec sparse_x(int nnz, const T* values, const int* indices, cusparseIndexBase_t base) {
    return sparse_x(type_of(values), nnz, values, indices, base);
}

template <class T>
heron_spmat csr_matrix(cusparseMatDescr_t descr, int rows, int cols, int nnz, const T* values,
                       const int* offsets, const int* columns) {
    return csr_matrix(type_of(values), descr, rows, cols, nnz, values, offsets, columns);
}

template <class T>
heron_dnvec dense_vector_of(int64_t size, const T* values, core::argument operand) {
    return core::checked({size, const_cast<T*>(values), type_of(values)}, operand);
}

}  // namespace heron::cusparse
