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

cublasStatus_t product(cublasHandle_t handle, int n, const double* a, const double* b, double* c);

cublasStatus_t product(cublasHandle_t handle, int n, const double* a, const double* b, double* c) {
    const double one = 1, zero = 0;
    const cublasStatus_t status = cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
}
