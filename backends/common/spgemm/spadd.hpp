#pragma once
// C := alpha*A + beta*B with sparse operands for any device, in two operations: rows are merged once to count
// them and once for the elements.
#include "common/scan/plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_spadd{"spgemm_spadd", "CT"};
#include "spadd.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline const i32* pattern_of(const void* p) { return as<const i32>(p); }

// Where offsets are 32 bits wide.
inline void require_sum_holds(const heron_spadd_args& args, int64_t total) {
    if (total > INT32_MAX - args.c.base)
        throw plan_error{HERON_INSUFFICIENT_RESOURCES, "more elements than 32-bit offsets can count"};
}

// Writes the number of elements that C's offsets count where the caller wants it.
template <class Device>
void report_sum(Device& device, const heron_spadd_args& args, i32* cell) {
    if (!args.nnz.value) return;
    i32* const total = args.nnz.on_device ? args.nnz.value : cell;
    device.template launch<kernels::spadd_total<f32>>(kernels::spgemm_spadd, 1, pattern_of(args.c.offsets),
                                                      heron_index{args.c.rows}, total);
    if (!args.nnz.on_device) device.read(args.nnz.value, cell, sizeof *cell);
}

template <class Device>
void spadd_count(Device& device, heron_phase phase, const heron_spadd_count_args& args,
                 heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    i64* const counts = layout.take<i64>(args.c.rows);
    const exclusive_scan<Device> scan(layout, args.c.rows);
    i32* const cell = layout.take<i32>(1);
    if (phase != HERON_PHASE_RUN) return;
    device.template launch<kernels::spadd_count_row<f32>>(
        kernels::spgemm_spadd, args.c.rows, pattern_of(args.a.offsets), pattern_of(args.a.indices),
        args.a.base, pattern_of(args.b.offsets), pattern_of(args.b.indices), args.b.base, counts);
    scan.add(device, counts);
    // Nobody needs to wait for what cannot be too much.
    if (args.a.nnz + args.b.nnz > INT32_MAX - args.c.base) require_sum_holds(args, scan.read_total(device));
    scan.write(device, counts, args.c.base, as<i32>(args.c.offsets));
    report_sum(device, args, cell);
}

template <class Device>
void spadd(Device& device, heron_phase phase, const heron_spadd_args& args, heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        const auto alpha = as_argument<CT>(args.alpha), beta = as_argument<CT>(args.beta);
        device.template launch<kernels::spadd_row<CT>>(
            kernels::spgemm_spadd, args.c.rows, alpha.value, alpha.device, pattern_of(args.a.offsets),
            pattern_of(args.a.indices), as<const CT>(args.a.values), args.a.base, beta.value, beta.device,
            pattern_of(args.b.offsets), pattern_of(args.b.indices), as<const CT>(args.b.values), args.b.base,
            pattern_of(args.c.offsets), args.c.base, as<i32>(args.c.indices), as<CT>(args.c.values));
    });
}

}  // namespace heron::HERON_LEVEL::plans
