#pragma once
// The typed calls of the dense operations on vectors, in the terms of BLAS's level 1. A call validates
// everything and submits one operation of the plug-in. It throws core::error and has then written nothing. Of
// an operand that is NULL or misaligned the error names the whole, else a part: its offset, or the extent
// where it does not fit into its memory.
//
// As in BLAS: n <= 0 does nothing, and a result is then 0; operands may be NULL where they are not read or
// written. Increments have any sign, and 0; with a negative one the first element is the last in memory. A
// facade whose functions refuse or pass over some increments does so itself. Scalars and results lie on the
// host or on the device as the handle's pointer mode says. Vectors do not overlap, unless they are the same.
//
// Those that are declared inline are defined in blas1_calls.hpp.
//
// Types are R_32F, R_64F, C_32F, C_64F, computed in themselves, and R_16F and R_16BF, computed in R_32F,
// C_16F and C_16BF, computed in C_32F (compute_type_of). Scalars have the compute type unless it says
// otherwise.
#include "core/context.hpp"
#include "core/error.hpp"
#include <heron/args.h>

namespace heron::core {

// n elements, |inc| apart; the one that is first in memory is offset elements behind it.
struct dense_vector_operand {
    const void* memory = nullptr;  // a device address, or a cl_mem
    int64_t inc = 1;
    int64_t offset = 0;
    // Where memory is a cl_mem, the elements that it holds, and the call checks that the operand fits.
    // Negative: memory is an address and its extent unknown.
    int64_t size = -1;
};

// Where one number, or an array of a few, is read or goes: `offset` of its elements behind memory, on the
// host or on the device as the handle's pointer mode says. On the host the call waits for the device. On a
// caller's command queue results are on the device.
struct number_operand {
    number_operand() = default;
    number_operand(const void* p) : memory(p) {}
    number_operand(const void* p, int64_t first, int64_t elements)
        : memory(p), offset(first), size(elements) {}

    const void* memory = nullptr;  // an address, or a cl_mem
    int64_t offset = 0;
    int64_t size = -1;  // as for a vector
};

// y := x. exchange: x, y := y, x.
struct copy_call {
    heron_type type;
    int64_t n;
    dense_vector_operand x, y;
};
inline void copy(context& context, const copy_call& call);
inline void exchange(context& context, const copy_call& call);

// x := alpha*x. alpha_type is the compute type, or the real one of its precision. A NaN stays one for alpha =
// 0.
struct scal_call {
    heron_type type, alpha_type;
    int64_t n;
    const void* alpha;
    dense_vector_operand x;
};
inline void scal(context& context, const scal_call& call);

// y := alpha*x + y. alpha = 0 changes nothing.
struct axpy_call {
    heron_type type;
    int64_t n;
    const void* alpha;
    dense_vector_operand x, y;
};
inline void axpy(context& context, const axpy_call& call);

// *result := the sum of x_i*y_i, or with conjugate of conj(x_i)*y_i; result_type is type or its compute type.
struct dot_call {
    heron_type type, result_type;
    int64_t n;
    bool conjugate;
    dense_vector_operand x, y;
    number_operand result;
};
inline void dot(context& context, const dot_call& call);

// *result := the Euclidean norm, or (asum) the sum of |re| + |im|. result_type is the real type of type's or
// of the compute type's precision.
struct norm_call {
    heron_type type, result_type;
    int64_t n;
    dense_vector_operand x;
    number_operand result;
};
inline void nrm2(context& context, const norm_call& call);
inline void asum(context& context, const norm_call& call);

// *result := the number, from 1, of the first element with the largest |re| + |im|, or the smallest; 0 for n
// <= 0. An integer of result_type.
struct iamax_call {
    heron_type type;
    int64_t n;
    bool smallest;
    dense_vector_operand x;
    heron_index_type result_type;
    number_operand result;
};
inline void iamax(context& context, const iamax_call& call);

// x_i, y_i := c*x_i + s*y_i, c*y_i - conj(s)*x_i. c_type is the real type of the compute type's precision;
// s_type is that or the compute type. Either may have 16 bits where type has, on the host alone.
struct rot_call {
    heron_type type, c_type, s_type;
    int64_t n;
    dense_vector_operand x, y;
    const void* c;
    const void* s;
};
void rot(context& context, const rot_call& call);

// The rotation that turns (a, b) into (r, 0): writes a := r, b := z of BLAS (real types), c (real) and s. All
// on the host or all on the device.
struct rotg_call {
    heron_type type;  // R_32F, R_64F, C_32F, C_64F
    number_operand a, b, c, s;
};
void rotg(context& context, const rotg_call& call);

// x_i, y_i := H*(x_i, y_i), with parameters = flag, h11, h21, h12, h22 of the compute type. Real types. flag
// = -2: nothing changes.
struct rotm_call {
    heron_type type;
    int64_t n;
    dense_vector_operand x, y;
    number_operand parameters;
};
void rotm(context& context, const rotm_call& call);

// The parameters of the H for rotm with which H*(sqrt(d1)*x1, sqrt(d2)*y1) has 0 as second component. Updates
// d1, d2 and x1; reads y1. R_32F, R_64F. All on the host or all on the device. Of the parameters those are
// written that the flag makes rotm read.
struct rotmg_call {
    heron_type type;
    number_operand d1, d2, x1, y1, parameters;
};
void rotmg(context& context, const rotmg_call& call);

// The arguments are named by these roles: n columns; x, y with part::inc, offset, extent; alpha; result; c
// and s cosine and sine; a, b; parameters; d1 and d2 a and b, x1 and y1 x and y; types type and result_type.

}  // namespace heron::core
