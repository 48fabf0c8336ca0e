// C := B, and trmm in C's place.
#include "trmm_into.hpp"
#include "dense_checks.hpp"

namespace heron::core {
namespace {

heron_stored_matrix full(const heron_dense_operand& a) {
    return {HERON_STORAGE_FULL, a.memory, a.offset, a.ld, 0, 0};
}

}  // namespace

void trmm_into(context& x, const triangular_call& call, const dense_matrix_operand& c) {
    triangular_call in_place = call;
    in_place.b = c;
    if (c.memory == call.b.memory && c.ld == call.b.ld && c.offset == call.b.offset) return trmm(x, in_place);

    require_type(call.type);
    require_order(call.order);
    require_side(call.side);
    require_fill(call.fill);
    require_enum(call.op, HERON_OP_CONJUGATE_TRANSPOSE, role::operation_a,
                 "is not NONE, TRANSPOSE or CONJUGATE_TRANSPOSE");
    require_diag(call.diag);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool reads = !is_empty && !is_zero(scalar(x, call.alpha, call.type, role::alpha));
    const int64_t order = call.side == HERON_SIDE_LEFT ? call.m : call.n;
    checked(role::a, call.a, call.order, order, order, call.type, reads);
    const bool turned = call.order == HERON_ORDER_ROW;
    heron_geam_args copy{};
    copy.type = call.type;
    copy.m = turned ? call.n : call.m;
    copy.n = turned ? call.m : call.n;
    copy.alpha = {nullptr, 1, 0};
    copy.a = full(checked(role::b, call.b, call.order, call.m, call.n, call.type, reads));
    copy.c = full(checked(role::c, c, call.order, call.m, call.n, call.type, true));
    copy.b = copy.c;
    require_countable({call.m, call.n}, call.type);
    if (is_empty) return;
    x.exclusively([&] {
        if (reads) run_in<operation::geam>(x, copy, nullptr);
        trmm(x, in_place);
    });
}

}  // namespace heron::core
