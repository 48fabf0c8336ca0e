// bsrsv2 and bsrsm2.
#include "solves.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

struct bsrsv2Info : core::opaque<bsrsv2Info> {
    core::pivoted_solve solve;
};
struct bsrsm2Info : core::opaque<bsrsm2Info> {
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

// The matrix of a solve with the triangle that its descriptor names.
template <class T>
heron_spmat triangle(cusparseDirection_t dir, cusparseMatDescr_t descr, int mb, int nnzb, const T* values,
                     const int* offsets, const int* columns, int block) {
    heron_spmat a = bsr_matrix(descr, mb, mb, nnzb, values, offsets, columns, {dir, block, block});
    set_triangle(a, *descr);
    return a;
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
