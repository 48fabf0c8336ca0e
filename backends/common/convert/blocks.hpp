#pragma once
// What the conversions ask of a matrix in CSR or BSR.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::plans {

// CSR has blocks of one element.
struct blocks_of {
    explicit blocks_of(const heron_spmat& m)
        : rows(m.format == HERON_FORMAT_BSR ? m.block_rows : 1),
          cols(m.format == HERON_FORMAT_BSR ? m.block_cols : 1),
          lines(m.rows / rows),
          columns(m.cols / cols),
          row_step(m.block_order == HERON_ORDER_ROW ? cols : 1),
          column_step(m.block_order == HERON_ORDER_ROW ? 1 : rows) {}

    heron_index rows, cols;             // of a block
    heron_index lines, columns;         // of blocks
    heron_index row_step, column_step;  // of elements within a block
    heron_index size() const { return rows * cols; }
};

// The same pattern with elements in the place of blocks.
inline heron_spmat pattern_of_blocks(const heron_spmat& m) {
    heron_spmat pattern = m;
    const blocks_of blocks(m);
    pattern.format = HERON_FORMAT_CSR;
    pattern.rows = blocks.lines;
    pattern.cols = blocks.columns;
    return pattern;
}

}  // namespace heron::HERON_LEVEL::plans
