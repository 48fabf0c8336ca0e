#pragma once
// HERON_REPORT=FILE: the calls of public functions are counted and timed, and written when the process ends.
// Off it costs one relaxed load per call. On, each thread counts in a table of its own; nothing is locked.
// All calls are counted. Of functions that are called often and return quickly only some are measured, which
// stand for the others, so that the measuring stays below half a per cent of their time.
#include <atomic>
#include <chrono>
#include <string_view>

namespace heron::core {

// Set when libheron is loaded.
extern std::atomic<bool> report_is_on;
inline bool reporting() noexcept { return report_is_on.load(std::memory_order_relaxed); }

struct call_counts;

// A thread's call that is under way.
struct call_under_way {
    call_counts* counts = nullptr;
    bool is_measured = false;
};

// A call of a public function, from its construction to its destruction. What it calls of other public
// functions is counted as its own. It has failed unless succeeded() says otherwise.
class recorded_call {
  public:
    explicit recorded_call(const char* function) noexcept {
        if (reporting()) begin(function);
    }
    ~recorded_call() {
        if (!call_) return;
        if (has_failed_ || call_->is_measured)
            end();
        else
            call_->counts = nullptr;
    }
    recorded_call(const recorded_call&) = delete;
    recorded_call& operator=(const recorded_call&) = delete;

    void succeeded() noexcept { has_failed_ = false; }

  private:
    void begin(const char* function) noexcept;
    void begin_measured() noexcept;
    void end() noexcept;

    call_under_way* call_ = nullptr;
    std::chrono::steady_clock::time_point start_{};
    bool has_failed_ = true;
};

// Why this thread's call fails.
void note_reason(std::string_view reason) noexcept;

}  // namespace heron::core
