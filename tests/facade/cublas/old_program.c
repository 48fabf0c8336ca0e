/* A program of an older toolkit, without its headers: a handle, a dot product, and the first interface. */
#include <stdio.h>

int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasDdot_v2(void* handle, int n, const double* x, int incx, const double* y, int incy, double* result);
int cublasInit(void);
int cublasShutdown(void);
float cublasSnrm2(int n, const float* x, int incx);
int cublasSgetrfBatched(void* handle, int n, float* const a[], int lda, int* pivots, int* info, int batch);

int main(void) {
    const double x[] = {1, 2, 3};
    const float y[] = {3, 4};
    double sum = 0;
    void* handle = NULL;
    if (cublasCreate_v2(&handle) || cublasDdot_v2(handle, 3, x, 1, x, 1, &sum) || sum != 14) return 1;
    if (cublasInit() || cublasSnrm2(2, y, 1) != 5 || cublasShutdown()) return 2;
    /* Loads, and says that it is not served. */
    if (cublasSgetrfBatched(handle, 1, NULL, 1, NULL, NULL, 1) != 15) return 3;
    if (cublasDestroy_v2(handle)) return 4;
    puts("ok");
    return 0;
}
