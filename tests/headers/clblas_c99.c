/* The clBLAS headers in strict C99, both generations in one file and each by itself first. */
#include <clAmdBlas.h>
#include <clAmdBlas-complex.h>
#include <clAmdBlas.version.h>
#include <clBLAS.h>
#include <clBLAS-complex.h>
#include <clBLAS.version.h>
#include "no_family_macros.h"

#if defined(CLBLAS_NAME) || defined(CLBLAS_OF) || defined(CLBLAS_TAIL) || defined(CLBLAS_WITH) || \
    defined(CLBLAS_LETTERS_S) || defined(CLBLAS_REAL_SCALAR) || defined(CLBLAS_REAL_RESULT) ||    \
    defined(CLBLAS_INDEX_RESULT)
#error "a macro of clBLAS's families is left defined"
#endif

typedef char
    statuses_agree[(int)clblasInvalidMatA == (int)clAmdBlasInvalidMatA && clblasNotInitialized == -1023 ? 1
                                                                                                        : -1];
typedef char enumerations_agree[clblasColumnMajor == 1 && clblasConjTrans == 2 && clblasLower == 1 &&
                                        clblasNonUnit == 1 && clblasRight == 1
                                    ? 1
                                    : -1];
typedef char version_is_known[clblasVersionMajor == 2 && clAmdBlasVersionMajor == 1 ? 1 : -1];

float clblas_headers_in_c99(void);
float clblas_headers_in_c99(void) { return CREAL(floatComplex(1, 2)) + (float)CIMAG(doubleComplex(1, 2)); }
