#pragma once
// Dense vectors: one item per element, and sums by groups of items (sums.hpp), which devices without groups
// override.
#include "sums.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas1{"blas1", "VT CT RT"};
inline constexpr kernel_family blas1_move{"blas1_move", "RT"};
inline constexpr kernel_family blas1_rotations{"blas1_rotations", "RT"};
#include "kernels.h"
#include "move.h"
#include "rotations.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// An output with increment 0 is one element that all work on: one item does, in their order.
struct vector_items {
    vector_items(int64_t n, bool in_order) : count(in_order ? 1 : n), chunk(in_order ? n : 1) {}
    int64_t count;
    heron_index chunk;
};

template <class Device>
void vector_copy(Device& device, heron_phase phase, const heron_vector_copy_args& a,
                 heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.y.inc == 0);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        device.template launch<kernels::blas1_copy<RT>>(
            kernels::blas1_move, items.count, heron_index{a.n}, items.chunk, as<const RT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, as<RT>(a.y.memory), heron_index{a.y.offset},
            heron_index{a.y.inc});
    });
}

template <class Device>
void vector_swap(Device& device, heron_phase phase, const heron_vector_swap_args& a,
                 heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.x.inc == 0 || a.y.inc == 0);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        device.template launch<kernels::blas1_swap<RT>>(
            kernels::blas1_move, items.count, heron_index{a.n}, items.chunk, as<RT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, as<RT>(a.y.memory), heron_index{a.y.offset},
            heron_index{a.y.inc});
    });
}

template <class Device>
void scal(Device& device, heron_phase phase, const heron_scal_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.x.inc == 0);
    const auto run = [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch<kernels::blas1_scal<VT, CT, real_of<CT>>>(
            kernels::blas1, items.count, heron_index{a.n}, items.chunk, heron_index{a.real_alpha ? 2 : 1},
            alpha.value, alpha.device, as<VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
    };
    if (a.real_alpha) return visit_uniform(real_type(a.type), real_type(a.compute_type), run);
    visit_uniform(a.type, a.compute_type, run);
}

template <class Device>
void axpy(Device& device, heron_phase phase, const heron_axpy_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.y.inc == 0);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch<kernels::blas1_axpy<VT, CT, real_of<CT>>>(
            kernels::blas1, items.count, heron_index{a.n}, items.chunk, alpha.value, alpha.device,
            as<const VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, as<VT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
    });
}

template <class Device>
void plane_rot(Device& device, heron_phase phase, const heron_plane_rot_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.x.inc == 0 || a.y.inc == 0);
    const auto run = [&]<class VT, class CT>(type<VT>, type<CT>) {
        using RT = real_of<CT>;
        const auto c = as_argument<CT>(a.c);
        const auto s = as_argument<CT>(a.s);
        device.template launch<kernels::blas1_rot<VT, CT, RT>>(
            kernels::blas1, items.count, heron_index{a.n}, items.chunk, heron_index{a.real_s ? 2 : 1},
            c.value, as<const RT>(a.c.device), s.value, s.device, as<VT>(a.x.memory), heron_index{a.x.offset},
            heron_index{a.x.inc}, as<VT>(a.y.memory), heron_index{a.y.offset}, heron_index{a.y.inc});
    };
    if (a.real_s) return visit_uniform(real_type(a.type), real_type(a.compute_type), run);
    visit_uniform(a.type, a.compute_type, run);
}

template <class Device>
void rotm(Device& device, heron_phase phase, const heron_rotm_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const vector_items items(a.n, a.x.inc == 0 || a.y.inc == 0);
    visit_uniform_real(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto value = [&](int i) { return static_cast<CT>(a.values[i]); };
        device.template launch<kernels::blas1_rotm<VT, CT, CT>>(
            kernels::blas1, items.count, heron_index{a.n}, items.chunk, value(0), value(1), value(2),
            value(3), value(4), as<const CT>(a.parameters.memory), heron_index{a.parameters.offset},
            as<VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, as<VT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
    });
}

template <class Device>
void rotg(Device& device, heron_phase phase, const heron_rotg_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    const auto run = [&]<class RT, class Kernel>(type<RT>, type<Kernel>) {
        device.template launch<Kernel>(kernels::blas1_rotations, 1, as<RT>(a.a.memory),
                                       heron_index{a.a.offset}, as<RT>(a.b.memory), heron_index{a.b.offset},
                                       as<RT>(a.c.memory), heron_index{a.c.offset}, as<RT>(a.s.memory),
                                       heron_index{a.s.offset});
    };
    switch (a.type) {
        case HERON_R_32F: return run(type<f32>{}, type<kernels::blas1_rotg<f32>>{});
        case HERON_R_64F: return run(type<f64>{}, type<kernels::blas1_rotg<f64>>{});
        case HERON_C_32F: return run(type<f32>{}, type<kernels::blas1_complex_rotg<f32>>{});
        case HERON_C_64F: return run(type<f64>{}, type<kernels::blas1_complex_rotg<f64>>{});
        default: no_such_types();
    }
}

template <class Device>
void rotmg(Device& device, heron_phase phase, const heron_rotmg_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform_real(a.type, a.type, [&]<class VT, class RT>(type<VT>, type<RT>) {
        device.template launch<kernels::blas1_rotmg<RT>>(
            kernels::blas1_rotations, 1, RT{4096}, as<RT>(a.d1.memory), heron_index{a.d1.offset},
            as<RT>(a.d2.memory), heron_index{a.d2.offset}, as<RT>(a.x1.memory), heron_index{a.x1.offset},
            as<const RT>(a.y1.memory), heron_index{a.y1.offset}, as<RT>(a.parameters.memory),
            heron_index{a.parameters.offset});
    });
}

template <class Device>
void dot(Device& device, heron_phase phase, const heron_dot_args& a, heron_workspace& workspace) {
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using program = kernels::blas1_dot<VT, CT, sum_group>;
        group_sums<Device, CT, VT> sums(device, phase, workspace, a.n, 1, a.result,
                                        a.result_type != a.compute_type);
        if (phase != HERON_PHASE_RUN) return;
        device.template launch_groups<typename program::dot_groups>(
            kernels::blas1_dot_family, sums.groups, heron_index{a.n}, int{a.conjugate},
            as<const VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, as<const VT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc}, sums.partial, sums.short_result, sums.result,
            sums.at);
        if (sums.groups > 1)
            device.template launch_groups<typename program::dot_finish>(
                kernels::blas1_dot_family, 1, sums.groups, static_cast<const CT*>(sums.partial),
                sums.short_result, sums.result, sums.at);
        sums.read(device, a.result);
    });
}

template <class Device>
void asum(Device& device, heron_phase phase, const heron_asum_args& a, heron_workspace& workspace) {
    const real_parts parts(a.type, a.n);
    visit_uniform_real(
        real_type(a.type), real_type(a.compute_type), [&]<class VT, class CT>(type<VT>, type<CT>) {
            using program = kernels::blas1_norms<VT, CT, sum_group>;
            group_sums<Device, CT, VT> sums(device, phase, workspace, parts.all, 1, a.result,
                                            a.result_type != real_type(a.compute_type));
            if (phase != HERON_PHASE_RUN) return;
            const int wide = wide_groups<VT, CT>(parts.all, a.x.inc);
            if (wide)
                device.template launch_groups<at_once<typename program::asum_wide, 4>>(
                    kernels::blas1_norms_family, wide, parts.all, as<const CT>(a.x.memory),
                    heron_index{a.x.offset} * parts.each, sums.partial);
            else
                device.template launch_groups<typename program::asum_groups>(
                    kernels::blas1_norms_family, sums.groups, parts.all, parts.each, as<const VT>(a.x.memory),
                    heron_index{a.x.offset}, heron_index{a.x.inc}, sums.partial, sums.short_result,
                    sums.result, sums.at);
            if (sums.groups > 1)
                device.template launch_groups<typename program::asum_finish>(
                    kernels::blas1_norms_family, 1, wide ? wide : sums.groups,
                    static_cast<const CT*>(sums.partial), sums.short_result, sums.result, sums.at);
            sums.read(device, a.result);
        });
}

template <class Device>
void nrm2(Device& device, heron_phase phase, const heron_nrm2_args& a, heron_workspace& workspace) {
    const real_parts parts(a.type, a.n);
    visit_uniform_real(
        real_type(a.type), real_type(a.compute_type), [&]<class VT, class CT>(type<VT>, type<CT>) {
            using program = kernels::blas1_norms<VT, CT, sum_group>;
            using range = norm_range<CT>;
            group_sums<Device, CT, VT> sums(device, phase, workspace, parts.all, 3, a.result,
                                            a.result_type != real_type(a.compute_type));
            if (phase != HERON_PHASE_RUN) return;
            const int wide = wide_groups<VT, CT>(parts.all, a.x.inc);
            if (wide)
                device.template launch_groups<at_once<typename program::nrm2_wide, 4>>(
                    kernels::blas1_norms_family, wide, parts.all, range::large, range::small, range::down,
                    range::up, as<const CT>(a.x.memory), heron_index{a.x.offset} * parts.each, sums.partial);
            else
                device.template launch_groups<typename program::nrm2_groups>(
                    kernels::blas1_norms_family, sums.groups, parts.all, parts.each, range::large,
                    range::small, range::down, range::up, as<const VT>(a.x.memory), heron_index{a.x.offset},
                    heron_index{a.x.inc}, sums.partial, sums.short_result, sums.result, sums.at);
            if (sums.groups > 1)
                device.template launch_groups<typename program::nrm2_finish>(
                    kernels::blas1_norms_family, 1, wide ? wide : sums.groups, range::down, range::up,
                    static_cast<const CT*>(sums.partial), sums.short_result, sums.result, sums.at);
            sums.read(device, a.result);
        });
}

template <class Device>
void iamax(Device& device, heron_phase phase, const heron_iamax_args& a, heron_workspace& workspace) {
    const real_parts parts(a.type, a.n);
    visit_uniform_real(
        real_type(a.type), real_type(a.compute_type), [&]<class VT, class CT>(type<VT>, type<CT>) {
            using program = kernels::blas1_norms<VT, CT, sum_group>;
            const CT infinity = static_cast<CT>(__builtin_inf());
            workspace_layout layout(phase, workspace);
            const int groups = sum_groups(a.n);
            CT* ranks = layout.take<CT>(groups);
            group_sums<Device, i64, i32> sums(device, phase, layout, groups, 1, a.result,
                                              a.result_type == HERON_INDEX_32);
            if (phase != HERON_PHASE_RUN) return;
            ranks = groups > 1 ? device.temporary(ranks, groups) : nullptr;
            const int wide = parts.each == 1 ? wide_groups<VT, CT>(a.n, a.x.inc) : 0;
            if (wide)
                device.template launch_groups<at_once<typename program::iamax_wide, 4>>(
                    kernels::blas1_norms_family, wide, heron_index{a.n}, int{a.smallest}, infinity,
                    as<const CT>(a.x.memory), heron_index{a.x.offset}, ranks, sums.partial);
            else
                device.template launch_groups<typename program::iamax_groups>(
                    kernels::blas1_norms_family, groups, heron_index{a.n}, parts.each, int{a.smallest},
                    infinity, as<const VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, ranks,
                    sums.partial, sums.short_result, sums.result, sums.at);
            if (groups > 1)
                device.template launch_groups<typename program::iamax_finish>(
                    kernels::blas1_norms_family, 1, wide ? wide : groups, heron_index{a.n}, infinity,
                    static_cast<const CT*>(ranks), static_cast<const i64*>(sums.partial), sums.short_result,
                    sums.result, sums.at);
            sums.read(device, a.result);
        });
}

}  // namespace heron::HERON_LEVEL::plans
