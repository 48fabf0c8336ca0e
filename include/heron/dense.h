/* Dense linear algebra in S, D, C and Z: the levels 3, 1 and 2 of BLAS with the element type as an argument,
 * and batched and triangular products beyond them. C99; heron.h includes this header.
 *
 * Matrices lie in device memory. COLUMN order: element (i, j) is at a[i + j*lda]; ROW order: at a[i*lda + j].
 * All operands of a call have the same order. op is NONE, TRANSPOSE, CONJUGATE_TRANSPOSE or, where it says
 * so, CONJUGATE. For real types CONJUGATE_TRANSPOSE is TRANSPOSE.
 *
 * alpha and beta are addresses of one number each, on the host or on the device as heron_set_pointer_mode
 * says, of the operands' type (float and float _Complex for the 16-bit types) unless it says real: then float
 * or double. As in BLAS, beta = 0 does not read C, alpha = 0 or k = 0 reads neither A nor B (which may then
 * be NULL), and of a symmetric, Hermitian or triangular matrix only the triangle `uplo` is read or written.
 * Outputs must not overlap inputs.
 *
 * The calls are asynchronous on the handle's stream. Common statuses:
 *   HERON_NOT_INITIALIZED         handle is NULL
 *   HERON_INVALID_VALUE           a value that is none of its enumeration's, a negative size, a leading
 * dimension that is too small, a NULL or misaligned array that would be used, a NULL scalar
 *   HERON_NOT_SUPPORTED           a type that the operation is not built for
 *   HERON_ARCH_MISMATCH           a double type on a device without
 *   HERON_INSUFFICIENT_RESOURCES  a size exceeds 63 bits */
#ifndef HERON_DENSE_H
#define HERON_DENSE_H

#include <heron/heron.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the scalars of the handle's calls lie; HOST at first. It holds for all operations of the handle that
 * take scalars. A device scalar is read when the stream reaches the call. */
HERON_API heron_status heron_set_pointer_mode(heron_handle handle, heron_pointer_mode mode);
HERON_API heron_status heron_get_pointer_mode(heron_handle handle, heron_pointer_mode* mode);

/* Functions that need memory beside their operands and have no argument for it, such as heron_gemm with
 * HERON_GEMM_3M, take it from the handle, call after call, also across changes of the stream. The handle
 * allocates such memory when it is first needed, lets it grow, and frees it when it is destroyed. With
 * heron_set_workspace they take the caller's memory instead, until it is replaced, and fail where it is too
 * small; NULL and 0, as at first: the handle's own. A captured CUDA graph keeps the memory's address: it is
 * launched in order with the handle's other calls, and before the handle is destroyed. */
HERON_API heron_status heron_set_workspace(heron_handle handle, void* memory, size_t bytes);

/* *bytes := what heron_gemm needs of it for these sizes, whatever the operations are; 0 for all algorithms
 * but 3M. */
HERON_API heron_status heron_gemm_workspace(heron_handle handle, heron_type type, int64_t m, int64_t n,
                                            int64_t k, heron_gemm_algorithm algorithm, size_t* bytes);

/* HERON_GEMM_3M, for C_32F and C_64F, forms P = op(A)*op(B), with real parts A1, B1 and imaginary parts A2,
 * B2, from three real products instead of four: Re P = A1*B1 - A2*B2, Im P = (A1 + A2)*(B1 + B2) - A1*B1 -
 * A2*B2. The real parts are as accurate as DEFAULT's. The error of the imaginary parts is, in units of the
 * rounding error and to first order, component by component at most (k + 4) * ((|A1| + |A2|)*(|B1| + |B2|) +
 * |A1|*|B1| + |A2|*|B2|) and so at most 3*(k + 4) times the product of the elements' moduli, |A|*|B|, but no
 * multiple of |A1|*|B2| + |A2|*|B1| as DEFAULT's: imaginary parts that are small beside real ones lose
 * digits, while norms stay as accurate up to a small factor (N. J. Higham, SIAM J. Matrix Anal. Appl. 13(3),
 * 1992, 681-687). An infinity or NaN in A or B may make both parts of an element NaN, and the sums of parts
 * may overflow. Besides the common statuses: HERON_NOT_SUPPORTED           another type, or
 * heron_gemm_batched HERON_INSUFFICIENT_RESOURCES  the memory of heron_set_workspace is too small */

/* C := alpha*op(A)*op(B) + beta*C. C is m x n, op(A) m x k, op(B) k x n; all four operations. type: R_32F,
 * R_64F, C_32F, C_64F, and R_16F, R_16BF, C_16F, C_16BF, which are stored so and computed in single
 * precision. algorithm: types.h; DEFAULT is always right. */
HERON_API heron_status heron_gemm(heron_handle handle, heron_type type, heron_order order,
                                  heron_operation op_a, heron_operation op_b, int64_t m, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int64_t lda, const void* b, int64_t ldb,
                                  const void* beta, void* c, int64_t ldc, heron_gemm_algorithm algorithm);

/* The same for items 0 <= i < count, each with its own A, B and C: heron_batch_strided, heron_batch_pointers
 * and heron_batch_indexed make operands. The items' C must not overlap. */
HERON_API heron_status heron_gemm_batched(heron_handle handle, heron_type type, heron_order order,
                                          heron_operation op_a, heron_operation op_b, int64_t m, int64_t n,
                                          int64_t k, const void* alpha, heron_batch_operand a, int64_t lda,
                                          heron_batch_operand b, int64_t ldb, const void* beta,
                                          heron_batch_operand c, int64_t ldc, int64_t count,
                                          heron_gemm_algorithm algorithm);

/* The triangle uplo of C := alpha*op(A)*op(B) + beta*C, for a product that is known to be symmetric. C is n x
 * n, op(A) n x k, op(B) k x n; all four operations. */
HERON_API heron_status heron_gemmt(heron_handle handle, heron_type type, heron_order order,
                                   heron_fill_mode uplo, heron_operation op_a, heron_operation op_b,
                                   int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
                                   const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);

/* The triangle uplo of C := alpha*op(A)*op(A)^T + beta*C. op is NONE or TRANSPOSE; op(A) is n x k. */
HERON_API heron_status heron_syrk(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_operation op, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int64_t lda, const void* beta, void* c,
                                  int64_t ldc);

/* The triangle uplo of C := alpha*op(A)*op(A)^H + beta*C for complex types; alpha and beta are real. op is
 * NONE or CONJUGATE_TRANSPOSE. The imaginary parts of C's diagonal are not read and become 0, unless nothing
 * is to be done: alpha = 0 or k = 0, and beta = 1. */
HERON_API heron_status heron_herk(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_operation op, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int64_t lda, const void* beta, void* c,
                                  int64_t ldc);

/* The triangle uplo of C := alpha*op(A)*op(B)^T + alpha*op(B)*op(A)^T + beta*C. op is NONE or TRANSPOSE;
 * op(A) and op(B) are n x k. algorithm: FUSED, or TWO_PASSES, which takes scalars from the host only. */
HERON_API heron_status heron_syr2k(heron_handle handle, heron_type type, heron_order order,
                                   heron_fill_mode uplo, heron_operation op, int64_t n, int64_t k,
                                   const void* alpha, const void* a, int64_t lda, const void* b, int64_t ldb,
                                   const void* beta, void* c, int64_t ldc, heron_rank_2k_algorithm algorithm);

/* The triangle uplo of C := alpha*op(A)*op(B)^H + conj(alpha)*op(B)*op(A)^H + beta*C for complex types; beta
 * is real. op is NONE or CONJUGATE_TRANSPOSE. The diagonal as in heron_herk. */
HERON_API heron_status heron_her2k(heron_handle handle, heron_type type, heron_order order,
                                   heron_fill_mode uplo, heron_operation op, int64_t n, int64_t k,
                                   const void* alpha, const void* a, int64_t lda, const void* b, int64_t ldb,
                                   const void* beta, void* c, int64_t ldc, heron_rank_2k_algorithm algorithm);

/* C := alpha*A*B + beta*C (LEFT; A is m x m) or alpha*B*A + beta*C (RIGHT; A is n x n). A is symmetric; B and
 * C are m x n. */
HERON_API heron_status heron_symm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                  heron_fill_mode uplo, int64_t m, int64_t n, const void* alpha,
                                  const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta,
                                  void* c, int64_t ldc);

/* The same for a Hermitian A of a complex type; the imaginary parts of its diagonal are not read. */
HERON_API heron_status heron_hemm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                  heron_fill_mode uplo, int64_t m, int64_t n, const void* alpha,
                                  const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta,
                                  void* c, int64_t ldc);

/* B := alpha*op(A)*B (LEFT; A is m x m) or alpha*B*op(A) (RIGHT; A is n x n). A is triangular, and with diag
 * UNIT its diagonal is not read and taken as 1. B is m x n. op is NONE, TRANSPOSE or CONJUGATE_TRANSPOSE. */
HERON_API heron_status heron_trmm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                  heron_fill_mode uplo, heron_operation op, heron_diag_type diag, int64_t m,
                                  int64_t n, const void* alpha, const void* a, int64_t lda, void* b,
                                  int64_t ldb);

/* B := the X of op(A)*X = alpha*B (LEFT) or X*op(A) = alpha*B (RIGHT). A zero on the diagonal gives
 * infinities or NaNs. */
HERON_API heron_status heron_trsm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                  heron_fill_mode uplo, heron_operation op, heron_diag_type diag, int64_t m,
                                  int64_t n, const void* alpha, const void* a, int64_t lda, void* b,
                                  int64_t ldb);

/* Vectors: the level 1 of BLAS. n <= 0 does nothing, and gives the result 0. x has n elements |incx| apart;
 * with a negative increment the first one is the last in memory, and 0 is allowed. type: R_32F, R_64F, C_32F,
 * C_64F, and R_16F, R_16BF, C_16F, C_16BF, which are stored so and computed in single precision, as their
 * scalars and results are. Results lie where heron_set_pointer_mode says that scalars lie; on the host the
 * call waits for the device. Sums have the same bits on every run. */

/* y := x, and x, y := y, x */
HERON_API heron_status heron_vector_copy(heron_handle handle, heron_type type, int64_t n, const void* x,
                                         int64_t incx, void* y, int64_t incy);
HERON_API heron_status heron_vector_swap(heron_handle handle, heron_type type, int64_t n, void* x,
                                         int64_t incx, void* y, int64_t incy);

/* x := alpha*x. alpha_type is the type of the scalars, or the real one of its precision. */
HERON_API heron_status heron_scal(heron_handle handle, heron_type type, int64_t n, heron_type alpha_type,
                                  const void* alpha, void* x, int64_t incx);

/* y := alpha*x + y */
HERON_API heron_status heron_axpy(heron_handle handle, heron_type type, int64_t n, const void* alpha,
                                  const void* x, int64_t incx, void* y, int64_t incy);

/* *result := the sum of x_i*y_i; dotc: of conj(x_i)*y_i. */
HERON_API heron_status heron_dot(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                                 const void* y, int64_t incy, void* result);
HERON_API heron_status heron_dotc(heron_handle handle, heron_type type, int64_t n, const void* x,
                                  int64_t incx, const void* y, int64_t incy, void* result);

/* *result := the Euclidean norm, with neither overflow nor underflow on the way, and the sum of |re| + |im|:
 * real numbers. */
HERON_API heron_status heron_nrm2(heron_handle handle, heron_type type, int64_t n, const void* x,
                                  int64_t incx, void* result);
HERON_API heron_status heron_asum(heron_handle handle, heron_type type, int64_t n, const void* x,
                                  int64_t incx, void* result);

/* *result := the number, from 1, of the first element with the largest |re| + |im|, and the smallest. */
HERON_API heron_status heron_iamax(heron_handle handle, heron_type type, int64_t n, const void* x,
                                   int64_t incx, int64_t* result);
HERON_API heron_status heron_iamin(heron_handle handle, heron_type type, int64_t n, const void* x,
                                   int64_t incx, int64_t* result);

/* x, y := c*x + s*y, c*y - conj(s)*x. c is real; s_type is the type of the scalars, or the real one of its
 * precision. */
HERON_API heron_status heron_rot(heron_handle handle, heron_type type, int64_t n, void* x, int64_t incx,
                                 void* y, int64_t incy, const void* c, heron_type s_type, const void* s);

/* The rotation that turns (a, b) into (r, 0): a := r, c (real) and s, and for real types b := z of BLAS.
 * R_32F, R_64F, C_32F, C_64F. */
HERON_API heron_status heron_rotg(heron_handle handle, heron_type type, void* a, void* b, void* c, void* s);

/* (x, y) := H*(x, y), where parameters are BLAS's flag, h11, h21, h12 and h22; real types. rotmg makes the H
 * that turns (sqrt(d1)*x1, sqrt(d2)*y1) into (., 0) and updates d1, d2 and x1; R_32F, R_64F. */
HERON_API heron_status heron_rotm(heron_handle handle, heron_type type, int64_t n, void* x, int64_t incx,
                                  void* y, int64_t incy, const void* parameters);
HERON_API heron_status heron_rotmg(heron_handle handle, heron_type type, void* d1, void* d2, void* x1,
                                   const void* y1, void* parameters);

/* A matrix and vectors: the level 2 of BLAS, in R_32F, R_64F, C_32F and C_64F. Increments are not 0.
 * Symmetric, Hermitian and triangular matrices are stored FULL; BANDED, with k diagonals beside the main one,
 * as BLAS's band matrices: in COLUMN order element (i, j) at a[i - j + j*lda] of a lower triangle and at a[k
 * + i - j + j*lda] of an upper one, in ROW order at a[k + j - i + i*lda] and a[j - i + i*lda]; or PACKED, the
 * triangle's columns (ROW order: its rows) without gaps. k is read for BANDED alone, lda not for PACKED. */

/* y := alpha*op(A)*x + beta*y, A m x n; all four operations. gbmv: with kl diagonals below the main one and
 * ku above it, element (i, j) at a[ku + i - j + j*lda] in COLUMN and a[kl + j - i + i*lda] in ROW order. */
HERON_API heron_status heron_gemv(heron_handle handle, heron_type type, heron_order order, heron_operation op,
                                  int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda,
                                  const void* x, int64_t incx, const void* beta, void* y, int64_t incy);
HERON_API heron_status heron_gbmv(heron_handle handle, heron_type type, heron_order order, heron_operation op,
                                  int64_t m, int64_t n, int64_t kl, int64_t ku, const void* alpha,
                                  const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
                                  void* y, int64_t incy);

/* gemv for items 0 <= i < count; also the 16-bit types, with y of y_type: type, or that of the scalars. The
 * items' y must not overlap. */
HERON_API heron_status heron_gemv_batched(heron_handle handle, heron_type type, heron_order order,
                                          heron_operation op, int64_t m, int64_t n, const void* alpha,
                                          heron_batch_operand a, int64_t lda, heron_batch_operand x,
                                          int64_t incx, const void* beta, heron_type y_type,
                                          heron_batch_operand y, int64_t incy, int64_t count);

/* y := alpha*A*x + beta*y, A symmetric, or Hermitian in a complex type. */
HERON_API heron_status heron_symv(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_matrix_storage storage, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx,
                                  const void* beta, void* y, int64_t incy);
HERON_API heron_status heron_hemv(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_matrix_storage storage, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx,
                                  const void* beta, void* y, int64_t incy);

/* x := op(A)*x, and x := the solution y of op(A)*y = x, A triangular; all four operations. */
HERON_API heron_status heron_trmv(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_operation op, heron_diag_type diag,
                                  heron_matrix_storage storage, int64_t n, int64_t k, const void* a,
                                  int64_t lda, void* x, int64_t incx);
HERON_API heron_status heron_trsv(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_operation op, heron_diag_type diag,
                                  heron_matrix_storage storage, int64_t n, int64_t k, const void* a,
                                  int64_t lda, void* x, int64_t incx);

/* A := alpha*x*y^T + A, and (gerc) alpha*x*y^H + A; A is m x n. */
HERON_API heron_status heron_ger(heron_handle handle, heron_type type, heron_order order, int64_t m,
                                 int64_t n, const void* alpha, const void* x, int64_t incx, const void* y,
                                 int64_t incy, void* a, int64_t lda);
HERON_API heron_status heron_gerc(heron_handle handle, heron_type type, heron_order order, int64_t m,
                                  int64_t n, const void* alpha, const void* x, int64_t incx, const void* y,
                                  int64_t incy, void* a, int64_t lda);

/* The triangle uplo of A := alpha*x*x^T + A; her: alpha*x*x^H + A with a real alpha. A is FULL or PACKED. */
HERON_API heron_status heron_syr(heron_handle handle, heron_type type, heron_order order,
                                 heron_fill_mode uplo, heron_matrix_storage storage, int64_t n,
                                 const void* alpha, const void* x, int64_t incx, void* a, int64_t lda);
HERON_API heron_status heron_her(heron_handle handle, heron_type type, heron_order order,
                                 heron_fill_mode uplo, heron_matrix_storage storage, int64_t n,
                                 const void* alpha, const void* x, int64_t incx, void* a, int64_t lda);

/* The triangle uplo of A := alpha*x*y^T + alpha*y*x^T + A; her2: alpha*x*y^H + conj(alpha)*y*x^H + A. FULL or
 * PACKED. */
HERON_API heron_status heron_syr2(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_matrix_storage storage, int64_t n,
                                  const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy,
                                  void* a, int64_t lda);
HERON_API heron_status heron_her2(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, heron_matrix_storage storage, int64_t n,
                                  const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy,
                                  void* a, int64_t lda);

/* C := alpha*op(A) + beta*op(B), C m x n; op NONE, TRANSPOSE or CONJUGATE_TRANSPOSE. C may be A or B if that
 * is not transposed and has the leading dimension ldc. */
HERON_API heron_status heron_geam(heron_handle handle, heron_type type, heron_order order,
                                  heron_operation op_a, heron_operation op_b, int64_t m, int64_t n,
                                  const void* alpha, const void* a, int64_t lda, const void* beta,
                                  const void* b, int64_t ldb, void* c, int64_t ldc);

/* C := diag(x)*A (LEFT; x has m elements) or A*diag(x) (RIGHT; n). incx may be 0, and C may be A with ldc =
 * lda. */
HERON_API heron_status heron_dgmm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                  int64_t m, int64_t n, const void* a, int64_t lda, const void* x,
                                  int64_t incx, void* c, int64_t ldc);

/* The triangle uplo of A into packed storage, and out of it. */
HERON_API heron_status heron_pack(heron_handle handle, heron_type type, heron_order order,
                                  heron_fill_mode uplo, int64_t n, const void* a, int64_t lda, void* packed);
HERON_API heron_status heron_unpack(heron_handle handle, heron_type type, heron_order order,
                                    heron_fill_mode uplo, int64_t n, const void* packed, void* a,
                                    int64_t lda);

/* heron_trsm for items 0 <= i < count. */
HERON_API heron_status heron_trsm_batched(heron_handle handle, heron_type type, heron_order order,
                                          heron_side side, heron_fill_mode uplo, heron_operation op,
                                          heron_diag_type diag, int64_t m, int64_t n, const void* alpha,
                                          heron_batch_operand a, int64_t lda, heron_batch_operand b,
                                          int64_t ldb, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
