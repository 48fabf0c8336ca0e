/* The first interface of cuBLAS: one state for the whole process, scalars and results by value, and errors
 * that cublasGetError tells. */
#ifndef CUBLAS_H_
#define CUBLAS_H_

#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h exclude each other"
#endif

#include <cuda_runtime.h>

#ifndef CUBLASAPI
#ifdef __CUDACC__
#define CUBLASAPI __host__
#else
#define CUBLASAPI
#endif
#endif

#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define cublasStatus cublasStatus_t

cublasStatus CUBLASWINAPI cublasInit(void);
cublasStatus CUBLASWINAPI cublasShutdown(void);
/* The last error since the call before. */
cublasStatus CUBLASWINAPI cublasGetError(void);
cublasStatus CUBLASWINAPI cublasGetVersion(int* version);
/* n elements of elemSize bytes of device memory. */
cublasStatus CUBLASWINAPI cublasAlloc(int n, int elemSize, void** devicePtr);
cublasStatus CUBLASWINAPI cublasFree(void* devicePtr);
cublasStatus CUBLASWINAPI cublasSetKernelStream(cudaStream_t stream);

#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/first_level1.inc"
#include "cublas/foreach_type.inc"
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/first_level2.inc"
#include "cublas/foreach_type.inc"
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/first_level3.inc"
#include "cublas/foreach_type.inc"

#ifdef __cplusplus
}
#endif

#endif
