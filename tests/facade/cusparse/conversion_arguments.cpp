// The arguments of the conversions between sparse formats.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto by_rows = CUSPARSE_DIRECTION_ROW;
constexpr auto numeric = CUSPARSE_ACTION_NUMERIC;
constexpr auto other_type = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// A 4 x 4 matrix with one element per row, or of as many blocks, and room for any result.
struct conversion_operands {
    conversion_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 3}, rows[4] = {0, 1, 2, 3};
    mutable int to_offsets[32] = {}, to_indices[64] = {}, nnz = 0;
    mutable struct {
        int bytes;
        size_t extended;
    } size;
    alignas(16) mutable char buffer[65536];
};

// A function that writes these.
template <class Subject>
Subject& writes(Subject& s, const conversion_operands& o) {
    return s.works().watch(o.to_indices, sizeof o.to_indices);
}

// handle, dirA, m, n, descrA and the arrays of a CSR matrix from argument `first` on.
template <size_t first, class Subject>
void try_csr(Subject& s, const conversion_operands& o) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("dirA", no_direction);
    s.template bad<2>("m", -1).template bad<3>("n", -1).template bad<4>("descrA", nullptr);
    s.template bad<4>("descrA", o.symmetric, other_type);
    s.template bad<first>("csrSortedRowPtrA", nullptr);
    s.template bad<first>("csrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<first + 1>("csrSortedColIndA", nullptr);
    s.template bad<first + 1>("csrSortedColIndA", misaligned(o.columns));
}

template <size_t first, class Subject>
void try_blocks(Subject& s, const conversion_operands& o) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("dirA", no_direction);
    s.template bad<2>("mb", -1).template bad<3>("nb", -1);
    s.template bad<2>("mb", 1 << 30).template bad<3>("nb", 1 << 30);
    s.template bad<first>("bsrSortedRowPtrA", nullptr);
    s.template bad<first>("bsrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<first + 1>("bsrSortedColIndA", nullptr);
    s.template bad<first + 1>("bsrSortedColIndA", misaligned(o.columns));
}

template <size_t i, class Subject>
void try_descriptor(Subject& s, const char* name, const conversion_operands& o) {
    s.template bad<i>(name, nullptr).template bad<i>(name, o.symmetric, other_type);
}

template <size_t i, class Subject>
void try_size(Subject& s, const char* name) {
    s.template bad<i>(name, 0).template bad<i>(name, -2);
}

template <size_t i, class Subject>
void try_offsets(Subject& s, const char* name, const conversion_operands& o) {
    s.template bad<i>(name, nullptr).template bad<i>(name, misaligned(o.to_offsets));
}

template <size_t i, class Subject, class T>
void try_array(Subject& s, const char* name, T* memory) {
    s.template bad<i>(name, nullptr).template bad<i>(name, misaligned(memory));
}

template <class Subject>
void try_csc(Subject& s) {
    s.template bad<0>("handle", nullptr).template bad<1>("m", -1).template bad<2>("n", -1);
    s.template bad<3>("nnz", -1).template bad<3>("nnz", 17);
    s.template bad<10>("valType", static_cast<cudaDataType>(-1));
    s.template bad<10>("valType", CUDA_R_16I, not_supported).template bad<11>("copyValues", no_action);
    s.template bad<12>("idxBase", no_base).template bad<13>("alg", static_cast<cusparseCsr2CscAlg_t>(0));
}

void try_csr2csc(const conversion_operands& o) {
    alignas(16) double values[4] = {}, to_values[4] = {};
    constexpr auto type = CUDA_R_64F;
    constexpr auto alg = CUSPARSE_CSR2CSC_ALG1;
    SUBJECT(size, cusparseCsr2cscEx2_bufferSize, o.h, 4, 4, 4, values, o.offsets, o.columns, to_values,
            o.to_offsets, o.to_indices, type, numeric, zero_based, alg, &o.size.extended);
    size.works().watch(&o.size, sizeof o.size).bad<14>("bufferSize", nullptr);
    try_csc(size);
    size.bad<4>("csrVal", misaligned(values)).bad<5>("csrRowPtr", misaligned(o.offsets));
    size.bad<6>("csrColInd", misaligned(o.columns)).bad<7>("cscVal", misaligned(to_values));
    size.bad<8>("cscColPtr", misaligned(o.to_offsets)).bad<9>("cscRowInd", misaligned(o.to_indices));
    SUBJECT(run, cusparseCsr2cscEx2, o.h, 4, 4, 4, values, o.offsets, o.columns, to_values, o.to_offsets,
            o.to_indices, type, numeric, zero_based, alg, o.buffer);
    writes(run, o).watch(o.to_offsets, sizeof o.to_offsets).watch(to_values, sizeof to_values);
    try_csc(run);
    try_array<4>(run, "csrVal", values);
    try_array<5>(run, "csrRowPtr", o.offsets);
    try_array<6>(run, "csrColInd", o.columns);
    try_array<7>(run, "cscVal", to_values);
    try_array<8>(run, "cscColPtr", o.to_offsets);
    try_array<9>(run, "cscRowInd", o.to_indices);
    run.bad<14>("buffer", nullptr);
}

void try_coo(const conversion_operands& o) {
    SUBJECT(to_csr, cusparseXcoo2csr, o.h, o.rows, 4, 4, o.to_offsets, zero_based);
    to_csr.works().watch(o.to_offsets, sizeof o.to_offsets).bad<0>("handle", nullptr, not_initialized);
    try_array<1>(to_csr, "cooRowInd", o.rows);
    to_csr.bad<2>("nnz", -1).bad<3>("m", -1).bad<5>("idxBase", no_base);
    try_offsets<4>(to_csr, "csrSortedRowPtr", o);
    SUBJECT(to_coo, cusparseXcsr2coo, o.h, o.offsets, 4, 4, o.to_indices, zero_based);
    writes(to_coo, o).bad<0>("handle", nullptr, not_initialized);
    try_array<1>(to_coo, "csrSortedRowPtr", o.offsets);
    to_coo.bad<2>("nnz", -1).bad<3>("m", -1).bad<3>("nnz", 0).bad<5>("idxBase", no_base);
    try_array<4>(to_coo, "cooRowInd", o.to_indices);
}

void try_counts(const conversion_operands& o) {
    SUBJECT(square, cusparseXcsr2bsrNnz, o.h, by_rows, 4, 4, o.general, o.offsets, o.columns, 2, o.general,
            o.to_offsets, &o.nnz);
    square.works().watch(o.to_offsets, sizeof o.to_offsets).watch(&o.nnz, sizeof o.nnz).any<10>();
    try_csr<5>(square, o);
    try_size<7>(square, "blockDim");
    try_descriptor<8>(square, "descrC", o);
    try_offsets<9>(square, "bsrSortedRowPtrC", o);

    SUBJECT(general, cusparseXcsr2gebsrNnz, o.h, by_rows, 4, 4, o.general, o.offsets, o.columns, o.general,
            o.to_offsets, 2, 3, &o.nnz, o.buffer);
    general.works().watch(o.to_offsets, sizeof o.to_offsets).watch(&o.nnz, sizeof o.nnz).any<11>();
    try_csr<5>(general, o);
    try_descriptor<7>(general, "descrC", o);
    try_offsets<8>(general, "bsrSortedRowPtrC", o);
    try_size<9>(general, "rowBlockDim");
    try_size<10>(general, "colBlockDim");
    general.any<12>();

    SUBJECT(blocks, cusparseXgebsr2gebsrNnz, o.h, by_rows, 4, 4, 4, o.general, o.offsets, o.columns, 2, 2,
            o.general, o.to_offsets, 3, 4, &o.nnz, o.buffer);
    blocks.works().watch(o.to_offsets, sizeof o.to_offsets).watch(&o.nnz, sizeof o.nnz).any<14>();
    try_blocks<6>(blocks, o);
    blocks.bad<4>("nnzb", -1).bad<4>("nnzb", 17);
    try_descriptor<5>(blocks, "descrA", o);
    try_size<8>(blocks, "rowBlockDimA");
    try_size<9>(blocks, "colBlockDimA");
    try_descriptor<10>(blocks, "descrC", o);
    try_offsets<11>(blocks, "bsrSortedRowPtrC", o);
    try_size<12>(blocks, "rowBlockDimC");
    try_size<13>(blocks, "colBlockDimC");
    blocks.any<15>();
}

// The host cannot tell whether a device address is one, but for its alignment.
void try_device_counts(const conversion_operands& o) {
    REQUIRE(cusparseSetPointerMode(o.h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
    CHECK(cusparseXcsr2bsrNnz(o.h, by_rows, 4, 4, o.general, o.offsets, o.columns, 2, o.general, o.to_offsets,
                              misaligned(&o.nnz)) == invalid);
    REQUIRE(cusparseSetPointerMode(o.h, CUSPARSE_POINTER_MODE_HOST) == ok);
}

void try_pattern(const conversion_operands& o) {
    SUBJECT(pattern, cusparseXgebsr2csr, o.h, by_rows, 4, 4, o.general, o.offsets, o.columns, 2, 2, o.general,
            o.to_offsets, o.to_indices);
    writes(pattern, o).watch(o.to_offsets, sizeof o.to_offsets);
    try_blocks<5>(pattern, o);
    try_descriptor<4>(pattern, "descrA", o);
    try_size<7>(pattern, "rowBlockDim");
    try_size<8>(pattern, "colBlockDim");
    try_descriptor<9>(pattern, "descrC", o);
    try_offsets<10>(pattern, "csrSortedRowPtrC", o);
    try_array<11>(pattern, "csrSortedColIndC", o.to_indices);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/conversion_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_format_conversions() {
    const conversion_operands o;
    try_csr2csc(o);
    try_coo(o);
    try_counts(o);
    try_device_counts(o);
    try_pattern(o);
    try_typed(o, 1.0f);
    try_typed(o, 1.0);
    try_typed(o, cuComplex{1, 0});
    try_typed(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
