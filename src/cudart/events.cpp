// Events.
#include "runtime.hpp"
#include <fmt/format.h>

using namespace heron;
using namespace heron::cudart;

namespace {

constexpr unsigned interprocess = 0x04;  // cudaEventInterprocess

void create_event(cudaEvent_t* e, unsigned flags) {
    required(e, "event");
    const bool is_shared = (flags & interprocess) && (flags & cudaEventDisableTiming);
    require(!is_shared, cudaErrorNotSupported, "flags: events cannot be shared with other processes");
    if (flags & ~static_cast<unsigned>(cudaEventBlockingSync | cudaEventDisableTiming))
        fail(cudaErrorInvalidValue, fmt::format("flags: {:#x} has unknown bits", flags));
    *e = runtime::get().create_event(flags);
}

void record(cudaEvent_t e, cudaStream_t s) {
    runtime& all = runtime::get();
    const auto on = all.find(s);
    const auto recorded = all.find(e);
    require(on->ordinal() == recorded->ordinal(), cudaErrorInvalidResourceHandle,
            "event: belongs to another device than the stream");
    all.submit(*on, [&](stream& target) { recorded->record(target); });
}

std::shared_ptr<event> timed(cudaEvent_t e, const char* argument) {
    auto found = runtime::get().find(e);
    if (found->flags() & cudaEventDisableTiming)
        fail(cudaErrorInvalidResourceHandle, fmt::format("{}: was created without timing", argument));
    if (!found->is_recorded())
        fail(cudaErrorInvalidResourceHandle, fmt::format("{}: has not been recorded", argument));
    return found;
}

void elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    required(milliseconds, "ms");
    const auto from = timed(start, "start");
    const auto to = timed(end, "end");
    require(from->ordinal() == to->ordinal(), cudaErrorInvalidResourceHandle,
            "end: belongs to another device than start");
    require(from->is_complete() && to->is_complete(), cudaErrorNotReady, "");
    *milliseconds = to->elapsed_since(*from);
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return guarded(__func__, [&] { create_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return guarded(__func__, [&] { create_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return guarded(__func__, [&] { runtime::get().destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return guarded(__func__, [&] { record(event, stream); });
}

// The other flag changes captures alone.
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return guarded(__func__, [&] {
        if (flags & ~static_cast<unsigned>(cudaEventRecordExternal))
            fail(cudaErrorInvalidValue, fmt::format("flags: {:#x} has unknown bits", flags));
        record(event, stream);
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return guarded(__func__,
                   [&] { require(runtime::get().find(event)->is_complete(), cudaErrorNotReady, ""); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return guarded(__func__, [&] { runtime::get().find(event)->synchronize(); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return guarded(__func__, [&] { elapsed(milliseconds, start, end); });
}
