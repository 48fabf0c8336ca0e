/* The power method with a matrix in HYB, as programs of CUDA 4.1 to 10 have it: csr2hyb once, hybmv as often
 * as it takes, and hyb2csr to see what is in it.
 *
 *     hyb_spmv [N]
 *
 * A is the tridiagonal matrix (-1, 2, -1) of N rows (N = 60 when nothing is said) whose largest eigenvalue is
 * 2 + 2 cos(pi / (N + 1)), with one full row more that is 0 but for its diagonal, so that HYB has rows of
 * very different lengths. Ends with status 0 when the eigenvalue is found and A comes back as it went in.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <cusparse.h>

enum { rounds = 4000 };

static void check_cuda(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "hyb_spmv: %s: %s\n", call, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}
static void check(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    fprintf(stderr, "hyb_spmv: %s: status %d\n", call, (int)status);
    exit(EXIT_FAILURE);
}
static void* host_array(size_t count, size_t size) {
    void* const memory = calloc(count, size);
    if (!memory) exit(EXIT_FAILURE);
    return memory;
}
static void* device_copy_of(const void* host, size_t bytes) {
    void* memory = NULL;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
}

typedef struct csr_matrix {
    int rows, entries;
    int *offsets, *columns;
    double* values;
} csr_matrix;

static void add_entry(csr_matrix* a, int column, double value) {
    a->columns[a->entries] = column;
    a->values[a->entries++] = value;
}

static csr_matrix make_matrix(int n) {
    csr_matrix a;
    int i, j;
    a.rows = n + 1;
    a.entries = 0;
    a.offsets = host_array((size_t)a.rows + 1, sizeof(int));
    a.columns = host_array((size_t)a.rows * 4, sizeof(int));
    a.values = host_array((size_t)a.rows * 4, sizeof(double));
    for (i = 0; i < n; ++i) {
        if (i > 0) add_entry(&a, i - 1, -1);
        add_entry(&a, i, 2);
        if (i < n - 1) add_entry(&a, i + 1, -1);
        a.offsets[i + 1] = a.entries;
    }
    for (j = 0; j <= n; ++j) add_entry(&a, j, j == n ? 1 : 0);
    a.offsets[n + 1] = a.entries;
    return a;
}

static int is_same(const csr_matrix* a, const int* offsets, const int* columns, const double* values) {
    return memcmp(a->offsets, offsets, ((size_t)a->rows + 1) * sizeof(int)) == 0 &&
           memcmp(a->columns, columns, (size_t)a->entries * sizeof(int)) == 0 &&
           memcmp(a->values, values, (size_t)a->entries * sizeof(double)) == 0;
}

/* Whether hyb2csr gives the arrays back. */
static int comes_back(cusparseHandle_t handle, cusparseMatDescr_t descr, cusparseHybMat_t hyb,
                      const csr_matrix* a) {
    const size_t offsets_bytes = ((size_t)a->rows + 1) * sizeof(int);
    const size_t columns_bytes = (size_t)a->entries * sizeof(int);
    const size_t values_bytes = (size_t)a->entries * sizeof(double);
    int *offsets = host_array(1, offsets_bytes), *columns = host_array(1, columns_bytes), same;
    double* values = host_array(1, values_bytes);
    int *on_offsets = device_copy_of(offsets, offsets_bytes),
        *on_columns = device_copy_of(columns, columns_bytes);
    double* on_values = device_copy_of(values, values_bytes);
    check(cusparseDhyb2csr(handle, descr, hyb, on_values, on_offsets, on_columns), "cusparseDhyb2csr");
    check_cuda(cudaMemcpy(offsets, on_offsets, offsets_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check_cuda(cudaMemcpy(columns, on_columns, columns_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check_cuda(cudaMemcpy(values, on_values, values_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    same = is_same(a, offsets, columns, values);
    cudaFree(on_offsets);
    cudaFree(on_columns);
    cudaFree(on_values);
    free(offsets);
    free(columns);
    free(values);
    return same;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 60;
    const double zero = 0, pi = acos(-1.0);
    double *x, *on_x, *on_y, *on_values, scale = 1, found = 0, expected;
    int *on_offsets, *on_columns, i, round, same;
    csr_matrix a;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    cusparseHybMat_t hyb;
    if (n < 2 || n > 1000) return EXIT_FAILURE;
    a = make_matrix(n);
    x = host_array((size_t)a.rows, sizeof(double));
    for (i = 0; i < a.rows; ++i) x[i] = 1 + 0.01 * (i % 7);
    on_offsets = device_copy_of(a.offsets, ((size_t)a.rows + 1) * sizeof(int));
    on_columns = device_copy_of(a.columns, (size_t)a.entries * sizeof(int));
    on_values = device_copy_of(a.values, (size_t)a.entries * sizeof(double));
    on_x = device_copy_of(x, (size_t)a.rows * sizeof(double));
    on_y = device_copy_of(x, (size_t)a.rows * sizeof(double));

    check(cusparseCreate(&handle), "cusparseCreate");
    check(cusparseCreateMatDescr(&descr), "cusparseCreateMatDescr");
    check(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_GENERAL), "cusparseSetMatType");
    check(cusparseCreateHybMat(&hyb), "cusparseCreateHybMat");
    check(cusparseDcsr2hyb(handle, a.rows, a.rows, descr, on_values, on_offsets, on_columns, hyb, 3,
                           CUSPARSE_HYB_PARTITION_USER),
          "cusparseDcsr2hyb");
    same = comes_back(handle, descr, hyb, &a);

    for (round = 0; round < rounds; ++round) {
        double* const swapped = on_x;
        check(cusparseDhybmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &scale, descr, hyb, on_x, &zero, on_y),
              "cusparseDhybmv");
        on_x = on_y;
        on_y = swapped;
        if (round % 50 < 49) {
            scale = 0.25; /* about the inverse of the eigenvalue: nothing overflows */
            continue;
        }
        check_cuda(cudaMemcpy(x, on_x, (size_t)a.rows * sizeof(double), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        found = 0;
        for (i = 0; i < a.rows; ++i) found += x[i] * x[i];
        scale = 1 / sqrt(found);
    }
    /* The quotient of Rayleigh: x . A x / x . x. */
    {
        double* const y = host_array((size_t)a.rows, sizeof(double));
        double square = 0;
        const double one = 1;
        check(cusparseDhybmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, descr, hyb, on_x, &zero, on_y),
              "cusparseDhybmv");
        check_cuda(cudaMemcpy(x, on_x, (size_t)a.rows * sizeof(double), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        check_cuda(cudaMemcpy(y, on_y, (size_t)a.rows * sizeof(double), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        found = 0;
        for (i = 0; i < a.rows; ++i) {
            found += x[i] * y[i];
            square += x[i] * x[i];
        }
        found /= square;
        free(y);
    }
    expected = 2 + 2 * cos(pi / (n + 1));
    printf("%d rows: largest eigenvalue %.12f instead of %.12f, the matrix comes back %s\n", a.rows, found,
           expected, same ? "as it was" : "changed");

    check(cusparseDestroyHybMat(hyb), "cusparseDestroyHybMat");
    cusparseDestroyMatDescr(descr);
    check(cusparseDestroy(handle), "cusparseDestroy");
    cudaFree(on_offsets);
    cudaFree(on_columns);
    cudaFree(on_values);
    cudaFree(on_x);
    cudaFree(on_y);
    free(a.offsets);
    free(a.columns);
    free(a.values);
    free(x);
    return same && fabs(found - expected) <= 1e-6 * expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
