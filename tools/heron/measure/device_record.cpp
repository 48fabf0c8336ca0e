#include "device_record.hpp"

#include <fmt/format.h>

namespace heron::tools {

std::string library_version() {
    const int version = heron_version();
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

record device_record(const heron_device_info& info) {
    record result;
    result["name"] = info.name;
    result["vendor"] = info.vendor;
    result["driver"] = info.driver;
    result["isa"] = info.isa;
    result["kind"] = info.is_gpu ? "GPU" : "processor";
    result["memory_bytes"] = info.memory_bytes;
    result["memory_free_bytes"] = info.memory_free;
    result["cache_bytes"] = info.cache_bytes;
    result["compute_units"] = info.compute_units;
    result["clock_mhz"] = info.clock_mhz;
    result["fp64"] = info.has_fp64 != 0;
    result["host_accessible"] = info.is_host_accessible != 0;
    result["api_version"] = fmt::format("{}.{}", info.major, info.minor);
    return result;
}

std::string size_text(std::uint64_t bytes) {
    constexpr double unit = 1024;
    double value = static_cast<double>(bytes) / unit;
    const char* name = "KiB";
    for (const char* larger : {"MiB", "GiB", "TiB"}) {
        if (value < unit) break;
        value /= unit;
        name = larger;
    }
    return value < 10 ? fmt::format("{:.1f} {}", value, name) : fmt::format("{:.0f} {}", value, name);
}

}  // namespace heron::tools
