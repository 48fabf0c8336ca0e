#pragma once
// The families whose arguments bad_arguments_test tries from files of their own.
#include "facade.hpp"

namespace heron::test {

// What every function answers to a NULL descriptor.
constexpr cusparseStatus_t null_descriptor = not_initialized;

void try_sddmm();
void try_spmm_op();

}  // namespace heron::test
