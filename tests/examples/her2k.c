/* HER2K, written for clAmdBlas: C := alpha*op(A)*op(B)^H + conj(alpha)*op(B)*op(A)^H + beta*C on one triangle
 * of a Hermitian matrix, alpha complex and beta real, in the four cases row or column order, op none or
 * conjugate transpose. Each result is checked against the plain sum. Prints one line per case and "her2k ok".
 */
#include <clAmdBlas.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 37, K = 21, LINE = 40, OFFSET = 3, CELLS = OFFSET + LINE * LINE };

typedef struct {
    clAmdBlasOrder order;
    clAmdBlasUplo uplo;
    clAmdBlasTranspose trans;
    const char* name;
} her2k_case;

static const her2k_case cases[] = {
    {clAmdBlasRowMajor, clAmdBlasLower, clAmdBlasNoTrans, "row order, A*B^H"},
    {clAmdBlasRowMajor, clAmdBlasUpper, clAmdBlasConjTrans, "row order, A^H*B"},
    {clAmdBlasColumnMajor, clAmdBlasUpper, clAmdBlasNoTrans, "column order, A*B^H"},
    {clAmdBlasColumnMajor, clAmdBlasLower, clAmdBlasConjTrans, "column order, A^H*B"},
};

static FloatComplex a[CELLS], b[CELLS], c[CELLS], result[CELLS];
static const float beta = 0.5f;

static float random_number(void) { return (float)rand() / (float)RAND_MAX - 0.5f; }

static void fill(FloatComplex* x) {
    for (int i = 0; i < CELLS; ++i) x[i] = floatComplex(random_number(), random_number());
}

/* Where element (i, j) of a stored matrix lies. */
static int cell(const her2k_case* p, int i, int j) {
    return OFFSET + (p->order == clAmdBlasRowMajor ? i * LINE + j : i + j * LINE);
}

/* Element (i, k) of op(X), which is N x K. */
static FloatComplex element(const her2k_case* p, const FloatComplex* x, int i, int k) {
    FloatComplex z;
    if (p->trans == clAmdBlasNoTrans) return x[cell(p, i, k)];
    z = x[cell(p, k, i)];
    return floatComplex(CREAL(z), -CIMAG(z));
}

/* sum += scale*x*conj(y) */
static void add_product(double sum[2], double scale_re, double scale_im, FloatComplex x, FloatComplex y) {
    const double re = (double)CREAL(x) * CREAL(y) + (double)CIMAG(x) * CIMAG(y);
    const double im = (double)CIMAG(x) * CREAL(y) - (double)CREAL(x) * CIMAG(y);
    sum[0] += scale_re * re - scale_im * im;
    sum[1] += scale_re * im + scale_im * re;
}

static int is_right(const her2k_case* p, FloatComplex alpha) {
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            const FloatComplex before = c[cell(p, i, j)];
            const FloatComplex after = result[cell(p, i, j)];
            const int is_stored = p->uplo == clAmdBlasLower ? i >= j : i <= j;
            double sum[2] = {beta * (double)CREAL(before), i == j ? 0.0 : beta * (double)CIMAG(before)};
            if (!is_stored) {
                if (CREAL(before) != CREAL(after) || CIMAG(before) != CIMAG(after)) return 0;
                continue;
            }
            for (int k = 0; k < K; ++k) {
                add_product(sum, CREAL(alpha), CIMAG(alpha), element(p, a, i, k), element(p, b, j, k));
                add_product(sum, CREAL(alpha), -CIMAG(alpha), element(p, b, i, k), element(p, a, j, k));
            }
            /* NaN is no result: it must not pass either. */
            if (!(fabs(sum[0] - CREAL(after)) <= 1e-5 && fabs(sum[1] - CIMAG(after)) <= 1e-5)) return 0;
            if (i == j && CIMAG(after) != 0) return 0;
        }
    }
    return 1;
}

static cl_mem upload(cl_context context, const FloatComplex* x) {
    cl_int error = CL_SUCCESS;
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, (void*)x, &error);
}

static int run(cl_context context, cl_command_queue queue, const her2k_case* p) {
    const FloatComplex alpha = floatComplex(1.25f, -0.75f);
    cl_mem da, db, dc;
    cl_event done;
    clAmdBlasStatus status;
    int right;
    fill(a);
    fill(b);
    fill(c);
    da = upload(context, a);
    db = upload(context, b);
    dc = upload(context, c);
    status = clAmdBlasCher2k(p->order, p->uplo, p->trans, N, K, alpha, da, OFFSET, LINE, db, OFFSET, LINE,
                             beta, dc, OFFSET, LINE, 1, &queue, 0, NULL, &done);
    if (status != clAmdBlasSuccess) {
        printf("%s: status %d\n", p->name, (int)status);
        return 0;
    }
    clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof result, result, 1, &done, NULL);
    clReleaseEvent(done);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
    right = is_right(p, alpha);
    printf("%s: %s\n", p->name, right ? "ok" : "WRONG");
    return right;
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_int error = CL_SUCCESS;
    int right = 1;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        printf("there is no OpenCL device\n");
        return 77;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    if (error != CL_SUCCESS || clAmdBlasSetup() != clAmdBlasSuccess) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        right = run(context, queue, &cases[i]) && right;
    clAmdBlasTeardown();
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf(right ? "her2k ok\n" : "her2k WRONG\n");
    return !right;
}
