#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

namespace heron::tools {
namespace {

class task_timer {
  public:
    explicit task_timer(const timed_task& task) : task_(task) {}

    void warm_up(const measure_options& options) {
        guarded([&] {
            std::int64_t batch = 1;
            std::int64_t calls = 0;
            double total = 0;
            while (calls < options.warm_up_calls && total < options.warm_up_seconds) {
                total += run(batch);
                calls += batch;
                batch *= 2;
            }
            // A short task's first estimate is mostly its start; one more look at the length of a round.
            set_calls(options.round_seconds);
            run(calls_);
            set_calls(options.round_seconds);
        });
    }

    void round(double pause_seconds) {
        if (pause_seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause_seconds));
        guarded([&] { samples_.push_back(run(calls_) / static_cast<double>(calls_)); });
    }

    timing result() const {
        if (!error_.empty()) return {.error = error_};
        return {.median = median_of(samples_),
                .min = *std::min_element(samples_.begin(), samples_.end()),
                .rounds = static_cast<int>(samples_.size()),
                .calls = calls_,
                .error = {}};
    }

  private:
    double run(std::int64_t calls) {
        const double seconds = task_.seconds(calls);
        fastest_ = std::min(fastest_, seconds / static_cast<double>(calls));
        return seconds;
    }

    // By the fastest batch so far: on a busy machine the others say little about the task.
    void set_calls(double round_seconds) {
        constexpr double most = 1e6;
        calls_ = static_cast<std::int64_t>(
            std::clamp(std::ceil(round_seconds / std::max(fastest_, 1e-9)), 1.0, most));
    }

    template <class F>
    void guarded(F&& f) {
        if (!error_.empty()) return;
        try {
            f();
        } catch (const std::exception& error) {
            error_ = error.what();
        }
    }

    const timed_task& task_;
    std::int64_t calls_ = 1;
    double fastest_ = std::numeric_limits<double>::infinity();
    std::vector<double> samples_;
    std::string error_;
};

}  // namespace

double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<timing> measure_interleaved(std::span<const timed_task> tasks, const measure_options& options) {
    std::vector<task_timer> timers;
    for (const timed_task& task : tasks) timers.emplace_back(task).warm_up(options);
    for (int round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < timers.size(); ++i) {
            timers[round % 2 == 0 ? i : timers.size() - 1 - i].round(options.pause_seconds);
        }
    }
    std::vector<timing> result;
    for (const task_timer& timer : timers) result.push_back(timer.result());
    return result;
}

}  // namespace heron::tools
