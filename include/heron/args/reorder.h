/* Arguments of sorting and colouring. All offsets and indices have 32 bits. */
#ifndef HERON_ARGS_REORDER_H
#define HERON_ARGS_REORDER_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts pairs (major[k], minor[k]), k < nnz, by major, then minor, stably, and takes permutation[k], unless
 * NULL, along. Numbers may be any: majors and minors are what the caller takes for their bounds. */
typedef struct heron_sort_pairs_args {
    int64_t nnz, majors, minors;
    int32_t* major;
    int32_t* minor;
    int32_t* permutation;
} heron_sort_pairs_args;

/* Sorts the indices within every row of a CSR matrix stably and takes permutation[nnz], unless NULL, along.
 * Values are not touched. */
typedef struct heron_sort_rows_args {
    int64_t rows, cols, nnz;
    const int32_t* offsets; /* [rows + 1] */
    int32_t* indices;
    int32_t* permutation;
    int32_t base;
} heron_sort_rows_args;

/* permutation[k] := k */
typedef struct heron_identity_permutation_args {
    int64_t count;
    int32_t* permutation;
} heron_identity_permutation_args;

/* An array in another order: array[k] := array[permutation[k]], or with `inverse` array[permutation[k]] :=
 * array[k], in place through the workspace. Elements of 1 to 16 bytes, a power of two. */
typedef struct heron_permute_args {
    int64_t count;
    int64_t element_size;
    void* array;
    const int32_t* permutation;
    int32_t inverse;
} heron_permute_args;

/* Colours the rows of a square CSR matrix so that no two that share an element (i, j) or (j, i), i != j, have
 * one colour, until at least ceil(fraction*rows) rows have one; the other rows get colours of their own. The
 * same answer on every run. colors[i] counts from 0. reordering, unless NULL: the rows, those of
 * one colour together in their order. */
typedef struct heron_color_args {
    heron_spmat a;         /* values are not read */
    heron_scalar fraction; /* of the real type of a.type */
    int32_t* color_count;  /* host; RUN waits for the device */
    int32_t* colors;       /* [rows] */
    int32_t* reordering;   /* [rows] */
} heron_color_args;

#ifdef __cplusplus
}
#endif
#endif
