#pragma once
// Products with full triangles by groups, for GPUs. Other triangles are the shared plans'.
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas2_trmv_family{"blas2_trmv", "CT GROUP ROWS TEAM TRIANGLE"};
#include "trmv.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// How a product is shared out: by groups for 32 results, and by parts of the sums. Of the order alone, so
// that the sums have the same bits on every run.
struct trmv_shares {
    static constexpr int group = 256, outputs = 32, team = 32;
    static constexpr int few = 128;      // rows for one group
    static constexpr int very_few = 32;  // rows for one that is not large

    explicit trmv_shares(int64_t n) : tiles((n + outputs - 1) / outputs) {
        // Half of the groups have nothing to do; a part is worth a batch of each item, and joining one more.
        constexpr int64_t groups_wanted = 2048, shortest = 128, most_parts = 32;
        int64_t wanted = groups_wanted / tiles;
        if (wanted > n / shortest) wanted = n / shortest;
        parts = static_cast<int>(wanted < 1 ? 1 : wanted < most_parts ? wanted : most_parts);
    }
    int64_t tiles;
    int parts;
};

template <class CT, int triangle, class Device>
void launch_trmv(Device& device, const heron_trmv_args& a, const trmv_shares& shares, CT* partial) {
    using s = trmv_shares;
    using program = kernels::blas2_trmv_groups<CT, s::group, s::outputs, s::team, triangle>;
    const auto launch = [&]<class Kernel>(type<Kernel>) {
        device.template launch_groups<Kernel>(
            kernels::blas2_trmv_family, shares.tiles * shares.parts, heron_index{a.n}, int{shares.parts},
            int{is_conjugated(a.op)}, int{a.diag == HERON_DIAG_UNIT}, as<const CT>(a.a.memory),
            heron_index{a.a.offset}, heron_index{a.a.ld}, as<const CT>(a.x.memory), heron_index{a.x.offset},
            heron_index{a.x.inc}, partial);
    };
    if (is_transposed(a.op))
        launch(type<typename program::trmv_columns>{});
    else
        launch(type<typename program::trmv_rows>{});
}

template <class CT, int triangle, int large_group, class Device>
void launch_trmv_alone(Device& device, const heron_trmv_args& a) {
    using s = trmv_shares;
    using program = kernels::blas2_trmv_groups<CT, large_group, s::outputs, s::team, triangle>;
    device.template launch_groups<typename program::trmv_alone>(
        kernels::blas2_trmv_family, 1, heron_index{a.n}, int{is_transposed(a.op)}, int{is_conjugated(a.op)},
        int{a.diag == HERON_DIAG_UNIT}, as<const CT>(a.a.memory), heron_index{a.a.offset},
        heron_index{a.a.ld}, as<CT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
}

// Even one part is joined: x is written when all of it has been read.
template <class CT, class Device>
void trmv_by_parts(Device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    const trmv_shares shares(a.n);
    workspace_layout layout(phase, workspace);
    CT* partial = layout.template take<CT>(a.n * shares.parts);
    if (phase != HERON_PHASE_RUN) return;
    partial = device.temporary(partial, a.n * shares.parts);
    a.fill == HERON_FILL_LOWER ? launch_trmv<CT, 1>(device, a, shares, partial)
                               : launch_trmv<CT, 2>(device, a, shares, partial);
    const scalar_argument<CT> one{scalar_value<CT>(1, 0), nullptr}, zero{scalar_value<CT>(0, 0), nullptr};
    join_sums<CT>(device, a.n, shares.parts, partial, one, zero, a.x);
}

// large_group: items of the largest groups of a device.
template <class Device, int large_group = trmv_shares::group>
void trmv_by_groups(Device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    if (a.a.storage != HERON_STORAGE_FULL) return trmv(device, phase, a, workspace);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        if (a.n > trmv_shares::few) return trmv_by_parts<CT>(device, phase, a, workspace);
        workspace_layout(phase, workspace);
        if (phase != HERON_PHASE_RUN) return;
        if (a.n <= trmv_shares::very_few)
            return a.fill == HERON_FILL_LOWER ? launch_trmv_alone<CT, 1, trmv_shares::group>(device, a)
                                              : launch_trmv_alone<CT, 2, trmv_shares::group>(device, a);
        a.fill == HERON_FILL_LOWER ? launch_trmv_alone<CT, 1, large_group>(device, a)
                                   : launch_trmv_alone<CT, 2, large_group>(device, a);
    });
}

}  // namespace heron::HERON_LEVEL::plans
