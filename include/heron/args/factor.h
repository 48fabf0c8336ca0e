/* Arguments of incomplete factorisations. All matrices have 32-bit offsets and indices. */
#ifndef HERON_ARGS_FACTOR_H
#define HERON_ARGS_FACTOR_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of rows, or of block rows, from 0; HERON_NO_PIVOT where there is none. */
#define HERON_NO_PIVOT INT32_MAX
typedef struct heron_zero_pivot {
    int32_t structural; /* the first whose diagonal element (or block) is not stored. Written by ANALYSE */
    int32_t first;      /* the first that is zero, structurally or in value. Written by ANALYSE and by RUN */
    int32_t next;       /* HERON_NO_PIVOT but while RUN is at work, which may use it */
} heron_zero_pivot;

/* A := L + U (ilu0) or A's lower triangle := L (ic0), in place on A's values and on A's pattern. A is CSR, or
 * BSR with square blocks in either order; m x m, columns ascending in every row.
 *
 * ilu0  L has a unit diagonal that is not stored. A block on the diagonal holds both of its triangles.
 * ic0   A = L*L^H. Of A the lower triangle alone is read and written; of a diagonal block its lower triangle.
 *
 * A zero pivot ends nothing: the rows that depend on it become infinite or NaN, all others are as if it were
 * not there. ANALYSE reads the pattern alone. RUN serves any values of that pattern; it needs the plan of
 * ANALYSE and its workspace untouched. */
typedef struct heron_factor_args {
    heron_spmat a;
    heron_zero_pivot* zero_pivot; /* device */
    int32_t boost;                /* ilu0: a pivot d with |d| <= tolerance becomes boost_value */
    heron_scalar tolerance;       /* f64, not negative */
    heron_scalar boost_value;     /* of a.type */
} heron_factor_args;
typedef heron_factor_args heron_ilu0_args;
typedef heron_factor_args heron_ic0_args;

/* The first (block) row of a triangular matrix whose diagonal element (or block) is not stored. ANALYSE finds
 * it; solves find those that are zero in value as well. No workspace. */
typedef struct heron_zero_pivot_args {
    heron_spmat a;                /* CSR, or BSR with square blocks */
    heron_zero_pivot* zero_pivot; /* device */
} heron_zero_pivot_args;

#ifdef __cplusplus
}
#endif
#endif
