#pragma once
// Triangular solves: in one launch where the device is known to let groups wait for each other, else by the
// shared plan, level by level.
#include "opencl_device.hpp"

namespace heron::opencl {

void trisolve(opencl_device& device, heron_phase phase, const heron_trisolve_args& args,
              heron_workspace& workspace);

}  // namespace heron::opencl
