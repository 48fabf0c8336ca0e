#pragma once
// Substitutions in one launch, for GPUs whose groups go on while others wait for them.
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"
#include <type_traits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2_sweep_family{"blas2_sweep", "CT WT GROUP BLOCK TURNED"};
#include "sweep.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Program>
typename Program::sweep_matrix sweep_matrix_of(const heron_trsv_args& a) {
    const bool is_band = a.a.storage == HERON_STORAGE_BANDED, is_upper = !is_lower(a);
    const bool stored_lower = a.fill == HERON_FILL_LOWER;
    typename Program::sweep_matrix m{};
    m.n = a.n;
    m.band = triangle_band(a.a, a.n);
    m.packed = a.a.storage == HERON_STORAGE_PACKED;
    m.stored_lower = stored_lower;
    m.is_upper = is_upper;
    m.is_transposed = is_transposed(a.op);
    m.conjugate = is_conjugated(a.op);
    m.unit = a.diag == HERON_DIAG_UNIT;
    m.origin = a.a.offset;
    if (m.packed) return m;
    // Element (i, j) of a band lies `upper` + i - j behind the beginning of column j.
    const heron_index i_step = 1, j_step = is_band ? a.a.ld - 1 : a.a.ld;
    if (is_band && !stored_lower) m.origin += m.band;
    if (is_upper) m.origin += (a.n - 1) * (i_step + j_step);
    const heron_index sign = is_upper ? -1 : 1;
    m.row_step = sign * (m.is_transposed ? j_step : i_step);
    m.column_step = sign * (m.is_transposed ? i_step : j_step);
    return m;
}

template <class CT, int turned, class Device>
void launch_sweep(Device& device, const heron_trsv_args& a, int64_t groups, char* handed) {
    using word = std::conditional_t<std::is_same_v<real_of<CT>, f64>, u64, u32>;
    using program = kernels::blas2_sweep_groups<CT, word, 256, sizeof(CT) <= 8 ? 64 : 32, turned>;
    const bool is_upper = !is_lower(a);
    device.template launch_groups<typename program::sweep_blocks>(
        kernels::blas2_sweep_family, groups, sweep_matrix_of<program>(a), as<const CT>(a.a.memory),
        as<CT>(a.x.memory), heron_index{a.x.offset + (is_upper ? (a.n - 1) * a.x.inc : 0)},
        heron_index{is_upper ? -a.x.inc : a.x.inc}, reinterpret_cast<word*>(handed));
}

template <class Device>
void trsv_by_sweep(Device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        constexpr int64_t block = sizeof(CT) <= 8 ? 64 : 32;
        const int64_t groups = (a.n + block - 1) / block;
        workspace_layout layout(phase, workspace);
        const int64_t bytes = 16 + a.n * static_cast<int64_t>(sizeof(CT));
        char* handed = groups > 1 ? layout.template take<char>(bytes) : nullptr;
        if (phase != HERON_PHASE_RUN) return;
        if (groups > 1) {
            handed = device.temporary(handed, bytes);
            device.fill(handed, 0xff, static_cast<size_t>(bytes));
        }
        is_transposed(a.op) ? launch_sweep<CT, 1>(device, a, groups, handed)
                            : launch_sweep<CT, 0>(device, a, groups, handed);
    });
}

}  // namespace heron::HERON_LEVEL::plans
