#pragma once
// Dense products and triangular solves for any device: one item per element of the result, or per column or
// row of B where the operation works in place. The tuned overrides share what is said here about operands.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family dense{"dense_batch_item dense", "VT CT RT"};
#include "batch_item.h"
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Steps from row to row and from column to column of op(A).
inline heron_index dense_row_step(heron_operation op, heron_index ld) { return is_transposed(op) ? ld : 1; }
inline heron_index dense_column_step(heron_operation op, heron_index ld) {
    return is_transposed(op) ? 1 : ld;
}

inline int dense_kind(const heron_batch_operand& o) {
    if (o.kind == HERON_BATCH_POINTERS) return 1;
    if (o.kind == HERON_BATCH_STRIDED) return 0;
    return o.index_type == HERON_INDEX_32 ? 2 : 3;
}

// A triangular operation on vectors: side LEFT works on the columns of B with M = op(A), RIGHT on its rows
// with M = op(A)^T.
struct triangular_vectors {
    explicit triangular_vectors(const heron_triangular_args& a)
        : left(a.side == HERON_SIDE_LEFT),
          order(left ? a.m : a.n),
          count(left ? a.n : a.m),
          lower((a.fill == HERON_FILL_LOWER) == (is_transposed(a.op_a) != left)),
          a_row(left ? dense_row_step(a.op_a, a.a.ld) : dense_column_step(a.op_a, a.a.ld)),
          a_column(left ? dense_column_step(a.op_a, a.a.ld) : dense_row_step(a.op_a, a.a.ld)),
          line(left ? a.b.ld : 1),
          step(left ? 1 : a.b.ld) {}

    bool left;
    heron_index order, count;
    int lower;  // M is lower triangular
    heron_index a_row, a_column;
    heron_index line, step;  // between vectors, and between elements of one
};

// Alpha on the device is a real number.
inline bool has_real_alpha(const heron_gemmt_args& g) { return g.hermitian == 1 && g.terms == 1; }

// The products of one pair of storage and compute type.
template <class VT, class CT, class Device>
void launch_gemm(Device& device, const heron_gemm_args& g) {
    using RT = real_of<CT>;
    const auto alpha = as_argument<CT>(g.alpha);
    const auto beta = as_argument<CT>(g.beta);
    device.template launch<kernels::gemm<VT, CT, RT>>(
        kernels::dense, g.m * g.n, heron_index{g.m}, heron_index{g.k}, alpha.value, alpha.device,
        as<const VT>(g.a.memory), heron_index{g.a.offset}, dense_row_step(g.op_a, g.a.ld),
        dense_column_step(g.op_a, g.a.ld), int{is_conjugated(g.op_a)}, as<const VT>(g.b.memory),
        heron_index{g.b.offset}, dense_row_step(g.op_b, g.b.ld), dense_column_step(g.op_b, g.b.ld),
        int{is_conjugated(g.op_b)}, beta.value, beta.device, as<VT>(g.c.memory), heron_index{g.c.offset},
        heron_index{g.c.ld});
}

template <class VT, class CT, class Device>
void launch_gemm_batched(Device& device, const heron_gemm_batched_args& g) {
    using RT = real_of<CT>;
    const auto alpha = as_argument<CT>(g.alpha);
    const auto beta = as_argument<CT>(g.beta);
    device.template launch<kernels::gemm_batched<VT, CT, RT>>(
        kernels::dense, g.m * g.n * g.count, heron_index{g.m}, heron_index{g.n}, heron_index{g.k},
        alpha.value, alpha.device, as<const VT>(g.a.base), g.a.list, dense_kind(g.a), heron_index{g.a.stride},
        heron_index{g.a.list_step}, dense_row_step(g.op_a, g.lda), dense_column_step(g.op_a, g.lda),
        int{is_conjugated(g.op_a)}, as<const VT>(g.b.base), g.b.list, dense_kind(g.b),
        heron_index{g.b.stride}, heron_index{g.b.list_step}, dense_row_step(g.op_b, g.ldb),
        dense_column_step(g.op_b, g.ldb), int{is_conjugated(g.op_b)}, beta.value, beta.device,
        as<VT>(g.c.base), g.c.list, dense_kind(g.c), heron_index{g.c.stride}, heron_index{g.c.list_step},
        heron_index{g.ldc});
}

// The HERON_GEMM_WITHOUT_... of a product.
inline int parts_left_out(const heron_gemm_args& g) {
    return g.algorithm >= HERON_GEMM_WITHOUT_PACKING ? static_cast<int>(g.algorithm) : 0;
}

// For kernels that cannot be taken apart.
inline void refuse_study(const heron_gemm_args& g) {
    if (parts_left_out(g) != 0)
        throw plan_error{HERON_NOT_SUPPORTED, "parts of this kernel cannot be left out"};
}

// A complex product by three real ones (Gauss), each by `product`, the slot of gemm. The workspace holds the
// part of A and of B that is multiplied and the three products.
template <class CT, class Device, class Product>
void gemm_3m_of(Device& device, heron_phase phase, const heron_gemm_args& g, heron_workspace& workspace,
                Product&& product) {
    using RT = real_of<CT>;
    workspace_layout layout(phase, workspace);
    RT* const a = layout.take<RT>(g.m * g.k);
    RT* const b = layout.take<RT>(g.k * g.n);
    RT* const products = layout.take<RT>(3 * g.m * g.n);
    if (phase != HERON_PHASE_RUN) return;
    const auto split = [&](int part, const heron_dense_operand& o, heron_operation op, heron_index m,
                           heron_index n, RT* to) {
        const heron_index rows = is_transposed(op) ? n : m;
        device.template launch<kernels::split_complex<CT, CT, RT>>(
            kernels::dense, m * n, heron_index{rows}, int{part}, int{is_conjugated(op)},
            as<const RT>(o.memory), heron_index{2 * o.offset}, heron_index{o.ld}, to);
        return heron_dense_operand{to, 0, rows};
    };
    heron_gemm_args real = g;
    real.type = real.compute_type = g.type == HERON_C_32F ? HERON_R_32F : HERON_R_64F;
    real.op_a = is_transposed(g.op_a) ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
    real.op_b = is_transposed(g.op_b) ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
    real.alpha = {nullptr, 1, 0};
    real.beta = {nullptr, 0, 0};
    real.algorithm = HERON_GEMM_DEFAULT;
    for (int part = 0; part < 3; ++part) {
        real.a = split(part, g.a, g.op_a, g.m, g.k, a);
        real.b = split(part, g.b, g.op_b, g.k, g.n, b);
        real.c = {products + part * g.m * g.n, 0, g.m};
        heron_workspace none{};
        product(device, HERON_PHASE_RUN, real, none);
    }
    const CT alpha = scalar_value<CT>(g.alpha.re, g.alpha.im), beta = scalar_value<CT>(g.beta.re, g.beta.im);
    device.template launch<kernels::join_complex<CT, CT, RT>>(
        kernels::dense, g.m * g.n, heron_index{g.m}, heron_index{g.m * g.n}, static_cast<const RT*>(products),
        RT{alpha.re}, RT{alpha.im}, as<const RT>(g.alpha.device), RT{beta.re}, RT{beta.im},
        as<const RT>(g.beta.device), as<RT>(g.c.memory), heron_index{2 * g.c.offset}, heron_index{g.c.ld});
}

template <class Device, class Product>
void gemm_3m(Device& device, heron_phase phase, const heron_gemm_args& g, heron_workspace& workspace,
             Product&& product) {
    if (g.type == HERON_C_32F) return gemm_3m_of<c32>(device, phase, g, workspace, product);
    if (g.type == HERON_C_64F) return gemm_3m_of<c64>(device, phase, g, workspace, product);
    throw plan_error{HERON_NOT_SUPPORTED, "3M is for complex numbers in single and double precision"};
}

template <class Device>
void gemm(Device& device, heron_phase phase, const heron_gemm_args& g, heron_workspace& workspace) {
    if (g.algorithm == HERON_GEMM_3M) return gemm_3m(device, phase, g, workspace, &gemm<Device>);
    refuse_study(g);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(g.type, g.compute_type,
                  [&]<class VT, class CT>(type<VT>, type<CT>) { launch_gemm<VT, CT>(device, g); });
}

template <class Device>
void gemm_batched(Device& device, heron_phase phase, const heron_gemm_batched_args& g,
                  heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(g.type, g.compute_type,
                  [&]<class VT, class CT>(type<VT>, type<CT>) { launch_gemm_batched<VT, CT>(device, g); });
}

template <class Device>
void gemmt(Device& device, heron_phase phase, const heron_gemmt_args& g, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(g.type, [&]<class CT>(type<CT>) {
        using RT = real_of<CT>;
        const bool real_beta = g.hermitian;
        const bool real_alpha = has_real_alpha(g);
        const auto alpha = as_argument<CT>(g.alpha);
        const auto beta = as_argument<CT>(g.beta);
        const int second = g.terms > 1 ? 1 : 0;
        device.template launch<kernels::gemmt<CT, CT, RT>>(
            kernels::dense, g.n * g.n, heron_index{g.n}, heron_index{g.k}, int{g.fill == HERON_FILL_LOWER},
            int{g.terms}, int{g.conjugate_second}, int{g.hermitian}, alpha.value,
            real_alpha ? nullptr : alpha.device, real_alpha ? as<const RT>(g.alpha.device) : nullptr,
            as<const CT>(g.a[0].memory), heron_index{g.a[0].offset}, dense_row_step(g.op_a, g.a[0].ld),
            dense_column_step(g.op_a, g.a[0].ld), as<const CT>(g.a[second].memory),
            heron_index{g.a[second].offset}, dense_row_step(g.op_a, g.a[second].ld),
            dense_column_step(g.op_a, g.a[second].ld), int{is_conjugated(g.op_a)},
            as<const CT>(g.b[0].memory), heron_index{g.b[0].offset}, dense_row_step(g.op_b, g.b[0].ld),
            dense_column_step(g.op_b, g.b[0].ld), as<const CT>(g.b[second].memory),
            heron_index{g.b[second].offset}, dense_row_step(g.op_b, g.b[second].ld),
            dense_column_step(g.op_b, g.b[second].ld), int{is_conjugated(g.op_b)}, beta.value,
            real_beta ? nullptr : beta.device, real_beta ? as<const RT>(g.beta.device) : nullptr,
            as<CT>(g.c.memory), heron_index{g.c.offset}, heron_index{g.c.ld});
    });
}

template <class Device>
void symm(Device& device, heron_phase phase, const heron_symm_args& s, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(s.type, [&]<class CT>(type<CT>) {
        using RT = real_of<CT>;
        const auto alpha = as_argument<CT>(s.alpha);
        const auto beta = as_argument<CT>(s.beta);
        device.template launch<kernels::symm<CT, CT, RT>>(
            kernels::dense, s.m * s.n, heron_index{s.m}, heron_index{s.n}, int{s.side == HERON_SIDE_LEFT},
            int{s.fill == HERON_FILL_LOWER}, int{s.hermitian}, alpha.value, alpha.device,
            as<const CT>(s.a.memory), heron_index{s.a.offset}, heron_index{s.a.ld}, as<const CT>(s.b.memory),
            heron_index{s.b.offset}, heron_index{s.b.ld}, beta.value, beta.device, as<CT>(s.c.memory),
            heron_index{s.c.offset}, heron_index{s.c.ld});
    });
}

template <template <class...> class Kernel, class Device>
void triangular(Device& device, heron_phase phase, const heron_triangular_args& t,
                heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(t.type, [&]<class CT>(type<CT>) {
        using RT = real_of<CT>;
        const triangular_vectors v(t);
        const auto alpha = as_argument<CT>(t.alpha);
        device.template launch<Kernel<CT, CT, RT>>(
            kernels::dense, v.count, v.order, v.lower, int{t.diag == HERON_DIAG_UNIT}, alpha.value,
            alpha.device, as<const CT>(t.a.memory), heron_index{t.a.offset}, v.a_row, v.a_column,
            int{is_conjugated(t.op_a)}, as<CT>(t.b.memory), heron_index{t.b.offset}, v.line, v.step);
    });
}

template <class Device>
void trmm(Device& device, heron_phase phase, const heron_trmm_args& args, heron_workspace& workspace) {
    triangular<kernels::trmm>(device, phase, args, workspace);
}

template <class Device>
void trsm(Device& device, heron_phase phase, const heron_trsm_args& args, heron_workspace& workspace) {
    triangular<kernels::trsm>(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL::plans
