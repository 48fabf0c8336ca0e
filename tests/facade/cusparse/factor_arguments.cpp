// The arguments of the incomplete factorisations, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr cusparseStatus_t wrong_type = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using csr_lu = owned<csrilu02Info_t, &cusparseDestroyCsrilu02Info>;
using csr_cholesky = owned<csric02Info_t, &cusparseDestroyCsric02Info>;
using bsr_lu = owned<bsrilu02Info_t, &cusparseDestroyBsrilu02Info>;
using bsr_cholesky = owned<bsric02Info_t, &cusparseDestroyBsric02Info>;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

// A 3 x 3 matrix with 4 elements, or blocks.
struct factor_operands {
    factor_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    int offsets[4] = {0, 1, 2, 4}, columns[4] = {0, 1, 0, 2};
    alignas(128) mutable char buffer[256];
    static constexpr const char* csr_arrays[3] = {"csrSortedValA", "csrSortedRowPtrA", "csrSortedColIndA"};
    static constexpr const char* in_place[3] = {"csrSortedValA_valM", "csrSortedRowPtrA", "csrSortedColIndA"};
    static constexpr const char* csr_ext[3] = {"csrSortedVal", "csrSortedRowPtr", "csrSortedColInd"};
    static constexpr const char* bsr_arrays[3] = {"bsrSortedVal", "bsrSortedRowPtr", "bsrSortedColInd"};
};

// What functions of a matrix begin with: of CSR up to the info, and of BSR.
template <class Subject>
void try_csr(Subject& f, const factor_operands& o) {
    f.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1);
    f.template bad<2>("nnz", -1).template bad<2>("nnz", 10).template bad<3>("descrA", nullptr);
    f.template bad<3>("descrA", o.symmetric, wrong_type).template bad<7>("info", nullptr);
}
template <class Subject>
void try_bsr(Subject& f, const factor_operands& o, const char* block_dim) {
    f.template bad<0>("handle", nullptr, not_initialized).template bad<1>("dirA", no_direction);
    f.template bad<2>("mb", -1).template bad<3>("nnzb", -1).template bad<3>("nnzb", 10);
    f.template bad<4>("descrA", nullptr).template bad<4>("descrA", o.symmetric, wrong_type);
    f.template bad<8>(block_dim, 0).template bad<9>("info", nullptr);
}

// Arrays are needed by the phases, but not for a size.
template <int first, class Subject, class T>
void try_pattern(Subject& f, const char* const (&names)[3], T* odd, const factor_operands& o) {
    f.template bad<first>(names[0], odd);
    f.template bad<first + 1>(names[1], nullptr).template bad<first + 2>(names[2], nullptr);
    f.template bad<first + 2>(names[2], misaligned(o.columns));
}
template <int first, class Subject, class T>
void try_arrays(Subject& f, const char* const (&names)[3], T* odd, const factor_operands& o) {
    try_pattern<first>(f, names, odd, o);
    f.template bad<first>(names[0], nullptr);
}
template <int first, class Subject, class T>
void try_some_arrays(Subject& f, const char* const (&names)[3], T* odd, const factor_operands& o) {
    f.template bad<first>(names[0], odd).template bad<first + 1>(names[1], misaligned(o.offsets));
    f.template bad<first + 2>(names[2], misaligned(o.columns));
}
template <int first, class Subject>
void try_policy(Subject& f, const char* buffer_name, char* odd_buffer) {
    f.template bad<first>("policy", no_policy).template bad<first + 1>(buffer_name, nullptr);
    f.template bad<first + 1>(buffer_name, odd_buffer);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/factor_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

template <class Info>
void try_info(const char* create_name, cusparseStatus_t (*create)(Info*), const char* destroy_name,
              cusparseStatus_t (*destroy)(Info), const char* report_name,
              cusparseStatus_t (*report)(cusparseHandle_t, Info, int*)) {
    const handle h(cusparseCreate);
    Info info = nullptr;
    {
        heron::test::subject creates(create_name, create, &info);
        creates.works().template bad<0>("info", nullptr);
    }
    int position = 0;
    {
        heron::test::subject reports(report_name, report, h, info, &position);
        reports.works().watch(&position, sizeof position);
        reports.template bad<0>("handle", nullptr, not_initialized).template bad<1>("info", nullptr);
        reports.template bad<2>("position", nullptr);
    }
    heron::test::subject destroys(destroy_name, destroy, info);
    destroys.works().template any<0>();
}

}  // namespace

void try_factorisations() {
    const factor_operands o;
    try_factor(o, 1.0f);
    try_factor(o, 1.0);
    try_factor(o, cuComplex{1, 0});
    try_factor(o, cuDoubleComplex{1, 0});
    try_info("cusparseCreateCsrilu02Info", &cusparseCreateCsrilu02Info, "cusparseDestroyCsrilu02Info",
             &cusparseDestroyCsrilu02Info, "cusparseXcsrilu02_zeroPivot", &cusparseXcsrilu02_zeroPivot);
    try_info("cusparseCreateCsric02Info", &cusparseCreateCsric02Info, "cusparseDestroyCsric02Info",
             &cusparseDestroyCsric02Info, "cusparseXcsric02_zeroPivot", &cusparseXcsric02_zeroPivot);
    try_info("cusparseCreateBsrilu02Info", &cusparseCreateBsrilu02Info, "cusparseDestroyBsrilu02Info",
             &cusparseDestroyBsrilu02Info, "cusparseXbsrilu02_zeroPivot", &cusparseXbsrilu02_zeroPivot);
    try_info("cusparseCreateBsric02Info", &cusparseCreateBsric02Info, "cusparseDestroyBsric02Info",
             &cusparseDestroyBsric02Info, "cusparseXbsric02_zeroPivot", &cusparseXbsric02_zeroPivot);
}

}  // namespace heron::test
