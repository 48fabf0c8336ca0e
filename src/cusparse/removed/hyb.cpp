// Matrices in NVIDIA's HYB format. The format is opaque, and its partition into ELL and COO changes no
// result: the object keeps the matrix in CSR.
#include "cusparse/legacy/typed.hpp"
#include "cusparse/legacy/solves.hpp"
#include "solve_analysis.hpp"
#include "core/ops/conversion.hpp"
#include "core/ops/kept_matrix.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part;
using core::role;

struct cusparseHybMat : core::opaque<cusparseHybMat> {
    core::kept_matrix matrix;
};

namespace {

constexpr core::argument_name hyb_names[] = {{role::info, "hybA"}};
constexpr core::argument_name names_of_csr_to_hyb[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {role::info, "hybA"},
};
// As the transpose.
constexpr core::argument_name names_of_csc_to_hyb[] = {
    {{role::a, part::rows}, "n"},
    {{role::a, part::cols}, "m"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "cscSortedValA"},
    {{role::a, part::offsets}, "cscSortedColPtrA"},
    {{role::a, part::indices}, "cscSortedRowIndA"},
    {role::info, "hybA"},
};
constexpr core::argument_name names_of_dense_to_hyb[] = {
    {{role::a, part::rows}, "m"},   {{role::a, part::cols}, "n"}, {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "A"}, {{role::a, part::ld}, "lda"}, {role::counts, "nnzPerRow"},
    {role::info, "hybA"},
};
constexpr core::argument_name names_of_hyb_to_csr[] = {
    {{role::a, part::kind}, "descrA"},
    {{role::b, part::values}, "csrSortedValA"},
    {{role::b, part::offsets}, "csrSortedRowPtrA"},
    {{role::b, part::indices}, "csrSortedColIndA"},
    {role::info, "hybA"},
};
constexpr core::argument_name names_of_hyb_to_csc[] = {
    {{role::a, part::kind}, "descrA"},
    {{role::b, part::values}, "cscSortedVal"},
    {{role::b, part::offsets}, "cscSortedColPtr"},
    {{role::b, part::indices}, "cscSortedRowInd"},
    {role::info, "hybA"},
};
constexpr core::argument_name names_of_hyb_to_dense[] = {
    {{role::a, part::kind}, "descrA"},
    {{role::b, part::values}, "A"},
    {{role::b, part::ld}, "lda"},
    {role::info, "hybA"},
};
constexpr core::argument_name names_of_hybmv[] = {
    {{role::a, part::kind}, "descrA"},
    {{role::x, part::values}, "x"},
    {role::info, "hybA"},
};

// Here the info is another argument.
constexpr core::argument_name names_of_hybsv[] = {
    {{role::a, part::kind}, "descrA"},      {role::a, "hybA"},
    {{role::b, part::values}, "f"},         {{role::c, part::values}, "x"},
    {role::analysis_phase, "the analysis"},
};
constexpr core::argument_name names_of_hybsv_solve[] = {{role::operation_a, "trans"}};
constexpr auto solve_names = joined(names_of_hybsv_solve, names_of_hybsv);

core::kept_matrix& matrix_in(cusparseHybMat_t hyb, role operand = role::info) {
    return core::alive(hyb, operand)->matrix;
}

const heron_spmat& view_of(const core::context& c, cusparseHybMat_t hyb, heron_type type,
                           role operand = role::info) {
    return matrix_in(hyb, operand).view(c, type, operand);
}

// What hybsv solves with, which takes the types of matrices that csrsv takes.
heron_spmat triangle_of(const core::context& c, cusparseHybMat_t hyb, heron_type type,
                        const cusparseMatDescr* descr) {
    constexpr core::argument kind{role::a, part::kind};
    const cusparseMatrixType_t stored = core::alive(descr, kind)->type;
    if (stored != CUSPARSE_MATRIX_TYPE_GENERAL && stored != CUSPARSE_MATRIX_TYPE_TRIANGULAR)
        throw core::error(HERON_MATRIX_TYPE_NOT_SUPPORTED, kind,
                          "is of a type that the function does not take");
    heron_spmat a = view_of(c, hyb, type, role::a);
    set_triangle(a, *descr);
    return a;
}

int32_t base_of(const cusparseMatDescr* descr) {
    return general_base_of(descr, {role::a, part::kind}, {role::a, part::base});
}

void require_partition(int width, cusparseHybPartition_t partition) {
    const int kind = partition;
    core::require(kind >= CUSPARSE_HYB_PARTITION_AUTO && kind <= CUSPARSE_HYB_PARTITION_MAX, "partitionType",
                  "is not one of its values");
    core::require(kind != CUSPARSE_HYB_PARTITION_USER || width >= 0, "userEllWidth", "is negative");
}

// The number of elements is not among the functions' arguments.
heron_spmat csr_of(int64_t rows, int64_t cols, int64_t nnz, int32_t base, const matrix_arrays& arrays,
                   role operand) {
    return core::checked(matrix_of(HERON_FORMAT_CSR, rows, cols, nnz, base, arrays), operand);
}

}  // namespace

cusparseStatus_t cusparseCreateHybMat(cusparseHybMat_t* hybA) {
    return guarded({__func__, hyb_names, typed_names}, [&] {
        cusparseHybMat_t& made = *core::required(hybA, role::info);
        made = new cusparseHybMat;
    });
}

cusparseStatus_t cusparseDestroyHybMat(cusparseHybMat_t hybA) { return destroy_info(__func__, hybA); }

#define HERON_FAMILY "cusparse/removed/hyb.inc"
#include <cusparse/foreach_type.inc>
