#include "device.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace heron::tools {
namespace {

std::mutex reason_mutex;
std::string last_reason;

void keep_reason(int level, const char* function, const char* message) {
    constexpr int error_level = 1;
    if (level != error_level) return;
    const std::lock_guard lock(reason_mutex);
    last_reason = fmt::format("{}: {}", function, message);
}

bool user_wants_a_log() {
    for (const char* name :
         {"HERON_LOG_LEVEL", "HERON_LOG_MASK", "CUSPARSE_LOG_LEVEL", "CUSPARSE_LOG_MASK"}) {
        if (std::getenv(name)) return true;
    }
    return false;
}

std::string text_of(const char* text) { return text ? text : ""; }

}  // namespace

std::vector<backend_state> list_backends() {
    std::vector<backend_state> result;
    for (int i = 0; i < heron_backend_count(); ++i) {
        int available = 0;
        const char* reason = nullptr;
        const char* version = nullptr;
        const char* path = nullptr;
        check(heron_backend_status(i, &available, &reason, &version, &path), "heron_backend_status");
        result.push_back({.name = heron_backend_name(i),
                          .available = available != 0,
                          .reason = text_of(reason),
                          .version = text_of(version),
                          .path = text_of(path)});
    }
    return result;
}

std::vector<std::string> usable_backends(const std::vector<std::string>& names) {
    if (!names.empty()) return names;
    std::vector<std::string> usable;
    for (const backend_state& backend : list_backends())
        if (backend.available) usable.push_back(backend.name);
    return usable;
}

reason_log::reason_log() {
    if (!user_wants_a_log()) {
        heron_log_open_file("/dev/null");
        heron_log_set_level(1);
    }
    heron_log_set_callback(keep_reason);
}

reason_log::~reason_log() { heron_log_set_callback(nullptr); }

std::string reason_log::take() {
    const std::lock_guard lock(reason_mutex);
    return std::exchange(last_reason, {});
}

heron_error::heron_error(heron_status status, std::string_view what)
    : std::runtime_error([&] {
          const std::string reason = reason_log::take();
          return reason.empty() ? fmt::format("{}: {}", what, heron_status_string(status)) : reason;
      }()),
      status_(status) {}

void check(heron_status status, std::string_view what) {
    if (status != HERON_SUCCESS) throw heron_error(status, what);
}

device_buffer::device_buffer(heron_handle handle, std::size_t bytes) {
    void* memory = nullptr;
    check(heron_alloc(handle, bytes, HERON_MEMORY_DEVICE, &memory),
          fmt::format("allocation of {} bytes", bytes));
    memory_ = {memory, release{handle}};
}

device::device(const std::string& backend) : backend_(backend) {
    setenv("HERON_BACKEND", backend.c_str(), 1);
    check(heron_create(&handle_), "heron_create");
    int number = 0;
    check(heron_get_backend(handle_, nullptr, &number), "heron_get_backend");
    check(heron_device_query(backend.c_str(), number, &info_), "heron_device_query");
    check(heron_event_create(handle_, &start_), "heron_event_create");
    check(heron_event_create(handle_, &stop_), "heron_event_create");
}

device::~device() {
    heron_event_destroy(handle_, start_);
    heron_event_destroy(handle_, stop_);
    heron_destroy(handle_);
}

void device::copy(void* destination, const void* source, std::size_t bytes) const {
    check(heron_copy(handle_, destination, source, bytes), "heron_copy");
}

void device::fill(void* destination, unsigned char byte, std::size_t bytes) const {
    check(heron_fill(handle_, destination, byte, bytes), "heron_fill");
}

void device::synchronize() const { check(heron_synchronize(handle_), "heron_synchronize"); }

double device::seconds(const std::function<void()>& submit) const {
    if (backend_ == "cuda") return seconds_by_events(submit);
    const auto start = std::chrono::steady_clock::now();
    submit();
    synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double device::seconds_by_events(const std::function<void()>& submit) const {
    check(heron_event_record(handle_, start_), "heron_event_record");
    submit();
    check(heron_event_record(handle_, stop_), "heron_event_record");
    check(heron_event_synchronize(handle_, stop_), "heron_event_synchronize");
    float milliseconds = 0;
    check(heron_event_elapsed(handle_, start_, stop_, &milliseconds), "heron_event_elapsed");
    return static_cast<double>(milliseconds) * 1e-3;
}

std::size_t device::cold_bytes() const {
    constexpr std::size_t unknown_cache = std::size_t{64} << 20;
    // OpenCL of some GPUs knows only the first-level caches.
    constexpr std::size_t smallest_last_level = std::size_t{8} << 20;
    const auto cache = static_cast<std::size_t>(info_.cache_bytes);
    const bool is_known = cache > 0 && !(info_.is_gpu && cache < smallest_last_level);
    return 4 * (is_known ? cache : unknown_cache);
}

}  // namespace heron::tools
