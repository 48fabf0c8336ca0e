// Products of BSR matrices with vectors. Types: CT elements. The blocks of a block row lie one behind the
// other, and a team of lanes reads them so: a lane takes PACK neighbouring elements, by loads of WIDE, and
// stays at its place in the block from turn to turn. BLOCK: rows and columns of the blocks, 0 where only the
// launch knows them. BY_ROWS: whether a block is stored by rows.
HERON_PROGRAM(spmv_blocks, class CT, int GROUP, int BLOCK, int PACK, int WIDE, int BY_ROWS)

CONSTANT(together, 32);                           // lanes that teams are parts of
CONSTANT(turns, PACK * sizeof(CT) > 16 ? 2 : 4);  // that a lane has on their way at a time
CONSTANT(own_rows, BY_ROWS ? 1 : PACK);           // of a lane
CONSTANT(own_columns, BY_ROWS ? PACK : 1);

typedef struct {
    CT at[WIDE];
} __attribute__((aligned(WIDE * sizeof(CT)))) wide_values;

// How a team of 1 << team_bits lanes is divided: `slots` blocks at a time, `lines` rows or columns of each,
// as it is stored, `pieces` lanes for a line. A block row belongs to `parts` teams.
typedef struct {
    heron_index base;
    int count;  // of block rows
    int block_rows, block_cols;
    int conjugate;
    int team_bits, parts;
    int slots, lines, pieces;
} block_teams;

// Adds what the lanes at the places 0, ..., count - 1 have, which are `step` lanes apart, for the first.
HERON_FN CT join(BOARD(CT) board, CT v, int place, int count, int step) {
    const int lane = group_item() % together;
    while (count > 1) {
        const int rest = (count + 1) / 2;
        const int has_other = place + rest < count;
        SYNC_BOARD();
        PUT(CT, board, v);
        SYNC_BOARD();
        const CT other = GET(CT, board, together, v, has_other ? lane + rest * step : lane);
        if (has_other) v = ADD(CT, v, other);
        count = rest;
    }
    return v;
}

// y := alpha*A*x + beta*y. alpha = 0 reads neither A nor x, beta = 0 does not read y.
HERON_GROUP_KERNEL(multiply_vector, GROUP, GLOBAL const int* RESTRICT offsets,
                   GLOBAL const int* RESTRICT columns, GLOBAL const CT* RESTRICT values, block_teams t,
                   GLOBAL const CT* RESTRICT x, GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device,
                   CT beta_value, GLOBAL const CT* beta_device) {
    BOARD_ARRAY(CT, board, GROUP);
    const int block_rows = BLOCK > 0 ? BLOCK : t.block_rows;
    const int block_cols = BLOCK > 0 ? BLOCK : t.block_cols;
    const int lines = BLOCK > 0 ? BLOCK : t.lines;
    const int pieces = BLOCK > 0 ? BLOCK / PACK : t.pieces;
    const int lane = group_item() & ((1 << t.team_bits) - 1);
    const int team = group_id() * (GROUP >> t.team_bits) + (group_item() >> t.team_bits);
    const int block_row = BLOCK > 0 ? team : team / t.parts;
    const int part = BLOCK > 0 ? 0 : team - block_row * t.parts;
    const int piece = lane % pieces;
    const int line = lane / pieces % lines;
    const int slot = lane / pieces / lines;
    const int row = BY_ROWS ? part * lines + line : (part * pieces + piece) * PACK;  // of the block
    const int first_column = BY_ROWS ? piece * PACK : line;
    const int column_step = BY_ROWS ? pieces * PACK : lines;
    const int is_worker = block_row < t.count && slot < t.slots && row < block_rows;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    heron_index begin = 0;
    int count = 0;
    if (is_worker && !EQUAL(CT, alpha, ZERO(CT))) {
        begin = (heron_index)offsets[block_row] - t.base;
        count = (int)((heron_index)offsets[block_row + 1] - t.base - begin);
    }
    const int area = block_rows * block_cols;
    GLOBAL const CT* const own_values = values + begin * area + (BY_ROWS ? row * block_cols : row);
    GLOBAL const int* const own_blocks = columns + begin;
    CT sum[own_rows];
    UNROLL
    for (int r = 0; r < own_rows; ++r) sum[r] = ZERO(CT);
    int block = slot;
    int column = first_column;
    while (block < count) {
        // Turns behind the last block load that once more and add nothing: loads that all lanes do are on
        // their way at the same time.
        CT a[turns][PACK];
        int index[turns], place[turns], is_there[turns];
        UNROLL
        for (int i = 0; i < turns; ++i) {
            const int own = min(block, count - 1);
            is_there[i] = block < count;
            place[i] = column;
            index[i] = LOAD_OFTEN(own_blocks + own);
            GLOBAL const CT* const at =
                own_values + (heron_index)own * area + column * (BY_ROWS ? 1 : block_rows);
            UNROLL
            for (int w = 0; w < PACK / WIDE; ++w) {
                GLOBAL const wide_values* const wide = (GLOBAL const wide_values*)at + w;
                const wide_values v = PACK == WIDE ? LOAD_ONCE(wide) : LOAD_OFTEN(wide);
                UNROLL
                for (int e = 0; e < WIDE; ++e) a[i][w * WIDE + e] = v.at[e];
            }
            column += column_step;
            if (BLOCK > 0 || column >= block_cols) {
                column = first_column;
                block += t.slots;
            }
        }
        CT from[turns][own_columns];
        UNROLL
        for (int i = 0; i < turns; ++i) {
            GLOBAL const CT* const at = x + (index[i] - t.base) * block_cols + place[i];
            if (BY_ROWS) {
                UNROLL
                for (int w = 0; w < PACK / WIDE; ++w) {
                    const wide_values v = LOAD_OFTEN((GLOBAL const wide_values*)at + w);
                    UNROLL
                    for (int e = 0; e < WIDE; ++e) from[i][(w * WIDE + e) % own_columns] = v.at[e];
                }
            } else {
                from[i][0] = LOAD_OFTEN(at);
            }
        }
        UNROLL
        for (int i = 0; i < turns; ++i) {
            CT next[own_rows];
            UNROLL
            for (int r = 0; r < own_rows; ++r) next[r] = sum[r];
            UNROLL
            for (int p = 0; p < PACK; ++p) {
                const CT element = t.conjugate ? CONJ(CT, a[i][p]) : a[i][p];
                next[p % own_rows] = MAD(CT, element, from[i][p % own_columns], next[p % own_rows]);
            }
            UNROLL
            for (int r = 0; r < own_rows; ++r) sum[r] = is_there[i] ? next[r] : sum[r];
        }
    }

    const CT beta = SCALAR(CT, beta_value, beta_device);
    UNROLL
    for (int r = 0; r < own_rows; ++r) {
        CT total = join(board, sum[r], slot, t.slots, pieces * lines);
        total = BY_ROWS ? join(board, total, piece, pieces, 1) : join(board, total, line, lines, pieces);
        if (is_worker && slot == 0 && first_column == 0) {
            GLOBAL CT* const to = y + (heron_index)block_row * block_rows + row + r;
            total = MUL(CT, alpha, total);
            if (!EQUAL(CT, beta, ZERO(CT))) total = MAD(CT, beta, *to, total);
            *to = total;
        }
    }
}
HERON_CLOSE
HERON_CLOSE
