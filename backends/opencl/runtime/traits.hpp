#pragma once
// What an OpenCL device says of itself.
#include "api.hpp"
#include <cstdint>
#include <string>

namespace heron::opencl {

struct device_traits {
    std::string name, vendor, driver, c_version, platform_name, platform_version;
    unsigned major = 0, minor = 0;
    uint64_t memory_bytes = 0, cache_bytes = 0, local_bytes = 0, largest_allocation = 0;
    uint32_t compute_units = 0, clock_mhz = 0;
    size_t largest_group = 0;
    bool is_gpu = false;
    bool is_cpu = false;
    uint32_t nvidia_major = 0;     // compute capability from 7 on; 0 elsewhere
    uint32_t float_vector = 0;     // width of the native vectors, in floats
    bool has_fp64 = false;         // with the 64-bit atomics that the transposed products need
    bool is_fine_grained = false;  // fine-grained buffer SVM
    bool is_unified = false;       // fine-grained, and device memory is host memory

    // Of these it is known that a group, and an item, makes progress while another one waits for it, of which
    // OpenCL says nothing; and they take the kernels' PTX, without which no lanes are known.
    bool is_nvidia_gpu() const { return nvidia_major > 0; }
};

}  // namespace heron::opencl
