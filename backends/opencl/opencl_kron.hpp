#pragma once
// Kronecker products on OpenCL: square factors by kernels for GPUs or for processors, everything else by the
// shared plan.
#include "opencl_device.hpp"

namespace heron::opencl {

void kronmult(opencl_device& device, heron_phase phase, const heron_kronmult_args& args,
              heron_workspace& workspace);
void kron_gemm(opencl_device& device, heron_phase phase, const heron_kron_gemm_args& args,
               heron_workspace& workspace);

}  // namespace heron::opencl
