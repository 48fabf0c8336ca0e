// The CUDA plug-in: devices, memory, streams and events of the CUDA runtime, which is linked statically. Any
// device pointer of the process is legal in operations, whoever allocated it.
#include "queue.hpp"
#include "relaxed_capture.hpp"
#include "common/runtime/allocation_registry.hpp"
#include "common/runtime/plugin_table.hpp"
#include "common/runtime/tuning_file.hpp"
#include "cuda/spmv/known_rows.hpp"
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

heron_plan::~heron_plan() = default;

namespace heron::cuda {

// Of the files that nvcc compiles.
void fill_slots(heron_backend& table);

namespace {

const heron_host_services* services = nullptr;

// Never destroyed: handles free their memory while the process exits.
allocation_registry& allocations() {
    static allocation_registry& registry = *new allocation_registry;
    return registry;
}

// Whether every call fails that follows in this process.
bool loses_device(cudaError_t error) noexcept {
    switch (error) {
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure: return true;
        default: return false;
    }
}

// Logs a failed runtime call under the call's name and clears the runtime's error. At the end of a process
// the driver may go before the handles do, which nobody needs to hear of.
heron_status checked(cudaError_t error, const char* call) noexcept {
    if (error == cudaSuccess) return HERON_SUCCESS;
    cudaGetLastError();
    if (error != cudaErrorCudartUnloading) log_error(call, cudaGetErrorString(error));
    return status_of(error);
}

heron_status checked(const current_device& scope) noexcept { return checked(scope.error(), "cudaSetDevice"); }

// Runs f with the device current.
template <class F>
heron_status on_device(int device, F&& f) {
    const current_device scope(device);
    const heron_status status = checked(scope);
    return status == HERON_SUCCESS ? f() : status;
}

// A function of the driver, found through the runtime: the plug-in must load on machines without libcuda.
template <class F>
F* driver_function(const char* name) noexcept {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<F*>(address);
}

int attribute(cudaDeviceAttr which, int device) noexcept {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) cudaGetLastError();
    return value;
}

// The kernels are built for compute capability HERON_CUDA_OLDEST (80 for 8.0) and newer.
bool runs_our_kernels(int device) noexcept {
    const int major = attribute(cudaDevAttrComputeCapabilityMajor, device);
    const int minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
    return major * 10 + minor >= HERON_CUDA_OLDEST;
}

bool any_runs_our_kernels(int count) noexcept {
    for (int device = 0; device < count; ++device)
        if (runs_our_kernels(device)) return true;
    return false;
}

struct core_log {
    static void log_failure(const char* function, const char* reason) noexcept {
        log_error(function, reason);
    }
};

// The functions of the table that are no operations.
struct entries {
    using log = core_log;

    static heron_status device_count(int* count, const char** why) {
        static char reason[256];
        *count = 0;
        *why = "";
        const cudaError_t error = cudaGetDeviceCount(count);
        if (error != cudaSuccess) {
            cudaGetLastError();
            *count = 0;
            std::snprintf(reason, sizeof reason, "cudaGetDeviceCount: %s", cudaGetErrorString(error));
            *why = reason;
        } else if (*count == 0) {
            *why = "cudaGetDeviceCount: no CUDA device";
        } else if (!any_runs_our_kernels(*count)) {
            *count = 0;
            std::snprintf(reason, sizeof reason, "no device of compute capability %d.%d or newer",
                          HERON_CUDA_OLDEST / 10, HERON_CUDA_OLDEST % 10);
            *why = reason;
        }
        return HERON_SUCCESS;
    }

    // Asking for the free memory creates a context: it is asked for only where the process has one already.
    static bool has_context(int device) noexcept {
        using get_state = CUresult(CUdevice, unsigned*, int*);
        auto* const ask = driver_function<get_state>("cuDevicePrimaryCtxGetState");
        unsigned flags = 0;
        int active = 0;
        return ask && ask(device, &flags, &active) == CUDA_SUCCESS && active;
    }

    static uint64_t free_memory(int device) noexcept {
        if (!has_context(device)) return 0;
        const current_device scope(device);
        size_t free_bytes = 0;
        size_t total = 0;
        if (scope.error() != cudaSuccess || cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) {
            cudaGetLastError();
            return 0;
        }
        return free_bytes;
    }

    static heron_status device_info(int device, heron_device_info* info) {
        cudaDeviceProp properties{};
        const heron_status status =
            checked(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
        if (status != HERON_SUCCESS) return status;
        int driver = 0;
        cudaDriverGetVersion(&driver);
        *info = {};
        std::snprintf(info->name, sizeof info->name, "%s", properties.name);
        std::snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
        std::snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
        std::snprintf(info->isa, sizeof info->isa, "sm_%d%d", properties.major, properties.minor);
        info->memory_bytes = properties.totalGlobalMem;
        info->memory_free = free_memory(device);
        info->cache_bytes = static_cast<uint64_t>(properties.l2CacheSize);
        info->compute_units = static_cast<uint32_t>(properties.multiProcessorCount);
        info->clock_mhz = static_cast<uint32_t>(attribute(cudaDevAttrClockRate, device)) / 1000;
        info->has_fp64 = 1;
        info->is_gpu = 1;
        info->major = static_cast<uint32_t>(properties.major);
        info->minor = static_cast<uint32_t>(properties.minor);
        return HERON_SUCCESS;
    }

    static heron_status device_sync(int device) {
        return on_device(device, [] { return checked(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); });
    }

    static heron_status device_current(int* device) {
        return checked(cudaGetDevice(device), "cudaGetDevice");
    }

    static cudaError_t allocate(heron_memory kind, size_t bytes, void** pointer) noexcept {
        const relaxed_capture scope;
        switch (kind) {
            case HERON_MEMORY_DEVICE: return cudaMalloc(pointer, bytes);
            case HERON_MEMORY_HOST: return cudaMallocHost(pointer, bytes);
            case HERON_MEMORY_MANAGED: return cudaMallocManaged(pointer, bytes, cudaMemAttachGlobal);
        }
        return cudaErrorInvalidValue;
    }

    static cudaError_t free_block(heron_memory kind, void* pointer) noexcept {
        return kind == HERON_MEMORY_HOST ? cudaFreeHost(pointer) : cudaFree(pointer);
    }

    static heron_status memory_alloc(int device, size_t bytes, heron_memory kind, void** pointer) {
        return on_device(device, [&] {
            void* memory = nullptr;
            const heron_status status = checked(allocate(kind, bytes, &memory), "memory_alloc");
            if (status != HERON_SUCCESS) return status;
            const auto release = [kind](void* block) { free_block(kind, block); };
            std::unique_ptr<void, decltype(release)> owned(memory, release);
            if (memory) allocations().add(memory, bytes, kind, device);
            *pointer = owned.release();
            return HERON_SUCCESS;
        });
    }

    static heron_status memory_free(void* pointer) {
        if (!pointer) return HERON_SUCCESS;
        void* base = nullptr;
        size_t bytes = 0;
        heron_memory kind{};
        int device = 0;
        if (!allocations().find(pointer, &base, &bytes, &kind, &device) || base != pointer) {
            log_error("memory_free", "the address was not allocated by this plug-in");
            return HERON_INVALID_VALUE;
        }
        return on_device(device, [&] {
            // Before the memory is free: another thread may get the same address at once.
            if (!allocations().remove(pointer)) return HERON_INVALID_VALUE;
            const cudaError_t error = free_block(kind, pointer);
            if (error != cudaSuccess) allocations().add(pointer, bytes, kind, device);
            return checked(error, "memory_free");
        });
    }

    // Base and size of an allocation of the driver; the address itself and 0 where the driver cannot tell.
    static void find_range(const void* pointer, void** base, size_t* bytes) noexcept {
        using get_range = CUresult(CUdeviceptr*, size_t*, CUdeviceptr);
        auto* const ask = driver_function<get_range>("cuMemGetAddressRange");
        CUdeviceptr start = 0;
        *base = const_cast<void*>(pointer);
        *bytes = 0;
        if (ask && ask(&start, bytes, reinterpret_cast<CUdeviceptr>(pointer)) == CUDA_SUCCESS)
            *base = reinterpret_cast<void*>(start);
    }

    // Memory that the program got from its own CUDA runtime counts as ours: operations accept it.
    static heron_status memory_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind,
                                     int* device) {
        if (allocations().find(pointer, base, bytes, kind, device)) return HERON_SUCCESS;
        cudaPointerAttributes found{};
        if (cudaPointerGetAttributes(&found, pointer) != cudaSuccess) {
            cudaGetLastError();
            return HERON_INVALID_VALUE;
        }
        switch (found.type) {
            case cudaMemoryTypeDevice: *kind = HERON_MEMORY_DEVICE; break;
            case cudaMemoryTypeHost: *kind = HERON_MEMORY_HOST; break;
            case cudaMemoryTypeManaged: *kind = HERON_MEMORY_MANAGED; break;
            default: return HERON_INVALID_VALUE;
        }
        find_range(pointer, base, bytes);
        *device = found.device;
        return HERON_SUCCESS;
    }

    static cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

    // What it was recorded behind last outside of any capture, and in a capture.
    struct event {
        cudaEvent_t handle = nullptr;
        cudaEvent_t captured = nullptr;
        unsigned long long capture = 0;  // of `captured`

        event() = default;
        ~event() {
            if (captured) cudaEventDestroy(captured);
        }
        event(const event&) = delete;
        event& operator=(const event&) = delete;
    };
    static event& as_event(void* e) { return *static_cast<event*>(e); }

    // Which capture the stream is part of; 0 for none.
    static unsigned long long capture_of(cudaStream_t stream) noexcept {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        unsigned long long id = 0;
        if (!is_capturing(stream)) return 0;
        if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) cudaGetLastError();
        return id;
    }

    static heron_status stream_create(int device, void** stream) {
        return on_device(device, [&] {
            cudaStream_t created = nullptr;
            const heron_status status = checked(cudaStreamCreate(&created), "cudaStreamCreate");
            if (status == HERON_SUCCESS) *stream = created;
            return status;
        });
    }
    static heron_status stream_destroy(int device, void* stream) {
        return on_device(device,
                         [&] { return checked(cudaStreamDestroy(as_stream(stream)), "cudaStreamDestroy"); });
    }
    static heron_status stream_sync(int device, void* stream) {
        return on_device(device, [&] {
            return checked(cudaStreamSynchronize(as_stream(stream)), "cudaStreamSynchronize");
        });
    }
    // What a query of a stream or an event has answered.
    static heron_status answer(cudaError_t error, const char* call, int* ready) {
        if (error != cudaSuccess && error != cudaErrorNotReady) return checked(error, call);
        if (error == cudaErrorNotReady) cudaGetLastError();
        *ready = error == cudaSuccess;
        return HERON_SUCCESS;
    }
    static heron_status stream_ready(int device, void* stream, int* ready) {
        return on_device(
            device, [&] { return answer(cudaStreamQuery(as_stream(stream)), "cudaStreamQuery", ready); });
    }
    // Work that is captured runs when its graph is launched, which the program orders: nothing outside of the
    // same capture can wait for it, nor it for that.
    static heron_status stream_wait_event(int device, void* stream, void* e) {
        return on_device(device, [&] {
            const unsigned long long capture = capture_of(as_stream(stream));
            if (capture != 0 && capture != as_event(e).capture) return HERON_SUCCESS;
            const cudaEvent_t handle = capture != 0 ? as_event(e).captured : as_event(e).handle;
            return checked(cudaStreamWaitEvent(as_stream(stream), handle, 0), "cudaStreamWaitEvent");
        });
    }

    static heron_status event_create(int device, void** out) {
        return on_device(device, [&] {
            auto created = std::make_unique<event>();
            const heron_status status = checked(cudaEventCreate(&created->handle), "cudaEventCreate");
            if (status == HERON_SUCCESS) *out = created.release();
            return status;
        });
    }
    static heron_status event_destroy(void* e) {
        const std::unique_ptr<event> owned(&as_event(e));
        return checked(cudaEventDestroy(owned->handle), "cudaEventDestroy");
    }
    static heron_status record_in_capture(event& e, cudaStream_t stream, unsigned long long capture) {
        if (!e.captured) {
            const heron_status status =
                checked(cudaEventCreateWithFlags(&e.captured, cudaEventDisableTiming), "cudaEventCreate");
            if (status != HERON_SUCCESS) return status;
        }
        e.capture = capture;
        return checked(cudaEventRecord(e.captured, stream), "cudaEventRecord");
    }
    // While another stream is captured nothing may be given to the default stream, and nothing that is
    // captured could wait for it.
    static bool is_barred_by_capture(cudaStream_t stream) noexcept {
        if (stream) return false;
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (cudaStreamIsCapturing(stream, &status) != cudaErrorStreamCaptureImplicit) return false;
        cudaGetLastError();
        return true;
    }
    static heron_status event_record(int device, void* stream, void* e) {
        return on_device(device, [&] {
            const unsigned long long capture = capture_of(as_stream(stream));
            if (capture != 0) return record_in_capture(as_event(e), as_stream(stream), capture);
            if (is_barred_by_capture(as_stream(stream))) return HERON_SUCCESS;
            return checked(cudaEventRecord(as_event(e).handle, as_stream(stream)), "cudaEventRecord");
        });
    }
    static heron_status event_sync(void* e) {
        return checked(cudaEventSynchronize(as_event(e).handle), "cudaEventSynchronize");
    }
    static heron_status event_ready(void* e, int* ready) {
        return answer(cudaEventQuery(as_event(e).handle), "cudaEventQuery", ready);
    }
    static heron_status event_elapsed(void* start, void* stop, float* milliseconds) {
        float elapsed = 0;
        const heron_status status =
            checked(cudaEventElapsedTime(&elapsed, as_event(start).handle, as_event(stop).handle),
                    "cudaEventElapsedTime");
        if (status == HERON_SUCCESS) *milliseconds = elapsed;
        return status;
    }

    // Without memory a queue works all the same, so no other error is one.
    static heron_status make_scratch(scratch_memory& scratch) noexcept {
        constexpr size_t size = size_t{8} << 20;
        const relaxed_capture scope;
        cudaError_t error = cudaEventCreateWithFlags(&scratch.used, cudaEventDisableTiming);
        if (error == cudaSuccess) error = cudaMalloc(&scratch.bytes, size);
        if (loses_device(error)) return checked(error, "queue_create");
        if (error == cudaSuccess)
            scratch.size = size;
        else
            cudaGetLastError();
        return HERON_SUCCESS;
    }
    static void free_scratch(const scratch_memory& scratch) noexcept {
        cudaFree(scratch.bytes);
        if (scratch.used) cudaEventDestroy(scratch.used);
    }

    static heron_status queue_create(int device, heron_queue** queue) {
        int count = 0;
        const heron_status status = checked(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
        if (status != HERON_SUCCESS) return status;
        if (device < 0 || device >= count) {
            log_error("queue_create", "there is no such device");
            return HERON_INVALID_VALUE;
        }
        if (!runs_our_kernels(device)) {
            log_error("queue_create", "the device is older than the oldest that the kernels are built for");
            return HERON_ARCH_MISMATCH;
        }
        return on_device(device, [&] {
            const auto release = [](heron_queue* q) {
                free_scratch(q->scratch);
                delete q;
            };
            std::unique_ptr<heron_queue, decltype(release)> created(new heron_queue, release);
            created->device = device;
            created->multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
            created->shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
            created->cache_bytes = attribute(cudaDevAttrL2CacheSize, device);
            created->has_clusters = attribute(cudaDevAttrClusterLaunch, device) != 0;
            const heron_status with_scratch = make_scratch(created->scratch);
            if (with_scratch != HERON_SUCCESS) return with_scratch;
            known_rows::of_process().prepare();
            *queue = created.release();
            return HERON_SUCCESS;
        });
    }
    static heron_status queue_destroy(heron_queue* queue) {
        on_device(queue->device, [&] {
            free_scratch(queue->scratch);
            return HERON_SUCCESS;
        });
        delete queue;
        return HERON_SUCCESS;
    }
    static heron_status queue_bind(heron_queue* queue, void* stream) {
        // The default stream is always the same.
        if (stream || queue->stream) queue->scratch.is_in_order = false;
        queue->stream = as_stream(stream);
        return HERON_SUCCESS;
    }
    static heron_status queue_sync(heron_queue* queue) { return stream_sync(queue->device, queue->stream); }
    static heron_status queue_threads(heron_queue*, int) { return HERON_SUCCESS; }

    static bool is_pageable(const void* pointer) noexcept {
        cudaPointerAttributes found{};
        if (cudaPointerGetAttributes(&found, pointer) != cudaSuccess) {
            cudaGetLastError();
            return true;
        }
        return found.type == cudaMemoryTypeUnregistered;
    }

    static heron_status copy(heron_queue* queue, void* destination, const void* source, size_t bytes) {
        if (bytes == 0) return HERON_SUCCESS;
        return on_device(queue->device, [&] {
            const heron_status status =
                checked(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, queue->stream),
                        "cudaMemcpyAsync");
            if (status != HERON_SUCCESS || is_capturing(queue->stream)) return status;
            if (!is_pageable(destination) && !is_pageable(source)) return status;
            return checked(cudaStreamSynchronize(queue->stream), "cudaStreamSynchronize");
        });
    }
    static heron_status fill(heron_queue* queue, void* destination, unsigned char byte, size_t bytes) {
        if (bytes == 0) return HERON_SUCCESS;
        return on_device(queue->device, [&] {
            return checked(cudaMemsetAsync(destination, byte, bytes, queue->stream), "cudaMemsetAsync");
        });
    }

    static heron_status plan_destroy(heron_plan* plan) {
        delete plan;
        return HERON_SUCCESS;
    }
};

void log_hint(const char* setting, const char* reason) noexcept {
    if (services && services->log) services->log(3, setting, reason);
}

gemm_choices chosen_by_user(const char* text) {
    gemm_choices choices(text, ';');
    for (const std::string& entry : choices.ignored())
        log_hint("HERON_CUDA_GEMM", ("\"" + entry + "\" is no product with a tile; it is ignored").c_str());
    return choices;
}

}  // namespace

gemm_choices choices_for(int device) {
    if (const char* const wanted = std::getenv("HERON_CUDA_GEMM")) return chosen_by_user(wanted);
    static std::mutex mutex;
    static std::map<int, gemm_choices> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(device);
    if (found != known.end()) return found->second;
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        return {};
    }
    return known[device] = {read_tuning("cuda", properties.name), '\n'};
}

void log_error(const char* function, const char* reason) noexcept {
    if (services && services->log) services->log(1, function, reason);
}

// Every failed call of the runtime comes by here.
heron_status status_of(cudaError_t error) noexcept {
    if (loses_device(error))
        log_error(cudaGetErrorName(error), "the device is lost: every later call of this process fails");
    switch (error) {
        case cudaSuccess: return HERON_SUCCESS;
        case cudaErrorMemoryAllocation: return HERON_ALLOC_FAILED;
        case cudaErrorInvalidValue:
        case cudaErrorInvalidDevice:
        case cudaErrorInvalidResourceHandle:
        case cudaErrorInvalidDevicePointer:
        case cudaErrorInvalidHostPointer: return HERON_INVALID_VALUE;
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorInitializationError:
        case cudaErrorDevicesUnavailable:
        case cudaErrorCudartUnloading: return HERON_NOT_INITIALIZED;
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorUnsupportedPtxVersion: return HERON_ARCH_MISMATCH;
        case cudaErrorMapBufferObjectFailed: return HERON_MAPPING_ERROR;
        case cudaErrorLaunchOutOfResources: return HERON_INSUFFICIENT_RESOURCES;
        default: return HERON_EXECUTION_FAILED;
    }
}

// The legacy default stream cannot be captured, and asking about it disturbs a capture elsewhere in the
// process.
bool is_capturing(cudaStream_t stream) noexcept {
    if (!stream) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) cudaGetLastError();
    return status != cudaStreamCaptureStatusNone;
}

}  // namespace heron::cuda

const heron_backend* heron_plugin(const heron_host_services* services) {
    heron::cuda::services = services;
    static const heron_backend table =
        heron::make_table<heron::cuda::entries>("cuda", &heron::cuda::fill_slots);
    return &table;
}
