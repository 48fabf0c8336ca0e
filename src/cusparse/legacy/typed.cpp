#include "typed.hpp"
#include "mat_descr.hpp"
#include <climits>
#include <fmt/format.h>

namespace heron::cusparse {
namespace {

using core::part;
using core::role;

constexpr core::argument_name names[] = {
    {role::handle, "handle"},
    {{role::x, part::nnz}, "nnz"},
    {{role::x, part::values}, "xVal"},
    {{role::x, part::indices}, "xInd"},
    {{role::x, part::base}, "idxBase"},
    {{role::y, part::values}, "y"},
    {role::alpha, "alpha"},
    {role::beta, "beta"},
    {role::cosine, "c"},
    {role::sine, "s"},
    {role::result, "resultDevHostPtr"},
    {role::operation_a, "transA"},
    {role::info, "info"},
    {role::policy, "policy"},
    {role::position, "position"},
    {role::tolerance, "tol"},
    {role::boost, "boost_val"},
    {role::direction, "dirA"},
    {role::action, "copyValues"},
    {role::base, "idxBase"},
    {role::permutation, "P"},
    {role::threshold, "threshold"},
    {role::workspace, "pBuffer"},
    {role::workspace_size, "pBufferSizeInBytes"},
};

constexpr core::argument_name of_csr[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {{role::x, part::values}, "x"},
};

}  // namespace

constinit const core::argument_names typed_names = names;
constinit const core::argument_names csr_names = of_csr;

void require_general(const cusparseMatDescr* descr, core::argument kind) {
    if (core::alive(descr, kind)->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        throw core::error(HERON_MATRIX_TYPE_NOT_SUPPORTED, kind, "is not of CUSPARSE_MATRIX_TYPE_GENERAL");
}

int32_t general_base_of(const cusparseMatDescr* descr, core::argument kind, core::argument base) {
    require_general(descr, kind);
    return base_from(descr->base, base);
}

heron_order order_from(cusparseDirection_t direction, core::argument about) {
    switch (direction) {
        case CUSPARSE_DIRECTION_ROW: return HERON_ORDER_ROW;
        case CUSPARSE_DIRECTION_COLUMN: return HERON_ORDER_COLUMN;
    }
    core::invalid(about, "is not one of its values");
}

bool copies_values(cusparseAction_t action) {
    switch (action) {
        case CUSPARSE_ACTION_SYMBOLIC: return false;
        case CUSPARSE_ACTION_NUMERIC: return true;
    }
    core::invalid(role::action, "is not one of its values");
}

csc_call csc_call_of(int m, int n, int nnz, const matrix_arrays& csr, const matrix_arrays& csc,
                     cusparseAction_t action, cusparseIndexBase_t base) {
    const bool copies = copies_values(action);
    const int32_t first = base_from(base, role::base);
    // Of an empty matrix nothing else is looked at.
    const int elements = m == 0 || n == 0 ? 0 : nnz;
    matrix_arrays from = csr, to = csc;
    if (!copies) from.values = to.values = nullptr;
    return {core::checked(matrix_of(HERON_FORMAT_CSR, m, n, elements, first, from), role::a),
            core::checked(matrix_of(HERON_FORMAT_CSR, n, m, elements, first, to), role::b), copies};
}

int int_size(size_t bytes) {
    if (bytes > INT_MAX)
        throw core::error(HERON_INSUFFICIENT_RESOURCES, role::workspace_size,
                          fmt::format("cannot count {} bytes; the function with the suffix Ext can", bytes));
    return static_cast<int>(bytes);
}

heron_spvec sparse_x(heron_type type, int nnz, const void* values, const int* indices,
                     cusparseIndexBase_t base) {
    heron_spvec x{};
    x.size = nnz == 0 ? 0 : INT_MAX;
    x.nnz = nnz;
    x.indices = const_cast<int*>(indices);
    x.values = const_cast<void*>(values);
    x.index_type = HERON_INDEX_32;
    x.base = base_from(base, core::argument{role::x, part::base});
    x.type = type;
    return core::checked(x, role::x);
}

heron_spmat matrix_of(heron_format format, int64_t rows, int64_t cols, int64_t nnz, int32_t base,
                      const matrix_arrays& arrays) {
    heron_spmat m{};
    m.format = format;
    m.rows = rows;
    m.cols = cols;
    m.nnz = nnz;
    m.offsets = const_cast<int*>(arrays.offsets);
    m.indices = const_cast<int*>(arrays.indices);
    m.values = const_cast<void*>(arrays.values);
    m.offset_type = m.index_type = HERON_INDEX_32;
    m.base = base;
    m.type = arrays.type;
    m.batch_count = 1;
    return m;
}

heron_spmat csr_matrix(heron_type type, cusparseMatDescr_t descr, int rows, int cols, int nnz,
                       const void* values, const int* offsets, const int* columns, role operand) {
    const int32_t base = general_base_of(descr, {operand, part::kind}, {operand, part::base});
    return core::checked(matrix_of(HERON_FORMAT_CSR, rows, cols, nnz, base, {type, values, offsets, columns}),
                         operand);
}

heron_spmat bsr_matrix(role operand, int64_t block_rows, int64_t block_cols, int64_t nnz, int32_t base,
                       const block_shape& blocks, const matrix_arrays& arrays) {
    core::require(blocks.rows > 0, core::argument{operand, part::block_rows}, "must be positive");
    core::require(blocks.cols > 0, core::argument{operand, part::block_cols}, "must be positive");
    heron_spmat m =
        matrix_of(HERON_FORMAT_BSR, block_rows * blocks.rows, block_cols * blocks.cols, nnz, base, arrays);
    m.block_rows = blocks.rows;
    m.block_cols = blocks.cols;
    m.block_order = order_from(blocks.direction);
    return core::checked(m, operand);
}

heron_spmat bsr_matrix(heron_type type, cusparseMatDescr_t descr, int block_rows, int block_cols, int nnz,
                       const void* values, const int* offsets, const int* columns,
                       const block_shape& blocks) {
    const int32_t base = general_base_of(descr, {role::a, part::kind}, {role::a, part::base});
    return bsr_matrix(role::a, block_rows, block_cols, nnz, base, blocks, {type, values, offsets, columns});
}

heron_dnmat column_matrix(heron_type type, int64_t rows, int64_t cols, int64_t ld, const void* values,
                          core::argument operand) {
    heron_dnmat m{};
    m.rows = rows;
    m.cols = cols;
    m.ld = ld;
    m.values = const_cast<void*>(values);
    m.type = type;
    m.order = HERON_ORDER_COLUMN;
    m.batch_count = 1;
    return core::checked(m, operand);
}

}  // namespace heron::cusparse
