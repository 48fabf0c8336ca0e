/* BiCGStab with an incomplete LU factorisation as its preconditioner, on the GPU with the CUDA runtime and
 * cuSPARSE only.
 *
 *     bicgstab [N]
 *
 * Solves A x = b on an N x N x N grid (N = 20 when nothing is said), where A is the 7-point discretisation of
 * diffusion with a flow along all axes, which is not symmetric, and x = (1, ..., 1). A ~ L U comes from
 * csrilu02, whose factors lie in one array: L below the diagonal with an implicit unit diagonal, U from the
 * diagonal on. SpSV solves with both. Ends with status 0 when ||b - A x|| <= 1e-10 ||b|| and x is what it
 * should be.
 *
 * Dense vectors are also sparse ones with the indices 0 ... n-1, so that cuSPARSE has their operations:
 *
 *     dot product     x . y                  cusparseSpVV
 *     vector update   y = alpha x + beta y   cusparseAxpby
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
/* cuSPARSE announces the end of csrilu02, SpVV and Axpby; its header is quiet about that when asked so. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

enum { most_iterations = 500 };
static const double tolerance = 1e-10;

/* ---- errors: every failure ends the program with a message and status 1 ---- */

static void fail(const char* what, const char* why) {
    fprintf(stderr, "bicgstab: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}
static void check_cuda(cudaError_t status, const char* call) {
    if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}
static void check(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) fail(call, cusparseGetErrorString(status));
}

static void* host_array(size_t count, size_t size) {
    void* const memory = calloc(count, size);
    if (!memory) fail("host memory", "exhausted");
    return memory;
}
static void* device_array(size_t bytes) {
    void* memory = NULL;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
}
static void* device_copy_of(const void* host, size_t bytes) {
    void* const memory = device_array(bytes);
    check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
}

/* ---- the matrix on the host ---- */

typedef struct csr_matrix {
    int rows, entries;
    int *offsets, *columns;
    double* values;
} csr_matrix;

static void add_entry(csr_matrix* a, int column, double value) {
    a->columns[a->entries] = column;
    a->values[a->entries++] = value;
}

/* Columns ascend in every row, which csrilu02 asks for. */
static csr_matrix flow_on_grid(int n) {
    const double flow = 0.4;
    csr_matrix a;
    int x, y, z;
    a.rows = n * n * n;
    a.entries = 0;
    a.offsets = host_array((size_t)a.rows + 1, sizeof(int));
    a.columns = host_array((size_t)a.rows * 7, sizeof(int));
    a.values = host_array((size_t)a.rows * 7, sizeof(double));
    for (z = 0; z < n; ++z)
        for (y = 0; y < n; ++y)
            for (x = 0; x < n; ++x) {
                const int row = (z * n + y) * n + x;
                if (z > 0) add_entry(&a, row - n * n, -1 - flow);
                if (y > 0) add_entry(&a, row - n, -1 - flow);
                if (x > 0) add_entry(&a, row - 1, -1 - flow);
                add_entry(&a, row, 6);
                if (x < n - 1) add_entry(&a, row + 1, -1 + flow);
                if (y < n - 1) add_entry(&a, row + n, -1 + flow);
                if (z < n - 1) add_entry(&a, row + n * n, -1 + flow);
                a.offsets[row + 1] = a.entries;
            }
    return a;
}

/* ---- dense vectors ---- */

/* The same memory as a dense and as a sparse vector. */
typedef struct vector {
    double* values;
    cusparseDnVecDescr_t dense;
    cusparseSpVecDescr_t sparse;
} vector;

static cusparseHandle_t handle;
static int size;
static int* identity; /* 0 ... size-1 */
static void* dot_buffer;

static vector new_vector(void) {
    vector v;
    v.values = device_array((size_t)size * sizeof(double));
    check_cuda(cudaMemset(v.values, 0, (size_t)size * sizeof(double)), "cudaMemset");
    check(cusparseCreateDnVec(&v.dense, size, v.values, CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateSpVec(&v.sparse, size, size, identity, v.values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateSpVec");
    return v;
}
static void free_vector(vector v) {
    cusparseDestroyDnVec(v.dense);
    cusparseDestroySpVec(v.sparse);
    cudaFree(v.values);
}

static double dot(vector x, vector y) {
    double result = 0;
    if (!dot_buffer) {
        size_t bytes = 0;
        check(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x.sparse, y.dense, &result,
                                      CUDA_R_64F, &bytes),
              "cusparseSpVV_bufferSize");
        dot_buffer = device_array(bytes > 0 ? bytes : 1);
    }
    check(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x.sparse, y.dense, &result, CUDA_R_64F,
                       dot_buffer),
          "cusparseSpVV");
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return result;
}
/* y := alpha x + beta y */
static void update(double alpha, vector x, double beta, vector y) {
    check(cusparseAxpby(handle, &alpha, x.sparse, &beta, y.dense), "cusparseAxpby");
}
static void assign(vector to, vector from) { update(1, from, 0, to); }

/* ---- A and its factors on the device ---- */

typedef struct operator_a {
    cusparseSpMatDescr_t matrix;
    void* buffer;
} operator_a;

static cusparseSpMatDescr_t describe(const csr_matrix* a, int* offsets, int* columns, double* values) {
    cusparseSpMatDescr_t matrix;
    check(cusparseCreateCsr(&matrix, a->rows, a->rows, a->entries, offsets, columns, values,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
          "cusparseCreateCsr");
    return matrix;
}

/* y := A x */
static void apply(operator_a* a, vector x, vector y) {
    const double one = 1, zero = 0;
    if (!a->buffer) {
        size_t bytes = 0;
        check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a->matrix, x.dense,
                                      &zero, y.dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
              "cusparseSpMV_bufferSize");
        a->buffer = device_array(bytes > 0 ? bytes : 1);
    }
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a->matrix, x.dense, &zero, y.dense,
                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, a->buffer),
          "cusparseSpMV");
}

/* values := the factors of A, whose values are there before. */
static void factorise(const csr_matrix* a, int* offsets, int* columns, double* values) {
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    cusparseMatDescr_t descr;
    csrilu02Info_t info;
    int bytes = 0, position = 0;
    void* buffer;
    check(cusparseCreateMatDescr(&descr), "cusparseCreateMatDescr");
    check(cusparseCreateCsrilu02Info(&info), "cusparseCreateCsrilu02Info");
    check(cusparseDcsrilu02_bufferSize(handle, a->rows, a->entries, descr, values, offsets, columns, info,
                                       &bytes),
          "cusparseDcsrilu02_bufferSize");
    buffer = device_array((size_t)bytes);
    check(cusparseDcsrilu02_analysis(handle, a->rows, a->entries, descr, values, offsets, columns, info,
                                     policy, buffer),
          "cusparseDcsrilu02_analysis");
    if (cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT)
        fail("csrilu02_analysis", "a diagonal element is missing");
    check(
        cusparseDcsrilu02(handle, a->rows, a->entries, descr, values, offsets, columns, info, policy, buffer),
        "cusparseDcsrilu02");
    if (cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT)
        fail("csrilu02", "a pivot is zero");
    cudaFree(buffer);
    check(cusparseDestroyCsrilu02Info(info), "cusparseDestroyCsrilu02Info");
    check(cusparseDestroyMatDescr(descr), "cusparseDestroyMatDescr");
}

/* A triangle of the factors. */
typedef struct triangle {
    cusparseSpMatDescr_t matrix;
    cusparseSpSVDescr_t solver;
    void* buffer;
} triangle;

static triangle new_triangle(cusparseSpMatDescr_t matrix, cusparseFillMode_t fill, cusparseDiagType_t diag,
                             vector x, vector y) {
    const double one = 1;
    size_t bytes = 0;
    triangle t;
    t.matrix = matrix;
    check(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "fill mode");
    check(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag), "diagonal type");
    check(cusparseSpSV_createDescr(&t.solver), "cusparseSpSV_createDescr");
    check(cusparseSpSV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x.dense, y.dense,
                                  CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, t.solver, &bytes),
          "cusparseSpSV_bufferSize");
    t.buffer = device_array(bytes > 0 ? bytes : 1);
    check(cusparseSpSV_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x.dense, y.dense,
                                CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, t.solver, t.buffer),
          "cusparseSpSV_analysis");
    return t;
}
static void solve(triangle t, vector b, vector x) {
    const double one = 1;
    check(cusparseSpSV_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, t.matrix, b.dense, x.dense,
                             CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, t.solver),
          "cusparseSpSV_solve");
}
static void free_triangle(triangle t) {
    cusparseSpSV_destroyDescr(t.solver);
    cusparseDestroySpMat(t.matrix);
    cudaFree(t.buffer);
}

/* ---- BiCGStab (van der Vorst, 1992) with M = L U applied from the right ---- */

typedef struct preconditioner {
    triangle lower, upper;
    vector between;
} preconditioner;

static void precondition(const preconditioner* m, vector b, vector x) {
    solve(m->lower, b, m->between);
    solve(m->upper, m->between, x);
}

/* Returns the number of iterations. */
static int solve_system(operator_a* a, const preconditioner* m, vector b, vector x) {
    vector r = new_vector(), shadow = new_vector(), p = new_vector(), v = new_vector(), t = new_vector();
    vector direction = new_vector();
    const double end = tolerance * sqrt(dot(b, b));
    double rho = 1, alpha = 1, omega = 1;
    int iteration = 0;
    assign(r, b);
    assign(shadow, b);
    while (sqrt(dot(r, r)) > end && ++iteration <= most_iterations) {
        const double before = rho;
        double beta;
        rho = dot(shadow, r);
        beta = rho / before * (alpha / omega);
        update(-omega, v, 1, p);
        update(1, r, beta, p);
        precondition(m, p, direction);
        apply(a, direction, v);
        alpha = rho / dot(shadow, v);
        update(alpha, direction, 1, x);
        update(-alpha, v, 1, r);
        /* Half a step has been enough. */
        if (sqrt(dot(r, r)) <= end) break;
        precondition(m, r, direction);
        apply(a, direction, t);
        omega = dot(t, r) / dot(t, t);
        update(omega, direction, 1, x);
        update(-omega, t, 1, r);
    }
    free_vector(r);
    free_vector(shadow);
    free_vector(p);
    free_vector(v);
    free_vector(t);
    free_vector(direction);
    return iteration;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 20;
    csr_matrix a;
    operator_a product = {NULL, NULL};
    preconditioner m;
    vector b, x, ones;
    int *offsets, *columns, i, iterations;
    double *values, *factors, *numbers, residual, error, right;
    if (n < 1 || n > 400) fail("usage", "bicgstab [N], N from 1 to 400");
    a = flow_on_grid(n);
    size = a.rows;
    check(cusparseCreate(&handle), "cusparseCreate");
    offsets = device_copy_of(a.offsets, ((size_t)size + 1) * sizeof(int));
    columns = device_copy_of(a.columns, (size_t)a.entries * sizeof(int));
    values = device_copy_of(a.values, (size_t)a.entries * sizeof(double));
    factors = device_copy_of(a.values, (size_t)a.entries * sizeof(double));
    for (i = 0; i < size; ++i) a.offsets[i] = i;
    identity = device_copy_of(a.offsets, (size_t)size * sizeof(int));

    b = new_vector();
    x = new_vector();
    ones = new_vector();
    numbers = host_array((size_t)size, sizeof(double));
    for (i = 0; i < size; ++i) numbers[i] = 1;
    check_cuda(cudaMemcpy(ones.values, numbers, (size_t)size * sizeof(double), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    product.matrix = describe(&a, offsets, columns, values);
    apply(&product, ones, b);

    factorise(&a, offsets, columns, factors);
    m.between = new_vector();
    m.lower = new_triangle(describe(&a, offsets, columns, factors), CUSPARSE_FILL_MODE_LOWER,
                           CUSPARSE_DIAG_TYPE_UNIT, b, m.between);
    m.upper = new_triangle(describe(&a, offsets, columns, factors), CUSPARSE_FILL_MODE_UPPER,
                           CUSPARSE_DIAG_TYPE_NON_UNIT, b, m.between);
    iterations = solve_system(&product, &m, b, x);

    right = sqrt(dot(b, b));
    apply(&product, x, m.between);
    update(-1, b, 1, m.between);
    residual = sqrt(dot(m.between, m.between)) / right;
    update(-1, ones, 1, x);
    error = sqrt(dot(x, x) / size);
    printf("%d unknowns, %d iterations, residual %.1e, error %.1e\n", size, iterations, residual, error);

    free_triangle(m.lower);
    free_triangle(m.upper);
    free_vector(m.between);
    free_vector(b);
    free_vector(x);
    free_vector(ones);
    cusparseDestroySpMat(product.matrix);
    cudaFree(product.buffer);
    cudaFree(dot_buffer);
    cudaFree(identity);
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(values);
    cudaFree(factors);
    check(cusparseDestroy(handle), "cusparseDestroy");
    free(a.offsets);
    free(a.columns);
    free(a.values);
    free(numbers);
    /* The residual of the recursion may be a little smaller than the true one. */
    return iterations <= most_iterations && residual <= 10 * tolerance && error <= 1e-6 ? EXIT_SUCCESS
                                                                                        : EXIT_FAILURE;
}
