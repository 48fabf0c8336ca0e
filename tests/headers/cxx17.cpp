// The cuSPARSE and CUDA headers in C++17. Compiles against Heron's CUDA headers and against a toolkit's.
#include <cusparse.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <driver_types.h>
#include <library_types.h>
#include <cuComplex.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cusparse_v2.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include "no_family_macros.h"

#include <type_traits>

#define HERON_HALF
#define HERON_FAMILY "half_members.inc"
#include <cusparse/foreach_type.inc>
#include "no_family_macros.h"

template <class T>
using prune_like = cusparseStatus_t(const T*, T*);
static_assert(std::is_same_v<decltype(cusparseHprune_like), prune_like<__half>>);
static_assert(std::is_same_v<decltype(cusparseSprune_like), prune_like<float>>);
static_assert(std::is_same_v<decltype(cusparseDprune_like), prune_like<double>>);

static_assert(CUSPARSE_VERSION == 12603);
static_assert(sizeof(cusparseStatus_t) == 4 && sizeof(cudaDataType) == 4);
static_assert(std::is_trivially_copyable_v<__half> && sizeof(__half) == 2 && alignof(__half) == 2);
static_assert(std::is_trivially_copyable_v<__nv_bfloat16> && sizeof(__nv_bfloat16) == 2);
static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat162) == 4);
static_assert(sizeof(float2) == 8 && alignof(float2) == 8 && alignof(double2) == 16 && alignof(int4) == 16);
static_assert(std::is_same_v<cusparseConstSpMatDescr_t, const cusparseSpMatDescr*>);
static_assert(std::is_same_v<cudaStream_t, CUstream> && std::is_same_v<cudaEvent_t, CUevent>);
static_assert(CUDA_VERSION == CUDART_VERSION);

cusparseStatus_t create(cusparseHandle_t* handle, cudaStream_t stream);
cudaError_t allocate(float** device, const __half** managed, int** pinned, size_t bytes);
cudaError_t record(cudaGraph_t* graph, cudaGraphExec_t* executable, cudaStream_t stream);
float round_trip(float value, const cuComplex& factor);

cusparseStatus_t create(cusparseHandle_t* handle, cudaStream_t stream) {
    cusparseStatus_t status = cusparseCreate(handle);
    return status == CUSPARSE_STATUS_SUCCESS ? cusparseSetStream(*handle, stream) : status;
}

cudaError_t allocate(float** device, const __half** managed, int** pinned, size_t bytes) {
    void* raw = nullptr;
    cudaError_t error = cudaMalloc(&raw, bytes);
    if (error == cudaSuccess) error = cudaMalloc(device, bytes);
    if (error == cudaSuccess) error = cudaMalloc(reinterpret_cast<void**>(device), bytes);
    if (error == cudaSuccess) error = cudaMallocManaged(managed, bytes);
    if (error == cudaSuccess) error = cudaMallocHost(pinned, bytes);
    if (error == cudaSuccess) error = cudaHostAlloc(pinned, bytes, cudaHostAllocMapped);
    if (error == cudaSuccess) error = cudaMallocAsync(device, bytes, nullptr);
    return error;
}

cudaError_t record(cudaGraph_t* graph, cudaGraphExec_t* executable, cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event, cudaEventDisableTiming);
    cudaEventRecord(event);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(stream, graph);
    cudaGraphInstantiate(executable, *graph, nullptr, nullptr, 0);
    return cudaGraphInstantiate(executable, *graph);
}

float round_trip(float value, const cuComplex& factor) {
    const __half narrow = __float2half(value);
    const __nv_bfloat16 brain = __float2bfloat16(value);
    return __half2float(narrow) + __bfloat162float(brain) * cuCrealf(factor) + static_cast<float>(dim3(2).y);
}
