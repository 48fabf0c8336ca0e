#include "scratch.hpp"
#include "context.hpp"
#include "error.hpp"
#include "scratch_uses.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <atomic>

namespace heron::core {
namespace {

std::atomic<uint64_t> uses{0};
std::atomic<uint64_t> bindings{0};

}  // namespace

uint64_t scratch_uses() { return uses; }

bound_stream bound_stream::of(void* stream) { return {stream, stream ? ++bindings : 0}; }

scratch::~scratch() {
    ++uses;
    for (void* const block : blocks_) table_.memory_free(block);
    if (event_) table_.event_destroy(event_);
}

void scratch::use(void* memory, size_t bytes) {
    ++uses;
    callers_ = memory;
    callers_bytes_ = bytes;
}

void* scratch::acquire(size_t bytes, const bound_stream& on) {
    if (bytes == 0) return nullptr;
    ++uses;
    if (callers_ && bytes > callers_bytes_)
        throw error(HERON_INSUFFICIENT_RESOURCES, role::workspace,
                    fmt::format("{} bytes are needed, but the handle was given {}", bytes, callers_bytes_));
    void* const memory = callers_ ? callers_ : grown_to(bytes);
    if (!event_) check(table_.event_create(device_, &event_), "creating an event");
    if (is_used_ && on != stream_) has_several_streams_ = true;
    if (has_several_streams_) {
        if (!is_recorded_) record(stream_.stream);
        check(table_.stream_wait_event(device_, on.stream, event_), "waiting for another stream");
    }
    return memory;
}

// The default stream is always there to be recorded later, which a program that uses no other is spared. Any
// other may be destroyed by then.
void scratch::release(const bound_stream& on) {
    if (!is_used_) stream_ = on;
    is_used_ = true;
    is_recorded_ = false;
    if (on.stream || has_several_streams_) record(on.stream);
}

void scratch::record(void* stream) {
    check(table_.event_record(device_, stream, event_), "marking the end of the work");
    is_recorded_ = true;
}

// Doubled, so that what lies unused in smaller blocks is no more than the last.
void* scratch::grown_to(size_t bytes) {
    if (bytes <= bytes_) return blocks_.back();
    if (device_ < 0)
        not_supported(role::workspace, "a caller's command queue has no memory of the library's own");
    blocks_.reserve(blocks_.size() + 1);
    size_t size = std::max(bytes, 2 * bytes_);
    void* memory = allocated(size);
    if (!memory && size > bytes) memory = allocated(size = bytes);
    if (!memory)
        throw error(HERON_ALLOC_FAILED, role::workspace, fmt::format("no memory for {} bytes", bytes));
    blocks_.push_back(memory);
    bytes_ = size;
    return memory;
}

void* scratch::allocated(size_t bytes) {
    void* memory = nullptr;
    const heron_status status = table_.memory_alloc(device_, bytes, HERON_MEMORY_DEVICE, &memory);
    if (status != HERON_SUCCESS && status != HERON_ALLOC_FAILED) check(status, "allocation");
    return status == HERON_SUCCESS ? memory : nullptr;
}

}  // namespace heron::core
