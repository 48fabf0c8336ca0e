#include "memory_limit.hpp"

#include <array>
#include <algorithm>

#include "measure/bandwidth.hpp"

namespace heron::tools {
namespace {

bool is_usable(const std::vector<std::string>& usable, const char* name) {
    return std::find(usable.begin(), usable.end(), name) != usable.end();
}

// The library's own rule.
std::string default_backend() {
    const std::vector<std::string> usable = usable_backends({});
    if (is_usable(usable, "cuda")) return "cuda";
    return is_usable(usable, "opencl") && device("opencl").info().is_gpu ? "opencl" : "host";
}

}  // namespace

double memory_limit(const std::string& backend) {
    const reason_log reasons;
    const device where(backend.empty() ? default_backend() : backend);
    const auto probe = make_bandwidth_probe(where);
    const std::array<timed_task, 1> tasks{{{[&](std::int64_t calls) { return probe->seconds(calls); }}}};
    const timing found = measure_interleaved(tasks, {.rounds = 3, .warm_up_calls = 2}).front();
    if (!found.error.empty()) throw std::runtime_error(found.error);
    return probe->rate(found.median).bytes_per_second;
}

}  // namespace heron::tools
