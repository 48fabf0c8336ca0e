#pragma once
// axpby, gather, scatter, rot and spvv for any device.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family vector{"vector", "VT CT IT"};
inline constexpr kernel_family move{"vector_move", "RT IT"};
#include "kernels.h"
#include "move.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device>
void axpby(Device& device, heron_phase phase, const heron_axpby_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.y.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
            const auto alpha = as_argument<CT>(a.alpha);
            const auto beta = as_argument<CT>(a.beta);
            VT* const y = as<VT>(a.y.values);
            device.template launch<kernels::scale<VT, CT, IT>>(kernels::vector, a.y.size, y, beta.value,
                                                               beta.device);
            device.template launch<kernels::add_scattered<VT, CT, IT>>(
                kernels::vector, a.x.nnz, as<const IT>(a.x.indices), as<const VT>(a.x.values),
                heron_index{a.x.base}, y, alpha.value, alpha.device);
        });
    });
}

template <class Device>
void rot(Device& device, heron_phase phase, const heron_rot_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.y.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
            const auto c = as_argument<CT>(a.c);
            const auto s = as_argument<CT>(a.s);
            device.template launch<kernels::rotate<VT, CT, IT>>(
                kernels::vector, a.x.nnz, as<const IT>(a.x.indices), as<VT>(a.x.values),
                heron_index{a.x.base}, as<VT>(a.y.values), c.value, c.device, s.value, s.device);
        });
    });
}

template <class Device>
void gather(Device& device, heron_phase phase, const heron_gather_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_raw(a.y.type, [&]<class RT>(type<RT>) {
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
            device.template launch<kernels::gather<RT, IT>>(kernels::move, a.x.nnz, as<const IT>(a.x.indices),
                                                            heron_index{a.x.base}, as<const RT>(a.y.values),
                                                            as<RT>(a.x.values));
        });
    });
}

template <class Device>
void scatter(Device& device, heron_phase phase, const heron_scatter_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_raw(a.y.type, [&]<class RT>(type<RT>) {
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
            device.template launch<kernels::scatter<RT, IT>>(kernels::move, a.x.nnz,
                                                             as<const IT>(a.x.indices), heron_index{a.x.base},
                                                             as<const RT>(a.x.values), as<RT>(a.y.values));
        });
    });
}

// A fixed tree: many partial sums, then fewer, then one. The same order on every run, so bitwise
// reproducible.
template <class Device>
void spvv(Device& device, heron_phase phase, const heron_spvv_args& a, heron_workspace& workspace) {
    constexpr int64_t wide = Device::strided ? 16384 : 64;
    constexpr int64_t narrow = Device::strided ? 128 : 8;
    visit_dot(a.x.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.template take<CT>(wide);
        CT* const sums = layout.template take<CT>(narrow);
        CT* const total = layout.template take<CT>(1);
        if (phase != HERON_PHASE_RUN) return;
        visit_index(a.x.index_type, [&]<class IT>(type<IT>) {
            const heron_index chunk = (a.x.nnz + wide - 1) / wide;
            const heron_index item_stride = Device::strided ? 1 : chunk;
            const heron_index step = Device::strided ? wide : 1;
            const int conjugate = is_conjugated(a.op);
            CT* const result = a.result_on_device ? as<CT>(a.result) : total;
            device.template launch<kernels::dot_partial<VT, CT, IT>>(
                kernels::vector, wide, as<const IT>(a.x.indices), as<const VT>(a.x.values), a.x.nnz,
                heron_index{a.x.base}, conjugate, as<const VT>(a.y.values), item_stride, step, chunk,
                partial);
            using sum = kernels::sum_strided<VT, CT, IT>;
            device.template launch<sum>(kernels::vector, narrow, static_cast<const CT*>(partial), wide,
                                        narrow, sums);
            device.template launch<sum>(kernels::vector, 1, static_cast<const CT*>(sums), narrow,
                                        heron_index{1}, result);
            if (!a.result_on_device) device.read(a.result, total, sizeof(CT));
        });
    });
}

}  // namespace heron::HERON_LEVEL::plans
