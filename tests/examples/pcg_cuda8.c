/* Conjugate gradients with an incomplete LU factorisation as the preconditioner, as programs of CUDA 5 to 8
 * have it: csrsv_analysis and csrsv_solve with a SolveAnalysisInfo for each factor, csrilu0 and csrmv.
 *
 *     pcg_cuda8 [N]
 *
 * Solves A x = b for the 5-point Laplacian of an N x N grid (N = 40 when nothing is said) and x = (1, ...,
 * 1), with and without the preconditioner. Ends with status 0 when both find x and the preconditioner saves
 * at least a third of the iterations. Dense vectors are sparse ones with the indices 0 ... n-1, so that axpyi
 * and doti serve them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
#include <cusparse_v2.h>

enum { most_iterations = 2000 };
static const double tolerance = 1e-10;

static void check_cuda(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "pcg_cuda8: %s: %s\n", call, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}
static void check(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    fprintf(stderr, "pcg_cuda8: %s: status %d\n", call, (int)status);
    exit(EXIT_FAILURE);
}
static void* device_copy_of(const void* host, size_t bytes) {
    void* memory = NULL;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
}

static cusparseHandle_t handle;
static int n, entries; /* of A */
static int *offsets, *columns, *identity;
static double* values;

static void make_grid(int side) {
    int *host_offsets, *host_columns, row = 0, x, y;
    double* host_values;
    n = side * side;
    host_offsets = calloc((size_t)n + 1, sizeof(int));
    host_columns = calloc((size_t)n * 5, sizeof(int));
    host_values = calloc((size_t)n * 5, sizeof(double));
    if (!host_offsets || !host_columns || !host_values) exit(EXIT_FAILURE);
    entries = 0;
    for (y = 0; y < side; ++y)
        for (x = 0; x < side; ++x, ++row) {
            const int near[5] = {y > 0 ? row - side : -1, x > 0 ? row - 1 : -1, row,
                                 x < side - 1 ? row + 1 : -1, y < side - 1 ? row + side : -1};
            int k;
            for (k = 0; k < 5; ++k)
                if (near[k] >= 0) {
                    host_columns[entries] = near[k];
                    host_values[entries++] = near[k] == row ? 4 : -1;
                }
            host_offsets[row + 1] = entries;
        }
    offsets = device_copy_of(host_offsets, ((size_t)n + 1) * sizeof(int));
    columns = device_copy_of(host_columns, (size_t)entries * sizeof(int));
    values = device_copy_of(host_values, (size_t)entries * sizeof(double));
    for (row = 0; row < n; ++row) host_offsets[row] = row;
    identity = device_copy_of(host_offsets, (size_t)n * sizeof(int));
    free(host_offsets);
    free(host_columns);
    free(host_values);
}

static double* new_vector(double value) {
    double* const host = malloc((size_t)n * sizeof(double));
    double* result;
    int i;
    if (!host) exit(EXIT_FAILURE);
    for (i = 0; i < n; ++i) host[i] = value;
    result = device_copy_of(host, (size_t)n * sizeof(double));
    free(host);
    return result;
}

static double dot(const double* x, const double* y) {
    double result = 0;
    check(cusparseDdoti(handle, n, x, identity, y, &result, CUSPARSE_INDEX_BASE_ZERO), "cusparseDdoti");
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return result;
}
/* y := alpha x + y */
static void add(double alpha, const double* x, double* y) {
    check(cusparseDaxpyi(handle, n, &alpha, x, identity, y, CUSPARSE_INDEX_BASE_ZERO), "cusparseDaxpyi");
}
static void copy(double* to, const double* from) {
    check_cuda(cudaMemcpy(to, from, (size_t)n * sizeof(double), cudaMemcpyDeviceToDevice), "cudaMemcpy");
}
static void apply(cusparseMatDescr_t descr, const double* x, double* y) {
    const double one = 1, zero = 0;
    check(cusparseDcsrmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, n, entries, &one, descr, values,
                         offsets, columns, x, &zero, y),
          "cusparseDcsrmv");
}

typedef struct preconditioner {
    double *factors, *between;
    cusparseMatDescr_t lower, upper;
    cusparseSolveAnalysisInfo_t lower_info, upper_info;
} preconditioner;

static cusparseMatDescr_t triangle(cusparseFillMode_t fill, cusparseDiagType_t diag) {
    cusparseMatDescr_t descr;
    check(cusparseCreateMatDescr(&descr), "cusparseCreateMatDescr");
    check(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_TRIANGULAR), "cusparseSetMatType");
    check(cusparseSetMatFillMode(descr, fill), "cusparseSetMatFillMode");
    check(cusparseSetMatDiagType(descr, diag), "cusparseSetMatDiagType");
    check(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ZERO), "cusparseSetMatIndexBase");
    return descr;
}

/* The analysis of A for csrilu0 serves the solves with L, whose pattern is a part of A's. */
static preconditioner factorise(cusparseMatDescr_t general) {
    preconditioner m;
    check_cuda(cudaMalloc((void**)&m.factors, (size_t)entries * sizeof(double)), "cudaMalloc");
    check_cuda(cudaMemcpy(m.factors, values, (size_t)entries * sizeof(double), cudaMemcpyDeviceToDevice),
               "cudaMemcpy");
    m.between = new_vector(0);
    m.lower = triangle(CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT);
    m.upper = triangle(CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
    check(cusparseCreateSolveAnalysisInfo(&m.lower_info), "cusparseCreateSolveAnalysisInfo");
    check(cusparseCreateSolveAnalysisInfo(&m.upper_info), "cusparseCreateSolveAnalysisInfo");
    check(cusparseDcsrsv_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, entries, general, values,
                                  offsets, columns, m.lower_info),
          "cusparseDcsrsv_analysis");
    check(cusparseDcsrilu0(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, general, m.factors, offsets, columns,
                           m.lower_info),
          "cusparseDcsrilu0");
    check(cusparseDcsrsv_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, entries, m.upper, m.factors,
                                  offsets, columns, m.upper_info),
          "cusparseDcsrsv_analysis");
    return m;
}
static void precondition(const preconditioner* m, const double* r, double* z) {
    const double one = 1;
    check(cusparseDcsrsv_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, &one, m->lower, m->factors,
                               offsets, columns, m->lower_info, r, m->between),
          "cusparseDcsrsv_solve");
    check(cusparseDcsrsv_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, &one, m->upper, m->factors,
                               offsets, columns, m->upper_info, m->between, z),
          "cusparseDcsrsv_solve");
}
static void free_preconditioner(preconditioner m) {
    cudaFree(m.factors);
    cudaFree(m.between);
    check(cusparseDestroySolveAnalysisInfo(m.lower_info), "cusparseDestroySolveAnalysisInfo");
    check(cusparseDestroySolveAnalysisInfo(m.upper_info), "cusparseDestroySolveAnalysisInfo");
    cusparseDestroyMatDescr(m.lower);
    cusparseDestroyMatDescr(m.upper);
}

/* Returns the number of iterations. m may be NULL. */
static int solve(cusparseMatDescr_t descr, const preconditioner* m, const double* b, double* x) {
    double *r = new_vector(0), *z = new_vector(0), *p = new_vector(0), *q = new_vector(0), rho = 0;
    const double end = tolerance * sqrt(dot(b, b));
    int iteration = 0;
    copy(r, b);
    while (sqrt(dot(r, r)) > end && ++iteration <= most_iterations) {
        const double before = rho;
        double alpha;
        if (m)
            precondition(m, r, z);
        else
            copy(z, r);
        rho = dot(r, z);
        /* p := z + beta p, as q := z, q := q + beta p, p := q. */
        copy(q, z);
        if (iteration > 1) add(rho / before, p, q);
        copy(p, q);
        apply(descr, p, q);
        alpha = rho / dot(p, q);
        add(alpha, p, x);
        add(-alpha, q, r);
    }
    cudaFree(r);
    cudaFree(z);
    cudaFree(p);
    cudaFree(q);
    return iteration;
}

/* How far x is from (1, ..., 1), in the root of the mean of squares. x is lost. */
static double error_of(double* x, const double* ones) {
    add(-1, ones, x);
    return sqrt(dot(x, x) / n);
}

int main(int argc, char** argv) {
    const int side = argc > 1 ? atoi(argv[1]) : 40;
    double *ones, *b, *x, *plain_x, error, plain_error;
    cusparseMatDescr_t general;
    preconditioner m;
    int iterations, plain_iterations;
    if (side < 2 || side > 2000) {
        fprintf(stderr, "usage: pcg_cuda8 [N], N from 2 to 2000\n");
        return EXIT_FAILURE;
    }
    check(cusparseCreate(&handle), "cusparseCreate");
    make_grid(side);
    ones = new_vector(1);
    b = new_vector(0);
    x = new_vector(0);
    plain_x = new_vector(0);
    check(cusparseCreateMatDescr(&general), "cusparseCreateMatDescr");
    apply(general, ones, b);
    m = factorise(general);
    iterations = solve(general, &m, b, x);
    plain_iterations = solve(general, NULL, b, plain_x);
    error = error_of(x, ones);
    plain_error = error_of(plain_x, ones);
    printf("%d unknowns: %d iterations, error %.1e; without a preconditioner %d, %.1e\n", n, iterations,
           error, plain_iterations, plain_error);
    free_preconditioner(m);
    cusparseDestroyMatDescr(general);
    cudaFree(ones);
    cudaFree(b);
    cudaFree(x);
    cudaFree(plain_x);
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(values);
    cudaFree(identity);
    check(cusparseDestroy(handle), "cusparseDestroy");
    return error <= 1e-7 && plain_error <= 1e-7 && 3 * iterations <= 2 * plain_iterations ? EXIT_SUCCESS
                                                                                          : EXIT_FAILURE;
}
