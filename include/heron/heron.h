/* Heron's native API: backends, devices, memory, streams, events, threads, logging. C99.
 *
 * Every function returns a heron_status; on failure nothing is written through its output arguments and one log line says
 * which argument was wrong and why. Functions may be called from several threads, also on one handle (calls on one
 * handle are serialised). A pointer argument named like an output must not be NULL. */
#ifndef HERON_H
#define HERON_H

#include <heron/types.h>

#if defined(__GNUC__)
#define HERON_API __attribute__((visibility("default")))
#else
#define HERON_API
#endif

#define HERON_VERSION_MAJOR 0
#define HERON_VERSION_MINOR 1
#define HERON_VERSION_PATCH 0
#define HERON_VERSION (HERON_VERSION_MAJOR * 10000 + HERON_VERSION_MINOR * 100 + HERON_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* A backend, a device of it and a stream. */
typedef struct heron_context* heron_handle;

/* Version of the library that is loaded, encoded as HERON_VERSION. */
HERON_API int heron_version(void);

/* "HERON_INVALID_VALUE", and a sentence for people. Never NULL. */
HERON_API const char* heron_status_name(heron_status status);
HERON_API const char* heron_status_string(heron_status status);

/* ---- backends and devices ---- */

/* Backends known to this installation (found or not), in the order in which they are tried. */
HERON_API int heron_backend_count(void);

/* Name of backend i ("cuda", "opencl", "host"); NULL past the end. */
HERON_API const char* heron_backend_name(int i);

/* *available = 1 when backend i has a device; otherwise *reason says why not. *version and *path describe the plug-in file.
 * The strings live as long as the library; any output may be NULL. */
HERON_API heron_status heron_backend_status(int i, int* available, const char** reason, const char** version,
                                            const char** path);

HERON_API heron_status heron_device_count(const char* backend, int* count);
HERON_API heron_status heron_device_query(const char* backend, int device, heron_device_info* info);

/* ---- handles ---- */

/* HERON_BACKEND (cuda, opencl or host) chooses; unset: the first that works of cuda, opencl with a GPU, host. The device
 * is HERON_DEVICE, else the thread's cudaSetDevice on CUDA, else 0. HERON_NOT_INITIALIZED when the chosen backend cannot be used. */
HERON_API heron_status heron_create(heron_handle* handle);
HERON_API heron_status heron_create_on(const char* backend, int device, heron_handle* handle);
HERON_API heron_status heron_destroy(heron_handle handle);

HERON_API heron_status heron_get_backend(heron_handle handle, const char** backend, int* device);

/* ---- memory; sizes in bytes ---- */

/* The caller frees the memory with heron_free. 0 bytes give NULL. */
HERON_API heron_status heron_alloc(heron_handle handle, size_t bytes, heron_memory kind, void** pointer);
HERON_API heron_status heron_free(heron_handle handle, void* pointer);

/* Ordered on the handle's stream; source and destination may each be host or device memory and must not overlap.
 * Host memory that is not HERON_MEMORY_HOST may be reused when the call returns; a copy to it is complete then. */
HERON_API heron_status heron_copy(heron_handle handle, void* destination, const void* source, size_t bytes);
HERON_API heron_status heron_fill(heron_handle handle, void* destination, unsigned char byte, size_t bytes);

/* ---- streams and events ---- */

/* A native stream: a cudaStream_t on CUDA, Heron's own object elsewhere. NULL is the default stream of the device. */
HERON_API heron_status heron_stream_create(heron_handle handle, void** stream);
HERON_API heron_status heron_stream_destroy(heron_handle handle, void* stream);
HERON_API heron_status heron_set_stream(heron_handle handle, void* stream);
HERON_API heron_status heron_get_stream(heron_handle handle, void** stream);

/* Waits for everything submitted to the handle's stream. */
HERON_API heron_status heron_synchronize(heron_handle handle);

HERON_API heron_status heron_event_create(heron_handle handle, void** event);
HERON_API heron_status heron_event_destroy(heron_handle handle, void* event);
HERON_API heron_status heron_event_record(heron_handle handle, void* event);
HERON_API heron_status heron_event_synchronize(heron_handle handle, void* event);
/* Milliseconds from start to stop, both recorded and complete. */
HERON_API heron_status heron_event_elapsed(heron_handle handle, void* start, void* stop, float* milliseconds);

/* ---- threads ---- */

/* Threads of the host backend for this handle; 0 restores the default (OMP_NUM_THREADS or all cores). Other backends accept
 * and ignore it. */
HERON_API heron_status heron_set_threads(heron_handle handle, int threads);
HERON_API heron_status heron_get_threads(heron_handle handle, int* threads);

/* ---- logging ---- */

/* level: 0 off, 1 error, 2 trace, 3 hint, 4 info, 5 API trace; a level includes those below it. */
HERON_API heron_status heron_log_set_level(int level);
/* Bits 1 error, 2 trace, 4 hint, 8 info, 16 API trace. */
HERON_API heron_status heron_log_set_mask(int mask);
/* "%i" in the path becomes the process id; NULL goes back to standard output. */
HERON_API heron_status heron_log_open_file(const char* path);
typedef void (*heron_log_callback)(int level, const char* function, const char* message);
/* The callback gets every enabled line besides the file; NULL removes it. */
HERON_API heron_status heron_log_set_callback(heron_log_callback callback);

#ifdef __cplusplus
}
#endif
#endif
