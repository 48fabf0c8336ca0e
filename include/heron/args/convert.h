/* Arguments of conversions between sparse formats. All offsets and indices have 32 bits. */
#ifndef HERON_ARGS_CONVERT_H
#define HERON_ARGS_CONVERT_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* indices[k] := the row that element k is of, from offsets[rows + 1]; both count from base. */
typedef struct heron_pointers_to_indices_args {
    const int32_t* offsets;
    int32_t* indices;
    int64_t rows, nnz;
    int32_t base;
} heron_pointers_to_indices_args;

/* offsets[rows + 1] of ascending row numbers indices[nnz]; both count from base. */
typedef struct heron_indices_to_pointers_args {
    const int32_t* indices;
    int32_t* offsets;
    int64_t rows, nnz;
    int32_t base;
} heron_indices_to_pointers_args;

/* B := A^T by elements, or by blocks that stay as they are. A is CSR or BSR of any type of elements, B the
 * arrays that are written: offsets[cols of A + 1], indices[nnz], values. Elements of one column keep their
 * order. Without `values` no value is read or written. */
typedef struct heron_transpose_args {
    heron_spmat a, b; /* b: of the same format, with A's sizes exchanged and a base of its own */
    int32_t values;
} heron_transpose_args;

/* The blocks of B, a BSR matrix that covers A's stored elements. A and B are BSR with blocks of any size, or
 * CSR, which is BSR with blocks of one element. Columns of A ascend in every row where it has blocks of one
 * row; B's do always.
 *
 * reblock_count  writes b.offsets and *nnz
 * reblock        reads b.offsets; writes b.indices and b.values; zeros where A stores nothing. b.values may
 * be NULL: columns alone
 *
 * B as CSR has every element of A's blocks, zeros included; its offsets are written by both then. */
typedef struct heron_reblock_args {
    heron_spmat a, b;
    heron_count_result nnz; /* reblock_count; value may be NULL */
} heron_reblock_args;
typedef heron_reblock_args heron_reblock_count_args;

#ifdef __cplusplus
}
#endif
#endif
