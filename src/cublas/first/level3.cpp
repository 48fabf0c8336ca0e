// Matrices, without a handle.
#include "state.hpp"

using namespace heron::cublas::first;

#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/first/level3.inc"
#include <cublas/foreach_type.inc>
