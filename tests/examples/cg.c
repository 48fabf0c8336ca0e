/* Conjugate gradients on the GPU with the CUDA runtime and cuSPARSE only.
 *
 *     cg [MATRIX.mtx | --poisson N] [--tol T] [--max-iterations K]
 *
 * Solves A x = b with b = (1, ..., 1) for a symmetric positive definite A: a Matrix Market file, or the
 * 7-point Laplacian on an N x N x N grid (N = 100 when nothing is said). Ends with status 0 when ||b - A x||
 * <= T ||b||, T = 1e-8.
 *
 * cuSPARSE has no dense vector operations. They are written here in its own terms: a dense vector of n
 * numbers is also a sparse vector with the indices 0 ... n-1, so that
 *
 *     dot product          x . y                  cusparseSpVV   (x seen as sparse, y dense)
 *     vector update        y = alpha x + beta y   cusparseAxpby  (x seen as sparse, y dense)
 */
#define _POSIX_C_SOURCE 199309L
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>
/* cuSPARSE 12.6 announces the end of SpVV and Axpby; its header is quiet about that when asked so. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

static const double seconds_between_progress_lines = 2.0;

/* ---- errors: every failure ends the program with a message and status 1 ---- */

static void fail(const char* what, const char* why) {
    fprintf(stderr, "cg: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static void check_cuda(cudaError_t status, const char* call) {
    if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}

static void check_cusparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) fail(call, cusparseGetErrorString(status));
}

/* ---- memory and time ---- */

static void* host_array(size_t count, size_t size) {
    void* const memory = calloc(count ? count : 1, size);
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
    check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    return memory;
}

static void release(void* device_memory) { check_cuda(cudaFree(device_memory), "cudaFree"); }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the matrix on the host ---- */

/* Compressed sparse rows: row i has the entries row_offsets[i] ... row_offsets[i + 1] - 1. */
typedef struct csr_matrix {
    int size;
    int entries;
    int* row_offsets;
    int* columns;
    double* values;
} csr_matrix;

/* The same as a plain list of entries, in any order. */
typedef struct triplets {
    int size;
    int count;
    int* rows;
    int* columns;
    double* values;
} triplets;

static csr_matrix new_csr_matrix(int size, int entries) {
    csr_matrix a;
    a.size = size;
    a.entries = entries;
    a.row_offsets = host_array((size_t)size + 1, sizeof(int));
    a.columns = host_array((size_t)entries, sizeof(int));
    a.values = host_array((size_t)entries, sizeof(double));
    return a;
}

static void free_csr_matrix(csr_matrix* a) {
    free(a->row_offsets);
    free(a->columns);
    free(a->values);
}

static triplets new_triplets(int size, size_t capacity) {
    triplets t;
    t.size = size;
    t.count = 0;
    t.rows = host_array(capacity, sizeof(int));
    t.columns = host_array(capacity, sizeof(int));
    t.values = host_array(capacity, sizeof(double));
    return t;
}

static void free_triplets(triplets* t) {
    free(t->rows);
    free(t->columns);
    free(t->values);
}

static void add_entry(triplets* t, int row, int column, double value) {
    t->rows[t->count] = row;
    t->columns[t->count] = column;
    t->values[t->count] = value;
    ++t->count;
}

/* Groups the entries by row, keeping their order within a row (counting sort). */
static csr_matrix group_by_row(const triplets* t) {
    csr_matrix a = new_csr_matrix(t->size, t->count);
    int* const next = host_array((size_t)t->size + 1, sizeof(int));
    for (int i = 0; i < t->count; ++i) ++a.row_offsets[t->rows[i] + 1];
    for (int row = 0; row < t->size; ++row) a.row_offsets[row + 1] += a.row_offsets[row];
    memcpy(next, a.row_offsets, (size_t)t->size * sizeof(int));
    for (int i = 0; i < t->count; ++i) {
        const int position = next[t->rows[i]]++;
        a.columns[position] = t->columns[i];
        a.values[position] = t->values[i];
    }
    free(next);
    return a;
}

/* Turns the rows of the grouped matrix into columns: its entries listed row by row with row and column
 * exchanged. */
static triplets transposed_entries(const csr_matrix* a) {
    triplets t = new_triplets(a->size, (size_t)a->entries);
    for (int row = 0; row < a->size; ++row)
        for (int i = a->row_offsets[row]; i < a->row_offsets[row + 1]; ++i)
            add_entry(&t, a->columns[i], row, a->values[i]);
    return t;
}

/* Grouping, exchanging and grouping twice leaves every row sorted by column. */
static csr_matrix sorted_csr(const triplets* entries) {
    csr_matrix by_row = group_by_row(entries);
    triplets by_row_exchanged = transposed_entries(&by_row);
    csr_matrix by_column = group_by_row(&by_row_exchanged);
    triplets by_column_exchanged = transposed_entries(&by_column);
    const csr_matrix sorted = group_by_row(&by_column_exchanged);
    free_triplets(&by_column_exchanged);
    free_csr_matrix(&by_column);
    free_triplets(&by_row_exchanged);
    free_csr_matrix(&by_row);
    return sorted;
}

/* ---- a Matrix Market file: coordinate; real, integer or pattern; general or symmetric ---- */

static const char* file_name;
static long line_number;

static void fail_in_file(const char* why) {
    char where[512];
    snprintf(where, sizeof where, "%.400s, line %ld", file_name, line_number);
    fail(where, why);
}

/* False at the end of the file. */
static int next_line(FILE* file, char* line, int capacity) {
    if (!fgets(line, capacity, file)) return 0;
    ++line_number;
    if (!strchr(line, '\n') && !feof(file)) fail_in_file("the line is too long");
    return 1;
}

/* The next line that is neither empty nor a comment. */
static int next_data_line(FILE* file, char* line, int capacity) {
    while (next_line(file, line, capacity)) {
        const char* first = line;
        while (isspace((unsigned char)*first)) ++first;
        if (*first != '\0' && *first != '%') return 1;
    }
    return 0;
}

static void to_lower(char* text) {
    for (; *text; ++text) *text = (char)tolower((unsigned char)*text);
}

static void read_header(FILE* file, int* is_pattern, int* is_symmetric) {
    char line[1100], object[64], format[64], field[64], symmetry[64];
    if (!next_line(file, line, sizeof line)) fail_in_file("the file is empty");
    to_lower(line);
    if (sscanf(line, "%%%%matrixmarket %63s %63s %63s %63s", object, format, field, symmetry) != 4)
        fail_in_file("this is no Matrix Market header");
    if (strcmp(object, "matrix") != 0 || strcmp(format, "coordinate") != 0)
        fail_in_file("only 'matrix coordinate' is read");
    *is_pattern = strcmp(field, "pattern") == 0;
    if (!*is_pattern && strcmp(field, "real") != 0 && strcmp(field, "integer") != 0)
        fail_in_file("only real, integer and pattern matrices are read");
    *is_symmetric = strcmp(symmetry, "symmetric") == 0;
    if (!*is_symmetric && strcmp(symmetry, "general") != 0)
        fail_in_file("only general and symmetric matrices are read");
}

static void read_size(FILE* file, int* size, long long* entries) {
    char line[1100];
    long long rows, columns;
    if (!next_data_line(file, line, sizeof line)) fail_in_file("the size line is missing");
    if (sscanf(line, "%lld %lld %lld", &rows, &columns, entries) != 3 || rows < 1 || *entries < 0)
        fail_in_file("the size line must say rows (at least 1), columns and entries");
    if (rows != columns) fail_in_file("the matrix is not square");
    if (rows >= INT_MAX || *entries > INT_MAX / 2) fail_in_file("the matrix is too large for 32-bit indices");
    *size = (int)rows;
}

static void read_entry(FILE* file, int is_pattern, int size, int* row, int* column, double* value) {
    char line[1100], rest[2];
    long long i, j;
    if (!next_data_line(file, line, sizeof line)) fail_in_file("the file ends too early");
    if (sscanf(line, "%lld %lld %lf %1s", &i, &j, value, rest) != (is_pattern ? 2 : 3))
        fail_in_file(is_pattern ? "an entry must say row and column"
                                : "an entry must say row, column and value");
    if (i < 1 || i > size || j < 1 || j > size) fail_in_file("row or column out of range");
    if (!isfinite(*value)) fail_in_file("the value is not finite");
    *row = (int)i - 1;
    *column = (int)j - 1;
}

static csr_matrix read_matrix_market(const char* name) {
    char line[1100];
    int is_pattern, is_symmetric, size, has_lower = 0, has_upper = 0;
    long long entries;
    FILE* const file = fopen(name, "r");
    if (!file) fail(name, "cannot be opened");
    file_name = name;
    read_header(file, &is_pattern, &is_symmetric);
    read_size(file, &size, &entries);
    triplets t = new_triplets(size, (size_t)entries * (is_symmetric ? 2 : 1));
    for (long long i = 0; i < entries; ++i) {
        int row, column;
        double value = 1.0;
        read_entry(file, is_pattern, size, &row, &column, &value);
        if (row > column) has_lower = 1;
        if (row < column) has_upper = 1;
        if (is_symmetric && has_lower && has_upper)
            fail_in_file("a symmetric matrix is stored by one triangle");
        add_entry(&t, row, column, value);
        if (is_symmetric && row != column) add_entry(&t, column, row, value);
    }
    if (next_data_line(file, line, sizeof line))
        fail_in_file("there are more entries than the size line says");
    fclose(file);
    const csr_matrix a = sorted_csr(&t);
    free_triplets(&t);
    return a;
}

/* ---- the 7-point Laplacian on an N x N x N grid ---- */

static csr_matrix poisson3d(int n) {
    const int size = n * n * n;
    const int neighbour[7] = {-n * n, -n, -1, 0, 1, n, n * n};
    csr_matrix a = new_csr_matrix(size, 7 * size - 6 * n * n);
    int count = 0;
    for (int row = 0; row < size; ++row) {
        const int x = row % n, y = row / n % n, z = row / n / n;
        const int inside[7] = {z > 0, y > 0, x > 0, 1, x < n - 1, y < n - 1, z < n - 1};
        for (int k = 0; k < 7; ++k) {
            if (!inside[k]) continue;
            a.columns[count] = row + neighbour[k];
            a.values[count] = k == 3 ? 6.0 : -1.0;
            ++count;
        }
        a.row_offsets[row + 1] = count;
    }
    return a;
}

/* ---- vectors on the device ---- */

/* One array of numbers under two descriptions. */
typedef struct vector {
    double* data;
    cusparseDnVecDescr_t dense;
    cusparseSpVecDescr_t sparse; /* with the indices 0 ... n-1 */
} vector;

static vector new_vector(int size, int* identity, const double* initial) {
    vector v;
    v.data = device_copy_of(initial, (size_t)size * sizeof(double));
    check_cusparse(cusparseCreateDnVec(&v.dense, size, v.data, CUDA_R_64F), "cusparseCreateDnVec");
    check_cusparse(cusparseCreateSpVec(&v.sparse, size, size, identity, v.data, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "cusparseCreateSpVec");
    return v;
}

static void free_vector(vector* v) {
    check_cusparse(cusparseDestroySpVec(v->sparse), "cusparseDestroySpVec");
    check_cusparse(cusparseDestroyDnVec(v->dense), "cusparseDestroyDnVec");
    release(v->data);
}

/* ---- the linear system on the device ---- */

typedef struct linear_system {
    cusparseHandle_t cusparse;
    int size;
    int entries;
    int* row_offsets;
    int* columns;
    double* values;
    int* identity;
    cusparseSpMatDescr_t a;
    vector b, x, r, p, q; /* right-hand side, solution, residual, direction, A times direction */
    void* spmv_buffer;    /* belongs to a as long as a lives */
    void* dot_buffer;
} linear_system;

/* y = A x */
static void multiply(linear_system* s, const vector* x, const vector* y) {
    const double one = 1.0, zero = 0.0;
    check_cusparse(cusparseSpMV(s->cusparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, x->dense, &zero,
                                y->dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, s->spmv_buffer),
                   "cusparseSpMV");
}

/* y = alpha x + beta y */
static void update(linear_system* s, double alpha, const vector* x, double beta, const vector* y) {
    check_cusparse(cusparseAxpby(s->cusparse, &alpha, x->sparse, &beta, y->dense), "cusparseAxpby");
}

/* Waits for the device, because the result comes back to the host (the handle's pointer mode is host). */
static double dot(linear_system* s, const vector* x, const vector* y) {
    double result = 0.0;
    check_cusparse(cusparseSpVV(s->cusparse, CUSPARSE_OPERATION_NON_TRANSPOSE, x->sparse, y->dense, &result,
                                CUDA_R_64F, s->dot_buffer),
                   "cusparseSpVV");
    return result;
}

static void prepare_multiplication(linear_system* s) {
    const double one = 1.0, zero = 0.0;
    size_t bytes = 0;
    check_cusparse(
        cusparseSpMV_bufferSize(s->cusparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, s->p.dense, &zero,
                                s->q.dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
        "cusparseSpMV_bufferSize");
    s->spmv_buffer = device_array(bytes);
    check_cusparse(
        cusparseSpMV_preprocess(s->cusparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, s->p.dense, &zero,
                                s->q.dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, s->spmv_buffer),
        "cusparseSpMV_preprocess");
}

/* The buffer depends on size and type only, which all vectors share. */
static void prepare_dot_products(linear_system* s) {
    double result = 0.0;
    size_t bytes = 0;
    check_cusparse(cusparseSpVV_bufferSize(s->cusparse, CUSPARSE_OPERATION_NON_TRANSPOSE, s->p.sparse,
                                           s->q.dense, &result, CUDA_R_64F, &bytes),
                   "cusparseSpVV_bufferSize");
    s->dot_buffer = device_array(bytes);
}

static linear_system new_linear_system(const csr_matrix* a) {
    linear_system s;
    const size_t size = (size_t)a->size, entries = (size_t)a->entries;
    s.size = a->size;
    s.entries = a->entries;
    check_cusparse(cusparseCreate(&s.cusparse), "cusparseCreate");
    check_cusparse(cusparseSetPointerMode(s.cusparse, CUSPARSE_POINTER_MODE_HOST), "cusparseSetPointerMode");

    s.row_offsets = device_copy_of(a->row_offsets, (size + 1) * sizeof(int));
    s.columns = device_copy_of(a->columns, entries * sizeof(int));
    s.values = device_copy_of(a->values, entries * sizeof(double));
    check_cusparse(
        cusparseCreateCsr(&s.a, a->size, a->size, a->entries, s.row_offsets, s.columns, s.values,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateCsr");

    int* const identity = host_array(size, sizeof(int));
    double* const ones = host_array(size, sizeof(double));
    double* const zeros = host_array(size, sizeof(double));
    for (int i = 0; i < a->size; ++i) identity[i] = i;
    for (int i = 0; i < a->size; ++i) ones[i] = 1.0;
    s.identity = device_copy_of(identity, size * sizeof(int));
    s.b = new_vector(a->size, s.identity, ones);
    s.x = new_vector(a->size, s.identity, zeros);
    s.r = new_vector(a->size, s.identity, zeros);
    s.p = new_vector(a->size, s.identity, zeros);
    s.q = new_vector(a->size, s.identity, zeros);
    free(identity);
    free(ones);
    free(zeros);

    prepare_multiplication(&s);
    prepare_dot_products(&s);
    return s;
}

static void free_linear_system(linear_system* s) {
    release(s->spmv_buffer);
    release(s->dot_buffer);
    free_vector(&s->b);
    free_vector(&s->x);
    free_vector(&s->r);
    free_vector(&s->p);
    free_vector(&s->q);
    release(s->identity);
    check_cusparse(cusparseDestroySpMat(s->a), "cusparseDestroySpMat");
    release(s->row_offsets);
    release(s->columns);
    release(s->values);
    check_cusparse(cusparseDestroy(s->cusparse), "cusparseDestroy");
}

/* ---- the solver ---- */

/* r = b - A x with a fresh product; returns ||r|| / ||b||. */
static double true_residual(linear_system* s) {
    multiply(s, &s->x, &s->q);
    update(s, 1.0, &s->b, 0.0, &s->r);
    update(s, -1.0, &s->q, 1.0, &s->r);
    return sqrt(dot(s, &s->r, &s->r) / dot(s, &s->b, &s->b));
}

/* Steps until the residual that the method carries along (not the true one) is small enough; returns their
 * number. */
static int conjugate_gradients(linear_system* s, double tolerance, int max_iterations) {
    const double goal = tolerance * tolerance * dot(s, &s->b, &s->b);
    double last_progress = now();
    double rr = dot(s, &s->r, &s->r);
    int iterations = 0;
    update(s, 1.0, &s->r, 0.0, &s->p);
    while (rr > goal && iterations < max_iterations) {
        multiply(s, &s->p, &s->q);
        const double pq = dot(s, &s->p, &s->q);
        if (!(pq > 0.0)) fail("conjugate gradients", "the matrix is not positive definite");
        const double alpha = rr / pq;
        update(s, alpha, &s->p, 1.0, &s->x);
        update(s, -alpha, &s->q, 1.0, &s->r);
        const double rr_before = rr;
        rr = dot(s, &s->r, &s->r);
        update(s, 1.0, &s->r, rr / rr_before, &s->p);
        ++iterations;
        if (now() - last_progress >= seconds_between_progress_lines) {
            last_progress = now();
            printf("  iteration %d: residual %.2e, goal %.2e\n", iterations, tolerance * sqrt(rr / goal),
                   tolerance);
            fflush(stdout);
        }
    }
    return iterations;
}

/* Rounding lets the carried residual drift from the true one, so the method starts again from x until the
 * true one is reached or the iterations are used up. */
static int solve(linear_system* s, double tolerance, int max_iterations, int* iterations, double* residual) {
    *iterations = 0;
    *residual = true_residual(s);
    while (*residual > tolerance && *iterations < max_iterations) {
        *iterations += conjugate_gradients(s, 0.9 * tolerance, max_iterations - *iterations);
        *residual = true_residual(s);
    }
    return *residual <= tolerance;
}

/* What one step must move at least, with 8-byte numbers and 4-byte indices:
 *   A p               values, columns, row offsets, p in, q out        12 nnz + 20 n
 *   p.q and r.r       two vectors or one, and the indices              20 n + 12 n
 *   three updates     one vector and indices in, one in and out        3 * 28 n */
static double bytes_per_iteration(const linear_system* s) { return 12.0 * s->entries + 136.0 * s->size; }

/* ---- the program ---- */

typedef struct options {
    const char* file;
    int grid;
    int max_iterations;
    double tolerance;
} options;

static void fail_usage(const char* why) {
    fprintf(stderr, "cg: %s\nusage: cg [MATRIX.mtx | --poisson N] [--tol T] [--max-iterations K]\n", why);
    exit(EXIT_FAILURE);
}

static double number(const char* text, double smallest, double largest) {
    char* end = NULL;
    const double value = text ? strtod(text, &end) : 0.0;
    if (!text || end == text || *end != '\0' || !(value >= smallest && value <= largest))
        fail_usage("an option needs a number in its range");
    return value;
}

static options read_options(int count, char** arguments) {
    options o = {NULL, 100, 10000, 1e-8};
    for (int i = 1; i < count; ++i) {
        const char* const word = arguments[i];
        const char* const next = i + 1 < count ? arguments[i + 1] : NULL;
        if (word[0] != '-') {
            o.file = word;
            continue;
        }
        /* 668^3 rows have 7 entries each: the largest grid whose entries 32 bits can count. */
        if (strcmp(word, "--poisson") == 0)
            o.grid = (int)number(next, 1, 668);
        else if (strcmp(word, "--tol") == 0)
            o.tolerance = number(next, 1e-300, 1.0);
        else if (strcmp(word, "--max-iterations") == 0)
            o.max_iterations = (int)number(next, 0, INT_MAX);
        else
            fail_usage("unknown option");
        ++i;
    }
    return o;
}

static void print_device(void) {
    struct cudaDeviceProp properties;
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    printf("device      %s\n", properties.name);
}

static void print_matrix(const options* o, const csr_matrix* a) {
    if (o->file)
        printf("matrix      %s\n", o->file);
    else
        printf("matrix      7-point Laplacian on %d x %d x %d points\n", o->grid, o->grid, o->grid);
    printf("size        %d rows, %d entries\n", a->size, a->entries);
    fflush(stdout);
}

int main(int count, char** arguments) {
    const options o = read_options(count, arguments);
    print_device();
    csr_matrix a = o.file ? read_matrix_market(o.file) : poisson3d(o.grid);
    print_matrix(&o, &a);
    linear_system s = new_linear_system(&a);
    free_csr_matrix(&a);

    int iterations;
    double residual;
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const double start = now();
    const int solved = solve(&s, o.tolerance, o.max_iterations, &iterations, &residual);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const double seconds = now() - start;

    const double gigabytes = 1e-9 * bytes_per_iteration(&s) * iterations;
    printf("iterations  %d\n", iterations);
    printf("residual    %.2e (||b - A x|| / ||b||, goal %.2e): %s\n", residual, o.tolerance,
           solved ? "reached" : "NOT REACHED");
    printf("time        %.3f s, %.3f ms per iteration\n", seconds,
           iterations ? 1e3 * seconds / iterations : 0.0);
    printf("bandwidth   %.2f GB/s (12 nnz + 136 n bytes per iteration)\n", gigabytes / seconds);
    free_linear_system(&s);
    return solved ? EXIT_SUCCESS : EXIT_FAILURE;
}
