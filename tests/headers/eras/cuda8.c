/* What programs of CUDA 7 and 8 say, as C and as C++: infos for solves, HYB, scalars by pointers, conversions
 * without buffers. It compiles; nobody runs it. */
#include <cuda_runtime.h>
#include <cusparse_v2.h>

typedef struct solver {
    cusparseHandle_t handle;
    cusparseMatDescr_t general, lower;
    cusparseSolveAnalysisInfo_t info;
    cusparseHybMat_t hyb;
    cusparseSideMode_t side;
    int n, nnz;
} solver;

cusparseStatus_t cuda8_setup(solver* s, cudaStream_t stream);
cusparseStatus_t cuda8_factorise(solver* s, float* values, const int* offsets, const int* columns);
cusparseStatus_t cuda8_multiply(const solver* s, const double* values, const int* offsets, const int* columns,
                                const double* x, double* y);
int cuda8_levels(const solver* s);

cusparseStatus_t cuda8_setup(solver* s, cudaStream_t stream) {
    cusparseStatus_t status = cusparseCreate(&s->handle);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    s->side = CUSPARSE_SIDE_LEFT;
    cusparseSetStream(s->handle, stream);
    cusparseCreateMatDescr(&s->general);
    cusparseCreateMatDescr(&s->lower);
    cusparseSetMatType(s->lower, CUSPARSE_MATRIX_TYPE_TRIANGULAR);
    cusparseSetMatFillMode(s->lower, CUSPARSE_FILL_MODE_LOWER);
    cusparseSetMatDiagType(s->lower, CUSPARSE_DIAG_TYPE_UNIT);
    status = cusparseCreateSolveAnalysisInfo(&s->info);
    return status == CUSPARSE_STATUS_SUCCESS ? cusparseCreateHybMat(&s->hyb) : status;
}

cusparseStatus_t cuda8_factorise(solver* s, float* values, const int* offsets, const int* columns) {
    const float one = 1.0f;
    cusparseHybPartition_t partition = CUSPARSE_HYB_PARTITION_AUTO;
    cusparseScsrsv_analysis(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, s->nnz, s->lower, values,
                            offsets, columns, s->info);
    cusparseScsrilu0(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, s->general, values, offsets, columns,
                     s->info);
    cusparseScsric0(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, s->lower, values, offsets, columns,
                    s->info);
    cusparseScsrsm_solve(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, 1, &one, s->lower, values,
                         offsets, columns, s->info, values, s->n, values, s->n);
    if (s->n > 1000) partition = CUSPARSE_HYB_PARTITION_MAX;
    if (s->n > 2000) partition = CUSPARSE_HYB_PARTITION_USER;
    return cusparseScsr2hyb(s->handle, s->n, s->n, s->general, values, offsets, columns, s->hyb, 0,
                            partition);
}

cusparseStatus_t cuda8_multiply(const solver* s, const double* values, const int* offsets, const int* columns,
                                const double* x, double* y) {
    const double one = 1.0, zero = 0.0;
    int nnz = 0;
    cusparseDcsrmv(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, s->n, s->nnz, &one, s->general, values,
                   offsets, columns, x, &zero, y);
    cusparseDcsrmv_mp(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n, s->n, s->nnz, &one, s->general,
                      values, offsets, columns, x, &zero, y);
    cusparseDcsrmm2(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, s->n, 4, s->n,
                    s->nnz, &one, s->general, values, offsets, columns, x, 4, &zero, y, s->n);
    cusparseXcsrgemmNnz(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, s->n,
                        s->n, s->n, s->general, s->nnz, offsets, columns, s->general, s->nnz, offsets,
                        columns, s->general, NULL, &nnz);
    cusparseDgtsv(s->handle, s->n, 1, x, x, x, y, s->n);
    return cusparseDhybmv(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->general, s->hyb, x, &zero, y);
}

int cuda8_levels(const solver* s) {
    int levels = 0;
    int *offsets = NULL, *rows = NULL;
    return cusparseGetLevelInfo(s->handle, s->info, &levels, &offsets, &rows) == CUSPARSE_STATUS_SUCCESS
               ? levels
               : -1;
}
