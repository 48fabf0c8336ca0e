// csr2dense, csc2dense, dense2csr and dense2csc.
#include "core/ops/conversion.hpp"
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name names_of_csr_to_dense[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {{role::b, part::values}, "A"},
    {{role::b, part::ld}, "lda"},
};
constexpr core::argument_name names_of_csc_to_dense[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "cscSortedValA"},
    {{role::a, part::offsets}, "cscSortedColPtrA"},
    {{role::a, part::indices}, "cscSortedRowIndA"},
    {{role::b, part::values}, "A"},
    {{role::b, part::ld}, "lda"},
};
constexpr core::argument_name names_of_dense_to_csr[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::values}, "A"},
    {{role::a, part::ld}, "lda"},
    {{role::b, part::kind}, "descrA"},
    {{role::b, part::values}, "csrSortedValA"},
    {{role::b, part::offsets}, "csrSortedRowPtrA"},
    {{role::b, part::indices}, "csrSortedColIndA"},
    {role::counts, "nnzPerRow"},
};
constexpr core::argument_name names_of_dense_to_csc[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::values}, "A"},
    {{role::a, part::ld}, "lda"},
    {{role::b, part::kind}, "descrA"},
    {{role::b, part::values}, "cscSortedValA"},
    {{role::b, part::offsets}, "cscSortedColPtrA"},
    {{role::b, part::indices}, "cscSortedRowIndA"},
    {role::counts, "nnzPerCol"},
};

// The number of elements is not among the functions' arguments.
heron_spmat sparse(heron_format format, int m, int n, cusparseMatDescr_t descr, const matrix_arrays& arrays,
                   role operand) {
    const int32_t base = general_base_of(descr, {operand, part::kind}, {operand, part::base});
    return core::checked(matrix_of(format, m, n, 0, base, arrays), operand);
}

template <class T>
void to_dense(cusparseHandle_t handle, heron_format format, int m, int n, cusparseMatDescr_t descr,
              const matrix_arrays& arrays, T* A, int lda) {
    core::context& c = typed_context_of(handle);
    const heron_spmat a = sparse(format, m, n, descr, arrays, role::a);
    core::expand(c, a, column_matrix(m, n, lda, A, role::b));
}

template <class T>
void from_dense(cusparseHandle_t handle, heron_format format, int m, int n, cusparseMatDescr_t descr,
                const T* A, int lda, const int* counts, const matrix_arrays& arrays) {
    core::context& c = typed_context_of(handle);
    const heron_dnmat a = column_matrix(m, n, lda, A, role::a);
    core::extract(c, a, counts, sparse(format, m, n, descr, arrays, role::b));
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/dense_conversion.inc"
#include <cusparse/foreach_type.inc>
