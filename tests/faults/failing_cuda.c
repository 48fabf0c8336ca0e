/* A CUDA driver that fails. The CUDA runtime inside of the plug-in asks the driver for its functions by
 * cuGetProcAddress, and finds that one by dlsym, which is preloaded here: functions of a kind that a test has
 * chosen fail when it wants it, and blocks of memory, events and streams are counted while they live.
 * Functions for per-thread default streams are left as they are. */
#define _GNU_SOURCE
#include "failing_kinds.h"
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>

static CUresult made(CUresult code) {
    if (code == CUDA_SUCCESS) count(1);
    return code;
}

static CUresult released(CUresult code) {
    if (code == CUDA_SUCCESS) count(-1);
    return code;
}

/* memory */

static __typeof__(&cuMemAlloc) real_alloc;
static CUresult failing_alloc(CUdeviceptr* to, size_t bytes) {
    return fails("memory") ? CUDA_ERROR_OUT_OF_MEMORY : made(real_alloc(to, bytes));
}
static __typeof__(&cuMemAllocManaged) real_alloc_managed;
static CUresult failing_alloc_managed(CUdeviceptr* to, size_t bytes, unsigned flags) {
    return fails("memory") ? CUDA_ERROR_OUT_OF_MEMORY : made(real_alloc_managed(to, bytes, flags));
}
static __typeof__(&cuMemHostAlloc) real_host_alloc;
static CUresult failing_host_alloc(void** to, size_t bytes, unsigned flags) {
    return fails("memory") ? CUDA_ERROR_OUT_OF_MEMORY : made(real_host_alloc(to, bytes, flags));
}
static __typeof__(&cuMemAllocHost) real_alloc_host;
static CUresult failing_alloc_host(void** to, size_t bytes) {
    return fails("memory") ? CUDA_ERROR_OUT_OF_MEMORY : made(real_alloc_host(to, bytes));
}
static __typeof__(&cuMemAllocAsync) real_alloc_async;
static CUresult failing_alloc_async(CUdeviceptr* to, size_t bytes, CUstream stream) {
    return fails("memory") ? CUDA_ERROR_OUT_OF_MEMORY : made(real_alloc_async(to, bytes, stream));
}
static __typeof__(&cuMemFree) real_free;
static CUresult counted_free(CUdeviceptr block) { return released(real_free(block)); }
static __typeof__(&cuMemFreeHost) real_free_host;
static CUresult counted_free_host(void* block) { return released(real_free_host(block)); }
static __typeof__(&cuMemFreeAsync) real_free_async;
static CUresult counted_free_async(CUdeviceptr block, CUstream stream) {
    return released(real_free_async(block, stream));
}

/* launches */

static __typeof__(&cuLaunchKernel) real_launch;
static CUresult failing_launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, CUstream stream, void** arguments,
                               void** extra) {
    return fails("launches") ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                             : real_launch(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}
static __typeof__(&cuLaunchKernelEx) real_launch_ex;
static CUresult failing_launch_ex(const CUlaunchConfig* how, CUfunction f, void** arguments, void** extra) {
    return fails("launches") ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : real_launch_ex(how, f, arguments, extra);
}
static __typeof__(&cuLaunchCooperativeKernel) real_launch_together;
static CUresult failing_launch_together(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                        void** arguments) {
    return fails("launches") ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                             : real_launch_together(f, gx, gy, gz, bx, by, bz, shared, stream, arguments);
}

/* copies */

static __typeof__(&cuMemcpyAsync) real_copy;
static CUresult failing_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_copy(to, from, bytes, stream);
}
static __typeof__(&cuMemcpyHtoDAsync) real_write;
static CUresult failing_write(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_write(to, from, bytes, stream);
}
static __typeof__(&cuMemcpyDtoHAsync) real_read;
static CUresult failing_read(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_read(to, from, bytes, stream);
}
static __typeof__(&cuMemcpyDtoDAsync) real_move;
static CUresult failing_move(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_move(to, from, bytes, stream);
}
static __typeof__(&cuMemsetD8Async) real_fill;
static CUresult failing_fill(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_fill(to, byte, bytes, stream);
}
static __typeof__(&cuMemsetD32Async) real_fill_words;
static CUresult failing_fill_words(CUdeviceptr to, unsigned word, size_t words, CUstream stream) {
    return fails("copies") ? CUDA_ERROR_UNKNOWN : real_fill_words(to, word, words, stream);
}

/* waits */

static __typeof__(&cuStreamSynchronize) real_wait;
static CUresult failing_wait(CUstream stream) {
    return fails("waits") ? CUDA_ERROR_UNKNOWN : real_wait(stream);
}
static __typeof__(&cuStreamWaitEvent) real_wait_event;
static CUresult failing_wait_event(CUstream stream, CUevent event, unsigned flags) {
    return fails("waits") ? CUDA_ERROR_UNKNOWN : real_wait_event(stream, event, flags);
}
static __typeof__(&cuEventRecord) real_record;
static CUresult failing_record(CUevent event, CUstream stream) {
    return fails("waits") ? CUDA_ERROR_UNKNOWN : real_record(event, stream);
}
static __typeof__(&cuEventSynchronize) real_wait_for_event;
static CUresult failing_wait_for_event(CUevent event) {
    return fails("waits") ? CUDA_ERROR_UNKNOWN : real_wait_for_event(event);
}

/* events and streams */

static __typeof__(&cuEventCreate) real_event;
static CUresult failing_event(CUevent* event, unsigned flags) {
    return fails("queues") ? CUDA_ERROR_UNKNOWN : made(real_event(event, flags));
}
static __typeof__(&cuEventDestroy) real_event_end;
static CUresult counted_event_end(CUevent event) { return released(real_event_end(event)); }
static __typeof__(&cuStreamCreate) real_stream;
static CUresult failing_stream(CUstream* stream, unsigned flags) {
    return fails("queues") ? CUDA_ERROR_UNKNOWN : made(real_stream(stream, flags));
}
static __typeof__(&cuStreamDestroy) real_stream_end;
static CUresult counted_stream_end(CUstream stream) { return released(real_stream_end(stream)); }

/* how the runtime finds them */

static CUresult found(const char* name, void** to, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* result);
static CUresult found_before_12(const char* name, void** to, int version, cuuint64_t flags);

static CUresult (*real_find)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
static CUresult (*real_find_before_12)(const char*, void**, int, cuuint64_t);

static const struct {
    const char* name;
    void* ours;
    void* real; /* where the driver's is kept */
} functions[] = {{"cuMemAlloc", &failing_alloc, &real_alloc},
                 {"cuMemAllocManaged", &failing_alloc_managed, &real_alloc_managed},
                 {"cuMemHostAlloc", &failing_host_alloc, &real_host_alloc},
                 {"cuMemAllocHost", &failing_alloc_host, &real_alloc_host},
                 {"cuMemAllocAsync", &failing_alloc_async, &real_alloc_async},
                 {"cuMemFree", &counted_free, &real_free},
                 {"cuMemFreeHost", &counted_free_host, &real_free_host},
                 {"cuMemFreeAsync", &counted_free_async, &real_free_async},
                 {"cuLaunchKernel", &failing_launch, &real_launch},
                 {"cuLaunchKernelEx", &failing_launch_ex, &real_launch_ex},
                 {"cuLaunchCooperativeKernel", &failing_launch_together, &real_launch_together},
                 {"cuMemcpyAsync", &failing_copy, &real_copy},
                 {"cuMemcpyHtoDAsync", &failing_write, &real_write},
                 {"cuMemcpyDtoHAsync", &failing_read, &real_read},
                 {"cuMemcpyDtoDAsync", &failing_move, &real_move},
                 {"cuMemsetD8Async", &failing_fill, &real_fill},
                 {"cuMemsetD32Async", &failing_fill_words, &real_fill_words},
                 {"cuStreamSynchronize", &failing_wait, &real_wait},
                 {"cuStreamWaitEvent", &failing_wait_event, &real_wait_event},
                 {"cuEventRecord", &failing_record, &real_record},
                 {"cuEventSynchronize", &failing_wait_for_event, &real_wait_for_event},
                 {"cuEventCreate", &failing_event, &real_event},
                 {"cuEventDestroy", &counted_event_end, &real_event_end},
                 {"cuStreamCreate", &failing_stream, &real_stream},
                 {"cuStreamDestroy", &counted_stream_end, &real_stream_end}};

/* Puts our function in the place of the driver's. */
static void replace(const char* name, void** address) {
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; ++k)
        if (strcmp(name, functions[k].name) == 0) {
            memcpy(functions[k].real, address, sizeof *address);
            *address = functions[k].ours;
        }
}

static CUresult found(const char* name, void** to, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* result) {
    const CUresult code = real_find(name, to, version, flags, result);
    if (code != CUDA_SUCCESS || !*to || (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)) return code;
    if (strcmp(name, "cuGetProcAddress") != 0) {
        replace(name, to);
    } else if (version >= 12000) {
        *to = &found;
    } else {
        memcpy(&real_find_before_12, to, sizeof *to);
        *to = &found_before_12;
    }
    return code;
}

static CUresult found_before_12(const char* name, void** to, int version, cuuint64_t flags) {
    const CUresult code = real_find_before_12(name, to, version, flags);
    if (code == CUDA_SUCCESS && *to && !(flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
        replace(name, to);
    return code;
}

/* glibc's, behind a jump where this is optimised, so that it sees who asks. */
void* dlsym(void* library, const char* name) {
    static void* (*real)(void*, const char*);
    if (!real) *(void**)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real) *(void**)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (strcmp(name, "cuGetProcAddress_v2") != 0) return real(library, name);
    *(void**)&real_find = real(library, name);
    return real_find ? (void*)&found : NULL;
}
