/* Heron's native API: backends, devices, memory, streams, events, threads, logging. C99.
 *
 * Every function returns a heron_status; on failure nothing is written through its output arguments and one
 * log line says which argument was wrong and why. Functions may be called from several threads, also on one
 * handle (calls on one handle are serialised). A pointer argument named like an output must not be NULL. */
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

/* *available = 1 when backend i has a device; otherwise *reason says why not. *version and *path describe the
 * plug-in file. The strings live as long as the library; any output may be NULL. */
HERON_API heron_status heron_backend_status(int i, int* available, const char** reason, const char** version,
                                            const char** path);

HERON_API heron_status heron_device_count(const char* backend, int* count);
HERON_API heron_status heron_device_query(const char* backend, int device, heron_device_info* info);

/* ---- handles ---- */

/* HERON_BACKEND (cuda, opencl or host) chooses; unset: the first that works of cuda, opencl with a GPU, host.
 * The device is HERON_DEVICE, else the thread's cudaSetDevice on CUDA, else 0. HERON_NOT_INITIALIZED when the
 * chosen backend cannot be used. */
HERON_API heron_status heron_create(heron_handle* handle);
HERON_API heron_status heron_create_on(const char* backend, int device, heron_handle* handle);
HERON_API heron_status heron_destroy(heron_handle handle);

HERON_API heron_status heron_get_backend(heron_handle handle, const char** backend, int* device);

/* ---- memory; sizes in bytes ---- */

/* The caller frees the memory with heron_free. Its address is a multiple of 128. 0 bytes give NULL. */
HERON_API heron_status heron_alloc(heron_handle handle, size_t bytes, heron_memory kind, void** pointer);
HERON_API heron_status heron_free(heron_handle handle, void* pointer);

/* Ordered on the handle's stream; source and destination may each be host or device memory and must not
 * overlap. Host memory that is not HERON_MEMORY_HOST may be reused when the call returns; a copy to it is
 * complete then. */
HERON_API heron_status heron_copy(heron_handle handle, void* destination, const void* source, size_t bytes);
HERON_API heron_status heron_fill(heron_handle handle, void* destination, unsigned char byte, size_t bytes);

/* ---- streams and events ---- */

/* A native stream: a cudaStream_t on CUDA, Heron's own object elsewhere. NULL is the default stream of the
 * device. */
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

/* Threads of the host backend for this handle; 0 restores the default (OMP_NUM_THREADS or all cores). Other
 * backends accept and ignore it. */
HERON_API heron_status heron_set_threads(heron_handle handle, int threads);
HERON_API heron_status heron_get_threads(heron_handle handle, int* threads);

/* ---- logging ---- */

/* "function: reason" of the latest call of this thread that failed, of any API that Heron serves and whether
 * errors are logged or not; "" before the first. Never NULL; it lives until the next failure. */
HERON_API const char* heron_last_error(void);

/* level: 0 off, 1 error, 2 trace, 3 hint, 4 info, 5 API trace; a level includes those below it. */
HERON_API heron_status heron_log_set_level(int level);
/* Bits 1 error, 2 trace, 4 hint, 8 info, 16 API trace. */
HERON_API heron_status heron_log_set_mask(int mask);
/* "%i" in the path becomes the process id; NULL goes back to standard output. */
HERON_API heron_status heron_log_open_file(const char* path);
typedef void (*heron_log_callback)(int level, const char* function, const char* message);
/* The callback gets every enabled line besides the file; NULL removes it. */
HERON_API heron_status heron_log_set_callback(heron_log_callback callback);

/* ---- batched Kronecker products ----
 *
 * For every item k of a batch, P := kron(op(A_1), ..., op(A_ndim)) * X, and Y gets P as `output` says. A
 * factor's op(A_i) has m_i x n_i elements, X has n_1*...*n_ndim and Y has m_1*...*m_ndim rows. The last
 * factor's index runs fastest: with two factors, row i1*m_2 + i2 of Y belongs to row i1 of op(A_1) and row i2
 * of op(A_2). X and Y have `vectors` columns.
 *
 * The factors are applied one after the other without ever forming the product, as in Algorithm 993 (P. L.
 * Fackler, ACM TOMS 45(2), 2019, 10.1145/3291041); for rectangular factors the order with the fewest
 * operations is taken, which is that of ascending (m_i - n_i)/(m_i*n_i).
 *
 * All arrays are the caller's and lie in device memory. Factors and X are only read, and must not overlap any
 * output or the workspace. The calls return when the work is submitted: arrays must live until the stream has
 * reached it. */

typedef struct heron_kron_factor {
    int64_t m, n;       /* of op(A) */
    int64_t ld;         /* column order: at least the stored rows; row order: the stored columns */
    heron_operation op; /* A is stored as m x n for NONE, n x m for TRANSPOSE and CONJUGATE_TRANSPOSE */
    heron_batch_operand a;
} heron_kron_factor;

/* Zero bytes are a legal start; heron_kronmult_init sets the usual. */
typedef struct heron_kronmult_desc {
    heron_type type; /* R_32F, R_64F, C_32F or C_64F, for everything */
    int32_t ndim;    /* 1 to 8 */
    heron_kron_factor factors[8];
    heron_order factor_order; /* how factors are stored */
    heron_order vector_order; /* COLUMN: element (i, v) of X is at i + v*ldx; ROW: at i*ldx + v */
    int64_t count;            /* items */
    int64_t vectors;          /* columns of X and Y */
    int64_t ldx, ldy;
    heron_batch_operand x, y;
    heron_kron_output output;
    heron_kron_algorithm algorithm;
    /* ADD_GROUPED, and ADD_OVERLAPPING where group_offsets is not NULL: y is a batch of group_count distinct
     * operands, and group g sums the items group_items[group_offsets[g]] ... group_items[group_offsets[g+1] -
     * 1], or, where group_items is NULL, the items group_offsets[g] ... group_offsets[g+1] - 1. group_offsets
     * are group_count + 1 ascending numbers from 0 to count, group_items are count numbers of items. A group
     * may be empty. */
    int64_t group_count;
    const void* group_offsets;
    const void* group_items;
    heron_index_type group_type; /* of group_offsets and group_items */
} heron_kronmult_desc;

/* Operands of a batch: strided (0 = shared), by an array of device addresses, by indices in units of `unit`
 * elements. */
HERON_API heron_batch_operand heron_batch_strided(const void* base, int64_t stride);
HERON_API heron_batch_operand heron_batch_pointers(const void* const* addresses);
HERON_API heron_batch_operand heron_batch_indexed(const void* base, int64_t unit, const void* indices,
                                                  heron_index_type index_type);

/* Sets *desc to `count` items with ndim factors of m[i] x n[i], all stored without gaps, one vector, X and Y
 * one behind the other, mode STORE. The base addresses stay to be set: factors[i].a.base, x.base, y.base. */
HERON_API heron_status heron_kronmult_init(heron_kronmult_desc* desc, heron_type type, int32_t ndim,
                                           const int64_t* m, const int64_t* n, int64_t count);

/* Floating-point operations of the whole batch (a complex multiply-add counts 8), and the bytes of X read, Y
 * written and, where the mode reads it, Y read. Either output may be NULL. */
HERON_API heron_status heron_kronmult_cost(const heron_kronmult_desc* desc, double* operations,
                                           double* bytes);

/* *bytes := size of the workspace that heron_kronmult needs on this handle's device. It does not grow with
 * the count beyond what is worked on at once, except in ADD_DETERMINISTIC, which sorts the outputs'
 * addresses. */
HERON_API heron_status heron_kronmult_workspace(heron_handle handle, const heron_kronmult_desc* desc,
                                                size_t* bytes);

/* Submits the batch. alpha and beta are addresses of one number of the descriptor's type, where
 * heron_set_pointer_mode says; alpha = NULL means 1, and beta is only read in AXPBY. The workspace may be
 * NULL when its size is 0. HERON_NOT_INITIALIZED         handle or desc is NULL HERON_INVALID_VALUE ndim
 * outside 1 to 8, a negative size, a leading dimension that is too small, a NULL array that would be read,
 * outputs that overlap where they must not (strided outputs are always checked, the others when
 * HERON_VALIDATE=1) HERON_NOT_SUPPORTED           a type other than the four HERON_INSUFFICIENT_RESOURCES the
 * workspace is too small, or a size exceeds 63 bits */
HERON_API heron_status heron_kronmult(heron_handle handle, const void* alpha, const heron_kronmult_desc* desc,
                                      const void* beta, void* workspace, size_t workspace_bytes);

#ifdef __cplusplus
}
#endif

#include <heron/dense.h>
#include <heron/semiring.h>

#endif
