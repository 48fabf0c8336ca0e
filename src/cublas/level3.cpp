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

// One triangle of alpha*op(A)*op(B)' + beta*C, where ' is `turned` and op NONE or that. For complex types
// `turned` says whether C is Hermitian.
core::gemmt_call triangle_of_product(heron_type type, heron_fill_mode fill, heron_operation op,
                                     heron_operation turned, int64_t n, int64_t k, const void* alpha,
                                     const core::dense_matrix_operand& a, const core::dense_matrix_operand& b,
                                     const void* beta, const core::dense_matrix_operand& c) {
    const heron_operation op_b = op == HERON_OP_NONE ? turned : HERON_OP_NONE;
    const bool is_hermitian = turned == HERON_OP_CONJUGATE_TRANSPOSE;
    return {type, HERON_ORDER_COLUMN, fill, op, op_b, n, k, alpha, a, b, beta, c, is_hermitian};
}

}  // namespace

#define HERON_FAMILY "cublas/level3_functions.inc"
#include <cublas/foreach_type.inc>
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/packing_functions.inc"
#include <cublas/foreach_type.inc>
