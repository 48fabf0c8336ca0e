/* A program of an old toolkit, with the prototypes of its time and without its headers: it multiplies and
 * solves with what the libraries of its version had, in managed memory, and prints "ok". -DERA=550: CUDA 5.5;
 * 1020: CUDA 10.2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if ERA < 700
#define HAS_SCALARS_BY_VALUE 1
#else
#define HAS_SCALARS_BY_VALUE 0
#endif
#define HAS_CSR_PRODUCTS (ERA < 1100)

typedef struct cusparseContext* handle_t;
typedef struct cusparseMatDescr* descr_t;
typedef struct {
    float x, y;
} __attribute__((aligned(8))) complex_t; /* as float2 */

int cudaMallocManaged(void**, size_t, unsigned);
int cudaDeviceSynchronize(void);

int cusparseCreate(handle_t*);
int cusparseDestroy(handle_t);
int cusparseCreateMatDescr(descr_t*);
int cusparseDestroyMatDescr(descr_t);
int cusparseSetMatIndexBase(descr_t, int);
int cusparseSetStream(handle_t, void*);
int cusparseSgthr(handle_t, int, const float*, float*, const int*, int);

int cusparseDaxpyi_v2(handle_t, int, const double*, const double*, const int*, double*, int);
int cusparseScsrmv_v2(handle_t, int, int, int, int, const float*, descr_t, const float*, const int*,
                      const int*, const float*, const float*, float*);

#if HAS_SCALARS_BY_VALUE
int cusparseSetKernelStream(handle_t, void*);
int cusparseDaxpyi(handle_t, int, double, const double*, const int*, double*, int);
int cusparseCaxpyi(handle_t, int, complex_t, const complex_t*, const int*, complex_t*, int);
int cusparseSroti(handle_t, int, float*, const int*, float*, float, float, int);
int cusparseScsrmv(handle_t, int, int, int, float, descr_t, const float*, const int*, const int*,
                   const float*, float, float*);
int cusparseScsrmm(handle_t, int, int, int, int, float, descr_t, const float*, const int*, const int*,
                   const float*, int, float, float*, int);
int cusparseScsr2csc(handle_t, int, int, const float*, const int*, const int*, float*, int*, int*, int, int);
#else
int cusparseDaxpyi(handle_t, int, const double*, const double*, const int*, double*, int);
int cusparseCaxpyi(handle_t, int, const complex_t*, const complex_t*, const int*, complex_t*, int);
int cusparseSroti(handle_t, int, float*, const int*, float*, const float*, const float*, int);
#endif

#if HAS_CSR_PRODUCTS
typedef struct cusparseSolveAnalysisInfo* info_t;
typedef struct cusparseHybMat* hyb_t;
int cusparseCreateSolveAnalysisInfo(info_t*);
int cusparseDestroySolveAnalysisInfo(info_t);
int cusparseSetMatType(descr_t, int);
int cusparseCdotci(handle_t, int, const complex_t*, const int*, const complex_t*, complex_t*, int);
int cusparseCreateHybMat(hyb_t*);
int cusparseDestroyHybMat(hyb_t);
int cusparseScsr2hyb(handle_t, int, int, descr_t, const float*, const int*, const int*, hyb_t, int, int);
int cusparseShybmv(handle_t, int, const float*, descr_t, hyb_t, const float*, const float*, float*);
#if HAS_SCALARS_BY_VALUE
int cusparseScsrsv_analysis(handle_t, int, int, descr_t, const float*, const int*, const int*, info_t);
int cusparseScsrsv_solve(handle_t, int, int, float, descr_t, const float*, const int*, const int*, info_t,
                         const float*, float*);
#else
int cusparseScsrmv(handle_t, int, int, int, int, const float*, descr_t, const float*, const int*, const int*,
                   const float*, const float*, float*);
int cusparseScsrmm(handle_t, int, int, int, int, int, const float*, descr_t, const float*, const int*,
                   const int*, const float*, int, const float*, float*, int);
int cusparseScsr2csc(handle_t, int, int, int, const float*, const int*, const int*, float*, int*, int*, int,
                     int);
int cusparseScsrsv_analysis(handle_t, int, int, int, descr_t, const float*, const int*, const int*, info_t);
int cusparseScsrsv_solve(handle_t, int, int, const float*, descr_t, const float*, const int*, const int*,
                         info_t, const float*, float*);
#endif
#endif

static int failures = 0;
static handle_t handle;

static void succeeds(int status, const char* what) {
    if (status == 0) return;
    printf("%s: status %d\n", what, status);
    ++failures;
}
#define SUCCEEDS(call) succeeds(call, #call)

static void is(const char* what, float found, float expected) {
    if (found == expected) return;
    printf("%s: %g instead of %g\n", what, (double)found, (double)expected);
    ++failures;
}

static void* shared(const void* content, size_t bytes) {
    void* memory = NULL;
    if (cudaMallocManaged(&memory, bytes, 1) != 0) {
        puts("no managed memory");
        exit(1);
    }
    if (content) memcpy(memory, content, bytes);
    return memory;
}
#define SHARED(type, count, ...) ((type*)shared((const type[count]){__VA_ARGS__}, (count) * sizeof(type)))

static void vectors(void) {
    const double* const x = SHARED(double, 2, 1, 2);
    const int* const indices = SHARED(int, 2, 0, 2);
    const int* const one = SHARED(int, 1, 1);
    double* const y = SHARED(double, 3, 10, 20, 30);
    complex_t* const cx = SHARED(complex_t, 2, {1, 1}, {0, 2});
    complex_t* const cy = SHARED(complex_t, 3, {1, 0}, {5, 5}, {0, 1});
    float *const sx = SHARED(float, 1, 3), *const sy = SHARED(float, 2, 0, 4),
                 *const gathered = SHARED(float, 1, 0);
    const complex_t i = {0, 1};
    const double two = 2;
#if HAS_SCALARS_BY_VALUE
    SUCCEEDS(cusparseSetKernelStream(handle, NULL));
    SUCCEEDS(cusparseDaxpyi(handle, 2, 2.0, x, indices, y, 0));
    SUCCEEDS(cusparseCaxpyi(handle, 2, i, cx, indices, cy, 0));
    SUCCEEDS(cusparseSroti(handle, 1, sx, one, sy, 0.0f, 1.0f, 0));
#else
    const float c = 0, s = 1;
    SUCCEEDS(cusparseSetStream(handle, NULL));
    SUCCEEDS(cusparseDaxpyi(handle, 2, &two, x, indices, y, 0));
    SUCCEEDS(cusparseCaxpyi(handle, 2, &i, cx, indices, cy, 0));
    SUCCEEDS(cusparseSroti(handle, 1, sx, one, sy, &c, &s, 0));
#endif
    SUCCEEDS(cusparseDaxpyi_v2(handle, 2, &two, x, indices, y, 0));
    SUCCEEDS(cusparseSgthr(handle, 1, sy, gathered, one, 0));
    SUCCEEDS(cudaDeviceSynchronize());
    is("axpyi", (float)y[2], 38);
    is("complex axpyi, real", cy[0].x, 0);
    is("complex axpyi, imaginary", cy[0].y, 1);
    is("complex axpyi, last", cy[2].x, -2);
    is("roti, x", sx[0], 4);
    is("roti, y", sy[1], -3);
    is("gthr", gathered[0], -3);
}

#if HAS_CSR_PRODUCTS
/* [2 0; 3 4], base 1. */
static float* values;
static int *offsets, *columns;

static void products(descr_t descr) {
    const float* const x = SHARED(float, 2, 1, 10);
    const float* const b = SHARED(float, 4, 1, 0, 0, 1);
    const complex_t *const cx = SHARED(complex_t, 1, {0, 1}), *const cy = SHARED(complex_t, 1, {0, 3});
    const int* const first = SHARED(int, 1, 0);
    float *const y = SHARED(float, 2, 100, 200), *const c = SHARED(float, 4, 0),
                 *const csc_values = SHARED(float, 3, 0);
    int *const csc_rows = SHARED(int, 3, 0), *const csc_offsets = SHARED(int, 3, 0);
    complex_t dot;
    const float one = 1;
#if HAS_SCALARS_BY_VALUE
    SUCCEEDS(cusparseScsrmv(handle, 0, 2, 2, 1.0f, descr, values, offsets, columns, x, 2.0f, y));
    SUCCEEDS(cusparseScsrmm(handle, 0, 2, 2, 2, 2.0f, descr, values, offsets, columns, b, 2, 0.0f, c, 2));
    SUCCEEDS(
        cusparseScsr2csc(handle, 2, 2, values, offsets, columns, csc_values, csc_rows, csc_offsets, 1, 1));
#else
    const float two = 2, none = 0;
    SUCCEEDS(cusparseScsrmv(handle, 0, 2, 2, 3, &one, descr, values, offsets, columns, x, &two, y));
    SUCCEEDS(cusparseScsrmm(handle, 0, 2, 2, 2, 3, &two, descr, values, offsets, columns, b, 2, &none, c, 2));
    SUCCEEDS(
        cusparseScsr2csc(handle, 2, 2, 3, values, offsets, columns, csc_values, csc_rows, csc_offsets, 1, 1));
#endif
    SUCCEEDS(cusparseScsrmv_v2(handle, 0, 2, 2, 3, &one, descr, values, offsets, columns, x, &one, y));
    SUCCEEDS(cusparseCdotci(handle, 1, cx, first, cy, &dot, 0));
    SUCCEEDS(cudaDeviceSynchronize());
    is("csrmv", y[1], 486);
    is("csrmm", c[1], 6);
    is("csr2csc", csc_values[1], 3);
    is("csr2csc, offsets", (float)csc_offsets[1], 3);
    is("dotci", dot.x, 3);
}

static void hybrid(descr_t descr) {
    const float one = 1, none = 0;
    const float* const x = SHARED(float, 2, 1, 10);
    float* const y = SHARED(float, 2, 0);
    hyb_t hyb;
    SUCCEEDS(cusparseCreateHybMat(&hyb));
    SUCCEEDS(cusparseScsr2hyb(handle, 2, 2, descr, values, offsets, columns, hyb, 0, 0));
    SUCCEEDS(cusparseShybmv(handle, 0, &one, descr, hyb, x, &none, y));
    SUCCEEDS(cudaDeviceSynchronize());
    is("hybmv", y[1], 43);
    SUCCEEDS(cusparseDestroyHybMat(hyb));
}

static void solve(descr_t descr) {
    const float* const f = SHARED(float, 2, 2, 11);
    float* const x = SHARED(float, 2, 0);
    info_t info;
    SUCCEEDS(cusparseCreateSolveAnalysisInfo(&info));
    SUCCEEDS(cusparseSetMatType(descr, 3));
#if HAS_SCALARS_BY_VALUE
    SUCCEEDS(cusparseScsrsv_analysis(handle, 0, 2, descr, values, offsets, columns, info));
    SUCCEEDS(cusparseScsrsv_solve(handle, 0, 2, 2.0f, descr, values, offsets, columns, info, f, x));
#else
    const float two = 2;
    SUCCEEDS(cusparseScsrsv_analysis(handle, 0, 2, 3, descr, values, offsets, columns, info));
    SUCCEEDS(cusparseScsrsv_solve(handle, 0, 2, &two, descr, values, offsets, columns, info, f, x));
#endif
    SUCCEEDS(cudaDeviceSynchronize());
    is("csrsv", x[0], 2);
    is("csrsv, last", x[1], 4);
    SUCCEEDS(cusparseDestroySolveAnalysisInfo(info));
}
#endif

int main(void) {
    descr_t descr;
    SUCCEEDS(cusparseCreate(&handle));
    SUCCEEDS(cusparseCreateMatDescr(&descr));
    SUCCEEDS(cusparseSetMatIndexBase(descr, 1));
    vectors();
#if HAS_CSR_PRODUCTS
    values = SHARED(float, 3, 2, 3, 4);
    offsets = SHARED(int, 3, 1, 2, 4);
    columns = SHARED(int, 3, 1, 1, 2);
    products(descr);
    hybrid(descr);
    solve(descr);
#endif
    SUCCEEDS(cusparseDestroyMatDescr(descr));
    SUCCEEDS(cusparseDestroy(handle));
    if (failures == 0) printf("ok\n");
    return failures != 0;
}
