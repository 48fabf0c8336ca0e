// The arguments of the functions of HYB matrices.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto automatic = CUSPARSE_HYB_PARTITION_AUTO;
constexpr auto by_user = CUSPARSE_HYB_PARTITION_USER;
constexpr auto other_type = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using hyb_matrix = owned<cusparseHybMat_t, &cusparseDestroyHybMat>;

// A 4 x 4 matrix with one element per row and column.
struct hyb_operands {
    hyb_operands() {
        REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok);
        const float singles[4] = {};
        const double doubles[4] = {};
        REQUIRE(cusparseScsr2hyb(h, 4, 4, general, singles, offsets, columns, of_singles, 0, automatic) ==
                ok);
        REQUIRE(cusparseDcsr2hyb(h, 4, 4, general, doubles, offsets, columns, of_doubles, 0, automatic) ==
                ok);
    }
    cusparseHybMat_t of_other_type(bool single) const { return single ? of_doubles : of_singles; }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    hyb_matrix hyb{cusparseCreateHybMat}, unset{cusparseCreateHybMat};
    owned<cusparseSolveAnalysisInfo_t, &cusparseDestroySolveAnalysisInfo> info{
        cusparseCreateSolveAnalysisInfo},
        unused_info{cusparseCreateSolveAnalysisInfo};
    hyb_matrix of_singles{cusparseCreateHybMat}, of_doubles{cusparseCreateHybMat};
    int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 3}, descending[5] = {4, 3, 2, 1, 0};
    mutable int to_offsets[5] = {}, to_indices[4] = {};
};

template <class Subject>
void try_hyb_partition(Subject& s, const hyb_operands& o) {
    s.template bad<7>("hybA", nullptr);
    s.template bad<9>("partitionType", no_partition).template bad<0>("handle", nullptr, not_initialized);
    s.template bad<1>("m", -1).template bad<2>("n", -1).template bad<3>("descrA", nullptr);
    s.template bad<3>("descrA", o.symmetric, other_type);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/hyb_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_hyb() {
    cusparseHybMat_t made = nullptr;
    SUBJECT(create, cusparseCreateHybMat, &made);
    create.works().watch(&made, sizeof made);
    REQUIRE(cusparseDestroyHybMat(made) == ok);
    create.bad<0>("hybA", nullptr);
    SUBJECT(destroy, cusparseDestroyHybMat, nullptr);
    destroy.works().any<0>();
    const hyb_operands o;
    try_typed(o, 1.0f);
    try_typed(o, 1.0);
    try_typed(o, cuComplex{1, 0});
    try_typed(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
