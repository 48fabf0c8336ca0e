/* The ABI between the core and a plug-in: one table of function pointers, found by the one symbol
 * heron_plugin. Append-only: a core that is newer than a plug-in sees a shorter table (size) and treats
 * missing slots as unsupported. */
#ifndef HERON_BACKEND_H
#define HERON_BACKEND_H

#include <heron/args.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a shipped field or meaning changes; never by appending. */
#define HERON_BACKEND_ABI 5

/* Execution context of one handle on one device: the stream that it submits to and whatever the backend
 * caches. Calls on one queue come from one thread at a time. */
typedef struct heron_queue heron_queue;

/* What ANALYSE found out and RUN may use: a host-side record made by the backend and freed by plan_destroy.
 * It refers to the workspace that ANALYSE was given. The core passes it to RUN only together with that
 * workspace and the same pattern; the backend must still be correct when the caller has overwritten the
 * workspace in between. */
typedef struct heron_plan heron_plan;

typedef struct heron_workspace {
    size_t size;      /* SIZE: out. Otherwise the bytes that SIZE said */
    void* memory;     /* device memory of at least size bytes; may be NULL when size is 0; any alignment */
    heron_plan* plan; /* ANALYSE: out, or NULL. RUN: in, or NULL */
} heron_workspace;

/* What the core offers to a plug-in. */
typedef struct heron_host_services {
    uint32_t size;
    /* level: 1 error, 2 trace, 3 hint, 4 info, 5 API trace. Callable from any thread. */
    void (*log)(int level, const char* function, const char* message);
} heron_host_services;

/* Rows of bytes, `pitch` bytes from one to the next, the first of them `offset` bytes behind memory: a buffer
 * as on adopted queues, or an address of the host. */
typedef struct heron_rows {
    void* memory;
    size_t offset, pitch;
    int32_t is_host;
} heron_rows;

/* The operations' numbers. */
typedef enum heron_slot {
#define HERON_OP(family, op) heron_slot_##op,
#include <heron/ops.def>
#undef HERON_OP
    heron_slot_count
} heron_slot;

typedef struct heron_backend {
    uint32_t abi;        /* HERON_BACKEND_ABI */
    uint32_t size;       /* sizeof(heron_backend) that the plug-in was built with */
    const char* name;    /* "host", "opencl", "cuda" */
    const char* version; /* of the plug-in, for people */

    /* Devices. device_count returns the reason in *why (static storage) when there is none. */
    heron_status (*device_count)(int* count, const char** why);
    heron_status (*device_info)(int device, heron_device_info* info);
    heron_status (*device_sync)(int device);
    /* The device that the calling thread has chosen in the backend's own runtime (cudaSetDevice). NULL slot:
     * there is no such choice. Creates no context. */
    heron_status (*device_current)(int* device);

    /* Memory of a device. free accepts NULL, and comes after the work under way that uses the memory. owner
     * says whether this backend allocated the address (interior pointers included), with base, size and kind
     * of its allocation; HERON_INVALID_VALUE if not. */
    heron_status (*memory_alloc)(int device, size_t bytes, heron_memory kind, void** pointer);
    heron_status (*memory_free)(void* pointer);
    heron_status (*memory_owner)(const void* pointer, void** base, size_t* bytes, heron_memory* kind,
                                 int* device);

    /* Native streams: cudaStream_t on CUDA, an object of the plug-in elsewhere. NULL is the device's default
     * stream, and so are CUDA's cudaStreamLegacy (1) and cudaStreamPerThread (2) where there is nothing
     * finer. stream_ready: whether all that the stream was given is done; waits for nothing.
     * stream_wait_event: what the stream is given next starts after the event; of events and streams that are
     * captured only those of one capture wait for each other. */
    heron_status (*stream_create)(int device, void** stream);
    heron_status (*stream_destroy)(int device, void* stream);
    heron_status (*stream_sync)(int device, void* stream);
    heron_status (*stream_ready)(int device, void* stream, int* ready);
    heron_status (*stream_wait_event)(int device, void* stream, void* event);

    heron_status (*event_create)(int device, void** event);
    heron_status (*event_destroy)(void* event);
    heron_status (*event_record)(int device, void* stream, void* event);
    heron_status (*event_sync)(void* event);
    heron_status (*event_ready)(void* event, int* ready);
    heron_status (*event_elapsed)(void* start, void* stop, float* milliseconds);

    heron_status (*queue_create)(int device, heron_queue** queue);
    heron_status (*queue_destroy)(heron_queue* queue);
    heron_status (*queue_bind)(heron_queue* queue, void* stream);
    heron_status (*queue_sync)(heron_queue* queue);
    heron_status (*queue_threads)(heron_queue* queue,
                                  int threads); /* host: OpenMP threads, 0 = default; else ignored */

    /* Ordered on the queue's stream; either address may be host or device memory of this backend. Pageable
     * host memory is safe to reuse when the call returns. */
    heron_status (*copy)(heron_queue* queue, void* destination, const void* source, size_t bytes);
    heron_status (*fill)(heron_queue* queue, void* destination, unsigned char byte, size_t bytes);

    heron_status (*plan_destroy)(heron_plan* plan);

    /* Command queues that belong to the caller, in a backend whose API has such objects (OpenCL:
     * cl_command_queue, cl_event, cl_mem); NULL slots elsewhere. The memory of the operands on an adopted
     * queue is such an object too. queue_destroy ends the adoption and waits for nothing; what was submitted
     * keeps what it needs. queue_adopt: INVALID_VALUE for what is no command queue. queue_wait_for: what the
     * queue is given from now on starts after the events; INVALID_VALUE for a bad event, MAPPING_ERROR for
     * one of another context. queue_mark: *event completes when all that the queue was given since its
     * adoption is done; the caller owns it. buffer_info: INVALID_VALUE for what is no buffer, MAPPING_ERROR
     * for a buffer of another context. adoptions_forget: frees the programs and memory that are kept for the
     * contexts of adopted queues.
     * buffer_create: a buffer in a context of the caller's (cl_context), whose it is; MAPPING_ERROR for what
     * is no context. rows_copy and rows_fill: row_bytes of each of the rows, at least one of each; only one
     * side of a copy may be of the host. A fill repeats a pattern of 1, 2, 4, ... 128 bytes, of which
     * row_bytes is a multiple. They return when it is done if `wait`, else memory of the host is in use until
     * the queue's mark completes. */
    heron_status (*queue_adopt)(void* command_queue, heron_queue** queue);
    heron_status (*queue_wait_for)(heron_queue* queue, size_t count, void* const* events);
    heron_status (*queue_mark)(heron_queue* queue, void** event);
    heron_status (*buffer_info)(heron_queue* queue, void* memory, size_t* bytes);
    heron_status (*adoptions_forget)(void);
    heron_status (*buffer_create)(void* context, size_t bytes, void** memory);
    heron_status (*buffer_destroy)(void* memory);
    heron_status (*rows_copy)(heron_queue* queue, const heron_rows* to, const heron_rows* from,
                              size_t row_bytes, size_t rows, int32_t wait);
    heron_status (*rows_fill)(heron_queue* queue, const heron_rows* to, size_t row_bytes, size_t rows,
                              const void* pattern, size_t pattern_bytes, int32_t wait);

    /* Bit heron_slot_OP % 64 of number heron_slot_OP / 64: the operation needs no workspace, whatever its
     * arguments, so that the core does not ask how large it is before each RUN. */
    uint64_t without_workspace[4];

#define HERON_OP(family, op) \
    heron_status (*op)(heron_queue*, heron_phase, const heron_##op##_args*, heron_workspace*);
#include <heron/ops.def>
#undef HERON_OP
} heron_backend;

/* Exported by every plug-in. Called once; must not fail because a driver or device is missing (device_count
 * says so). Returns NULL only when the plug-in cannot work with this core. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const heron_backend*
heron_plugin(const heron_host_services* services);

/* ANALYSE of trisolve is not optional: RUN without its plan answers HERON_INVALID_VALUE. */

/* RUN waits for the device only here, because the C signature returns a host value: spvv with
 * result_on_device = 0 and dot, nrm2, asum and iamax with a result on the host (unless the stream is being
 * captured), spgemm_estimate and spgemm_symbolic. ANALYSE of
 * dense_to_sparse waits for nnz. SIZE and ANALYSE of spmm_op compile operators that are given as text or
 * code; RUN does too if they are new to it. */

#ifdef __cplusplus
}
#endif
#endif
