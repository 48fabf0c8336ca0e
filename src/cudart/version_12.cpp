// What differs in libcudart.so.12: structs and signatures of programs built with CUDA 12, and those of CUDA
// 11 where CUDA 12 kept them under the old name.
#include "properties.hpp"
#include "memory.hpp"
#include <cstddef>

using namespace heron::cudart;

namespace {

constexpr int runtime_version = 12060;

// The CUDA 11 struct is the beginning of the CUDA 12 struct.
constexpr size_t size_of_cuda_11_struct = offsetof(cudaDeviceProp_v12, reservedSharedMemPerBlock) +
                                          sizeof(cudaDeviceProp_v12::reservedSharedMemPerBlock);

static_assert(sizeof(cudaDeviceProp_v12) == 1032 && size_of_cuda_11_struct == 728);

cudaDeviceProp_v12 properties_of(int device) {
    cudaDeviceProp_v12 p;
    describe(*runtime::get().at(device), p);
    return p;
}

cudaMemLocation location_of(int device) {
    if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
    return {cudaMemLocationTypeDevice, device};
}

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    return guarded(__func__, [&] { *required(version, "runtimeVersion") = runtime_version; });
}

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp_v12* properties, int device) {
    return guarded(__func__, [&] {
        required(properties, "prop");
        *properties = properties_of(device);
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return guarded(__func__, [&] {
        required(properties, "prop");
        const cudaDeviceProp_v12 p = properties_of(device);
        std::memcpy(static_cast<void*>(properties), &p, size_of_cuda_11_struct);
    });
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t count, cudaMemLocation location,
                                    unsigned flags, cudaStream_t stream) {
    return guarded(__func__, [&] { prefetch(pointer, count, location, flags, stream); });
}

// The old signature under the old symbol; the header declares the new one.
extern "C" __attribute__((visibility("default"))) cudaError_t prefetch_to_device(
    const void* pointer, size_t count, int device, cudaStream_t stream) __asm__("cudaMemPrefetchAsync");

cudaError_t prefetch_to_device(const void* pointer, size_t count, int device, cudaStream_t stream) {
    return guarded("cudaMemPrefetchAsync", [&] { prefetch(pointer, count, location_of(device), 0, stream); });
}

cudaError_t cudaMemAdvise_v2(const void* pointer, size_t count, cudaMemoryAdvise advice,
                             cudaMemLocation location) {
    return guarded(__func__, [&] { advise(pointer, count, advice, location); });
}

extern "C" __attribute__((visibility("default"))) cudaError_t advise_for_device(
    const void* pointer, size_t count, cudaMemoryAdvise advice, int device) __asm__("cudaMemAdvise");

cudaError_t advise_for_device(const void* pointer, size_t count, cudaMemoryAdvise advice, int device) {
    return guarded("cudaMemAdvise", [&] { advise(pointer, count, advice, location_of(device)); });
}

cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}
