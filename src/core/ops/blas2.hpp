#pragma once
// The typed calls of the dense operations on a matrix and vectors, in the terms of BLAS's level 2, and of
// those on matrices that read or write every element once. A call validates everything, turns row order into
// column order and submits one operation of the plug-in. It throws core::error and has then written nothing.
// How errors name operands: dense.hpp. An increment of 0 is INVALID_VALUE at part::inc.
//
// As in BLAS: beta = 0 does not read the output; alpha = 0 reads nothing else; only the named triangle of a
// matrix is read or written, and with a unit diagonal no diagonal; imaginary parts on the diagonal of a
// Hermitian matrix are not read, and become 0 where it is written. A size of 0 does nothing (gemv: either of
// them), nor do alpha = 0 and beta = 1. Operands may be NULL where they are not read or written.
//
// Types are R_32F, R_64F, C_32F, C_64F. Scalars are read in the handle's pointer mode and have that type.
#include "blas1.hpp"
#include "dense.hpp"

namespace heron::core {

// A matrix as the caller stores it, in the call's order.
//
// FULL    as dense_matrix_operand.
// BANDED  as BLAS's band matrices: in column order element (i, j) is ku + i - j + j*ld elements behind the
// first,
//         in row order kl + j - i + i*ld, with kl diagonals below the main one and ku above it. A symmetric,
//         Hermitian or triangular one has k of them in its triangle alone.
// PACKED  the triangle's columns (row order: its rows) without gaps; ld is not read.
struct stored_matrix_operand {
    heron_matrix_storage storage = HERON_STORAGE_FULL;
    dense_matrix_operand matrix{};
    int64_t kl = 0, ku = 0;  // gemv, BANDED
    int64_t k = 0;           // triangles, BANDED
};

// y := alpha*op(A)*x + beta*y, A m x n, FULL or BANDED; all four operations.
struct gemv_call {
    heron_type type;
    heron_order order;
    heron_operation op;
    int64_t m, n;
    const void* alpha;
    stored_matrix_operand a;
    dense_vector_operand x;
    const void* beta;
    dense_vector_operand y;
};
void gemv(context& context, const gemv_call& call);

// The same for items 0 <= k < count, A FULL. type, also R_16F and R_16BF, C_16F and C_16BF, is that of A and
// x; y_type is it or the compute type, which is that of the scalars. Operands are as heron_batch_operand
// says: the address of an item is that of what is first in its memory.
struct gemv_batched_call {
    heron_type type, y_type;
    heron_order order;
    heron_operation op;
    int64_t m, n, count;
    const void* alpha;
    heron_batch_operand a;
    int64_t lda;
    heron_batch_operand x;
    int64_t x_inc;
    const void* beta;
    heron_batch_operand y;
    int64_t y_inc;
};
void gemv_batched(context& context, const gemv_batched_call& call);

// y := alpha*A*x + beta*y, A n x n and symmetric (symv, sbmv, spmv of BLAS; any type) or Hermitian (hemv,
// hbmv, hpmv; complex types) by its storage.
struct symv_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    bool hermitian;
    int64_t n;
    const void* alpha;
    stored_matrix_operand a;
    dense_vector_operand x;
    const void* beta;
    dense_vector_operand y;
};
void symv(context& context, const symv_call& call);

// trmv (tbmv, tpmv): x := op(A)*x. trsv (tbsv, tpsv): the solution of op(A)*y = x in place of x; a zero on
// the diagonal gives infinities or NaNs. All four operations.
struct triangular_vector_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    heron_operation op;
    heron_diag_type diag;
    int64_t n;
    stored_matrix_operand a;
    dense_vector_operand x;
};
void trmv(context& context, const triangular_vector_call& call);
void trsv(context& context, const triangular_vector_call& call);

// A := alpha*x*y^T + A, or with conjugate alpha*x*y^H + A. A is m x n.
struct ger_call {
    heron_type type;
    heron_order order;
    bool conjugate;
    int64_t m, n;
    const void* alpha;
    dense_vector_operand x, y;
    dense_matrix_operand a;
};
void ger(context& context, const ger_call& call);

// One triangle of A := alpha*x*x^T + A, or Hermitian alpha*x*x^H + A, where alpha is a real number of type's
// precision. A is FULL or PACKED.
struct syr_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    bool hermitian;
    int64_t n;
    const void* alpha;
    dense_vector_operand x;
    stored_matrix_operand a;
};
void syr(context& context, const syr_call& call);

// One triangle of A := alpha*x*y^T + alpha*y*x^T + A, or Hermitian alpha*x*y^H + conj(alpha)*y*x^H + A. A is
// FULL or PACKED.
struct syr2_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    bool hermitian;
    int64_t n;
    const void* alpha;
    dense_vector_operand x, y;
    stored_matrix_operand a;
};
void syr2(context& context, const syr2_call& call);

// C := alpha*op(A) + beta*op(B), C m x n; op NONE, TRANSPOSE or CONJUGATE_TRANSPOSE. alpha = 0 does not read
// A, beta = 0 not B. C may be A or B if that is not transposed and has C's ld.
struct geam_call {
    heron_type type;
    heron_order order;
    heron_operation op_a, op_b;
    int64_t m, n;
    const void* alpha;
    dense_matrix_operand a;
    const void* beta;
    dense_matrix_operand b, c;
};
void geam(context& context, const geam_call& call);

// C := diag(x)*A (LEFT, x has m elements) or A*diag(x) (RIGHT, n), C m x n; it may be A. x's increment may be
// 0.
struct dgmm_call {
    heron_type type;
    heron_order order;
    heron_side side;
    int64_t m, n;
    dense_matrix_operand a;
    dense_vector_operand x;
    dense_matrix_operand c;
};
void dgmm(context& context, const dgmm_call& call);

// The triangle `fill` of an n x n matrix from one storage to the other (tpttr, trttp); one of them is PACKED,
// the other FULL. Nothing outside the triangle is read or written. The errors name from a and to b.
struct repack_call {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    int64_t n;
    stored_matrix_operand from, to;
};
void repack(context& context, const repack_call& call);

// trsm of dense.hpp for items 0 <= k < count.
struct trsm_batched_call {
    heron_type type;
    heron_order order;
    heron_side side;
    heron_fill_mode fill;
    heron_operation op;
    heron_diag_type diag;
    int64_t m, n, count;
    const void* alpha;
    heron_batch_operand a;
    int64_t lda;
    heron_batch_operand b;
    int64_t ldb;
};
void trsm_batched(context& context, const trsm_batched_call& call);

// The arguments are named by these roles: m rows, n columns, count; kl lower_bandwidth, ku upper_bandwidth, k
// inner; a, b, c with part::ld, offset, extent, and storage; x, y with part::inc, offset, extent; alpha,
// beta; operation_a, operation_b, order, fill, side, diagonal, type; result_type is the type of y.

}  // namespace heron::core
