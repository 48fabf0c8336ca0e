// csrgeam.
#include "core/ops/spadd.hpp"
#include "cusparse/legacy/geam.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::role;

namespace {

constexpr core::argument_name count_names[] = {
    {role::handle, "handle"},
    {role::result, "nnzTotalDevHostPtr"},
};

}  // namespace

// Of patterns alone, so that the type of their values is any.
cusparseStatus_t cusparseXcsrgeamNnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr_a,
                                     int nnz_a, const int* offsets_a, const int* indices_a,
                                     const cusparseMatDescr_t descr_b, int nnz_b, const int* offsets_b,
                                     const int* indices_b, const cusparseMatDescr_t descr_c, int* offsets_c,
                                     int* nnz) {
    constexpr const float* no_values = nullptr;
    return guarded({__func__, count_names, geam_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = csr_matrix(descr_a, m, n, nnz_a, no_values, offsets_a, indices_a);
        const heron_spmat b = csr_matrix(descr_b, m, n, nnz_b, no_values, offsets_b, indices_b, role::b);
        const heron_spmat sum = csr_matrix(descr_c, m, n, 0, no_values, offsets_c, nullptr, role::c);
        core::spadd_count(c, core::run_in_own_scratch, a, b, sum, nnz);
    });
}

#define HERON_FAMILY "cusparse/removed/csrgeam.inc"
#include <cusparse/foreach_type.inc>
