#pragma once
// A dense matrix and vectors for any device: one item per element of the result.
#include "common/dense/plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2{"blas2_update blas2", "CT"};
inline constexpr kernel_family blas2_elements{"blas2_elements", "CT RT"};
inline constexpr kernel_family blas2_batched{"dense_batch_item blas2_batched", "VT YT CT"};
#include "batched.h"
#include "elements.h"
#include "update.h"
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline int storage_code(const heron_stored_matrix& a) { return static_cast<int>(a.storage); }

// Diagonals beside the main one in a triangle of order n.
inline heron_index triangle_band(const heron_stored_matrix& a, int64_t n) {
    return a.storage == HERON_STORAGE_BANDED ? a.lower + a.upper : n;
}

// y := alpha*sums + beta*y, where a sum has `parts` parts that lie `results` apart.
template <class CT, class Device>
void join_sums(Device& device, int64_t results, int parts, const CT* partial, scalar_argument<CT> alpha,
               scalar_argument<CT> beta, const heron_vector_operand& y) {
    device.template launch<kernels::blas2_join<CT>>(
        kernels::blas2, results, heron_index{results}, int{parts}, partial, alpha.value, alpha.device,
        beta.value, beta.device, as<CT>(y.memory), heron_index{y.offset}, heron_index{y.inc});
}

template <class Device>
void gemv(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const bool is_band = a.a.storage == HERON_STORAGE_BANDED;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        device.template launch<kernels::blas2_gemv<CT>>(
            kernels::blas2, is_transposed(a.op) ? a.n : a.m, heron_index{a.m}, heron_index{a.n},
            int{is_transposed(a.op)}, int{is_conjugated(a.op)}, alpha.value, alpha.device, storage_code(a.a),
            as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld},
            heron_index{is_band ? a.a.lower : a.m}, heron_index{is_band ? a.a.upper : a.n},
            as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, beta.value, beta.device,
            as<CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc});
    });
}

template <class VT, class YT, class CT, class Device>
void launch_gemv_batched(Device& device, const heron_gemv_batched_args& a) {
    const auto alpha = as_argument<CT>(a.alpha);
    const auto beta = as_argument<CT>(a.beta);
    const heron_index rows = is_transposed(a.op) ? a.n : a.m;
    device.template launch<kernels::blas2_gemv_batched<VT, YT, CT>>(
        kernels::blas2_batched, rows * a.count, rows, heron_index{is_transposed(a.op) ? a.m : a.n},
        alpha.value, alpha.device, as<const VT>(a.a.base), a.a.list, dense_kind(a.a), heron_index{a.a.stride},
        heron_index{a.a.list_step}, dense_row_step(a.op, a.lda), dense_column_step(a.op, a.lda),
        int{is_conjugated(a.op)}, as<const VT>(a.x.base), a.x.list, dense_kind(a.x), heron_index{a.x.stride},
        heron_index{a.x.list_step}, heron_index{a.x_offset}, heron_index{a.x_inc}, beta.value, beta.device,
        as<YT>(a.y.base), a.y.list, dense_kind(a.y), heron_index{a.y.stride}, heron_index{a.y.list_step},
        heron_index{a.y_offset}, heron_index{a.y_inc});
}

inline bool has_addresses(const heron_batch_operand& o) { return o.kind == HERON_BATCH_POINTERS; }

template <class Device>
void gemv_batched(Device& device, heron_phase phase, const heron_gemv_batched_args& a,
                  heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (has_addresses(a.a) || has_addresses(a.x) || has_addresses(a.y)) device.follow_addresses();
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if (a.y_type == a.type)
            launch_gemv_batched<VT, VT, CT>(device, a);
        else
            launch_gemv_batched<VT, CT, CT>(device, a);
    });
}

template <class Device>
void symv(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        device.template launch<kernels::blas2_symv<CT>>(
            kernels::blas2, a.n, heron_index{a.n}, int{a.fill == HERON_FILL_LOWER}, int{a.hermitian},
            int{a.conjugate}, alpha.value, alpha.device, storage_code(a.a), as<const CT>(a.a.memory),
            heron_index{a.a.offset}, heron_index{a.a.ld}, triangle_band(a.a, a.n), as<const CT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, beta.value, beta.device, as<CT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
    });
}

// op(A) is lower triangular.
inline int is_lower(const heron_triangular_vector_args& a) {
    return (a.fill == HERON_FILL_LOWER) != is_transposed(a.op);
}

template <class Device>
void trmv(Device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const part = layout.template take<CT>(a.n);
        if (phase != HERON_PHASE_RUN) return;
        CT* const before = device.temporary(part, a.n);
        device.template launch<kernels::blas2_take<CT>>(kernels::blas2, a.n, as<const CT>(a.x.memory),
                                                        heron_index{a.x.offset}, heron_index{a.x.inc},
                                                        before);
        device.template launch<kernels::blas2_trmv<CT>>(
            kernels::blas2, a.n, heron_index{a.n}, is_lower(a), int{is_transposed(a.op)},
            int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT}, storage_code(a.a),
            as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, triangle_band(a.a, a.n),
            static_cast<const CT*>(before), as<CT>(a.x.memory), heron_index{a.x.offset},
            heron_index{a.x.inc});
    });
}

// Calls solve(first, end) for the blocks of unknowns in the order of the substitution, and rest(rows, count,
// first, end) for the rows that still need them.
template <class Solve, class Rest>
void substitute(const heron_trsv_args& a, int64_t block, const Solve& solve, const Rest& rest) {
    const int64_t band = triangle_band(a.a, a.n);
    for (int64_t done = 0; done < a.n; done += block) {
        const int64_t size = a.n - done < block ? a.n - done : block;
        const int64_t first = is_lower(a) ? done : a.n - done - size;
        solve(first, first + size);
        const int64_t left = a.n - done - size;
        const int64_t reached = left < band ? left : band;
        if (reached > 0) rest(is_lower(a) ? first + size : first - reached, reached, first, first + size);
    }
}

// What the unknowns first ... end - 1 contribute, off the `count` rows from `rows` on.
template <class CT, class Device>
void subtract_block(Device& device, const heron_trsv_args& a, int64_t rows, int64_t count, int64_t first,
                    int64_t end) {
    device.template launch<kernels::blas2_trsv_rest<CT>>(
        kernels::blas2, count, heron_index{a.n}, heron_index{rows}, heron_index{first}, heron_index{end},
        is_lower(a), int{is_transposed(a.op)}, int{is_conjugated(a.op)}, storage_code(a.a),
        as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, triangle_band(a.a, a.n),
        as<CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
}

template <class Device>
void trsv(Device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    constexpr int64_t block = 32;
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const heron_index band = triangle_band(a.a, a.n);
        const auto solve = [&](int64_t first, int64_t end) {
            device.template launch<kernels::blas2_trsv_block<CT>>(
                kernels::blas2, 1, heron_index{a.n}, heron_index{first}, heron_index{end}, is_lower(a),
                int{is_transposed(a.op)}, int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT},
                storage_code(a.a), as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld},
                band, as<CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
        };
        const auto rest = [&](int64_t rows, int64_t count, int64_t first, int64_t end) {
            subtract_block<CT>(device, a, rows, count, first, end);
        };
        substitute(a, block, solve, rest);
    });
}

template <class Device>
void ger(Device& device, heron_phase phase, const heron_ger_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch<kernels::blas2_ger<CT, real_of<CT>>>(
            kernels::blas2_elements, a.m * a.n, heron_index{a.m}, alpha.value, alpha.device,
            int{a.conjugate_x}, as<const CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc},
            int{a.conjugate_y}, as<const CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc},
            as<CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld});
    });
}

template <class Device>
void rank_update(Device& device, heron_phase phase, const heron_rank_update_args& a,
                 heron_workspace& workspace, int terms) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const bool real_alpha = a.hermitian && terms == 1;
    const heron_vector_operand& y = terms == 1 ? a.x : a.y;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        using RT = real_of<CT>;
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch<kernels::blas2_rank_update<CT, RT>>(
            kernels::blas2_elements, a.n * a.n, heron_index{a.n}, int{a.fill == HERON_FILL_LOWER},
            int{a.hermitian}, int{a.conjugate}, int{terms}, alpha.value, real_alpha ? nullptr : alpha.device,
            real_alpha ? as<const RT>(a.alpha.device) : nullptr, as<const CT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, as<const CT>(y.memory), heron_index{y.offset},
            heron_index{y.inc}, storage_code(a.a), as<CT>(a.a.memory), heron_index{a.a.offset},
            heron_index{a.a.ld});
    });
}

template <class Device>
void syr(Device& device, heron_phase phase, const heron_syr_args& a, heron_workspace& workspace) {
    rank_update(device, phase, a, workspace, 1);
}
template <class Device>
void syr2(Device& device, heron_phase phase, const heron_syr2_args& a, heron_workspace& workspace) {
    rank_update(device, phase, a, workspace, 2);
}

template <class Device>
void geam(Device& device, heron_phase phase, const heron_geam_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        device.template launch<kernels::blas2_geam<CT, real_of<CT>>>(
            kernels::blas2_elements, a.m * a.n, heron_index{a.m}, alpha.value, alpha.device,
            as<const CT>(a.a.memory), heron_index{a.a.offset}, dense_row_step(a.op_a, a.a.ld),
            dense_column_step(a.op_a, a.a.ld), int{is_conjugated(a.op_a)}, beta.value, beta.device,
            as<const CT>(a.b.memory), heron_index{a.b.offset}, dense_row_step(a.op_b, a.b.ld),
            dense_column_step(a.op_b, a.b.ld), int{is_conjugated(a.op_b)}, as<CT>(a.c.memory),
            heron_index{a.c.offset}, heron_index{a.c.ld});
    });
}

template <class Device>
void dgmm(Device& device, heron_phase phase, const heron_dgmm_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        device.template launch<kernels::blas2_dgmm<CT, real_of<CT>>>(
            kernels::blas2_elements, a.m * a.n, heron_index{a.m}, int{a.side == HERON_SIDE_LEFT},
            as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, as<CT>(a.c.memory), heron_index{a.c.offset},
            heron_index{a.c.ld});
    });
}

template <class Device>
void repack(Device& device, heron_phase phase, const heron_repack_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        device.template launch<kernels::blas2_repack<CT, real_of<CT>>>(
            kernels::blas2_elements, a.n * a.n, heron_index{a.n}, int{a.fill == HERON_FILL_LOWER},
            storage_code(a.from), as<const CT>(a.from.memory), heron_index{a.from.offset},
            heron_index{a.from.ld}, storage_code(a.to), as<CT>(a.to.memory), heron_index{a.to.offset},
            heron_index{a.to.ld});
    });
}

template <class Device>
void trsm_batched(Device& device, heron_phase phase, const heron_trsm_batched_args& a,
                  heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (has_addresses(a.a) || has_addresses(a.b)) device.follow_addresses();
    const triangular_vectors v({a.type,
                                a.side,
                                a.fill,
                                a.op_a,
                                a.diag,
                                a.m,
                                a.n,
                                a.alpha,
                                {nullptr, 0, a.lda},
                                {nullptr, 0, a.ldb}});
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch<kernels::blas2_trsm_batched<CT, CT, CT>>(
            kernels::blas2_batched, v.count * a.count, v.count, v.order, v.lower,
            int{a.diag == HERON_DIAG_UNIT}, alpha.value, alpha.device, as<const CT>(a.a.base), a.a.list,
            dense_kind(a.a), heron_index{a.a.stride}, heron_index{a.a.list_step}, v.a_row, v.a_column,
            int{is_conjugated(a.op_a)}, as<CT>(a.b.base), a.b.list, dense_kind(a.b), heron_index{a.b.stride},
            heron_index{a.b.list_step}, v.line, v.step);
    });
}

}  // namespace heron::HERON_LEVEL::plans
