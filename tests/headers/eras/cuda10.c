/* What programs of CUDA 10 say, as C and as C++: the generic interface with the names of its first version,
 * beside all of the old one. */
#include <cuda_runtime.h>
#include <cusparse.h>

cusparseStatus_t cuda10_spmv(cusparseHandle_t handle, int n, int nnz, int* offsets, int* columns,
                             float* values, float* x, float* y);
cusparseStatus_t cuda10_batches(cusparseSpMatDescr_t matrix, int* count);
int cuda10_is_aos(cusparseSpMatDescr_t matrix);
cusparseStatus_t cuda10_convert(cusparseHandle_t handle, int n, int nnz, const float* values,
                                const int* offsets, const int* columns, float* csc_values, int* rows,
                                int* csc_offsets);

cusparseStatus_t cuda10_spmv(cusparseHandle_t handle, int n, int nnz, int* offsets, int* columns,
                             float* values, float* x, float* y) {
    const float one = 1.0f, zero = 0.0f;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t on_x, on_y;
    size_t bytes = 0;
    cusparseCreateCsr(&matrix, n, n, nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&on_x, n, x, CUDA_R_32F);
    cusparseCreateDnVec(&on_y, n, y, CUDA_R_32F);
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, on_x, &zero, on_y,
                            CUDA_R_32F, CUSPARSE_MV_ALG_DEFAULT, &bytes);
    return cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, on_x, &zero, on_y, CUDA_R_32F,
                        bytes > 0 ? CUSPARSE_CSRMV_ALG1 : CUSPARSE_CSRMV_ALG2, NULL);
}

cusparseStatus_t cuda10_batches(cusparseSpMatDescr_t matrix, int* count) {
    cusparseSpMatSetNumBatches(matrix, 2);
    cusparseSpMatSetStridedBatch(matrix, 2);
    return cusparseSpMatGetNumBatches(matrix, count);
}

int cuda10_is_aos(cusparseSpMatDescr_t matrix) {
    cusparseFormat_t format;
    cusparseSpMatGetFormat(matrix, &format);
    return format == CUSPARSE_FORMAT_COO_AOS;
}

cusparseStatus_t cuda10_convert(cusparseHandle_t handle, int n, int nnz, const float* values,
                                const int* offsets, const int* columns, float* csc_values, int* rows,
                                int* csc_offsets) {
    size_t bytes = 0;
    const cusparseSpMMAlg_t unused[] = {CUSPARSE_MM_ALG_DEFAULT, CUSPARSE_COOMM_ALG1, CUSPARSE_COOMM_ALG2,
                                        CUSPARSE_COOMM_ALG3, CUSPARSE_CSRMM_ALG1};
    if (unused[0] != CUSPARSE_MM_ALG_DEFAULT) return CUSPARSE_STATUS_INTERNAL_ERROR;
    cusparseScsr2csc(handle, n, n, nnz, values, offsets, columns, csc_values, rows, csc_offsets,
                     CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO);
    return cusparseCsr2cscEx2_bufferSize(handle, n, n, nnz, values, offsets, columns, csc_values, csc_offsets,
                                         rows, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                         CUSPARSE_CSR2CSC_ALG2, &bytes);
}
