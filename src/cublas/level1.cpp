// Vectors and rotations.
#include "translate.hpp"
#include "core/ops/blas1_calls.hpp"

using namespace heron;
using namespace heron::cublas;
using core::role;

namespace {

// Norms, sums, the largest element and scal are of nothing where the increment is not positive, as in BLAS.
constexpr int64_t counted(int64_t n, int64_t increment) { return increment > 0 ? n : 0; }

constexpr core::argument_name rotg_names[] = {{role::a, "a"}, {role::b, "b"}};
constexpr core::argument_name rotmg_names[] = {
    {role::a, "d1"}, {role::b, "d2"}, {role::x, "x1"}, {role::y, "y1"}};

}  // namespace

#define HERON_FAMILY "cublas/level1_functions.inc"
#include <cublas/foreach_type.inc>
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/rotations_functions.inc"
#include <cublas/foreach_type.inc>
