// The arguments of the products and triangular solves of BSR matrices, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto mismatch = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto conjugated = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
constexpr auto by_rows = CUSPARSE_DIRECTION_ROW;
constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// A matrix of 3 x 3 blocks of 2 x 2 elements, one on each diagonal place.
struct bsr_operands {
    bsr_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    owned<bsrsv2Info_t, &cusparseDestroyBsrsv2Info> sv{cusparseCreateBsrsv2Info};
    owned<bsrsm2Info_t, &cusparseDestroyBsrsm2Info> sm{cusparseCreateBsrsm2Info};
    int offsets[4] = {0, 1, 2, 3}, ends[3] = {1, 2, 3}, columns[3] = {0, 1, 2}, mask[2] = {2, 0};
    alignas(128) char buffer[256] = {};
};

// What a solve of either kind and its analysis are asked for alike, from argument `first` on.
template <std::size_t first, class Subject, class T>
void try_pattern(Subject& s, const bsr_operands& o, T* odd, const char* suffix, const char* block) {
    const std::string offsets = std::string("bsrSortedRowPtr") + suffix;
    const std::string columns = std::string("bsrSortedColInd") + suffix;
    s.template bad<first>("descrA", nullptr).template bad<first>("descrA", o.symmetric, mismatch);
    s.template bad<first + 1>((std::string("bsrSortedVal") + suffix).c_str(), odd);
    s.template bad<first + 2>(offsets.c_str(), nullptr);
    s.template bad<first + 2>(offsets.c_str(), misaligned(o.offsets));
    s.template bad<first + 3>(columns.c_str(), nullptr);
    s.template bad<first + 3>(columns.c_str(), misaligned(o.columns));
    s.template bad<first + 4>(block, 0).template bad<first + 4>(block, -2);
}
template <std::size_t first, class Subject, class T>
void try_matrix(Subject& s, const bsr_operands& o, T* odd, const char* suffix, const char* block) {
    try_pattern<first>(s, o, odd, suffix, block);
    s.template bad<first + 1>((std::string("bsrSortedVal") + suffix).c_str(), nullptr);
}
// Sizes ask for no arrays.
template <std::size_t first, class Subject, class T>
void try_sized_matrix(Subject& s, const bsr_operands& o, T* odd, const char* suffix, const char* block) {
    s.template bad<first>("descrA", nullptr).template bad<first>("descrA", o.symmetric, mismatch);
    s.template bad<first + 1>((std::string("bsrSortedVal") + suffix).c_str(), odd);
    s.template bad<first + 2>((std::string("bsrSortedRowPtr") + suffix).c_str(), misaligned(o.offsets));
    s.template bad<first + 3>((std::string("bsrSortedColInd") + suffix).c_str(), misaligned(o.columns));
    s.template bad<first + 4>(block, 0).template bad<first + 4>(block, -2);
}

template <class Subject>
void try_bsrsv2_start(Subject& s) {
    s.works();
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("dirA", no_direction);
    s.template bad<2>("transA", no_operation).template bad<3>("mb", -1);
    s.template bad<4>("nnzb", -1).template bad<4>("nnzb", 10);
}
template <class Subject>
void try_bsrsm2_start(Subject& s) {
    s.works();
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("dirA", no_direction);
    s.template bad<2>("transA", no_operation).template bad<3>("transXY", no_operation);
    s.template bad<3>("transXY", conjugated, not_supported).template bad<4>("mb", -1);
    s.template bad<5>("n", -1).template bad<6>("nnzb", -1).template bad<6>("nnzb", 10);
}

template <class Create, class Destroy, class Info>
void try_info(const char* create_name, Create create, const char* destroy_name, Destroy destroy, Info none) {
    Info made = none;
    heron::test::subject creating(create_name, create, &made);
    creating.works().template bad<0>("info", nullptr);
    heron::test::subject destroying(destroy_name, destroy, none);
    destroying.works().template any<0>();
    CHECK(destroy(made) == ok);
}

template <class Info>
void try_zero_pivot(const char* name, cusparseStatus_t (*function)(cusparseHandle_t, Info, int*),
                    cusparseHandle_t h, Info info) {
    int position = 5;
    heron::test::subject s(name, function, h, info, &position);
    s.works().watch(&position, sizeof position).template bad<0>("handle", nullptr, not_initialized);
    s.template bad<1>("info", nullptr);
    s.template bad<2>("position", nullptr).template bad<2>("position", misaligned(&position));
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/bsr_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_bsr_functions() {
    bsr_operands o;
    try_info("cusparseCreateBsrsv2Info", &cusparseCreateBsrsv2Info, "cusparseDestroyBsrsv2Info",
             &cusparseDestroyBsrsv2Info, bsrsv2Info_t{});
    try_info("cusparseCreateBsrsm2Info", &cusparseCreateBsrsm2Info, "cusparseDestroyBsrsm2Info",
             &cusparseDestroyBsrsm2Info, bsrsm2Info_t{});
    try_zero_pivot<bsrsv2Info_t>("cusparseXbsrsv2_zeroPivot", &cusparseXbsrsv2_zeroPivot, o.h, o.sv);
    try_zero_pivot<bsrsm2Info_t>("cusparseXbsrsm2_zeroPivot", &cusparseXbsrsm2_zeroPivot, o.h, o.sm);
    try_products(o, 1.0f);
    try_products(o, 1.0);
    try_products(o, cuComplex{1, 0});
    try_products(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
