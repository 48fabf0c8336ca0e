// csrmvEx.
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::cols_of, core::part, core::role, core::rows_of;

namespace {

constexpr core::argument_name names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrValA"},
    {{role::a, part::offsets}, "csrRowPtrA"},
    {{role::a, part::indices}, "csrColIndA"},
    {{role::x, part::values}, "x"},
    {role::compute_type, "executiontype"},
    {role::workspace, "buffer"},
    {role::workspace_size, "bufferSizeInBytes"},
};

// A vector or a scalar, and its type.
struct typed_pointer {
    const void* data;
    cudaDataType type;
    const char* type_name;

    heron_type element_type() const { return type_from(type, type_name); }
};

heron_dnvec vector_of(int64_t size, const typed_pointer& p, role operand) {
    return core::checked({size, const_cast<void*>(p.data), p.element_type()}, operand);
}

// csrmvEx and its size differ in the phase alone.
void multiply(cusparseHandle_t handle, const core::phase_call& phase, cusparseAlgMode_t alg,
              cusparseOperation_t transA, int m, int n, int nnz, const typed_pointer& alpha,
              cusparseMatDescr_t descr, const typed_pointer& values, const int* offsets, const int* columns,
              const typed_pointer& x, const typed_pointer& beta, const typed_pointer& y,
              cudaDataType execution_type) {
    core::context& c = typed_context_of(handle);
    core::require(alg == CUSPARSE_ALG0 || alg == CUSPARSE_ALG1, "alg", "is not one of its values");
    const heron_operation op = operation_from(transA, role::operation_a);
    const heron_type type = type_from(execution_type, role::compute_type);
    for (const typed_pointer* const scalar : {&alpha, &beta})
        if (scalar->element_type() != type)
            core::not_supported(scalar->type_name, "differs from @", role::compute_type);
    const heron_spmat a = csr_matrix(values.element_type(), descr, m, n, nnz, values.data, offsets, columns);
    core::spmv(c, phase, op, alpha.data, a, vector_of(cols_of(op, a), x, role::x), beta.data,
               vector_of(rows_of(op, a), y, role::y), type);
}

}  // namespace

cusparseStatus_t cusparseCsrmvEx_bufferSize(cusparseHandle_t handle, cusparseAlgMode_t alg,
                                            cusparseOperation_t transA, int m, int n, int nnz,
                                            const void* alpha, cudaDataType alpha_type,
                                            const cusparseMatDescr_t descr, const void* values,
                                            cudaDataType value_type, const int* offsets, const int* columns,
                                            const void* x, cudaDataType x_type, const void* beta,
                                            cudaDataType beta_type, void* y, cudaDataType y_type,
                                            cudaDataType execution_type, size_t* size) {
    return guarded({__func__, names, typed_names}, [&] {
        multiply(handle, {HERON_PHASE_SIZE, size}, alg, transA, m, n, nnz, {alpha, alpha_type, "alphatype"},
                 descr, {values, value_type, "csrValAtype"}, offsets, columns, {x, x_type, "xtype"},
                 {beta, beta_type, "betatype"}, {y, y_type, "ytype"}, execution_type);
    });
}
cusparseStatus_t cusparseCsrmvEx(cusparseHandle_t handle, cusparseAlgMode_t alg, cusparseOperation_t transA,
                                 int m, int n, int nnz, const void* alpha, cudaDataType alpha_type,
                                 const cusparseMatDescr_t descr, const void* values, cudaDataType value_type,
                                 const int* offsets, const int* columns, const void* x, cudaDataType x_type,
                                 const void* beta, cudaDataType beta_type, void* y, cudaDataType y_type,
                                 cudaDataType execution_type, void* buffer) {
    return guarded({__func__, names, typed_names}, [&] {
        multiply(handle, {HERON_PHASE_RUN, nullptr, buffer}, alg, transA, m, n, nnz,
                 {alpha, alpha_type, "alphatype"}, descr, {values, value_type, "csrValAtype"}, offsets,
                 columns, {x, x_type, "xtype"}, {beta, beta_type, "betatype"}, {y, y_type, "ytype"},
                 execution_type);
    });
}
