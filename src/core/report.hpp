#pragma once
// What the core tells a report (recorded_call.hpp) of the call that is under way.
#include "context.hpp"
#include "recorded_call.hpp"
#include "work.hpp"

namespace heron::core {

struct device_sample;

// One phase of a plug-in's slot within this thread's call: what it works, and for how long the device does.
// That is measured in every phase where a slot returns when its work is done, in some elsewhere, by events.
// A stream that may be being captured is asked nothing.
class recorded_phase {
  public:
    recorded_phase(const context& c, const work& done) noexcept;
    ~recorded_phase();
    recorded_phase(const recorded_phase&) = delete;
    recorded_phase& operator=(const recorded_phase&) = delete;

  private:
    call_counts* counts_;
    const context& context_;
    device_sample* sample_ = nullptr;
    std::chrono::steady_clock::time_point start_{};
};

// A run without the analysis that it might have had, of the matrix whose indices are there.
void note_unprepared(const void* indices) noexcept;

}  // namespace heron::core
