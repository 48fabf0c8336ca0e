#include "memory_use.hpp"

#include <dlfcn.h>
#include <heron/heron.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace heron::tools {
namespace {

// NVIDIA's driver tells of its devices through a library of its own, for whatever API they are used.
std::int64_t nvidia_bytes() {
    static void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    struct memory {
        unsigned long long total, free, used;
    };
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto by_index =
        reinterpret_cast<int (*)(unsigned, void**)>(dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
    const auto info = reinterpret_cast<int (*)(void*, memory*)>(dlsym(library, "nvmlDeviceGetMemoryInfo"));
    static const bool ready = init && by_index && info && init() == 0;
    const char* const number = std::getenv("HERON_DEVICE");
    void* device = nullptr;
    memory use{};
    if (!ready || by_index(number ? static_cast<unsigned>(std::atoi(number)) : 0u, &device) != 0 ||
        info(device, &use) != 0)
        return 0;
    return static_cast<std::int64_t>(use.used);
}

}  // namespace

std::int64_t resident_bytes() {
    std::int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t device_bytes(const std::string& backend) { return backend == "host" ? 0 : nvidia_bytes(); }

void settle() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

std::vector<memory_use::sample> memory_use::later_half() const {
    if (samples_.empty()) return {};
    const double half = samples_.back().seconds / 2;
    std::vector<sample> later;
    std::copy_if(samples_.begin(), samples_.end(), std::back_inserter(later),
                 [half](const sample& s) { return s.seconds >= half; });
    return later;
}

double memory_use::slope_per_minute() const {
    const std::vector<sample> later = later_half();
    double mean_seconds = 0, mean_bytes = 0;
    for (const sample& s : later) {
        mean_seconds += s.seconds / static_cast<double>(later.size());
        mean_bytes += s.bytes / static_cast<double>(later.size());
    }
    double above = 0, below = 0;
    for (const sample& s : later) {
        above += (s.seconds - mean_seconds) * (s.bytes - mean_bytes);
        below += (s.seconds - mean_seconds) * (s.seconds - mean_seconds);
    }
    return below > 0 ? 60 * above / below : 0;
}

double memory_use::growth() const {
    const std::vector<sample> later = later_half();
    return later.empty() ? 0 : slope_per_minute() / 60 * (later.back().seconds - later.front().seconds);
}

record memory_use::summary() const {
    if (samples_.empty()) return {};
    return {{"first", samples_.front().bytes},
            {"half", later_half().front().bytes},
            {"last", samples_.back().bytes},
            {"most", most_},
            {"slope_per_minute", std::round(slope_per_minute())},
            {"growth", std::round(growth())}};
}

}  // namespace heron::tools
