// Times several tasks side by side: their rounds take turns, so that a disturbance of the machine meets all
// of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace heron::tools {

struct timed_task {
    // Does the work `calls` times in a row and returns the seconds that it took.
    std::function<double(std::int64_t calls)> seconds;
};

struct measure_options {
    int rounds = 7;
    double round_seconds = 0.02;  // a round makes as many calls as this takes at least
    std::int64_t warm_up_calls = 20;
    double warm_up_seconds = 0.2;  // warming up ends when either is reached
    double pause_seconds = 0;      // before each round: threads that look for work fall asleep
    bool counts_launches = false;  // of one call, beside its time
};

// Seconds per call.
struct timing {
    double median = 0;
    double min = 0;
    int rounds = 0;
    std::int64_t calls = 0;  // in one round
    std::string error;       // why the task could not be timed; then the rest is 0
};

double median_of(std::vector<double> values);

// Every second round goes through the tasks backwards. A task that throws is given up; the others go on.
std::vector<timing> measure_interleaved(std::span<const timed_task> tasks, const measure_options& options);

}  // namespace heron::tools
