// Device memory for Fortran 77. Counts are in bytes and of Fortran's default integer; what lies in the
// program's own memory comes as itself, what lies on the device as the variable that holds its address.
#include "by_reference.hpp"
#include <cuda_runtime_api.h>

using namespace heron::fortran;

namespace {

// A negative count must not become a large one.
template <class F>
int counted(const int* bytes, F&& f) {
    return *bytes < 0 ? cudaErrorInvalidValue : f(static_cast<size_t>(*bytes));
}

int copy_to_device(const address* to, const void* from, const int* bytes, const int* kind) {
    return counted(bytes, [&](size_t count) {
        return cudaMemcpy(address_of<void*>(to), from, count, static_cast<cudaMemcpyKind>(*kind));
    });
}

int copy_from_device(void* to, const address* from, const int* bytes, const int* kind) {
    return counted(bytes, [&](size_t count) {
        return cudaMemcpy(to, address_of<const void*>(from), count, static_cast<cudaMemcpyKind>(*kind));
    });
}

}  // namespace

extern "C" {

int cuda_malloc_(address* device, const int* bytes) {
    void* allocated = nullptr;
    const int status = counted(bytes, [&](size_t count) { return cudaMalloc(&allocated, count); });
    if (status == cudaSuccess) *device = static_cast<address>(reinterpret_cast<std::uintptr_t>(allocated));
    return status;
}

int cuda_free_(const address* device) { return cudaFree(address_of<void*>(device)); }

int cuda_memset_(const address* device, const int* value, const int* bytes) {
    return counted(bytes, [&](size_t count) { return cudaMemset(address_of<void*>(device), *value, count); });
}

// One name for each type, since a Fortran program may not call one procedure with arguments of several.
int cuda_memcpy_fort2c_int_(const address* to, const void* from, const int* bytes, const int* kind) {
    return copy_to_device(to, from, bytes, kind);
}
int cuda_memcpy_fort2c_real_(const address* to, const void* from, const int* bytes, const int* kind) {
    return copy_to_device(to, from, bytes, kind);
}
int cuda_memcpy_fort2c_double_(const address* to, const void* from, const int* bytes, const int* kind) {
    return copy_to_device(to, from, bytes, kind);
}
int cuda_memcpy_fort2c_complex_(const address* to, const void* from, const int* bytes, const int* kind) {
    return copy_to_device(to, from, bytes, kind);
}
int cuda_memcpy_c2fort_int_(void* to, const address* from, const int* bytes, const int* kind) {
    return copy_from_device(to, from, bytes, kind);
}
int cuda_memcpy_c2fort_real_(void* to, const address* from, const int* bytes, const int* kind) {
    return copy_from_device(to, from, bytes, kind);
}
int cuda_memcpy_c2fort_double_(void* to, const address* from, const int* bytes, const int* kind) {
    return copy_from_device(to, from, bytes, kind);
}
int cuda_memcpy_c2fort_complex_(void* to, const address* from, const int* bytes, const int* kind) {
    return copy_from_device(to, from, bytes, kind);
}

int cuda_device_synchronize_() { return cudaDeviceSynchronize(); }

void get_shifted_address_(const address* from, const int* bytes, address* shifted) {
    *shifted = *from + *bytes;
}
}
