#pragma once
// What the typed functions share: views of operands that come as single arrays, and what these are called.
#include "cusparse/translate.hpp"
#include "core/operations.hpp"
#include "core/views.hpp"
#include <algorithm>
#include <array>

namespace heron::cusparse {

extern const core::argument_names typed_names;
extern const core::argument_names csr_names;

constexpr heron_type type_of(const float*) { return HERON_R_32F; }
constexpr heron_type type_of(const double*) { return HERON_R_64F; }
constexpr heron_type type_of(const cuComplex*) { return HERON_C_32F; }
constexpr heron_type type_of(const cuDoubleComplex*) { return HERON_C_64F; }

// As int; throws INSUFFICIENT_RESOURCES where it does not fit.
int int_size(size_t bytes);

// A NULL handle is NOT_INITIALIZED in typed functions.
inline core::context& typed_context_of(cusparseHandle_t handle) { return core::context::from(handle); }

// A sparse vector of unknown size: as long as its indices reach, and empty without any.
heron_spvec sparse_x(heron_type type, int nnz, const void* values, const int* indices,
                     cusparseIndexBase_t base);

// What most of a matrix is made from, and the matrix; its offsets and indices have 32 bits.
struct matrix_arrays {
    heron_type type;
    const void* values;
    const int* offsets;
    const int* indices;
};
heron_spmat matrix_of(heron_format format, int64_t rows, int64_t cols, int64_t nnz, int32_t base,
                      const matrix_arrays& arrays);

heron_spmat csr_matrix(heron_type type, cusparseMatDescr_t descr, int rows, int cols, int nnz,
                       const void* values, const int* offsets, const int* columns,
                       core::role operand = core::role::a);

// A BSR matrix of rows x cols blocks of block_rows x block_cols elements, which lie in a block as the
// direction says.
struct block_shape {
    cusparseDirection_t direction;
    int rows, cols;
};
heron_spmat bsr_matrix(core::role operand, int64_t block_rows, int64_t block_cols, int64_t nnz, int32_t base,
                       const block_shape& blocks, const matrix_arrays& arrays);
heron_spmat bsr_matrix(heron_type type, cusparseMatDescr_t descr, int block_rows, int block_cols, int nnz,
                       const void* values, const int* offsets, const int* columns, const block_shape& blocks);

// A dense matrix in column order.
heron_dnmat column_matrix(heron_type type, int64_t rows, int64_t cols, int64_t ld, const void* values,
                          core::argument operand);

// Throws MATRIX_TYPE_NOT_SUPPORTED for a descriptor of another type than GENERAL.
void require_general(const cusparseMatDescr* descr, core::argument kind = {core::role::a, core::part::kind});
// The base of such a descriptor.
int32_t general_base_of(const cusparseMatDescr* descr, core::argument kind, core::argument base);
heron_order order_from(cusparseDirection_t direction, core::argument about = core::role::direction);

bool copies_values(cusparseAction_t action);

// A conversion from CSR to CSC: the latter's arrays are those of the transpose in CSR.
struct csc_call {
    heron_spmat csr, csc;
    bool values;
};
csc_call csc_call_of(int m, int n, int nnz, const matrix_arrays& csr, const matrix_arrays& csc,
                     cusparseAction_t action, cusparseIndexBase_t base);

// Tables of names as one. Where two name the same argument, the first one holds.
template <size_t... counts>
constexpr auto joined(const core::argument_name (&... tables)[counts]) {
    std::array<core::argument_name, (counts + ...)> all{};
    auto end = all.begin();
    ((end = std::copy(tables, tables + counts, end)), ...);
    return all;
}

// What a bufferSize that counts in int, or its Ext form in size_t, answers: f(phase) runs SIZE.
template <class F>
void answer_size(int* size, F&& f) {
    int& answer = *core::required(size, core::role::workspace_size);
    size_t bytes = 0;
    f(core::phase_call{HERON_PHASE_SIZE, &bytes});
    answer = int_size(bytes);
}
template <class F>
void answer_size(size_t* size, F&& f) {
    f(core::phase_call{HERON_PHASE_SIZE, core::required(size, core::role::workspace_size)});
}

// The opaque objects in which functions keep something between calls. Destroying NULL succeeds.
template <class Info>
cusparseStatus_t create_info(const char* called, Info** info) {
    return guarded({called, {}, typed_names}, [&] {
        Info*& made = *core::required(info, core::role::info);
        made = new Info;
    });
}
template <class Info>
cusparseStatus_t destroy_info(const char* called, Info* info) {
    return guarded({called, {}, typed_names}, [&] { core::destroy_opaque(info, core::role::info); });
}

template <class T>
heron_spvec sparse_x(int nnz, const T* values, const int* indices, cusparseIndexBase_t base) {
    return sparse_x(type_of(values), nnz, values, indices, base);
}

template <class T>
heron_spmat csr_matrix(cusparseMatDescr_t descr, int rows, int cols, int nnz, const T* values,
                       const int* offsets, const int* columns, core::role operand = core::role::a) {
    return csr_matrix(type_of(values), descr, rows, cols, nnz, values, offsets, columns, operand);
}

template <class T>
heron_spmat bsr_matrix(cusparseMatDescr_t descr, int block_rows, int block_cols, int nnz, const T* values,
                       const int* offsets, const int* columns, const block_shape& blocks) {
    return bsr_matrix(type_of(values), descr, block_rows, block_cols, nnz, values, offsets, columns, blocks);
}

template <class T>
heron_dnmat column_matrix(int64_t rows, int64_t cols, int64_t ld, const T* values, core::argument operand) {
    return column_matrix(type_of(values), rows, cols, ld, values, operand);
}

template <class T>
heron_dnvec dense_vector_of(int64_t size, const T* values, core::argument operand) {
    return core::checked({size, const_cast<T*>(values), type_of(values)}, operand);
}

}  // namespace heron::cusparse
