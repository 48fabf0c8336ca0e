// Blocks of one size from blocks of another on GPUs: a team takes a block row of B, each lane of it a row of
// elements of A, a line. Again and again the lowest block column of all lanes is the next block. Block rows
// with long lines are marked for windows.h.
//
// Columns are counted as elements; that and the places within a matrix fit 32 bits. Elements of the values
// have one or two words WT.
HERON_PROGRAM(convert_merge, class WT, int GROUP, int LANES)

CONSTANT(longest_line, 256);  // elements, or blocks of B, of a line that a lane walks along
CONSTANT(none, 0x7fffffff);

HERON_FN int lowest_of_team(BOARD(i32) board, int v) {
    UNROLL_LANES
    for (int mask = 1; mask < LANES; mask *= 2) {
        SYNC_BOARD();
        PUT(i32, board, v);
        SYNC_BOARD();
        v = min(v, GET_ACROSS(i32, board, LANES, v, mask));
    }
    return v;
}

// Whether one of the team's lines is long. Its first lane marks the block row so.
HERON_FN int is_left(BOARD(i32) board, int line, int lines, int length, u32 a_cols, u32 b_cols,
                     GLOBAL i32* marks) {
    const heron_index steps = (heron_index)length * max(a_cols / b_cols, 1u);
    const int is_long = -lowest_of_team(board, steps > longest_line ? -1 : 0);
    if (line < lines && group_item() % LANES == 0) marks[line] = is_long;
    return is_long;
}

// The first column of a block. Below 2^31 even if the index is none of the matrix.
HERON_FN u32 column_at(GLOBAL const i32* indices, int at, int end, int base, u32 cols) {
    return at < end ? (u32)(indices[at] - base) * cols & 0x7fffffffu : 0u;
}

// counts[line] := the blocks of B's block rows.
HERON_GROUP_KERNEL(count_merged, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, int base, int rows, u32 a_rows, u32 a_cols, u32 b_rows,
                   u32 b_cols, int lines, GLOBAL i64* counts, GLOBAL i32* marks) {
    BOARD_ARRAY(i32, board, GROUP);
    const int lane = group_item() % LANES;
    const int line = group_id() * (GROUP / LANES) + group_item() / LANES;
    const u32 row = (u32)line * b_rows + (u32)lane;
    int at = 0;
    int end = 0;
    // Of lines that share their blocks one is enough.
    if (line < lines && lane < (int)b_rows && row < (u32)rows && (lane == 0 || row % a_rows == 0)) {
        at = offsets[row / a_rows] - base;
        end = offsets[row / a_rows + 1] - base;
    }
    const int is_long = is_left(board, line, lines, end - at, a_cols, b_cols, marks);
    if (is_long) at = end;
    u32 column = column_at(indices, at, end, base, a_cols);
    u32 from = 0;
    int count = 0;
    int next = 0;
    ROLLED
    do {
        next = lowest_of_team(board, at < end ? (int)(max(column, from) / b_cols) : none);
        if (next != none) {
            ++count;
            from = ((u32)next + 1) * b_cols;
            while (at < end && column + a_cols <= from) column = column_at(indices, ++at, end, base, a_cols);
        }
    } while (ANY_TOGETHER(next != none));
    if (lane == 0 && line < lines && !is_long) counts[line] = count;
}
HERON_CLOSE

// Columns [begin, end) of a line as a row of a block of B, from where the line stands on.
HERON_FN int copy_columns(GLOBAL const i32* indices, int at, int last, int base, u32 a_cols, u32 begin,
                          u32 end, GLOBAL const WT* a, heron_index a_size, heron_index a_column_step,
                          GLOBAL WT* b, heron_index b_column_step, int words, int writes_zeros) {
    u32 column = column_at(indices, at, last, base, a_cols);
    u32 now = begin;
    while (now < end) {
        while (at < last && column + a_cols <= now) column = column_at(indices, ++at, last, base, a_cols);
        GLOBAL WT* to = b + (heron_index)(now - begin) * b_column_step * words;
        if (at < last && column <= now) {
            GLOBAL const WT* from = a + (at * a_size + (heron_index)(now - column) * a_column_step) * words;
            to[0] = from[0];
            if (words == 2) to[1] = from[1];
            ++now;
        } else if (!writes_zeros) {
            now = at < last && column < end ? column : end;
        } else {
            to[0] = 0;
            if (words == 2) to[1] = 0;
            ++now;
        }
    }
    return at;
}

// The blocks of the group's block rows, which are neighbours.
HERON_FN void clear_blocks(GLOBAL const i32* b_offsets, int b_base, int lines, heron_index b_words,
                           GLOBAL WT* b) {
    const int first = group_id() * (GROUP / LANES);
    const heron_index end = (b_offsets[min(first + GROUP / LANES, lines)] - b_base) * b_words;
    for (heron_index k = (b_offsets[first] - b_base) * b_words + group_item(); k < end; k += GROUP) b[k] = 0;
    sync_group_memory();
}

// The columns and, if there are any, values of B's block rows. Where writes_zeros is not set the group clears
// the blocks first, else those of marked block rows are left as they are.
HERON_GROUP_KERNEL(fill_merged, GROUP, GLOBAL const i32* RESTRICT offsets, GLOBAL const i32* RESTRICT indices,
                   GLOBAL const WT* RESTRICT a, int base, int rows, u32 a_rows, u32 a_cols,
                   heron_index a_row_step, heron_index a_column_step, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, u32 b_rows, u32 b_cols,
                   heron_index b_row_step, heron_index b_column_step, int lines, int words, int writes_zeros,
                   GLOBAL i32* marks) {
    BOARD_ARRAY(i32, board, GROUP);
    if (b && !writes_zeros) clear_blocks(b_offsets, b_base, lines, (heron_index)b_rows * b_cols * words, b);
    const int lane = group_item() % LANES;
    const int line = group_id() * (GROUP / LANES) + group_item() / LANES;
    const u32 row = (u32)line * b_rows + (u32)lane;
    const heron_index a_size = (heron_index)a_rows * a_cols;
    int at = 0;
    int end = 0;
    int block = 0;
    int end_block = 0;
    if (line < lines && lane < (int)b_rows) {
        block = b_offsets[line] - b_base;
        end_block = b_offsets[line + 1] - b_base;
        if (row < (u32)rows) {
            at = offsets[row / a_rows] - base;
            end = offsets[row / a_rows + 1] - base;
            a += row % a_rows * a_row_step * words;
        }
        if (b) b += lane * b_row_step * words;
    }
    if (is_left(board, line, lines, end - at, a_cols, b_cols, marks)) {
        at = end;
        block = end_block;
    }
    u32 column = column_at(indices, at, end, base, a_cols);
    u32 from = 0;
    int next = 0;
    ROLLED
    do {
        next = lowest_of_team(board, at < end ? (int)(max(column, from) / b_cols) : none);
        if (next != none) {
            const u32 begin = (u32)next * b_cols;
            from = begin + b_cols;
            if (block < end_block) {
                if (lane == 0) b_indices[block] = next + b_base;
                if (b)
                    at = copy_columns(indices, at, end, base, a_cols, begin, from, a, a_size, a_column_step,
                                      b + block * ((heron_index)b_rows * b_cols) * words, b_column_step,
                                      words, writes_zeros);
            }
            ++block;
            column = column_at(indices, at, end, base, a_cols);
            while (at < end && column + a_cols <= from) column = column_at(indices, ++at, end, base, a_cols);
        }
    } while (ANY_TOGETHER(next != none));
}
HERON_CLOSE

HERON_CLOSE
