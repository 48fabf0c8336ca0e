/* Sparse matrix times dense matrix with operators of one's own: C(i, j) := epilogue(sum, C(i, j)), where sum
 * is add() over the stored elements A(i, l) of mul(A(i, l), op(B)(l, j)). Part of heron.h, which includes it.
 */
#ifndef HERON_SEMIRING_H
#define HERON_SEMIRING_H

#include <heron/heron.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CSR. The indices of a row may come in any order. offsets and indices may be NULL where nnz is 0. */
typedef struct heron_csr_matrix {
    int64_t rows, cols, nnz;
    const void* offsets; /* rows + 1 */
    const void* indices;
    const void* values;
    heron_index_type offset_type, index_type; /* 32/32, 64/64 or 64/32 bits */
    int32_t base;
    heron_type type;
} heron_csr_matrix;

typedef struct heron_dense_matrix {
    int64_t rows, cols, ld;
    void* values;
    heron_type type;
    heron_order order;
} heron_dense_matrix;

/* Zero bytes are a legal start: plus, times, and C := sum.
 *
 * A row's sum starts with its first product, so that no operator needs a neutral element; a row that stores
 * nothing has the sum `identity`. Products are added in the order in which they are stored. Which form works
 * where:
 *
 *             cuda  opencl  host
 *   NAMED      x      x      x
 *   SOURCE     x      x            compiled at the first use, kept for the life of the process
 *   CALLBACK                  x    called from several threads at a time
 *
 * SOURCE: each text defines one function, and whatever it calls, in CUDA C on cuda and OpenCL C 1.2 on
 * opencl:
 *
 *   HERON_OPERATOR heron_value add_op(heron_value a, heron_value b) { return a < b ? a : b; }
 *   HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { return a + b; }
 *   HERON_OPERATOR heron_value epilogue(heron_value sum, heron_value c) { return sum < c ? sum : c; }
 *
 * HERON_OPERATOR and heron_value, the compute type, are defined on both; complex numbers have members x and
 * y. */
typedef struct heron_operators {
    heron_operator_form form;
    heron_semiring semiring; /* NAMED; of real numbers, but for PLUS_TIMES and OR_AND */
    heron_epilogue epilogue_kind;
    const char* add_source; /* SOURCE */
    const char* mul_source;
    const char* epilogue_source; /* CUSTOM epilogue */
    heron_operator_callback add; /* CALLBACK */
    heron_operator_callback mul;
    heron_operator_callback epilogue; /* CUSTOM epilogue */
    void* context;                    /* handed to the callbacks */
    const void* identity; /* host address of one number of the compute type; NULL: the semiring's, or 0 */
} heron_operators;

typedef struct heron_spmm_op_desc {
    heron_csr_matrix a;
    heron_operation op_b; /* NONE or TRANSPOSE */
    heron_dense_matrix b; /* of a's type */
    heron_dense_matrix c; /* must not overlap b */
    heron_type compute_type;
    heron_operators operators;
} heron_spmm_op_desc;

/* *bytes := size of the workspace that heron_spmm_op needs. Compiles operators that are given as source text,
 * so that heron_spmm_op need not. */
HERON_API heron_status heron_spmm_op_workspace(heron_handle handle, const heron_spmm_op_desc* desc,
                                               size_t* bytes);

/* Submits the product. Types of a and b, c, compute: R_32F, R_64F, C_32F, C_64F and R_32I throughout; R_8I to
 * R_32I or R_32F; R_16F or R_16BF to itself or to R_32F, computed in R_32F. workspace may be NULL when its
 * size is 0. HERON_NOT_INITIALIZED         handle or desc is NULL HERON_INVALID_VALUE           sizes that do
 * not match, a missing array, operator or epilogue, source text that does not compile (the log holds the
 * compiler's words) HERON_NOT_SUPPORTED           types outside the list, a form of operators that the
 * backend does not take HERON_INSUFFICIENT_RESOURCES  the workspace is too small */
HERON_API heron_status heron_spmm_op(heron_handle handle, const heron_spmm_op_desc* desc, void* workspace,
                                     size_t workspace_bytes);

#ifdef __cplusplus
}
#endif
#endif
