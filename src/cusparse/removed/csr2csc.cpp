// csr2csc, Csr2cscEx and Xcsr2csc2.
#include "core/ops/conversion.hpp"
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

namespace {

constexpr core::argument_name names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::values}, "csrSortedVal"},
    {{role::a, part::offsets}, "csrSortedRowPtr"},
    {{role::a, part::indices}, "csrSortedColInd"},
    {{role::b, part::values}, "cscSortedVal"},
    {{role::b, part::offsets}, "cscSortedColPtr"},
    {{role::b, part::indices}, "cscSortedRowInd"},
};
constexpr core::argument_name pattern_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::offsets}, "csrRowPtr"},
    {{role::a, part::indices}, "csrColInd"},
    {{role::b, part::offsets}, "cscColPtr"},
    {{role::b, part::indices}, "cscRowInd"},
    {role::permutation, "cscValInd"},
    {role::workspace_size, "pBufferSize"},
};

void turn(core::context& c, const csc_call& call) {
    core::transpose(c, core::run_in_own_scratch, call.csr, call.csc, call.values);
}

csc_call pattern_call_of(int m, int n, int nnz, int32_t base, const int* offsets, const int* columns,
                         int* csc_offsets, int* csc_rows) {
    const matrix_arrays from{HERON_R_32I, nullptr, offsets, columns},
        to{HERON_R_32I, nullptr, csc_offsets, csc_rows};
    return csc_call_of(m, n, nnz, from, to, CUSPARSE_ACTION_SYMBOLIC, static_cast<cusparseIndexBase_t>(base));
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/csr2csc.inc"
#include <cusparse/foreach_type.inc>

// Nothing is computed: the execution type has to be one.
cusparseStatus_t cusparseCsr2cscEx(cusparseHandle_t handle, int m, int n, int nnz, const void* values,
                                   cudaDataType type, const int* offsets, const int* columns,
                                   void* csc_values, cudaDataType csc_type, int* csc_rows, int* csc_offsets,
                                   cusparseAction_t copyValues, cusparseIndexBase_t base,
                                   cudaDataType execution_type) {
    return guarded({__func__, names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_type from = type_from(type, "csrSortedValtype");
        if (type_from(csc_type, "cscSortedValtype") != from)
            core::not_supported("cscSortedValtype", "differs from csrSortedValtype");
        type_from(execution_type, "executiontype");
        turn(c, csc_call_of(m, n, nnz, {from, values, offsets, columns},
                            {from, csc_values, csc_offsets, csc_rows}, copyValues, base));
    });
}

cusparseStatus_t cusparseXcsr2csc2_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                 const int* offsets, const int* columns, size_t* size) {
    return guarded({__func__, pattern_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const csc_call call = pattern_call_of(m, n, nnz, 0, offsets, columns, nullptr, nullptr);
        answer_size(size, [&](const core::phase_call& phase) {
            core::transpose_pattern(c, phase, call.csr, call.csc, nullptr);
        });
    });
}
cusparseStatus_t cusparseXcsr2csc2(cusparseHandle_t handle, int m, int n, int nnz,
                                   const cusparseMatDescr_t descr, const int* offsets, const int* columns,
                                   int* csc_offsets, int* csc_rows, int* csc_places, void* buffer) {
    return guarded({__func__, pattern_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const int32_t base = general_base_of(descr, {role::a, part::kind}, role::base);
        const csc_call call = pattern_call_of(m, n, nnz, base, offsets, columns, csc_offsets, csc_rows);
        core::transpose_pattern(c, {HERON_PHASE_RUN, nullptr, buffer}, call.csr, call.csc, csc_places);
    });
}
