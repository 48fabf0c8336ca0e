#pragma once
// The typed calls of the dense operations, in the terms of BLAS. A call validates everything, turns row order
// into column order and submits one operation of the plug-in. It throws core::error and has then written
// nothing. Of an operand that is NULL or misaligned the error names the whole, else a part: its ld or offset,
// or the extent where it does not fit into its memory.
//
// As in BLAS: beta = 0 does not read C; alpha = 0 or k = 0 reads neither A nor B; only one triangle of a
// symmetric, Hermitian or triangular matrix is read or written; imaginary parts on the diagonal of a
// Hermitian matrix are not read and become 0. Nothing at all is done where m or n is 0, or (alpha = 0 or k =
// 0) and beta = 1, so that HERK and HER2K then leave the diagonal as it was. A and B may be NULL where they
// are not read.
#include "core/context.hpp"
#include "core/error.hpp"
#include <heron/args.h>

namespace heron::core {

// A matrix as the caller stores it: element (i, j) is offset + i + j*ld (column order) or offset + i*ld + j
// (row order) elements behind memory.
struct dense_matrix_operand {
    const void* memory = nullptr;  // a device address, or a cl_mem
    int64_t ld = 0;
    int64_t offset = 0;
    // Where memory is a cl_mem, the elements that it holds, and the call checks that the operand fits.
    // Negative: memory is an address and its extent unknown.
    int64_t size = -1;
};

// Scalars are read in the handle's pointer mode. They have the type of the matrices (compute_type for gemm),
// except that herk's alpha and beta and her2k's beta are real numbers of the same precision.

// C := alpha*op(A)*op(B) + beta*C. C is m x n, op(A) is m x k, op(B) is k x n. Types: R_32F, R_64F, C_32F,
// C_64F with the same compute_type; R_16F and R_16BF with R_32F; C_16F and C_16BF with C_32F.
struct gemm_call {
    heron_type type, compute_type;
    heron_order order;
    heron_operation op_a, op_b;
    int64_t m, n, k;
    const void* alpha;
    dense_matrix_operand a, b;
    const void* beta;
    dense_matrix_operand c;
    heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT;
};
void gemm(context& context, const gemm_call& call);
// The bytes that gemm needs of the context's workspace.
size_t gemm_workspace(context& context, heron_type type, int64_t m, int64_t n, int64_t k,
                      heron_gemm_algorithm algorithm);

// The same for items 0 <= i < count. The operands' addresses or strides are as heron_batch_operand says,
// without offsets.
struct gemm_batched_call {
    heron_type type, compute_type;
    heron_order order;
    heron_operation op_a, op_b;
    int64_t m, n, k, count;
    const void* alpha;
    heron_batch_operand a;
    int64_t lda;
    heron_batch_operand b;
    int64_t ldb;
    const void* beta;
    heron_batch_operand c;
    int64_t ldc;
    heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT;
};
void gemm_batched(context& context, const gemm_batched_call& call);

// One triangle of C := alpha*op(A)*op(B) + beta*C, which is n x n. Types as the rest: R_32F, R_64F, C_32F,
// C_64F. hermitian: the product is known to be Hermitian (herkx; complex types only), C's diagonal is as for
// herk, and beta a real number of the same precision.
struct gemmt_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    heron_operation op_a, op_b;
    int64_t n, k;
    const void* alpha;
    dense_matrix_operand a, b;
    const void* beta;
    dense_matrix_operand c;
    bool hermitian = false;
};
void gemmt(context& context, const gemmt_call& call);

// One triangle of C := alpha*op(A)*op(A)^T + beta*C (syrk; op NONE or TRANSPOSE) or alpha*op(A)*op(A)^H +
// beta*C (herk; op NONE or CONJUGATE_TRANSPOSE, complex types only). op(A) is n x k. For real types syrk
// takes CONJUGATE_TRANSPOSE for TRANSPOSE.
struct rank_k_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    heron_operation op;
    int64_t n, k;
    const void* alpha;
    dense_matrix_operand a;
    const void* beta;
    dense_matrix_operand c;
};
void syrk(context& context, const rank_k_call& call);
void herk(context& context, const rank_k_call& call);

// TWO_PASSES takes host scalars only (NOT_SUPPORTED in device pointer mode).
// One triangle of C := alpha*op(A)*op(B)^T + alpha*op(B)*op(A)^T + beta*C (syr2k) or
// alpha*op(A)*op(B)^H + conj(alpha)*op(B)*op(A)^H + beta*C (her2k). op as for syrk and herk.
struct rank_2k_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    heron_operation op;
    int64_t n, k;
    const void* alpha;
    dense_matrix_operand a, b;
    const void* beta;
    dense_matrix_operand c;
    heron_rank_2k_algorithm algorithm = HERON_RANK_2K_FUSED;
};
void syr2k(context& context, const rank_2k_call& call);
void her2k(context& context, const rank_2k_call& call);

// C := alpha*A*B + beta*C (LEFT, A is m x m) or alpha*B*A + beta*C (RIGHT, A is n x n), A symmetric or
// Hermitian (hemm, complex types only) with triangle `fill` stored; B and C are m x n.
struct symm_call {
    heron_type type;
    heron_order order;
    heron_side side;
    heron_fill_mode fill;
    int64_t m, n;
    const void* alpha;
    dense_matrix_operand a, b;
    const void* beta;
    dense_matrix_operand c;
};
void symm(context& context, const symm_call& call);
void hemm(context& context, const symm_call& call);

// trmm: B := alpha*op(A)*B (LEFT, A is m x m) or alpha*B*op(A) (RIGHT, A is n x n). trsm: the X of op(A)*X =
// alpha*B or X*op(A) = alpha*B in place of B; a zero on the diagonal gives infinities or NaNs. op: NONE,
// TRANSPOSE or CONJUGATE_TRANSPOSE. B is m x n.
struct triangular_call {
    heron_type type;
    heron_order order;
    heron_side side;
    heron_fill_mode fill;
    heron_operation op;
    heron_diag_type diag;
    int64_t m, n;
    const void* alpha;
    dense_matrix_operand a, b;
};
void trmm(context& context, const triangular_call& call);
void trsm(context& context, const triangular_call& call);

}  // namespace heron::core
