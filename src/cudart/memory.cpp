// Allocation, host memory, what is known of a pointer.
#include "memory.hpp"
#include "properties.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <limits>

using namespace heron;
using namespace heron::cudart;

namespace {

// What CUDA devices use, so that programs which rely on it keep their alignment.
constexpr size_t pitch_alignment = 512;

void* allocate_or_null(size_t bytes, heron_memory kind, unsigned flags) {
    if (bytes > 0) return runtime::get().allocate(bytes, kind, flags);
    runtime::get().current();
    return nullptr;
}

void check_flags(unsigned flags, unsigned allowed) {
    if (flags & ~allowed) fail(cudaErrorInvalidValue, fmt::format("flags: {:#x} has unknown bits", flags));
}

void allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t height) {
    required(pointer, "devPtr");
    required(pitch, "pitch");
    constexpr size_t largest = std::numeric_limits<size_t>::max();
    if (width > largest - pitch_alignment) fail(cudaErrorMemoryAllocation, "width: is too large");
    const size_t row = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    if (row > 0 && height > largest / row) fail(cudaErrorMemoryAllocation, "height: is too large");
    *pointer = allocate_or_null(row * height, HERON_MEMORY_DEVICE, 0);
    *pitch = *pointer ? row : 0;
}

void free_memory(void* pointer, bool is_host) {
    if (pointer)
        runtime::get().release(pointer, is_host);
    else
        runtime::get().current();
}

cudaMemoryType type_of(const place& p) {
    if (!p.is_known) return cudaMemoryTypeUnregistered;
    if (p.kind == HERON_MEMORY_MANAGED) return cudaMemoryTypeManaged;
    return p.kind == HERON_MEMORY_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
}

// The host may use device memory of devices that share its memory, but CUDA programs are not told so.
bool is_visible_to_host(const place& p) { return !p.is_known || p.kind != HERON_MEMORY_DEVICE; }

// Memory that a program has declared with cudaHostRegister stays the host's own on devices that do not share
// its memory.
bool is_visible_to_device(const place& p) {
    if (!p.is_known) return false;
    if (p.kind != HERON_MEMORY_HOST) return true;
    const heron_device_info& info = runtime::get().at(p.ordinal)->info;
    return p.is_registered ? info.is_host_accessible != 0 : can_use_host_memory(info);
}

void check_managed(const void* pointer, size_t count) {
    required(pointer, "devPtr");
    require(count > 0, cudaErrorInvalidValue, "count: is 0");
    const place where = runtime::get().locate(pointer);
    if (!where.is_known || where.kind != HERON_MEMORY_MANAGED)
        fail(cudaErrorInvalidValue, "devPtr: is not managed memory");
    require(count <= where.bytes_left, cudaErrorInvalidValue, "count: reaches beyond the allocation");
}

void check_location(cudaMemLocation location) {
    if (location.type == cudaMemLocationTypeDevice)
        runtime::get().at(location.id);
    else if (location.type < cudaMemLocationTypeHost || location.type > cudaMemLocationTypeHostNumaCurrent)
        fail(cudaErrorInvalidValue, "location: is neither a device nor the host");
}

size_t free_bytes(const device& d) {
    heron_device_info now{};
    core::check(d.table().device_info(d.number, &now), "device query");
    if (now.memory_free > 0) return static_cast<size_t>(now.memory_free);
    const size_t used = runtime::get().bytes_allocated(d.ordinal);
    return static_cast<size_t>(now.memory_bytes) - std::min(used, static_cast<size_t>(now.memory_bytes));
}

}  // namespace

void heron::cudart::prefetch(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
                             cudaStream_t stream) {
    require(flags == 0, cudaErrorInvalidValue, "flags: must be 0");
    check_managed(pointer, count);
    check_location(location);
    runtime::get().find(stream);
}

void heron::cudart::advise(const void* pointer, size_t count, cudaMemoryAdvise advice,
                           cudaMemLocation location) {
    check_managed(pointer, count);
    switch (advice) {
        case cudaMemAdviseSetReadMostly:
        case cudaMemAdviseUnsetReadMostly:
        case cudaMemAdviseUnsetPreferredLocation: return;
        case cudaMemAdviseSetPreferredLocation:
        case cudaMemAdviseSetAccessedBy:
        case cudaMemAdviseUnsetAccessedBy: return check_location(location);
        default:
            fail(cudaErrorInvalidValue, fmt::format("advice: {} is no advice", static_cast<int>(advice)));
    }
}

cudaError_t cudaMalloc(void** pointer, size_t size) {
    return guarded(__func__,
                   [&] { *required(pointer, "devPtr") = allocate_or_null(size, HERON_MEMORY_DEVICE, 0); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
    return guarded(__func__, [&] {
        required(pointer, "devPtr");
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue,
                "flags: must be cudaMemAttachGlobal or cudaMemAttachHost");
        *pointer = allocate_or_null(size, HERON_MEMORY_MANAGED, flags);
    });
}

// Attaches nothing: all managed memory is the host's while any stream works.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t length, unsigned flags) {
    return guarded(__func__, [&] {
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle,
                cudaErrorInvalidValue, "flags: must be one of cudaMemAttachGlobal, Host and Single");
        check_managed(pointer, std::max<size_t>(length, 1));
        require(flags != cudaMemAttachSingle || stream, cudaErrorInvalidValue,
                "stream: memory can be attached to one that was created only");
        runtime::get().find(stream);
    });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    return guarded(__func__, [&] { allocate_pitched(pointer, pitch, width, height); });
}

cudaError_t cudaFree(void* pointer) {
    return guarded(__func__, [&] { free_memory(pointer, false); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return guarded(__func__, [&] {
        runtime::get().find(stream);
        free_memory(pointer, false);
    });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
    return guarded(__func__,
                   [&] { *required(pointer, "ptr") = allocate_or_null(size, HERON_MEMORY_HOST, 0); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
    return guarded(__func__, [&] {
        required(pointer, "pHost");
        check_flags(flags, cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined);
        *pointer = allocate_or_null(size, HERON_MEMORY_HOST, flags);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return guarded(__func__, [&] { free_memory(pointer, true); });
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned flags) {
    return guarded(__func__, [&] {
        required(pointer, "ptr");
        require(size > 0, cudaErrorInvalidValue, "size: is 0");
        check_flags(flags, cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                               cudaHostRegisterReadOnly);
        runtime::get().register_host(pointer, size, flags);
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return guarded(__func__, [&] { runtime::get().unregister_host(required(pointer, "ptr")); });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return guarded(__func__, [&] {
        required(flags, "pFlags");
        const place where = runtime::get().locate(required(pointer, "pHost"));
        if (!where.is_known || where.kind != HERON_MEMORY_HOST)
            fail(cudaErrorInvalidValue, "pHost: is neither allocated nor registered host memory");
        *flags = where.flags;
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return guarded(__func__, [&] {
        required(device_pointer, "pDevice");
        required(host_pointer, "pHost");
        require(flags == 0, cudaErrorInvalidValue, "flags: must be 0");
        const place where = runtime::get().locate(host_pointer);
        if (!where.is_known || where.kind == HERON_MEMORY_DEVICE)
            fail(cudaErrorInvalidValue, "pHost: is neither allocated nor registered host memory");
        require(is_visible_to_device(where), cudaErrorNotSupported,
                "pHost: this device cannot use host memory");
        *device_pointer = host_pointer;
    });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return guarded(__func__, [&] {
        const auto target = runtime::get().current();
        if (free) *free = free_bytes(*target);
        if (total) *total = static_cast<size_t>(target->info.memory_bytes);
    });
}

// Field by field: programs built with CUDA 12 pass a struct that ends after hostPointer.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return guarded(__func__, [&] {
        required(attributes, "attributes");
        const place where = runtime::get().locate(pointer);
        const bool on_device = is_visible_to_device(where);
        void* const address = const_cast<void*>(pointer);
        attributes->type = type_of(where);
        attributes->device = where.is_known ? where.ordinal : cudaInvalidDeviceId;
        attributes->devicePointer = on_device ? address : nullptr;
        attributes->hostPointer = is_visible_to_host(where) ? address : nullptr;
    });
}
