#pragma once
// A stable sort of 32-bit keys with packed values on GPUs: radix.h.
#include "sorted_transpose.hpp"
#include <utility>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_sorting{"convert_radix", "GROUP LANES"};
#include "radix.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device>
class radix_sorter {
  public:
    radix_sorter(workspace_layout& layout, int64_t n, u32* spare)
        : n_(n),
          from_{layout.take<u32>(n), layout.take<u64>(n)},
          to_{spare, layout.take<u64>(n)},
          counts_(layout.take<u32>(teams::digits * tiles<single>())),
          totals_(layout.take<u32>(teams::digits)) {}

    packed_arrays input() const { return from_; }

    packed_arrays sort(Device& device, int bits) {
        for (int shift = 0; shift < bits; shift += digit_bits) {
            has_lanes(device) ? pass<teams>(device, shift) : pass<single>(device, shift);
            std::swap(from_, to_);
        }
        return from_;
    }

  private:
    // Teams share a group, or are one where devices have no lanes.
    using teams = kernels::convert_radix<256, 32>;
    using single = kernels::convert_radix<32, 32>;
    static constexpr int digit_bits = 8;

    template <class Program>
    int64_t tiles() const {
        return (n_ + Program::tile - 1) / Program::tile;
    }

    template <class Program>
    void pass(Device& device, int shift) {
        const int64_t all = tiles<Program>();
        const int tile_count = static_cast<int>(all);
        const u32* const keys = from_.keys;
        const auto launch = [&]<class Kernel>(Kernel*, int64_t groups, auto... args) {
            device.template launch_groups<Kernel>(kernels::convert_sorting, groups, args...);
        };
        launch(static_cast<typename Program::count_digits*>(nullptr), all, keys, heron_index{n_}, shift,
               tile_count, counts_);
        launch(static_cast<typename Program::scan_tiles*>(nullptr), Program::digits, tile_count, counts_,
               totals_);
        launch(static_cast<typename Program::scan_totals*>(nullptr), 1, totals_);
        launch(static_cast<typename Program::move_digits*>(nullptr), all, keys,
               static_cast<const u64*>(from_.packed), heron_index{n_}, shift, tile_count,
               static_cast<const u32*>(counts_), static_cast<const u32*>(totals_), to_.keys, to_.packed);
    }

    int64_t n_;
    packed_arrays from_, to_;
    u32* counts_;
    u32* totals_;
};

}  // namespace heron::HERON_LEVEL::plans
