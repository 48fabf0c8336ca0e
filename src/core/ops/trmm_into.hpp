#pragma once
// A triangular product that leaves its operand as it is.
#include "dense.hpp"

namespace heron::core {

// C := alpha*op(A)*B (LEFT) or alpha*B*op(A) (RIGHT) of trmm's arguments. C is B, or does not overlap it.
void trmm_into(context& context, const triangular_call& call, const dense_matrix_operand& c);

}  // namespace heron::core
