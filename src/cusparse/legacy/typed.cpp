#include "typed.hpp"
#include "mat_descr.hpp"
#include <climits>

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

void require_general(const cusparseMatDescr* descr) {
    constexpr core::argument kind{role::a, part::kind};
    if (core::required(descr, kind)->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        throw core::error(HERON_MATRIX_TYPE_NOT_SUPPORTED, kind, "is not of CUSPARSE_MATRIX_TYPE_GENERAL");
}

}  // namespace

constinit const core::argument_names typed_names = names;
constinit const core::argument_names csr_names = of_csr;

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
                       const void* values, const int* offsets, const int* columns) {
    require_general(descr);
    heron_spmat m{};
    m.format = HERON_FORMAT_CSR;
    m.rows = rows;
    m.cols = cols;
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

}  // namespace heron::cusparse
