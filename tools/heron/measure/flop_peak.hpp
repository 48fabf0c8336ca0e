// What a device could compute at best.
#pragma once

#include "device.hpp"

namespace heron::tools {

// Floating-point operations per second in single or double precision, multiply-adds counted as two: on the
// processor measured, with all cores at multiply-adds between registers; on CUDA from clock and
// multiprocessors (double precision on Tensor Cores where there are some). 0: unknown.
double flop_peak(const device& where, bool is_single);

}  // namespace heron::tools
