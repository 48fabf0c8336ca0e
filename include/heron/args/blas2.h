/* Arguments of the dense operations on a matrix and vectors: the level 2 of BLAS, and its kin on matrices
 * that read or write every element once. Matrices are in column order. */
#ifndef HERON_ARGS_BLAS2_H
#define HERON_ARGS_BLAS2_H

#include <heron/args/blas1.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where element (i, j) is, `offset` and so many elements behind memory:
 * FULL    i + j*ld
 * BANDED  upper + i - j + j*ld, where there are `lower` diagonals below and `upper` above the main one. Of a
 *         triangle one of the two is 0, the other its number of diagonals beside the main one
 * PACKED  the columns of the upper triangle without gaps, i + j*(j + 1)/2, or those of the lower one, i +
 *         j*(2*n - j - 1)/2 */
typedef struct heron_stored_matrix {
    heron_matrix_storage storage;
    void* memory;
    int64_t offset, ld;
    int64_t lower, upper; /* BANDED */
} heron_stored_matrix;

/* y := alpha*op(A)*x + beta*y, A m x n, FULL or BANDED; any op. beta = 0 does not read y, alpha = 0 neither A
 * nor x. m and n are at least 1. */
typedef struct heron_gemv_args {
    heron_type type;
    heron_operation op;
    int64_t m, n;
    heron_scalar alpha;
    heron_stored_matrix a;
    heron_vector_operand x;
    heron_scalar beta;
    heron_vector_operand y;
} heron_gemv_args;

/* The same for items 0 <= k < count, with A FULL. The items' vectors begin x_offset and y_offset elements
 * behind where their operands say. type is that of A and x; y_type is type or compute_type. */
typedef struct heron_gemv_batched_args {
    heron_type type, y_type, compute_type;
    heron_operation op;
    int64_t m, n, count;
    heron_scalar alpha;
    heron_batch_operand a;
    int64_t lda;
    heron_batch_operand x;
    int64_t x_offset, x_inc;
    heron_scalar beta;
    heron_batch_operand y;
    int64_t y_offset, y_inc;
} heron_gemv_batched_args;

/* y := alpha*A*x + beta*y, A n x n and symmetric or, with hermitian, Hermitian. Only its triangle `fill` is
 * read, and of a Hermitian diagonal no imaginary part. conjugate: the stored triangle is that of conj(A). */
typedef struct heron_symv_args {
    heron_type type;
    heron_fill_mode fill;
    int32_t hermitian, conjugate;
    int64_t n;
    heron_scalar alpha;
    heron_stored_matrix a;
    heron_vector_operand x;
    heron_scalar beta;
    heron_vector_operand y;
} heron_symv_args;

/* trmv: x := op(A)*x. trsv: the solution of op(A)*y = x in place of x. Only A's triangle `fill` is read, and
 * its diagonal only if it is not UNIT. Any op. */
typedef struct heron_triangular_vector_args {
    heron_type type;
    heron_fill_mode fill;
    heron_operation op;
    heron_diag_type diag;
    int64_t n;
    heron_stored_matrix a;
    heron_vector_operand x;
} heron_triangular_vector_args;
typedef heron_triangular_vector_args heron_trmv_args;
typedef heron_triangular_vector_args heron_trsv_args;

/* A := alpha*f(x)*g(y)^T + A, A m x n and FULL, where f and g conjugate or do not. */
typedef struct heron_ger_args {
    heron_type type;
    int64_t m, n;
    int32_t conjugate_x, conjugate_y;
    heron_scalar alpha;
    heron_vector_operand x, y;
    heron_stored_matrix a;
} heron_ger_args;

/* syr: the triangle `fill` of A := alpha*x*x^T + A, A FULL or PACKED. hermitian: alpha*x*x^H with a real
 * alpha (on the device a real number), or with conjugate alpha*conj(x)*x^T; imaginary parts on A's diagonal
 * are not read and become 0. syr2: alpha*x*y^T + alpha*y*x^T + A. hermitian: alpha*x*y^H + conj(alpha)*y*x^H
 * + A, or with conjugate alpha*conj(x)*y^T + conj(alpha)*conj(y)*x^T + A. alpha = 0 changes nothing. */
typedef struct heron_rank_update_args {
    heron_type type;
    heron_fill_mode fill;
    int32_t hermitian, conjugate;
    int64_t n;
    heron_scalar alpha;
    heron_vector_operand x, y; /* syr: no y */
    heron_stored_matrix a;
} heron_rank_update_args;
typedef heron_rank_update_args heron_syr_args;
typedef heron_rank_update_args heron_syr2_args;

/* C := alpha*op(A) + beta*op(B), C m x n. alpha = 0 does not read A, beta = 0 not B. C may be A or B where
 * that has the operation NONE and C's ld. */
typedef struct heron_geam_args {
    heron_type type;
    heron_operation op_a, op_b;
    int64_t m, n;
    heron_scalar alpha;
    heron_stored_matrix a;
    heron_scalar beta;
    heron_stored_matrix b, c;
} heron_geam_args;

/* C := diag(x)*A (LEFT) or A*diag(x) (RIGHT), C m x n; it may be A. */
typedef struct heron_dgmm_args {
    heron_type type;
    heron_side side;
    int64_t m, n;
    heron_stored_matrix a;
    heron_vector_operand x;
    heron_stored_matrix c;
} heron_dgmm_args;

/* The triangle `fill` of A from a FULL to a PACKED matrix or the other way. */
typedef struct heron_repack_args {
    heron_type type;
    heron_fill_mode fill;
    int64_t n;
    heron_stored_matrix from, to;
} heron_repack_args;

/* trsm of args.h for items 0 <= k < count. */
typedef struct heron_trsm_batched_args {
    heron_type type;
    heron_side side;
    heron_fill_mode fill;
    heron_operation op_a;
    heron_diag_type diag;
    int64_t m, n, count;
    heron_scalar alpha;
    heron_batch_operand a;
    int64_t lda;
    heron_batch_operand b;
    int64_t ldb;
} heron_trsm_batched_args;

#ifdef __cplusplus
}
#endif
#endif
