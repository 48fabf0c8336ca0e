// csrcolor.
#include "color.hpp"
#include "typed.hpp"
#include "core/ops/reorder.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name color_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "m"},
    {role::fraction, "fractionToColor"},
    {role::color_count, "ncolors"},
    {role::coloring, "coloring"},
    {role::reordering, "reordering"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
};

}  // namespace

cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info) { return destroy_info(__func__, info); }

#define HERON_FAMILY "cusparse/legacy/csrcolor.inc"
#include <cusparse/foreach_type.inc>
