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
    const u32 row_length = (u32)length * (u32)block_cols;
    int row = (int)((u32)item / row_length);
    int column = (int)((u32)item - (u32)row * row_length);
    int block = (int)((u32)column / (u32)block_cols);
    column -= block * block_cols;
    const int row_more = (int)((u32)items / row_length);
    int column_more = (int)((u32)items - (u32)row_more * row_length);
    const int block_more = (int)((u32)column_more / (u32)block_cols);
    column_more -= block_more * block_cols;
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

// 2^share_bits items have a block row, or 2^part_bits groups.
HERON_GROUP_KERNEL(unblock_lines, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const WT* RESTRICT a, int base, int lines,
                   int share_bits, int part_bits, int block_rows, int block_cols, heron_index row_step,
                   heron_index column_step, GLOBAL i32* b_offsets, GLOBAL i32* b_indices, GLOBAL WT* b,
                   int b_base, int words) {
    LOCAL_ARRAY(i32, left, most_lines);
    const int own_lines = GROUP >> share_bits;
    const int own = group_item() >> share_bits;
    const int lane = group_item() & ((1 << share_bits) - 1);
    const int items = 1 << (share_bits + part_bits);
    const int item = lane + ((group_id() & ((1 << part_bits) - 1)) << share_bits);
    const heron_index line = (group_id() >> part_bits) * (heron_index)own_lines + own;
    const heron_index size = (heron_index)block_rows * block_cols;
    int is_left = 0;
    if (line < lines) {
        const int begin = offsets[line] - base;
        const int length = offsets[line + 1] - base - begin;
        const heron_index start = begin * size + b_base;
        is_left = own_lines > 1 && length * size > ((heron_index)longest << share_bits);
        if (b_indices && length > 0 && !is_left)
            copy_unblocked(indices, a, base, begin, length, block_rows, block_cols, row_step, column_step,
                           b_indices, b, b_base, words, item, items);
        for (int row = item; row < block_rows; row += items)
            b_offsets[line * block_rows + row] = (i32)(start + (heron_index)row * length * block_cols);
        if (item == 0 && line == lines - 1)
            b_offsets[line * block_rows + block_rows] = (i32)(start + length * size);
    }
    if (lane == 0) left[own] = b_indices && is_left ? (i32)line : -1;
    sync_group();
    for (int i = 0; i < own_lines; ++i) {
        if (left[i] < 0) continue;
        const int begin = offsets[left[i]] - base;
        const int length = offsets[left[i] + 1] - base - begin;
        copy_unblocked(indices, a, base, begin, length, block_rows, block_cols, row_step, column_step,
                       b_indices, b, b_base, words, group_item(), GROUP);
    }
}
HERON_CLOSE

HERON_CLOSE
