/* cublas.h in strict C99. */
#include <cublas.h>
#include "no_family_macros.h"

typedef cuComplex (*dotc_function)(int, const cuComplex*, int, const cuComplex*, int);
extern const dotc_function first_dotc;
const dotc_function first_dotc = &cublasCdotc;

float scaled_norm(int n, float* x);

float scaled_norm(int n, float* x) {
    cublasStatus status = cublasInit();
    if (status != CUBLAS_STATUS_SUCCESS) return 0;
    cublasSscal(n, 2, x, 1);
    return cublasSnrm2(n, x, 1);
}
