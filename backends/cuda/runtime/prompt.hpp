#pragma once
// Single numbers that the host waits for. A kernel hands them over in memory of the host's, which the host
// looks at again and again: a copy and the wait for it take several microseconds more.
#include "device.cuh"

namespace heron::HERON_LEVEL {

// As plans::read_number (common/runtime/prompt.hpp).
void read_number(cuda_device& device, i32* to, const i32* from);
void read_number(cuda_device& device, i64* to, const i64* from);

}  // namespace heron::HERON_LEVEL
