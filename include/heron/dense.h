/* Dense matrix products and triangular solves in S, D, C and Z: the level 3 of BLAS with the element type as
 * an argument, and batched and triangular products beyond it. C99; heron.h includes this header.
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

#ifdef __cplusplus
}
#endif
#endif
