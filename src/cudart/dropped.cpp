// Functions that the runtimes of CUDA 8 to 12 had and CUDA 13 has not. libcudart.so.12 exports them all,
// which the libraries of older names hand on to.
#include "nvcc_abi.h"
#include "runtime.hpp"

using namespace heron::cudart;

extern "C" {
#pragma GCC visibility push(default)
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* configuration);
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache configuration);
cudaError_t cudaSetDoubleForDevice(double* number);
cudaError_t cudaSetDoubleForHost(double* number);

// Launches of nvcc before CUDA 9.2.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_memory, cudaStream_t stream);
cudaError_t cudaSetupArgument(const void* argument, size_t size, size_t offset);
cudaError_t cudaLaunch(const void* function);

// Texture and surface references, which went with CUDA 12. Arguments that nobody reads are left out.
void __cudaRegisterTexture();
void __cudaRegisterSurface();
cudaError_t cudaBindTexture();
cudaError_t cudaBindTexture2D();
cudaError_t cudaBindTextureToArray();
cudaError_t cudaBindTextureToMipmappedArray();
cudaError_t cudaUnbindTexture();
cudaError_t cudaGetTextureAlignmentOffset();
cudaError_t cudaGetTextureReference();
cudaError_t cudaBindSurfaceToArray();
cudaError_t cudaGetSurfaceReference();
#pragma GCC visibility pop
}

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* configuration) {
    return cudaDeviceGetCacheConfig(configuration);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache configuration) {
    return cudaDeviceSetCacheConfig(configuration);
}

// Every device that is left has doubles.
cudaError_t cudaSetDoubleForDevice(double* number) {
    return guarded(__func__, [&] { required(number, "d"); });
}
cudaError_t cudaSetDoubleForHost(double* number) {
    return guarded(__func__, [&] { required(number, "d"); });
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_memory, cudaStream_t stream) {
    return static_cast<cudaError_t>(__cudaPushCallConfiguration(grid, block, shared_memory, stream));
}

// The launch that they are for is refused.
cudaError_t cudaSetupArgument(const void* argument, size_t, size_t) {
    return guarded(__func__, [&] { required(argument, "arg"); });
}

cudaError_t cudaLaunch(const void* function) {
    dim3 grid, block;
    size_t shared_memory = 0;
    cudaStream_t stream = nullptr;
    const cudaError_t status = __cudaPopCallConfiguration(&grid, &block, &shared_memory, &stream);
    return status == cudaSuccess ? cudaLaunchKernel(function, grid, block, nullptr, shared_memory, stream)
                                 : status;
}

static cudaError_t refuse_reference(const char* function) {
    return guarded(function, [] {
        fail(cudaErrorNotSupported,
             "texture and surface references are for kernels compiled by nvcc, which cannot run here");
    });
}

void __cudaRegisterTexture() {}
void __cudaRegisterSurface() {}
cudaError_t cudaBindTexture() { return refuse_reference(__func__); }
cudaError_t cudaBindTexture2D() { return refuse_reference(__func__); }
cudaError_t cudaBindTextureToArray() { return refuse_reference(__func__); }
cudaError_t cudaBindTextureToMipmappedArray() { return refuse_reference(__func__); }
cudaError_t cudaUnbindTexture() { return refuse_reference(__func__); }
cudaError_t cudaGetTextureAlignmentOffset() { return refuse_reference(__func__); }
cudaError_t cudaGetTextureReference() { return refuse_reference(__func__); }
cudaError_t cudaBindSurfaceToArray() { return refuse_reference(__func__); }
cudaError_t cudaGetSurfaceReference() { return refuse_reference(__func__); }
