// The version, and what structs had in it: nothing is written beyond the program's.
#include "old_runtime.hpp"
#include <cstddef>
#include <cstring>

extern "C" {

cudaError_t properties_in_12(cudaDeviceProp_v12*, int) HERON_OF_12(cudaGetDeviceProperties_v2);
cudaError_t attributes_in_12(cudaPointerAttributes_v12*, const void*) HERON_OF_12(cudaPointerGetAttributes);
HERON_IMPORT_OF_12(cudaGetDeviceProperties_v2);
HERON_IMPORT_OF_12(cudaPointerGetAttributes);

}  // extern "C"

namespace {

using properties = cudaDeviceProp_v12;

cudaError_t finished(cudaError_t status) {
    return has_old_errors ? static_cast<cudaError_t>(heron_old_error(status)) : status;
}

// Copies what lies from `begin` to `end` in the newest struct, and returns where the next part goes.
char* append(char* to, const properties& from, size_t begin, size_t end) {
    std::memcpy(to, reinterpret_cast<const char*>(&from) + begin, end - begin);
    return to + (end - begin);
}

#define HERON_END_OF(field) (offsetof(properties, field) + sizeof(properties::field))

// Where the struct of this version ends, in the offsets of the newest one.
constexpr size_t end_of_properties = HERON_OLD_CUDART >= 11000  ? HERON_END_OF(reservedSharedMemPerBlock)
                                     : HERON_OLD_CUDART >= 9020 ? HERON_END_OF(directManagedMemAccessFromHost)
                                     : HERON_OLD_CUDART >= 9000 ? HERON_END_OF(sharedMemPerBlockOptin)
                                                                : HERON_END_OF(concurrentManagedAccess);
constexpr bool has_uuid = HERON_OLD_CUDART >= 10000, has_persisting_cache = HERON_OLD_CUDART >= 11000;

// The numbers behind l2CacheSize and before sharedMemPerMultiprocessor, which is aligned to 8 bytes: without
// the first of them the padding that it took away is back.
constexpr size_t cache = offsetof(properties, persistingL2CacheMaxSize),
                 behind_cache = offsetof(properties, maxThreadsPerMultiProcessor),
                 wide = offsetof(properties, sharedMemPerMultiprocessor);
constexpr size_t narrow_bytes = HERON_END_OF(localL1CacheSupported) - behind_cache;
static_assert(wide == HERON_END_OF(localL1CacheSupported) && wide % 8 == 0);

void copy_properties(const properties& from, char* to) {
    char* at = append(to, from, 0, has_uuid ? offsetof(properties, totalGlobalMem) : sizeof from.name);
    at = append(at, from, offsetof(properties, totalGlobalMem), cache);
    if (has_persisting_cache) {
        append(at, from, cache, end_of_properties);
        return;
    }
    at = append(at, from, behind_cache, behind_cache + narrow_bytes);
    const size_t past_8 = static_cast<size_t>(at - to) % 8;
    append(past_8 ? at + (8 - past_8) : at, from, wide, end_of_properties);
}

// As the versions before 11.0 had it: both kinds of types in 10.x, the old one alone before.
struct pointer_attributes_10 {
    int memory_type, type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
};
struct pointer_attributes_9 {
    int memory_type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
};

// Memory of unregistered hosts had no attributes.
template <class Attributes>
cudaError_t old_attributes(const cudaPointerAttributes_v12& now, Attributes& then) {
    if (now.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    std::memset(&then, 0, sizeof then);
    const bool managed = now.type == cudaMemoryTypeManaged;
    then.memory_type = managed ? cudaMemoryTypeDevice : now.type;
    then.device = now.device;
    then.device_pointer = now.devicePointer;
    then.host_pointer = now.hostPointer;
    then.is_managed = managed;
    return cudaSuccess;
}

#if HERON_OLD_CUDART >= 11000
using attributes_of_version = cudaPointerAttributes_v12;
cudaError_t take(const cudaPointerAttributes_v12& now, attributes_of_version& then) {
    then = now;
    return cudaSuccess;
}
#elif HERON_OLD_CUDART >= 10000
using attributes_of_version = pointer_attributes_10;
cudaError_t take(const cudaPointerAttributes_v12& now, attributes_of_version& then) {
    const cudaError_t status = old_attributes(now, then);
    if (status == cudaSuccess) then.type = now.type;
    return status;
}
#else
using attributes_of_version = pointer_attributes_9;
cudaError_t take(const cudaPointerAttributes_v12& now, attributes_of_version& then) {
    return old_attributes(now, then);
}
#endif

}  // namespace

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (!version) return finished(cudaErrorInvalidValue);
    *version = HERON_OLD_CUDART;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device) {
    properties found;
    const cudaError_t status = properties_in_12(&found, device);
    if (status == cudaSuccess && !to) return finished(cudaErrorInvalidValue);
    if (status == cudaSuccess) copy_properties(found, reinterpret_cast<char*>(to));
    return finished(status);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* pointer) {
    cudaPointerAttributes_v12 found;
    const cudaError_t status = attributes_in_12(&found, pointer);
    if (status != cudaSuccess || !to) return finished(to ? status : cudaErrorInvalidValue);
    return finished(take(found, *reinterpret_cast<attributes_of_version*>(to)));
}
