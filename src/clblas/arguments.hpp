#pragma once
// What the functions of all levels make of their enumerations and sizes. All fail with clBLAS's status.
#include "call.hpp"

namespace heron::clblas {

void require_setup();

heron_order order_of(int order);
// argument: what the function calls it.
heron_operation operation_of(int transpose, const char* argument);
heron_fill_mode fill_of(int uplo);
heron_side side_of_product(int side);
heron_diag_type diag_of(int diag);

// At least 1.
int64_t size(size_t n, const char* argument);
// At least 0.
int64_t count(size_t n, const char* argument);

}  // namespace heron::clblas
