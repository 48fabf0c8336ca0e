/* Arguments of operations that count and drop small elements. All offsets and indices have 32 bits. */
#ifndef HERON_ARGS_PRUNE_H
#define HERON_ARGS_PRUNE_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* counts[i] := the nonzero elements of row i of a dense A, or of column i; *nnz := their sum. A zero of
 * either sign is none, a NaN is one. */
typedef struct heron_count_nonzeros_args {
    heron_dnmat a;
    int32_t by_columns;
    int32_t* counts;
    heron_count_result nnz;
} heron_count_nonzeros_args;

/* B: the elements of A with |a| > threshold, in their order. A is dense, or CSR with columns in any order.
 *
 * prune_count  writes b.offsets (unless NULL), counts[rows] (unless NULL) and *nnz (unless its value is NULL)
 * prune        reads b.offsets; writes b.indices and b.values. With counts given, b.offsets are written from
 * them first
 */
typedef struct heron_prune_args {
    int32_t is_dense;
    heron_dnmat dense;
    heron_spmat sparse;
    heron_spmat b;          /* CSR with its own base */
    heron_scalar threshold; /* real, of A's type; of a complex one the real part counts */
    int32_t* counts;
    heron_count_result nnz;
} heron_prune_args;
typedef heron_prune_args heron_prune_count_args;

/* *threshold := the element of rank floor(fraction*(size) - 1), between 0 and size - 1, of the ascending
 * absolute values of A's elements: dense or the nnz stored ones. Rows of a dense A between rows and ld do not
 * count. */
typedef struct heron_percentile_args {
    int32_t is_dense;
    heron_dnmat dense;
    heron_spmat sparse;
    double fraction; /* 0 to 1 */
    void* threshold; /* device: one element of A's type */
} heron_percentile_args;

#ifdef __cplusplus
}
#endif
#endif
