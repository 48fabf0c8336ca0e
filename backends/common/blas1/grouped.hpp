#pragma once
// Long vectors element by element, by groups, for GPUs. Short ones, and outputs that are one element, are the
// shared plans'.
#include "plan.hpp"
#include <type_traits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas1_elements_family{"blas1_elements", "VT CT GROUP"};
inline constexpr kernel_family blas1_copies_family{"blas1_copies", "RT GROUP"};
#include "copies.h"
#include "elements.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Groups of four elements for each item.
inline constexpr int element_group = 256;
inline int64_t element_groups(int64_t n) { return (n + 4 * element_group - 1) / (4 * element_group); }

// Where there are too few groups to keep a device busy, an item for each element does more at a time.
inline bool is_long(int64_t n) { return n >= int64_t{1} << 18; }

// Widest: what elements of 16 bytes are moved as, aligned to as many where a device has such loads.
template <class Device, class Widest = raw128>
void copy_by_groups(Device& device, heron_phase phase, const heron_vector_copy_args& a,
                    heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !is_long(a.n) || a.y.inc == 0)
        return vector_copy(device, phase, a, workspace);
    visit_raw(a.type, [&]<class Raw>(type<Raw>) {
        using RT = std::conditional_t<std::is_same_v<Raw, raw128>, Widest, Raw>;
        device.template launch_groups<typename kernels::blas1_copies<RT, element_group>::copy_groups>(
            kernels::blas1_copies_family, element_groups(a.n), heron_index{a.n}, as<const RT>(a.x.memory),
            heron_index{a.x.offset}, heron_index{a.x.inc}, as<RT>(a.y.memory), heron_index{a.y.offset},
            heron_index{a.y.inc});
    });
}

template <class Device>
void scal_by_groups(Device& device, heron_phase phase, const heron_scal_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !is_long(a.n) || a.x.inc == 0 || a.real_alpha)
        return scal(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch_groups<typename kernels::blas1_elements<VT, CT, element_group>::scal_groups>(
            kernels::blas1_elements_family, element_groups(a.n), heron_index{a.n}, alpha.value, alpha.device,
            as<VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc});
    });
}

template <class Device>
void axpy_by_groups(Device& device, heron_phase phase, const heron_axpy_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || !is_long(a.n) || a.y.inc == 0) return axpy(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto alpha = as_argument<CT>(a.alpha);
        device.template launch_groups<typename kernels::blas1_elements<VT, CT, element_group>::axpy_groups>(
            kernels::blas1_elements_family, element_groups(a.n), heron_index{a.n}, alpha.value, alpha.device,
            as<const VT>(a.x.memory), heron_index{a.x.offset}, heron_index{a.x.inc}, as<VT>(a.y.memory),
            heron_index{a.y.offset}, heron_index{a.y.inc});
    });
}

}  // namespace heron::HERON_LEVEL::plans
