// Between sparse formats: csr2csc, csr2coo, coo2csr, and blocks of any size.
#include "typed.hpp"
#include "mat_descr.hpp"
#include "core/ops/conversion.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::part;
using core::role;

namespace {

constexpr core::argument_name csr_a[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "csrSortedValA"},
    {{role::a, part::offsets}, "csrSortedRowPtrA"},
    {{role::a, part::indices}, "csrSortedColIndA"},
};
constexpr core::argument_name csr_c[] = {
    {{role::b, part::kind}, "descrC"},
    {{role::b, part::values}, "csrSortedValC"},
    {{role::b, part::offsets}, "csrSortedRowPtrC"},
    {{role::b, part::indices}, "csrSortedColIndC"},
};
constexpr core::argument_name bsr_a[] = {
    {{role::a, part::rows}, "mb"},
    {{role::a, part::cols}, "nb"},
    {{role::a, part::nnz}, "nnzb"},
    {{role::a, part::kind}, "descrA"},
    {{role::a, part::values}, "bsrSortedValA"},
    {{role::a, part::offsets}, "bsrSortedRowPtrA"},
    {{role::a, part::indices}, "bsrSortedColIndA"},
};
constexpr core::argument_name bsr_c[] = {
    {{role::b, part::kind}, "descrC"},
    {{role::b, part::values}, "bsrSortedValC"},
    {{role::b, part::offsets}, "bsrSortedRowPtrC"},
    {{role::b, part::indices}, "bsrSortedColIndC"},
    {role::result, "nnzTotalDevHostPtr"},
};
constexpr core::argument_name square_blocks_of_a[] = {{{role::a, part::block_rows}, "blockDim"}};
constexpr core::argument_name square_blocks_of_c[] = {{{role::b, part::block_rows}, "blockDim"}};
constexpr core::argument_name blocks_of_a[] = {
    {{role::a, part::block_rows}, "rowBlockDim"},
    {{role::a, part::block_cols}, "colBlockDim"},
};
constexpr core::argument_name blocks_of_c[] = {
    {{role::b, part::block_rows}, "rowBlockDim"},
    {{role::b, part::block_cols}, "colBlockDim"},
};
constexpr core::argument_name blocks_of_both[] = {
    {{role::a, part::block_rows}, "rowBlockDimA"},
    {{role::a, part::block_cols}, "colBlockDimA"},
    {{role::b, part::block_rows}, "rowBlockDimC"},
    {{role::b, part::block_cols}, "colBlockDimC"},
};
constexpr core::argument_name gebsc_arrays[] = {
    {{role::a, part::values}, "bsrSortedVal"},     {{role::a, part::offsets}, "bsrSortedRowPtr"},
    {{role::a, part::indices}, "bsrSortedColInd"}, {{role::b, part::values}, "bscVal"},
    {{role::b, part::offsets}, "bscColPtr"},       {{role::b, part::indices}, "bscRowInd"},
};
constexpr core::argument_name extended_size[] = {{role::workspace_size, "pBufferSize"}};
constexpr auto names_of_csr_to_bsr = joined(csr_a, bsr_c, square_blocks_of_c);
constexpr auto names_of_csr_to_gebsr = joined(csr_a, bsr_c, blocks_of_c);
constexpr auto names_of_csr_to_gebsr_size = joined(extended_size, csr_a, bsr_c, blocks_of_c);
constexpr auto names_of_bsr_to_csr = joined(bsr_a, csr_c, square_blocks_of_a);
constexpr auto names_of_gebsr_to_csr = joined(bsr_a, csr_c, blocks_of_a);
constexpr auto names_of_gebsr_to_gebsr = joined(bsr_a, bsr_c, blocks_of_both);
constexpr auto names_of_gebsr_to_gebsr_size = joined(extended_size, bsr_a, bsr_c, blocks_of_both);
constexpr auto names_of_gebsr_to_gebsc = joined(gebsc_arrays, bsr_a, blocks_of_a);
constexpr auto names_of_gebsr_to_gebsc_size = joined(extended_size, gebsc_arrays, bsr_a, blocks_of_a);
constexpr core::argument_name names_of_csr_to_csc[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::cols}, "n"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::values}, "csrVal"},
    {{role::a, part::offsets}, "csrRowPtr"},
    {{role::a, part::indices}, "csrColInd"},
    {{role::b, part::values}, "cscVal"},
    {{role::b, part::offsets}, "cscColPtr"},
    {{role::b, part::indices}, "cscRowInd"},
    {role::type, "valType"},
    {role::algorithm, "alg"},
    {role::workspace, "buffer"},
    {role::workspace_size, "bufferSize"},
};
constexpr core::argument_name names_of_coo[] = {
    {{role::a, part::rows}, "m"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::offsets}, "csrSortedRowPtr"},
    {{role::a, part::indices}, "cooRowInd"},
};

// The arrays of a matrix.
template <class T>
matrix_arrays arrays_of(const T* values, const int* offsets, const int* indices) {
    return {type_of(values), values, offsets, indices};
}
// Of a pattern alone, which has no type of elements either.
matrix_arrays pattern_of(const int* offsets, const int* indices) {
    return {HERON_R_32F, nullptr, offsets, indices};
}
template <class T>
matrix_arrays sized_as(const T* values) {
    return {type_of(values), nullptr, nullptr, nullptr};
}

int32_t base_of(const cusparseMatDescr* descr, role operand) {
    return general_base_of(descr, {operand, part::kind}, {operand, part::base});
}

// The number of elements is not among the functions' arguments.
heron_spmat csr(role operand, int rows, int cols, int32_t base, const matrix_arrays& arrays) {
    return core::checked(matrix_of(HERON_FORMAT_CSR, rows, cols, 0, base, arrays), operand);
}

// C as CSR of A's size, and as blocks that cover A.
heron_spmat csr_of(const heron_spmat& a, int32_t base, const matrix_arrays& arrays) {
    return core::checked(matrix_of(HERON_FORMAT_CSR, a.rows, a.cols, 0, base, arrays), role::b);
}
heron_spmat blocks_over(const heron_spmat& a, int32_t base, const block_shape& blocks,
                        const matrix_arrays& arrays) {
    const auto covering = [](int64_t n, int64_t block) { return block > 0 ? (n + block - 1) / block : 0; };
    return bsr_matrix(role::b, covering(a.rows, blocks.rows), covering(a.cols, blocks.cols), 0, base, blocks,
                      arrays);
}

// In the caller's memory, or where there is none in the handle's.
core::phase_call run_in(void* buffer) {
    if (!buffer) return core::run_in_own_scratch;
    return {HERON_PHASE_RUN, nullptr, buffer};
}

// Both algorithms are one.
csc_call csc_call_of(int m, int n, int nnz, const void* values, const int* offsets, const int* columns,
                     void* csc_values, int* csc_offsets, int* csc_rows, cudaDataType type,
                     cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg) {
    const heron_type value_type = type_from(type, role::type);
    const int algorithm = alg;
    if (algorithm != CUSPARSE_CSR2CSC_ALG1 && algorithm != 2)
        core::invalid(role::algorithm, "is not one of its values");
    return heron::cusparse::csc_call_of(m, n, nnz, {value_type, values, offsets, columns},
                                        {value_type, csc_values, csc_offsets, csc_rows}, action, base);
}

// Blocks in the place of elements, which are not turned themselves.
csc_call gebsc_call_of(int mb, int nb, int nnzb, const block_shape& blocks, int32_t base,
                       const matrix_arrays& from, const matrix_arrays& to, bool values) {
    return {bsr_matrix(role::a, mb, nb, nnzb, base, blocks, from),
            bsr_matrix(role::b, nb, mb, nnzb, base, blocks, to), values};
}

}  // namespace

#define HERON_FAMILY "cusparse/legacy/conversion.inc"
#include <cusparse/foreach_type.inc>

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* indices, int nnz, int m, int* offsets,
                                  cusparseIndexBase_t base) {
    return guarded({__func__, names_of_coo, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::indices_to_pointers(c,
                                  {m, nnz, offsets, const_cast<int*>(indices), base_from(base, role::base)});
    });
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m, int* indices,
                                  cusparseIndexBase_t base) {
    return guarded({__func__, names_of_coo, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::pointers_to_indices(c,
                                  {m, nnz, const_cast<int*>(offsets), indices, base_from(base, role::base)});
    });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void* csrVal, const int* csrRowPtr, const int* csrColInd,
                                               void* cscVal, int* cscColPtr, int* cscRowInd,
                                               cudaDataType valType, cusparseAction_t copyValues,
                                               cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
                                               size_t* bufferSize) {
    return guarded({__func__, names_of_csr_to_csc, typed_names}, [&] {
        core::context& c = context_of(handle);
        const csc_call call = csc_call_of(m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr,
                                          cscRowInd, valType, copyValues, idxBase, alg);
        answer_size(bufferSize, [&](const core::phase_call& phase) {
            core::transpose(c, phase, call.csr, call.csc, call.values);
        });
    });
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                    const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr,
                                    int* cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void* buffer) {
    return guarded({__func__, names_of_csr_to_csc, typed_names}, [&] {
        core::context& c = context_of(handle);
        const csc_call call = csc_call_of(m, n, nnz, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr,
                                          cscRowInd, valType, copyValues, idxBase, alg);
        core::transpose(c, {HERON_PHASE_RUN, nullptr, buffer}, call.csr, call.csc, call.values);
    });
}

cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                     const cusparseMatDescr_t descrA, const int* offsets, const int* columns,
                                     int blockDim, const cusparseMatDescr_t descrC, int* block_offsets,
                                     int* nnzTotalDevHostPtr) {
    return guarded({__func__, names_of_csr_to_bsr, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = csr(role::a, m, n, base_of(descrA, role::a), pattern_of(offsets, columns));
        const heron_spmat b = blocks_over(a, base_of(descrC, role::b), {dirA, blockDim, blockDim},
                                          pattern_of(block_offsets, nullptr));
        core::reblock_count(c, core::run_in_own_scratch, a, b, nnzTotalDevHostPtr);
    });
}

cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                       const cusparseMatDescr_t descrA, const int* offsets,
                                       const int* columns, const cusparseMatDescr_t descrC,
                                       int* block_offsets, int rowBlockDim, int colBlockDim,
                                       int* nnzTotalDevHostPtr, void* pBuffer) {
    return guarded({__func__, names_of_csr_to_gebsr, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = csr(role::a, m, n, base_of(descrA, role::a), pattern_of(offsets, columns));
        const heron_spmat b = blocks_over(a, base_of(descrC, role::b), {dirA, rowBlockDim, colBlockDim},
                                          pattern_of(block_offsets, nullptr));
        core::reblock_count(c, run_in(pBuffer), a, b, nnzTotalDevHostPtr);
    });
}

cusparseStatus_t cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
                                         int nnzb, const cusparseMatDescr_t descrA, const int* offsets,
                                         const int* columns, int rowBlockDimA, int colBlockDimA,
                                         const cusparseMatDescr_t descrC, int* block_offsets,
                                         int rowBlockDimC, int colBlockDimC, int* nnzTotalDevHostPtr,
                                         void* pBuffer) {
    return guarded({__func__, names_of_gebsr_to_gebsr, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = bsr_matrix(role::a, mb, nb, nnzb, base_of(descrA, role::a),
                                         {dirA, rowBlockDimA, colBlockDimA}, pattern_of(offsets, columns));
        const heron_spmat b = blocks_over(a, base_of(descrC, role::b), {dirA, rowBlockDimC, colBlockDimC},
                                          pattern_of(block_offsets, nullptr));
        core::reblock_count(c, run_in(pBuffer), a, b, nnzTotalDevHostPtr);
    });
}

cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
                                    const cusparseMatDescr_t descrA, const int* offsets, const int* columns,
                                    int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC,
                                    int* csr_offsets, int* csr_columns) {
    return guarded({__func__, names_of_gebsr_to_csr, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spmat a = bsr_matrix(role::a, mb, nb, 0, base_of(descrA, role::a),
                                         {dirA, rowBlockDim, colBlockDim}, pattern_of(offsets, columns));
        const heron_spmat b = csr_of(a, base_of(descrC, role::b), pattern_of(csr_offsets, csr_columns));
        core::reblock(c, core::run_in_own_scratch, a, b, false);
    });
}
