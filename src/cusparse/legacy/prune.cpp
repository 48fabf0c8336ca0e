// nnz, nnz_compress, csr2csr_compress, and pruning of dense and CSR matrices by a threshold or a percentage.
#include "typed.hpp"
#include "mat_descr.hpp"
#include "core/ops/prune.hpp"
#include <climits>

using namespace heron;
using namespace heron::cusparse;
using core::part;
using core::role;

struct pruneInfo : core::opaque<pruneInfo> {
    core::kept_threshold threshold;
};

namespace heron::cusparse {
namespace {

constexpr core::argument_name nnz_names[] = {
    {{role::a, part::rows}, "m"},         {{role::a, part::cols}, "n"}, {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "A"},       {{role::a, part::ld}, "lda"}, {role::counts, "nnzPerRowCol"},
    {role::result, "nnzTotalDevHostPtr"},
};
constexpr core::argument_name compress_count_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::kind}, "descr"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {role::counts, "nnzPerRow"},
    {role::result, "nnzC"},
};
constexpr core::argument_name compress_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnzA"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {{role::b, part::values}, "csrSortedValC"},
    {{role::b, part::offsets}, "csrSortedRowPtrC"},
    {{role::b, part::indices}, "csrSortedColIndC"},
    {role::counts, "nnzPerRow"},
};
constexpr core::argument_name dense_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::values}, "A"},
    {{role::a, part::ld}, "lda"},
    {{role::b, part::kind}, "descrC"},
    {{role::b, part::values}, "csrSortedValC"},
    {{role::b, part::offsets}, "csrSortedRowPtrC"},
    {{role::b, part::indices}, "csrSortedColIndC"},
    {role::fraction, "percentage"},
    {role::count_phase, "pruneDense2csrNnzByPercentage"},
};
constexpr core::argument_name dense_count_names[] = {
    {{role::a, part::rows}, "m"},         {{role::a, part::cols}, "n"},
    {{role::a, part::values}, "A"},       {{role::a, part::ld}, "lda"},
    {{role::b, part::kind}, "descrC"},    {{role::b, part::offsets}, "csrRowPtrC"},
    {role::result, "nnzTotalDevHostPtr"}, {role::fraction, "percentage"},
};
constexpr core::argument_name csr_to_csr_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnzA"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {{role::b, part::kind}, "descrC"},
    {{role::b, part::values}, "csrSortedValC"},
    {{role::b, part::offsets}, "csrSortedRowPtrC"},
    {{role::b, part::indices}, "csrSortedColIndC"},
    {role::result, "nnzTotalDevHostPtr"},
    {role::fraction, "percentage"},
    {role::count_phase, "pruneCsr2csrNnzByPercentage"},
};

constexpr heron_type type_of(const __half*) { return HERON_R_16F; }

constexpr double real_part(float v) { return v; }
constexpr double real_part(double v) { return v; }
constexpr double real_part(cuComplex v) { return v.x; }
constexpr double real_part(cuDoubleComplex v) { return v.x; }

core::phase_call size_in(size_t* size) { return {HERON_PHASE_SIZE, size}; }
core::phase_call run_in(void* buffer) { return {HERON_PHASE_RUN, nullptr, buffer}; }

core::kept_threshold& threshold_in(pruneInfo_t info) { return core::alive(info, role::info)->threshold; }

heron_dnmat dense_matrix(heron_type type, int rows, int cols, const void* values, int ld) {
    heron_dnmat m{};
    m.rows = rows;
    m.cols = cols;
    m.ld = ld;
    m.values = const_cast<void*>(values);
    m.type = type;
    m.batch_count = 1;
    return core::checked(m, role::a);
}

// The arrays of C, as far as a function has them.
struct result_arrays {
    const cusparseMatDescr* descr;
    const int* offsets = nullptr;
    int* columns = nullptr;
    void* values = nullptr;
};

// Its number of elements is on the device alone.
heron_spmat result_matrix(heron_type type, int64_t rows, int64_t cols, const result_arrays& arrays) {
    constexpr core::argument kind{role::b, part::kind};
    const int32_t base = general_base_of(arrays.descr, kind, kind);
    return core::checked(matrix_of(HERON_FORMAT_CSR, rows, cols, 0, base,
                                   {type, arrays.values, arrays.offsets, arrays.columns}),
                         role::b);
}

core::prune_problem dense_problem(heron_type type, int m, int n, const void* values, int ld,
                                  const result_arrays& arrays) {
    core::prune_problem p;
    p.is_dense = true;
    p.dense = dense_matrix(type, m, n, values, ld);
    p.b = result_matrix(type, m, n, arrays);
    return p;
}

core::prune_problem csr_problem(const heron_spmat& a, const result_arrays& arrays) {
    core::prune_problem p;
    p.sparse = a;
    p.b = result_matrix(a.type, a.rows, a.cols, arrays);
    return p;
}

}  // namespace
}  // namespace heron::cusparse

cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info) { return destroy_info(__func__, info); }

#define HERON_FAMILY "cusparse/legacy/compress.inc"
#include <cusparse/foreach_type.inc>

#define HERON_HALF
#define HERON_FAMILY "cusparse/legacy/prune.inc"
#include <cusparse/foreach_type.inc>
