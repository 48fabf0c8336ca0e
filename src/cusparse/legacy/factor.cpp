// csrilu02, csric02, bsrilu02 and bsric02: incomplete factorisations.
#include "core/ops/factor.hpp"
#include "typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

struct csrilu02Info : core::opaque<csrilu02Info> {
    core::factorisation state{core::operation::ilu0};
};
struct csric02Info : core::opaque<csric02Info> {
    core::factorisation state{core::operation::ic0};
};
struct bsrilu02Info : core::opaque<bsrilu02Info> {
    core::factorisation state{core::operation::ilu0};
};
struct bsric02Info : core::opaque<bsric02Info> {
    core::factorisation state{core::operation::ic0};
};

namespace {

// What functions of these families call their arguments. The last three differ from the rest of theirs.
constexpr core::argument_name csr_factor_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "m"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::base}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
    {role::a, "csrSortedColIndA"},
    {role::analysis_phase, "the analysis"},
};
constexpr core::argument_name bsr_factor_names[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "mb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::base}, "descrA"},
    {{role::a, part::values}, "bsrSortedVal"},
    {{role::a, part::offsets}, "bsrSortedRowPtr"},
    {{role::a, part::indices}, "bsrSortedColInd"},
    {{role::a, part::block_rows}, "blockDim"},
    {{role::a, part::block_cols}, "blockDim"},
    {role::a, "bsrSortedColInd"},
    {role::analysis_phase, "the analysis"},
};

constexpr core::argument_name in_place[] = {{{role::a, part::values}, "csrSortedValA_valM"}};
constexpr core::argument_name csr_ext[] = {
    {{role::a, part::values}, "csrSortedVal"},
    {{role::a, part::offsets}, "csrSortedRowPtr"},
    {{role::a, part::indices}, "csrSortedColInd"},
    {role::workspace_size, "pBufferSize"},
};
constexpr core::argument_name bsr_ext[] = {
    {{role::a, part::block_rows}, "blockSize"},
    {{role::a, part::block_cols}, "blockSize"},
    {role::workspace_size, "pBufferSize"},
};
constexpr core::argument_name input_buffer[] = {{role::workspace, "pInputBuffer"}};
constexpr auto csr_in_place_names = joined(in_place, csr_factor_names);
constexpr auto csr_ext_names = joined(csr_ext, csr_factor_names);
constexpr auto bsr_ext_names = joined(bsr_ext, bsr_factor_names);
constexpr auto input_buffer_names = joined(input_buffer, bsr_factor_names);

template <class Info>
core::factorisation& state_of(Info* info) {
    return core::alive(info, role::info)->state;
}

bool with_levels(cusparseSolvePolicy_t policy) {
    core::require(policy == CUSPARSE_SOLVE_POLICY_NO_LEVEL || policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL,
                  role::policy, "is not one of its values");
    return policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL;
}

template <class Info, class Size, class Matrix>
cusparseStatus_t size_factor(const function& called, cusparseHandle_t handle, Info* info, Size* bytes,
                             Matrix&& matrix) {
    return guarded(called, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = matrix();
        core::factorisation& f = state_of(info);
        answer_size(bytes, [&](const core::phase_call& phase) { core::factorise(c, phase, f, a, false); });
    });
}

template <class Info, class Matrix>
cusparseStatus_t run_factor(const function& called, cusparseHandle_t handle, heron_phase phase, Info* info,
                            cusparseSolvePolicy_t policy, void* buffer, Matrix&& matrix) {
    return guarded(called, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = matrix();
        core::factorise(c, {phase, nullptr, buffer}, state_of(info), a, with_levels(policy));
    });
}

template <class Info, class T>
cusparseStatus_t set_boost(const char* called, cusparseHandle_t handle, Info* info, int enable,
                           const double* tolerance, const T* value) {
    return guarded({called, {}, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::set_boost(c, state_of(info), enable != 0, tolerance, value, type_of(value));
    });
}

template <class Info>
cusparseStatus_t report(const char* called, cusparseHandle_t handle, Info* info, int* position) {
    return guarded({called, {}, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::report_zero_pivot(c, state_of(info), position);
    });
}

}  // namespace

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseCreateBsrilu02Info(bsrilu02Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseCreateBsric02Info(bsric02Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) { return destroy_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info) { return destroy_info(__func__, info); }
cusparseStatus_t cusparseDestroyBsrilu02Info(bsrilu02Info_t info) { return destroy_info(__func__, info); }
cusparseStatus_t cusparseDestroyBsric02Info(bsric02Info_t info) { return destroy_info(__func__, info); }

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int* position) {
    return report(__func__, handle, info, position);
}
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int* position) {
    return report(__func__, handle, info, position);
}
cusparseStatus_t cusparseXbsrilu02_zeroPivot(cusparseHandle_t handle, bsrilu02Info_t info, int* position) {
    return report(__func__, handle, info, position);
}
cusparseStatus_t cusparseXbsric02_zeroPivot(cusparseHandle_t handle, bsric02Info_t info, int* position) {
    return report(__func__, handle, info, position);
}

#define HERON_FAMILY "cusparse/legacy/factor.inc"
#include <cusparse/foreach_type.inc>
