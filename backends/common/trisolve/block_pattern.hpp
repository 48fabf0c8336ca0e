#pragma once
// BSR matrices of triangular systems by the rows of their blocks.
#include "common/runtime/device.hpp"

namespace heron::HERON_LEVEL::plans {

// Whether a matrix is solved by its blocks. They are counted in 32 bits.
inline bool has_block_rows(const heron_spmat& a) {
    return a.format == HERON_FORMAT_BSR && a.block_rows == a.block_cols && a.rows < INT32_MAX &&
           a.nnz < INT32_MAX / a.block_cols && a.block_rows < INT32_MAX / a.block_cols &&
           a.offset_type == HERON_INDEX_32 && a.index_type == HERON_INDEX_32;
}

// The pattern of the blocks of such a matrix; blocks of one element are a CSR matrix. Else the matrix.
inline heron_spmat block_row_pattern(const heron_spmat& a) {
    if (!has_block_rows(a)) return a;
    heron_spmat pattern = a;
    pattern.format = HERON_FORMAT_CSR;
    pattern.rows /= a.block_rows;
    pattern.cols /= a.block_cols;
    pattern.block_rows = pattern.block_cols = 0;
    // The other elements of a block on the diagonal count even where the diagonal does not.
    if (a.block_rows > 1) pattern.diag = HERON_DIAG_NON_UNIT;
    return pattern;
}

}  // namespace heron::HERON_LEVEL::plans
