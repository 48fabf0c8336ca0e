// Devices: choice, properties, synchronisation, reset.
#include "properties.hpp"
#include <fmt/format.h>

using namespace heron;
using namespace heron::cudart;

namespace {

// Newest CUDA whose calls this library answers.
constexpr int driver_version = 13000;

int attribute_of(const device& d, cudaDeviceAttr attribute) {
    cudaDeviceProp p;
    describe(d, p);
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
        case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
        case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
        case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
        case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
        case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
        case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
        case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
        case cudaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
        case cudaDevAttrWarpSize: return p.warpSize;
        case cudaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
        case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
        case cudaDevAttrClockRate: return p.clockRate;
        case cudaDevAttrTextureAlignment: return static_cast<int>(p.textureAlignment);
        case cudaDevAttrTexturePitchAlignment: return static_cast<int>(p.texturePitchAlignment);
        case cudaDevAttrSurfaceAlignment: return static_cast<int>(p.surfaceAlignment);
        case cudaDevAttrGpuOverlap: return p.deviceOverlap;
        case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
        case cudaDevAttrIntegrated: return p.integrated;
        case cudaDevAttrCanMapHostMemory: return p.canMapHostMemory;
        case cudaDevAttrComputeMode: return p.computeMode;
        case cudaDevAttrConcurrentKernels: return p.concurrentKernels;
        case cudaDevAttrL2CacheSize: return p.l2CacheSize;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
        case cudaDevAttrAsyncEngineCount: return p.asyncEngineCount;
        case cudaDevAttrUnifiedAddressing: return p.unifiedAddressing;
        case cudaDevAttrComputeCapabilityMajor: return p.major;
        case cudaDevAttrComputeCapabilityMinor: return p.minor;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(p.sharedMemPerMultiprocessor);
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(p.sharedMemPerBlockOptin);
        case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
        case cudaDevAttrManagedMemory: return p.managedMemory;
        case cudaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
        case cudaDevAttrDirectManagedMemAccessFromHost: return p.directManagedMemAccessFromHost;
        case cudaDevAttrCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
        case cudaDevAttrHostRegisterSupported: return p.hostRegisterSupported;
        case cudaDevAttrMemoryPoolsSupported: return p.memoryPoolsSupported;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: return p.singleToDoublePrecisionPerfRatio;
        case cudaDevAttrPciBusId: return p.pciBusID;
        default: return 0;
    }
}

bool has_one_bit_at_most(unsigned bits) { return (bits & (bits - 1)) == 0; }

}  // namespace

cudaError_t cudaDriverGetVersion(int* version) {
    return guarded(__func__, [&] { *required(version, "driverVersion") = driver_version; });
}

cudaError_t cudaGetDeviceCount(int* count) {
    return guarded(__func__, [&] { *required(count, "count") = runtime::get().device_count(); });
}

cudaError_t cudaGetDevice(int* device) {
    return guarded(__func__, [&] {
        required(device, "device");
        runtime::get().device_count();
        *device = runtime::get().current_ordinal();
    });
}

cudaError_t cudaSetDevice(int device) {
    return guarded(__func__, [&] { runtime::get().set_current(device); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return guarded(__func__, [&] {
        if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) ||
            !has_one_bit_at_most(flags & cudaDeviceScheduleMask))
            fail(cudaErrorInvalidValue, fmt::format("flags: {:#x} is no combination of device flags", flags));
        runtime::get().set_device_flags(flags);
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return guarded(__func__, [&] { *required(flags, "flags") = runtime::get().device_flags(); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return guarded(__func__, [&] {
        required(value, "value");
        if (attribute < 1 || attribute >= cudaDevAttrMax)
            fail(cudaErrorInvalidValue, fmt::format("attr: {} is no attribute", static_cast<int>(attribute)));
        *value = attribute_of(*runtime::get().at(device), attribute);
    });
}

// All streams are alike.
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return guarded(__func__, [&] {
        runtime::get().current();
        if (least) *least = 0;
        if (greatest) *greatest = 0;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return guarded(__func__, [] { runtime::get().current()->synchronize(); });
}

cudaError_t cudaDeviceReset() {
    return guarded(__func__, [] { runtime::get().reset_current(); });
}
