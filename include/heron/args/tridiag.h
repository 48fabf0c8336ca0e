/* Arguments of tridiagonal and pentadiagonal solves. */
#ifndef HERON_ARGS_TRIDIAG_H
#define HERON_ARGS_TRIDIAG_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solves A*X = B in place of B for a tridiagonal A, m x m, and n right-hand sides in column order. A's
 * element (i, i - 1) is lower[i], (i, i) is main[i], (i, i + 1) is upper[i]; lower[0] and upper[m - 1] are
 * not read. The diagonals stay as they are. With pivoting the error is that of Gaussian elimination with
 * partial pivoting; without, A should be diagonally dominant. */
typedef struct heron_gtsv_args {
    heron_type type;
    int32_t pivoting;
    int64_t m, n;
    const void* lower;
    const void* main;
    const void* upper;
    void* b;
    int64_t ldb;
} heron_gtsv_args;

/* The same for systems 0 <= k < count of one right-hand side each, without pivoting. Element i of system k of
 * all four arrays is at i + k*stride. The diagonals stay as they are. */
typedef struct heron_gtsv_batch_args {
    heron_type type;
    int64_t m, count, stride;
    const void* lower;
    const void* main;
    const void* upper;
    void* x;
} heron_gtsv_batch_args;

/* How interleaved systems are solved. */
typedef enum heron_interleaved_solver {
    HERON_INTERLEAVED_THOMAS = 0, /* LU without pivoting; tridiagonal alone */
    HERON_INTERLEAVED_LU = 1,     /* LU with partial pivoting; tridiagonal alone */
    HERON_INTERLEAVED_QR = 2      /* by Givens rotations */
} heron_interleaved_solver;

/* Tridiagonal (gtsv_interleaved) and pentadiagonal (gpsv_interleaved) systems whose elements i of system k
 * lie at i*count + k. second_lower[i] is element (i, i - 2), second_upper[i] is (i, i + 2); tridiagonal
 * systems have neither. All arrays may be overwritten; x holds the right-hand sides and then the solutions.
 */
typedef struct heron_interleaved_args {
    heron_type type;
    heron_interleaved_solver solver;
    int64_t m, count;
    void* second_lower;
    void* lower;
    void* main;
    void* upper;
    void* second_upper;
    void* x;
} heron_interleaved_args;
typedef heron_interleaved_args heron_gtsv_interleaved_args;
typedef heron_interleaved_args heron_gpsv_interleaved_args;

#ifdef __cplusplus
}
#endif
#endif
