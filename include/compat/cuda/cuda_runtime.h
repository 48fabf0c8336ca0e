/* The CUDA runtime with the typed conveniences that C++ programs expect. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
#include "library_types.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* Names that CUDA has dropped with version 13. */
static __inline__ cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
static __inline__ cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

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

template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(heron_cudart::untyped(devPtr), size, pool, stream);
}

inline cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(devPtr, size, pool, stream);
}

template <class T>
inline cudaError_t cudaMallocAsync(T** devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(heron_cudart::untyped(devPtr), size, pool, stream);
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

namespace heron_cudart {
/* Of a device as calls before CUDA 13 name it: an ordinal or cudaCpuDeviceId. */
inline cudaMemLocation location_of(int device) {
    if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
    return {cudaMemLocationTypeDevice, device};
}
}  // namespace heron_cudart

/* The calls as they were before CUDA 13. */
inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int device,
                                        cudaStream_t stream = nullptr) {
    return ::cudaMemPrefetchAsync(devPtr, count, heron_cudart::location_of(device), 0, stream);
}

inline cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice, int device) {
    return ::cudaMemAdvise(devPtr, count, advice, heron_cudart::location_of(device));
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
inline cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                               size_t sharedMem = 0, cudaStream_t stream = nullptr) {
    return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args,
                                         sharedMem, stream);
}

template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, T* func) {
    return ::cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}

template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T* func, cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), config);
}

template <class T>
inline cudaError_t cudaFuncSetAttribute(T* func, cudaFuncAttribute attr, int value) {
    return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                 size_t dynamicSMemSize) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<const void*>(func),
                                                           blockSize, dynamicSMemSize);
}

#endif

#endif
