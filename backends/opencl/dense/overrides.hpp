#pragma once
// Dense operations on OpenCL: packed operands and one kernel for every product, in the shape that suits the
// device.
#include "opencl/runtime/device.hpp"

namespace heron::opencl {

// Whether the dense kernels have the type; the shared plans have more.
bool has_dense_kernels(heron_type type);

void gemm(opencl_device& device, heron_phase phase, const heron_gemm_args& args, heron_workspace& workspace);
// For products on GPUs for which packing is not worth its time; false, with nothing done, for others.
bool multiply_unpacked(opencl_device& device, const heron_gemm_args& g);
void gemm_batched(opencl_device& device, heron_phase phase, const heron_gemm_batched_args& args,
                  heron_workspace& workspace);
void gemmt(opencl_device& device, heron_phase phase, const heron_gemmt_args& args,
           heron_workspace& workspace);
void symm(opencl_device& device, heron_phase phase, const heron_symm_args& args, heron_workspace& workspace);
void trmm(opencl_device& device, heron_phase phase, const heron_trmm_args& args, heron_workspace& workspace);
void trsm(opencl_device& device, heron_phase phase, const heron_trsm_args& args, heron_workspace& workspace);

}  // namespace heron::opencl
