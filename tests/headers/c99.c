/* The cuSPARSE and CUDA headers in strict C99. Compiles against Heron's CUDA headers and against a toolkit's.
 */
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

/* A negative array size where the condition fails. */
typedef char version_is_12603[CUSPARSE_VERSION == 12603 ? 1 : -1];
typedef char complex_is_two_floats[sizeof(cuComplex) == 8 ? 1 : -1];
typedef char double_complex_is_two_doubles[sizeof(cuDoubleComplex) == 16 ? 1 : -1];
typedef char half_is_two_bytes[sizeof(__half_raw) == 2 && sizeof(__half2_raw) == 4 ? 1 : -1];
typedef char
    bfloat16_is_two_bytes[sizeof(__nv_bfloat16_raw) == 2 && sizeof(__nv_bfloat162_raw) == 4 ? 1 : -1];
/* Enumerators that abi_surface.py does not see, as NVIDIA's header gives them no explicit value. */
typedef char attributes_agree[CUSPARSE_SPMAT_FILL_MODE == 0 && CUSPARSE_SPMAT_DIAG_TYPE == 1 ? 1 : -1];
typedef char spmm_op_agrees[CUSPARSE_SPMM_OP_ALG_DEFAULT == 0 ? 1 : -1];

/* Members of families by type: all types, complex ones, real ones. */
typedef cusparseStatus_t (*csrmv_function)(cusparseHandle_t, cusparseOperation_t, int, int, int,
                                           const cuDoubleComplex*, const cusparseMatDescr_t,
                                           const cuDoubleComplex*, const int*, const int*,
                                           const cuDoubleComplex*, const cuDoubleComplex*, cuDoubleComplex*);
typedef cusparseStatus_t (*dotci_function)(cusparseHandle_t, int, const cuComplex*, const int*,
                                           const cuComplex*, cuComplex*, cusparseIndexBase_t);
typedef cusparseStatus_t (*roti_function)(cusparseHandle_t, int, float*, const int*, float*, const float*,
                                          const float*, cusparseIndexBase_t);
extern const csrmv_function complex_csrmv;
extern const dotci_function complex_dotci;
extern const roti_function real_roti;
const csrmv_function complex_csrmv = &cusparseZcsrmv;
const dotci_function complex_dotci = &cusparseCdotci;
const roti_function real_roti = &cusparseSroti;

cusparseStatus_t spmv(cusparseHandle_t handle, int64_t n, int64_t nnz, int* offsets, int* columns,
                      double* values, double* x, double* y);
cudaError_t upload(void** device, const void* host, size_t bytes, cudaStream_t stream);
cuDoubleComplex residual(cuDoubleComplex a, cuDoubleComplex x, cuDoubleComplex b, dim3* grid);
cudaError_t report(cudaStream_t stream);

static void log_callback(int level, const char* function, const char* message) {
    fprintf(stderr, "[%d] %s: %s\n", level, function, message);
}

cusparseStatus_t spmv(cusparseHandle_t handle, int64_t n, int64_t nnz, int* offsets, int* columns,
                      double* values, double* x, double* y) {
    const double one = 1, zero = 0;
    cusparseSpMatDescr_t a;
    cusparseConstDnVecDescr_t vec_x;
    cusparseDnVecDescr_t vec_y;
    cusparseStatus_t status;
    cusparseLoggerSetCallback(log_callback);
    cusparseCreateCsr(&a, n, n, nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateConstDnVec(&vec_x, n, x, CUDA_R_64F);
    cusparseCreateDnVec(&vec_y, n, y, CUDA_R_64F);
    status = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vec_x, &zero, vec_y, CUDA_R_64F,
                          CUSPARSE_SPMV_ALG_DEFAULT, NULL);
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vec_x);
    cusparseDestroyDnVec(vec_y);
    return status;
}

cudaError_t upload(void** device, const void* host, size_t bytes, cudaStream_t stream) {
    struct cudaDeviceProp properties;
    enum cudaError error = cudaGetDeviceProperties(&properties, 0);
    if (error == cudaSuccess) error = cudaMalloc(device, bytes);
    if (error == cudaSuccess) error = cudaMemcpyAsync(*device, host, bytes, cudaMemcpyHostToDevice, stream);
    return error;
}

static void CUDART_CB say(cudaStream_t stream, cudaError_t status, void* what) {
    printf("%p: %s: %s\n", (void*)stream, (const char*)what, cudaGetErrorString(status));
}

cudaError_t report(cudaStream_t stream) { return cudaStreamAddCallback(stream, say, NULL, 0); }

cuDoubleComplex residual(cuDoubleComplex a, cuDoubleComplex x, cuDoubleComplex b, dim3* grid) {
    const int2 pair = make_int2(1, 2);
    grid->x = grid->y = grid->z = (unsigned int)pair.x;
    return cuCabs(a) > 0 ? cuCsub(cuCmul(a, x), b) : make_cuDoubleComplex(0, 0);
}
