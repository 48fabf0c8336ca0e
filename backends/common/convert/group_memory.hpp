#pragma once
// The words of the group dialect that a device's global memory needs, for C++.
#include "common/dialect/dialect_group.hpp"

namespace heron::HERON_LEVEL::kernels {

// C++ is for devices where items that wait for each other see each other's global memory too.
HERON_FN void sync_group_memory() { sync_group(); }
HERON_FN void sync_together_memory() { sync_together(); }

}  // namespace heron::HERON_LEVEL::kernels
