// gtsv, gtsv_nopivot and gtsvStridedBatch.
#include "cusparse/legacy/typed.hpp"
#include "core/ops/tridiag.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name gtsv_names[] = {
    {role::rows, "m"},
    {role::columns, "n"},
    {role::count, "batchCount"},
    {role::lower, "dl"},
    {role::main, "d"},
    {role::upper, "du"},
    {role::b, "B"},
    {{role::b, part::ld}, "ldb"},
    {{role::x, part::stride}, "batchStride"},
    {role::x, "x"},
};

cusparseStatus_t solve(const char* called, cusparseHandle_t handle, const heron_gtsv_args& problem) {
    return guarded({called, gtsv_names, typed_names}, [&] {
        core::solve_tridiagonal(typed_context_of(handle), core::run_in_own_scratch, problem);
    });
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/gtsv.inc"
#include <cusparse/foreach_type.inc>
