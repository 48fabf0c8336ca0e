// bsrsv2 and bsrsm2.
#include "typed.hpp"
#include "mat_descr.hpp"
#include "core/ops/pivoted_solve.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::argument, core::part, core::role;

struct bsrsv2Info {
    core::pivoted_solve solve;
};
struct bsrsm2Info {
    core::pivoted_solve solve;
};

namespace {

constexpr core::argument_name bsrsv2_names[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "mb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "bsrSortedValA"},
    {{role::a, part::offsets}, "bsrSortedRowPtrA"},
    {{role::a, part::indices}, "bsrSortedColIndA"},
    {{role::a, part::block_rows}, "blockDim"},
    {{role::b, part::values}, "f"},
    {{role::c, part::values}, "x"},
    {role::analysis_phase, "cusparse<t>bsrsv2_analysis"},
};
constexpr core::argument_name bsrsm2_names[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "mb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "bsrSortedVal"},
    {{role::a, part::offsets}, "bsrSortedRowPtr"},
    {{role::a, part::indices}, "bsrSortedColInd"},
    {{role::a, part::block_rows}, "blockSize"},
    {role::operation_b, "transXY"},
    {role::columns, "n"},
    {{role::b, part::values}, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::c, part::values}, "X"},
    {{role::c, part::ld}, "ldx"},
    {role::analysis_phase, "cusparse<t>bsrsm2_analysis"},
};

bool has_levels(cusparseSolvePolicy_t policy) {
    if (policy != CUSPARSE_SOLVE_POLICY_NO_LEVEL && policy != CUSPARSE_SOLVE_POLICY_USE_LEVEL)
        core::invalid(role::policy, "is not one of its values");
    return policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL;
}

template <class Info>
core::pivoted_solve& solve_of(Info* info) {
    return core::required(info, role::info)->solve;
}

// The matrix of a solve with the triangle that its descriptor names.
template <class T>
heron_spmat triangle(cusparseDirection_t dir, cusparseMatDescr_t descr, int mb, int nnzb, const T* values,
                     const int* offsets, const int* columns, int block) {
    heron_spmat a = bsr_matrix(descr, mb, mb, nnzb, values, offsets, columns, {dir, block, block});
    a.fill = descr->fill == CUSPARSE_FILL_MODE_LOWER ? HERON_FILL_LOWER : HERON_FILL_UPPER;
    a.diag = descr->diag == CUSPARSE_DIAG_TYPE_UNIT ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT;
    return a;
}

bool turns_sides(cusparseOperation_t trans) {
    const heron_operation op = operation_from(trans, role::operation_b);
    if (core::conjugates(op))
        core::not_supported(role::operation_b, "a conjugate-transposed right-hand side is not supported");
    return core::transposes(op);
}

// n right-hand sides of a matrix, or their solutions. They are turned in memory or not.
template <class T>
heron_dnmat sides(const heron_spmat& a, int n, bool turned, const T* values, int ld, argument operand) {
    if (!turned) return column_matrix(a.rows, n, ld, values, operand);
    return core::transposed(column_matrix(n, a.rows, ld, values, operand));
}

core::pivoted_phase with_buffer(void* buffer, cusparseSolvePolicy_t policy) {
    return {{HERON_PHASE_RUN, nullptr, buffer}, has_levels(policy)};
}

}  // namespace

cusparseStatus_t cusparseCreateBsrsv2Info(bsrsv2Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyBsrsv2Info(bsrsv2Info_t info) { return destroy_info(__func__, info); }
cusparseStatus_t cusparseCreateBsrsm2Info(bsrsm2Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyBsrsm2Info(bsrsm2Info_t info) { return destroy_info(__func__, info); }

cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info, int* position) {
    return guarded({__func__, bsrsv2_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::report_zero_pivot(c, solve_of(info), position);
    });
}
cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info, int* position) {
    return guarded({__func__, bsrsm2_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::report_zero_pivot(c, solve_of(info), position);
    });
}

#define HERON_FAMILY "cusparse/legacy/bsr_solves.inc"
#include <cusparse/foreach_type.inc>
