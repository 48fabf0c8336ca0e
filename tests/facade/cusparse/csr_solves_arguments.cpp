// The arguments of csrsv2 and csrsm2, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto mismatch = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto conjugated = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// A diagonal matrix of three rows.
struct csr_operands {
    csr_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    owned<csrsv2Info_t, &cusparseDestroyCsrsv2Info> sv{cusparseCreateCsrsv2Info};
    owned<csrsm2Info_t, &cusparseDestroyCsrsm2Info> sm{cusparseCreateCsrsm2Info};
    int offsets[4] = {0, 1, 2, 3}, columns[3] = {0, 1, 2};
    alignas(128) char buffer[256] = {};
};

// The matrix from argument `first` on; sizes ask for no arrays.
// Sizes read no arrays, and an analysis no values.
enum class phase { size, analysis, solve };

template <std::size_t first, class Subject, class T>
void try_matrix(Subject& s, const csr_operands& o, T* odd, phase which) {
    s.template bad<first>("descrA", nullptr).template bad<first>("descrA", o.symmetric, mismatch);
    s.template bad<first + 1>("csrSortedValA", odd);
    s.template bad<first + 2>("csrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<first + 3>("csrSortedColIndA", misaligned(o.columns));
    if (which == phase::size) return;
    if (which == phase::solve) s.template bad<first + 1>("csrSortedValA", nullptr);
    s.template bad<first + 2>("csrSortedRowPtrA", nullptr);
    s.template bad<first + 3>("csrSortedColIndA", nullptr);
}

template <class Subject>
void try_csrsv2_start(Subject& s) {
    s.works();
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("transA", no_operation);
    s.template bad<2>("m", -1).template bad<3>("nnz", -1).template bad<3>("nnz", 10);
}
template <class Subject>
void try_csrsm2_start(Subject& s) {
    s.works();
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("algo", 2);
    s.template bad<1>("algo", -1).template bad<2>("transA", no_operation);
    s.template bad<3>("transB", no_operation).template bad<3>("transB", conjugated, not_supported);
    s.template bad<4>("m", -1).template bad<5>("nrhs", -1).template bad<6>("nnz", -1);
    s.template bad<6>("nnz", 10);
}

template <class Info>
void try_info(const char* create_name, cusparseStatus_t (*create)(Info*), const char* destroy_name,
              cusparseStatus_t (*destroy)(Info), const char* report_name,
              cusparseStatus_t (*report)(cusparseHandle_t, Info, int*)) {
    const handle h(cusparseCreate);
    Info info = nullptr;
    int position = 0;
    heron::test::subject creating(create_name, create, &info);
    creating.works().template bad<0>("info", nullptr);
    heron::test::subject reporting(report_name, report, h, info, &position);
    reporting.works().watch(&position, sizeof position);
    reporting.template bad<0>("handle", nullptr, not_initialized).template bad<1>("info", nullptr);
    reporting.template bad<2>("position", nullptr).template bad<2>("position", misaligned(&position));
    CHECK(destroy(info) == ok);
    heron::test::subject destroying(destroy_name, destroy, nullptr);
    destroying.works().template any<0>();
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/csr_solves_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_csr_solves() {
    csr_operands o;
    try_info("cusparseCreateCsrsv2Info", &cusparseCreateCsrsv2Info, "cusparseDestroyCsrsv2Info",
             &cusparseDestroyCsrsv2Info, "cusparseXcsrsv2_zeroPivot", &cusparseXcsrsv2_zeroPivot);
    try_info("cusparseCreateCsrsm2Info", &cusparseCreateCsrsm2Info, "cusparseDestroyCsrsm2Info",
             &cusparseDestroyCsrsm2Info, "cusparseXcsrsm2_zeroPivot", &cusparseXcsrsm2_zeroPivot);
    try_solves(o, 1.0f);
    try_solves(o, 1.0);
    try_solves(o, cuComplex{1, 0});
    try_solves(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
