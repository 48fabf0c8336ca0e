// The host's slots of the dense operations.
#include "common/dense/plan.hpp"
#include "common/runtime/slot.hpp"
#include "small.hpp"
#include "triangular.hpp"

namespace heron::HERON_LEVEL::dense_host {
namespace {

template <class CT>
CT value_of(const heron_scalar& s) {
    return s.device ? *static_cast<const CT*>(s.device) : scalar_value<CT>(s.re, s.im);
}

// A scalar that is a real number on the device.
template <class CT>
CT real_value_of(const heron_scalar& s) {
    return s.device ? load<CT>(*static_cast<const real_of<CT>*>(s.device)) : scalar_value<CT>(s.re, s.im);
}

template <class CT>
const CT* begin_of(const heron_dense_operand& o) {
    return as<const CT>(o.memory) + o.offset;
}
template <class CT>
CT* output_of(const heron_dense_operand& o) {
    return as<CT>(o.memory) + o.offset;
}

// op(A) by rows, and op(B) by columns.
template <class CT>
strided_source<CT> row_source(const CT* p, heron_operation op, int64_t ld) {
    return {p, plans::dense_row_step(op, ld), plans::dense_column_step(op, ld), plans::is_conjugated(op)};
}
template <class CT>
strided_source<CT> column_source(const CT* p, heron_operation op, int64_t ld) {
    return {p, plans::dense_column_step(op, ld), plans::dense_row_step(op, ld), plans::is_conjugated(op)};
}

bool is_real_type(heron_type t) { return t == HERON_R_32F || t == HERON_R_64F; }
bool is_packed_type(heron_type t) { return is_real_type(t) || t == HERON_C_32F || t == HERON_C_64F; }

void gemm(host_device& device, heron_phase phase, const heron_gemm_args& g, heron_workspace& workspace) {
    if (g.algorithm == HERON_GEMM_3M) return plans::gemm_3m(device, phase, g, workspace, &gemm);
    // 16-bit types stay with the plan: their sums must not be rounded between panels.
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0 || !is_packed_type(g.type))
        return plans::gemm(device, phase, g, workspace);
    visit_full(g.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(g.alpha);
        product_target<CT> target{output_of<CT>(g.c), g.c.ld, g.m, g.n, value_of<CT>(g.beta)};
        target.left_out = plans::parts_left_out(g);
        if (g.k == 0 || equal(alpha, CT{})) return scale(target);
        const strided_term<CT> term{row_source(begin_of<CT>(g.a), g.op_a, g.a.ld),
                                    column_source(begin_of<CT>(g.b), g.op_b, g.b.ld), alpha};
        if (target.left_out != 0 || !is_direct(target, g.k, term))
            return multiply(device, target, g.k, &term, 1);
        run_team(product_team(device, product_work<CT>(g.m, g.n, g.k)), [&](int member, int team) {
            multiply_direct(target, g.k, term, static_cast<CT*>(device.packing().own(member)), member, team);
        });
    });
}

template <class CT>
CT* locate(const heron_batch_operand& o, int64_t item) {
    if (o.kind == HERON_BATCH_STRIDED) return as<CT>(o.base) + item * o.stride;
    if (o.kind == HERON_BATCH_POINTERS) return static_cast<CT* const*>(o.list)[item * o.list_step];
    const int64_t index = o.index_type == HERON_INDEX_32 ? as<const i32>(o.list)[item * o.list_step]
                                                         : as<const i64>(o.list)[item * o.list_step];
    return as<CT>(o.base) + index * o.stride;
}

// The items of a batch: large ones by the whole team one after the other, others one per member.
template <class CT>
class batch_run {
  public:
    batch_run(const host_device& device, const heron_gemm_batched_args& args)
        : device_(device), args_(args) {}

    void run() const {
        const double work = product_work<CT>(args_.m, args_.n, most(args_.k, 1));
        const int threads = product_team(device_, work * static_cast<double>(args_.count));
        if (is_zero_ || work < 64 * smallest_parallel_product || threads == 1)
            return each_by_a_member(threads);
        for (int64_t item = 0; item < args_.count; ++item) {
            const strided_term<CT> term = term_of(item);
            multiply(device_, target_of(item), args_.k, &term, 1);
        }
    }

  private:
    void each_by_a_member(int threads) const {
        run_team(threads, [&](int member, int team) {
            char* const own = static_cast<char*>(device_.packing().own(member));
            constexpr int64_t half = host::packing_memory::own_bytes / 2;
            const panels<CT> memory{reinterpret_cast<CT*>(own), reinterpret_cast<CT*>(own + half), half,
                                    half};
            const range items = equal_part(args_.count, member, team);
            for (int64_t item = items.begin; item < items.end; ++item) one_item(item, memory);
        });
    }

    void one_item(int64_t item, const panels<CT>& memory) const {
        const product_target<CT> target = target_of(item);
        if (is_zero_) return scale(target);
        const strided_term<CT> term = term_of(item);
        if (is_direct(target, args_.k, term)) return multiply_direct(target, args_.k, term, memory.a, 0, 1);
        multiply_alone(target, args_.k, term, memory);
    }

    product_target<CT> target_of(int64_t item) const {
        return {locate<CT>(args_.c, item), args_.ldc, args_.m, args_.n, beta_};
    }
    strided_term<CT> term_of(int64_t item) const {
        return {row_source<CT>(locate<CT>(args_.a, item), args_.op_a, args_.lda),
                column_source<CT>(locate<CT>(args_.b, item), args_.op_b, args_.ldb), alpha_};
    }

    const host_device& device_;
    const heron_gemm_batched_args& args_;
    CT alpha_ = value_of<CT>(args_.alpha);
    CT beta_ = value_of<CT>(args_.beta);
    bool is_zero_ = args_.k == 0 || equal(alpha_, CT{});
};

void gemm_batched(host_device& device, heron_phase phase, const heron_gemm_batched_args& g,
                  heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0 || !is_packed_type(g.type))
        return plans::gemm_batched(device, phase, g, workspace);
    visit_full(g.type, [&]<class CT>(type<CT>) { batch_run<CT>(device, g).run(); });
}

void gemmt(host_device& device, heron_phase phase, const heron_gemmt_args& g, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0)
        return plans::gemmt(device, phase, g, workspace);
    visit_full(g.type, [&]<class CT>(type<CT>) {
        const CT alpha = plans::has_real_alpha(g) ? real_value_of<CT>(g.alpha) : value_of<CT>(g.alpha);
        const CT beta = g.hermitian ? real_value_of<CT>(g.beta) : value_of<CT>(g.beta);
        const product_target<CT> target{output_of<CT>(g.c),
                                        g.c.ld,
                                        g.n,
                                        g.n,
                                        beta,
                                        g.fill == HERON_FILL_LOWER ? part::lower : part::upper,
                                        g.hermitian != 0};
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
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0)
        return plans::symm(device, phase, s, workspace);
    visit_full(s.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(s.alpha);
        const product_target<CT> target{output_of<CT>(s.c), s.c.ld, s.m, s.n, value_of<CT>(s.beta)};
        if (equal(alpha, CT{})) return scale(target);
        const bool left = s.side == HERON_SIDE_LEFT;
        const symmetric_source<CT> a{begin_of<CT>(s.a), s.a.ld, s.fill == HERON_FILL_LOWER, s.hermitian != 0,
                                     !left};
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
    visit_full(t.type, [&]<class CT>(type<CT>) {
        const CT alpha = value_of<CT>(t.alpha);
        if (equal(alpha, CT{})) return scale(product_target<CT>{output_of<CT>(t.b), t.b.ld, t.m, t.n, alpha});
        triangular_run<CT>(device, t, alpha, solves).run();
    });
}

void trmm(host_device& device, heron_phase phase, const heron_trmm_args& t, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0)
        return plans::trmm(device, phase, t, workspace);
    triangular(device, t, false);
}

void trsm(host_device& device, heron_phase phase, const heron_trsm_args& t, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || device.packing().threads() == 0)
        return plans::trsm(device, phase, t, workspace);
    triangular(device, t, true);
}

}  // namespace
}  // namespace heron::HERON_LEVEL::dense_host

namespace heron::HERON_LEVEL {

void override_dense(heron_backend& table) {
    table.gemm = &slot<host_device, heron_gemm_args, &dense_host::gemm, operation_names::gemm>;
    table.gemm_batched =
        &slot<host_device, heron_gemm_batched_args, &dense_host::gemm_batched, operation_names::gemm_batched>;
    table.gemmt = &slot<host_device, heron_gemmt_args, &dense_host::gemmt, operation_names::gemmt>;
    table.symm = &slot<host_device, heron_symm_args, &dense_host::symm, operation_names::symm>;
    table.trmm = &slot<host_device, heron_trmm_args, &dense_host::trmm, operation_names::trmm>;
    table.trsm = &slot<host_device, heron_trsm_args, &dense_host::trsm, operation_names::trsm>;
}

}  // namespace heron::HERON_LEVEL
