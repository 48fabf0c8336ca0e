#pragma once
// Products with full matrices by pieces of columns, for processors whose compiler turns loops into
// instructions for vectors and not items. Other matrices are the shared plans' (results: blas-12).
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2_runs_family{"blas2_update blas2_runs", "CT"};
#include "runs.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// How a product is shared out, by the sizes alone: the sums have the same bits on every run.
struct run_shares {
    run_shares(int64_t m, int64_t n, bool by_columns, int64_t rows_of_tile) {
        constexpr int64_t wanted = 32, least_work = 32768;
        const int64_t outputs = by_columns ? n : m, length = by_columns ? m : n;
        outputs_of_tile = by_columns ? (n + wanted - 1) / wanted : rows_of_tile;
        const int64_t least = least_work / (length > 0 ? length : 1) + 1;
        if (by_columns && outputs_of_tile < least) outputs_of_tile = least;
        tiles = (outputs + outputs_of_tile - 1) / outputs_of_tile;
        const int64_t useful = m * n / tiles / least_work;
        const int64_t most = useful < wanted / tiles ? useful : wanted / tiles;
        parts = static_cast<int>(most < 1 ? 1 : most < length ? most : length);
    }
    int64_t outputs_of_tile, tiles;
    int parts;
};

// What rows_run and columns_run make of x and y.
struct run_product {
    int64_t m, n;
    int triangle, unit;
    bool transposed, conjugate;
    heron_vector_operand y;
};

template <class CT, class Device>
void launch_runs(Device& device, const run_product& p, const run_shares& shares,
                 const heron_stored_matrix& matrix, scalar_argument<CT> alpha, const CT* x, int64_t x_offset,
                 int64_t x_inc, scalar_argument<CT> beta, CT* partial) {
    using program = kernels::blas2_runs<CT>;
    const CT* const a = as<const CT>(matrix.memory);
    CT* const y = as<CT>(p.y.memory);
    if (p.transposed)
        device.template launch_groups<typename program::columns_run>(
            kernels::blas2_runs_family, shares.tiles * shares.parts, heron_index{p.m}, heron_index{p.n},
            heron_index{shares.outputs_of_tile}, int{p.triangle}, int{p.unit}, int{shares.parts},
            int{p.conjugate}, alpha.value, alpha.device, a, heron_index{matrix.offset},
            heron_index{matrix.ld}, x, heron_index{x_offset}, partial, beta.value, beta.device, y,
            heron_index{p.y.offset}, heron_index{p.y.inc});
    else
        device.template launch_groups<typename program::rows_run>(
            kernels::blas2_runs_family, shares.tiles * shares.parts, heron_index{p.m}, heron_index{p.n},
            int{p.triangle}, int{p.unit}, int{shares.parts}, int{p.conjugate}, alpha.value, alpha.device, a,
            heron_index{matrix.offset}, heron_index{matrix.ld}, x, heron_index{x_offset}, heron_index{x_inc},
            partial, beta.value, beta.device, y, heron_index{p.y.offset}, heron_index{p.y.inc});
    if (shares.parts > 1)
        join_sums<CT>(device, p.transposed ? p.n : p.m, shares.parts, partial, alpha, beta, p.y);
}

template <class Device>
void gemv_by_runs(Device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    const bool transposed = is_transposed(a.op);
    if (a.a.storage != HERON_STORAGE_FULL || (transposed && a.x.inc != 1))
        return gemv(device, phase, a, workspace);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const run_product p{a.m, a.n, 0, 0, transposed, is_conjugated(a.op), a.y};
        const run_shares shares(a.m, a.n, transposed, kernels::blas2_runs<CT>::ROWS);
        const int64_t size = shares.parts > 1 ? (transposed ? a.n : a.m) * shares.parts : 0;
        workspace_layout layout(phase, workspace);
        CT* partial = size > 0 ? layout.template take<CT>(size) : nullptr;
        if (phase != HERON_PHASE_RUN) return;
        if (size > 0) partial = device.temporary(partial, size);
        launch_runs<CT>(device, p, shares, a.a, as_argument<CT>(a.alpha), as<const CT>(a.x.memory),
                        a.x.offset, a.x.inc, as_argument<CT>(a.beta), partial);
    });
}

template <class Device>
void trmv_by_runs(Device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL) return trmv(device, phase, a, workspace);
    const bool transposed = is_transposed(a.op);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const run_product p{a.n,
                            a.n,
                            a.fill == HERON_FILL_LOWER ? 1 : 2,
                            a.diag == HERON_DIAG_UNIT,
                            transposed,
                            is_conjugated(a.op),
                            a.x};
        const run_shares shares(a.n, a.n, transposed, kernels::blas2_runs<CT>::ROWS);
        const int64_t size = shares.parts > 1 ? a.n * shares.parts : 0;
        workspace_layout layout(phase, workspace);
        CT* before = layout.template take<CT>(a.n);
        CT* partial = size > 0 ? layout.template take<CT>(size) : nullptr;
        if (phase != HERON_PHASE_RUN) return;
        before = device.temporary(before, a.n);
        if (size > 0) partial = device.temporary(partial, size);
        device.template launch<kernels::blas2_take<CT>>(kernels::blas2, a.n, as<const CT>(a.x.memory),
                                                        heron_index{a.x.offset}, heron_index{a.x.inc},
                                                        before);
        const scalar_argument<CT> alpha{scalar_value<CT>(1, 0), nullptr},
            beta{scalar_value<CT>(0, 0), nullptr};
        launch_runs<CT>(device, p, shares, a.a, alpha, static_cast<const CT*>(before), 0, 1, beta, partial);
    });
}

template <class Device>
void symv_by_runs(Device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL || a.x.inc != 1 || a.conjugate)
        return symv(device, phase, a, workspace);
    const run_shares shares(a.n, a.n / 2, false, a.n);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* partial = layout.template take<CT>(a.n * shares.parts);
        if (phase != HERON_PHASE_RUN) return;
        partial = device.temporary(partial, a.n * shares.parts);
        const auto alpha = as_argument<CT>(a.alpha);
        const auto beta = as_argument<CT>(a.beta);
        device.template launch_groups<typename kernels::blas2_runs<CT>::symv_run>(
            kernels::blas2_runs_family, shares.parts, heron_index{a.n}, int{shares.parts},
            int{a.fill == HERON_FILL_LOWER}, int{a.hermitian}, alpha.value, alpha.device,
            as<const CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory),
            heron_index{a.x.offset}, partial, beta.value, beta.device, as<CT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
        if (shares.parts > 1) join_sums<CT>(device, a.n, shares.parts, partial, alpha, beta, a.y);
    });
}

template <class Device>
void ger_by_runs(Device& device, heron_phase phase, const heron_ger_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.x.inc != 1 || a.conjugate_x) return ger(device, phase, a, workspace);
    constexpr int64_t elements = 16384;
    const heron_index columns = elements / a.m + 1;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch_groups<typename kernels::blas2_runs<CT>::ger_run>(
            kernels::blas2_runs_family, (a.n + columns - 1) / columns, heron_index{a.m}, heron_index{a.n},
            columns, alpha.value, alpha.device, as<const CT>(a.x.memory), heron_index{a.x.offset},
            int{a.conjugate_y}, as<const CT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc},
            as<CT>(a.a.memory), heron_index{a.a.offset}, heron_index{a.a.ld});
    });
}

}  // namespace heron::HERON_LEVEL::plans
