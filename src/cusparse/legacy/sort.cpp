// coosort, csrsort, cscsort, CreateIdentityPermutation, csru2csr and csr2csru.
#include "mat_descr.hpp"
#include "typed.hpp"
#include "core/ops/reorder.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

struct csru2csrInfo : core::opaque<csru2csrInfo> {
    core::element_order order;
};

namespace {

constexpr core::argument_name coo_names[] = {
    {{role::a, part::rows}, "m"},           {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},          {{role::a, part::row_indices}, "cooRowsA"},
    {{role::a, part::indices}, "cooColsA"}, {role::workspace_size, "pBufferSizeInBytes"},
};
constexpr core::argument_name csr_sort_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::offsets}, "csrRowPtrA"},
    {{role::a, part::indices}, "csrColIndA"},
};
constexpr core::argument_name csc_sort_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::offsets}, "cscColPtrA"},
    {{role::a, part::indices}, "cscRowIndA"},
};
constexpr core::argument_name csru_names[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrVal"},
    {{role::a, part::offsets}, "csrRowPtr"},
    {{role::a, part::indices}, "csrColInd"},
};
constexpr core::argument_name identity_names[] = {{role::count, "n"}, {role::permutation, "p"}};

// A CSR or CSC matrix without values, of whatever kind: the sorts take all as GENERAL.
heron_spmat pattern(heron_format format, cusparseIndexBase_t base, int m, int n, int nnz, const int* offsets,
                    const int* indices) {
    const int32_t first = base_from(base, core::argument{role::a, part::base});
    return core::checked(matrix_of(format, m, n, nnz, first, {HERON_R_32F, nullptr, offsets, indices}),
                         role::a);
}

cusparseIndexBase_t base_of(cusparseMatDescr_t descr) {
    return core::alive(descr, core::argument{role::a, part::kind})->base;
}

cusparseStatus_t sort_coo(const char* called, cusparseHandle_t handle, const core::coordinate_list& list,
                          core::sort_order order, void* buffer) {
    return guarded({called, coo_names, typed_names}, [&] {
        core::sort_coordinates(typed_context_of(handle), {HERON_PHASE_RUN, nullptr, buffer}, list, order);
    });
}

cusparseStatus_t size_of_sort(const function& called, cusparseHandle_t handle, heron_format format, int m,
                              int n, int nnz, const int* offsets, const int* indices, size_t* size) {
    return guarded(called, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = pattern(format, CUSPARSE_INDEX_BASE_ZERO, m, n, nnz, offsets, indices);
        answer_size(size, [&](const auto& phase) { core::sort_indices(c, phase, a, nullptr); });
    });
}

cusparseStatus_t sort_compressed(const function& called, cusparseHandle_t handle, heron_format format, int m,
                                 int n, int nnz, cusparseMatDescr_t descr, const int* offsets, int* indices,
                                 int* permutation, void* buffer) {
    return guarded(called, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = pattern(format, base_of(descr), m, n, nnz, offsets, indices);
        core::sort_indices(c, {HERON_PHASE_RUN, nullptr, buffer}, a, permutation);
    });
}

}  // namespace

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int* rows, const int* columns, size_t* size) {
    return guarded({__func__, coo_names, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const core::coordinate_list list{m,      n, nnz, const_cast<int*>(rows), const_cast<int*>(columns),
                                         nullptr};
        answer_size(size, [&](const auto& phase) {
            core::sort_coordinates(c, phase, list, core::sort_order::by_row);
        });
    });
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int* rows,
                                       int* columns, int* permutation, void* buffer) {
    return sort_coo(__func__, handle, {m, n, nnz, rows, columns, permutation}, core::sort_order::by_row,
                    buffer);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int* rows,
                                          int* columns, int* permutation, void* buffer) {
    return sort_coo(__func__, handle, {m, n, nnz, rows, columns, permutation}, core::sort_order::by_column,
                    buffer);
}

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int* offsets, const int* indices, size_t* size) {
    return size_of_sort({__func__, csr_sort_names, typed_names}, handle, HERON_FORMAT_CSR, m, n, nnz, offsets,
                        indices, size);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descr, const int* offsets, int* indices,
                                  int* permutation, void* buffer) {
    return sort_compressed({__func__, csr_sort_names, typed_names}, handle, HERON_FORMAT_CSR, m, n, nnz,
                           descr, offsets, indices, permutation, buffer);
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int* offsets, const int* indices, size_t* size) {
    return size_of_sort({__func__, csc_sort_names, typed_names}, handle, HERON_FORMAT_CSC, m, n, nnz, offsets,
                        indices, size);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descr, const int* offsets, int* indices,
                                  int* permutation, void* buffer) {
    return sort_compressed({__func__, csc_sort_names, typed_names}, handle, HERON_FORMAT_CSC, m, n, nnz,
                           descr, offsets, indices, permutation, buffer);
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
    return guarded({__func__, identity_names, typed_names},
                   [&] { core::identity_permutation(typed_context_of(handle), n, p); });
}

cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info) { return destroy_info(__func__, info); }

#define HERON_FAMILY "cusparse/legacy/csru2csr.inc"
#include <cusparse/foreach_type.inc>
