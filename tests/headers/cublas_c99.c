/* cublas_v2.h in strict C99, as programs name its functions. Compiles against Heron's CUDA headers and
 * against a toolkit's. */
#include <cublas_v2.h>
#include "no_family_macros.h"

typedef char version_is_130100[CUBLAS_VERSION == 130100 ? 1 : -1];

/* Members of families by type and by type of integers. */
typedef cublasStatus_t (*dotc_function)(cublasHandle_t, int, const cuComplex*, int, const cuComplex*, int,
                                        cuComplex*);
typedef cublasStatus_t (*amax_function)(cublasHandle_t, int64_t, const cuDoubleComplex*, int64_t, int64_t*);
typedef cublasStatus_t (*nrm2_function)(cublasHandle_t, int, const cuDoubleComplex*, int, double*);
typedef cublasStatus_t (*scal_function)(cublasHandle_t, int64_t, const float*, cuComplex*, int64_t);
extern const dotc_function complex_dotc;
extern const amax_function long_amax;
extern const nrm2_function double_norm;
extern const scal_function scal_by_real;
const dotc_function complex_dotc = &cublasCdotc;
const amax_function long_amax = &cublasIzamax_64;
const nrm2_function double_norm = &cublasDznrm2;
const scal_function scal_by_real = &cublasCsscal_64;

/* Functions that are declared and not served. */
typedef cublasStatus_t (*getrf_function)(cublasHandle_t, int, double* const[], int, int*, int*, int);
typedef cublasStatus_t (*getri_function)(cublasHandle_t, int, const float* const[], int, const int*,
                                         float* const[], int, int*, int);
typedef cublasStatus_t (*getrs_function)(cublasHandle_t, cublasOperation_t, int, int,
                                         const cuComplex* const[], int, const int*, cuComplex* const[], int,
                                         int*, int);
typedef cublasStatus_t (*matinv_function)(cublasHandle_t, int, const double* const[], int, double* const[],
                                          int, int*, int);
typedef cublasStatus_t (*geqrf_function)(cublasHandle_t, int, int, cuDoubleComplex* const[], int,
                                         cuDoubleComplex* const[], int*, int);
typedef cublasStatus_t (*gels_function)(cublasHandle_t, cublasOperation_t, int, int, int, float* const[], int,
                                        float* const[], int, int*, int*, int);
typedef cublasStatus_t (*rotg_function)(cublasHandle_t, void*, void*, cudaDataType, void*, void*,
                                        cudaDataType, cudaDataType);
typedef cublasStatus_t (*rotm_function)(cublasHandle_t, int64_t, void*, cudaDataType, int64_t, void*,
                                        cudaDataType, int64_t, const void*, cudaDataType, cudaDataType);
typedef cublasStatus_t (*rotmg_function)(cublasHandle_t, void*, cudaDataType, void*, cudaDataType, void*,
                                         cudaDataType, const void*, cudaDataType, void*, cudaDataType,
                                         cudaDataType);
extern const getrf_function getrf;
extern const getri_function getri;
extern const getrs_function getrs;
extern const matinv_function matinv;
extern const geqrf_function geqrf;
extern const gels_function gels;
extern const rotg_function rotg;
extern const rotm_function rotm;
extern const rotmg_function rotmg;
const getrf_function getrf = &cublasDgetrfBatched;
const getri_function getri = &cublasSgetriBatched;
const getrs_function getrs = &cublasCgetrsBatched;
const matinv_function matinv = &cublasDmatinvBatched;
const geqrf_function geqrf = &cublasZgeqrfBatched;
const gels_function gels = &cublasSgelsBatched;
const rotg_function rotg = &cublasRotgEx;
const rotm_function rotm = &cublasRotmEx_64;
const rotmg_function rotmg = &cublasRotmgEx;

cublasStatus_t product(cublasHandle_t handle, int n, const double* a, const double* b, double* c);

cublasStatus_t product(cublasHandle_t handle, int n, const double* a, const double* b, double* c) {
    const double one = 1, zero = 0;
    const cublasStatus_t status = cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
}
