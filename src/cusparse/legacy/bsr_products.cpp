// bsrmv, bsrxmv, bsrmm and gemvi.
#include "typed.hpp"
#include "core/ops/partial_products.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::argument, core::cols_of, core::part, core::role, core::rows_of;

namespace {

constexpr core::argument_name bsr_names[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "nb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "bsrSortedValA"},
    {{role::a, part::offsets}, "bsrSortedRowPtrA"},
    {{role::a, part::indices}, "bsrSortedColIndA"},
    {{role::a, part::block_rows}, "blockDim"},
    {{role::x, part::values}, "x"},
    {role::count, "sizeOfMask"},
    {role::mask, "bsrSortedMaskPtrA"},
    {role::ends, "bsrSortedEndPtrA"},
};

constexpr core::argument_name bsrmm_names[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "kb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "bsrSortedValA"},
    {{role::a, part::offsets}, "bsrSortedRowPtrA"},
    {{role::a, part::indices}, "bsrSortedColIndA"},
    {{role::a, part::block_rows}, "blockSize"},
    {role::operation_b, "transB"},
    {role::columns, "n"},
    {{role::b, part::values}, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::c, part::values}, "C"},
    {{role::c, part::ld}, "ldc"},
};

constexpr core::argument_name gemvi_names[] = {
    {{role::a, part::rows}, "m"},          {{role::a, part::cols}, "n"}, {{role::a, part::ld}, "lda"},
    {{role::a, part::values}, "A"},        {{role::x, part::size}, "n"}, {{role::y, part::size}, "m"},
    {role::workspace_size, "pBufferSize"},
};

// A vector without values yet where they are NULL.
heron_spvec sparse_operand(heron_type type, int64_t size, int nnz, const void* values, const int* indices,
                           cusparseIndexBase_t base) {
    heron_spvec x{};
    x.size = size;
    x.nnz = nnz;
    x.indices = const_cast<int*>(indices);
    x.values = const_cast<void*>(values);
    x.index_type = HERON_INDEX_32;
    x.base = base_from(base, argument{role::x, part::base});
    x.type = type;
    return core::checked(x, role::x);
}

// The operands of a gemvi, of which bufferSize knows no arrays.
template <class T>
struct gemvi_operands {
    heron_operation op;
    heron_dnmat a;
    heron_spvec x;
    heron_dnvec y;

    gemvi_operands(cusparseOperation_t trans, int m, int n, const T* values, int ld, int nnz,
                   const T* x_values, const int* indices, const T* y_values, cusparseIndexBase_t base)
        : op(operation_from(trans, role::operation_a)),
          a(column_matrix(m, n, ld, values, role::a)),
          x(sparse_operand(a.type, cols_of(op, a), nnz, x_values, indices, base)),
          y(dense_vector_of(rows_of(op, a), y_values, role::y)) {}
};

}  // namespace

#define HERON_FAMILY "cusparse/legacy/bsr_products.inc"
#include <cusparse/foreach_type.inc>
