/* What programs of CUDA 11 say, as C and as C++: the generic interface with descriptors that are never
 * constant, and what was removed in 12.0. */
#include <cuda_runtime.h>
#include <cusparse.h>

cusparseStatus_t cuda11_solve(cusparseHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                              double* values, const int* offsets, const int* columns, csrsv2Info_t info,
                              const double* f, double* x, void* buffer);
cusparseStatus_t cuda11_product(cusparseHandle_t handle, cusparseMatDescr_t descr, int n, int nnz,
                                const int* offsets, const int* columns, csrgemm2Info_t info,
                                int* result_offsets, void* buffer);
cusparseStatus_t cuda11_vectors(cusparseHandle_t handle, int n, const float* x, const int* indices, float* y);
cusparseStatus_t cuda11_dense(cusparseHandle_t handle, int m, int n, cusparseMatDescr_t descr, const float* a,
                              const int* counts, float* values, int* offsets, int* columns);
cusparseStatus_t cuda11_colour(cusparseColorInfo_t info);
cusparseStatus_t cuda11_sampled(cusparseHandle_t handle, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b,
                                cusparseSpMatDescr_t c, void* buffer);

cusparseStatus_t cuda11_solve(cusparseHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                              double* values, const int* offsets, const int* columns, csrsv2Info_t info,
                              const double* f, double* x, void* buffer) {
    const double one = 1.0;
    int bytes = 0;
    cusparseDcsrsv2_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, descr, values, offsets,
                               columns, info, &bytes);
    cusparseDcsrsv2_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, descr, values, offsets,
                             columns, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer);
    return cusparseDcsrsv2_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, &one, descr, values,
                                 offsets, columns, info, f, x, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer);
}

cusparseStatus_t cuda11_product(cusparseHandle_t handle, cusparseMatDescr_t descr, int n, int nnz,
                                const int* offsets, const int* columns, csrgemm2Info_t info,
                                int* result_offsets, void* buffer) {
    int total = 0;
    return cusparseXcsrgemm2Nnz(handle, n, n, n, descr, nnz, offsets, columns, descr, nnz, offsets, columns,
                                descr, 0, NULL, NULL, descr, result_offsets, &total, info, buffer);
}

cusparseStatus_t cuda11_vectors(cusparseHandle_t handle, int n, const float* x, const int* indices,
                                float* y) {
    const float two = 2.0f;
    float gathered[8];
    cusparseSaxpyi(handle, n, &two, x, indices, y, CUSPARSE_INDEX_BASE_ZERO);
    cusparseSgthr(handle, n, y, gathered, indices, CUSPARSE_INDEX_BASE_ZERO);
    cusparseSgthrz(handle, n, y, gathered, indices, CUSPARSE_INDEX_BASE_ZERO);
    cusparseSroti(handle, n, gathered, indices, y, &two, &two, CUSPARSE_INDEX_BASE_ZERO);
    return cusparseSsctr(handle, n, x, indices, y, CUSPARSE_INDEX_BASE_ZERO);
}

cusparseStatus_t cuda11_dense(cusparseHandle_t handle, int m, int n, cusparseMatDescr_t descr, const float* a,
                              const int* counts, float* values, int* offsets, int* columns) {
    const float one = 1.0f;
    cusparseMatDescr_t copied = NULL;
    cusparseCopyMatDescr(copied, descr);
    cusparseSgemmi(handle, m, n, n, 4, &one, a, m, values, offsets, columns, &one, values, m);
    return cusparseSdense2csr(handle, m, n, descr, a, m, counts, values, offsets, columns);
}

cusparseStatus_t cuda11_colour(cusparseColorInfo_t info) {
    cusparseColorAlg_t algorithm = CUSPARSE_COLOR_ALG0;
    cusparseSetColorAlgs(info, algorithm);
    return cusparseGetColorAlgs(info, &algorithm);
}

cusparseStatus_t cuda11_sampled(cusparseHandle_t handle, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b,
                                cusparseSpMatDescr_t c, void* buffer) {
    const float one = 1.0f;
    int64_t rows = 0, columns = 0, stored = 0;
    cusparseSpMatGetSize(c, &rows, &columns, &stored);
    return cusparseConstrainedGeMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                   &one, a, b, &one, c, CUDA_R_32F, buffer);
}
