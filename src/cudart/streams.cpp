// Streams, and the stream capture that no backend of this library offers.
#include "runtime.hpp"
#include <fmt/format.h>

using namespace heron::cudart;

namespace {

void create_stream(cudaStream_t* s, unsigned flags) {
    required(s, "pStream");
    if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)
        fail(cudaErrorInvalidValue, fmt::format("flags: {:#x} is neither default nor non-blocking", flags));
    *s = runtime::get().create_stream(flags == cudaStreamNonBlocking ? stream::kind::non_blocking
                                                                     : stream::kind::blocking);
}

void synchronize(cudaStream_t s) {
    const auto target = runtime::get().find(s);
    for (const auto& other : runtime::get().streams_before(*target)) other->synchronize();
    target->synchronize();
}

void query(cudaStream_t s) {
    const auto target = runtime::get().find(s);
    for (const auto& other : runtime::get().streams_before(*target))
        require(other->is_idle(), cudaErrorNotReady, "");
    require(target->is_idle(), cudaErrorNotReady, "");
}

void wait_for(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    runtime& all = runtime::get();
    require(flags == cudaEventWaitDefault, cudaErrorInvalidValue, "flags: must be cudaEventWaitDefault");
    const auto waiting = all.find(s);
    const auto awaited = all.find(e);
    if (awaited->is_recorded()) all.submit(*waiting, [&](stream& on) { awaited->hold_back(on); });
}

// No backend calls back, so the function runs here, when all work before it is done.
template <class F>
void run_in_order(cudaStream_t s, F&& function) {
    runtime& all = runtime::get();
    const auto target = all.find(s);
    all.submit(*target, [&](stream& on) {
        on.synchronize();
        function();
    });
}

[[noreturn]] void fail_without_capture() {
    fail(cudaErrorNotSupported,
         "work cannot be captured in a graph: this runtime serves devices without graphs");
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return guarded(__func__, [&] { create_stream(stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return guarded(__func__, [&] { create_stream(stream, flags); });
}

// Priorities are hints, and those out of range are clamped to it: here to 0.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return guarded(__func__, [&] { create_stream(stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return guarded(__func__, [&] { runtime::get().destroy_stream(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return guarded(__func__, [&] { synchronize(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return guarded(__func__, [&] { query(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return guarded(__func__, [&] { wait_for(stream, event, flags); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return guarded(__func__, [&] {
        required(flags, "flags");
        const bool is_apart = runtime::get().find(stream)->sort() == stream::kind::non_blocking;
        *flags = is_apart ? cudaStreamNonBlocking : cudaStreamDefault;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return guarded(__func__, [&] {
        required(priority, "priority");
        runtime::get().find(stream);
        *priority = 0;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return guarded(__func__, [&] { *required(device, "device") = runtime::get().find(stream)->ordinal(); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return guarded(__func__, [&] {
        required(function, "fn");
        run_in_order(stream, [&] { function(data); });
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return guarded(__func__, [&] {
        required(callback, "callback");
        require(flags == 0, cudaErrorInvalidValue, "flags: must be 0");
        run_in_order(stream, [&] { callback(stream, cudaSuccess, data); });
    });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return guarded(__func__, [&] {
        required(status, "pCaptureStatus");
        runtime::get().find(stream);
        *status = cudaStreamCaptureStatusNone;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
    return guarded(__func__, [] { fail_without_capture(); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t) {
    return guarded(__func__, [] { fail_without_capture(); });
}
