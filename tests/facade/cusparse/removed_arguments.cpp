// The arguments of the products, conversions and sums that NVIDIA has removed, for all types.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto mismatch = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto turned = CUSPARSE_OPERATION_TRANSPOSE;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// The pattern of a 4 x 3 matrix with one element per row.
struct removed_operands {
    removed_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 0};
    int counts[4] = {}, to_offsets[5] = {}, to_indices[16] = {}, nnz = 0;
    size_t bytes = 0;
    alignas(256) char buffer[65536] = {};
};

// nnz at `count`, and from `first` on alpha, the descriptor and the arrays of A.
template <std::size_t count, std::size_t first, class Subject, class T>
void try_csr(Subject& s, removed_operands& o, T* odd) {
    s.template bad<count>("nnz", -1).template bad<count>("nnz", 13);
    s.template bad<first>("alpha", nullptr).template bad<first + 1>("descrA", nullptr);
    s.template bad<first + 1>("descrA", o.symmetric, mismatch);
    s.template bad<first + 2>("csrSortedValA", nullptr).template bad<first + 2>("csrSortedValA", odd);
    s.template bad<first + 3>("csrSortedRowPtrA", nullptr);
    s.template bad<first + 3>("csrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<first + 4>("csrSortedColIndA", nullptr);
    s.template bad<first + 4>("csrSortedColIndA", misaligned(o.columns));
}

// What csr2dense and csc2dense are asked for alike.
template <class Subject>
void try_to_dense(Subject& s, const removed_operands& o) {
    s.works().template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1);
    s.template bad<2>("n", -1).template bad<3>("descrA", nullptr);
    s.template bad<3>("descrA", o.symmetric, mismatch).template bad<8>("lda", 3);
}
template <class Subject>
void try_to_sparse(Subject& s, removed_operands& o, const char* counts) {
    s.works().watch(o.to_offsets, sizeof o.to_offsets).watch(o.to_indices, sizeof o.to_indices);
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1).template bad<2>("n", -1);
    s.template bad<3>("descrA", nullptr).template bad<3>("descrA", o.symmetric, mismatch);
    s.template bad<4>("A", nullptr).template bad<5>("lda", 3).template bad<6>(counts, nullptr);
    s.template bad<6>(counts, misaligned(o.counts));
}
template <std::size_t i, class Subject, class T>
void try_array(Subject& s, const char* name, T* array) {
    s.template bad<i>(name, nullptr).template bad<i>(name, misaligned(array));
}

// The typed csr2csc and Csr2cscEx: positions of the arrays differ by the types between them.
template <std::size_t csr_offsets, std::size_t csc_indices, std::size_t action, class Subject>
void try_turned(Subject& s, removed_operands& o) {
    s.works().watch(o.to_offsets, sizeof o.to_offsets).watch(o.to_indices, sizeof o.to_indices);
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1).template bad<2>("n", -1);
    s.template bad<3>("nnz", -1).template bad<3>("nnz", 13);
    try_array<csr_offsets>(s, "csrSortedRowPtr", o.offsets);
    try_array<csr_offsets + 1>(s, "csrSortedColInd", o.columns);
    try_array<csc_indices>(s, "cscSortedRowInd", o.to_indices);
    try_array<csc_indices + 1>(s, "cscSortedColPtr", o.to_offsets);
    s.template bad<action>("copyValues", static_cast<cusparseAction_t>(2));
    s.template bad<action + 1>("idxBase", no_base);
}

void try_csr2csc_of_any_type(removed_operands& o) {
    double values[4] = {}, to[4] = {};
    constexpr auto f64 = CUDA_R_64F;
    SUBJECT(any, cusparseCsr2cscEx, o.h, 4, 3, 4, values, f64, o.offsets, o.columns, to, f64, o.to_indices,
            o.to_offsets, CUSPARSE_ACTION_NUMERIC, zero_based, f64);
    try_turned<6, 10, 12>(any, o);
    try_array<4>(any, "csrSortedVal", values);
    try_array<8>(any, "cscSortedVal", to);
    any.bad<5>("csrSortedValtype", no_type).bad<9>("cscSortedValtype", no_type);
    any.bad<9>("cscSortedValtype", CUDA_R_32F, not_supported).bad<14>("executiontype", no_type);

    SUBJECT(size, cusparseXcsr2csc2_bufferSizeExt, o.h, 4, 3, 4, o.offsets, o.columns, &o.bytes);
    size.works().watch(&o.bytes, sizeof o.bytes).bad<0>("handle", nullptr, not_initialized).bad<1>("m", -1);
    size.bad<2>("n", -1).bad<3>("nnz", -1).bad<3>("nnz", 13).bad<4>("csrRowPtr", misaligned(o.offsets));
    size.bad<5>("csrColInd", misaligned(o.columns)).bad<6>("pBufferSize", nullptr);
    CHECK(cusparseXcsr2csc2_bufferSizeExt(o.h, 4, 3, 4, o.offsets, o.columns, &o.bytes) == ok);
    REQUIRE(o.bytes <= sizeof o.buffer);
    SUBJECT(pattern, cusparseXcsr2csc2, o.h, 4, 3, 4, o.general, o.offsets, o.columns, o.to_offsets,
            o.to_indices, o.counts, o.buffer);
    pattern.works().watch(o.to_offsets, sizeof o.to_offsets).watch(o.to_indices, sizeof o.to_indices);
    pattern.watch(o.counts, sizeof o.counts).bad<0>("handle", nullptr, not_initialized).bad<1>("m", -1);
    pattern.bad<2>("n", -1).bad<3>("nnz", -1).bad<3>("nnz", 13).bad<4>("descrA", nullptr);
    pattern.bad<4>("descrA", o.symmetric, mismatch).bad<10>("pBuffer", nullptr);
    try_array<5>(pattern, "csrRowPtr", o.offsets);
    try_array<6>(pattern, "csrColInd", o.columns);
    try_array<7>(pattern, "cscColPtr", o.to_offsets);
    try_array<8>(pattern, "cscRowInd", o.to_indices);
    try_array<9>(pattern, "cscValInd", o.counts);
}

// A and B of a sum or its count, `step` apart from each other.
template <std::size_t nnz, std::size_t offsets, class Subject>
void try_summand(Subject& s, removed_operands& o, const std::string& letter) {
    s.template bad<nnz - 1>(("descr" + letter).c_str(), nullptr);
    s.template bad<nnz - 1>(("descr" + letter).c_str(), o.symmetric, mismatch);
    s.template bad<nnz>(("nnz" + letter).c_str(), -1).template bad<nnz>(("nnz" + letter).c_str(), 13);
    try_array<offsets>(s, ("csrSortedRowPtr" + letter).c_str(), o.offsets);
    try_array<offsets + 1>(s, ("csrSortedColInd" + letter).c_str(), o.columns);
}

void try_geam_count(removed_operands& o) {
    SUBJECT(count, cusparseXcsrgeamNnz, o.h, 4, 3, o.general, 4, o.offsets, o.columns, o.general, 4,
            o.offsets, o.columns, o.general, o.to_offsets, &o.nnz);
    count.works().watch(o.to_offsets, sizeof o.to_offsets).watch(&o.nnz, sizeof o.nnz);
    count.bad<0>("handle", nullptr, not_initialized).bad<1>("m", -1).bad<2>("n", -1);
    try_summand<4, 5>(count, o, "A");
    try_summand<8, 9>(count, o, "B");
    count.bad<11>("descrC", nullptr).bad<11>("descrC", o.symmetric, mismatch).any<13>();
    try_array<12>(count, "csrSortedRowPtrC", o.to_offsets);
}

// What a product has in front: the handle, and from `first` on m, n and k.
template <std::size_t first, class Subject>
void try_product_sizes(Subject& s) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<first>("m", -1);
    s.template bad<first + 1>("n", -1).template bad<first + 2>("k", -1);
}

void try_product_count(removed_operands& o) {
    SUBJECT(count, cusparseXcsrgemmNnz, o.h, plain, plain, 4, 3, 3, o.general, 4, o.offsets, o.columns,
            o.general, 3, o.offsets, o.columns, o.general, o.to_offsets, &o.nnz);
    count.works().watch(o.to_offsets, sizeof o.to_offsets).watch(&o.nnz, sizeof o.nnz);
    try_product_sizes<3>(count);
    count.bad<1>("transA", no_operation).bad<2>("transB", no_operation).any<16>();
    try_summand<7, 8>(count, o, "A");
    try_summand<11, 12>(count, o, "B");
    count.bad<14>("descrC", nullptr).bad<14>("descrC", o.symmetric, mismatch);
    try_array<15>(count, "csrSortedRowPtrC", o.to_offsets);
}

using product_info = owned<csrgemm2Info_t, &cusparseDestroyCsrgemm2Info>;

void try_product_infos() {
    SUBJECT(create, cusparseCreateCsrgemm2Info, nullptr);
    create.bad<0>("info", nullptr);
    SUBJECT(destroy, cusparseDestroyCsrgemm2Info, nullptr);
    destroy.works().any<0>();
}

void try_sum_count(removed_operands& o, csrgemm2Info_t info) {
    const product_info fresh(cusparseCreateCsrgemm2Info);
    SUBJECT(count, cusparseXcsrgemm2Nnz, o.h, 4, 3, 3, o.general, 4, o.offsets, o.columns, o.general, 3,
            o.offsets, o.columns, o.general, 4, o.offsets, o.columns, o.general, o.to_offsets, &o.nnz, info,
            o.buffer);
    count.works();
    try_product_sizes<1>(count);
    try_summand<5, 6>(count, o, "A");
    try_summand<9, 10>(count, o, "B");
    try_summand<13, 14>(count, o, "D");
    count.bad<16>("descrC", nullptr).bad<16>("descrC", o.symmetric, mismatch).any<18>();
    try_array<17>(count, "csrSortedRowPtrC", o.to_offsets);
    count.bad<19>("info", nullptr).bad<19>("info", fresh).bad<20>("pBuffer", nullptr).works();
    CHECK(o.nnz == 4);
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/removed_products_arguments.inc"
#include <cusparse/foreach_type.inc>
#define HERON_FAMILY "facade/cusparse/removed_conversion_arguments.inc"
#include <cusparse/foreach_type.inc>
#define HERON_FAMILY "facade/cusparse/csrgemm_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

template <class T>
void try_removed_of_type(removed_operands& o, T one) {
    try_removed_products(o, one);
    try_removed_conversions(o, one);
    try_csrgemm(o, one);
}

}  // namespace

void try_removed_functions() {
    removed_operands o;
    try_csr2csc_of_any_type(o);
    try_geam_count(o);
    try_product_count(o);
    try_product_infos();
    try_removed_of_type(o, 1.0f);
    try_removed_of_type(o, 1.0);
    try_removed_of_type(o, cuComplex{1, 0});
    try_removed_of_type(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
