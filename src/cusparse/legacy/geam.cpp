// csrgeam2.
#include "geam.hpp"
#include "typed.hpp"
#include "core/ops/spadd.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::role;

namespace {

constexpr core::argument_name count_names[] = {
    {role::handle, "handle"},
    {role::result, "nnzTotalDevHostPtr"},
    {role::workspace, "workspace"},
};

}  // namespace

// Of patterns alone, so that the type of their values is any.
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr_a,
                                      int nnz_a, const int* offsets_a, const int* indices_a,
                                      const cusparseMatDescr_t descr_b, int nnz_b, const int* offsets_b,
                                      const int* indices_b, const cusparseMatDescr_t descr_c, int* offsets_c,
                                      int* nnz, void* workspace) {
    constexpr const float* no_values = nullptr;
    return guarded({__func__, count_names, geam_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = csr_matrix(descr_a, m, n, nnz_a, no_values, offsets_a, indices_a);
        const heron_spmat b = csr_matrix(descr_b, m, n, nnz_b, no_values, offsets_b, indices_b, role::b);
        const heron_spmat sum = csr_matrix(descr_c, m, n, 0, no_values, offsets_c, nullptr, role::c);
        core::spadd_count(c, {HERON_PHASE_RUN, nullptr, workspace}, a, b, sum, nnz);
    });
}

#define HERON_FAMILY "cusparse/legacy/csrgeam2.inc"
#include <cusparse/foreach_type.inc>
