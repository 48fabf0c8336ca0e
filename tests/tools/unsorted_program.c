/* A product on any backend with a matrix whose second row has its columns the wrong way round: CSR, or with
 * "coo" a COO matrix whose last element belongs to the first row. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cuda_runtime.h>
#include <cusparse.h>
#include <stdio.h>

static void* device_copy_of(const void* data, size_t bytes) {
    void* copy = NULL;
    cudaMalloc(&copy, bytes);
    cudaMemcpy(copy, data, bytes, cudaMemcpyHostToDevice);
    return copy;
}

int main(int argc, char** argv) {
    const int offsets[] = {0, 2, 4}, columns[] = {0, 1, 1, 0}, rows[] = {0, 1, 1, 0};
    const double values[] = {1, 2, 3, 4}, ones[] = {1, 1}, one = 1, zero = 0;
    double y[] = {0, 0};
    void* const indices = device_copy_of(columns, sizeof columns);
    void* const numbers = device_copy_of(values, sizeof values);
    void* const result = device_copy_of(y, sizeof y);
    void* workspace = NULL;
    size_t bytes = 0;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x_vector, y_vector;
    cusparseCreate(&handle);
    (void)argv;
    if (argc > 1)
        cusparseCreateCoo(&a, 2, 2, 4, device_copy_of(rows, sizeof rows), indices, numbers,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    else
        cusparseCreateCsr(&a, 2, 2, 4, device_copy_of(offsets, sizeof offsets), indices, numbers,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&x_vector, 2, device_copy_of(ones, sizeof ones), CUDA_R_64F);
    cusparseCreateDnVec(&y_vector, 2, result, CUDA_R_64F);
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x_vector, &zero, y_vector,
                            CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&workspace, bytes);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x_vector, &zero, y_vector, CUDA_R_64F,
                 CUSPARSE_SPMV_ALG_DEFAULT, workspace);
    cudaMemcpy(y, result, sizeof y, cudaMemcpyDeviceToHost);
    printf("%g %g\n", y[0], y[1]);
    return 0;
}
