/* y := A*x for the 2 x 2 matrix [[1, 2], [0, 3]], through the installed library. Memory comes from Heron's
 * native API, so that no CUDA runtime is needed. Prints "spmv ok". */
#include <cusparse.h>
#include <heron/heron.h>
#include <stdio.h>

static void* upload(heron_handle heron, const void* from, size_t bytes) {
    void* to = NULL;
    if (heron_alloc(heron, bytes, HERON_MEMORY_DEVICE, &to) || heron_copy(heron, to, from, bytes))
        return NULL;
    return to;
}

int main(void) {
    const int offsets[] = {0, 2, 3};
    const int columns[] = {0, 1, 1};
    const double values[] = {1, 2, 3};
    const double x[] = {10, 100};
    double y[] = {0, 0};
    const double alpha = 1, beta = 0;
    heron_handle heron;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t in, out;
    size_t size = 0;
    void* buffer = NULL;
    void* result;
    int version = 0;

    if (heron_create(&heron) || cusparseCreate(&handle) || cusparseGetVersion(handle, &version)) return 1;
    result = upload(heron, y, sizeof y);
    if (cusparseCreateCsr(&a, 2, 2, 3, upload(heron, offsets, sizeof offsets),
                          upload(heron, columns, sizeof columns), upload(heron, values, sizeof values),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F))
        return 2;
    if (cusparseCreateDnVec(&in, 2, upload(heron, x, sizeof x), CUDA_R_64F)) return 3;
    if (cusparseCreateDnVec(&out, 2, result, CUDA_R_64F)) return 4;
    if (cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, in, &beta, out,
                                CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &size))
        return 5;
    if (heron_alloc(heron, size, HERON_MEMORY_DEVICE, &buffer)) return 6;
    if (cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, in, &beta, out, CUDA_R_64F,
                     CUSPARSE_SPMV_ALG_DEFAULT, buffer))
        return 7;
    if (heron_copy(heron, y, result, sizeof y)) return 8;
    if (version != 12603 || y[0] != 210 || y[1] != 300) return 9;
    cusparseDestroy(handle);
    heron_destroy(heron);
    puts("spmv ok");
    return 0;
}
