#pragma once
// pair_sort for devices with groups: the same arrays, phases and workspace, other kernels (radix.h).
#include "common/dialect/dialect_group.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family reorder_radix_kernels{"reorder_radix", "GROUP ITEMS LANES"};
#include "radix.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device, int group, int items, int lanes>
class radix_sort {
  public:
    radix_sort(workspace_layout& layout, int64_t n)
        : n_(n),
          tiles_((n + tile - 1) / tile),
          other_{layout.take<i32>(n), layout.take<i32>(n), layout.take<i32>(n)},
          facts_(layout.take<u32>(5)),
          counts_(layout.take<u32>(tiles_ * digits)),
          totals_(layout.take<u32>(digits)) {}

    // Of a team's size at most.
    static void sort_short_rows(Device& device, const heron_sort_rows_args& args) {
        launch<typename program::radix_short_rows>(device, (args.rows + group / lanes - 1) / (group / lanes),
                                                   args.offsets, heron_index{args.rows}, args.indices,
                                                   args.permutation);
    }

    void run(Device& device, const pair_arrays& pairs) const {
        if (n_ < 2) return;
        device.fill(facts_, 0, 5 * sizeof(u32));
        launch<typename program::radix_measure>(device, tiles_ < most_measuring ? tiles_ : most_measuring,
                                                c(pairs.major), c(pairs.minor), n_, facts_);
        pair_arrays from = pairs, to = other_;
        if (!pairs.permutation) to.permutation = nullptr;
        for (int shift = 0; shift < 64; shift += digit_bits) {
            pass(device, shift, from, to);
            const pair_arrays sorted = to;
            to = from;
            from = sorted;
        }
        launch<typename program::radix_return>(device, tiles_, c(other_.major), c(other_.minor),
                                               c(other_.permutation), n_, facts(), pairs.major, pairs.minor,
                                               pairs.permutation);
    }

  private:
    using program = kernels::reorder_radix<group, items, lanes>;
    static constexpr int digits = program::digits, digit_bits = program::digit_bits;
    static constexpr heron_index tile = program::tile;
    static constexpr heron_index most_measuring = 2048;

    template <class Kernel, class... Args>
    static void launch(Device& device, int64_t groups, Args... args) {
        device.template launch_groups<Kernel>(kernels::reorder_radix_kernels, groups, args...);
    }

    static const i32* c(const i32* p) { return p; }
    const u32* facts() const { return facts_; }

    void pass(Device& device, int shift, const pair_arrays& from, const pair_arrays& to) const {
        launch<typename program::radix_count>(device, tiles_, c(from.major), c(from.minor), n_, facts(),
                                              shift, tiles_, counts_);
        launch<typename program::radix_scan>(device, digits, facts(), shift, tiles_, counts_, totals_);
        launch<typename program::radix_move>(
            device, tiles_, c(from.major), c(from.minor), c(from.permutation), n_, facts(), shift, tiles_,
            static_cast<const u32*>(counts_), static_cast<const u32*>(totals_), to.major, to.minor,
            to.permutation);
    }

    heron_index n_, tiles_;
    pair_arrays other_;
    u32* facts_;
    u32* counts_;
    u32* totals_;
};

}  // namespace heron::HERON_LEVEL::plans
