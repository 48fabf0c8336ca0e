// Blocks of one size from blocks of another on GPUs, CSR having blocks of one element. A team takes a block
// row of B if its lanes can hold the blocks of A in it: again and again the lowest block column that one of
// these reaches is the next block. Of others a group marks the blocks of many columns at a time as bits in
// local memory, and numbers them. A block row of few elements is an item's, which compares their columns.
//
// Columns are counted as elements; that and the places within a matrix fit 32 bits. Elements of the values
// have one or two words WT. SINGLE: A is CSR.
HERON_PROGRAM(convert_block_rows, class WT, int GROUP, int LANES, int SINGLE)

CONSTANT(teams, GROUP / LANES);
CONSTANT(each, 8);                    // blocks of A that a lane holds
CONSTANT(some_each, 4);               // and elements of CSR, where a block row has fewer
CONSTANT(one_each, 1);                // or has one for each lane at most
CONSTANT(most, 8 * LANES);            // and a team
CONSTANT(most_elements, 16 * most);   // of them
CONSTANT(few, 4);                     // elements of a block row that an item takes
CONSTANT(few_places, 64);             // and as many elements that their blocks may have
CONSTANT(line_bits, 5);               // of the number of a line, of which a team has 32 at most
CONSTANT(none, 0x7fffffff);           // behind all block columns
CONSTANT(window_words, 4 * GROUP);    // of a group
CONSTANT(window, 32 * window_words);  // block columns at a time
CONSTANT(room, 8 * GROUP);            // words for all teams, or the window

// Rows and columns of a block, and the steps between its elements.
typedef struct {
    u32 rows, cols;
    heron_index row_step, column_step;
} block_shape;

// What a block row of B consists of: rows of elements, and lines of blocks of A, whose first block is number
// `at` of `count`.
typedef struct {
    heron_index first_row, end_row;
    heron_index first_line, end_line;
    int at, count;
} block_row;

HERON_FN block_row block_row_at(GLOBAL const i32* offsets, int base, heron_index number, int rows, u32 a_rows,
                                u32 b_rows) {
    block_row own;
    own.first_row = number * b_rows;
    own.end_row = min(own.first_row + b_rows, (heron_index)rows);
    own.first_line = (u32)own.first_row / a_rows;
    own.end_line = (u32)(own.end_row - 1) / a_rows + 1;
    own.at = offsets[own.first_line] - base;
    own.count = offsets[own.end_line] - base - own.at;
    return own;
}

// The k-th block row of a group, or -1. Groups have them in turn, so that neighbours which are long are not
// for one of them.
HERON_FN int line_of_group(int k, int lines, int own_lines) {
    const heron_index number = group_id() + (heron_index)k * group_count();
    return k < own_lines && number < lines ? (int)number : -1;
}

// listed := the block rows of a group's items that are left to teams. Returns how many.
HERON_FN int list_lines(int line, int is_left, LOCAL i32* listed, PARTS(u32) parts) {
    u32 all = 0;
    const u32 place = GROUP_SCAN(u32, parts, GROUP, (u32)is_left, all);
    if (is_left) listed[place] = line;
    sync_group();
    return (int)all;
}

// The number of a team's block row, the teams' first one being the k-th of those that list_lines returned, or
// -1.
HERON_FN int line_of_team(int k, int taken, int lines, int own_lines, LOCAL const i32* listed) {
    k += group_item() / LANES;
    if (own_lines <= teams) return line_of_group(k, lines, own_lines);
    return k < taken ? listed[k] : -1;
}

// A block row, or one of nothing, which reads what the first one has: loads under a condition would not be on
// their way together with those behind it.
HERON_FN block_row block_row_or_none(GLOBAL const i32* offsets, int base, int rows, u32 a_rows, u32 b_rows,
                                     int line) {
    block_row own = block_row_at(offsets, base, max(line, 0), rows, a_rows, b_rows);
    if (line < 0) own.count = 0;
    return own;
}

HERON_FN int fits_team(block_row own, u32 a_rows, u32 a_cols, u32 b_cols) {
    return own.end_line - own.first_line <= LANES &&
           (heron_index)own.count * max(a_cols / b_cols, 1u) <= most &&
           (heron_index)own.count * a_rows * a_cols <= most_elements;
}

// Of blocks that have b_size elements each.
HERON_FN int fits_item(block_row own, u32 a_rows, u32 a_cols, heron_index b_size) {
    return own.count == 0 ||
           (own.count <= few && a_rows == 1 && a_cols == 1 && own.count * b_size <= few_places);
}

// The first column of a block. Below 2^31 even if the index is none of the matrix.
HERON_FN u32 column_of(i32 index, int base, u32 cols) { return (u32)(index - base) * cols & 0x7fffffffu; }

// The block column of B that a column is in, or none. Several divisions without a condition share a part.
HERON_FN u32 block_column(u32 column, u32 b_cols, int is_own) {
    return column / b_cols | (is_own ? 0u : (u32)none);
}

// keys[i] := the block column of element i of an item's block row; none behind all elements.
HERON_FN void load_few(GLOBAL const i32* indices, int base, u32 b_cols, int count, u32* keys) {
    UNROLL
    for (int i = 0; i < few; ++i) keys[i] = i < count ? (u32)indices[i] : 0u;
    UNROLL
    for (int i = 0; i < few; ++i) keys[i] = i < count ? column_of((i32)keys[i], base, 1) / b_cols : (u32)none;
}

// How many different keys there are below one.
HERON_FN int keys_below(const u32* keys, u32 key) {
    int number = 0;
    UNROLL
    for (int i = 0; i < few; ++i) {
        int is_new = keys[i] < key;
        UNROLL
        for (int k = 0; k < few; ++k)
            if (k < i) is_new &= (int)(keys[k] != keys[i]);
        number += is_new;
    }
    return number;
}

HERON_FN int count_few(GLOBAL const i32* indices, int base, u32 b_cols, int count) {
    u32 keys[few];
    load_few(indices, base, b_cols, count, keys);
    return keys_below(keys, none);
}

// Of a team's block lane + i*LANES: keys[i] := the first block column of B that it reaches, last[i] := the
// last one; none behind all blocks.
HERON_FN void load_keys(GLOBAL const i32* indices, int base, u32 a_cols, u32 b_cols, int count, u32* keys,
                        u32* last) {
    const int lane = group_item() % LANES;
    UNROLL
    for (int i = 0; i < each; ++i) keys[i] = lane + i * LANES < count ? (u32)indices[lane + i * LANES] : 0u;
    UNROLL
    for (int i = 0; i < each; ++i) {
        const int is_own = lane + i * LANES < count;
        const u32 column = column_of((i32)keys[i], base, a_cols);
        keys[i] = block_column(column, b_cols, is_own);
        last[i] = keys[i];
        if (a_cols > 1 && is_own) last[i] = (column + (a_cols - 1)) / b_cols;
    }
}

// Of the `slots` blocks of a lane, keys[i] := ~(the number of its block column among those that the team's
// blocks reach). Ends at `space` of these, which become columns, if there are any. Returns how many they are.
HERON_FN int number_columns(BOARD(i32) board, u32 a_cols, int count, int slots, u32* keys, const u32* last,
                            GLOBAL i32* columns, int base, int space) {
    const int lane = group_item() % LANES;
    int number = 0;
    u32 next = 0;
    u32 reached = 0;  // all block columns before it are
    ROLLED
    do {
        u32 lowest = next + 1 < reached ? next + 1 : (u32)none;
        UNROLL
        for (int i = 0; i < slots; ++i)
            if (i * LANES < count) lowest = min(lowest, keys[i]);
        next = (u32)-MAX_TOGETHER(board, -(int)lowest);
        u32 own_reached = 0;
        UNROLL
        for (int i = 0; i < slots; ++i)
            if (i * LANES < count && keys[i] == next) {
                keys[i] = ~(u32)number;
                own_reached = max(own_reached, last[i] + 1u);
            }
        if (a_cols > 1) reached = max(reached, (u32)MAX_TOGETHER(board, (int)own_reached));
        if (columns && lane == 0 && number < space && next != none) columns[number] = (i32)next + base;
        number += next != none;
    } while (next != none && number < space);
    return number;
}

// Where the line of a lane begins in the team's block row, if that has so many lines.
HERON_FN i32 begin_of_line(GLOBAL const i32* offsets, int base, block_row own) {
    const heron_index line = own.first_line + group_item() % LANES;
    return offsets[min(line, own.end_line - 1)] - base - own.at;
}

// line_of[i] := the line that block lane + i*LANES of the team is in; `begin` is the lane's begin_of_line.
HERON_FN void number_lines(BOARD(i32) board, block_row own, i32 begin, int slots, u32* line_of) {
    const int lane = group_item() % LANES;
    const int lines = own.count > 0 ? (int)(own.end_line - own.first_line) : 0;
    UNROLL
    for (int i = 0; i < slots; ++i) line_of[i] = 0;
    SYNC_BOARD();
    PUT(i32, board, begin);
    SYNC_BOARD();
    ROLLED
    for (int line = 1; line < lines; ++line) {
        const i32 of_line = GET(i32, board, LANES, begin, line);
        UNROLL
        for (int i = 0; i < slots; ++i) line_of[i] += (u32)(lane + i * LANES >= of_line);
    }
}

// numbers[k] := the number of the block column of the team's block k, above that of its line. The first
// `space` of these columns are written.
HERON_FN void number_blocks(BOARD(i32) board, GLOBAL const i32* indices, int base, block_row own, i32 begin,
                            u32 a_cols, u32 b_cols, GLOBAL i32* columns, int b_base, int space,
                            LOCAL u32* numbers) {
    const int lane = group_item() % LANES;
    u32 keys[each];
    u32 last[each];
    u32 line_of[each];
    load_keys(indices, base, a_cols, b_cols, own.count, keys, last);
    number_lines(board, own, begin, each, line_of);
    number_columns(board, a_cols, own.count, each, keys, last, columns, b_base, space);
    UNROLL
    for (int i = 0; i < each; ++i)
        if (lane + i * LANES < own.count) numbers[lane + i * LANES] = line_of[i] | ~keys[i] << line_bits;
}

// Puts the elements of a team's blocks where their numbers say, in `space` blocks of B.
HERON_FN void place_of_team(GLOBAL const i32* indices, GLOBAL const WT* from, int base, block_row own,
                            block_shape a, block_shape b, LOCAL const u32* numbers, GLOBAL WT* to, int space,
                            int words) {
    const u32 size = a.rows * a.cols;
    const heron_index b_size = (heron_index)b.rows * b.cols;
    for (u32 e = (u32)(group_item() % LANES); e < (u32)own.count * size; e += LANES) {
        const u32 block = size == 1 ? e : e / size;
        const u32 within = e - block * size;
        const u32 across = size == 1 ? 0u : a.column_step == 1 ? within % a.cols : within / a.rows;
        const u32 down = size == 1 ? 0u : a.column_step == 1 ? within / a.cols : within % a.rows;
        const heron_index row =
            (own.first_line + (numbers[block] & ((1u << line_bits) - 1u))) * a.rows + down - own.first_row;
        const u32 column = column_of(indices[block], base, a.cols);
        const u32 number = (numbers[block] >> line_bits) + (column + across) / b.cols - column / b.cols;
        if (row < 0 || row >= own.end_row - own.first_row || number >= (u32)space) continue;
        GLOBAL WT* target =
            to + (number * b_size + row * b.row_step + (column + across) % b.cols * b.column_step) * words;
        target[0] = from[(heron_index)e * words];
        if (words == 2) target[1] = from[(heron_index)e * words + 1];
    }
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

// How many neighbouring items of a group take a line of a block row at a time: few blocks are shared out with
// all lines at once.
HERON_FN int items_of_line(block_row own) {
    const int lines = (int)min(own.end_line - own.first_line, (heron_index)GROUP);
    return own.count <= 4 * GROUP ? GROUP / max(lines, 1) : GROUP;
}

// words := a bit for each of B's block columns from `low` on that the block row reaches; *next := the lowest
// one behind these. All items of a group.
HERON_FN void mark_window(GLOBAL const i32* offsets, GLOBAL const i32* indices, int base, block_row own,
                          u32 a_cols, u32 b_cols, u32 columns, u32 low, LOCAL u32* words, LOCAL u32* next) {
    const int id = group_item();
    const int items = items_of_line(own);
    const u32 high = low + window;
    for (int w = id; w < window_words; w += GROUP) words[w] = 0;
    if (id == 0) *next = 0xffffffffu;
    sync_group();
    for (heron_index line = own.first_line + id / items; line < own.end_line; line += GROUP / items) {
        const int end = offsets[line + 1] - base;
        int k = place_in_line(indices, offsets[line] - base, end, base, a_cols, (heron_index)low * b_cols);
        for (k += id % items; k < end; k += items) {
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

// left[team] := the block row that a team cannot hold, or -1. Seen by all behind the next sync_group.
HERON_FN void leave_to_group(LOCAL i32* left, int line, int is_held) {
    if (group_item() % LANES == 0) left[group_item() / LANES] = is_held ? -1 : line;
}

// Whether any team has left one. For all items of a group, whose lanes look at all teams at a time.
HERON_FN int lines_left(LOCAL const i32* left, BOARD(i32) board) {
    return ANY_LANE(board, left[group_item() % teams] >= 0);
}

// counts[line] := the blocks of B's block rows, of which a group has `own_lines`.
HERON_GROUP_KERNEL(count_lines, GROUP, GLOBAL const i32* RESTRICT offsets, GLOBAL const i32* RESTRICT indices,
                   int base, int rows, u32 a_rows, u32 a_cols, u32 b_rows, u32 b_cols, u32 columns, int lines,
                   int own_lines, GLOBAL i64* counts) {
    BOARD_ARRAY(i32, board, GROUP);
    LOCAL_ARRAY(i32, listed, GROUP);
    LOCAL_ARRAY(i32, left, teams);
    LOCAL_ARRAY(u32, marked, window_words);
    LOCAL_ARRAY(u32, before, GROUP);
    LOCAL_ARRAY(u32, next, 1);
    PARTS_ARRAY(u32, parts, GROUP);
    if (SINGLE) a_rows = a_cols = 1;
    int taken = own_lines;
    if (own_lines > teams) {
        const int line = line_of_group(group_item(), lines, own_lines);
        const block_row own = block_row_or_none(offsets, base, rows, a_rows, b_rows, line);
        const int is_few = fits_item(own, a_rows, a_cols, (heron_index)b_rows * b_cols);
        if (line >= 0 && is_few) counts[line] = count_few(indices + own.at, base, b_cols, own.count);
        taken = list_lines(line, own.count > 0 && !is_few, listed, parts);
    }
    ROLLED
    for (int k = 0; k < taken; k += teams) {
        const int line = line_of_team(k, taken, lines, own_lines, listed);
        block_row own = block_row_or_none(offsets, base, rows, a_rows, b_rows, line);
        const int is_held = fits_team(own, a_rows, a_cols, b_cols);
        leave_to_group(left, line, is_held);
        if (!is_held) own.count = 0;
        u32 keys[each];
        u32 last[each];
        load_keys(indices + own.at, base, a_cols, b_cols, own.count, keys, last);
        const int number = number_columns(board, a_cols, own.count, each, keys, last, 0, 0, none);
        if (group_item() % LANES == 0 && line >= 0 && is_held) counts[line] = number;
        sync_group();
        const int end = lines_left(left, board) ? min(taken - k, teams) : 0;
        for (int team = 0; team < end; ++team) {
            if (left[team] < 0) continue;
            own = block_row_at(offsets, base, left[team], rows, a_rows, b_rows);
            i64 count = 0;
            u32 low = 0;
            while (low < columns) {
                mark_window(offsets, indices, base, own, a_cols, b_cols, columns, low, marked, next);
                count += number_window(marked, before, parts);
                low = *next;
                sync_group();
            }
            if (group_item() == 0) counts[left[team]] = count;
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
HERON_FN void place_of_group(GLOBAL const i32* indices, GLOBAL const i32* offsets, GLOBAL const WT* from,
                             int base, block_row own, block_shape a, block_shape b, GLOBAL WT* to,
                             int element_words, u32 low, LOCAL const u32* words, LOCAL const u32* before,
                             heron_index block, heron_index end_block) {
    const heron_index a_size = (heron_index)a.rows * a.cols;
    const heron_index b_size = (heron_index)b.rows * b.cols;
    const heron_index first_column = (heron_index)low * b.cols;
    const heron_index end_column = first_column + (heron_index)window * b.cols;
    const int items = items_of_line(own);
    for (heron_index row = own.first_row + group_item() / items; row < own.end_row; row += GROUP / items) {
        const int end = offsets[(u32)row / a.rows + 1] - base;
        int k = place_in_line(indices, offsets[(u32)row / a.rows] - base, end, base, a.cols, first_column);
        for (k += group_item() % items; k < end; k += items) {
            const heron_index begin = (heron_index)(indices[k] - base) * a.cols;
            if (begin >= end_column) break;
            const heron_index until = min(begin + a.cols, end_column);
            for (heron_index column = max(begin, first_column); column < until; ++column) {
                const u32 bit = (u32)column / b.cols - low;
                const heron_index number = block + number_of_bit(words, before, bit);
                if (number >= end_block) continue;
                GLOBAL const WT* source =
                    from + (k * a_size + (u32)row % a.rows * a.row_step + (column - begin) * a.column_step) *
                               element_words;
                GLOBAL WT* target = to + (number * b_size + (row - own.first_row) * b.row_step +
                                          (column - (heron_index)(bit + low) * b.cols) * b.column_step) *
                                             element_words;
                target[0] = source[0];
                if (element_words == 2) target[1] = source[1];
            }
        }
    }
}

// Clears blocks: `items` neighbouring items of which this is one.
HERON_FN void clear_blocks(GLOBAL WT* b, heron_index block, heron_index end_block, block_shape shape,
                           int words, int item, int items) {
    const heron_index size = (heron_index)shape.rows * shape.cols * words;
    for (heron_index k = block * size + item; k < end_block * size; k += items) b[k] = 0;
}

// The block row of an item: few elements, whose places in their blocks may be anywhere.
HERON_FN void fill_few(GLOBAL const i32* offsets, GLOBAL const i32* indices, GLOBAL const WT* from, int base,
                       block_row own, block_shape b, GLOBAL i32* columns, int b_base, GLOBAL WT* to,
                       int space, int words) {
    u32 keys[few];
    load_few(indices + own.at, base, b.cols, own.count, keys);
    int row_of[few];
    UNROLL
    for (int i = 0; i < few; ++i) row_of[i] = 0;
    for (heron_index line = own.first_line + 1; line < own.end_line; ++line) {
        const int of_line = offsets[line] - base - own.at;
        UNROLL
        for (int i = 0; i < few; ++i) row_of[i] += (int)(i >= of_line);
    }
    if (to) clear_blocks(to, 0, space, b, words, 0, 1);
    UNROLL
    for (int i = 0; i < few; ++i) {
        const int number = keys_below(keys, keys[i]);
        if (i >= own.count || number >= space) continue;
        columns[number] = (i32)keys[i] + b_base;
        if (!to) continue;
        const u32 across = column_of(indices[own.at + i], base, 1) - keys[i] * b.cols;
        GLOBAL const WT* source = from + (heron_index)(own.at + i) * words;
        GLOBAL WT* target =
            to +
            ((heron_index)number * b.rows * b.cols + row_of[i] * b.row_step + across * b.column_step) * words;
        target[0] = source[0];
        if (words == 2) target[1] = source[1];
    }
}

// A team's block row of single elements, of which a lane has `slots`: their values are on their way while
// their blocks are numbered.
HERON_FN void fill_elements(BOARD(i32) board, GLOBAL const i32* indices, GLOBAL const WT* from, int base,
                            block_row own, i32 begin, block_shape b, GLOBAL i32* columns, int b_base,
                            GLOBAL WT* to, int space, int words, int slots) {
    const int lane = group_item() % LANES;
    u32 keys[each];
    u32 across[each];
    u32 line_of[each];
    WT values[each];
    UNROLL
    for (int i = 0; i < slots; ++i) {
        const int is_own = lane + i * LANES < own.count;
        keys[i] = is_own ? (u32)indices[lane + i * LANES] : 0u;
        values[i] = to && is_own ? from[(heron_index)(lane + i * LANES) * words] : 0;
    }
    if (to) clear_blocks(to, 0, space, b, words, lane, LANES);
    number_lines(board, own, begin, slots, line_of);
    UNROLL
    for (int i = 0; i < slots; ++i) {
        const u32 column = column_of((i32)keys[i], base, 1);
        keys[i] = block_column(column, b.cols, lane + i * LANES < own.count);
        across[i] = column - keys[i] * b.cols;
    }
    number_columns(board, 1, own.count, slots, keys, keys, columns, b_base, space);
    sync_together_memory();
    UNROLL
    for (int i = 0; i < slots; ++i) {
        const u32 number = ~keys[i];
        if (!to || number >= (u32)space) continue;
        GLOBAL WT* target = to + ((heron_index)number * b.rows * b.cols + line_of[i] * b.row_step +
                                  across[i] * b.column_step) *
                                     words;
        target[0] = values[i];
        if (words == 2) target[1] = from[(heron_index)(lane + i * LANES) * words + 1];
    }
}

// A team's block row of blocks, which are numbered in local memory.
HERON_FN void fill_blocks(BOARD(i32) board, GLOBAL const i32* indices, GLOBAL const WT* from, int base,
                          block_row own, i32 begin, block_shape a, block_shape b, GLOBAL i32* columns,
                          int b_base, GLOBAL WT* to, int space, int words, LOCAL u32* numbers) {
    if (to) clear_blocks(to, 0, space, b, words, group_item() % LANES, LANES);
    number_blocks(board, indices, base, own, begin, a.cols, b.cols, columns, b_base, space, numbers);
    sync_together_memory();
    if (to) place_of_team(indices, from, base, own, a, b, numbers, to, space, words);
}

// The block row of a team, if its lanes can hold it. Whether they can.
HERON_FN int fill_of_team(BOARD(i32) board, GLOBAL const i32* offsets, GLOBAL const i32* indices,
                          GLOBAL const WT* from, int base, int rows, block_shape a, block_shape b,
                          GLOBAL const i32* b_offsets, GLOBAL i32* columns, GLOBAL WT* to, int b_base,
                          int words, int line, LOCAL u32* numbers) {
    block_row own = block_row_at(offsets, base, line, rows, a.rows, b.rows);
    const i32 begin = begin_of_line(offsets, base, own);
    const int block = b_offsets[line] - b_base;
    int space = max(b_offsets[line + 1] - b_base - block, 0);
    const int is_held = fits_team(own, a.rows, a.cols, b.cols);
    if (!is_held) own.count = space = 0;
    indices += own.at;
    from += (heron_index)own.at * a.rows * a.cols * words;
    columns += block;
    if (to) to += (heron_index)block * b.rows * b.cols * words;
    if (!SINGLE)
        fill_blocks(board, indices, from, base, own, begin, a, b, columns, b_base, to, space, words, numbers);
    else if (GROUP == LANES || own.count > some_each * LANES)
        fill_elements(board, indices, from, base, own, begin, b, columns, b_base, to, space, words, each);
    else if (own.count > one_each * LANES)
        fill_elements(board, indices, from, base, own, begin, b, columns, b_base, to, space, words,
                      some_each);
    else if (own.count > 0)
        fill_elements(board, indices, from, base, own, begin, b, columns, b_base, to, space, words, one_each);
    return is_held;
}

// The columns and, if there are any, values of B's block rows.
HERON_GROUP_KERNEL(fill_lines, GROUP, GLOBAL const i32* RESTRICT offsets, GLOBAL const i32* RESTRICT indices,
                   GLOBAL const WT* RESTRICT a, int base, int rows, u32 a_rows, u32 a_cols,
                   heron_index a_row_step, heron_index a_column_step, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL i32* b_indices, GLOBAL WT* b, int b_base, u32 b_rows, u32 b_cols,
                   heron_index b_row_step, heron_index b_column_step, u32 columns, int lines, int own_lines,
                   int words) {
    BOARD_ARRAY(i32, board, GROUP);
    LOCAL_ARRAY(i32, listed, GROUP);
    LOCAL_ARRAY(i32, left, teams);
    LOCAL_ARRAY(u32, shared, room);
    LOCAL_ARRAY(u32, before, GROUP);
    LOCAL_ARRAY(u32, next, 1);
    PARTS_ARRAY(u32, parts, GROUP);
    const int id = group_item();
    if (SINGLE) a_rows = a_cols = 1;
    block_shape from;
    from.rows = a_rows;
    from.cols = a_cols;
    from.row_step = a_row_step;
    from.column_step = a_column_step;
    block_shape to;
    to.rows = b_rows;
    to.cols = b_cols;
    to.row_step = b_row_step;
    to.column_step = b_column_step;
    const heron_index b_size = (heron_index)b_rows * b_cols;
    int taken = own_lines;
    if (own_lines > teams) {
        const int line = line_of_group(id, lines, own_lines);
        const block_row own = block_row_or_none(offsets, base, rows, a_rows, b_rows, line);
        const int is_few = fits_item(own, a_rows, a_cols, b_size);
        if (own.count > 0 && is_few) {
            const int block = b_offsets[line] - b_base;
            fill_few(offsets, indices, a, base, own, to, b_indices + block, b_base,
                     b ? b + block * b_size * words : b, b_offsets[line + 1] - b_base - block, words);
        }
        taken = list_lines(line, own.count > 0 && !is_few, listed, parts);
    }
    ROLLED
    for (int k = 0; k < taken; k += teams) {
        const int line = line_of_team(k, taken, lines, own_lines, listed);
        int is_held = 1;
        if (GROUP == LANES || line >= 0)
            is_held = fill_of_team(board, offsets, indices, a, base, rows, from, to, b_offsets, b_indices, b,
                                   b_base, words, line, shared + id / LANES * most);
        leave_to_group(left, line, is_held);
        sync_group();
        const int end = lines_left(left, board) ? min(taken - k, teams) : 0;
        for (int team = 0; team < end; ++team) {
            if (left[team] < 0) continue;
            const block_row own = block_row_at(offsets, base, left[team], rows, a_rows, b_rows);
            heron_index at = b_offsets[left[team]] - b_base;
            const heron_index end_block = b_offsets[left[team] + 1] - b_base;
            if (b) clear_blocks(b, at, end_block, to, words, id, GROUP);
            sync_group_memory();
            u32 low = 0;
            while (low < columns) {
                mark_window(offsets, indices, base, own, a_cols, b_cols, columns, low, shared, next);
                const u32 all = number_window(shared, before, parts);
                write_columns(shared, before, low, at, end_block, b_base, b_indices);
                if (b)
                    place_of_group(indices, offsets, a, base, own, from, to, b, words, low, shared, before,
                                   at, end_block);
                at += all;
                low = *next;
                sync_group();
            }
        }
        sync_group();
    }
}
HERON_CLOSE

HERON_CLOSE
