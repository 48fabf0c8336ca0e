#pragma once
// Views of operands: the plug-in ABI's own structs. The core's calls take valid ones. An array may be NULL
// until an operation reads or writes it.
#include "error.hpp"
#include <heron/args.h>

namespace heron::core {

// The view, if it is valid; else the error names the operand's part that is not.
const heron_dnvec& checked(const heron_dnvec& v, argument operand);
const heron_spvec& checked(const heron_spvec& v, argument operand);
const heron_dnmat& checked(const heron_dnmat& m, argument operand);
const heron_spmat& checked(const heron_spmat& m, argument operand);

// Throw HERON_INVALID_VALUE unless p may address elements of `size` bytes, or n is at least 0. NULL is
// aligned, but no element.
void require_aligned(const void* p, size_t size, const subject& about);
void require_element(const void* p, size_t size, const subject& about);

void require_count(int64_t n, const subject& about);

// Throw unless the arrays that the operation reads or writes are there. An empty operand needs none.
void require_arrays(const heron_dnvec& v, argument operand);
void require_arrays(const heron_dnmat& m, argument operand);
void require_arrays(const heron_spvec& v, argument operand);
void require_arrays(const heron_spmat& m, argument operand);
// All of them but the values, which an analysis does without.
void require_pattern(const heron_spmat& m, argument operand);
void require_offsets(const heron_spmat& m, argument operand);

const char* name_of(heron_format format);

// The matrix as one that the plug-ins know: CSC becomes CSR of the transpose, and an empty matrix becomes an
// empty COO, so that NULL offsets are never read. op is changed to match.
void make_canonical(heron_spmat& m, heron_operation& op);
inline heron_spmat canonical(heron_spmat m, heron_operation& op) {
    make_canonical(m, op);
    return m;
}

// The same memory in the other order.
heron_dnmat transposed(heron_dnmat m);

inline bool transposes(heron_operation op) {
    return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE;
}
bool conjugates(heron_operation op);

// Of op(m).
int64_t rows_of(heron_operation op, const heron_spmat& m);
int64_t cols_of(heron_operation op, const heron_spmat& m);
int64_t rows_of(heron_operation op, const heron_dnmat& m);
int64_t cols_of(heron_operation op, const heron_dnmat& m);

// What turns A^T into op(A).
heron_operation of_the_transpose(heron_operation op);

// Whether all but the values, the triangle and the kind of diagonal are the same.
bool same_pattern(const heron_spmat& a, const heron_spmat& b);

}  // namespace heron::core
