// The triangular solves and incomplete factorisations of CUDA 4 to 10, which share one kind of info: csrsv,
// csrsm, csrilu0 and csric0.
#include "solve_analysis.hpp"
#include "cusparse/legacy/solves.hpp"
#include <algorithm>

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name analysis_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "m"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::base}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {role::analysis_phase, "the analysis"},
};
constexpr core::argument_name of_csrsv[] = {
    {{role::b, part::values}, "f"},
    {{role::c, part::values}, "x"},
};
constexpr core::argument_name of_csrsm[] = {
    {role::columns, "n"},           {{role::b, part::values}, "B"}, {{role::b, part::ld}, "ldb"},
    {{role::c, part::values}, "X"}, {{role::c, part::ld}, "ldx"},
};
constexpr core::argument_name of_factors[] = {
    {role::operation_a, "trans"},
    {{role::a, part::values}, "csrSortedValA_ValM"},
};
constexpr auto csrsv_names = joined(of_csrsv, analysis_names);
constexpr auto csrsm_names = joined(of_csrsm, analysis_names);
constexpr auto factor_names = joined(of_factors, analysis_names);

// The types of matrices that a function takes.
using matrix_types = std::initializer_list<cusparseMatrixType_t>;
constexpr matrix_types any_type = {CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC,
                                   CUSPARSE_MATRIX_TYPE_HERMITIAN, CUSPARSE_MATRIX_TYPE_TRIANGULAR};
constexpr matrix_types of_solves = {CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_TRIANGULAR};
constexpr matrix_types of_ilu0 = {CUSPARSE_MATRIX_TYPE_GENERAL};
constexpr matrix_types of_ic0 = {CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN,
                                 CUSPARSE_MATRIX_TYPE_TRIANGULAR};

const cusparseMatDescr& required_type(const cusparseMatDescr* descr, matrix_types types) {
    constexpr core::argument kind{role::a, part::kind};
    if (std::find(types.begin(), types.end(), core::alive(descr, kind)->type) == types.end())
        throw core::error(HERON_MATRIX_TYPE_NOT_SUPPORTED, kind,
                          "is of a type that the function does not take");
    return *descr;
}

heron_spmat triangle(const cusparseMatDescr* descr, matrix_types types, int m, int64_t nnz,
                     const matrix_arrays& arrays) {
    const cusparseMatDescr& d = required_type(descr, types);
    const int32_t base = base_from(d.base, core::argument{role::a, part::base});
    heron_spmat a = matrix_of(HERON_FORMAT_CSR, m, m, nnz, base, arrays);
    set_triangle(a, d);
    return core::checked(a, role::a);
}

// The matrix of a function that is not told how many elements there are: as many as were analysed.
heron_spmat analysed_triangle(const core::context& c, const cusparseSolveAnalysisInfo& info,
                              const cusparseMatDescr* descr, matrix_types types, int m,
                              const matrix_arrays& arrays) {
    info.solve.require_analysed(c, false);
    const heron_spmat& analysed = info.solve.made_for().a;
    if (m != analysed.rows)
        core::invalid(core::argument{role::a, part::rows}, "differs from that given to @",
                      role::analysis_phase);
    const heron_spmat a = triangle(descr, types, m, analysed.nnz, arrays);
    core::require_analysed_matrix(c, info.solve, a);
    return a;
}

void analyse(core::context& c, cusparseOperation_t trans, int m, int nnz, const cusparseMatDescr* descr,
             const matrix_arrays& arrays, cusparseSolveAnalysisInfo_t info) {
    const heron_operation op = operation_from(trans, role::operation_a);
    const heron_spmat a = triangle(descr, any_type, m, nnz, arrays);
    cusparseSolveAnalysisInfo& kept = *core::alive(info, role::info);
    kept.restart();
    core::analyse_kept(c, kept.solve, op, a);
}

// n right-hand sides at b, and their solutions at x.
struct dense_sides {
    int n;
    const void* b;
    int ldb;
    void* x;
    int ldx;
};

void solve(core::context& c, cusparseOperation_t trans, int m, const void* alpha,
           const cusparseMatDescr* descr, const matrix_arrays& arrays, cusparseSolveAnalysisInfo_t info,
           const dense_sides& sides) {
    const heron_operation op = operation_from(trans, role::operation_a);
    cusparseSolveAnalysisInfo& kept = *core::alive(info, role::info);
    const heron_spmat a = analysed_triangle(c, kept, descr, of_solves, m, arrays);
    core::require_count(sides.n, role::columns);
    core::solve_kept(c, kept.solve, op, alpha, a,
                     column_matrix(arrays.type, m, sides.n, sides.ldb, sides.b, role::b),
                     column_matrix(arrays.type, m, sides.n, sides.ldx, sides.x, role::c));
}

// The factors of op(A) lie in A's arrays where op puts them. Those of A^H are conjugates of A^T's, and op
// makes them the same again.
void factor_lu(core::context& c, cusparseOperation_t trans, int m, const cusparseMatDescr* descr,
               const matrix_arrays& arrays, cusparseSolveAnalysisInfo_t info) {
    const heron_operation op = operation_from(trans, role::operation_a);
    cusparseSolveAnalysisInfo& kept = *core::alive(info, role::info);
    const heron_spmat a = analysed_triangle(c, kept, descr, of_ilu0, m, arrays);
    core::transposes(op) ? kept.ilu0.run_turned(c, a) : kept.ilu0.run(c, a);
}

// For the same reason op makes no difference here.
void factor_cholesky(core::context& c, cusparseOperation_t trans, int m, const cusparseMatDescr* descr,
                     const matrix_arrays& arrays, cusparseSolveAnalysisInfo_t info) {
    operation_from(trans, role::operation_a);
    cusparseSolveAnalysisInfo& kept = *core::alive(info, role::info);
    const heron_spmat a = analysed_triangle(c, kept, descr, of_ic0, m, arrays);
    a.fill == HERON_FILL_LOWER ? kept.ic0.run(c, a) : kept.ic0.run_turned(c, a);
}

// The type that a function with types as arguments computes in.
heron_type execution_type(cudaDataType type) {
    const heron_type result = type_from(type, "executiontype");
    if (result != HERON_R_32F && result != HERON_R_64F && result != HERON_C_32F && result != HERON_C_64F)
        core::not_supported("executiontype", "is none of CUDA_R_32F, CUDA_R_64F, CUDA_C_32F and CUDA_C_64F");
    return result;
}
void require_type(cudaDataType type, heron_type expected, const char* argument) {
    if (type_from(type, argument) != expected) core::not_supported(argument, "differs from executiontype");
}

}  // namespace

cusparseStatus_t cusparseCreateSolveAnalysisInfo(cusparseSolveAnalysisInfo_t* info) {
    return create_info(__func__, info);
}
cusparseStatus_t cusparseDestroySolveAnalysisInfo(cusparseSolveAnalysisInfo_t info) {
    return destroy_info(__func__, info);
}

cusparseStatus_t cusparseGetLevelInfo(cusparseHandle_t handle, cusparseSolveAnalysisInfo_t info, int* nlevels,
                                      int** levelPtr, int** levelInd) {
    return guarded({__func__, analysis_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        cusparseSolveAnalysisInfo& kept = *core::alive(info, role::info);
        core::required(nlevels, "nlevels");
        core::required(levelPtr, "levelPtr");
        core::required(levelInd, "levelInd");
        kept.solve.require_analysed(c, false);
        const core::analysed_problem& analysed = kept.solve.made_for();
        const core::row_levels::arrays levels = kept.levels.of(c, analysed.op, analysed.a);
        *nlevels = levels.count;
        *levelPtr = levels.starts;
        *levelInd = levels.rows;
    });
}

cusparseStatus_t cusparseCsrsv_analysisEx(cusparseHandle_t handle, cusparseOperation_t transA, int m, int nnz,
                                          const cusparseMatDescr_t descr, const void* values,
                                          cudaDataType values_type, const int* offsets, const int* columns,
                                          cusparseSolveAnalysisInfo_t info, cudaDataType executiontype) {
    return guarded({__func__, csrsv_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_type type = execution_type(executiontype);
        require_type(values_type, type, "csrSortedValAtype");
        analyse(c, transA, m, nnz, descr, {type, values, offsets, columns}, info);
    });
}
cusparseStatus_t cusparseCsrsv_solveEx(cusparseHandle_t handle, cusparseOperation_t transA, int m,
                                       const void* alpha, cudaDataType alphatype,
                                       const cusparseMatDescr_t descr, const void* values,
                                       cudaDataType values_type, const int* offsets, const int* columns,
                                       cusparseSolveAnalysisInfo_t info, const void* f, cudaDataType ftype,
                                       void* x, cudaDataType xtype, cudaDataType executiontype) {
    return guarded({__func__, csrsv_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_type type = execution_type(executiontype);
        require_type(alphatype, type, "alphatype");
        require_type(values_type, type, "csrSortedValAtype");
        require_type(ftype, type, "ftype");
        require_type(xtype, type, "xtype");
        solve(c, transA, m, alpha, descr, {type, values, offsets, columns}, info, {1, f, m, x, m});
    });
}
cusparseStatus_t cusparseCsrilu0Ex(cusparseHandle_t handle, cusparseOperation_t trans, int m,
                                   const cusparseMatDescr_t descr, void* values, cudaDataType values_type,
                                   const int* offsets, const int* columns, cusparseSolveAnalysisInfo_t info,
                                   cudaDataType executiontype) {
    return guarded({__func__, factor_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_type type = execution_type(executiontype);
        require_type(values_type, type, "csrSortedValA_ValMtype");
        factor_lu(c, trans, m, descr, {type, values, offsets, columns}, info);
    });
}

#define HERON_FAMILY "cusparse/removed/solve_analysis.inc"
#include <cusparse/foreach_type.inc>
