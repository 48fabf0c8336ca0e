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

/* B: the elements of A with |a| > threshold, in their order, and so no NaN. A is dense, or CSR with columns
 * in any order. Where the threshold is NaN there are none, where it is negative all but NaN.
 * prune_count  writes b.offsets (unless NULL), counts[rows] (unless NULL) and *nnz (unless its value is NULL)
 * prune        reads b.offsets; writes b.indices and b.values. With counts given, b.offsets are written from
 * them first
 */
typedef struct heron_prune_args {
    int32_t is_dense;
    heron_dnmat dense;
    heron_spmat sparse;     /* nnz may be too large; where it is 0 nothing is read */
    heron_spmat b;          /* CSR with its own base */
    heron_scalar threshold; /* of A's type; of a complex one the real part, which is no device address */
    int32_t* counts;
    heron_count_result nnz;
} heron_prune_args;
typedef heron_prune_args heron_prune_count_args;

/* *threshold := the element of rank ceil(fraction*size) - 1, at least 0, of the ascending absolute values of
 * A's elements, NaNs last: dense (not what lies between rows and ld), or the nnz stored ones. 0 where there
 * is none. */
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
