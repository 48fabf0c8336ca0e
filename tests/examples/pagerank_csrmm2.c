/* Personalised PageRank of a graph for several readers at once, as graph programs of CUDA 5 to 10 have it: a
 * sparse matrix times a dense one by csrmm2.
 *
 *     pagerank_csrmm2 [VERTICES [READERS]]
 *
 * Vertex i links to 3*i+1, i*i and 7*i+5 (modulo their number). Reader k starts at vertex k. Ranks follow
 * R := d P R + (1 - d) S until they change by less than 1e-6. Ends with status 0 when each reader's ranks add
 * up to 1 and are those of the same iteration on the host in double precision, within 1e-4 of the largest.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <cusparse.h>

enum { links = 3, most_rounds = 300 };
static const float damping = 0.85f;

static void check_cuda(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "pagerank_csrmm2: %s: %s\n", call, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}
static void check(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    fprintf(stderr, "pagerank_csrmm2: %s: status %d\n", call, (int)status);
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

static int target(int vertex, int link, int vertices) {
    const long long v = vertex;
    const long long all[links] = {3 * v + 1, v * v, 7 * v + 5};
    return (int)(all[link] % vertices);
}

/* The ranks of one reader after so many rounds. */
static void rank_on_host(int vertices, int reader, int rounds, double* rank, double* next) {
    int i, k, round;
    for (i = 0; i < vertices; ++i) rank[i] = i == reader;
    for (round = 0; round < rounds; ++round) {
        for (i = 0; i < vertices; ++i) next[i] = i == reader ? 1 - (double)damping : 0;
        for (i = 0; i < vertices; ++i)
            for (k = 0; k < links; ++k) next[target(i, k, vertices)] += (double)damping * rank[i] / links;
        memcpy(rank, next, (size_t)vertices * sizeof *rank);
    }
}

int main(int argc, char** argv) {
    const int vertices = argc > 1 ? atoi(argv[1]) : 3000, readers = argc > 2 ? atoi(argv[2]) : 7;
    const float one_minus = 1 - damping;
    int *offsets, *columns, *on_offsets, *on_columns, i, k, rounds = 0;
    float *values, *starts, *ranks, *before, *on_values, *on_starts, *on_ranks, *on_next, change = 1;
    double *rank, *next, worst = 0, worst_sum = 0;
    size_t bytes;
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    if (vertices < 1 || readers < 1 || readers > vertices) return EXIT_FAILURE;

    /* The links by their sources: P is the transpose, with 1/links everywhere. */
    offsets = host_array((size_t)vertices + 1, sizeof(int));
    columns = host_array((size_t)vertices * links, sizeof(int));
    values = host_array((size_t)vertices * links, sizeof(float));
    for (i = 0; i < vertices; ++i) {
        for (k = 0; k < links; ++k) {
            columns[i * links + k] = target(i, k, vertices);
            values[i * links + k] = 1.0f / links;
        }
        offsets[i + 1] = (i + 1) * links;
    }
    bytes = (size_t)vertices * (size_t)readers * sizeof(float);
    starts = host_array(1, bytes);
    ranks = host_array(1, bytes);
    before = host_array(1, bytes);
    for (k = 0; k < readers; ++k) starts[(size_t)k * (size_t)vertices + (size_t)k] = 1;

    check(cusparseCreate(&handle), "cusparseCreate");
    check(cusparseCreateMatDescr(&descr), "cusparseCreateMatDescr");
    on_offsets = device_copy_of(offsets, ((size_t)vertices + 1) * sizeof(int));
    on_columns = device_copy_of(columns, (size_t)vertices * links * sizeof(int));
    on_values = device_copy_of(values, (size_t)vertices * links * sizeof(float));
    on_starts = device_copy_of(starts, bytes);
    on_ranks = device_copy_of(starts, bytes);
    on_next = device_copy_of(starts, bytes);
    memcpy(before, starts, bytes);
    while (change > 1e-6f && rounds < most_rounds) {
        float* const swapped = on_ranks;
        size_t at;
        check_cuda(cudaMemcpy(on_next, on_starts, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpy");
        check(cusparseScsrmm2(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                              vertices, readers, vertices, vertices * links, &damping, descr, on_values,
                              on_offsets, on_columns, on_ranks, vertices, &one_minus, on_next, vertices),
              "cusparseScsrmm2");
        check_cuda(cudaMemcpy(ranks, on_next, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
        on_ranks = on_next;
        on_next = swapped;
        change = 0;
        for (at = 0; at < (size_t)vertices * (size_t)readers; ++at)
            change = fmaxf(change, fabsf(ranks[at] - before[at]));
        memcpy(before, ranks, bytes);
        ++rounds;
    }

    rank = host_array((size_t)vertices, sizeof(double));
    next = host_array((size_t)vertices, sizeof(double));
    for (k = 0; k < readers; ++k) {
        const float* const found = ranks + (size_t)k * (size_t)vertices;
        double sum = 0, largest = 0, difference = 0;
        rank_on_host(vertices, k, rounds, rank, next);
        for (i = 0; i < vertices; ++i) {
            sum += (double)found[i];
            largest = fmax(largest, rank[i]);
            difference = fmax(difference, fabs((double)found[i] - rank[i]));
        }
        worst = fmax(worst, difference / largest);
        worst_sum = fmax(worst_sum, fabs(sum - 1));
    }
    printf("%d vertices, %d readers, %d rounds: off by %.1e, sums by %.1e\n", vertices, readers, rounds,
           worst, worst_sum);

    cusparseDestroyMatDescr(descr);
    check(cusparseDestroy(handle), "cusparseDestroy");
    cudaFree(on_offsets);
    cudaFree(on_columns);
    cudaFree(on_values);
    cudaFree(on_starts);
    cudaFree(on_ranks);
    cudaFree(on_next);
    free(offsets);
    free(columns);
    free(values);
    free(starts);
    free(ranks);
    free(before);
    free(rank);
    free(next);
    return rounds < most_rounds && worst <= 1e-4 && worst_sum <= 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
