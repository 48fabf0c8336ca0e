#pragma once
// C := alpha*A + beta*B with sparse operands for any device, in two operations. Where items should own ranges
// rows are merged, once to count them and once for the elements. Elsewhere items own elements, however the
// rows' lengths differ, and find out in both operations which places of B the other lacks.
#include "common/runtime/prompt.hpp"
#include "common/scan/holder.hpp"
#include "common/scan/plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_spadd{"scan_holder spgemm_spadd", "CT OT"};
#include "spadd.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline const i32* pattern_of(const void* p) { return as<const i32>(p); }

// The pattern alone: any type of kernels will do.
template <class Device>
class spadd_pattern {
  public:
    spadd_pattern(Device& device, const heron_spadd_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          units_(Device::strided ? (args.b.nnz + 31) / 32 : args.c.rows),
          words_(layout.take<i32>(Device::strided ? units_ : 0)),
          counts_(layout.take<i64>(units_ + 1)),
          scan_(layout, units_) {}

    const i32* words() const { return words_; }
    const i64* before() const { return counts_; }

    // Of the rows, or of the elements of B that are alone.
    void count() const {
        if constexpr (Device::strided)
            launch<kernels::spadd_mark>(units_, pattern_of(args_.a.offsets), pattern_of(args_.a.indices),
                                        args_.a.base, pattern_of(args_.b.offsets),
                                        pattern_of(args_.b.indices), args_.b.base, heron_index{args_.c.rows},
                                        heron_index{args_.b.nnz}, words_, counts_);
        else
            launch<kernels::spadd_count_row>(units_, pattern_of(args_.a.offsets), pattern_of(args_.a.indices),
                                             args_.a.base, pattern_of(args_.b.offsets),
                                             pattern_of(args_.b.indices), args_.b.base, counts_);
        scan_.add(device_, counts_);
    }

    // After count. Throws where offsets of 32 bits cannot count C; waits only where that may be.
    void require_it_fits() const {
        const int64_t most = INT32_MAX - args_.c.base;
        if (args_.a.nnz + args_.b.nnz <= most) return;
        if (scan_.read_total(device_) > most - (Device::strided ? args_.a.nnz : 0))
            throw plan_error{HERON_INSUFFICIENT_RESOURCES, "more elements than 32-bit offsets can count"};
    }

    void write_offsets() const {
        i32* const offsets = as<i32>(args_.c.offsets);
        if constexpr (Device::strided) {
            rank();
            launch<kernels::spadd_offset>(args_.c.rows + 1, pattern_of(args_.a.offsets), args_.a.base,
                                          pattern_of(args_.b.offsets), args_.b.base,
                                          static_cast<const i32*>(words_), before(), args_.c.base, offsets);
        } else {
            scan_.write(device_, counts_, args_.c.base, offsets);
        }
    }

    // The counts become how many bits come before.
    void rank() const { scan_.write(device_, counts_, 0, counts_); }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) const {
        device_.template launch<Kernel<f32, i32>>(kernels::spgemm_spadd, count, args...);
    }

    Device& device_;
    const heron_spadd_args& args_;
    int64_t units_;
    i32* words_;
    i64* counts_;
    exclusive_scan<Device> scan_;
};

// Writes the number of elements that C's offsets count where the caller wants it.
template <class Device>
void report_sum(Device& device, const heron_spadd_args& args, i32* cell) {
    if (!args.nnz.value) return;
    if (!args.nnz.on_device && args.c.base == 0)
        return read_number(device, args.nnz.value, pattern_of(args.c.offsets) + args.c.rows);
    i32* const total = args.nnz.on_device ? args.nnz.value : cell;
    device.template launch<kernels::spadd_total<f32, i32>>(
        kernels::spgemm_spadd, 1, pattern_of(args.c.offsets), heron_index{args.c.rows}, total);
    if (!args.nnz.on_device) read_number(device, args.nnz.value, static_cast<const i32*>(cell));
}

template <class Device>
void spadd_count(Device& device, heron_phase phase, const heron_spadd_count_args& args,
                 heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    const spadd_pattern<Device> pattern(device, args, layout);
    i32* const cell = layout.take<i32>(1);
    if (phase != HERON_PHASE_RUN) return;
    pattern.count();
    pattern.require_it_fits();
    pattern.write_offsets();
    report_sum(device, args, cell);
}

template <class Device, class CT>
class spadd_values {
  public:
    spadd_values(Device& device, const heron_spadd_args& args)
        : device_(device),
          args_(args),
          alpha_(as_argument<CT>(args.alpha)),
          beta_(as_argument<CT>(args.beta)) {}

    void merge_rows() const {
        launch<kernels::spadd_row>(
            args_.c.rows, alpha_.value, alpha_.device, offsets(args_.a), indices(args_.a), values(args_.a),
            args_.a.base, beta_.value, beta_.device, offsets(args_.b), indices(args_.b), values(args_.b),
            args_.b.base, offsets(args_.c), args_.c.base, as<i32>(args_.c.indices), as<CT>(args_.c.values));
    }

    void place_elements(const i32* words, const i64* before) const {
        launch<kernels::spadd_take_a>(
            args_.a.nnz, alpha_.value, alpha_.device, offsets(args_.a), indices(args_.a), values(args_.a),
            args_.a.base, beta_.value, beta_.device, offsets(args_.b), indices(args_.b), values(args_.b),
            args_.b.base, heron_index{args_.c.rows}, words, before, offsets(args_.c), args_.c.base,
            as<i32>(args_.c.indices), as<CT>(args_.c.values));
        launch<kernels::spadd_take_b>(
            args_.b.nnz, offsets(args_.a), indices(args_.a), args_.a.base, beta_.value, beta_.device,
            offsets(args_.b), indices(args_.b), values(args_.b), args_.b.base, heron_index{args_.c.rows},
            words, before, offsets(args_.c), args_.c.base, as<i32>(args_.c.indices), as<CT>(args_.c.values));
    }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) const {
        device_.template launch<Kernel<CT, i32>>(kernels::spgemm_spadd, count, args...);
    }
    static const i32* offsets(const heron_spmat& m) { return pattern_of(m.offsets); }
    static const i32* indices(const heron_spmat& m) { return pattern_of(m.indices); }
    static const CT* values(const heron_spmat& m) { return as<const CT>(m.values); }

    Device& device_;
    const heron_spadd_args& args_;
    scalar_argument<CT> alpha_, beta_;
};

template <class Device>
void spadd(Device& device, heron_phase phase, const heron_spadd_args& args, heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    const spadd_pattern<Device> pattern(device, args, layout);
    if (phase != HERON_PHASE_RUN) return;
    if (Device::strided) {
        pattern.count();
        pattern.rank();
    }
    visit_full(args.type, [&]<class CT>(type<CT>) {
        const spadd_values<Device, CT> sum(device, args);
        if constexpr (Device::strided)
            sum.place_elements(pattern.words(), pattern.before());
        else
            sum.merge_rows();
    });
}

}  // namespace heron::HERON_LEVEL::plans
