// Blocks of one size from blocks of another. Types: WT, of whose words an element of the values has one or
// two.
//
// Every row of elements of A is a line with ascending columns. The lines of one block row of B are merged:
// again and again the lowest column that is not done yet says which block of B comes next. places[row] is
// where a line stands, a block of A; of lines that share their blocks the first one alone is kept.

HERON_FN heron_index first_of_line(heron_index row, heron_index block_rows, heron_index first) {
    const heron_index line = row / block_rows * block_rows;
    return line < first ? first : line;
}

HERON_FN void reblock_begin(GLOBAL const i32* offsets, heron_index base, heron_index block_rows,
                            heron_index first, heron_index last, GLOBAL i32* places) {
    for (heron_index row = first; row < last; row = (row / block_rows + 1) * block_rows)
        places[row] = (i32)((heron_index)offsets[row / block_rows] - base);
}

// The lowest column from `from` on in any of the lines, -1 where there is none.
HERON_FN heron_index reblock_next(GLOBAL const i32* offsets, GLOBAL const i32* indices, heron_index base,
                                  heron_index block_rows, heron_index block_cols, heron_index first,
                                  heron_index last, heron_index from, GLOBAL i32* places) {
    heron_index lowest = -1;
    for (heron_index row = first; row < last; row = (row / block_rows + 1) * block_rows) {
        const heron_index end = (heron_index)offsets[row / block_rows + 1] - base;
        heron_index at = places[row];
        while (at < end && ((heron_index)indices[at] - base + 1) * block_cols <= from) ++at;
        places[row] = (i32)at;
        if (at >= end) continue;
        const heron_index begin = ((heron_index)indices[at] - base) * block_cols;
        const heron_index column = begin < from ? from : begin;
        if (lowest < 0 || column < lowest) lowest = column;
    }
    return lowest;
}

HERON_TYPES(class WT)
HERON_KERNEL(reblock_count_row, GLOBAL const i32* offsets, GLOBAL const i32* indices, heron_index base,
             heron_index rows, heron_index a_block_rows, heron_index a_block_cols, heron_index b_block_rows,
             heron_index b_block_cols, GLOBAL i32* places, GLOBAL i64* counts) {
    const heron_index first = item * b_block_rows;
    const heron_index last = first + b_block_rows < rows ? first + b_block_rows : rows;
    reblock_begin(offsets, base, a_block_rows, first, last, places);
    i64 count = 0;
    heron_index from = 0;
    for (;;) {
        const heron_index column =
            reblock_next(offsets, indices, base, a_block_rows, a_block_cols, first, last, from, places);
        if (column < 0) break;
        from = (column / b_block_cols + 1) * b_block_cols;
        ++count;
    }
    counts[item] = count;
}
HERON_END

HERON_TYPES(class WT)
HERON_KERNEL(reblock_total, GLOBAL const i32* offsets, heron_index lines, heron_index base, heron_index scale,
             GLOBAL i32* total) {
    total[item] = (i32)(((heron_index)offsets[lines] - base) * scale);
}
HERON_END

// Columns [from, to) of one row of elements of A, from block `at` of it on, into a block of B whose first
// column is `from`. An element has `words` words.
HERON_TYPES(class WT)
HERON_FN void copy_line(GLOBAL const i32* indices, heron_index base, heron_index at, heron_index end,
                        GLOBAL const WT* a, heron_index a_size, heron_index a_row, heron_index block_cols,
                        heron_index a_column_step, heron_index from, heron_index to, GLOBAL WT* b,
                        heron_index b_column_step, heron_index words) {
    for (; at < end && ((heron_index)indices[at] - base) * block_cols < to; ++at) {
        const heron_index begin = ((heron_index)indices[at] - base) * block_cols;
        const heron_index first = begin < from ? from : begin;
        const heron_index last = begin + block_cols < to ? begin + block_cols : to;
        for (heron_index column = first; column < last; ++column) {
            const heron_index source = at * a_size + a_row + (column - begin) * a_column_step;
            for (heron_index word = 0; word < words; ++word)
                b[(column - from) * b_column_step * words + word] = a[source * words + word];
        }
    }
}

// One block row of B. Without values it gets its columns alone. What the offsets do not leave room for, or
// A no longer has, is not written.
HERON_TYPES(class WT)
HERON_KERNEL(reblock_row, GLOBAL const i32* offsets, GLOBAL const i32* indices, GLOBAL const WT* a,
             heron_index base, heron_index rows, heron_index a_block_rows, heron_index a_block_cols,
             heron_index a_row_step, heron_index a_column_step, GLOBAL const i32* b_offsets,
             GLOBAL i32* b_indices, GLOBAL WT* b, heron_index b_base, heron_index b_block_rows,
             heron_index b_block_cols, heron_index b_row_step, heron_index b_column_step, heron_index words,
             GLOBAL i32* places) {
    const heron_index a_size = a_block_rows * a_block_cols;
    const heron_index b_size = b_block_rows * b_block_cols;
    const heron_index first = item * b_block_rows;
    const heron_index last = first + b_block_rows < rows ? first + b_block_rows : rows;
    const heron_index end_block = (heron_index)b_offsets[item + 1] - b_base;
    heron_index from = 0;
    reblock_begin(offsets, base, a_block_rows, first, last, places);
    for (heron_index block = (heron_index)b_offsets[item] - b_base; block < end_block; ++block) {
        const heron_index column =
            reblock_next(offsets, indices, base, a_block_rows, a_block_cols, first, last, from, places);
        if (column < 0) break;
        const heron_index b_column = column / b_block_cols;
        b_indices[block] = (i32)(b_column + b_base);
        from = (b_column + 1) * b_block_cols;
        if (!b) continue;
        GLOBAL WT* to = b + block * b_size * words;
        for (heron_index word = 0; word < b_size * words; ++word) to[word] = (WT)0;
        for (heron_index row = first; row < last; ++row)
            copy_line(indices, base, (heron_index)places[first_of_line(row, a_block_rows, first)],
                      (heron_index)offsets[row / a_block_rows + 1] - base, a, a_size,
                      row % a_block_rows * a_row_step, a_block_cols, a_column_step, b_column * b_block_cols,
                      from, to + (row - first) * b_row_step * words, b_column_step, words);
    }
}
HERON_END

// One row of elements of blocks as a row of a CSR matrix. b_indices and b may be NULL.
HERON_TYPES(class WT)
HERON_KERNEL(unblock_row, GLOBAL const i32* offsets, GLOBAL const i32* indices, GLOBAL const WT* a,
             heron_index base, heron_index block_rows, heron_index block_cols, heron_index row_step,
             heron_index column_step, GLOBAL i32* b_offsets, GLOBAL i32* b_indices, GLOBAL WT* b,
             heron_index b_base, heron_index words) {
    const heron_index begin = (heron_index)offsets[item / block_rows] - base;
    const heron_index end = (heron_index)offsets[item / block_rows + 1] - base;
    const heron_index row = item % block_rows;
    heron_index to = (begin * block_rows + row * (end - begin)) * block_cols;
    if (item == 0) b_offsets[0] = (i32)b_base;
    b_offsets[item + 1] = (i32)(to + (end - begin) * block_cols + b_base);
    if (!b_indices) return;
    for (heron_index k = begin; k < end; ++k) {
        const heron_index column = ((heron_index)indices[k] - base) * block_cols + b_base;
        for (heron_index c = 0; c < block_cols; ++c, ++to) {
            const heron_index source = k * block_rows * block_cols + row * row_step + c * column_step;
            b_indices[to] = (i32)(column + c);
            if (!b) continue;
            for (heron_index word = 0; word < words; ++word) b[to * words + word] = a[source * words + word];
        }
    }
}
HERON_END
