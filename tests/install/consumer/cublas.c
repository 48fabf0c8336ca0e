/* A product of matrices and a norm through the installed cuBLAS. Memory comes from Heron's native API, so
 * that no CUDA runtime is needed. Prints "spmv ok", as the other consumers do. */
#include <cublas_v2.h>
#include <heron/heron.h>
#include <stdio.h>

int main(void) {
    const double a[] = {1, 0, 2, 3}, one = 1, zero = 0;
    double c[4], norm = 0;
    void *device_a = NULL, *device_c = NULL;
    heron_handle heron;
    cublasHandle_t handle;
    int version = 0;

    if (heron_create(&heron) || cublasCreate(&handle) || cublasGetVersion(handle, &version)) return 1;
    if (heron_alloc(heron, sizeof a, HERON_MEMORY_DEVICE, &device_a)) return 2;
    if (heron_alloc(heron, sizeof c, HERON_MEMORY_DEVICE, &device_c)) return 3;
    if (cublasSetMatrix(2, 2, sizeof(double), a, 2, device_a, 2)) return 4;
    if (cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, device_a, 2, device_a, 2, &zero,
                    device_c, 2))
        return 5;
    if (cublasDnrm2_64(handle, 4, device_a, 1, &norm)) return 6;
    if (cublasGetMatrix(2, 2, sizeof(double), device_c, 2, c, 2)) return 7;
    if (version != 130100 || c[0] != 5 || c[1] != 6 || c[2] != 6 || c[3] != 9) return 8;
    if (norm * norm < 13.999 || norm * norm > 14.001) return 9;
    cublasDestroy(handle);
    heron_destroy(heron);
    puts("spmv ok");
    return 0;
}
