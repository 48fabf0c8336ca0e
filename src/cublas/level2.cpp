// Matrices and vectors.
#include "stored_matrices.hpp"
#include "translate.hpp"

using namespace heron;
using namespace heron::cublas;
using core::role;

namespace {

constexpr core::argument_name packed_names[] = {{role::a, "AP"}};

}  // namespace

#define HERON_FAMILY "cublas/level2_functions.inc"
#include <cublas/foreach_type.inc>
