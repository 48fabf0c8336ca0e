// The arguments of csrsv, csrsm, csrilu0 and csric0 with their info, and of gtsv, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto mismatch = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// A diagonal matrix of three rows.
struct analysis_operands {
    analysis_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    owned<cusparseSolveAnalysisInfo_t, &cusparseDestroySolveAnalysisInfo> info{
        cusparseCreateSolveAnalysisInfo},
        unused{cusparseCreateSolveAnalysisInfo};
    int offsets[4] = {0, 1, 2, 3}, columns[3] = {0, 1, 2};
};

// values, offsets and columns, the first two at argument `first` and the next, or with the values' type
// between them.
template <std::size_t first, std::size_t step, class Subject, class T>
void try_pattern(Subject& s, const analysis_operands& o, const char* values, T* odd) {
    s.template bad<first>(values, odd);
    s.template bad<first + step>("csrSortedRowPtrA", nullptr);
    s.template bad<first + step>("csrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<first + step + 1>("csrSortedColIndA", nullptr);
    s.template bad<first + step + 1>("csrSortedColIndA", misaligned(o.columns));
}
template <std::size_t first, std::size_t step, class Subject, class T>
void try_arrays(Subject& s, const analysis_operands& o, const char* values, T* odd) {
    try_pattern<first, step>(s, o, values, odd);
    s.template bad<first>(values, nullptr);
}

template <class Subject>
void try_start(Subject& s, const char* trans) {
    s.works();
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>(trans, no_operation);
    s.template bad<2>("m", -1);
}
template <class Subject>
void try_analysis_start(Subject& s) {
    try_start(s, "transA");
    s.template bad<3>("nnz", -1).template bad<3>("nnz", 10).template bad<4>("descrA", nullptr);
}
// The info at argument i: none, or one that nothing is known of.
template <std::size_t i, class Subject>
void try_info(Subject& s, const analysis_operands& o) {
    s.template bad<i>("info", nullptr).template bad<i>("info", o.unused);
}
template <std::size_t i, class Subject>
void try_type(Subject& s, const char* name, cudaDataType other) {
    s.template bad<i>(name, no_type).template bad<i>(name, other, not_supported);
    s.template bad<i>(name, CUDA_R_16F, not_supported);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/solve_analysis_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

void try_infos(const analysis_operands& o) {
    cusparseSolveAnalysisInfo_t made = nullptr;
    SUBJECT(create, cusparseCreateSolveAnalysisInfo, &made);
    create.works().bad<0>("info", nullptr);
    CHECK(cusparseDestroySolveAnalysisInfo(made) == ok);
    SUBJECT(destroy, cusparseDestroySolveAnalysisInfo, nullptr);
    destroy.works().any<0>();

    int count = 0, *starts = nullptr, *rows = nullptr;
    SUBJECT(levels, cusparseGetLevelInfo, o.h, o.info, &count, &starts, &rows);
    levels.works().watch(&count, sizeof count).watch(&starts, sizeof starts).watch(&rows, sizeof rows);
    levels.bad<0>("handle", nullptr, not_initialized);
    try_info<1>(levels, o);
    levels.bad<2>("nlevels", nullptr).bad<3>("levelPtr", nullptr).bad<4>("levelInd", nullptr);
}

void try_untyped(const analysis_operands& o) {
    constexpr auto type = CUDA_R_64F;
    constexpr auto other = CUDA_R_32F;
    double values[3] = {1, 1, 1}, f[3] = {}, x[3] = {};
    const double one = 1;
    double* const odd = misaligned(values);
    SUBJECT(analysis, cusparseCsrsv_analysisEx, o.h, plain, 3, 3, o.general, values, type, o.offsets,
            o.columns, o.info, type);
    try_analysis_start(analysis);
    try_pattern<5, 2>(analysis, o, "csrSortedValA", odd);
    try_type<6>(analysis, "csrSortedValAtype", other);
    analysis.bad<9>("info", nullptr).bad<10>("executiontype", no_type);
    analysis.bad<10>("executiontype", CUDA_R_16F, not_supported);
    analysis.works();

    SUBJECT(solve, cusparseCsrsv_solveEx, o.h, plain, 3, &one, type, o.general, values, type, o.offsets,
            o.columns, o.info, f, type, x, type, type);
    try_start(solve.watch(x, sizeof x), "transA");
    solve.bad<1>("transA", turned).bad<2>("m", 4).bad<3>("alpha", nullptr).bad<5>("descrA", nullptr);
    solve.bad<5>("descrA", o.symmetric, mismatch);
    try_type<4>(solve, "alphatype", other);
    try_arrays<6, 2>(solve, o, "csrSortedValA", odd);
    try_type<7>(solve, "csrSortedValAtype", other);
    try_info<10>(solve, o);
    solve.bad<11>("f", nullptr).bad<11>("f", odd).bad<13>("x", nullptr).bad<13>("x", odd);
    try_type<12>(solve, "ftype", other);
    try_type<14>(solve, "xtype", other);
    solve.bad<15>("executiontype", no_type).bad<15>("executiontype", CUDA_R_16F, not_supported);

    SUBJECT(factor, cusparseCsrilu0Ex, o.h, plain, 3, o.general, values, type, o.offsets, o.columns, o.info,
            type);
    try_start(factor.watch(values, sizeof values), "trans");
    factor.bad<2>("m", 4).bad<3>("descrA", nullptr).bad<3>("descrA", o.symmetric, mismatch);
    try_arrays<4, 2>(factor, o, "csrSortedValA_ValM", odd);
    try_type<5>(factor, "csrSortedValA_ValMtype", other);
    try_info<8>(factor, o);
    factor.bad<9>("executiontype", no_type).bad<9>("executiontype", CUDA_R_16F, not_supported);
}

}  // namespace

void try_solve_analysis() {
    const analysis_operands o;
    try_typed(o, 1.0f);
    try_typed(o, 1.0);
    try_typed(o, cuComplex{1, 0});
    try_typed(o, cuDoubleComplex{1, 0});
    try_untyped(o);
    try_infos(o);
}

}  // namespace heron::test
