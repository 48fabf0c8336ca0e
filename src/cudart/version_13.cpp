// What differs in libcudart.so.13.
#include "properties.hpp"
#include "memory.hpp"

using namespace heron::cudart;

cudaError_t cudaRuntimeGetVersion(int* version) {
    return guarded(__func__, [&] { *required(version, "runtimeVersion") = CUDART_VERSION; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return guarded(__func__, [&] {
        required(properties, "prop");
        describe(*runtime::get().at(device), *properties);
    });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
    return guarded(__func__, [&] { prefetch(pointer, count, location, flags, stream); });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
    return guarded(__func__, [&] { advise(pointer, count, advice, location); });
}
