#pragma once
// HERON_OPENCL_KERNELS: which kernels an operation takes where there are some for GPUs and generic ones, for
// comparing them and for testing those for GPUs on processors. "gpu" or "generic" is for all families, and
// "spmv=gpu,kron=registers" for single ones; later entries win. What has no meaning is named in the log,
// once.
#include <string_view>

namespace heron::opencl {

enum class kernel_choice {
    by_device,  // nothing is said
    gpu,
    generic,
    registers,  // of kron: those for GPUs that hold items in registers
};

// family: one of those that have kernels for GPUs, such as "spmv".
kernel_choice wanted_kernels(std::string_view family);

// Whether a family takes its kernels for GPUs, where it does so on a device like this by itself or not.
bool takes_gpu_kernels(std::string_view family, bool by_itself);

}  // namespace heron::opencl
