/* Arguments of every operation, as the core hands them to a plug-in: validated, composed and free of any
 * public API's names. Structs are append-only. Sizes are in elements, strides in elements, and pointers are
 * device addresses. */
#ifndef HERON_ARGS_H
#define HERON_ARGS_H

#include <heron/args/blas1.h>
#include <heron/args/blas2.h>
#include <heron/args/convert.h>
#include <heron/args/factor.h>
#include <heron/args/prune.h>
#include <heron/args/reorder.h>
#include <heron/args/tridiag.h>
#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y[x.indices[k]] := alpha*x.values[k] + beta*y, the rest of y := beta*y. With beta = 1, y.size may be 0 for
 * a y whose size is not known: then only what lies at x's indices is touched. */
typedef struct heron_axpby_args {
    heron_scalar alpha;
    heron_spvec x;
    heron_scalar beta;
    heron_dnvec y;
    heron_type compute_type;
} heron_axpby_args;

/* x.values[k] := y[x.indices[k]] */
typedef struct heron_gather_args {
    heron_dnvec y;
    heron_spvec x;
} heron_gather_args;

/* y[x.indices[k]] := x.values[k]; the rest of y is untouched. */
typedef struct heron_scatter_args {
    heron_spvec x;
    heron_dnvec y;
} heron_scatter_args;

/* (x, y)[k] := (c*x + s*y, c*y - s*x) on the pattern of x. */
typedef struct heron_rot_args {
    heron_scalar c, s;
    heron_spvec x;
    heron_dnvec y;
    heron_type compute_type;
} heron_rot_args;

/* result := sum op(x.values[k]) * y[x.indices[k]]. The result is one element of compute_type. With
 * result_on_device = 0 it is a host address: RUN then waits for the device, unless the queue is being
 * captured into a graph. */
typedef struct heron_spvv_args {
    heron_operation op;
    heron_spvec x;
    heron_dnvec y;
    void* result;
    int32_t result_on_device;
    heron_type compute_type;
} heron_spvv_args;

/* y := alpha*op(A)*x + beta*y. A is COO, CSR, SELL or BSR: the core has turned CSC into CSR with the other
 * op. */
typedef struct heron_spmv_args {
    heron_operation op;
    heron_scalar alpha;
    heron_spmat a;
    heron_dnvec x;
    heron_scalar beta;
    heron_dnvec y;
    heron_type compute_type;
    heron_reproducibility reproducibility;
} heron_spmv_args;

/* C with op(A)*C = alpha*B, A triangular and n x n, B and C n x nrhs and with any strides; they may be the
 * same memory. Only A's triangle a.fill is read, and its diagonal only if a.diag is not UNIT. A zero or
 * missing element on the diagonal gives infinities and NaNs. A is COO, CSR, SELL or BSR. ANALYSE reads the
 * pattern alone, and RUN needs its plan and its workspace untouched, but serves any values and any number of
 * right-hand sides. Of B and C only the shapes count before RUN, as a hint at how many right-hand sides to
 * have room for at a time. */
typedef struct heron_trisolve_args {
    heron_operation op;
    heron_scalar alpha;
    heron_spmat a;
    const void* diagonal;   /* NULL, or n elements in place of those on A's diagonal */
    int64_t staged_columns; /* the workspace has room for so many columns of B: used where B and C share
                             * memory but not strides. The same in all phases */
    heron_dnmat b, c;
    heron_type type;              /* of all elements */
    heron_zero_pivot* zero_pivot; /* device; or NULL. Of CSR and BSR with square blocks: RUN writes the first
                                   * (block) row with a zero on its diagonal, or that lacks it */
} heron_trisolve_args;

/* B := A as a dense matrix, zero where A stores nothing. A is COO, CSR, SELL, BSR or Blocked-ELL. */
typedef struct heron_sparse_to_dense_args {
    heron_spmat a;
    heron_dnmat b;
} heron_sparse_to_dense_args;

/* B := the nonzero elements of A, columns ascending in every row. B is COO, CSR, BSR or SELL (stored
 * nonzeros) or Blocked-ELL, whose block columns the caller has set: RUN gathers the values of those blocks,
 * zero for -1. ANALYSE writes B's offsets (where it has them) and *nnz; RUN reads the workspace that ANALYSE
 * left and writes indices and values. */
typedef struct heron_dense_to_sparse_args {
    heron_dnmat a;
    heron_spmat b;
    int64_t* nnz;         /* host address, written by ANALYSE: nonzeros; nonzero blocks for BSR */
    int64_t* values_size; /* host address, written by ANALYSE for SELL: stored elements with padding */
    int32_t unanalysed;   /* 1, for CSR: B's offsets are there, and RUN comes without ANALYSE before it */
} heron_dense_to_sparse_args;

/* The pattern of A^T, by element: element k of row i of A^T is A's stored element permutation[k], in column
 * indices[k]. Elements of one row keep their order. A is CSR; the arrays have A's types, and base 0. */
typedef struct heron_transpose_pattern_args {
    heron_spmat a;
    void* offsets;     /* [cols + 1] */
    void* indices;     /* [nnz] */
    void* permutation; /* [nnz], of the offset type */
} heron_transpose_pattern_args;

/* One side of a sparse product: CSR, or an empty COO. */
typedef struct heron_spgemm_operand {
    heron_spmat matrix;
    const void*
        permutation; /* NULL, or element k has the value matrix.values[permutation[k]]; of the offset type */
    int32_t conjugate;
} heron_spgemm_operand;

/* C := alpha*A*B + beta*C in three operations, A m x k, B k x n. All rows of C are sorted, its pattern is
 * that of the product whatever the values are, and beta*C is added element by element on this pattern; beta =
 * 0 does not read C's values. The sums have an order of their own, so that they have the same bits on every
 * run. A, B and C have one index type, A and B one offset type. The workspace of each operation is scratch
 * memory, unless scratch_stays is set for both of the last two.
 *
 * spgemm_estimate  writes row_products, *products, *row_sizes and *longest: the longest row that C can have
 * spgemm_symbolic  reads row_products, products, row_sizes and longest; writes row_offsets, c.offsets unless
 * NULL, *nnz and *longest: the longest row of C. c.nnz is not read
 * spgemm_numeric   reads row_offsets, row_sizes and longest, which may still be the bound; writes what
 * `parts` says. Without HERON_SPGEMM_COLUMNS c has its columns
 *
 * RUN writes those that are pointers to host variables only where they are not NULL. SIZE reads none of the
 * arrays. */
typedef struct heron_spgemm_args {
    heron_spgemm_operand a, b;
    heron_spmat c; /* CSR */
    heron_scalar alpha, beta;
    heron_type compute_type;
    int32_t parts;         /* of heron_spgemm_part */
    int64_t* row_products; /* device, [m]: products that each row takes */
    int64_t* row_offsets;  /* device, [m + 1]: C's offsets, from 0 */
    int64_t products;      /* of all rows */
    int64_t longest;
    int64_t longest_counted; /* RUN of spgemm_numeric: what spgemm_symbolic found */
    int64_t* products_found; /* host */
    int64_t* longest_found;  /* host */
    int64_t* nnz_found;      /* host */
    int32_t
        scratch_stays; /* spgemm_numeric gets row_products and the workspace as spgemm_symbolic left them */
    int64_t row_sizes; /* bit s: a row has more than 2^(s-1) products and up to 2^s; 0 if that is not known */
    int64_t* row_sizes_found; /* host; not all backends write it */
} heron_spgemm_args;
typedef heron_spgemm_args heron_spgemm_estimate_args;
typedef heron_spgemm_args heron_spgemm_symbolic_args;
typedef heron_spgemm_args heron_spgemm_numeric_args;

/* Element (i, j) of a factor's op(A), m x n, is the stored element at i*row_step + j*column_step, conjugated
 * or not. */
typedef struct heron_kron_factor_args {
    int64_t m, n;
    int64_t row_step, column_step;
    int32_t conjugate;
    heron_batch_operand a;
} heron_kron_factor_args;

/* Per item k and column v: Y[:, v] gets alpha * kron(op(A_1), ..., op(A_ndim)) * X[:, v] as `output` says,
 * the last factor's index running fastest. Element (i, v) of an item is at i*step + v*column_step. beta is 0
 * for STORE and 1 for the ADD modes. ADD_GROUPED: y is a batch of group_count operands, and group g has the
 * items group_items[group_offsets[g]] ... group_items[group_offsets[g+1] - 1], or those numbers themselves
 * without group_items. */
typedef struct heron_kronmult_args {
    heron_scalar alpha, beta;
    heron_type type;
    int32_t ndim;
    heron_kron_factor_args factors[8];
    int64_t count, vectors;
    heron_batch_operand x, y;
    int64_t x_step, x_column_step, y_step, y_column_step;
    heron_kron_output output;
    heron_kron_algorithm algorithm;
    int64_t group_count;
    const void* group_offsets;
    const void* group_items;
    heron_index_type group_type; /* of offsets and items */
} heron_kronmult_args;

/* Per item k: C := alpha*op(A)*op(B) + beta*C, column order, or with beta = 1 added atomically, so that the C
 * may overlap. The leading dimensions are device arrays of 32-bit integers, one per item. */
typedef struct heron_kron_gemm_args {
    heron_type type;
    int32_t transpose_a, transpose_b;
    int64_t m, n, k;
    heron_scalar alpha, beta;
    heron_batch_operand a, b, c;
    const int32_t* lda;
    const int32_t* ldb;
    const int32_t* ldc;
    int64_t count;
} heron_kron_gemm_args;

/* A matrix operand of the dense operations, always in column order: element (i, j) is offset + i + j*ld
 * elements behind memory. That is a device address, or a cl_mem on a queue that was made from a caller's
 * OpenCL command queue. */
typedef struct heron_dense_operand {
    void* memory;
    int64_t offset, ld;
} heron_dense_operand;

/* C := alpha*op(A)*op(B) + beta*C. C is m x n; op(A) is m x k, op(B) k x n. beta = 0 does not read C, alpha =
 * 0 or k = 0 reads neither A nor B. type is that of A, B and C; compute_type is the one of the scalars and of
 * the sums. */
typedef struct heron_gemm_args {
    heron_type type, compute_type;
    heron_operation op_a, op_b;
    int64_t m, n, k;
    heron_scalar alpha;
    heron_dense_operand a, b;
    heron_scalar beta;
    heron_dense_operand c;
    heron_gemm_algorithm algorithm;
} heron_gemm_args;

/* The same for items 0 <= i < count, each with its own A, B and C. Leading dimensions in elements. */
typedef struct heron_gemm_batched_args {
    heron_type type, compute_type;
    heron_operation op_a, op_b;
    int64_t m, n, k, count;
    heron_scalar alpha;
    heron_batch_operand a, b;
    int64_t lda, ldb;
    heron_scalar beta;
    heron_batch_operand c;
    int64_t ldc;
    heron_gemm_algorithm algorithm;
} heron_gemm_batched_args;

/* One triangle of C := sum over t < terms of alpha_t*op(a[t])*op'(b[t]) + beta*C, where op(a[t]) is n x k and
 * op'(b[t]) is k x n. alpha_0 = alpha; alpha_1 is alpha or, with conjugate_second, its conjugate. SYRK and
 * HERK are one term with b = a; SYR2K and HER2K are two terms with the operands exchanged in the second;
 * there op is NONE and op' TRANSPOSE or CONJUGATE_TRANSPOSE, or the other way round, while a plain gemmt (one
 * term, not hermitian) has any operations. hermitian: the imaginary parts of C's diagonal are not read and
 * become 0, unless alpha = 0 or k = 0, and beta = 1: then C stays as it is. Scalars on the device are then
 * real numbers of type's precision: beta, and with one term alpha, unless hermitian is 2. The other triangle
 * is neither read nor written. */
typedef struct heron_gemmt_args {
    heron_type type;
    heron_fill_mode fill;
    heron_operation op_a, op_b;
    int64_t n, k;
    int32_t terms;
    int32_t conjugate_second;
    int32_t hermitian;
    heron_scalar alpha;
    heron_dense_operand a[2], b[2];
    heron_scalar beta;
    heron_dense_operand c;
} heron_gemmt_args;

/* C := alpha*A*B + beta*C (side LEFT, A is m x m) or alpha*B*A + beta*C (RIGHT, A is n x n). A is symmetric,
 * or Hermitian with hermitian; only its triangle `fill` is read, and for Hermitian no imaginary part on its
 * diagonal. */
typedef struct heron_symm_args {
    heron_type type;
    heron_side side;
    heron_fill_mode fill;
    int32_t hermitian;
    int64_t m, n;
    heron_scalar alpha;
    heron_dense_operand a, b;
    heron_scalar beta;
    heron_dense_operand c;
} heron_symm_args;

/* trmm: B := alpha*op(A)*B (LEFT) or alpha*B*op(A) (RIGHT). trsm: the X of op(A)*X = alpha*B or X*op(A) =
 * alpha*B, in place of B. A is triangular; only its triangle `fill` is read, and its diagonal only if it is
 * not UNIT. */
typedef struct heron_triangular_args {
    heron_type type;
    heron_side side;
    heron_fill_mode fill;
    heron_operation op_a;
    heron_diag_type diag;
    int64_t m, n;
    heron_scalar alpha;
    heron_dense_operand a, b;
} heron_triangular_args;
typedef heron_triangular_args heron_trmm_args;
typedef heron_triangular_args heron_trsm_args;

/* C := alpha*op(A)*B + beta*C for each item of a batch of c.batch_count. A is COO, CSR, BSR or Blocked-ELL:
 * the core has turned CSC into CSR with the other op, and a transposed B into one with the other order.
 * conjugate_b: B's elements are conjugated. Operands that the items share have strides of 0; those of C are
 * distinct. */
typedef struct heron_spmm_args {
    heron_operation op;
    int32_t conjugate_b;
    heron_scalar alpha;
    heron_spmat a;
    heron_dnmat b;
    heron_scalar beta;
    heron_dnmat c;
    heron_type compute_type;
    heron_reproducibility reproducibility;
} heron_spmm_args;
/* A dense operand of SDDMM as vectors along the inner dimension: rows of op(A), columns of op(B). Element l
 * of vector i of batch item b is values[b*batch_stride + i*vector_step + l*element_step], conjugated or not.
 */
typedef struct heron_sddmm_vectors {
    const void* values;
    heron_type type;
    int32_t conjugate;
    int64_t vector_step, element_step;
    int64_t batch_stride; /* 0: all items share the operand */
} heron_sddmm_vectors;

/* Every stored element (i, j) of C, zeros included, becomes alpha*(sum over l < k of a(i, l)*b(j, l)) +
 * beta*C(i, j), for c.batch_count items. beta = 0 does not read C's values; alpha = 0 or k = 0 reads neither
 * a nor b. C is COO in any order, CSR or BSR: the core has turned CSC into CSR with a and b exchanged. */
typedef struct heron_sddmm_args {
    heron_scalar alpha;
    heron_sddmm_vectors a, b;
    int64_t k;
    heron_scalar beta;
    heron_spmat c;
    heron_type compute_type;
} heron_sddmm_args;

/* An operator as text or as intermediate code. */
typedef struct heron_operator_code {
    const void* data;
    size_t size; /* bytes, without a terminating NUL */
} heron_operator_code;

/* C(i, j) := epilogue(sum, C(i, j)) for all i < a.rows and j < columns, where sum is add() of mul(A(i, l),
 * B(l, j)) over the stored elements of row i in storage order, or `identity` for a row without any. Element
 * (l, j) of B is at l*b_row_step + j*b_column_step, that of C likewise. A is CSR, or an empty COO. */
typedef struct heron_spmm_op_args {
    heron_spmat a;
    const void* b; /* of a's type */
    int64_t b_row_step, b_column_step;
    void* c;
    heron_type c_type;
    int64_t c_row_step, c_column_step;
    int64_t columns;
    heron_type compute_type;
    heron_operator_form form;
    heron_semiring semiring;
    heron_epilogue epilogue_kind;
    heron_operator_code add_code, mul_code, epilogue_code; /* SOURCE, LTO_IR */
    heron_operator_callback add, mul, epilogue;            /* CALLBACK */
    void* context;
    heron_scalar identity; /* never on the device */
} heron_spmm_op_args;

/* y := alpha*op(A)*x + beta*y, A dense, x sparse with 32-bit indices. */
typedef struct heron_gemvi_args {
    heron_operation op;
    heron_scalar alpha;
    heron_dnmat a;
    heron_spvec x;
    heron_scalar beta;
    heron_dnvec y;
    heron_type type;
} heron_gemvi_args;

/* Block rows mask[k] - a.base, k < mask_count, of y := alpha*A*x + beta*y; the others stay as they are. Block
 * row i has the blocks a.offsets[i] to ends[i] - 1. A is BSR with 32-bit offsets and indices. */
typedef struct heron_masked_spmv_args {
    heron_scalar alpha;
    heron_spmat a;
    const int32_t* ends;
    const int32_t* mask;
    int64_t mask_count;
    heron_dnvec x;
    heron_scalar beta;
    heron_dnvec y;
    heron_type type;
} heron_masked_spmv_args;

/* C := alpha*A + beta*B, all CSR with 32-bit offsets and indices and bases of their own, columns of A and B
 * ascending in every row; C's are too. C has every element that A or B stores.
 *
 * spadd_count  writes c.offsets and *nnz
 * spadd        reads c.offsets; writes c.indices and c.values. alpha = 0 does not read A's values, nor beta =
 * 0 B's */
typedef struct heron_spadd_args {
    heron_scalar alpha, beta;
    heron_spmat a, b, c;
    heron_type type;
    heron_count_result nnz; /* spadd_count */
} heron_spadd_args;
typedef heron_spadd_args heron_spadd_count_args;

#ifdef __cplusplus
}
#endif
#endif
