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
    if (core::required(descr, kind)->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        throw core::error(HERON_MATRIX_TYPE_NOT_SUPPORTED, kind, "is not of CUSPARSE_MATRIX_TYPE_GENERAL");
}

heron_order order_from(cusparseDirection_t direction, core::argument about) {
    switch (direction) {
        case CUSPARSE_DIRECTION_ROW: return HERON_ORDER_ROW;
        case CUSPARSE_DIRECTION_COLUMN: return HERON_ORDER_COLUMN;
    }
    core::invalid(about, "is not one of its values");
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

heron_spmat csr_matrix(heron_type type, cusparseMatDescr_t descr, int rows, int cols, int nnz,
                       const void* values, const int* offsets, const int* columns, role operand) {
    require_general(descr, {operand, part::kind});
    heron_spmat m{};
    m.format = HERON_FORMAT_CSR;
    m.rows = rows;
    m.cols = cols;
    m.nnz = nnz;
    m.offsets = const_cast<int*>(offsets);
    m.indices = const_cast<int*>(columns);
    m.values = const_cast<void*>(values);
    m.offset_type = m.index_type = HERON_INDEX_32;
    m.base = base_from(descr->base, core::argument{operand, part::base});
    m.type = type;
    m.batch_count = 1;
    return core::checked(m, operand);
}

heron_spmat bsr_matrix(heron_type type, cusparseMatDescr_t descr, int block_rows, int block_cols, int nnz,
                       const void* values, const int* offsets, const int* columns,
                       const block_shape& blocks) {
    require_general(descr);
    core::require(blocks.rows > 0, core::argument{role::a, part::block_rows}, "must be positive");
    core::require(blocks.cols > 0, core::argument{role::a, part::block_cols}, "must be positive");
    heron_spmat m{};
    m.format = HERON_FORMAT_BSR;
    m.block_order = order_from(blocks.direction);
    m.block_rows = blocks.rows;
    m.block_cols = blocks.cols;
    m.rows = int64_t{block_rows} * blocks.rows;
    m.cols = int64_t{block_cols} * blocks.cols;
    m.nnz = nnz;
    m.offsets = const_cast<int*>(offsets);
    m.indices = const_cast<int*>(columns);
    m.values = const_cast<void*>(values);
    m.offset_type = m.index_type = HERON_INDEX_32;
    m.base = base_from(descr->base, core::argument{role::a, part::base});
    m.type = type;
    m.batch_count = 1;
    return core::checked(m, role::a);
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

void require_not_negative(int n, core::argument about) {
    if (n < 0) core::invalid(about, fmt::format("{} is negative", n));
}

}  // namespace heron::cusparse
