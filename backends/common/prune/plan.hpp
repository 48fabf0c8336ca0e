#pragma once
// Counts and drops small elements, and finds the threshold for a share of them, for any device.
#include "common/runtime/prompt.hpp"
#include "common/scan/plan.hpp"
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family prune{"prune", "RT WT ET"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Calls f with raw element, raw word of a part, and the number that a part of a complex element is.
template <class F>
void visit_pruned(heron_type t, F&& f) {
    switch (t) {
        case HERON_R_16F: return f(type<raw16>{}, type<raw16>{}, type<raw16>{});
        case HERON_R_32F: return f(type<raw32>{}, type<raw32>{}, type<raw32>{});
        case HERON_R_64F: return f(type<raw64>{}, type<raw64>{}, type<raw64>{});
        case HERON_C_32F: return f(type<raw64>{}, type<raw32>{}, type<f32>{});
        case HERON_C_64F: return f(type<raw128>{}, type<raw64>{}, type<f64>{});
        default: no_such_types();
    }
}

// The bits of a word of one part: of all that is not the sign, of infinity, and of a value.
template <class WT>
constexpr int magnitude_bits = 8 * static_cast<int>(sizeof(WT)) - 1;
template <class WT>
constexpr WT magnitude_mask = static_cast<WT>((uint64_t{1} << magnitude_bits<WT>)-1);
template <class WT>
constexpr WT infinity_bits = sizeof(WT) == 2   ? static_cast<WT>(0x7c00)
                             : sizeof(WT) == 4 ? static_cast<WT>(0x7f800000)
                                               : static_cast<WT>(0x7ff0000000000000);

template <class To, class From>
To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Of a number that a half can be. The exponent is rebiased where it lies; below 2^-14 there is none.
inline raw16 half_bits(double value) {
    const double size = value < 0 ? -value : value;
    const int sign = value < 0 ? 0x8000 : 0;
    if (!(size <= 65504)) return static_cast<raw16>(sign | (size > 0 ? 0x7c00 : 0x7e00));
    if (size < 0x1p-14) return static_cast<raw16>(sign | static_cast<int>(size * 0x1p24));
    return static_cast<raw16>(sign | static_cast<int>((bits_as<uint64_t>(size) >> 42) - (1008 << 10)));
}

template <class WT>
WT value_bits(double value) {
    if constexpr (sizeof(WT) == 8)
        return bits_as<WT>(value);
    else if constexpr (sizeof(WT) == 4)
        return bits_as<WT>(static_cast<float>(value));
    else
        return half_bits(value);
}

inline heron_index line_block(heron_index line_step) {
    // A processor reads neighbouring rows of a column side by side, and keeps their counts in its cache.
    constexpr heron_index most = 1024;
    return line_step == 1 ? most : 1;
}

// The lines of a dense matrix that are counted or kept: its rows, or its columns.
struct dense_lines {
    dense_lines(const heron_dnmat& m, bool by_columns, bool is_strided)
        : lines(by_columns ? m.cols : m.rows),
          length(by_columns ? m.rows : m.cols),
          line_step(by_columns == (m.order == HERON_ORDER_ROW) ? 1 : m.ld),
          element_step(by_columns == (m.order == HERON_ORDER_ROW) ? m.ld : 1),
          block(is_strided ? 1 : line_block(line_step)),
          items((lines + block - 1) / block) {}

    heron_index lines, length, line_step, element_step, block, items;
};

// The counts of lines, what precedes each of them, and their sum, as the caller wants them.
template <class Device, class RT, class WT, class ET>
class line_counts {
  public:
    line_counts(workspace_layout& layout, int64_t lines)
        : lines_(lines), counts_(layout.take<i64>(lines + 1)), scan_(layout, lines) {}

    i64* counts() const { return counts_; }

    // From here on they are what precedes each line, with the sum behind the last one.
    void add(Device& device) const { scan_.apply(device, counts_, 0, counts_); }

    void write_counts(Device& device, i32* to) const {
        if (to) narrow(device, counts_, lines_, 0, to);
    }
    void write_offsets(Device& device, heron_index base, i32* to) const {
        if (to) narrow(device, counts_, lines_ + 1, base, to);
    }
    // Throws before anything is written where the host is to know a sum that is too large.
    void write_total(Device& device, heron_index base, const heron_count_result& result) const {
        if (!result.value) return;
        if (result.on_device) return narrow(device, counts_ + lines_, 1, 0, result.value);
        int64_t total = 0;
        read_number(device, &total, counts_ + lines_);
        if (total > INT32_MAX - base)
            throw plan_error{HERON_INSUFFICIENT_RESOURCES, "more elements than 32-bit offsets can count"};
        const auto known = static_cast<int32_t>(total);
        __builtin_memcpy(result.value, &known, sizeof known);
    }

  private:
    static void narrow(Device& device, const i64* from, int64_t count, heron_index base, i32* to) {
        device.template launch<kernels::narrow_counts<RT, WT, ET>>(kernels::prune, count, from, base, to);
    }

    int64_t lines_;
    i64* counts_;
    exclusive_scan<Device> scan_;
};

template <class Device>
void count_nonzeros(Device& device, heron_phase phase, const heron_count_nonzeros_args& args,
                    heron_workspace& workspace) {
    visit_pruned(args.a.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
        const dense_lines of(args.a, args.by_columns != 0, Device::strided);
        workspace_layout layout(phase, workspace);
        const line_counts<Device, RT, WT, ET> counts(layout, of.lines);
        if (phase != HERON_PHASE_RUN) return;
        device.template launch<kernels::count_nonzero_lines<RT, WT, ET>>(
            kernels::prune, of.items, as<const RT>(args.a.values), of.lines, of.length, of.line_step,
            of.element_step, of.block, magnitude_mask<WT>, counts.counts());
        counts.write_counts(device, args.counts);
        counts.add(device);
        counts.write_total(device, 0, args.nnz);
    });
}

template <class Device, class RT, class WT, class ET>
class prune_plan {
  public:
    prune_plan(Device& device, heron_phase phase, const heron_prune_args& args, heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {
        if constexpr (!std::is_same_v<WT, ET>) set_tolerance();
    }

    void count() {
        const line_counts<Device, RT, WT, ET> counts(layout_, args_.b.rows);
        if (phase_ != HERON_PHASE_RUN) return;
        count_rows(counts.counts());
        counts.write_counts(device_, args_.counts);
        counts.add(device_);
        counts.write_total(device_, args_.b.base, args_.nnz);
        counts.write_offsets(device_, args_.b.base, b_offsets());
    }

    void keep() {
        if (args_.counts) add_counts();
        i64* const next = layout_.template take<i64>(args_.is_dense ? args_.b.rows : 0);
        if (phase_ != HERON_PHASE_RUN || is_empty()) return;
        args_.is_dense ? keep_of_dense(next) : keep_of_sparse();
    }

  private:
    // A power of two that the tolerance times it is close to 1 with, as far as the type reaches.
    void set_tolerance() {
        tolerance_ = static_cast<ET>(args_.threshold.re);
        if (tolerance_ > 0 && std::isfinite(tolerance_))
            scale_ = std::ldexp(ET{1}, std::clamp(-std::ilogb(tolerance_), -120, 120));
    }

    void add_counts() {
        const line_counts<Device, RT, WT, ET> counts(layout_, args_.b.rows);
        if (phase_ != HERON_PHASE_RUN) return;
        device_.template launch<kernels::widen_counts<RT, WT, ET>>(
            kernels::prune, args_.b.rows, static_cast<const i32*>(args_.counts), counts.counts());
        counts.add(device_);
        counts.write_offsets(device_, args_.b.base, b_offsets());
    }

    bool is_empty() const {
        return args_.is_dense ? args_.dense.rows == 0 || args_.dense.cols == 0 : args_.sparse.nnz == 0;
    }

    void count_rows(i64* counts) {
        if (is_empty()) return device_.fill(counts, 0, static_cast<size_t>(args_.b.rows) * sizeof(i64));
        if (!args_.is_dense)
            return device_.template launch<kernels::count_kept_row<RT, WT, ET>>(
                kernels::prune, args_.sparse.rows, offsets(), base(), sparse(), mask, infinity, threshold(),
                threshold_device(), tolerance_, scale_, counts);
        const dense_lines of(args_.dense, false, Device::strided);
        device_.template launch<kernels::count_kept_lines<RT, WT, ET>>(
            kernels::prune, of.items, dense(), of.lines, of.length, of.line_step, of.element_step, of.block,
            mask, infinity, threshold(), threshold_device(), tolerance_, scale_, counts);
    }

    void keep_of_dense(i64* next) {
        const dense_lines of(args_.dense, false, Device::strided);
        device_.template launch<kernels::keep_of_lines<RT, WT, ET>>(
            kernels::prune, of.items, dense(), of.lines, of.length, of.line_step, of.element_step, of.block,
            mask, infinity, threshold(), threshold_device(), tolerance_, scale_,
            static_cast<const i32*>(b_offsets()), b_base(), next, b_columns(), b_values());
    }

    void keep_of_sparse() {
        device_.template launch<kernels::keep_of_row<RT, WT, ET>>(
            kernels::prune, args_.sparse.rows, offsets(), as<const i32>(args_.sparse.indices), sparse(),
            base(), mask, infinity, threshold(), threshold_device(), tolerance_, scale_,
            static_cast<const i32*>(b_offsets()), b_base(), b_columns(), b_values());
    }

    static constexpr WT mask = magnitude_mask<WT>;
    static constexpr WT infinity = infinity_bits<WT>;
    WT threshold() const { return value_bits<WT>(args_.threshold.re); }
    const WT* threshold_device() const { return as<const WT>(args_.threshold.device); }
    const RT* dense() const { return as<const RT>(static_cast<const void*>(args_.dense.values)); }
    const RT* sparse() const { return as<const RT>(static_cast<const void*>(args_.sparse.values)); }
    const i32* offsets() const { return as<const i32>(static_cast<const void*>(args_.sparse.offsets)); }
    heron_index base() const { return args_.sparse.base; }
    heron_index b_base() const { return args_.b.base; }
    i32* b_offsets() const { return as<i32>(args_.b.offsets); }
    i32* b_columns() const { return as<i32>(args_.b.indices); }
    RT* b_values() const { return as<RT>(args_.b.values); }

    Device& device_;
    heron_phase phase_;
    const heron_prune_args& args_;
    workspace_layout layout_;
    ET tolerance_ = 0, scale_ = 1;
};

template <class Device>
void prune_count(Device& device, heron_phase phase, const heron_prune_count_args& args,
                 heron_workspace& workspace) {
    visit_pruned(args.b.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
        prune_plan<Device, RT, WT, ET>(device, phase, args, workspace).count();
    });
}

template <class Device>
void prune(Device& device, heron_phase phase, const heron_prune_args& args, heron_workspace& workspace) {
    visit_pruned(args.b.type, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
        prune_plan<Device, RT, WT, ET>(device, phase, args, workspace).keep();
    });
}

// The values whose absolute ones are ranked, as columns of `rows`, and the rank that is asked for.
struct ranked_values {
    explicit ranked_values(const heron_percentile_args& args) {
        const heron_dnmat& m = args.dense;
        const bool by_rows = m.order == HERON_ORDER_ROW;
        values = args.is_dense ? m.values : args.sparse.values;
        size = args.is_dense ? m.rows * m.cols : args.sparse.nnz;
        rows = args.is_dense ? (by_rows ? m.cols : m.rows) : size;
        ld = args.is_dense ? m.ld : size;
        if (rows == ld) rows = ld = size;
        const double place = std::ceil(args.fraction * static_cast<double>(size)) - 1;
        rank =
            std::clamp<heron_index>(static_cast<heron_index>(place), 0, std::max<heron_index>(size - 1, 0));
    }

    const void* values;
    heron_index size, rows, ld, rank;
};

// Where the digits of a rank's search begin: 11 bits each, the last one what remains.
template <class WT, class F>
void for_each_digit(F&& f) {
    constexpr int width = 11;
    for (int above = magnitude_bits<WT>; above > 0; above = std::max(above - width, 0))
        f(above, std::max(above - width, 0));
}

// Radix select: each pass over the values counts those that share the digits found so far by their next one
// (Alabi, Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for graphics processing units",
// 2012).
template <class Device>
void percentile(Device& device, heron_phase phase, const heron_percentile_args& args,
                heron_workspace& workspace) {
    const heron_type element = args.is_dense ? args.dense.type : args.sparse.type;
    visit_pruned(element, [&]<class RT, class WT, class ET>(type<RT>, type<WT>, type<ET>) {
        constexpr heron_index values = 1 << 11;
        const ranked_values of(args);
        const heron_index items = std::clamp<heron_index>(of.size / 4096, 1, 1024);
        const heron_index chunk = (of.size + items - 1) / items;
        workspace_layout layout(phase, workspace);
        i64* const cell = layout.take<i64>(2);
        i64* const sums = layout.take<i64>(values);
        i32* const digits = layout.take<i32>(values * items);
        if (phase != HERON_PHASE_RUN) return;
        if (of.size == 0) return device.fill(args.threshold, 0, sizeof(RT));
        const auto launch = [&]<class Kernel>(type<Kernel>, heron_index count, auto... arguments) {
            device.template launch<Kernel>(kernels::prune, count, arguments...);
        };
        launch(type<kernels::select_begin<RT, WT, ET>>{}, 1, i64{of.rank}, cell);
        for_each_digit<WT>([&](i32 above, i32 shift) {
            launch(type<kernels::select_count<RT, WT, ET>>{}, items, as<const RT>(of.values), of.rows, of.ld,
                   of.size, chunk, items, magnitude_mask<WT>, above, shift, static_cast<const i64*>(cell),
                   digits);
            launch(type<kernels::select_add<RT, WT, ET>>{}, heron_index{1} << (above - shift),
                   static_cast<const i32*>(digits), items, sums);
            launch(type<kernels::select_digit<RT, WT, ET>>{}, 1, static_cast<const i64*>(sums), above - shift,
                   cell);
        });
        launch(type<kernels::select_end<RT, WT, ET>>{}, 1, static_cast<const i64*>(cell),
               as<WT>(args.threshold));
    });
}

}  // namespace heron::HERON_LEVEL::plans
