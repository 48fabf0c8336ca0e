#include "bandwidth.hpp"

#include <algorithm>
#include <cstdint>

namespace heron::tools {
namespace {

constexpr std::size_t smallest_array = std::size_t{64} << 20;
constexpr std::size_t largest_array = std::size_t{256} << 20;

class triad_probe : public bandwidth_probe {
  public:
    explicit triad_probe(const device& where)
        : where_(where),
          count_(static_cast<std::int64_t>(std::clamp(where.cold_bytes(), smallest_array, largest_array) /
                                           sizeof(double))),
          a_(new double[static_cast<std::size_t>(count_)]),
          b_(new double[static_cast<std::size_t>(count_)]),
          c_(new double[static_cast<std::size_t>(count_)]) {
        double* const a = a_.get();
        double* const b = b_.get();
        double* const c = c_.get();
        // Each thread touches first the pages that it will use.
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < count_; ++i) {
            a[i] = 0.5;
            b[i] = 1.0 + 1e-9 * static_cast<double>(i);
            c[i] = 2.0 - 1e-9 * static_cast<double>(i);
        }
    }

    double seconds(std::int64_t calls) override {
        return where_.seconds([&] {
            for (std::int64_t call = 0; call < calls; ++call) triad();
        });
    }

    bandwidth rate(double seconds_per_call) const override {
        const double elements = static_cast<double>(count_) / seconds_per_call;
        return {.kind = "triad", .bytes_per_second = 24 * elements, .with_write_allocate = 32 * elements};
    }

  private:
    void triad() {
        double* const a = a_.get();
        const double* const b = b_.get();
        const double* const c = c_.get();
        const double s = 3.0;
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < count_; ++i) a[i] = b[i] + s * c[i];
    }

    const device& where_;
    std::int64_t count_;
    std::unique_ptr<double[]> a_;
    std::unique_ptr<double[]> b_;
    std::unique_ptr<double[]> c_;
};

class copy_probe : public bandwidth_probe {
  public:
    explicit copy_probe(const device& where)
        : where_(where),
          bytes_(std::clamp(where.cold_bytes(), smallest_array, largest_array)),
          source_(where.allocate(bytes_)),
          destination_(where.allocate(bytes_)) {
        where_.fill(source_.get(), 0x5a, bytes_);
        where_.fill(destination_.get(), 0xa5, bytes_);
        where_.synchronize();
    }

    double seconds(std::int64_t calls) override {
        return where_.seconds([&] {
            for (std::int64_t call = 0; call < calls; ++call) {
                where_.copy(destination_.get(), source_.get(), bytes_);
            }
        });
    }

    bandwidth rate(double seconds_per_call) const override {
        return {.kind = "copy", .bytes_per_second = 2 * static_cast<double>(bytes_) / seconds_per_call};
    }

  private:
    const device& where_;
    std::size_t bytes_;
    device_buffer source_;
    device_buffer destination_;
};

}  // namespace

std::unique_ptr<bandwidth_probe> make_bandwidth_probe(const device& where) {
    if (where.is_processor()) return std::make_unique<triad_probe>(where);
    return std::make_unique<copy_probe>(where);
}

}  // namespace heron::tools
