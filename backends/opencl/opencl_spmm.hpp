#pragma once
// SpMM for GPUs: spmm_tuned.cl where it applies, else the shared plan.
#include "opencl_device.hpp"

namespace heron::opencl {

void spmm(opencl_device& device, heron_phase phase, const heron_spmm_args& args, heron_workspace& workspace);

}  // namespace heron::opencl
