#include "context.hpp"
#include "error.hpp"
#include "status.hpp"
#include <fmt/format.h>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace heron::core {
namespace {

thread_local int thread_device = -1;

int device_of_environment(const char* text) {
    int device = 0;
    const char* const end = text + std::strlen(text);
    if (const auto parsed = std::from_chars(text, end, device); parsed.ec != std::errc{} || parsed.ptr != end)
        invalid("HERON_DEVICE", fmt::format("'{}' is not a device number", text));
    return device;
}

int default_device(const backend& b) {
    if (thread_device >= 0) return thread_device;
    if (const char* const text = std::getenv("HERON_DEVICE"); text && *text)
        return device_of_environment(text);
    int current = 0;
    const bool has_choice = b.table.device_current && b.table.device_current(&current) == HERON_SUCCESS;
    return has_choice ? current : 0;
}

const backend& checked(const backend& b, int device) {
    if (!b.usable()) throw error(HERON_NOT_INITIALIZED, b.name.c_str(), b.reason);
    if (device < 0 || device >= b.device_count)
        invalid(role::device,
                fmt::format("{} is not one of the {} device(s) of {}", device, b.device_count, b.name));
    return b;
}

}  // namespace

context::context() : context(default_backend()) {}

context::context(const core::backend& b) : context(b, default_device(b)) {}

context::context(const core::backend& b, int device)
    : backend_(checked(b, device)), device_(device), scratch_(table(), device) {
    check(table().queue_create(device_, &queue_), "creating a queue");
}

context::context(const core::backend& b, command_queue queue)
    : backend_(b), device_(-1), scratch_(table(), -1) {
    if (!b.table.abi) throw error(HERON_NOT_INITIALIZED, b.name.c_str(), b.reason);
    if (!b.table.queue_adopt)
        not_supported(role::queue, fmt::format("the {} plug-in adopts no queues", b.name));
    check(b.table.queue_adopt(queue.handle, &queue_), "adopting a command queue");
}

context::~context() { table().queue_destroy(queue_); }

bound_stream context::bound() const {
    const std::lock_guard lock(mutex_);
    return stream_;
}

void context::set_stream(void* stream) {
    const std::lock_guard lock(mutex_);
    check(table().queue_bind(queue_, stream), "binding a stream");
    stream_ = bound_stream::of(stream);
}

void context::set_workspace(void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    scratch_.use(memory, bytes);
}

int context::threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
}

void context::set_threads(int threads) {
    require(threads >= 0, role::threads, "must not be negative");
    const std::lock_guard lock(mutex_);
    check(table().queue_threads(queue_, threads), "setting the thread count");
    threads_ = threads;
}

void context::wait_for(size_t count, void* const* events) {
    const std::lock_guard lock(mutex_);
    check(table().queue_wait_for(queue_, count, events), "waiting for events");
}

void* context::mark() {
    const std::lock_guard lock(mutex_);
    void* event = nullptr;
    check(table().queue_mark(queue_, &event), "marking the end of the work");
    return event;
}

size_t context::buffer_bytes(void* memory) {
    const std::lock_guard lock(mutex_);
    size_t bytes = 0;
    check(table().buffer_info(queue_, memory, &bytes), "looking at a buffer");
    return bytes;
}

void context::handle_missing(heron_status status) { throw error(status, role::handle, "is NULL"); }

void choose_thread_device(int device) noexcept { thread_device = device; }

void check(heron_status status, const char* what) {
    if (status != HERON_SUCCESS) throw error(status, what, std::string(status_string(status)));
}

}  // namespace heron::core
