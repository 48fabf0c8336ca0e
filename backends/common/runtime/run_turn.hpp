#pragma once
// Threads that run one plan: what it keeps on the device between its launches is one run's at a time.
#include <mutex>

namespace heron::HERON_LEVEL {

// A part of a plan of several launches. On one stream the launches of two threads must not come between each
// other.
class run_turn {
  public:
    run_turn() = default;
    // A plan that moves is nobody's yet.
    run_turn(run_turn&&) noexcept {}

    [[nodiscard]] std::unique_lock<std::mutex> take() const { return std::unique_lock(mutex_); }

  private:
    mutable std::mutex mutex_;
};

}  // namespace heron::HERON_LEVEL
