// csrmv and csrmv_mp.
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::cols_of, core::rows_of, core::role;

namespace {

// One product serves both: it suits rows of any lengths.
template <class T>
cusparseStatus_t multiply(const char* function, cusparseHandle_t handle, cusparseOperation_t transA, int m,
                          int n, int nnz, const T* alpha, cusparseMatDescr_t descr, const T* values,
                          const int* offsets, const int* columns, const T* x, const T* beta, T* y) {
    return guarded({function, csr_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_operation op = operation_from(transA, role::operation_a);
        const heron_spmat a = csr_matrix(descr, m, n, nnz, values, offsets, columns);
        core::spmv(c, core::run_in_own_scratch, op, alpha, a, dense_vector_of(cols_of(op, a), x, role::x),
                   beta, dense_vector_of(rows_of(op, a), y, role::y), a.type);
    });
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/csrmv.inc"
#include <cusparse/foreach_type.inc>
