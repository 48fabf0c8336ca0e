/* An explicit time step of a partial differential equation on a sparse grid, with Heron's batched Kronecker
 * products.
 *
 *     sparse_grid_pde [--dims D] [--degree P] [--level L] [--steps S]
 *
 * The solution u has a block of n^D coefficients, n = P + 1, for every cell of the sparse grid. A cell has a
 * level and a position in each dimension; the levels of a cell add up to L at most. The operator is a sum of
 * D terms,
 *
 *     A = K x I x ... x I  +  I x K x ... x I  +  ...  +  I x I x ... x K,
 *
 * restricted to the cells, where K and I are matrices over all one-dimensional cells. For a row cell r, a
 * column cell c and a term t the block of A is the Kronecker product of D windows n x n of K or I, which lie
 * in the big matrices with their leading dimension: nothing is copied. One step, u := u + dt * A u, is one
 * batch of cells * cells * D items; the items of one row cell form a group that is summed into one output.
 * The windows are told by 32-bit indices in units of n elements.
 *
 * Afterwards the same steps are done with the dense matrix A, and the results compared. Ends with status 0
 * when they agree to 1e-12 of the largest coefficient. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heron/heron.h>

enum { most_dims = 6 };

static void fail(const char* what, const char* why) {
    fprintf(stderr, "sparse_grid_pde: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

static void check(heron_status status, const char* call) {
    if (status != HERON_SUCCESS) fail(call, heron_status_string(status));
}

static void* host_array(size_t count, size_t size) {
    void* const memory = calloc(count ? count : 1, size);
    if (!memory) fail("host memory", "exhausted");
    return memory;
}

static heron_handle handle;

static void* device_copy_of(const void* host, size_t bytes) {
    void* memory = NULL;
    check(heron_alloc(handle, bytes, HERON_MEMORY_DEVICE, &memory), "heron_alloc");
    if (host) check(heron_copy(handle, memory, host, bytes), "heron_copy");
    return memory;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the problem ---- */

struct problem {
    int dims, n, level, steps;
    int line_cells; /* one-dimensional cells of all levels */
    int64_t ld;     /* rows of the one-dimensional matrices */
    double *k, *id; /* ld x ld, by columns */
    int cells;
    int (*cell)[most_dims]; /* one-dimensional cell per dimension */
    int64_t block;          /* n^dims */
    double dt;
};

/* Level 0 is the cell 0; level l has the 2^(l-1) cells from 2^(l-1) on. */
static int level_of(int line_cell) {
    int level = 0;
    while (line_cell >= 1 << level) ++level;
    return level;
}

static void add_cells(struct problem* p, int dim, int levels_left, int* cell) {
    if (dim == p->dims) {
        memcpy(p->cell[p->cells++], cell, sizeof p->cell[0]);
        return;
    }
    for (int c = 0; c < p->line_cells; ++c) {
        if (level_of(c) > levels_left) continue;
        cell[dim] = c;
        add_cells(p, dim + 1, levels_left - level_of(c), cell);
    }
}

/* K is symmetric, negative definite and couples levels the less the farther apart they are. */
static void make_matrices(struct problem* p) {
    p->k = host_array((size_t)(p->ld * p->ld), sizeof(double));
    p->id = host_array((size_t)(p->ld * p->ld), sizeof(double));
    for (int64_t j = 0; j < p->ld; ++j) {
        for (int64_t i = 0; i < p->ld; ++i) {
            const int apart = abs(level_of((int)(i / p->n)) - level_of((int)(j / p->n)));
            const double coupling = cos(1.0 + 0.7 * (double)(i + j)) / (double)(p->ld << apart);
            p->k[i + j * p->ld] = i == j ? -2.0 : 0.5 * coupling;
            p->id[i + j * p->ld] = i == j ? 1.0 : 0.0;
        }
    }
}

static struct problem make_problem(int dims, int degree, int level, int steps) {
    struct problem p = {.dims = dims, .n = degree + 1, .level = level, .steps = steps};
    int cell[most_dims] = {0};
    size_t most_cells = 1;
    p.line_cells = 1 << level;
    for (int i = 0; i < dims; ++i) most_cells *= (size_t)p.line_cells;
    p.ld = (int64_t)p.line_cells * p.n;
    p.cell = host_array(most_cells, sizeof p.cell[0]);
    add_cells(&p, 0, level, cell);
    p.block = 1;
    for (int i = 0; i < dims; ++i) p.block *= p.n;
    p.dt = 0.1 / dims;
    make_matrices(&p);
    return p;
}

/* ---- with Heron ---- */

/* Index of the window of (row cell, column cell) in units of n elements. */
static int32_t window(const struct problem* p, int row_cell, int column_cell) {
    return (int32_t)(row_cell + column_cell * p->ld);
}

static double step_with_heron(const struct problem* p, double* u, double* operations) {
    const int64_t items = (int64_t)p->cells * p->cells * p->dims;
    const size_t bytes = (size_t)(p->cells * p->block) * sizeof(double);
    int64_t sizes[most_dims];
    int32_t* const windows = host_array((size_t)(items * p->dims), sizeof(int32_t));
    int32_t* const columns = host_array((size_t)items, sizeof(int32_t));
    int64_t* const offsets = host_array((size_t)p->cells + 1, sizeof(int64_t));
    /* K behind I in one array, so that one base serves both. */
    const int64_t matrix = p->ld * p->ld;
    double* const both = host_array((size_t)(2 * matrix), sizeof(double));
    int64_t item = 0;
    for (int r = 0; r < p->cells; ++r) {
        offsets[r] = item;
        for (int c = 0; c < p->cells; ++c) {
            for (int t = 0; t < p->dims; ++t, ++item) {
                columns[item] = c;
                for (int d = 0; d < p->dims; ++d)
                    windows[d * items + item] =
                        window(p, p->cell[r][d], p->cell[c][d]) + (d == t ? (int32_t)(matrix / p->n) : 0);
            }
        }
    }
    offsets[p->cells] = item;
    memcpy(both, p->id, (size_t)matrix * sizeof(double));
    memcpy(both + matrix, p->k, (size_t)matrix * sizeof(double));

    double* const matrices = device_copy_of(both, (size_t)(2 * matrix) * sizeof(double));
    int32_t* const window_list = device_copy_of(windows, (size_t)(items * p->dims) * sizeof(int32_t));
    int32_t* const column_list = device_copy_of(columns, (size_t)items * sizeof(int32_t));
    int64_t* const group_offsets = device_copy_of(offsets, ((size_t)p->cells + 1) * sizeof(int64_t));
    double* now = device_copy_of(u, bytes);
    double* next = device_copy_of(NULL, bytes);

    heron_kronmult_desc desc;
    for (int d = 0; d < p->dims; ++d) sizes[d] = p->n;
    check(heron_kronmult_init(&desc, HERON_R_64F, p->dims, sizes, sizes, items), "heron_kronmult_init");
    for (int d = 0; d < p->dims; ++d) {
        desc.factors[d].ld = p->ld;
        desc.factors[d].a = heron_batch_indexed(matrices, p->n, window_list + d * items, HERON_INDEX_32);
    }
    desc.output = HERON_KRON_ADD_GROUPED;
    desc.group_count = p->cells;
    desc.group_offsets = group_offsets;
    desc.group_type = HERON_INDEX_64;
    size_t workspace_bytes = 0;
    check(heron_kronmult_workspace(handle, &desc, &workspace_bytes), "heron_kronmult_workspace");
    void* const workspace = device_copy_of(NULL, workspace_bytes);
    check(heron_kronmult_cost(&desc, operations, NULL), "heron_kronmult_cost");

    const double start = seconds_now();
    for (int s = 0; s < p->steps; ++s) {
        double* const was = now;
        check(heron_copy(handle, next, now, bytes), "heron_copy");
        desc.x = heron_batch_indexed(now, p->block, column_list, HERON_INDEX_32);
        desc.y = heron_batch_strided(next, p->block);
        check(heron_kronmult(handle, &p->dt, &desc, NULL, workspace, workspace_bytes), "heron_kronmult");
        now = next;
        next = was;
    }
    check(heron_synchronize(handle), "heron_synchronize");
    const double seconds = seconds_now() - start;
    check(heron_copy(handle, u, now, bytes), "heron_copy");

    void* const used[] = {matrices, window_list, column_list, group_offsets, now, next, workspace};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; ++i)
        check(heron_free(handle, used[i]), "heron_free");
    free(windows);
    free(columns);
    free(offsets);
    free(both);
    return seconds;
}

/* ---- with the dense matrix ---- */

static double dense_element(const struct problem* p, int r, int64_t i, int c, int64_t j) {
    double sum = 0;
    for (int t = 0; t < p->dims; ++t) {
        double value = 1;
        int64_t rest_i = i, rest_j = j;
        for (int d = p->dims - 1; d >= 0; --d) {
            const int64_t row = p->cell[r][d] * (int64_t)p->n + rest_i % p->n;
            const int64_t column = p->cell[c][d] * (int64_t)p->n + rest_j % p->n;
            value *= (d == t ? p->k : p->id)[row + column * p->ld];
            rest_i /= p->n;
            rest_j /= p->n;
        }
        sum += value;
    }
    return sum;
}

static void step_with_dense(const struct problem* p, double* u) {
    const int64_t size = p->cells * p->block;
    double* const a = host_array((size_t)(size * size), sizeof(double));
    double* const next = host_array((size_t)size, sizeof(double));
    for (int64_t i = 0; i < size; ++i)
        for (int64_t j = 0; j < size; ++j)
            a[i * size + j] =
                dense_element(p, (int)(i / p->block), i % p->block, (int)(j / p->block), j % p->block);
    for (int s = 0; s < p->steps; ++s) {
        for (int64_t i = 0; i < size; ++i) {
            double sum = 0;
            for (int64_t j = 0; j < size; ++j) sum += a[i * size + j] * u[j];
            next[i] = u[i] + p->dt * sum;
        }
        memcpy(u, next, (size_t)size * sizeof(double));
    }
    free(a);
    free(next);
}

static int number_after(const char* option, const char* text, int least, int most) {
    char* end = NULL;
    const long value = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || value < least || value > most) fail(option, "needs a number in its range");
    return (int)value;
}

int main(int argc, char** argv) {
    int dims = 3, degree = 1, level = 3, steps = 20;
    for (int i = 1; i < argc; i += 2) {
        const char* const value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--dims"))
            dims = number_after(argv[i], value, 1, most_dims);
        else if (!strcmp(argv[i], "--degree"))
            degree = number_after(argv[i], value, 0, 9);
        else if (!strcmp(argv[i], "--level"))
            level = number_after(argv[i], value, 0, 5);
        else if (!strcmp(argv[i], "--steps"))
            steps = number_after(argv[i], value, 1, 100000);
        else
            fail(argv[i], "is not --dims, --degree, --level or --steps");
    }
    struct problem p = make_problem(dims, degree, level, steps);
    const int64_t size = p.cells * p.block;
    double* const u = host_array((size_t)size, sizeof(double));
    double* const reference = host_array((size_t)size, sizeof(double));
    for (int64_t i = 0; i < size; ++i) u[i] = reference[i] = sin(0.3 + 0.01 * (double)i);

    const char* backend = "";
    const heron_status created = heron_create(&handle);
    if (created == HERON_NOT_INITIALIZED) {
        fprintf(stderr, "sparse_grid_pde: no usable backend\n");
        return 77; /* skipped, to ctest */
    }
    check(created, "heron_create");
    check(heron_get_backend(handle, &backend, NULL), "heron_get_backend");
    double operations = 0;
    const double seconds = step_with_heron(&p, u, &operations);
    check(heron_destroy(handle), "heron_destroy");
    step_with_dense(&p, reference);

    double largest = 0, error = 0;
    for (int64_t i = 0; i < size; ++i) {
        const double off = fabs(u[i] - reference[i]);
        largest = fmax(largest, fabs(reference[i]));
        error = isnan(off) || off > error ? off : error; /* fmax would drop a NaN */
    }
    printf("%d dimensions, %d cells of %lld coefficients, %lld Kronecker products a step on %s\n", p.dims,
           p.cells, (long long)p.block, (long long)p.cells * p.cells * p.dims, backend);
    printf("%d steps in %.3f ms, %.2f GFLOP/s; largest coefficient %.6f, error %.1e\n", p.steps,
           1e3 * seconds, 1e-9 * operations * p.steps / seconds, largest, error);
    const int is_right = isfinite(largest) && error <= 1e-12 * largest;
    free(p.k);
    free(p.id);
    free(p.cell);
    free(u);
    free(reference);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
