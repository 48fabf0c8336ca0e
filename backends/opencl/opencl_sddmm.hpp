#pragma once
// SDDMM on OpenCL: CSR on a GPU by groups of work-items, everything else by the shared plan.
#include "opencl_device.hpp"

namespace heron::opencl {

void sddmm(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
           heron_workspace& workspace);

}  // namespace heron::opencl
