#pragma once
// Sparse products for GPUs: short and middling rows by teams of work-items with tables in local memory,
// longer ones by the shared plan.
#include "opencl_device.hpp"

namespace heron::opencl {

void spgemm_estimate(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace);
void spgemm_symbolic(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace);
void spgemm_numeric(opencl_device& device, heron_phase phase, const heron_spgemm_args& args,
                    heron_workspace& workspace);

}  // namespace heron::opencl
