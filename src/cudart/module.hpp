#pragma once
// Kernels and variables that code compiled by nvcc has registered.

namespace heron::cudart {

// The memory of the managed variables on this device has been freed.
void forget_managed_variables(int ordinal);

}  // namespace heron::cudart
