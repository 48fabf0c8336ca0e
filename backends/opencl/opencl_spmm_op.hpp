#pragma once
// Products with operators of the caller's on OpenCL: source text becomes part of the kernel's program, named
// semirings are the shared plan's.
#include "opencl_device.hpp"

namespace heron::opencl {

void spmm_op(opencl_device& device, heron_phase phase, const heron_spmm_op_args& args,
             heron_workspace& workspace);

}  // namespace heron::opencl
