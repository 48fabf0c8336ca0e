/* The CUDA runtime with the typed conveniences that C++ programs expect. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
#include "library_types.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus

namespace heron_cudart {
/* Through void*, as T may be const. */
template <class T>
inline void** untyped(T** pointer) {
    return static_cast<void**>(static_cast<void*>(pointer));
}
}  // namespace heron_cudart

template <class T>
inline cudaError_t cudaMalloc(T** devPtr, size_t size) {
    return ::cudaMalloc(heron_cudart::untyped(devPtr), size);
}

template <class T>
inline cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged(heron_cudart::untyped(devPtr), size, flags);
}

template <class T>
inline cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
    return ::cudaMallocPitch(heron_cudart::untyped(devPtr), pitch, width, height);
}

template <class T>
inline cudaError_t cudaMallocAsync(T** devPtr, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync(heron_cudart::untyped(devPtr), size, stream);
}

inline cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T>
inline cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = cudaHostAllocDefault) {
    return ::cudaHostAlloc(heron_cudart::untyped(ptr), size, flags);
}

template <class T>
inline cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(heron_cudart::untyped(ptr), size, flags);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
    return ::cudaHostGetDevicePointer(heron_cudart::untyped(pDevice), pHost, flags);
}

/* The call as it was before CUDA 13: device is an ordinal or cudaCpuDeviceId. */
inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int device,
                                        cudaStream_t stream = nullptr) {
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    if (device == cudaCpuDeviceId) location = {cudaMemLocationTypeHost, 0};
    return ::cudaMemPrefetchAsync(devPtr, count, location, 0, stream);
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

/* The call as it was before CUDA 12; the error node and the log stay untouched. */
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, cudaGraphNode_t*,
                                        char*, size_t) {
    return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

template <class T>
inline cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                    cudaStream_t stream = nullptr) {
    return ::cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem,
                              stream);
}

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                 size_t dynamicSMemSize) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<const void*>(func),
                                                           blockSize, dynamicSMemSize);
}

#endif

#endif
