#include "solves.hpp"

namespace heron::cusparse {

using core::role;

bool has_levels(cusparseSolvePolicy_t policy) {
    if (policy != CUSPARSE_SOLVE_POLICY_NO_LEVEL && policy != CUSPARSE_SOLVE_POLICY_USE_LEVEL)
        core::invalid(role::policy, "is not one of its values");
    return policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL;
}

void set_triangle(heron_spmat& a, const cusparseMatDescr& descr) {
    a.fill = descr.fill == CUSPARSE_FILL_MODE_LOWER ? HERON_FILL_LOWER : HERON_FILL_UPPER;
    a.diag = descr.diag == CUSPARSE_DIAG_TYPE_UNIT ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT;
}

bool turns_sides(cusparseOperation_t trans) {
    const heron_operation op = operation_from(trans, role::operation_b);
    if (core::conjugates(op))
        core::not_supported(role::operation_b, "a conjugate-transposed right-hand side is not supported");
    return core::transposes(op);
}

}  // namespace heron::cusparse
