#pragma once
// The plans' exclusive scan by groups (scan.h), for GPUs that have no library for it.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_scanning{"convert_scan", "GROUP"};
#include "scan.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// As exclusive_scan; n > 0.
template <class Device>
class grouped_scan {
  public:
    grouped_scan(workspace_layout& layout, int64_t n)
        : n_(n), tiles_((n + program::tile - 1) / program::tile), sums_(layout.take<i64>(tiles_ + 1)) {}

    void add(Device& device, const i64* counts) const {
        device.template launch_groups<program::add_tiles>(kernels::convert_scanning, tiles_, counts,
                                                          heron_index{n_}, sums_);
        device.template launch_groups<program::scan_sums>(kernels::convert_scanning, 1, sums_,
                                                          heron_index{tiles_});
    }

    // Waits for the device.
    int64_t read_total(Device& device) const {
        int64_t total = 0;
        device.read(&total, sums_ + tiles_, sizeof total);
        return total;
    }

    void write(Device& device, const i64* counts, heron_index base, i32* out) const {
        device.template launch_groups<program::write_tiles>(kernels::convert_scanning, tiles_, counts,
                                                            heron_index{n_}, static_cast<const i64*>(sums_),
                                                            static_cast<int>(base), out);
    }

    void apply(Device& device, const i64* counts, heron_index base, i32* out) const {
        add(device, counts);
        write(device, counts, base, out);
    }

  private:
    using program = kernels::convert_scan<256>;
    int64_t n_, tiles_;
    i64* sums_;
};

}  // namespace heron::HERON_LEVEL::plans
