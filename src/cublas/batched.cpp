// Batches of operands of one shape.
#include "translate.hpp"
#include "core/ops/blas2.hpp"

using namespace heron;
using namespace heron::cublas;
using core::role;

namespace {

constexpr core::argument_name array_names[] = {{role::a, "Aarray"}, {role::x, "xarray"}, {role::y, "yarray"}};
constexpr core::argument_name product_names[] = {{role::operation_a, "transa"}};
constexpr core::argument_name product_array_names[] = {
    {role::operation_a, "transa"}, {role::a, "Aarray"}, {role::b, "Barray"}, {role::c, "Carray"}};

}  // namespace

#define HERON_FAMILY "cublas/batched_functions.inc"
#include <cublas/foreach_type.inc>
#define HERON_FAMILY "cublas/short_gemv_functions.inc"
#include <cublas/foreach_short_type.inc>
#define HERON_FAMILY "cublas/complex_batched_functions.inc"
#include <cublas/foreach_integer.inc>
