#include "loader.hpp"
#include "error.hpp"
#include "log.hpp"
// Lists are more than the library's copy of fmt formats.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>

namespace heron::core {
namespace {

void log_from_plugin(int level, const char* function, const char* message) {
    log(static_cast<log_level>(level), function, message);
}

constexpr heron_host_services services{sizeof(heron_host_services), &log_from_plugin};

// The part of the table that every plug-in must have: up to and including plan_destroy.
constexpr size_t smallest_table = offsetof(heron_backend, plan_destroy) + sizeof(heron_backend::plan_destroy);

std::filesystem::path directory_of_this_library() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&log_from_plugin), &info) || !info.dli_fname) return {};
    return std::filesystem::absolute(info.dli_fname).parent_path();
}

std::vector<std::filesystem::path> search_path() {
    std::vector<std::filesystem::path> directories;
    // What a program with more rights than its user loads is not the user's choice.
    if (const char* list = secure_getenv("HERON_PLUGIN_PATH")) {
        std::string_view rest = list;
        while (!rest.empty()) {
            const auto colon = rest.find(':');
            if (colon != 0) directories.emplace_back(rest.substr(0, colon));
            rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        }
    }
    directories.push_back(directory_of_this_library() / "heron");
    return directories;
}

std::string find_file(const std::string& name) {
    for (const auto& directory : search_path()) {
        const auto file = directory / fmt::format("libheron-{}.so", name);
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) return file.string();
    }
    return {};
}

// Fills everything but name; returns why the plug-in cannot be used, or an empty string.
std::string open_plugin(backend& b) {
    b.path = find_file(b.name);
    if (b.path.empty()) return fmt::format("libheron-{}.so is not installed", b.name);
    void* const library = dlopen(b.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return fmt::format("cannot be loaded: {}", dlerror());
    const auto entry = reinterpret_cast<decltype(&heron_plugin)>(dlsym(library, "heron_plugin"));
    if (!entry) return fmt::format("{} is not a Heron plug-in: it has no heron_plugin", b.path);
    const heron_backend* const table = entry(&services);
    if (!table) return "the plug-in refuses to work with this version of Heron";
    if (table->abi != HERON_BACKEND_ABI)
        return fmt::format("plug-in ABI {} does not match {}", table->abi, HERON_BACKEND_ABI);
    if (table->size < smallest_table)
        return fmt::format("plug-in table of {} bytes is too short", table->size);
    std::memcpy(&b.table, table, std::min<size_t>(table->size, sizeof b.table));
    b.version = b.table.version ? b.table.version : "";
    const char* why = "";
    const heron_status status = b.table.device_count(&b.device_count, &why);
    if (status != HERON_SUCCESS || b.device_count < 1) {
        b.device_count = 0;
        return why && *why ? why : "no device";
    }
    return {};
}

struct slot {
    std::once_flag once;
    backend loaded;
};

bool has_gpu(const backend& b) {
    for (int device = 0; device < b.device_count; ++device) {
        heron_device_info info{};
        if (b.table.device_info(device, &info) == HERON_SUCCESS && info.is_gpu) return true;
    }
    return false;
}

}  // namespace

const std::vector<std::string>& backend_names() {
    static const auto* const names = new std::vector<std::string>{"cuda", "opencl", "host"};
    return *names;
}

const backend& find_backend(std::string_view name) {
    // Never destroyed: plug-ins stay loaded, and handles may be used while the process exits.
    static auto* const slots = new std::vector<slot>(backend_names().size());
    const auto found = std::find(backend_names().begin(), backend_names().end(), name);
    if (found == backend_names().end())
        invalid(role::backend, fmt::format("'{}' is not one of {}", name, fmt::join(backend_names(), ", ")));
    slot& s = (*slots)[static_cast<size_t>(found - backend_names().begin())];
    std::call_once(s.once, [&] {
        s.loaded.name = *found;
        s.loaded.reason = open_plugin(s.loaded);
        if (s.loaded.usable())
            log(log_level::info, "loader",
                fmt::format("{}: {} device(s), {}", *found, s.loaded.device_count, s.loaded.path));
        else
            log(log_level::hint, "loader", fmt::format("{} is skipped: {}", *found, s.loaded.reason));
    });
    return s.loaded;
}

const backend& default_backend() {
    if (const char* wanted = secure_getenv("HERON_BACKEND"); wanted && *wanted) {
        const backend& b = find_backend(wanted);
        if (!b.usable())
            throw error(HERON_NOT_INITIALIZED, fmt::format("HERON_BACKEND={}", wanted).c_str(), b.reason);
        return b;
    }
    std::string reasons;
    for (const std::string& name : backend_names()) {
        const backend& b = find_backend(name);
        if (b.usable() && (name != "opencl" || has_gpu(b))) return b;
        if (b.usable()) log(log_level::hint, "loader", fmt::format("{} is skipped: no GPU", name));
        reasons +=
            fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, b.usable() ? "no GPU" : b.reason);
    }
    throw error(HERON_NOT_INITIALIZED, "", "no usable backend (" + reasons + ")");
}

}  // namespace heron::core
