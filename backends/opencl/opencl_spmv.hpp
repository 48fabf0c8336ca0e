#pragma once
// SpMV on OpenCL: CSR on a GPU by tiles of equally many stored elements, everything else by the shared plan.
#include "opencl_device.hpp"

namespace heron::opencl {

void spmv(opencl_device& device, heron_phase phase, const heron_spmv_args& args, heron_workspace& workspace);

}  // namespace heron::opencl
