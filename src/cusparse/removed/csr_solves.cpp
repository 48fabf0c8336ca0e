// csrsv2 and csrsm2.
#include "cusparse/legacy/solves.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

struct csrsv2Info : core::opaque<csrsv2Info> {
    core::pivoted_solve solve;
};
struct csrsm2Info : core::opaque<csrsm2Info> {
    core::pivoted_solve solve;
};

namespace {

constexpr core::argument_name triangle_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "m"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::base}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
};
constexpr core::argument_name of_csrsv2[] = {
    {{role::b, part::values}, "f"},
    {{role::c, part::values}, "x"},
    {role::analysis_phase, "cusparse<t>csrsv2_analysis"},
};
// Solutions come in place of the right-hand sides.
constexpr core::argument_name of_csrsm2[] = {
    {role::algorithm, "algo"},    {role::operation_b, "transB"},
    {role::columns, "nrhs"},      {{role::b, part::values}, "B"},
    {{role::b, part::ld}, "ldb"}, {{role::c, part::values}, "B"},
    {{role::c, part::ld}, "ldb"}, {role::analysis_phase, "cusparse<t>csrsm2_analysis"},
};
constexpr core::argument_name wide_size[] = {{role::workspace_size, "pBufferSize"}};
constexpr auto csrsv2_names = joined(of_csrsv2, triangle_names);
constexpr auto csrsv2_wide_names = joined(wide_size, of_csrsv2, triangle_names);
constexpr auto csrsm2_names = joined(of_csrsm2, triangle_names);
constexpr auto csrsm2_wide_names = joined(wide_size, of_csrsm2, triangle_names);

// The matrix of a solve with the triangle that its descriptor names.
template <class T>
heron_spmat triangle(cusparseMatDescr_t descr, int m, int nnz, const T* values, const int* offsets,
                     const int* columns) {
    heron_spmat a = csr_matrix(descr, m, m, nnz, values, offsets, columns);
    set_triangle(a, *descr);
    return a;
}

// NVIDIA's solve without blocks, and with them.
void require_algorithm(int algorithm) {
    core::require(algorithm == 0 || algorithm == 1, role::algorithm, "is neither 0 nor 1");
}

// n right-hand sides, which all phases get.
template <class T>
heron_dnmat right_sides(const heron_spmat& a, cusparseOperation_t trans, int n, const T* values, int ld) {
    core::require_count(n, role::columns);
    return sides(a, n, turns_sides(trans), values, ld, role::b);
}

template <class T, class Size>
cusparseStatus_t size_csrsv2(const function& called, cusparseHandle_t handle, cusparseOperation_t trans,
                             int m, int nnz, cusparseMatDescr_t descr, const T* values, const int* offsets,
                             const int* columns, csrsv2Info_t info, Size* size) {
    return guarded(called, [&] {
        core::context& c = typed_context_of(handle);
        const heron_operation op = operation_from(trans, role::operation_a);
        const heron_spmat a = triangle(descr, m, nnz, values, offsets, columns);
        core::pivoted_solve& solve = solve_of(info);
        answer_size(size,
                    [&](const core::phase_call& phase) { core::size_pivoted(c, phase, solve, op, a, 1); });
    });
}

}  // namespace

cusparseStatus_t cusparseCreateCsrsv2Info(csrsv2Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsrsv2Info(csrsv2Info_t info) { return destroy_info(__func__, info); }
cusparseStatus_t cusparseCreateCsrsm2Info(csrsm2Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsrsm2Info(csrsm2Info_t info) { return destroy_info(__func__, info); }

cusparseStatus_t cusparseXcsrsv2_zeroPivot(cusparseHandle_t handle, csrsv2Info_t info, int* position) {
    return guarded({__func__, csrsv2_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::report_zero_pivot(c, solve_of(info), position);
    });
}
cusparseStatus_t cusparseXcsrsm2_zeroPivot(cusparseHandle_t handle, csrsm2Info_t info, int* position) {
    return guarded({__func__, csrsm2_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::report_zero_pivot(c, solve_of(info), position);
    });
}

#define HERON_FAMILY "cusparse/removed/csr_solves.inc"
#include <cusparse/foreach_type.inc>
