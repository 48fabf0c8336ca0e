// csrmm, csrmm2 and gemmi.
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name csrmm_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "k"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {role::operation_b, "transB"},
    {role::columns, "n"},
    {{role::b, part::values}, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::c, part::values}, "C"},
    {{role::c, part::ld}, "ldc"},
};

// The sparse factor is the core's A, the dense one its B.
constexpr core::argument_name gemmi_names[] = {
    {{role::a, part::rows}, "n"},
    {{role::a, part::cols}, "k"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::values}, "cscValB"},
    {{role::a, part::offsets}, "cscColPtrB"},
    {{role::a, part::indices}, "cscRowIndB"},
    {role::columns, "m"},
    {{role::b, part::values}, "A"},
    {{role::b, part::ld}, "lda"},
    {{role::c, part::values}, "C"},
    {{role::c, part::ld}, "ldc"},
};

// C := alpha * op(A) * op(B) + beta * C, C of n columns.
template <class T>
void multiply(core::context& c, heron_operation op_a, heron_operation op_b, int n, const T* alpha,
              const heron_spmat& a, const T* B, int ldb, const T* beta, T* C, int ldc) {
    const int64_t inner = core::cols_of(op_a, a);
    const bool turned = core::transposes(op_b);
    const heron_dnmat b = column_matrix(turned ? n : inner, turned ? inner : n, ldb, B, role::b);
    core::spmm(c, core::run_in_own_scratch, op_a, op_b, alpha, a, b, beta,
               column_matrix(core::rows_of(op_a, a), n, ldc, C, role::c), a.type);
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/csrmm.inc"
#include <cusparse/foreach_type.inc>
