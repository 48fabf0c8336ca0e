#pragma once
// The host's execution context: work runs at once, on the calling thread and its OpenMP team.
struct heron_queue {
    int threads = 0;  // 0: OpenMP's default
};

// What an operation's ANALYSE leaves on the host. Every operation derives its own.
struct heron_plan {
    virtual ~heron_plan();
};

namespace heron::host {

// Sends a reason to the core's log.
void log_error(const char* operation, const char* reason) noexcept;

}  // namespace heron::host
