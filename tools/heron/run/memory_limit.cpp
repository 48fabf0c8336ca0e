#include "memory_limit.hpp"

#include <array>

#include "measure/bandwidth.hpp"

namespace heron::tools {
namespace {

std::string default_backend() {
    heron_handle handle = nullptr;
    const char* backend = nullptr;
    int number = 0;
    check(heron_create(&handle), "heron_create");
    check(heron_get_backend(handle, &backend, &number), "heron_get_backend");
    std::string name = backend;
    heron_destroy(handle);
    return name;
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
