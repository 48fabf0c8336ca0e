// Blocks of one size from blocks of another on GPUs: a group takes a block row of B. It marks the blocks of
// many columns at a time as bits in local memory, numbers them, and then puts each element into its block.
// And CSR from blocks.
//
// Columns are counted as elements; that and the places within a matrix fit 32 bits. Elements of the values
// have one or two words WT.
HERON_PROGRAM(convert_windows, class WT, int GROUP)

CONSTANT(window_words, 4 * GROUP);
CONSTANT(window, 32 * window_words);  // block columns at a time
CONSTANT(share, 32);                  // items that take a block row which becomes CSR
CONSTANT(longest_share, 64 * share);  // elements of it

// The next block rows that this group takes, from its own number `from` on: those that are marked, or all
// where nothing is. Returns how many. All items of a group, which are together before the next call.
HERON_FN int list_lines(GLOBAL const i32* marks, int from, int lines, LOCAL i32* listed,
                        LOCAL u32* listed_count) {
    const heron_index line = group_id() + ((heron_index)from + group_item()) * group_count();
    if (group_item() == 0) *listed_count = 0;
    sync_group();
    if (line < lines && (!marks || marks[line])) listed[FETCH_ADD(listed_count, 1u)] = (i32)line;
    sync_group();
    return (int)*listed_count;
}

// How many block rows a group takes, marked or not.
HERON_FN int lines_of_group(int lines) { return (lines - group_id() + group_count() - 1) / group_count(); }

// The lines of A, [begin, end), that a block row consists of, and how many neighbouring items take one of
// them at a time: few elements are shared out with all lines at once.
typedef struct {
    heron_index begin, end;
    int items;
} line_share;

HERON_FN line_share share_of_line(GLOBAL const i32* offsets, heron_index first, heron_index last,
                                  u32 a_rows) {
    line_share share;
    share.begin = first / a_rows;
    share.end = (last - 1) / a_rows + 1;
    const heron_index length = (heron_index)offsets[share.end] - offsets[share.begin];
    const heron_index count = share.end - share.begin;
    share.items =
        length <= 4 * GROUP ? GROUP / (int)max(min(count, (heron_index)GROUP), (heron_index)1) : GROUP;
    return share;
}

// The first block of a line that reaches column `from`.
HERON_FN int place_in_line(GLOBAL const i32* indices, int begin, int end, int base, u32 cols,
                           heron_index from) {
    if (from == 0) return begin;
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if ((heron_index)(indices[middle] - base + 1) * cols <= from)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// words := a bit for each of B's block columns from `low` on that the lines of `share` reach; *next := the
// lowest one behind these. All items of a group.
HERON_FN void mark_window(GLOBAL const i32* offsets, GLOBAL const i32* indices, int base, line_share share,
                          u32 a_cols, u32 b_cols, u32 columns, u32 low, LOCAL u32* words, LOCAL u32* next) {
    const int id = group_item();
    const u32 high = low + window;
    for (int w = id; w < window_words; w += GROUP) words[w] = 0;
    if (id == 0) *next = 0xffffffffu;
    sync_group();
    for (heron_index line = share.begin + id / share.items; line < share.end; line += GROUP / share.items) {
        const int end = offsets[line + 1] - base;
        int k = place_in_line(indices, offsets[line] - base, end, base, a_cols, (heron_index)low * b_cols);
        for (k += id % share.items; k < end; k += share.items) {
            const u32 column = (u32)(indices[k] - base) * a_cols;
            const u32 begin = max(column / b_cols, low);
            if (begin >= columns) break;
            const u32 until = (column + (a_cols - 1)) / b_cols + 1;
            for (u32 block = begin; block < until && block < high; ++block)
                FETCH_OR(words + (block - low) / 32, 1u << (block - low) % 32);
            if (until > high) {
                FETCH_MIN(next, max(begin, high));
                break;
            }
        }
    }
    sync_group();
}

// before[i] := how many bits lie before the words of item i, each of which has four. All of them are
// returned.
HERON_FN u32 number_window(LOCAL const u32* words, LOCAL u32* before, PARTS(u32) parts) {
    const int id = group_item();
    u32 own = 0;
    for (int w = 4 * id; w < 4 * id + 4; ++w) own += (u32)popcount(words[w]);
    u32 all = 0;
    before[id] = GROUP_SCAN(u32, parts, GROUP, own, all);
    sync_group();
    return all;
}

HERON_FN u32 number_of_bit(LOCAL const u32* words, LOCAL const u32* before, u32 bit) {
    const u32 word = bit / 32;
    u32 number = before[word / 4] + (u32)popcount(words[word] & ((1u << bit % 32) - 1u));
    for (u32 w = word / 4 * 4; w < word; ++w) number += (u32)popcount(words[w]);
    return number;
}

HERON_GROUP_KERNEL(count_marked, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, int base, int rows, u32 a_rows, u32 a_cols, u32 b_rows,
                   u32 b_cols, u32 columns, int lines, GLOBAL i64* counts, GLOBAL const i32* marks) {
    LOCAL_ARRAY(i32, listed, GROUP);
    LOCAL_ARRAY(u32, listed_count, 1);
    LOCAL_ARRAY(u32, words, window_words);
    LOCAL_ARRAY(u32, before, GROUP);
    LOCAL_ARRAY(u32, next, 1);
    PARTS_ARRAY(u32, parts, GROUP);
    const int own = lines_of_group(lines);
    for (int from = 0; from < own; from += GROUP) {
        const int found = list_lines(marks, from, lines, listed, listed_count);
        for (int i = 0; i < found; ++i) {
            const heron_index first = listed[i] * (heron_index)b_rows;
            const heron_index last = min(first + b_rows, (heron_index)rows);
            const line_share share = share_of_line(offsets, first, last, a_rows);
            i64 count = 0;
            u32 low = 0;
            while (low < columns) {
                mark_window(offsets, indices, base, share, a_cols, b_cols, columns, low, words, next);
                count += number_window(words, before, parts);
                low = *next;
                sync_group();
            }
            if (group_item() == 0) counts[listed[i]] = count;
        }
        sync_group();
    }
}
HERON_CLOSE

// The columns of the blocks that are marked, from block number `block` on.
HERON_FN void write_columns(LOCAL const u32* words, LOCAL const u32* before, u32 low, heron_index block,
                            heron_index end_block, int b_base, GLOBAL i32* b_indices) {
    const int id = group_item();
    block += before[id];
    for (int w = 4 * id; w < 4 * id + 4; ++w)
        for (u32 bits = words[w]; bits != 0; bits &= bits - 1) {
            if (block < end_block)
                b_indices[block] = (i32)(low + w * 32 + 31 - clz(bits & (0 - bits))) + b_base;
            ++block;
        }
}

// The elements of a block row in a window that was numbered, whose first block is number `block`.
HERON_FN void place_elements(GLOBAL const i32* indices, GLOBAL const i32* offsets, GLOBAL const WT* a,
                             int base, heron_index first, heron_index last, int items, u32 a_rows, u32 a_cols,
                             heron_index a_row_step, heron_index a_column_step, GLOBAL WT* b, u32 b_rows,
                             u32 b_cols, heron_index b_row_step, heron_index b_column_step, int element_words,
                             u32 low, LOCAL const u32* words, LOCAL const u32* before, heron_index block,
                             heron_index end_block) {
    const heron_index a_size = (heron_index)a_rows * a_cols;
    const heron_index b_size = (heron_index)b_rows * b_cols;
    const heron_index from = (heron_index)low * b_cols;
    const heron_index to = from + (heron_index)window * b_cols;
    for (heron_index row = first + group_item() / items; row < last; row += GROUP / items) {
        const int end = offsets[row / a_rows + 1] - base;
        int k = place_in_line(indices, offsets[row / a_rows] - base, end, base, a_cols, from);
        for (k += group_item() % items; k < end; k += items) {
            const heron_index begin = (heron_index)(indices[k] - base) * a_cols;
            if (begin >= to) break;
            const heron_index until = min(begin + a_cols, to);
            for (heron_index column = max(begin, from); column < until; ++column) {
                const u32 bit = (u32)column / b_cols - low;
                const heron_index number = block + number_of_bit(words, before, bit);
                if (number >= end_block) continue;
                GLOBAL const WT* source =
                    a + (k * a_size + row % a_rows * a_row_step + (column - begin) * a_column_step) *
                            element_words;
                GLOBAL WT* target = b + (number * b_size + (row - first) * b_row_step +
                                         (column - (heron_index)(bit + low) * b_cols) * b_column_step) *
                                            element_words;
                target[0] = source[0];
                if (element_words == 2) target[1] = source[1];
            }
        }
    }
}

// Where clears is not set the blocks hold zeros.
HERON_GROUP_KERNEL(fill_marked, GROUP, GLOBAL const i32* RESTRICT offsets, GLOBAL const i32* RESTRICT indices,
                   GLOBAL const WT* RESTRICT a, int base, int rows, u32 a_rows, u32 a_cols,
                   heron_index a_row_step, heron_index a_column_step, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, u32 b_rows, u32 b_cols,
                   heron_index b_row_step, heron_index b_column_step, u32 columns, int lines,
                   int element_words, int clears, GLOBAL const i32* marks) {
    LOCAL_ARRAY(i32, listed, GROUP);
    LOCAL_ARRAY(u32, listed_count, 1);
    LOCAL_ARRAY(u32, words, window_words);
    LOCAL_ARRAY(u32, before, GROUP);
    LOCAL_ARRAY(u32, next, 1);
    PARTS_ARRAY(u32, parts, GROUP);
    const heron_index b_words = (heron_index)b_rows * b_cols * element_words;
    const int own = lines_of_group(lines);
    for (int from = 0; from < own; from += GROUP) {
        const int found = list_lines(marks, from, lines, listed, listed_count);
        for (int i = 0; i < found; ++i) {
            const int line = listed[i];
            const heron_index first = (heron_index)line * b_rows;
            const heron_index last = min(first + b_rows, (heron_index)rows);
            const line_share share = share_of_line(offsets, first, last, a_rows);
            const heron_index end_block = b_offsets[line + 1] - b_base;
            heron_index block = b_offsets[line] - b_base;
            if (b && clears) {
                for (heron_index k = block * b_words + group_item(); k < end_block * b_words; k += GROUP)
                    b[k] = 0;
                sync_group_memory();
            }
            u32 low = 0;
            while (low < columns) {
                mark_window(offsets, indices, base, share, a_cols, b_cols, columns, low, words, next);
                const u32 all = number_window(words, before, parts);
                write_columns(words, before, low, block, end_block, b_base, b_indices);
                if (b)
                    place_elements(indices, offsets, a, base, first, last, share.items, a_rows, a_cols,
                                   a_row_step, a_column_step, b, b_rows, b_cols, b_row_step, b_column_step,
                                   element_words, low, words, before, block, end_block);
                block += all;
                low = *next;
                sync_group();
            }
        }
        sync_group();
    }
}
HERON_CLOSE

// CSR from blocks: LANES items take a block row, and the whole group one that is long. The elements of a
// block row are written in their order.
HERON_FN void copy_unblocked(GLOBAL const i32* indices, GLOBAL const WT* a, int base, int begin, int length,
                             int block_rows, int block_cols, heron_index row_step, heron_index column_step,
                             GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, int words, int item,
                             int items) {
    const heron_index size = (heron_index)block_rows * block_cols;
    const heron_index end = length * size;
    const int row_length = length * block_cols;
    int row = item / row_length;
    int column = item % row_length % block_cols;
    int block = item % row_length / block_cols;
    const int column_more = items % block_cols;
    const int block_more = items / block_cols;
    b_indices += begin * size;
    if (b) b += begin * size * words;
    for (heron_index e = item; e < end; e += items) {
        b_indices[e] = (indices[begin + block] - base) * block_cols + column + b_base;
        if (b) {
            GLOBAL const WT* from =
                a + ((begin + block) * size + row * row_step + column * column_step) * words;
            b[e * words] = from[0];
            if (words == 2) b[e * words + 1] = from[1];
        }
        column += column_more;
        block += block_more;
        if (column >= block_cols) {
            column -= block_cols;
            ++block;
        }
        while (block >= length) {
            block -= length;
            ++row;
        }
    }
}

HERON_GROUP_KERNEL(unblock_lines, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const WT* RESTRICT a, int base, int lines,
                   int block_rows, int block_cols, heron_index row_step, heron_index column_step,
                   GLOBAL i32* b_offsets, GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, int words) {
    LOCAL_ARRAY(i32, long_lines, GROUP / share);
    LOCAL_ARRAY(u32, long_count, 1);
    const int lane = group_item() % share;
    const heron_index line = group_id() * (heron_index)(GROUP / share) + group_item() / share;
    const heron_index size = (heron_index)block_rows * block_cols;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    if (line < lines) {
        const int begin = offsets[line] - base;
        const int length = offsets[line + 1] - base - begin;
        const heron_index start = begin * size + b_base;
        for (int row = lane; row < block_rows; row += share)
            b_offsets[line * block_rows + row] = (i32)(start + (heron_index)row * length * block_cols);
        if (lane == 0 && line == lines - 1)
            b_offsets[line * block_rows + block_rows] = (i32)(start + length * size);
        if (b_indices && length > 0) {
            if (length * size <= longest_share)
                copy_unblocked(indices, a, base, begin, length, block_rows, block_cols, row_step, column_step,
                               b_indices, b, b_base, words, lane, share);
            else if (lane == 0)
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
