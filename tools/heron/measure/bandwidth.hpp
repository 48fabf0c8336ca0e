// What the memory of a device can do: the ceiling that benchmarks of sparse operations are compared with.
#pragma once

#include <memory>
#include <string>

#include "device.hpp"
#include "measure.hpp"

namespace heron::tools {

struct bandwidth {
    std::string kind;  // "copy" or "triad"
    double bytes_per_second =
        0;  // copy: bytes read and written; triad: 24 bytes per element, as STREAM counts
    // Triad only: 32 bytes per element, since a cache line is read before it is written; 0 for a copy.
    double with_write_allocate = 0;
};

// A task for measure_interleaved() that moves more data than the caches hold.
class bandwidth_probe {
  public:
    virtual ~bandwidth_probe() = default;
    virtual double seconds(std::int64_t calls) = 0;
    // From the seconds of one call.
    virtual bandwidth rate(double seconds_per_call) const = 0;
};

// a[i] = b[i] + s * c[i] in double with all OpenMP threads where the device is the processor, else a copy
// within the device's memory.
std::unique_ptr<bandwidth_probe> make_bandwidth_probe(const device& where);

}  // namespace heron::tools
