/* What programs of CUDA 9 say, as C and as C++: csrmvEx by merging, the solves of the second interface,
 * pruning. */
#include <cuda_runtime.h>
#include <cusparse.h>
#include <library_types.h>

typedef struct infos {
    csrsv2Info_t vector;
    csrsm2Info_t matrix;
    csrgemm2Info_t product;
    csric02Info_t cholesky;
    csrilu02Info_t lu;
    pruneInfo_t prune;
} infos;

cusparseStatus_t cuda9_make(infos* all);
size_t cuda9_size_by_merging(cusparseHandle_t handle, cusparseMatDescr_t descr, int n, int nnz,
                             const float* values, const int* offsets, const int* columns, const float* x,
                             float* y);
int cuda9_pivot(cusparseHandle_t handle, const infos* all);
cudaDataType cuda9_type(int is_double);

cusparseStatus_t cuda9_make(infos* all) {
    cusparseStatus_t status = cusparseCreateCsrsv2Info(&all->vector);
    if (status == CUSPARSE_STATUS_SUCCESS) status = cusparseCreateCsrsm2Info(&all->matrix);
    if (status == CUSPARSE_STATUS_SUCCESS) status = cusparseCreateCsrgemm2Info(&all->product);
    if (status == CUSPARSE_STATUS_SUCCESS) status = cusparseCreateCsric02Info(&all->cholesky);
    if (status == CUSPARSE_STATUS_SUCCESS) status = cusparseCreateCsrilu02Info(&all->lu);
    return status == CUSPARSE_STATUS_SUCCESS ? cusparseCreatePruneInfo(&all->prune) : status;
}

size_t cuda9_size_by_merging(cusparseHandle_t handle, cusparseMatDescr_t descr, int n, int nnz,
                             const float* values, const int* offsets, const int* columns, const float* x,
                             float* y) {
    const float one = 1.0f, zero = 0.0f;
    size_t bytes = 0;
    cusparseAlgMode_t algorithm = CUSPARSE_ALG_MERGE_PATH;
    if (n < 100) algorithm = CUSPARSE_ALG_NAIVE;
    if (algorithm == CUSPARSE_ALG0) algorithm = CUSPARSE_ALG1;
    cusparseCsrmvEx_bufferSize(handle, algorithm, CUSPARSE_OPERATION_NON_TRANSPOSE, n, n, nnz, &one,
                               CUDA_R_32F, descr, values, CUDA_R_32F, offsets, columns, x, CUDA_R_32F, &zero,
                               CUDA_R_32F, y, CUDA_R_32F, CUDA_R_32F, &bytes);
    return bytes;
}

int cuda9_pivot(cusparseHandle_t handle, const infos* all) {
    int position = -1;
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    if (policy == CUSPARSE_SOLVE_POLICY_NO_LEVEL) return -1;
    if (cusparseXcsrsv2_zeroPivot(handle, all->vector, &position) == CUSPARSE_STATUS_ZERO_PIVOT)
        return position;
    if (cusparseXcsrsm2_zeroPivot(handle, all->matrix, &position) == CUSPARSE_STATUS_ZERO_PIVOT)
        return position;
    return -1;
}

cudaDataType cuda9_type(int is_double) { return is_double ? CUDA_R_64F : CUDA_R_32F; }
