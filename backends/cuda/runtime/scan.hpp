#pragma once
// The plans' exclusive scan on CUDA: CUB's.
#include "device.cuh"
#include "common/scan/plan.hpp"

namespace heron::HERON_LEVEL {

// Workspace for either of what follows with n counts.
size_t scan_workspace(int64_t n);

// *total := the sum of the counts.
void add_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, i64* total);

// out[k] := base + what precedes count k, for k in [0, n]. out may be counts.
void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i32* out);
void scan_counts(cuda_device& device, void* memory, size_t bytes, const i64* counts, int64_t n, int64_t base,
                 i64* out);

namespace plans {

template <>
class exclusive_scan<cuda_device> {
  public:
    exclusive_scan(workspace_layout& layout, int64_t n)
        : n_(n),
          bytes_(scan_workspace(n)),
          memory_(layout.take<unsigned char>(static_cast<int64_t>(bytes_))),
          total_(layout.take<i64>(1)) {}

    void add(cuda_device& device, const i64* counts) const {
        add_counts(device, memory_, bytes_, counts, n_, total_);
    }

    int64_t read_total(cuda_device& device) const {
        int64_t total = 0;
        device.read(&total, total_, sizeof total);
        return total;
    }

    template <class OT>
    void write(cuda_device& device, const i64* counts, heron_index base, OT* out) const {
        scan_counts(device, memory_, bytes_, counts, n_, base, out);
    }

    template <class OT>
    void apply(cuda_device& device, const i64* counts, heron_index base, OT* out) const {
        write(device, counts, base, out);
    }

  private:
    int64_t n_;
    size_t bytes_;
    void* memory_;
    i64* total_;
};

}  // namespace plans

}  // namespace heron::HERON_LEVEL
