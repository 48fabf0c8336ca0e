/* Calls for the tests of reports, on the host backend, where device memory is any memory: products without
 * preparation, a workspace asked for before each, one call that fails. "fork": a child does the same;
 * "thread": a thread does. "unsorted": the columns of the second row descend. "many": a hundred thousand
 * products, and how many nanoseconds each takes. "transposed": as many products of the transpose with a
 * matrix, and "prepared" the same with their preparation before. */
#define _POSIX_C_SOURCE 200112L
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int products = 200;
static int offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
static double values[] = {1, 2, 0, 3};

static void multiply(void) {
    double x[] = {10, 100}, y[] = {0, 0}, one = 1, zero = 0;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x_vector, y_vector;
    cusparseCreate(&handle);
    cusparseCreateCsr(&a, 2, 2, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&x_vector, 2, x, CUDA_R_64F);
    cusparseCreateDnVec(&y_vector, 2, y, CUDA_R_64F);
    for (int i = 0; i < products; ++i) {
        size_t bytes;
        cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x_vector, &zero, y_vector,
                                CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
        void* const workspace = malloc(bytes);
        cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x_vector, &zero, y_vector, CUDA_R_64F,
                     CUSPARSE_SPMV_ALG_DEFAULT, workspace);
        free(workspace);
    }
    if (y[0] != 210 || y[1] != 300) exit(3);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x_vector, NULL, y_vector, CUDA_R_64F,
                 CUSPARSE_SPMV_ALG_DEFAULT, NULL);
    cusparseDestroy(handle);
}

static void multiply_transposed(int is_prepared) {
    double b[] = {10, 1, 100, 2}, c[] = {0, 0, 0, 0}, one = 1, zero = 0;
    size_t bytes;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b_matrix, c_matrix;
    cusparseCreate(&handle);
    cusparseCreateCsr(&a, 2, 2, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnMat(&b_matrix, 2, 2, 2, b, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&c_matrix, 2, 2, 2, c, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                            b_matrix, &zero, c_matrix, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
    void* const workspace = malloc(bytes);
    if (is_prepared)
        cusparseSpMM_preprocess(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                a, b_matrix, &zero, c_matrix, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT,
                                workspace);
    for (int i = 0; i < products; ++i)
        cusparseSpMM(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                     b_matrix, &zero, c_matrix, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, workspace);
    if (c[0] != 10 || c[1] != 1 || c[2] != 320 || c[3] != 8) exit(3);
    cusparseDestroy(handle);
    free(workspace);
}

static void swap_columns(void) {
    columns[2] = 1;
    columns[3] = 0;
    values[2] = 3;
    values[3] = 0;
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void* multiply_in_thread(void* unused) {
    multiply();
    return unused;
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "";
    const double start = nanoseconds();
    if (strcmp(how, "unsorted") == 0) swap_columns();
    const int is_prepared = strcmp(how, "prepared") == 0, is_transposed = strcmp(how, "transposed") == 0;
    if (strcmp(how, "many") == 0 || is_prepared || is_transposed) products = 100000;
    if (is_prepared || is_transposed)
        multiply_transposed(is_prepared);
    else
        multiply();
    if (strcmp(how, "many") == 0) printf("%.1f ns each\n", (nanoseconds() - start) / products);
    if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, multiply_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        int status = 0;
        if (child != 0) return waitpid(child, &status, 0) != child || status != 0;
        multiply();
        multiply();
    }
    if (strcmp(how, "silent") != 0) puts("done");
    return 0;
}
