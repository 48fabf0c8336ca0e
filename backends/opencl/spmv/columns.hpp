#pragma once
// The transposed product of a CSR matrix and a vector with what ANALYSE has found out about the columns.
#include "opencl/runtime/device.hpp"

namespace heron::opencl {

// Whether there is anything to find out, as far as types and sizes tell.
bool serves_columns(const heron_spmv_args& args);

// SIZE and ANALYSE. The latter waits for the device and leaves no plan if the matrix gains nothing.
void analyse_columns(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                     heron_workspace& workspace);

// RUN. False if there is no plan of ANALYSE for this workspace: nothing is done then.
bool multiply_by_columns(opencl_device& device, const heron_spmv_args& args, heron_workspace& workspace);

}  // namespace heron::opencl
