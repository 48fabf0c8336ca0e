#pragma once
// Tridiagonal and pentadiagonal systems for any device, each solved by one item: by Gaussian elimination with
// partial pivoting, by Thomas's algorithm where none is asked for, or by Givens rotations.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family tridiag{"tridiag_pivots tridiag", "CT"};
#include "pivots.h"
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// The factors are found once for all right-hand sides.
template <class Device>
void gtsv(Device& device, heron_phase phase, const heron_gtsv_args& args, heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const multipliers = layout.take<CT>(args.m);
        CT* const inverses = layout.take<CT>(args.m);
        CT* const seconds = layout.take<CT>(args.m);
        CT* const thirds = layout.take<CT>(args.m);
        i8* const how = layout.take<i8>(args.m);
        if (phase != HERON_PHASE_RUN) return;
        device.template launch<kernels::tridiag_factor<CT>>(
            kernels::tridiag, 1, as<const CT>(args.lower), as<const CT>(args.main), as<const CT>(args.upper),
            heron_index{args.m}, int{args.pivoting}, multipliers, inverses, seconds, thirds, how);
        device.template launch<kernels::tridiag_solve<CT>>(
            kernels::tridiag, args.n, as<CT>(args.b), heron_index{args.ldb}, heron_index{args.m},
            static_cast<const CT*>(multipliers), static_cast<const CT*>(inverses),
            static_cast<const CT*>(seconds), static_cast<const CT*>(thirds), static_cast<const i8*>(how));
    });
}

template <class Device>
void gtsv_batch(Device& device, heron_phase phase, const heron_gtsv_batch_args& args,
                heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const factors = layout.take<CT>(args.m * args.count);
        if (phase != HERON_PHASE_RUN) return;
        const heron_index factor_step = Device::strided ? args.count : 1;
        const heron_index factor_stride = Device::strided ? 1 : args.m;
        device.template launch<kernels::tridiag_thomas<CT>>(
            kernels::tridiag, args.count, as<const CT>(args.lower), as<const CT>(args.main),
            as<const CT>(args.upper), as<CT>(args.x), heron_index{args.m}, heron_index{1},
            heron_index{args.stride}, factors, factor_step, factor_stride);
    });
}

template <class Device>
void gtsv_interleaved(Device& device, heron_phase phase, const heron_gtsv_interleaved_args& args,
                      heron_workspace& workspace) {
    const workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        const heron_index m = args.m;
        const heron_index step = args.count;
        if (args.solver == HERON_INTERLEAVED_THOMAS)
            return device.template launch<kernels::tridiag_thomas<CT>>(
                kernels::tridiag, args.count, as<const CT>(static_cast<const void*>(args.lower)),
                as<const CT>(static_cast<const void*>(args.main)),
                as<const CT>(static_cast<const void*>(args.upper)), as<CT>(args.x), m, step, heron_index{1},
                as<CT>(args.upper), step, heron_index{1});
        const int by_rotation = args.solver == HERON_INTERLEAVED_QR;
        device.template launch<kernels::tridiag_eliminate<CT>>(
            kernels::tridiag, args.count, as<CT>(args.lower),
            as<const CT>(static_cast<const void*>(args.main)), as<CT>(args.upper), as<CT>(args.x), m, step,
            by_rotation);
    });
}

template <class Device>
void gpsv_interleaved(Device& device, heron_phase phase, const heron_gpsv_interleaved_args& args,
                      heron_workspace& workspace) {
    const workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        device.template launch<kernels::pentadiag_rotate<CT>>(
            kernels::tridiag, args.count, as<CT>(args.second_lower), as<CT>(args.lower),
            as<const CT>(static_cast<const void*>(args.main)), as<CT>(args.upper), as<CT>(args.second_upper),
            as<CT>(args.x), heron_index{args.m}, heron_index{args.count});
    });
}

}  // namespace heron::HERON_LEVEL::plans
