/* What the operands of sparse operations are in arguments: scalars, vectors and matrices in device memory.
 * Structs are append-only. Sizes are in elements, strides in elements, and pointers are device addresses. */
#ifndef HERON_OPERANDS_H
#define HERON_OPERANDS_H

#include <heron/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scalar of the operation's compute type. On the host its value is here (the caller's variable may be gone
 * when the kernel runs); on the device only its address is known, and the kernel reads it. */
typedef struct heron_scalar {
    const void* device; /* NULL: the value is re + i*im */
    double re, im;      /* exact for every compute type, i32 included */
} heron_scalar;

typedef struct heron_dnvec {
    int64_t size;
    void* values;
    heron_type type;
} heron_dnvec;

/* indices[k] - base in [0, size) for k in [0, nnz). */
typedef struct heron_spvec {
    int64_t size, nnz;
    void* indices;
    void* values;
    heron_index_type index_type;
    int32_t base;
    heron_type type;
} heron_spvec;

/* Element (i, j) of batch b is values[b*batch_stride + i + j*ld] in column order, [... + i*ld + j] in row
 * order. */
typedef struct heron_dnmat {
    int64_t rows, cols, ld;
    void* values;
    heron_type type;
    heron_order order;
    int32_t batch_count;
    int64_t batch_stride;
} heron_dnmat;

/* One struct for all formats; what a format does not use is zero.
 *            offsets                     row_indices   indices                       values
 * COO        -                           rows[nnz]     columns[nnz]                  [nnz]
 * CSR        row offsets[rows+1]         -             columns[nnz]                  [nnz]
 * CSC        column offsets[cols+1]      -             rows[nnz]                     [nnz]
 * BSR        block-row offsets[brows+1]  -             block columns[nnz] [nnz*block_rows*block_cols] SELL
 * slice offsets[slices+1]     -             columns[values_size], -1 pad  [values_size], slices column-major
 * BLOCKEDELL -                           -             block columns, -1 empty       [rows*ell_cols], dense,
 * row order rows and cols are in scalars also for BSR; nnz counts blocks for BSR. */
typedef struct heron_spmat {
    heron_format format;
    int64_t rows, cols, nnz;
    void* offsets;
    void* row_indices;
    void* indices;
    void* values;
    heron_index_type offset_type; /* of offsets */
    heron_index_type index_type;  /* of indices and row_indices */
    int32_t base;
    heron_type type;
    int64_t block_rows, block_cols; /* BSR; Blocked-ELL has square blocks of block_rows */
    heron_order block_order;        /* BSR: layout inside a block */
    int64_t ell_cols;               /* Blocked-ELL: columns stored for every row */
    int64_t slice_size;             /* SELL: rows per slice */
    int64_t values_size;            /* SELL: stored elements with padding */
    heron_fill_mode fill;
    heron_diag_type diag;
    int32_t batch_count;
    int64_t offsets_stride, indices_stride, values_stride;
} heron_spmat;

/* A number that an operation counts. On the host RUN waits for the device. */
typedef struct heron_count_result {
    int32_t* value;
    int32_t on_device;
} heron_count_result;

#ifdef __cplusplus
}
#endif
#endif
