/* Complex numbers of the CUDA libraries and their arithmetic. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

static __inline__ cuFloatComplex make_cuFloatComplex(float r, float i) {
    cuFloatComplex z = {r, i};
    return z;
}

static __inline__ cuDoubleComplex make_cuDoubleComplex(double r, double i) {
    cuDoubleComplex z = {r, i};
    return z;
}

static __inline__ cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }

static __inline__ float cuCrealf(cuFloatComplex z) { return z.x; }
static __inline__ float cuCimagf(cuFloatComplex z) { return z.y; }
static __inline__ double cuCreal(cuDoubleComplex z) { return z.x; }
static __inline__ double cuCimag(cuDoubleComplex z) { return z.y; }

static __inline__ cuFloatComplex cuConjf(cuFloatComplex z) { return make_cuFloatComplex(z.x, -z.y); }
static __inline__ cuDoubleComplex cuConj(cuDoubleComplex z) { return make_cuDoubleComplex(z.x, -z.y); }

static __inline__ cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x + b.x, a.y + b.y);
}

static __inline__ cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x + b.x, a.y + b.y);
}

static __inline__ cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x - b.x, a.y - b.y);
}

static __inline__ cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x - b.x, a.y - b.y);
}

static __inline__ cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
    return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

static __inline__ cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* Smith's division (R. L. Smith, CACM 5(8), 1962): |b|^2, which over- or underflows early, is never formed.
 */
static __inline__ cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
    if (fabs(b.x) >= fabs(b.y)) {
        double ratio = b.y / b.x, scale = b.x + b.y * ratio;
        return make_cuDoubleComplex((a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale);
    } else {
        double ratio = b.x / b.y, scale = b.x * ratio + b.y;
        return make_cuDoubleComplex((a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale);
    }
}

static __inline__ cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
    if (fabsf(b.x) >= fabsf(b.y)) {
        float ratio = b.y / b.x, scale = b.x + b.y * ratio;
        return make_cuFloatComplex((a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale);
    } else {
        float ratio = b.x / b.y, scale = b.x * ratio + b.y;
        return make_cuFloatComplex((a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale);
    }
}

static __inline__ float cuCabsf(cuFloatComplex z) { return hypotf(z.x, z.y); }
static __inline__ double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }

/* a * b + c */
static __inline__ cuComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c) {
    return make_cuComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}

static __inline__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
    return make_cuDoubleComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}

static __inline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}

static __inline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
