/* Complex scalars of clBLAS: OpenCL's own vector types. */
#ifndef CLBLAS_COMPLEX_H_
#define CLBLAS_COMPLEX_H_

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef cl_float2 FloatComplex;
typedef cl_double2 DoubleComplex;

#define CREAL(v) ((v).s[0])
#define CIMAG(v) ((v).s[1])

static inline FloatComplex floatComplex(float real, float imag) {
    FloatComplex z;
    z.s[0] = real;
    z.s[1] = imag;
    return z;
}

static inline DoubleComplex doubleComplex(double real, double imag) {
    DoubleComplex z;
    z.s[0] = real;
    z.s[1] = imag;
    return z;
}

#ifdef __cplusplus
}
#endif
#endif
