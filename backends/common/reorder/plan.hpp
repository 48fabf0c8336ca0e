#pragma once
// Sorting, permuting and colouring for any device.
#include "coloring.hpp"

namespace heron::HERON_LEVEL::plans {

// Sort: pair_sort, or another class with its functions.
template <class Device, class Sort>
void sort_pairs_by(Device& device, heron_phase phase, const heron_sort_pairs_args& args,
                   heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    const Sort sort(layout, args.nnz);
    if (phase == HERON_PHASE_RUN) sort.run(device, {args.major, args.minor, args.permutation});
}

// The rows go along as the major numbers.
template <class Device, class Sort>
void sort_rows_by(Device& device, heron_phase phase, const heron_sort_rows_args& args,
                  heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    i32* const row_of = layout.take<i32>(args.nnz);
    const Sort sort(layout, args.nnz);
    if (phase != HERON_PHASE_RUN) return;
    Sort::sort_short_rows(device, args);
    find_rows(device, args.offsets, args.rows, args.nnz, row_of);
    sort.run(device, {row_of, args.indices, args.permutation});
}

template <class Device, class Sort, class Coloring>
void color_by(Device& device, heron_phase phase, const heron_color_args& args, heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    color_plan<Device, Sort, Coloring> plan(device, args, layout);
    if (phase == HERON_PHASE_RUN) plan.run();
}

template <class Device>
void sort_pairs(Device& device, heron_phase phase, const heron_sort_pairs_args& args,
                heron_workspace& workspace) {
    sort_pairs_by<Device, pair_sort<Device>>(device, phase, args, workspace);
}

template <class Device>
void sort_rows(Device& device, heron_phase phase, const heron_sort_rows_args& args,
               heron_workspace& workspace) {
    sort_rows_by<Device, pair_sort<Device>>(device, phase, args, workspace);
}

template <class Device>
void color(Device& device, heron_phase phase, const heron_color_args& args, heron_workspace& workspace) {
    color_by<Device, pair_sort<Device>, item_rounds<Device>>(device, phase, args, workspace);
}

template <class Device>
void identity_permutation(Device& device, heron_phase phase, const heron_identity_permutation_args& args,
                          heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    device.template launch<kernels::write_identity<i32>>(kernels::reorder, args.count, args.permutation);
}

// Calls f with a raw type of so many bytes.
template <class F>
void visit_width(int64_t bytes, F&& f) {
    switch (bytes) {
        case 1: return f(type<raw8>{});
        case 2: return f(type<raw16>{});
        case 4: return f(type<raw32>{});
        case 8: return f(type<raw64>{});
        case 16: return f(type<raw128>{});
        default: throw plan_error{HERON_NOT_SUPPORTED, "elements of this size are not permuted"};
    }
}

template <class Device>
void permute(Device& device, heron_phase phase, const heron_permute_args& args, heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    visit_width(args.element_size, [&]<class RT>(type<RT>) {
        RT* const copy = layout.take<RT>(args.count);
        if (phase != HERON_PHASE_RUN) return;
        device.copy(copy, args.array, static_cast<size_t>(args.count) * sizeof(RT));
        const auto launch = [&]<class Kernel>(type<Kernel>) {
            device.template launch<Kernel>(kernels::reorder, args.count, static_cast<const RT*>(copy),
                                           args.permutation, heron_index{args.count}, as<RT>(args.array));
        };
        args.inverse ? launch(type<kernels::scatter_elements<RT>>{})
                     : launch(type<kernels::gather_elements<RT>>{});
    });
}

}  // namespace heron::HERON_LEVEL::plans
