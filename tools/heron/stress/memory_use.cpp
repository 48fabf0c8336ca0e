#include "memory_use.hpp"

#include <dlfcn.h>
#include <heron/heron.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace heron::tools {
namespace {

// NVIDIA's name of the device, which is one of those that the environment leaves: a number or a UUID.
std::string nvidia_name() {
    const char* const number = std::getenv("HERON_DEVICE");
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!visible) return number ? number : "0";
    std::istringstream names(visible);
    std::string name;
    for (int k = number ? std::atoi(number) : 0; k >= 0; --k) std::getline(names, name, ',');
    return name;
}

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
    const auto by_uuid =
        reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByUUID"));
    const auto info = reinterpret_cast<int (*)(void*, memory*)>(dlsym(library, "nvmlDeviceGetMemoryInfo"));
    static const bool ready = init && by_index && by_uuid && info && init() == 0;
    if (!ready) return 0;
    static const std::string name = nvidia_name();
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    void* device = nullptr;
    memory use{};
    const int found = is_number ? by_index(static_cast<unsigned>(std::atoi(name.c_str())), &device)
                                : by_uuid(name.c_str(), &device);
    return found == 0 && info(device, &use) == 0 ? static_cast<std::int64_t>(use.used) : 0;
}

}  // namespace

std::int64_t resident_bytes() {
    std::int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t device_bytes(const std::string& backend, const std::string& device) {
    return backend == "cuda" || device.find("NVIDIA") != std::string::npos ? nvidia_bytes() : 0;
}

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
