#pragma once
// Exclusive scan of 64-bit counts for any device: sums of chunks, a scan of the sums, the chunks' own
// entries. Integers, so the same on every run.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family scan{"scan", "OT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Scans n counts, n = 0 included. Construct it in every phase (its workspace comes from the layout), then
// add, then write.
template <class Device>
class exclusive_scan {
  public:
    exclusive_scan(workspace_layout& layout, int64_t n)
        : n_(n),
          chunk_(chunk_length(n)),
          chunks_((n + chunk_ - 1) / chunk_),
          sums_(layout.take<i64>(chunks_ + 1)) {}

    // Adds the counts up: read_total may be called. Two launches.
    void add(Device& device, const i64* counts) const {
        device.template launch<kernels::scan_add_chunks<i64>>(kernels::scan, chunks_, counts, n_, chunk_,
                                                              sums_);
        device.template launch<kernels::scan_chunk_sums<i64>>(kernels::scan, 1, sums_, chunks_);
    }

    // Waits for the device.
    int64_t read_total(Device& device) const {
        int64_t total = 0;
        device.read(&total, sums_ + chunks_, sizeof total);
        return total;
    }

    // out[k] := base + counts[0] + ... + counts[k - 1] for k in [0, n]. The counts are those of add; out may
    // be counts, with room for n + 1. One launch.
    template <class OT>
    void write(Device& device, const i64* counts, heron_index base, OT* out) const {
        device.template launch<kernels::scan_write<OT>>(kernels::scan, chunks_ + 1, counts, n_, chunk_,
                                                        chunks_, static_cast<const i64*>(sums_), base, out);
    }

    // Both at once, for who needs no total.
    template <class OT>
    void apply(Device& device, const i64* counts, heron_index base, OT* out) const {
        add(device, counts);
        write(device, counts, base, out);
    }

  private:
    // About sqrt(n), so that neither the chunks nor the serial scan of their sums is long.
    static heron_index chunk_length(int64_t n) {
        heron_index length = 1;
        while (length * length < n) length *= 2;
        return length;
    }

    heron_index n_;
    heron_index chunk_;
    heron_index chunks_;
    i64* sums_;
};

}  // namespace heron::HERON_LEVEL::plans
