#pragma once
// The host's execution context: work runs at once, on the calling thread and its OpenMP team.
#include "packing.hpp"

struct heron_queue {
    int threads = 0;  // 0: OpenMP's default
    heron::host::packing_memory packing;
};

namespace heron::host {

// Sends a reason to the core's log.
void log_error(const char* operation, const char* reason) noexcept;

}  // namespace heron::host
