/* Conjugate gradients on rows that are distributed over MPI ranks, with the CUDA runtime and cuSPARSE.
 *
 *     mpirun -n RANKS mpi_cg [MATRIX.mtx | --poisson N] [--tol T] [--max-iterations K] [--device-mpi]
 * [--parts]
 *
 * Solves A x = b with b = (1, ..., 1) for a symmetric positive definite A: a Matrix Market file, or the
 * 7-point Laplacian on an N x N x N grid (N = 40 when nothing is said), of which a rank makes its own rows
 * only. Ends with status 0 when ||b - A x|| <= T ||b||, T = 1e-8.
 *
 * A rank has consecutive rows, in two matrices: what they have in its own columns, and what they have in
 * other ranks'. The numbers of other ranks that the second one needs are the halo. While they travel the
 * first is multiplied:
 *
 *     stream of the halo    gather what others need - copy to the host ............... copy to the device
 *     MPI                                                            send and receive
 *     stream of the work    local part of A p .............................................. remote part
 *
 * With --device-mpi MPI is given addresses of the device, which a CUDA-aware MPI takes. Ranks of one machine
 * share its devices by turns. --parts also measures what an iteration is made of, each part by itself, for
 * models of how the time grows with the ranks (tools/bench/mpi_scaling). */
#define _POSIX_C_SOURCE 200112L
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

static int rank, ranks;

static void fail(const char* what, const char* why) {
    fprintf(stderr, "mpi_cg, rank %d: %s: %s\n", rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void check_cuda(cudaError_t status, const char* call) {
    if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}

static void check_cusparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) fail(call, cusparseGetErrorString(status));
}

static void* host_array(size_t count, size_t size) {
    void* const memory = calloc(count ? count : 1, size);
    if (!memory) fail("host memory", "exhausted");
    return memory;
}

/* Of at least one byte, so that no address is NULL. */
static void* device_array(size_t bytes) {
    void* memory = NULL;
    check_cuda(cudaMalloc(&memory, bytes ? bytes : 1), "cudaMalloc");
    return memory;
}

static void* device_copy_of(const void* host, size_t bytes) {
    void* const memory = device_array(bytes);
    if (bytes)
        check_cuda(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    return memory;
}

/* ---- who has which rows ---- */

/* Rank r has the rows first_row(r) ... first_row(r + 1) - 1. */
static int first_row(int r, int size) { return (int)((long long)size * r / ranks); }

static int owner_of(int row, int size) {
    int r = (int)((long long)row * ranks / size);
    while (row < first_row(r, size)) --r;
    while (row >= first_row(r + 1, size)) ++r;
    return r;
}

/* ---- this rank's rows on the host, with columns of the whole matrix ---- */

typedef struct row_block {
    int size; /* of the whole matrix */
    int first, rows;
    int count, capacity;
    int* entry_rows;
    int* entry_columns;
    double* entry_values;
} row_block;

static row_block new_row_block(int size) {
    row_block block = {size, first_row(rank, size), 0, 0, 0, NULL, NULL, NULL};
    block.rows = first_row(rank + 1, size) - block.first;
    return block;
}

/* Entries of other ranks' rows are left out. */
static void add_entry(row_block* block, int row, int column, double value) {
    if (row < block->first || row >= block->first + block->rows) return;
    if (block->count == block->capacity) {
        block->capacity = block->capacity ? 2 * block->capacity : 1024;
        block->entry_rows = realloc(block->entry_rows, (size_t)block->capacity * sizeof(int));
        block->entry_columns = realloc(block->entry_columns, (size_t)block->capacity * sizeof(int));
        block->entry_values = realloc(block->entry_values, (size_t)block->capacity * sizeof(double));
        if (!block->entry_rows || !block->entry_columns || !block->entry_values)
            fail("host memory", "exhausted");
    }
    block->entry_rows[block->count] = row - block->first;
    block->entry_columns[block->count] = column;
    block->entry_values[block->count] = value;
    ++block->count;
}

static row_block poisson3d(int n) {
    const int neighbour[7] = {-n * n, -n, -1, 0, 1, n, n * n};
    row_block block = new_row_block(n * n * n);
    for (int row = block.first; row < block.first + block.rows; ++row) {
        const int x = row % n, y = row / n % n, z = row / n / n;
        const int inside[7] = {z > 0, y > 0, x > 0, 1, x < n - 1, y < n - 1, z < n - 1};
        for (int k = 0; k < 7; ++k)
            if (inside[k]) add_entry(&block, row, row + neighbour[k], k == 3 ? 6.0 : -1.0);
    }
    return block;
}

/* A Matrix Market file of real numbers, general or symmetric; every rank reads it. */
static row_block read_matrix_market(const char* name) {
    char line[1100], field[64], symmetry[64];
    long long rows, columns, entries;
    FILE* const file = fopen(name, "r");
    if (!file) fail(name, "cannot be opened");
    if (!fgets(line, sizeof line, file) ||
        sscanf(line, "%%%%MatrixMarket matrix coordinate %63s %63s", field, symmetry) != 2)
        fail(name, "this is no matrix in Matrix Market's coordinates");
    const int is_symmetric = strcmp(symmetry, "symmetric") == 0;
    if ((strcmp(field, "real") != 0 && strcmp(field, "integer") != 0) ||
        (!is_symmetric && strcmp(symmetry, "general") != 0))
        fail(name, "only real, general or symmetric matrices are read");
    do {
        if (!fgets(line, sizeof line, file)) fail(name, "the size line is missing");
    } while (line[0] == '%');
    if (sscanf(line, "%lld %lld %lld", &rows, &columns, &entries) != 3 || rows < 1 || rows != columns ||
        rows >= INT_MAX || entries < 0 || entries > INT_MAX / 2)
        fail(name, "the size line must say rows, as many columns, and entries, which 32-bit indices count");
    row_block block = new_row_block((int)rows);
    for (long long i = 0; i < entries; ++i) {
        long long row, column;
        double value;
        if (fscanf(file, "%lld %lld %lf", &row, &column, &value) != 3) fail(name, "an entry cannot be read");
        if (row < 1 || row > rows || column < 1 || column > rows) fail(name, "row or column out of range");
        add_entry(&block, (int)row - 1, (int)column - 1, value);
        if (is_symmetric && row != column) add_entry(&block, (int)column - 1, (int)row - 1, value);
    }
    fclose(file);
    return block;
}

/* ---- the halo, from the pattern ---- */

typedef struct halo {
    int ghosts;  /* numbers that come from other ranks */
    int* needed; /* [ghosts] their columns in the whole matrix, ascending, so that each rank's are together */
    int sent;    /* numbers that others need, rank by rank */
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
    int* send_rows; /* [sent] this rank's rows */
} halo;

static int compare_ints(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

static int is_own(const row_block* block, int column) {
    return column >= block->first && column < block->first + block->rows;
}

static void find_needed(const row_block* block, halo* h) {
    int count = 0;
    h->needed = host_array((size_t)block->count, sizeof(int));
    for (int i = 0; i < block->count; ++i)
        if (!is_own(block, block->entry_columns[i])) h->needed[count++] = block->entry_columns[i];
    qsort(h->needed, (size_t)count, sizeof(int), compare_ints);
    h->ghosts = 0;
    for (int i = 0; i < count; ++i)
        if (i == 0 || h->needed[i] != h->needed[i - 1]) h->needed[h->ghosts++] = h->needed[i];
}

static int starts_of(const int* counts, int* starts) {
    int sum = 0;
    for (int r = 0; r < ranks; ++r) {
        starts[r] = sum;
        sum += counts[r];
    }
    return sum;
}

static halo new_halo(const row_block* block) {
    halo h;
    h.send_counts = host_array((size_t)ranks, sizeof(int));
    h.send_starts = host_array((size_t)ranks, sizeof(int));
    h.receive_counts = host_array((size_t)ranks, sizeof(int));
    h.receive_starts = host_array((size_t)ranks, sizeof(int));
    find_needed(block, &h);
    for (int i = 0; i < h.ghosts; ++i) ++h.receive_counts[owner_of(h.needed[i], block->size)];
    MPI_Alltoall(h.receive_counts, 1, MPI_INT, h.send_counts, 1, MPI_INT, MPI_COMM_WORLD);
    starts_of(h.receive_counts, h.receive_starts);
    h.sent = starts_of(h.send_counts, h.send_starts);
    h.send_rows = host_array((size_t)h.sent, sizeof(int));
    MPI_Alltoallv(h.needed, h.receive_counts, h.receive_starts, MPI_INT, h.send_rows, h.send_counts,
                  h.send_starts, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < h.sent; ++i) h.send_rows[i] -= block->first;
    return h;
}

/* The place of a column among the ghosts. */
static int ghost_of(const halo* h, int column) {
    const int* const place = bsearch(&column, h->needed, (size_t)h->ghosts, sizeof(int), compare_ints);
    return (int)(place - h->needed);
}

/* ---- on the device ---- */

/* One array of numbers under two descriptions. */
typedef struct vector {
    double* data;
    cusparseDnVecDescr_t dense;
    cusparseSpVecDescr_t sparse; /* with the indices 0 ... n-1 */
} vector;

typedef struct matrix {
    int entries;
    cusparseSpMatDescr_t csr;
    void* buffer;
} matrix;

typedef struct linear_system {
    cusparseHandle_t work, exchange; /* each on a stream of its own */
    cudaStream_t work_stream, exchange_stream;
    cudaEvent_t direction_ready, halo_ready;
    int rows, uses_device_mpi;
    int* identity;
    matrix local, remote;
    vector b, x, r, p, q;
    vector ghosts;
    halo h;
    double *send_host, *receive_host, *send_device;
    cusparseSpVecDescr_t* sends; /* [ranks] what each of them needs of p; NULL for nothing */
    MPI_Request* requests;
    void* dot_buffer;
} linear_system;

static vector new_vector(int size, int* identity, double initial) {
    vector v;
    double* const numbers = host_array((size_t)size, sizeof(double));
    for (int i = 0; i < size; ++i) numbers[i] = initial;
    v.data = device_copy_of(numbers, (size_t)size * sizeof(double));
    free(numbers);
    check_cusparse(cusparseCreateDnVec(&v.dense, size, v.data, CUDA_R_64F), "cusparseCreateDnVec");
    v.sparse = NULL;
    if (identity)
        check_cusparse(cusparseCreateSpVec(&v.sparse, size, size, identity, v.data, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                       "cusparseCreateSpVec");
    return v;
}

/* The entries in the rank's own columns, or those in the others', as CSR. */
static matrix new_matrix(const row_block* block, const halo* h, int takes_own) {
    matrix m;
    const int columns = takes_own ? block->rows : h->ghosts;
    int* const offsets = host_array((size_t)block->rows + 2, sizeof(int));
    for (int i = 0; i < block->count; ++i)
        if (is_own(block, block->entry_columns[i]) == takes_own) ++offsets[block->entry_rows[i] + 2];
    for (int row = 0; row < block->rows; ++row) offsets[row + 2] += offsets[row + 1];
    m.entries = offsets[block->rows + 1];
    int* const indices = host_array((size_t)m.entries, sizeof(int));
    double* const values = host_array((size_t)m.entries, sizeof(double));
    for (int i = 0; i < block->count; ++i) {
        const int column = block->entry_columns[i];
        if (is_own(block, column) != takes_own) continue;
        const int place = offsets[block->entry_rows[i] + 1]++;
        indices[place] = takes_own ? column - block->first : ghost_of(h, column);
        values[place] = block->entry_values[i];
    }
    check_cusparse(
        cusparseCreateCsr(&m.csr, block->rows, columns, m.entries,
                          device_copy_of(offsets, ((size_t)block->rows + 1) * sizeof(int)),
                          device_copy_of(indices, (size_t)m.entries * sizeof(int)),
                          device_copy_of(values, (size_t)m.entries * sizeof(double)), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateCsr");
    free(offsets);
    free(indices);
    free(values);
    return m;
}

static void prepare(linear_system* s, matrix* m, const vector* x, double beta) {
    const double one = 1.0;
    size_t bytes = 0;
    check_cusparse(cusparseSpMV_bufferSize(s->work, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->csr, x->dense,
                                           &beta, s->q.dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                   "cusparseSpMV_bufferSize");
    m->buffer = device_array(bytes);
    check_cusparse(
        cusparseSpMV_preprocess(s->work, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->csr, x->dense, &beta,
                                s->q.dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, m->buffer),
        "cusparseSpMV_preprocess");
}

/* y = A x + beta y */
static void multiply(linear_system* s, const matrix* m, const vector* x, double beta, const vector* y) {
    const double one = 1.0;
    check_cusparse(cusparseSpMV(s->work, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->csr, x->dense, &beta,
                                y->dense, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, m->buffer),
                   "cusparseSpMV");
}

static void prepare_exchange(linear_system* s) {
    const size_t sent = (size_t)s->h.sent, ghosts = (size_t)s->h.ghosts;
    check_cuda(cudaMallocHost((void**)&s->send_host, (sent + 1) * sizeof(double)), "cudaMallocHost");
    check_cuda(cudaMallocHost((void**)&s->receive_host, (ghosts + 1) * sizeof(double)), "cudaMallocHost");
    s->send_device = device_array(sent * sizeof(double));
    int* const rows = device_copy_of(s->h.send_rows, sent * sizeof(int));
    s->sends = host_array((size_t)ranks, sizeof(cusparseSpVecDescr_t));
    for (int r = 0; r < ranks; ++r) {
        const int start = s->h.send_starts[r];
        if (!s->h.send_counts[r]) continue;
        check_cusparse(cusparseCreateSpVec(&s->sends[r], s->rows, s->h.send_counts[r], rows + start,
                                           s->send_device + start, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                       "cusparseCreateSpVec");
    }
    s->requests = host_array(2 * (size_t)ranks, sizeof(MPI_Request));
}

static void choose_device(void) {
    MPI_Comm machine;
    int here = 0, devices = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &here);
    MPI_Comm_free(&machine);
    check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check_cuda(cudaSetDevice(here % devices), "cudaSetDevice");
}

static linear_system new_linear_system(const row_block* block, int uses_device_mpi) {
    linear_system s;
    double result = 0.0;
    size_t bytes = 0;
    s.rows = block->rows;
    s.uses_device_mpi = uses_device_mpi;
    s.h = new_halo(block);
    check_cuda(cudaStreamCreate(&s.work_stream), "cudaStreamCreate");
    check_cuda(cudaStreamCreate(&s.exchange_stream), "cudaStreamCreate");
    check_cuda(cudaEventCreateWithFlags(&s.direction_ready, cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
    check_cuda(cudaEventCreateWithFlags(&s.halo_ready, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    check_cusparse(cusparseCreate(&s.work), "cusparseCreate");
    check_cusparse(cusparseCreate(&s.exchange), "cusparseCreate");
    check_cusparse(cusparseSetStream(s.work, s.work_stream), "cusparseSetStream");
    check_cusparse(cusparseSetStream(s.exchange, s.exchange_stream), "cusparseSetStream");

    int* const identity = host_array((size_t)block->rows, sizeof(int));
    for (int i = 0; i < block->rows; ++i) identity[i] = i;
    s.identity = device_copy_of(identity, (size_t)block->rows * sizeof(int));
    free(identity);
    s.b = new_vector(block->rows, s.identity, 1.0);
    s.x = new_vector(block->rows, s.identity, 0.0);
    s.r = new_vector(block->rows, s.identity, 0.0);
    s.p = new_vector(block->rows, s.identity, 0.0);
    s.q = new_vector(block->rows, s.identity, 0.0);
    s.ghosts = new_vector(s.h.ghosts, NULL, 0.0);
    s.local = new_matrix(block, &s.h, 1);
    s.remote = new_matrix(block, &s.h, 0);
    prepare(&s, &s.local, &s.p, 0.0);
    prepare(&s, &s.remote, &s.ghosts, 1.0);
    prepare_exchange(&s);
    check_cusparse(cusparseSpVV_bufferSize(s.work, CUSPARSE_OPERATION_NON_TRANSPOSE, s.p.sparse, s.q.dense,
                                           &result, CUDA_R_64F, &bytes),
                   "cusparseSpVV_bufferSize");
    s.dot_buffer = device_array(bytes);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return s;
}

/* ---- the product, with the halo on its way ---- */

static void begin_exchange(linear_system* s, const vector* p) {
    check_cuda(cudaEventRecord(s->direction_ready, s->work_stream), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(s->exchange_stream, s->direction_ready, 0), "cudaStreamWaitEvent");
    for (int r = 0; r < ranks; ++r)
        if (s->sends[r]) check_cusparse(cusparseGather(s->exchange, p->dense, s->sends[r]), "cusparseGather");
    if (s->uses_device_mpi) return;
    check_cuda(cudaMemcpyAsync(s->send_host, s->send_device, (size_t)s->h.sent * sizeof(double),
                               cudaMemcpyDeviceToHost, s->exchange_stream),
               "cudaMemcpyAsync");
}

static void end_exchange(linear_system* s) {
    double* const send = s->uses_device_mpi ? s->send_device : s->send_host;
    double* const receive = s->uses_device_mpi ? s->ghosts.data : s->receive_host;
    const halo* const h = &s->h;
    int count = 0;
    for (int r = 0; r < ranks; ++r)
        if (h->receive_counts[r])
            MPI_Irecv(receive + h->receive_starts[r], h->receive_counts[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                      &s->requests[count++]);
    check_cuda(cudaStreamSynchronize(s->exchange_stream), "cudaStreamSynchronize");
    for (int r = 0; r < ranks; ++r)
        if (h->send_counts[r])
            MPI_Isend(send + h->send_starts[r], h->send_counts[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                      &s->requests[count++]);
    MPI_Waitall(count, s->requests, MPI_STATUSES_IGNORE);
    if (!s->uses_device_mpi)
        check_cuda(cudaMemcpyAsync(s->ghosts.data, s->receive_host, (size_t)h->ghosts * sizeof(double),
                                   cudaMemcpyHostToDevice, s->exchange_stream),
                   "cudaMemcpyAsync");
    check_cuda(cudaEventRecord(s->halo_ready, s->exchange_stream), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(s->work_stream, s->halo_ready, 0), "cudaStreamWaitEvent");
}

/* q = A p */
static void multiply_distributed(linear_system* s, const vector* p, const vector* q) {
    begin_exchange(s, p);
    multiply(s, &s->local, p, 0.0, q);
    end_exchange(s);
    multiply(s, &s->remote, &s->ghosts, 1.0, q);
}

/* y = alpha x + beta y */
static void update(linear_system* s, double alpha, const vector* x, double beta, const vector* y) {
    check_cusparse(cusparseAxpby(s->work, &alpha, x->sparse, &beta, y->dense), "cusparseAxpby");
}

/* Of this rank's rows. */
static double own_dot(linear_system* s, const vector* x, const vector* y) {
    double own = 0.0;
    check_cusparse(cusparseSpVV(s->work, CUSPARSE_OPERATION_NON_TRANSPOSE, x->sparse, y->dense, &own,
                                CUDA_R_64F, s->dot_buffer),
                   "cusparseSpVV");
    check_cuda(cudaStreamSynchronize(s->work_stream), "cudaStreamSynchronize");
    return own;
}

static double summed_over_ranks(double own) {
    double sum = 0.0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double dot(linear_system* s, const vector* x, const vector* y) {
    return summed_over_ranks(own_dot(s, x, y));
}

/* ---- the solver ---- */

typedef struct options {
    const char* matrix_file;
    int grid, max_iterations, uses_device_mpi, measures_parts;
    double tolerance;
} options;

/* The number of iterations that ||r|| <= tolerance ||b|| took. */
static int solve(linear_system* s, const options* o) {
    const double limit = o->tolerance * o->tolerance * dot(s, &s->b, &s->b);
    int iterations = 0;
    update(s, 1.0, &s->b, 0.0, &s->r);
    update(s, 1.0, &s->r, 0.0, &s->p);
    double rr = dot(s, &s->r, &s->r);
    for (; iterations < o->max_iterations && rr > limit; ++iterations) {
        multiply_distributed(s, &s->p, &s->q);
        const double curvature = dot(s, &s->p, &s->q);
        if (!(curvature > 0.0)) fail("the matrix", "is not positive definite");
        const double step = rr / curvature;
        update(s, step, &s->p, 1.0, &s->x);
        update(s, -step, &s->q, 1.0, &s->r);
        const double rr_next = dot(s, &s->r, &s->r);
        update(s, 1.0, &s->r, rr_next / rr, &s->p);
        rr = rr_next;
    }
    return iterations;
}

/* ||b - A x|| / ||b||, computed anew. */
static double true_residual(linear_system* s) {
    multiply_distributed(s, &s->x, &s->q);
    update(s, 1.0, &s->b, 0.0, &s->r);
    update(s, -1.0, &s->q, 1.0, &s->r);
    return sqrt(dot(s, &s->r, &s->r) / dot(s, &s->b, &s->b));
}

/* ---- what an iteration is made of ---- */

static void product_part(linear_system* s) { multiply(s, &s->local, &s->p, 0.0, &s->q); }

/* All that needs no other rank. The vectors stay finite. */
static void work_part(linear_system* s) {
    const double little = 1e-30;
    product_part(s);
    multiply(s, &s->remote, &s->ghosts, 1.0, &s->q);
    own_dot(s, &s->p, &s->q);
    update(s, little, &s->p, 1.0, &s->x);
    update(s, -little, &s->q, 1.0, &s->r);
    own_dot(s, &s->r, &s->r);
    update(s, 1.0, &s->r, little, &s->p);
}

static void exchange_part(linear_system* s) {
    begin_exchange(s, &s->p);
    end_exchange(s);
    check_cuda(cudaStreamSynchronize(s->work_stream), "cudaStreamSynchronize");
}

static void reduction_part(linear_system* s) {
    (void)s;
    summed_over_ranks(1.0);
}

/* Seconds that the slowest rank takes. */
static double seconds_of(void (*part)(linear_system*), linear_system* s) {
    enum { first = 5, repetitions = 40 };
    double start = 0.0, own = 0.0, longest = 0.0;
    for (int i = -first; i < repetitions; ++i) {
        if (i == 0) {
            check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        part(s);
    }
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    own = (MPI_Wtime() - start) / repetitions;
    MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static void print_parts(linear_system* s) {
    const double product = seconds_of(product_part, s), work = seconds_of(work_part, s);
    const double exchange = seconds_of(exchange_part, s), reduction = seconds_of(reduction_part, s);
    int most = 0;
    MPI_Allreduce(&s->h.ghosts, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("parts product %.3e work %.3e exchange %.3e reduction %.3e halo %d\n", product, work, exchange,
               reduction, most);
}

static double number_from(const char* text, double least) {
    char* end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= least)) fail(text, "is no number that fits there");
    return number;
}

static options parse_options(int argc, char** argv) {
    options o = {NULL, 40, 10000, 0, 0, 1e-8};
    for (int i = 1; i < argc; ++i) {
        const char* const value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--device-mpi") == 0)
            o.uses_device_mpi = 1;
        else if (strcmp(argv[i], "--parts") == 0)
            o.measures_parts = 1;
        else if (strcmp(argv[i], "--poisson") == 0 && ++i)
            o.grid = (int)number_from(value, 1);
        else if (strcmp(argv[i], "--tol") == 0 && ++i)
            o.tolerance = number_from(value, 0);
        else if (strcmp(argv[i], "--max-iterations") == 0 && ++i)
            o.max_iterations = (int)number_from(value, 1);
        else if (argv[i][0] == '-')
            fail(argv[i],
                 "is no option; there are --poisson, --tol, --max-iterations, --device-mpi and --parts");
        else
            o.matrix_file = argv[i];
    }
    if (o.grid > 1000) fail("--poisson", "is at most 1000");
    return o;
}

static long long summed(int own) {
    long long number = own, sum = 0;
    MPI_Allreduce(&number, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const options o = parse_options(argc, argv);
    choose_device();
    row_block block = o.matrix_file ? read_matrix_market(o.matrix_file) : poisson3d(o.grid);
    linear_system s = new_linear_system(&block, o.uses_device_mpi);
    const long long entries = summed(block.count), halo_numbers = summed(s.h.ghosts);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const int iterations = solve(&s, &o);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    const double residual = true_residual(&s);
    const int is_solved = residual <= 2 * o.tolerance;
    if (rank == 0)
        printf("ranks %d rows %d entries %lld halo %lld iterations %d residual %.6e seconds %.6f %s\n", ranks,
               block.size, entries, halo_numbers, iterations, residual, seconds,
               is_solved ? "solved" : "not solved");
    if (o.measures_parts) print_parts(&s);
    MPI_Finalize();
    return is_solved || o.measures_parts ? EXIT_SUCCESS : EXIT_FAILURE;
}
