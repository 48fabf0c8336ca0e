/* cuBLAS as programs since CUDA 4 see it. */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_

#ifdef CUBLAS_H_
#error "cublas.h and cublas_v2.h exclude each other"
#endif

#include "cublas_api.h"

#include "cublas/v2_names.inc"

#endif
