/* Conjugate gradients on the GPU with the CUDA runtime, cuSPARSE and cuBLAS.
 *
 *     cublas_cg [N]
 *
 * Solves A x = b with b = (1, ..., 1) for the 7-point Laplacian on an N x N x N grid (N = 20 when nothing is
 * said). The matrix is cuSPARSE's business, the vectors are cuBLAS's, and both handles are on one stream.
 * Ends with status 0 when ||b - A x|| <= 1e-8 ||b||. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cublas_v2.h>
#include <cuda_runtime.h>
/* NVIDIA announces the end of some functions; its header is quiet about that when asked so. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

static void fail(const char* what, const char* why) {
    fprintf(stderr, "cublas_cg: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static void check_cuda(cudaError_t status, const char* call) {
    if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}

static void check_cusparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) fail(call, cusparseGetErrorString(status));
}

static void check_cublas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) fail(call, cublasGetStatusString(status));
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

/* Compressed sparse rows in host memory. */
typedef struct csr_matrix {
    int size, entries;
    int *offsets, *columns;
    double* values;
} csr_matrix;

static void add_entry(csr_matrix* a, int column, double value) {
    a->columns[a->entries] = column;
    a->values[a->entries++] = value;
}

static csr_matrix poisson(int n) {
    csr_matrix a = {n * n * n, 0, NULL, NULL, NULL};
    int row, stride[3];
    a.offsets = malloc(((size_t)a.size + 1) * sizeof(int));
    a.columns = malloc((size_t)a.size * 7 * sizeof(int));
    a.values = malloc((size_t)a.size * 7 * sizeof(double));
    if (!a.offsets || !a.columns || !a.values) fail("host memory", "exhausted");
    stride[0] = 1;
    stride[1] = n;
    stride[2] = n * n;
    for (row = 0; row < a.size; ++row) {
        int d;
        a.offsets[row] = a.entries;
        for (d = 2; d >= 0; --d)
            if (row / stride[d] % n > 0) add_entry(&a, row - stride[d], -1);
        add_entry(&a, row, 6);
        for (d = 0; d < 3; ++d)
            if (row / stride[d] % n < n - 1) add_entry(&a, row + stride[d], -1);
    }
    a.offsets[a.size] = a.entries;
    return a;
}

/* What a product with the matrix needs. */
typedef struct operator_a {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t in, out;
    void* buffer;
} operator_a;

static const double one = 1, zero = 0, minus_one = -1;

/* y := A x */
static void multiply(operator_a* a, double* x, double* y) {
    check_cusparse(cusparseDnVecSetValues(a->in, x), "cusparseDnVecSetValues");
    check_cusparse(cusparseDnVecSetValues(a->out, y), "cusparseDnVecSetValues");
    check_cusparse(cusparseSpMV(a->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a->matrix, a->in, &zero,
                                a->out, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, a->buffer),
                   "cusparseSpMV");
}

static double dot(cublasHandle_t blas, int n, const double* x, const double* y) {
    double result;
    check_cublas(cublasDdot(blas, n, x, 1, y, 1, &result), "cublasDdot");
    return result;
}

static double norm(cublasHandle_t blas, int n, const double* x) {
    double result;
    check_cublas(cublasDnrm2(blas, n, x, 1, &result), "cublasDnrm2");
    return result;
}

static void add(cublasHandle_t blas, int n, double alpha, const double* x, double* y) {
    check_cublas(cublasDaxpy(blas, n, &alpha, x, 1, y, 1), "cublasDaxpy");
}

static void copy(cublasHandle_t blas, int n, const double* x, double* y) {
    check_cublas(cublasDcopy(blas, n, x, 1, y, 1), "cublasDcopy");
}

/* From x = 0; the iterations that it took. */
static int solve(cublasHandle_t blas, operator_a* a, int n, const double* b, double* x, double tolerance) {
    double* const r = device_array((size_t)n * sizeof(double));
    double* const p = device_array((size_t)n * sizeof(double));
    double* const q = device_array((size_t)n * sizeof(double));
    double rho;
    int iteration = 0;
    copy(blas, n, b, r);
    copy(blas, n, b, p);
    check_cublas(cublasDscal(blas, n, &zero, x, 1), "cublasDscal");
    rho = dot(blas, n, r, r);
    while (sqrt(rho) > tolerance && iteration < 10 * n) {
        double alpha, next, beta;
        multiply(a, p, q);
        alpha = rho / dot(blas, n, p, q);
        add(blas, n, alpha, p, x);
        add(blas, n, -alpha, q, r);
        next = dot(blas, n, r, r);
        beta = next / rho;
        check_cublas(cublasDscal(blas, n, &beta, p, 1), "cublasDscal");
        add(blas, n, one, r, p);
        rho = next;
        ++iteration;
    }
    check_cuda(cudaFree(r), "cudaFree");
    check_cuda(cudaFree(p), "cudaFree");
    check_cuda(cudaFree(q), "cudaFree");
    return iteration;
}

int main(int argc, char** argv) {
    const int grid = argc > 1 ? atoi(argv[1]) : 20;
    csr_matrix a;
    operator_a op;
    cublasHandle_t blas;
    cudaStream_t stream;
    int *offsets, *columns, i, iterations;
    double *values, *b, *x, *r, *ones, residual, scale;
    size_t vector_bytes, buffer_bytes;

    if (grid < 1 || grid > 512) fail("usage", "cublas_cg [N], N from 1 to 512");
    a = poisson(grid);
    vector_bytes = (size_t)a.size * sizeof(double);
    ones = malloc(vector_bytes);
    if (!ones) fail("host memory", "exhausted");
    for (i = 0; i < a.size; ++i) ones[i] = 1;
    offsets = device_copy_of(a.offsets, ((size_t)a.size + 1) * sizeof(int));
    columns = device_copy_of(a.columns, (size_t)a.entries * sizeof(int));
    values = device_copy_of(a.values, (size_t)a.entries * sizeof(double));
    b = device_copy_of(ones, vector_bytes);
    x = device_copy_of(ones, vector_bytes);
    r = device_array(vector_bytes);

    check_cuda(cudaStreamCreate(&stream), "cudaStreamCreate");
    check_cublas(cublasCreate(&blas), "cublasCreate");
    check_cublas(cublasSetStream(blas, stream), "cublasSetStream");
    check_cusparse(cusparseCreate(&op.handle), "cusparseCreate");
    check_cusparse(cusparseSetStream(op.handle, stream), "cusparseSetStream");
    check_cusparse(
        cusparseCreateCsr(&op.matrix, a.size, a.size, a.entries, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateCsr");
    check_cusparse(cusparseCreateDnVec(&op.in, a.size, x, CUDA_R_64F), "cusparseCreateDnVec");
    check_cusparse(cusparseCreateDnVec(&op.out, a.size, r, CUDA_R_64F), "cusparseCreateDnVec");
    check_cusparse(
        cusparseSpMV_bufferSize(op.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, op.matrix, op.in, &zero,
                                op.out, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &buffer_bytes),
        "cusparseSpMV_bufferSize");
    op.buffer = device_array(buffer_bytes);

    scale = norm(blas, a.size, b);
    iterations = solve(blas, &op, a.size, b, x, 1e-9 * scale);

    /* The residual itself, and not what the iteration takes for it. */
    multiply(&op, x, r);
    check_cublas(cublasDscal(blas, a.size, &minus_one, r, 1), "cublasDscal");
    add(blas, a.size, one, b, r);
    residual = norm(blas, a.size, r) / scale;
    printf("%d unknowns, %d iterations, relative residual %.2e\n", a.size, iterations, residual);

    cusparseDestroyDnVec(op.in);
    cusparseDestroyDnVec(op.out);
    cusparseDestroySpMat(op.matrix);
    cusparseDestroy(op.handle);
    cublasDestroy(blas);
    check_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
    cudaFree(op.buffer);
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(values);
    cudaFree(b);
    cudaFree(x);
    cudaFree(r);
    free(a.offsets);
    free(a.columns);
    free(a.values);
    free(ones);
    return residual <= 1e-8 ? EXIT_SUCCESS : EXIT_FAILURE;
}
