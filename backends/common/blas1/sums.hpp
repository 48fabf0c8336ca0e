#pragma once
// What reductions of vectors by groups share: how many groups there are, where their partial results and the
// result go, and the types.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family blas1_dot_family{"blas1_dot", "VT CT GROUP"};
inline constexpr kernel_family blas1_norms_family{"blas1_norms", "VT CT GROUP"};
#include "dot.h"
#include "norms.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline constexpr int sum_group = 256;

// So many that a large device is busy, and each has something to do. Of n alone: the sums have the same bits
// on every run.
inline int sum_groups(int64_t n) {
    constexpr int64_t elements_of_group = 8 * sum_group;
    constexpr int64_t most = 1024;
    const int64_t groups = (n + elements_of_group - 1) / elements_of_group;
    return static_cast<int>(groups < 1 ? 1 : groups > most ? most : groups);
}

// Groups of the kernels with wide accesses, for vectors of many numbers without gaps that are computed with
// as they are stored: as many as are at work at a time on a large device, or none.
template <class VT, class CT>
int wide_groups(int64_t numbers, int64_t inc) {
    constexpr int most = 512;
    const bool is_wide = std::is_same_v<VT, CT> && inc == 1 && numbers >= int64_t{1} << 16;
    const int groups = sum_groups(numbers);
    return !is_wide ? 0 : groups < most ? groups : most;
}

// The real type of the same precision.
inline heron_type real_type(heron_type t) {
    switch (t) {
        case HERON_C_16F: return HERON_R_16F;
        case HERON_C_16BF: return HERON_R_16BF;
        case HERON_C_32F: return HERON_R_32F;
        case HERON_C_64F: return HERON_R_64F;
        default: return t;
    }
}

// Storage and compute type of a real vector.
template <class F>
void visit_uniform_real(heron_type storage, heron_type compute, F&& f) {
    const auto is = [&](heron_type s, heron_type c) { return storage == s && compute == c; };
    if (is(HERON_R_32F, HERON_R_32F)) return f(type<f32>{}, type<f32>{});
    if (is(HERON_R_64F, HERON_R_64F)) return f(type<f64>{}, type<f64>{});
    if (is(HERON_R_16F, HERON_R_32F)) return f(type<f16>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_32F)) return f(type<bf16>{}, type<f32>{});
    no_such_types();
}

// A vector as real numbers.
struct real_parts {
    real_parts(heron_type t, int64_t n) : each(real_type(t) == t ? 1 : 2), all(each * n) {}
    heron_index each, all;
};

// From where on numbers are scaled before they are squared, and by what: powers of two with which neither a
// square nor a sum of 2^digits of them leaves the range (Anderson, "Algorithm 978: Safe Scaling in the Level
// 1 BLAS", TOMS 44(1), 2017).
template <class CT>
struct norm_range;
template <>
struct norm_range<f32> {
    static constexpr f32 large = 0x1p52f, small = 0x1p-63f, down = 0x1p-76f, up = 0x1p75f;
};
template <>
struct norm_range<f64> {
    static constexpr f64 large = 0x1p486, small = 0x1p-511, down = 0x1p-538, up = 0x1p537;
};

// Partial results of type PT, `each` of them for a group, and the result: a PT, or an ST where it is short.
template <class Device, class PT, class ST>
struct group_sums {
    group_sums(Device& device, heron_phase phase, heron_workspace& workspace, int64_t n, int each,
               const heron_result& r, bool is_short)
        : group_sums(device, phase, workspace_layout(phase, workspace), sum_groups(n), each, r, is_short) {}

    group_sums(Device& device, heron_phase phase, workspace_layout&& layout, int all_groups, int each,
               const heron_result& r, bool is_short)
        : group_sums(device, phase, layout, all_groups, each, r, is_short) {}

    group_sums(Device& device, heron_phase phase, workspace_layout& layout, int all_groups, int each,
               const heron_result& r, bool is_short)
        : groups(all_groups), at(r.on_device ? r.offset : 0) {
        PT* const parts = layout.template take<PT>(int64_t{all_groups} * each);
        PT* const number = layout.template take<PT>(1);
        if (phase != HERON_PHASE_RUN) return;
        partial = groups > 1 ? device.temporary(parts, int64_t{all_groups} * each) : nullptr;
        void* const to = r.on_device ? r.memory : number;
        short_result = is_short ? static_cast<ST*>(to) : nullptr;
        result = is_short ? nullptr : static_cast<PT*>(to);
    }

    // To the host, where the result goes there.
    void read(Device& device, const heron_result& r) const {
        if (r.on_device) return;
        if (short_result)
            device.read(static_cast<ST*>(r.memory) + r.offset, short_result, sizeof(ST));
        else
            device.read(static_cast<PT*>(r.memory) + r.offset, result, sizeof(PT));
    }

    int groups;
    heron_index at;
    PT* partial = nullptr;
    ST* short_result = nullptr;
    PT* result = nullptr;
};

}  // namespace heron::HERON_LEVEL::plans
