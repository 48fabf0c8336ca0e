// The arguments of counting, compression and pruning.
#include "families.hpp"
#include "subject.hpp"
#include <cmath>
#include <limits>

namespace heron::test {
namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using prune_info = owned<pruneInfo_t, &cusparseDestroyPruneInfo>;

constexpr auto wrong_matrix_type = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

template <class T>
void set_bytes(T& number, int byte) {
    std::memset(static_cast<void*>(&number), byte, sizeof number);
}

// A 4 x 3 matrix, dense or with one element per row, and what becomes of it.
struct prune_operands {
    prune_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    prune_info info{cusparseCreatePruneInfo};
    int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 0}, lengths[4] = {1, 1, 1, 1};
    int c_offsets[5] = {}, c_columns[12] = {}, count = 0;
    size_t bytes = 0;
    alignas(16) char buffer[1 << 16];
};

// Wrong values of the arguments from the `first` on that say what A is.
template <int first, class T, class Subject>
Subject& bad_dense(Subject& s, T* odd) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<first>("m", -1);
    s.template bad<first + 1>("n", -1).template bad<first + 2>("A", odd);
    return s.template bad<first + 3>("lda", 3);
}
template <class T, class Subject>
Subject& bad_csr(Subject& s, prune_operands& o, T* odd) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1).template bad<2>("n", -1);
    s.template bad<3>("nnzA", -1).template bad<3>("nnzA", 13).template bad<4>("descrA", nullptr);
    s.template bad<4>("descrA", o.symmetric, wrong_matrix_type).template bad<5>("csrSortedValA", odd);
    s.template bad<6>("csrSortedRowPtrA", misaligned(o.offsets));
    return s.template bad<7>("csrSortedColIndA", misaligned(o.columns));
}
template <int at, class Subject>
Subject& bad_result(Subject& s, prune_operands& o) {
    s.template bad<at>("descrC", nullptr);
    return s.template bad<at>("descrC", o.symmetric, wrong_matrix_type);
}
template <int at, class Subject>
void bad_percentage(Subject& s) {
    s.template bad<at>("percentage", -0.5f).template bad<at>("percentage", 100.5f);
    s.template bad<at>("percentage", std::nanf(""));
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/compress_arguments.inc"
#include <cusparse/foreach_type.inc>
#define HERON_HALF
#define HERON_FAMILY "facade/cusparse/prune_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_pruning() {
    pruneInfo_t made = nullptr;
    SUBJECT(create, cusparseCreatePruneInfo, &made);
    create.works().bad<0>("info", nullptr);
    SUBJECT(destroy, cusparseDestroyPruneInfo, nullptr);
    destroy.works().any<0>();
    CHECK(cusparseDestroyPruneInfo(made) == ok);

    prune_operands o;
    try_compression(o, 0.5f);
    try_compression(o, 0.5);
    try_compression(o, cuComplex{0.5, 0});
    try_compression(o, cuDoubleComplex{0.5, 0});
    try_thresholds(o, __half{});
    try_thresholds(o, 0.0f);
    try_thresholds(o, 0.0);
    try_percentages(o, __half{});
    try_percentages(o, 0.0f);
    try_percentages(o, 0.0);
}

}  // namespace heron::test
