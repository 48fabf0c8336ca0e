// Products and solves of matrices, and their sums.
#include "stored_matrices.hpp"
#include "translate.hpp"
#include "core/ops/dense.hpp"
#include "core/ops/trmm_into.hpp"

using namespace heron;
using namespace heron::cublas;
using core::part;
using core::role;

namespace {

constexpr core::argument_name product_names[] = {{role::operation_a, "transa"}};
constexpr core::argument_name dgmm_names[] = {{role::side, "mode"}};
constexpr core::argument_name unpacking_names[] = {
    {role::a, "AP"}, {role::b, "A"}, {{role::b, part::ld}, "lda"}};
constexpr core::argument_name packing_names[] = {{role::a, "A"}, {role::b, "AP"}};

// One triangle of alpha*op(A)*op(B)' + beta*C, where ' is `turned` and op NONE or that.
core::gemmt_call triangle_of_product(heron_type type, heron_fill_mode fill, heron_operation op,
                                     heron_operation turned, int64_t n, int64_t k, const void* alpha,
                                     const core::dense_matrix_operand& a, const core::dense_matrix_operand& b,
                                     const void* beta, const core::dense_matrix_operand& c) {
    const bool is_real = type == HERON_R_32F || type == HERON_R_64F;
    if (is_real && op == HERON_OP_CONJUGATE_TRANSPOSE) op = HERON_OP_TRANSPOSE;
    if (op != HERON_OP_NONE && op != turned)
        core::invalid(role::operation_a, turned == HERON_OP_TRANSPOSE
                                             ? "is neither CUBLAS_OP_N nor CUBLAS_OP_T"
                                             : "is neither CUBLAS_OP_N nor CUBLAS_OP_C");
    const heron_operation op_b = op == HERON_OP_NONE ? turned : HERON_OP_NONE;
    return {type, HERON_ORDER_COLUMN, fill, op, op_b, n, k, alpha, a, b, beta, c};
}

template <class T>
struct complex_of;
template <>
struct complex_of<float> {
    using type = cuComplex;
};
template <>
struct complex_of<double> {
    using type = cuDoubleComplex;
};

// f(c, z), where z points to the complex number with the real scalar's value, in the handle's pointer mode.
template <class R, class F>
void with_complex(core::context& c, const R* scalar, role about, F&& f) {
    using complex = typename complex_of<R>::type;
    core::required(scalar, about);
    if (c.pointer_mode() == core::pointer_mode::host) {
        const complex z{*scalar, 0};
        return f(c, &z);
    }
    c.with_scratch(sizeof(complex), [&](heron_queue* queue, void* memory) {
        core::check(c.table().fill(queue, memory, 0, sizeof(complex)), "writing a scalar");
        core::check(c.table().copy(queue, memory, scalar, sizeof *scalar), "copying a scalar");
        f(c, static_cast<const complex*>(memory));
    });
}

}  // namespace

#define HERON_FAMILY "cublas/level3_functions.inc"
#include <cublas/foreach_type.inc>
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/packing_functions.inc"
#include <cublas/foreach_type.inc>
