// The arguments of sorting, csru2csr, csrcolor and csrgeam2.
#include "families.hpp"
#include "subject.hpp"

namespace heron::test {
namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using csru_info = owned<csru2csrInfo_t, &cusparseDestroyCsru2csrInfo>;
using color_info = owned<cusparseColorInfo_t, &cusparseDestroyColorInfo>;

constexpr auto wrong_matrix_type = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

struct reorder_operands {
    reorder_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    csru_info csru{cusparseCreateCsru2csrInfo};
    color_info coloring{cusparseCreateColorInfo};
    // A 4 x 4 matrix with one element per row.
    int offsets[5] = {0, 1, 2, 3, 4}, rows[4] = {0, 1, 2, 3}, columns[4] = {0, 1, 2, 0};
    int permutation[4] = {0, 1, 2, 3}, numbers[8] = {}, count = 0;
    size_t bytes = 0;
    alignas(16) char buffer[1 << 16];
};

template <class Subject>
Subject& bad_sizes(Subject& s) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1);
    return s.template bad<2>("n", -1).template bad<3>("nnz", -1);
}

void try_coosort(reorder_operands& o) {
    SUBJECT(size, cusparseXcoosort_bufferSizeExt, o.h, 4, 4, 4, o.rows, o.columns, &o.bytes);
    bad_sizes(size.works().watch(&o.bytes, sizeof o.bytes)).any<4>().any<5>();
    size.bad<6>("pBufferSizeInBytes", nullptr);
    SUBJECT(by_row, cusparseXcoosortByRow, o.h, 4, 4, 4, o.rows, o.columns, o.permutation, o.buffer);
    SUBJECT(by_column, cusparseXcoosortByColumn, o.h, 4, 4, 4, o.rows, o.columns, o.permutation, o.buffer);
    for (auto* const s : {&by_row, &by_column}) {
        bad_sizes(s->works().watch(o.permutation, sizeof o.permutation));
        s->bad<4>("cooRowsA", nullptr).bad<4>("cooRowsA", misaligned(o.rows)).bad<5>("cooColsA", nullptr);
        s->bad<5>("cooColsA", misaligned(o.columns)).bad<6>("P", misaligned(o.permutation));
        s->bad<7>("pBuffer", nullptr);
    }
}

template <class Subject>
void try_size_of_sort(Subject& size, reorder_operands& o, const char* offsets, const char* indices) {
    bad_sizes(size.works().watch(&o.bytes, sizeof o.bytes)).template bad<3>("nnz", 17);
    size.template bad<4>(offsets, misaligned(o.offsets)).template bad<5>(indices, misaligned(o.columns));
    size.template bad<6>("pBufferSizeInBytes", nullptr);
}

template <class Subject>
void try_sort(Subject& sort, reorder_operands& o, const char* offsets, const char* indices) {
    bad_sizes(sort.works().watch(o.permutation, sizeof o.permutation)).template bad<3>("nnz", 17);
    sort.template bad<4>("descrA", nullptr).template bad<5>(offsets, nullptr);
    sort.template bad<5>(offsets, misaligned(o.offsets)).template bad<6>(indices, nullptr);
    sort.template bad<6>(indices, misaligned(o.columns)).template bad<7>("P", misaligned(o.permutation));
    sort.template bad<8>("pBuffer", nullptr);
}

void try_compressed_sorts(reorder_operands& o) {
    SUBJECT(csr_size, cusparseXcsrsort_bufferSizeExt, o.h, 4, 4, 4, o.offsets, o.columns, &o.bytes);
    try_size_of_sort(csr_size, o, "csrRowPtrA", "csrColIndA");
    SUBJECT(csc_size, cusparseXcscsort_bufferSizeExt, o.h, 4, 4, 4, o.offsets, o.columns, &o.bytes);
    try_size_of_sort(csc_size, o, "cscColPtrA", "cscRowIndA");
    SUBJECT(csr, cusparseXcsrsort, o.h, 4, 4, 4, o.symmetric, o.offsets, o.columns, o.permutation, o.buffer);
    try_sort(csr, o, "csrRowPtrA", "csrColIndA");
    SUBJECT(csc, cusparseXcscsort, o.h, 4, 4, 4, o.symmetric, o.offsets, o.columns, o.permutation, o.buffer);
    try_sort(csc, o, "cscColPtrA", "cscRowIndA");
}

void try_infos_and_identity(reorder_operands& o) {
    SUBJECT(identity, cusparseCreateIdentityPermutation, o.h, 4, o.permutation);
    identity.works().watch(o.permutation, sizeof o.permutation).bad<0>("handle", nullptr, not_initialized);
    identity.bad<1>("n", -1).bad<2>("p", nullptr).bad<2>("p", misaligned(o.permutation));
    SUBJECT(create_csru, cusparseCreateCsru2csrInfo, nullptr);
    create_csru.bad<0>("info", nullptr);
    SUBJECT(destroy_csru, cusparseDestroyCsru2csrInfo, nullptr);
    destroy_csru.works().any<0>();
    SUBJECT(create_color, cusparseCreateColorInfo, nullptr);
    create_color.bad<0>("info", nullptr);
    SUBJECT(destroy_color, cusparseDestroyColorInfo, nullptr);
    destroy_color.works().any<0>();
}

void try_geam_count(reorder_operands& o) {
    SUBJECT(count, cusparseXcsrgeam2Nnz, o.h, 4, 4, o.general, 4, o.offsets, o.columns, o.general, 4,
            o.offsets, o.columns, o.general, o.numbers, &o.count, o.buffer);
    count.works().watch(o.numbers, sizeof o.numbers).watch(&o.count, sizeof o.count);
    count.bad<0>("handle", nullptr, not_initialized).bad<1>("m", -1).bad<2>("n", -1);
    count.bad<3>("descrA", nullptr).bad<3>("descrA", o.symmetric, wrong_matrix_type).bad<4>("nnzA", 17);
    count.bad<5>("csrSortedRowPtrA", nullptr).bad<6>("csrSortedColIndA", nullptr);
    count.bad<7>("descrB", nullptr).bad<7>("descrB", o.symmetric, wrong_matrix_type).bad<8>("nnzB", -1);
    count.bad<9>("csrSortedRowPtrB", nullptr).bad<10>("csrSortedColIndB", nullptr);
    count.bad<11>("descrC", nullptr).bad<11>("descrC", o.symmetric, wrong_matrix_type);
    count.bad<12>("csrSortedRowPtrC", nullptr).bad<12>("csrSortedRowPtrC", misaligned(o.numbers));
    count.any<13>().bad<14>("workspace", nullptr);
}

// What csrgeam2 and its bufferSizeExt check alike.
template <class Subject, class T>
void try_geam_operands(Subject& s, reorder_operands& o, T* odd) {
    s.template bad<0>("handle", nullptr, not_initialized).template bad<1>("m", -1).template bad<2>("n", -1);
    s.template bad<4>("descrA", nullptr).template bad<4>("descrA", o.symmetric, wrong_matrix_type);
    s.template bad<5>("nnzA", -1).template bad<5>("nnzA", 17).template bad<6>("csrSortedValA", odd);
    s.template bad<7>("csrSortedRowPtrA", misaligned(o.offsets));
    s.template bad<8>("csrSortedColIndA", misaligned(o.columns));
    s.template bad<10>("descrB", nullptr).template bad<10>("descrB", o.symmetric, wrong_matrix_type);
    s.template bad<11>("nnzB", -1).template bad<12>("csrSortedValB", odd);
    s.template bad<13>("csrSortedRowPtrB", misaligned(o.offsets));
    s.template bad<14>("csrSortedColIndB", misaligned(o.columns));
    s.template bad<15>("descrC", nullptr).template bad<15>("descrC", o.symmetric, wrong_matrix_type);
    s.template bad<16>("csrSortedValC", odd).template bad<17>("csrSortedRowPtrC", misaligned(o.numbers));
    s.template bad<18>("csrSortedColIndC", misaligned(o.numbers));
}

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/reorder_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_reorder() {
    reorder_operands o;
    try_coosort(o);
    try_compressed_sorts(o);
    try_infos_and_identity(o);
    try_geam_count(o);
    try_typed_reorder(o, 1.0f);
    try_typed_reorder(o, 1.0);
    try_typed_reorder(o, cuComplex{1, 0});
    try_typed_reorder(o, cuDoubleComplex{1, 0});
}

}  // namespace heron::test
