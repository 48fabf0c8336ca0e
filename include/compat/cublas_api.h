/* The cuBLAS interface of CUDA 13.0 (library version 13.1.0), served by Heron.
 *
 * Declared here is what the library serves; types and enumerators are complete, so that programs which only
 * name them compile. NVIDIA's other functions are exported and answer CUBLAS_STATUS_NOT_SUPPORTED. Programs
 * include cublas_v2.h, or cublas.h for the interface without handles.
 */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#ifndef CUBLASWINAPI
#ifdef _WIN32
#define CUBLASWINAPI __stdcall
#else
#define CUBLASWINAPI
#endif
#endif

/* Clients rely on getting all of these through cublas_v2.h. */
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <driver_types.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 3
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

#include "cublas/types.inc"
#include "cublas/management.inc"
#define HERON_FAMILY "cublas/transfer.inc"
#include "cublas/foreach_integer.inc"
#define HERON_FAMILY "cublas/level1.inc"
#include "cublas/foreach_type.inc"
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/rotations.inc"
#include "cublas/foreach_type.inc"
#define HERON_FAMILY "cublas/level2.inc"
#include "cublas/foreach_type.inc"
#define HERON_FAMILY "cublas/level3.inc"
#include "cublas/foreach_type.inc"
#define HERON_FAMILY "cublas/batched.inc"
#include "cublas/foreach_type.inc"
#define HERON_FAMILY "cublas/complex_batched.inc"
#include "cublas/foreach_integer.inc"
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/factorisations.inc"
#include "cublas/foreach_type.inc"
#define HERON_INT_ONLY
#define HERON_FAMILY "cublas/packing.inc"
#include "cublas/foreach_type.inc"
#define HERON_FAMILY "cublas/extended.inc"
#include "cublas/foreach_integer.inc"
#include "cublas/rotations_ex.inc"
#ifdef __cplusplus
#define HERON_FAMILY "cublas/half.inc"
#include "cublas/foreach_integer.inc"
#define HERON_FAMILY "cublas/short_gemv.inc"
#include "cublas/foreach_short_type.inc"
#endif

#ifdef __cplusplus
}

#include "cublas/old_compute_types.inc"
#endif

#endif
