// The arguments of the typed functions, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

struct legacy_operands {
    legacy_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 0};
};

template <class Subject, class T>
void try_dot(Subject& dot, T* result, T* odd) {
    dot.works().watch(result, sizeof *result);
    dot.template bad<0>("handle", nullptr, not_initialized).template bad<1>("nnz", -1);
    dot.template bad<2>("xVal", nullptr).template bad<2>("xVal", odd).template bad<3>("xInd", nullptr);
    dot.template bad<4>("y", nullptr).template bad<5>("resultDevHostPtr", nullptr);
    dot.template bad<6>("idxBase", no_base);
}

template <class Subject, class T>
void try_gather(Subject& gather, T* x, T* odd) {
    gather.works().watch(x, 8 * sizeof *x);
    gather.template bad<0>("handle", nullptr, not_initialized).template bad<1>("nnz", -1);
    gather.template bad<2>("y", nullptr).template bad<2>("y", odd).template bad<3>("xVal", nullptr);
    gather.template bad<3>("xVal", odd).template bad<4>("xInd", nullptr).template bad<5>("idxBase", no_base);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/typed_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_typed_functions() {
    const legacy_operands o;
    try_typed(o, 1.0f);
    try_typed(o, 1.0);
    try_typed(o, cuComplex{1, 0});
    try_typed(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
