#pragma once
// Conversions between sparse formats, and to and from dense matrices without a workspace of the caller's. The
// sparse matrices have offsets and indices of 32 bits.
#include "core/operations.hpp"

namespace heron::core {

// The number of elements, or blocks, of a CSR or BSR matrix by its offsets. Waits for the device.
int64_t stored(context& c, const heron_spmat& m);

// The row of each element, and where each row begins. Both arrays count from base.
struct row_arrays {
    int64_t rows, nnz;
    void* offsets;  // [rows + 1]
    void* indices;  // [nnz], ascending
    int32_t base;
};
void pointers_to_indices(context& c, const row_arrays& arrays);
void indices_to_pointers(context& c, const row_arrays& arrays);

// B := A^T by elements (CSR) or by blocks that stay as they are (BSR). Elements of one column keep their
// order. Without `values` none are read or written. Arrays that have no elements may be NULL; b's offsets are
// written wherever they are there.
void transpose(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b, bool values);

// The same of the pattern, and order[k] := the place in A of B's element k, counted from 0.
void transpose_pattern(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                       int32_t* order);

// B := A, CSR or CSC, whose number of elements is what its offsets say, and not looked at. Where an array of
// elements is NULL the host waits for the offsets, to see whether there are any.
void expand(context& c, const heron_spmat& a, const heron_dnmat& b);

// B := the elements of A that are not 0. Of these B's rows (CSR) or columns (CSC) have as many as counts
// says, from which B's offsets are written. Where an array of elements is NULL the host waits for the counts.
void extract(context& c, const heron_dnmat& a, const int32_t* counts, const heron_spmat& b);

// A and B are BSR, or CSR as blocks of one element; nnz of either is what its offsets say, and not looked at.
// Columns of A ascend in every row, unless B is CSR. Where an array of elements is NULL the host waits for
// the offsets, to see whether there are any.
//
// reblock_count writes B's offsets, and the number of blocks to *nnz in the handle's pointer mode: nnz may be
// NULL, and only on the host it waits. reblock reads B's offsets, or writes them where B is CSR, and writes
// B's indices and, unless only the pattern is asked for, values. Both need the same workspace.
void reblock_count(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                   int32_t* nnz);
void reblock(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
             bool values = true);

}  // namespace heron::core
