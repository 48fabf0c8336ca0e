#pragma once
// What a device answers when asked for its properties, in the structs of CUDA 13 and CUDA 12.
#include "runtime.hpp"
#include <cstring>
#include <string_view>

namespace heron::cudart {

// An architecture name of NVIDIA's: the device is a CUDA device, and major.minor its compute capability.
inline bool is_cuda_device(const heron_device_info& info) {
    return std::string_view(info.isa).starts_with("sm_");
}

// Kernels can use host memory of this runtime, and managed memory can be had.
inline bool can_use_host_memory(const heron_device_info& info) {
    return info.is_host_accessible || is_cuda_device(info);
}

// kHz. Programs take the fastest device, and none is faster than one whose clock nobody knows.
inline int clock_rate_of(const heron_device_info& info) {
    return info.clock_mhz ? static_cast<int>(info.clock_mhz) * 1000 : 1000000;
}

// How many times as fast as double precision single precision is. Processors are like NVIDIA's devices for
// computing.
inline int single_to_double_ratio_of(const heron_device_info& info) {
    const bool is_for_computing = info.minor == 0 && info.major <= 10;
    return is_cuda_device(info) && !is_for_computing ? 64 : 2;
}

// Fills what both structs have and leaves 0 where nothing can be said (textures, surfaces, ...). Limits
// of kernel launches are those that every CUDA device has, since programs compute launch shapes from them.
template <class Properties>
void describe(const device& d, Properties& p) {
    const heron_device_info& info = d.info;
    const bool is_cuda = is_cuda_device(info);
    const bool shares_memory = info.is_host_accessible != 0;
    p = {};
    static_assert(sizeof p.name == sizeof info.name);
    std::memcpy(p.name, info.name, sizeof p.name);
    p.totalGlobalMem = static_cast<size_t>(info.memory_bytes);
    p.sharedMemPerBlock = 48 * 1024;
    p.regsPerBlock = 65536;
    p.warpSize = 32;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = 1024;
    p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = 65535;
    p.maxGridSize[2] = 65535;
    p.clockRate = clock_rate_of(info);
    p.singleToDoublePrecisionPerfRatio = single_to_double_ratio_of(info);
    p.totalConstMem = 64 * 1024;
    // Elsewhere the capability whose library calls Heron serves: double precision, half and bfloat16.
    p.major = is_cuda ? static_cast<int>(info.major) : 8;
    p.minor = is_cuda ? static_cast<int>(info.minor) : 0;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.surfaceAlignment = 512;
    p.multiProcessorCount = static_cast<int>(info.compute_units);
    p.integrated = !info.is_gpu;
    p.canMapHostMemory = can_use_host_memory(info);
    p.concurrentKernels = 1;
    p.computeMode = cudaComputeModeDefault;
    p.pciBusID = d.ordinal;
    p.asyncEngineCount = info.is_gpu ? 1 : 0;
    p.deviceOverlap = p.asyncEngineCount > 0;
    p.unifiedAddressing = 1;
    p.l2CacheSize = static_cast<int>(info.cache_bytes);
    p.maxThreadsPerMultiProcessor = 2048;
    p.sharedMemPerMultiprocessor = 64 * 1024;
    p.sharedMemPerBlockOptin = p.sharedMemPerBlock;
    p.regsPerMultiprocessor = 65536;
    p.maxBlocksPerMultiProcessor = 32;
    p.managedMemory = can_use_host_memory(info);
    p.concurrentManagedAccess = shares_memory;
    p.directManagedMemAccessFromHost = shares_memory;
    p.canUseHostPointerForRegisteredMem = shares_memory;
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
}

}  // namespace heron::cudart
