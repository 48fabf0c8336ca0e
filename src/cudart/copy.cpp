// Copies and fills.
#include "runtime.hpp"
#include <fmt/format.h>
#include <vector>

using namespace heron;
using namespace heron::cudart;

namespace {

// A block of height rows, the starts of which are pitch bytes apart.
struct block {
    const void* start;
    size_t pitch;
    const char* name;
};

bool is_on_device(const place& p) { return p.is_known && p.kind == HERON_MEMORY_DEVICE; }

// Bytes from the first to the last of the block.
size_t extent(const block& b, size_t width, size_t height) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(b.pitch, height - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes))
        fail(cudaErrorInvalidValue, fmt::format("{}: the rows reach beyond the end of memory", b.name));
    return bytes;
}

place checked_place(const block& b, size_t width, size_t height) {
    if (!b.start) fail(cudaErrorInvalidValue, fmt::format("{}: is NULL", b.name));
    const place p = runtime::get().locate(b.start);
    const size_t bytes = extent(b, width, height);
    if (p.is_known && !p.is_registered && bytes > p.bytes_left)
        fail(cudaErrorInvalidValue,
             fmt::format("{}: {} bytes reach beyond the {} that are left of the allocation", b.name, bytes,
                         p.bytes_left));
    return p;
}

// As in CUDA, kind is believed where it says host: what it says of device memory is checked.
void check_on_device(const block& b, const place& p) {
    if (!p.is_known) fail(cudaErrorInvalidValue, fmt::format("{}: is not memory of the device", b.name));
}

void check_kind(cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        fail(cudaErrorInvalidMemcpyDirection,
             fmt::format("kind: {} is no direction", static_cast<int>(kind)));
}

void check_pitch(const block& b, size_t width, size_t height, cudaError_t status) {
    if (height > 1 && b.pitch < width)
        fail(status,
             fmt::format("pitch of {}: {} bytes are less than the width of {}", b.name, b.pitch, width));
}

// wait: the call returns when the copy is complete, unless both sides are device memory.
void copy_2d(const block& to, const block& from, size_t width, size_t height, cudaMemcpyKind kind,
             cudaStream_t s, bool wait) {
    runtime& all = runtime::get();
    const auto target = all.find(s);
    if (width == 0 || height == 0) return;
    check_kind(kind);
    check_pitch(to, width, height, cudaErrorInvalidPitchValue);
    check_pitch(from, width, height, cudaErrorInvalidPitchValue);
    const place to_place = checked_place(to, width, height);
    const place from_place = checked_place(from, width, height);
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) check_on_device(to, to_place);
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) check_on_device(from, from_place);
    char* const destination = const_cast<char*>(static_cast<const char*>(to.start));
    const char* const source = static_cast<const char*>(from.start);
    const bool is_contiguous = height == 1 || (to.pitch == width && from.pitch == width);
    all.submit(*target, [&](stream& on) {
        if (is_contiguous)
            on.copy(destination, source, width * height);
        else
            on.copy_rows(destination, to.pitch, source, from.pitch, width, height);
        if (wait && !(is_on_device(to_place) && is_on_device(from_place))) on.synchronize();
    });
}

void copy_1d(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t s, bool wait) {
    copy_2d({to, bytes, "dst"}, {from, bytes, "src"}, bytes, 1, kind, s, wait);
}

// A fill of memory that the host can see is complete when the call returns, as in CUDA.
void fill_2d(const block& to, int value, size_t width, size_t height, cudaStream_t s, bool wait) {
    runtime& all = runtime::get();
    const auto target = all.find(s);
    if (width == 0 || height == 0) return;
    check_pitch(to, width, height, cudaErrorInvalidValue);
    const place to_place = checked_place(to, width, height);
    check_on_device(to, to_place);
    char* const destination = const_cast<char*>(static_cast<const char*>(to.start));
    const auto byte = static_cast<unsigned char>(value);
    all.submit(*target, [&](stream& on) {
        if (height == 1 || to.pitch == width)
            on.fill(destination, byte, width * height);
        else
            on.fill_rows(destination, to.pitch, byte, width, height);
        if (wait && !is_on_device(to_place)) on.synchronize();
    });
}

// Between two devices through memory of the host, since neither can use the other's.
void copy_between(void* to, const void* from, int to_device, int from_device, size_t bytes) {
    runtime& all = runtime::get();
    const auto source = all.at(from_device);
    const auto target = all.at(to_device);
    std::vector<char> staging(bytes);
    source->synchronize();
    source->default_stream.copy(staging.data(), from, bytes);
    source->default_stream.synchronize();
    target->synchronize();
    target->default_stream.copy(to, staging.data(), bytes);
    target->default_stream.synchronize();
}

void copy_to_peer(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t s) {
    runtime& all = runtime::get();
    all.at(to_device);
    all.at(from_device);
    if (to_device == from_device && to_device == all.current_ordinal())
        return copy_1d(to, from, bytes, cudaMemcpyDeviceToDevice, s, false);
    const auto waiting = all.find(s);
    if (bytes == 0) return;
    const block target{to, bytes, "dst"}, source{from, bytes, "src"};
    check_on_device(target, checked_place(target, bytes, 1));
    check_on_device(source, checked_place(source, bytes, 1));
    all.submit(*waiting, [&](stream& before) {
        before.synchronize();
        copy_between(to, from, to_device, from_device, bytes);
    });
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
    return guarded(__func__, [&] { copy_1d(to, from, count, kind, cudaStreamLegacy, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return guarded(__func__, [&] { copy_1d(to, from, count, kind, stream, false); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    return guarded(__func__, [&] {
        copy_2d({to, to_pitch, "dst"}, {from, from_pitch, "src"}, width, height, kind, cudaStreamLegacy,
                true);
    });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return guarded(__func__, [&] {
        copy_2d({to, to_pitch, "dst"}, {from, from_pitch, "src"}, width, height, kind, stream, false);
    });
}

cudaError_t cudaMemset(void* to, int value, size_t count) {
    return guarded(__func__, [&] {
        fill_2d({to, count, "devPtr"}, value, count, 1, cudaStreamLegacy, true);
    });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t count, cudaStream_t stream) {
    return guarded(__func__, [&] { fill_2d({to, count, "devPtr"}, value, count, 1, stream, false); });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return guarded(__func__, [&] {
        fill_2d({to, pitch, "devPtr"}, value, width, height, cudaStreamLegacy, true);
    });
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return guarded(__func__, [&] { fill_2d({to, pitch, "devPtr"}, value, width, height, stream, false); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t count) {
    return guarded(__func__,
                   [&] { copy_to_peer(to, to_device, from, from_device, count, cudaStreamLegacy); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t count,
                                cudaStream_t stream) {
    return guarded(__func__, [&] { copy_to_peer(to, to_device, from, from_device, count, stream); });
}
