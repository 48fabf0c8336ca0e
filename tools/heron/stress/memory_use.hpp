// How much memory the process and its device use, over time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/report.hpp"

namespace heron::tools {

// Bytes of this process in memory.
std::int64_t resident_bytes();
// Bytes in use on a backend's device of that name, of all processes; 0 where it does not tell.
std::int64_t device_bytes(const std::string& backend, const std::string& device);
// Gives what the C library keeps of freed memory back, so that resident_bytes tells what is in use.
void settle();

// Samples are taken when nothing is alive but what stays to the end; peaks in between.
class memory_use {
  public:
    void add(double seconds, std::int64_t bytes) {
        samples_.push_back({seconds, static_cast<double>(bytes)});
        peak(seconds, bytes);
    }
    void peak(double, std::int64_t bytes) { most_ = std::max(most_, bytes); }
    // Of the second half of the time, when everything has been used once: bytes per minute, by least squares,
    // and what that adds up to.
    double slope_per_minute() const;
    double growth() const;
    record summary() const;

  private:
    struct sample {
        double seconds, bytes;
    };
    std::vector<sample> later_half() const;

    std::vector<sample> samples_;
    std::int64_t most_ = 0;
};

}  // namespace heron::tools
