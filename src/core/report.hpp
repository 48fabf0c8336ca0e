#pragma once
// What the core tells a report (recorded_call.hpp) of the call that is under way.
#include "context.hpp"
#include "preparation.hpp"
#include "recorded_call.hpp"
#include "work.hpp"

namespace heron::core {

struct call_counts;
struct device_sample;

// How many calls are being measured, in all threads.
extern std::atomic<int> measured_calls;
inline bool measuring() noexcept { return measured_calls.load(std::memory_order_relaxed) != 0; }

// Backends whose slots return when their work is done.
bool works_at_once(const context& c);
// All but backends with a runtime of their own, whose streams programs may capture, and queues that a caller
// owns.
bool may_ask_stream(const context& c);

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

// A matrix of this call, where indices of a row that do not ascend are found.
void note_unsorted(int64_t row) noexcept;
// Looks for such a row among the first ones of a matrix that is new to the function, where its arrays can be
// read: on backends that programs capture nothing of.
void note_order(context& c, const heron_spmat& m) noexcept;

// A run without the analysis that it might have had, of the matrix whose indices are there.
void note_unprepared(const context& c, const repeated_product& product, const void* indices) noexcept;

}  // namespace heron::core
