#pragma once
// A matrix in blocks of another size, CSR being blocks of one element, for any device: an item merges the
// lines of a block row.
#include "common/runtime/prompt.hpp"
#include "common/scan/plan.hpp"
#include "blocks.hpp"
#include "pointers.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_reblock{"convert_reblock", "WT"};
#include "reblock.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Moving elements by words of 32 or 64 bits: calls f with the word's type and how many make an element.
template <class F>
void visit_words(heron_type t, F&& f) {
    switch (t) {
        case HERON_R_32F: return f(type<raw32>{}, heron_index{1});
        case HERON_R_64F:
        case HERON_C_32F: return f(type<raw64>{}, heron_index{1});
        case HERON_C_64F: return f(type<raw64>{}, heron_index{2});
        default: no_such_types();
    }
}

// What the count is told to the caller by. Both may be nothing to do.
template <class Device>
class count_report {
  public:
    count_report(Device& device, const heron_count_result& result) : device_(device), result_(result) {}

    // The number of elements or blocks that the offsets of so many lines count from base, times scale.
    void tell(const i32* offsets, int64_t lines, heron_index base, heron_index scale = 1) const {
        if (result_.on_device && result_.value)
            device_.template launch<kernels::reblock_total<raw32>>(
                kernels::convert_reblock, 1, offsets, heron_index{lines}, base, scale, result_.value);
        else if (result_.value)
            *result_.value = static_cast<int32_t>(counted(offsets, lines, base) * scale);
    }

    void tell_none() const {
        if (!result_.value) return;
        if (result_.on_device) return device_.fill(result_.value, 0, sizeof(int32_t));
        *result_.value = 0;
    }

    // Throws where the host is to be told more than it can. Waits for the device.
    void require_fits(const i32* offsets, int64_t lines, heron_index base, heron_index scale,
                      heron_index new_base) const {
        if (scale > 1 && is_told_to_host()) require_fits(counted(offsets, lines, base) * scale, new_base);
    }
    static void require_fits(int64_t total, heron_index base) {
        if (total > INT32_MAX - base)
            throw plan_error{HERON_INSUFFICIENT_RESOURCES, "more elements or blocks than 32 bits can count"};
    }
    bool is_told_to_host() const { return result_.value && !result_.on_device; }

  private:
    // Waits for the device.
    int64_t counted(const i32* offsets, int64_t lines, heron_index base) const {
        i32 end = 0;
        read_number(device_, &end, offsets + lines);
        return end - base;
    }

    Device& device_;
    heron_count_result result_;
};

// B is CSR: every line of A in its order.
template <class Device>
void unblock(Device& device, const heron_reblock_args& args, bool indices) {
    const blocks_of a(args.a);
    visit_words(args.a.type, [&]<class WT>(type<WT>, heron_index words) {
        device.template launch<kernels::unblock_row<WT>>(
            kernels::convert_reblock, args.a.rows, as<const i32>(args.a.offsets),
            as<const i32>(args.a.indices), as<const WT>(args.a.values), heron_index{args.a.base}, a.rows,
            a.cols, a.row_step, a.column_step, as<i32>(args.b.offsets),
            indices ? as<i32>(args.b.indices) : nullptr, as<WT>(args.b.values), heron_index{args.b.base},
            words);
    });
}

// The blocks of B's block rows, and the offsets and the number that come from them.
template <class Device, class Scan = exclusive_scan<Device>>
class block_counts {
  public:
    block_counts(workspace_layout& layout, const heron_reblock_args& args)
        : args_(args),
          lines_(blocks_of(args.b).lines),
          counts_(layout.take<i64>(lines_)),
          scan_(layout, lines_) {}

    i64* get() const { return counts_; }

    void publish(Device& device) const {
        const count_report report(device, args_.nnz);
        const heron_index base = args_.b.base;
        i32* const offsets = as<i32>(args_.b.offsets);
        // Of blocks that single elements touch there are not more than elements, which can be counted.
        if (blocks_of(args_.a).size() > 1 && report.is_told_to_host()) {
            scan_.add(device, counts_);
            report.require_fits(scan_.read_total(device), base);
            scan_.write(device, counts_, base, offsets);
        } else {
            scan_.apply(device, counts_, base, offsets);
        }
        report.tell(offsets, lines_, base);
    }

  private:
    const heron_reblock_args& args_;
    int64_t lines_;
    i64* counts_;
    Scan scan_;
};

template <class Device>
class reblock_plan {
  public:
    reblock_plan(Device& device, const heron_reblock_args& args, workspace_layout& layout)
        : device_(device), args_(args), a_(args.a), b_(args.b), places_(layout.take<i32>(args.a.rows)) {}

    using counts = block_counts<Device>;
    void count(const counts& to) {
        device_.template launch<kernels::reblock_count_row<raw32>>(
            kernels::convert_reblock, b_.lines, a_offsets(), a_indices(), a_base(), heron_index{args_.a.rows},
            a_.rows, a_.cols, b_.rows, b_.cols, places_, to.get());
        to.publish(device_);
    }

    void fill() {
        visit_words(args_.a.type, [&]<class WT>(type<WT>, heron_index words) {
            device_.template launch<kernels::reblock_row<WT>>(
                kernels::convert_reblock, b_.lines, a_offsets(), a_indices(), as<const WT>(args_.a.values),
                a_base(), heron_index{args_.a.rows}, a_.rows, a_.cols, a_.row_step, a_.column_step,
                as<const i32>(args_.b.offsets), as<i32>(args_.b.indices), as<WT>(args_.b.values),
                heron_index{args_.b.base}, b_.rows, b_.cols, b_.row_step, b_.column_step, words, places_);
        });
    }

    static void unblock(Device& device, const heron_reblock_args& args, bool indices) {
        plans::unblock(device, args, indices);
    }

  private:
    const i32* a_offsets() const { return as<const i32>(args_.a.offsets); }
    const i32* a_indices() const { return as<const i32>(args_.a.indices); }
    heron_index a_base() const { return args_.a.base; }

    Device& device_;
    const heron_reblock_args& args_;
    blocks_of a_, b_;
    i32* places_;
};

inline bool is_empty(const heron_spmat& m) { return m.rows == 0 || m.cols == 0; }

template <class Device>
void count_empty(Device& device, const heron_reblock_args& args) {
    set_empty_offsets(device, as<i32>(args.b.offsets), blocks_of(args.b).lines, args.b.base);
    count_report(device, args.nnz).tell_none();
}

// Plan(device, args, layout) counts into Plan::counts and fills; Plan::unblock is for a B that is CSR.
template <class Plan, class Device>
void count_blocks(Device& device, heron_phase phase, const heron_reblock_args& args,
                  heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    if (is_empty(args.a)) {
        if (phase == HERON_PHASE_RUN) count_empty(device, args);
        return;
    }
    if (args.b.format == HERON_FORMAT_CSR) {
        if (phase != HERON_PHASE_RUN) return;
        const blocks_of a(args.a);
        const count_report report(device, args.nnz);
        const i32* const offsets = as<const i32>(args.a.offsets);
        report.require_fits(offsets, a.lines, args.a.base, a.size(), args.b.base);
        Plan::unblock(device, args, false);
        return report.tell(offsets, a.lines, args.a.base, a.size());
    }
    Plan plan(device, args, layout);
    const typename Plan::counts counts(layout, args);
    if (phase == HERON_PHASE_RUN) plan.count(counts);
}

template <class Plan, class Device>
void fill_blocks(Device& device, heron_phase phase, const heron_reblock_args& args,
                 heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    const bool is_csr = args.b.format == HERON_FORMAT_CSR;
    if (is_empty(args.a)) {
        if (phase == HERON_PHASE_RUN && is_csr)
            set_empty_offsets(device, as<i32>(args.b.offsets), args.b.rows, args.b.base);
        return;
    }
    if (is_csr) {
        if (phase == HERON_PHASE_RUN) Plan::unblock(device, args, true);
        return;
    }
    Plan plan(device, args, layout);
    if (phase == HERON_PHASE_RUN) plan.fill();
}

}  // namespace heron::HERON_LEVEL::plans
