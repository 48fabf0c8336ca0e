// CSR from blocks on GPUs: neighbouring items take a block row, a part of a group, or several groups where
// there are few block rows. Elements of the values have one or two words WT.
HERON_PROGRAM(convert_unblock, class WT, int GROUP)

CONSTANT(longest, 64);    // elements of a block row for an item: of more the whole group takes a part
CONSTANT(most_lines, 8);  // of a group

// The elements of a block row, in their order, that are for one of `items` neighbouring items.
HERON_FN void copy_unblocked(GLOBAL const i32* indices, GLOBAL const WT* a, int base, int begin, int length,
                             int block_rows, int block_cols, heron_index row_step, heron_index column_step,
                             GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, int words, int item,
                             int items) {
    const heron_index size = (heron_index)block_rows * block_cols;
    const heron_index end = length * size;
    const int row_length = length * block_cols;
    int row = item / row_length;
    int block = item % row_length / block_cols;
    int column = item % row_length % block_cols;
    const int row_more = items / row_length;
    const int block_more = items % row_length / block_cols;
    const int column_more = items % row_length % block_cols;
    indices += begin;
    b_indices += begin * size;
    if (b) {
        a += begin * size * words;
        b += begin * size * words;
    }
    UNROLL_BY(4)
    for (heron_index e = item; e < end; e += items) {
        b_indices[e] = (indices[block] - base) * block_cols + column + b_base;
        if (b) {
            GLOBAL const WT* from = a + (block * size + row * row_step + column * column_step) * words;
            b[e * words] = from[0];
            if (words == 2) b[e * words + 1] = from[1];
        }
        row += row_more;
        block += block_more;
        column += column_more;
        if (column >= block_cols) {
            column -= block_cols;
            ++block;
        }
        if (block >= length) {
            block -= length;
            ++row;
        }
    }
}

// A group has `own_lines` block rows, a power of two, or each block row has `parts` groups.
HERON_GROUP_KERNEL(unblock_lines, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const WT* RESTRICT a, int base, int lines,
                   int own_lines, int parts, int block_rows, int block_cols, heron_index row_step,
                   heron_index column_step, GLOBAL i32* b_offsets, GLOBAL i32* b_indices, GLOBAL WT* b,
                   int b_base, int words) {
    LOCAL_ARRAY(i32, long_lines, most_lines);
    LOCAL_ARRAY(u32, long_count, 1);
    const int share = GROUP / own_lines;
    const int items = share * parts;
    const int item = group_item() % share + group_id() % parts * share;
    const heron_index line = group_id() / parts * (heron_index)own_lines + group_item() / share;
    const heron_index size = (heron_index)block_rows * block_cols;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    if (line < lines) {
        const int begin = offsets[line] - base;
        const int length = offsets[line + 1] - base - begin;
        const heron_index start = begin * size + b_base;
        for (int row = item; row < block_rows; row += items)
            b_offsets[line * block_rows + row] = (i32)(start + (heron_index)row * length * block_cols);
        if (item == 0 && line == lines - 1)
            b_offsets[line * block_rows + block_rows] = (i32)(start + length * size);
        if (b_indices && length > 0) {
            if (own_lines == 1 || length * size <= longest * (heron_index)share)
                copy_unblocked(indices, a, base, begin, length, block_rows, block_cols, row_step, column_step,
                               b_indices, b, b_base, words, item, items);
            else if (item == 0)
                long_lines[FETCH_ADD(long_count, 1u)] = (i32)line;
        }
    }
    sync_group();
    const int count = (int)*long_count;
    for (int i = 0; i < count; ++i) {
        const int begin = offsets[long_lines[i]] - base;
        const int length = offsets[long_lines[i] + 1] - base - begin;
        copy_unblocked(indices, a, base, begin, length, block_rows, block_cols, row_step, column_step,
                       b_indices, b, b_base, words, group_item(), GROUP);
    }
}
HERON_CLOSE

HERON_CLOSE
