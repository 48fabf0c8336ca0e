// The host's slots of the dense operations.
#include "host_dense.hpp"
#include "../common/plans/dense.hpp"
#include "../common/slot.hpp"
#include "host_dense_triangular.hpp"

namespace heron::HERON_LEVEL::dense_host {
namespace {

template <class CT> CT value_of(const heron_scalar& s) {
    return s.device ? *static_cast<const CT*>(s.device) : scalar_value<CT>(s.re, s.im);
}

// A scalar that is a real number on the device.
template <class CT> CT real_value_of(const heron_scalar& s) {
    return s.device ? load<CT>(*static_cast<const real_of<CT>*>(s.device)) : scalar_value<CT>(s.re, s.im);
}

template <class CT> const CT* begin_of(const heron_dense_operand& o) { return as<const CT>(o.memory) + o.offset; }
template <class CT> CT* output_of(const heron_dense_operand& o) { return as<CT>(o.memory) + o.offset; }

// op(A) by rows, and op(B) by columns.
template <class CT> strided_source<CT> row_source(const CT* p, heron_operation op, int64_t ld) {
    return {p, plans::dense_row_step(op, ld), plans::dense_column_step(op, ld), plans::dense_conjugates(op)};
}
template <class CT> strided_source<CT> column_source(const CT* p, heron_operation op, int64_t ld) {
    return {p, plans::dense_column_step(op, ld), plans::dense_row_step(op, ld), plans::dense_conjugates(op)};
}

bool is_real_type(heron_type t) { return t == HERON_R_32F || t == HERON_R_64F; }
bool is_packed_type(heron_type t) { return is_real_type(t) || t == HERON_C_32F || t == HERON_C_64F; }

void gemm(host_device& device, heron_phase phase, const heron_gemm_args& g, heron_workspace& workspace) {
    // 16-bit types stay with the plan: their sums must not be rounded between panels.
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0 || !is_packed_type(g.type))
        return plans::gemm(device, phase, g, workspace);
    plans::visit_dense(g.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(g.alpha);
        const product_target<CT> target{output_of<CT>(g.c), g.c.ld, g.m, g.n, value_of<CT>(g.beta)};
        if (g.k == 0 || equal(alpha, CT{})) return scale(target);
        const strided_term<CT> term{row_source(begin_of<CT>(g.a), g.op_a, g.a.ld),
                                    column_source(begin_of<CT>(g.b), g.op_b, g.b.ld), alpha};
        multiply(device, target, g.k, &term, 1);
    });
}

void gemmt(host_device& device, heron_phase phase, const heron_gemmt_args& g, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0) return plans::gemmt(device, phase, g, workspace);
    plans::visit_dense(g.type, [&]<class CT>(type<CT>) {
        const bool has_real_alpha = g.hermitian && g.terms == 1;
        const CT alpha = has_real_alpha ? real_value_of<CT>(g.alpha) : value_of<CT>(g.alpha);
        const CT beta = g.hermitian ? real_value_of<CT>(g.beta) : value_of<CT>(g.beta);
        const product_target<CT> target{output_of<CT>(g.c), g.c.ld, g.n, g.n, beta,
                                        g.fill == HERON_FILL_LOWER ? part::lower : part::upper, g.hermitian != 0};
        if (g.k == 0 || equal(alpha, CT{})) {
            if (!equal(beta, one<CT>())) scale(target);
            return;
        }
        strided_term<CT> terms[2];
        for (int t = 0; t < g.terms; ++t)
            terms[t] = {row_source(begin_of<CT>(g.a[t]), g.op_a, g.a[t].ld),
                        column_source(begin_of<CT>(g.b[t]), g.op_b, g.b[t].ld),
                        t == 1 && g.conjugate_second ? conjugated(alpha) : alpha};
        multiply(device, target, g.k, terms, g.terms);
    });
}

void symm(host_device& device, heron_phase phase, const heron_symm_args& s, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0) return plans::symm(device, phase, s, workspace);
    plans::visit_dense(s.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(s.alpha);
        const product_target<CT> target{output_of<CT>(s.c), s.c.ld, s.m, s.n, value_of<CT>(s.beta)};
        if (equal(alpha, CT{})) return scale(target);
        const bool left = s.side == HERON_SIDE_LEFT;
        const symmetric_source<CT> a{begin_of<CT>(s.a), s.a.ld, s.fill == HERON_FILL_LOWER, s.hermitian != 0, !left};
        const CT* const b = begin_of<CT>(s.b);
        if (left) {
            const product_term<CT, symmetric_source<CT>, strided_source<CT>> term{
                a, column_source(b, HERON_OP_NONE, s.b.ld), alpha};
            multiply(device, target, s.m, &term, 1);
        } else {
            const product_term<CT, strided_source<CT>, symmetric_source<CT>> term{
                row_source(b, HERON_OP_NONE, s.b.ld), a, alpha};
            multiply(device, target, s.n, &term, 1);
        }
    });
}

void triangular(host_device& device, const heron_triangular_args& t, bool solves) {
    plans::visit_dense(t.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(t.alpha);
        if (equal(alpha, CT{})) return scale(product_target<CT>{output_of<CT>(t.b), t.b.ld, t.m, t.n, alpha});
        triangular_run<CT>(device, t, alpha, solves).run();
    });
}

void trmm(host_device& device, heron_phase phase, const heron_trmm_args& t, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0) return plans::trmm(device, phase, t, workspace);
    triangular(device, t, false);
}

void trsm(host_device& device, heron_phase phase, const heron_trsm_args& t, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0) return plans::trsm(device, phase, t, workspace);
    triangular(device, t, true);
}

}  // namespace
}  // namespace heron::HERON_LEVEL::dense_host

namespace heron::HERON_LEVEL {

void fill_dense_slots(heron_backend& table) {
    table.gemm = &slot<host_device, heron_gemm_args, &dense_host::gemm, operation_names::gemm>;
    table.gemmt = &slot<host_device, heron_gemmt_args, &dense_host::gemmt, operation_names::gemmt>;
    table.symm = &slot<host_device, heron_symm_args, &dense_host::symm, operation_names::symm>;
    table.trmm = &slot<host_device, heron_trmm_args, &dense_host::trmm, operation_names::trmm>;
    table.trsm = &slot<host_device, heron_trsm_args, &dense_host::trsm, operation_names::trsm>;
}

}  // namespace heron::HERON_LEVEL
