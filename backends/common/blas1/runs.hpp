#pragma once
// Long vectors without gaps by runs of elements, for processors whose compiler turns loops into instructions
// for vectors and not items. Others are the shared plans' (results: blas-12).
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas1_runs_family{"blas1_runs", "VT CT"};
inline constexpr kernel_family blas1_copy_runs_family{"blas1_copy_runs", "RT"};
inline constexpr kernel_family blas1_sum_runs_family{"blas1_sum_runs", "VT CT"};
#include "copy_runs.h"
#include "runs.h"
#include "sum_runs.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Some threads' work, and less than a second-level cache has.
inline constexpr heron_index run_length = 16384;
inline int64_t runs_of(int64_t n) { return (n + run_length - 1) / run_length; }

inline bool has_no_gaps(const heron_vector_operand& v) { return v.inc == 1; }

template <class Kernel, class Device, class RT>
void launch_copy_runs(Device& device, int64_t n, RT* x, int64_t x_offset, auto* y, int64_t y_offset) {
    device.template launch_groups<Kernel>(kernels::blas1_copy_runs_family, runs_of(n), heron_index{n},
                                          run_length, x, heron_index{x_offset}, y, heron_index{y_offset});
}

template <class Device>
void copy_by_runs(Device& device, heron_phase phase, const heron_vector_copy_args& a,
                  heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !has_no_gaps(a.x) || !has_no_gaps(a.y))
        return vector_copy(device, phase, a, workspace);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        launch_copy_runs<typename kernels::blas1_copy_runs<RT>::copy_run>(
            device, a.n, as<const RT>(a.x.memory), a.x.offset, as<RT>(a.y.memory), a.y.offset);
    });
}

template <class Device>
void swap_by_runs(Device& device, heron_phase phase, const heron_vector_swap_args& a,
                  heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !has_no_gaps(a.x) || !has_no_gaps(a.y))
        return vector_swap(device, phase, a, workspace);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        launch_copy_runs<typename kernels::blas1_copy_runs<RT>::swap_run>(
            device, a.n, as<RT>(a.x.memory), a.x.offset, as<RT>(a.y.memory), a.y.offset);
    });
}

template <class Device>
void scal_by_runs(Device& device, heron_phase phase, const heron_scal_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !has_no_gaps(a.x)) return scal(device, phase, a, workspace);
    // A real factor of complex numbers is one of their parts.
    const int64_t parts = a.real_alpha ? 2 : 1;
    const auto run = [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch_groups<typename kernels::blas1_runs<VT, CT>::scal_run>(
            kernels::blas1_runs_family, runs_of(parts * a.n), heron_index{parts * a.n}, run_length,
            alpha.value, alpha.device, as<VT>(a.x.memory), heron_index{parts * a.x.offset});
    };
    if (a.real_alpha) return visit_uniform(real_type(a.type), real_type(a.compute_type), run);
    visit_uniform(a.type, a.compute_type, run);
}

template <class Device>
void axpy_by_runs(Device& device, heron_phase phase, const heron_axpy_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !has_no_gaps(a.x) || !has_no_gaps(a.y))
        return axpy(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch_groups<typename kernels::blas1_runs<VT, CT>::axpy_run>(
            kernels::blas1_runs_family, runs_of(a.n), heron_index{a.n}, run_length, alpha.value, alpha.device,
            as<const VT>(a.x.memory), heron_index{a.x.offset}, as<VT>(a.y.memory), heron_index{a.y.offset});
    });
}

// The runs of a reduction whose results several groups put together.
struct sum_runs {
    explicit sum_runs(int64_t n)
        : length((n + sum_groups(n) - 1) / sum_groups(n)),
          count((n + length - 1) / (length > 0 ? length : 1)) {}
    heron_index length;
    int64_t count;
};
inline bool takes_sum_runs(heron_phase phase, int64_t n) {
    return phase == HERON_PHASE_RUN && sum_groups(n) > 1;
}

template <class Device>
void dot_by_runs(Device& device, heron_phase phase, const heron_dot_args& a, heron_workspace& workspace) {
    if (!takes_sum_runs(phase, a.n) || !has_no_gaps(a.x) || !has_no_gaps(a.y))
        return dot(device, phase, a, workspace);
    const sum_runs runs(a.n);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using finish = typename kernels::blas1_dot<VT, CT, sum_group>::dot_finish;
        group_sums<Device, CT, VT> sums(device, phase, workspace, a.n, 1, a.result,
                                        a.result_type != a.compute_type);
        device.template launch_groups<typename kernels::blas1_sum_runs<VT, CT>::dot_run>(
            kernels::blas1_sum_runs_family, runs.count, heron_index{a.n}, runs.length, int{a.conjugate},
            as<const VT>(a.x.memory), heron_index{a.x.offset}, as<const VT>(a.y.memory),
            heron_index{a.y.offset}, sums.partial);
        device.template launch_groups<finish>(kernels::blas1_dot_family, 1, static_cast<int>(runs.count),
                                              static_cast<const CT*>(sums.partial), sums.short_result,
                                              sums.result, sums.at);
        sums.read(device, a.result);
    });
}

template <class Device>
void asum_by_runs(Device& device, heron_phase phase, const heron_asum_args& a, heron_workspace& workspace) {
    const real_parts parts(a.type, a.n);
    if (!takes_sum_runs(phase, parts.all) || !has_no_gaps(a.x)) return asum(device, phase, a, workspace);
    const sum_runs runs(parts.all);
    visit_uniform_real(real_type(a.type), real_type(a.compute_type),
                       [&]<class VT, class CT>(type<VT>, type<CT>) {
                           using finish = typename kernels::blas1_norms<VT, CT, sum_group>::asum_finish;
                           group_sums<Device, CT, VT> sums(device, phase, workspace, parts.all, 1, a.result,
                                                           a.result_type != real_type(a.compute_type));
                           device.template launch_groups<typename kernels::blas1_sum_runs<VT, CT>::asum_run>(
                               kernels::blas1_sum_runs_family, runs.count, parts.all, runs.length,
                               as<const VT>(a.x.memory), heron_index{parts.each * a.x.offset}, sums.partial);
                           device.template launch_groups<finish>(
                               kernels::blas1_norms_family, 1, static_cast<int>(runs.count),
                               static_cast<const CT*>(sums.partial), sums.short_result, sums.result, sums.at);
                           sums.read(device, a.result);
                       });
}

template <class Device>
void nrm2_by_runs(Device& device, heron_phase phase, const heron_nrm2_args& a, heron_workspace& workspace) {
    const real_parts parts(a.type, a.n);
    if (!takes_sum_runs(phase, parts.all) || !has_no_gaps(a.x)) return nrm2(device, phase, a, workspace);
    const sum_runs runs(parts.all);
    visit_uniform_real(
        real_type(a.type), real_type(a.compute_type), [&]<class VT, class CT>(type<VT>, type<CT>) {
            using finish = typename kernels::blas1_norms<VT, CT, sum_group>::nrm2_finish;
            using range = norm_range<CT>;
            group_sums<Device, CT, VT> sums(device, phase, workspace, parts.all, 3, a.result,
                                            a.result_type != real_type(a.compute_type));
            device.template launch_groups<typename kernels::blas1_sum_runs<VT, CT>::nrm2_run>(
                kernels::blas1_sum_runs_family, runs.count, parts.all, runs.length, range::large,
                range::small, range::down, range::up, as<const VT>(a.x.memory),
                heron_index{parts.each * a.x.offset}, sums.partial);
            device.template launch_groups<finish>(
                kernels::blas1_norms_family, 1, static_cast<int>(runs.count), range::down, range::up,
                static_cast<const CT*>(sums.partial), sums.short_result, sums.result, sums.at);
            sums.read(device, a.result);
        });
}

template <class Device>
void iamax_by_runs(Device& device, heron_phase phase, const heron_iamax_args& a, heron_workspace& workspace) {
    if (!takes_sum_runs(phase, a.n) || !has_no_gaps(a.x)) return iamax(device, phase, a, workspace);
    const sum_runs runs(a.n);
    const real_parts parts(a.type, a.n);
    visit_uniform_real(real_type(a.type), real_type(a.compute_type),
                       [&]<class VT, class CT>(type<VT>, type<CT>) {
                           using finish = typename kernels::blas1_norms<VT, CT, sum_group>::iamax_finish;
                           const CT infinity = static_cast<CT>(__builtin_inf());
                           workspace_layout layout(phase, workspace);
                           const int groups = sum_groups(a.n);
                           CT* ranks = layout.take<CT>(groups);
                           group_sums<Device, i64, i32> sums(device, phase, layout, groups, 1, a.result,
                                                             a.result_type == HERON_INDEX_32);
                           ranks = device.temporary(ranks, groups);
                           device.template launch_groups<typename kernels::blas1_sum_runs<VT, CT>::iamax_run>(
                               kernels::blas1_sum_runs_family, runs.count, heron_index{a.n}, runs.length,
                               parts.each, static_cast<CT>(a.smallest ? -1 : 1), infinity,
                               as<const VT>(a.x.memory), heron_index{a.x.offset}, ranks, sums.partial);
                           device.template launch_groups<finish>(
                               kernels::blas1_norms_family, 1, static_cast<int>(runs.count), heron_index{a.n},
                               infinity, static_cast<const CT*>(ranks), static_cast<const i64*>(sums.partial),
                               sums.short_result, sums.result, sums.at);
                           sums.read(device, a.result);
                       });
}

}  // namespace heron::HERON_LEVEL::plans
