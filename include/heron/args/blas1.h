/* Arguments of the dense operations on vectors: the level 1 of BLAS. */
#ifndef HERON_ARGS_BLAS1_H
#define HERON_ARGS_BLAS1_H

#include <heron/operands.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element i is offset + i*inc elements behind memory, inc of any sign or 0: the core has moved the offset to
 * where BLAS begins with a negative increment. memory is a device address, or a cl_mem on a queue that was
 * made from a caller's OpenCL command queue. Where an output has inc = 0 its one element is as if the
 * elements had been worked on in their order. */
typedef struct heron_vector_operand {
    void* memory;
    int64_t offset, inc;
} heron_vector_operand;

/* Where one number goes: element `offset` of memory as in heron_vector_operand, or of host memory if not
 * on_device. Then RUN waits for the device, unless its stream is being captured. */
typedef struct heron_result {
    void* memory;
    int64_t offset;
    int32_t on_device;
} heron_result;

/* In all of these `type` is that of the vectors and compute_type the one of sums and scalars: equal, or
 * R_32F for R_16F and R_16BF, C_32F for C_16F and C_16BF. n is at least 0. */

/* y := x */
typedef struct heron_vector_copy_args {
    heron_type type;
    int64_t n;
    heron_vector_operand x, y;
} heron_vector_copy_args;
/* y, x := x, y */
typedef heron_vector_copy_args heron_vector_swap_args;

/* x := alpha*x. real_alpha: x is complex, and alpha has the real type of compute_type's precision. alpha = 0
 * multiplies, so that NaNs stay. */
typedef struct heron_scal_args {
    heron_type type, compute_type;
    int64_t n;
    heron_scalar alpha;
    int32_t real_alpha;
    heron_vector_operand x;
} heron_scal_args;

/* y := alpha*x + y. alpha = 0 reads neither. */
typedef struct heron_axpy_args {
    heron_type type, compute_type;
    int64_t n;
    heron_scalar alpha;
    heron_vector_operand x, y;
} heron_axpy_args;

/* result := sum of x_i*y_i, or with conjugate of conj(x_i)*y_i. result_type is type or compute_type. The sum
 * has the same bits on every run. */
typedef struct heron_dot_args {
    heron_type type, compute_type, result_type;
    int64_t n;
    int32_t conjugate;
    heron_vector_operand x, y;
    heron_result result;
} heron_dot_args;

/* One real number of a vector, of result_type: real, of type's or of compute_type's precision.
 * nrm2: the Euclidean norm, with no overflow or underflow on the way; asum: the sum of |re| + |im|. Both have
 * the same bits on every run, and are 0 for n = 0. */
typedef struct heron_norm_args {
    heron_type type, compute_type, result_type;
    int64_t n;
    heron_vector_operand x;
    heron_result result;
} heron_norm_args;
typedef heron_norm_args heron_nrm2_args;
typedef heron_norm_args heron_asum_args;

/* result := 1 + the first i with the largest |re x_i| + |im x_i|, or with smallest the smallest one; 0 for n
 * = 0. NaNs are passed over, but a NaN as x_0 gives 1, as with BLAS's comparisons. */
typedef struct heron_iamax_args {
    heron_type type, compute_type;
    int64_t n;
    int32_t smallest;
    heron_vector_operand x;
    heron_index_type result_type;
    heron_result result;
} heron_iamax_args;

/* x_i, y_i := c*x_i + s*y_i, c*y_i - conj(s)*x_i. c is real, of compute_type's precision, and so is s with
 * real_s; else s is a compute_type. */
typedef struct heron_plane_rot_args {
    heron_type type, compute_type;
    int64_t n;
    heron_vector_operand x, y;
    heron_scalar c, s;
    int32_t real_s;
} heron_plane_rot_args;

/* The rotation that turns (a, b) into (r, 0): a := r, of real numbers b := z of BLAS, c (real) and s. All in
 * device memory; each the element `offset`. */
typedef struct heron_rotg_args {
    heron_type type;
    heron_result a, b, c, s;
} heron_rotg_args;

/* x_i, y_i := H*(x_i, y_i) with BLAS's five numbers flag, h11, h21, h12, h22. They are in device memory, or
 * in values if parameters.memory is NULL. Real types. */
typedef struct heron_rotm_args {
    heron_type type, compute_type;
    int64_t n;
    heron_vector_operand x, y;
    heron_result parameters;
    double values[5];
} heron_rotm_args;

/* The H of rotm with which the second component of H*(sqrt(d1)*x1, sqrt(d2)*y1) is 0; d1, d2 and x1 are
 * updated. All in device memory. Real types. */
typedef struct heron_rotmg_args {
    heron_type type;
    heron_result d1, d2, x1, y1, parameters;
} heron_rotmg_args;

#ifdef __cplusplus
}
#endif
#endif
