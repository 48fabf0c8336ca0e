#pragma once
// The elements of a dense matrix that are kept, counted and written by groups: dense.h.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"
#include <algorithm>
#include <type_traits>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family prune_dense_tiles{"prune_dense", "RT WT OT IT GROUP LANES"};
inline constexpr kernel_family prune_line_sums{"prune_lines", "OT GROUP"};
#include "dense.h"
#include "lines.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What suits a device. The backend declares tile_policy tiles_on(Device&), and whether all of its devices
// have lanes: then nothing is compiled for those without.
struct tile_policy {
    bool has_lanes;
    int64_t groups_at_once;
    bool groups_wait;  // for groups that have begun before them
};

// An element as a number without sign, and the word that it consists of one or two of.
template <class RT>
using element_bits = std::conditional_t<
    sizeof(RT) == 1, u8,
    std::conditional_t<
        sizeof(RT) == 2, u16,
        std::conditional_t<sizeof(RT) == 4, u32, std::conditional_t<sizeof(RT) == 8, u64, raw128>>>>;
template <class RT>
using element_word = std::conditional_t<sizeof(RT) == 16, u64, element_bits<RT>>;

// What is kept: see dense.h.
template <class WT>
struct kept_range {
    WT mask, first, last;
    const WT* threshold;  // on the device, or NULL
};

template <class WT>
kept_range<WT> nonzero_range(uint64_t mask) {
    return {static_cast<WT>(mask), 1, static_cast<WT>(~uint64_t{0}), nullptr};
}

// The lines of a dense matrix, cut into enough strips to keep a device busy.
struct line_strips {
    line_strips(const heron_dnmat& m, bool by_columns, const tile_policy& policy)
        : lines(by_columns ? m.cols : m.rows),
          length(by_columns ? m.rows : m.cols),
          step(m.ld),
          is_along(by_columns == (m.order == HERON_ORDER_COLUMN)),
          lines_of_group(!is_along          ? 32
                         : policy.has_lanes ? 8
                                            : 1) {
        constexpr int64_t waves = 2;
        const int64_t unit = is_along ? 256 : 64;
        const int64_t wanted = (waves * policy.groups_at_once + bands() - 1) / std::max<int64_t>(bands(), 1);
        const int64_t units = std::max<int64_t>((length + unit - 1) / unit, 1);
        strip = (units + std::max<int64_t>(wanted, 1) - 1) / std::max<int64_t>(wanted, 1) * unit;
        strips = static_cast<int>(std::max<int64_t>((length + strip - 1) / strip, 1));
        constexpr int64_t most_of_item = 64;
        is_by_items = !is_along && length <= most_of_item && lines >= 64 * policy.groups_at_once;
        if (is_by_items) lines_of_group = policy.has_lanes ? 256 : 32;
    }

    int64_t bands() const { return (lines + lines_of_group - 1) / lines_of_group; }
    int64_t groups() const { return bands() * strips; }

    heron_index lines, length, step;
    bool is_along;
    int64_t lines_of_group;
    bool is_by_items = false;  // an item has a line, of which there are many short ones
    heron_index strip;
    int strips;
};

// Neither lines nor elements may be missing when count or keep are called.
template <class Device, bool always_lanes, class RT>
class dense_tiles {
  public:
    using WT = element_word<RT>;

    // Lines are rows, or columns.
    dense_tiles(Device& device, workspace_layout& layout, const heron_dnmat& a, bool by_columns,
                const kept_range<WT>& range)
        : device_(device),
          policy_(tiles_on(device)),
          lines_(a, by_columns, policy_),
          a_(as<const element>(static_cast<const void*>(a.values))),
          range_(range),
          counts_(layout.take<u32>(lines_.lines * lines_.strips + 1)) {}

    bool has_strips() const { return lines_.strips > 1; }

    // totals[line] := elements that are kept. What precedes each strip stays in the workspace for keep.
    void count(i64* totals) {
        count_strips(has_strips() ? nullptr : totals);
        if (!has_strips()) return;
        visit_shape([&]<int group>(std::integral_constant<int, group>) {
            using program = kernels::prune_dense<element, WT, i32, i32, group, lanes>;
            device_.template launch_groups<typename program::add_strips>(
                kernels::prune_dense_tiles, (lines_.lines + group - 1) / group, lines_.lines, lines_.strips,
                counts_, totals);
        });
    }

    // Whether a group adds up all lines sooner than several launches do, in 32 bits.
    bool are_lines_few() const {
        constexpr int64_t most_lines = 4096, most_counts = 1 << 15;
        return lines_.lines <= most_lines && lines_.lines * lines_.strips <= most_counts &&
               (lines_.length == 0 || lines_.lines <= (INT32_MAX - 1) / lines_.length);
    }

    // The same for few lines in two launches, with the offsets from base on, the lines' counts and their sum.
    // Each of these may be NULL.
    template <class OT>
    void count_few(heron_index base, OT* offsets, i32* totals, i32* all) {
        count_strips(nullptr);
        constexpr int group = always_lanes ? 1024 : 256;
        device_.template launch_groups<typename kernels::prune_lines<OT, group>::add_lines>(
            kernels::prune_line_sums, 1, counts_, static_cast<int>(lines_.lines), lines_.strips,
            static_cast<int>(base), offsets, totals, all);
    }

    // After count. Lines are B's rows, whose offsets are known. rows may be NULL.
    template <class OT, class IT>
    void keep(const OT* offsets, heron_index offsets_base, heron_index nnz, heron_index base, IT* rows,
              IT* columns, void* values) {
        keep_by(has_strips() ? counts_ : nullptr, nullptr, offsets, offsets_base, nnz, base, rows, columns,
                values);
    }

    // Without count before it, for which totals is room. Groups that may wait for each other read A once.
    template <class OT, class IT>
    void count_and_keep(i64* totals, const OT* offsets, heron_index offsets_base, heron_index nnz,
                        heron_index base, IT* rows, IT* columns, void* values) {
        if (!has_strips() || !policy_.groups_wait) {
            if (has_strips()) count(totals);
            return keep(offsets, offsets_base, nnz, base, rows, columns, values);
        }
        device_.fill(counts_, 0, static_cast<size_t>(lines_.lines * lines_.strips + 1) * sizeof *counts_);
        keep_by(nullptr, counts_, offsets, offsets_base, nnz, base, rows, columns, values);
    }

  private:
    using element = element_bits<RT>;
    static constexpr int lanes = 32;

    void count_strips(i64* totals) {
        visit_shape([&]<int group>(std::integral_constant<int, group>) {
            using program = kernels::prune_dense<element, WT, i32, i32, group, lanes>;
            if (lines_.is_by_items) return launch_items<typename program::count_by_items>(counts_, totals);
            lines_.is_along ? launch<typename program::count_along>(counts_, totals)
                            : launch<typename program::count_across>(counts_, totals);
        });
    }

    // Calls f with the size of a group: of several teams where a device has lanes.
    template <class F>
    void visit_shape(F&& f) const {
        if constexpr (!always_lanes)
            if (!policy_.has_lanes) return f(std::integral_constant<int, lanes>{});
        f(std::integral_constant<int, 256>{});
    }

    template <class OT, class IT>
    void keep_by(const u32* before, u32* published, const OT* offsets, heron_index offsets_base,
                 heron_index nnz, heron_index base, IT* rows, IT* columns, void* values) {
        visit_shape([&]<int group>(std::integral_constant<int, group>) {
            using program = kernels::prune_dense<element, WT, OT, IT, group, lanes>;
            if (lines_.is_by_items)
                return launch_items<typename program::keep_by_items>(offsets, offsets_base, nnz, base, rows,
                                                                     columns, as<element>(values));
            lines_.is_along
                ? launch<typename program::keep_along>(offsets, offsets_base, before, published, nnz, base,
                                                       rows, columns, as<element>(values))
                : launch<typename program::keep_across>(offsets, offsets_base, before, published, nnz, base,
                                                        rows, columns, as<element>(values));
        });
    }

    template <class Kernel, class... Args>
    void launch(Args... args) {
        device_.template launch_groups<Kernel>(
            kernels::prune_dense_tiles, lines_.groups(), a_, lines_.lines, lines_.length, lines_.step,
            lines_.strip, lines_.strips, range_.mask, range_.first, range_.last, range_.threshold, args...);
    }

    template <class Kernel, class... Args>
    void launch_items(Args... args) {
        device_.template launch_groups<Kernel>(kernels::prune_dense_tiles, lines_.groups(), a_, lines_.lines,
                                               lines_.length, lines_.step, range_.mask, range_.first,
                                               range_.last, range_.threshold, args...);
    }

    Device& device_;
    tile_policy policy_;
    line_strips lines_;
    const element* a_;
    kept_range<WT> range_;
    u32* counts_;
};

}  // namespace heron::HERON_LEVEL::plans
