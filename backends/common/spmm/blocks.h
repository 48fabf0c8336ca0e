// Products of BSR matrices with dense matrices. Types: CT elements. An item forms ROWS rows of a block row of
// the product, for PACK of its columns. BLOCK: rows and columns of the blocks, 0 where only the launch knows
// them. WIDE: elements of B that are loaded at once. Constant sizes of blocks also mean that A can be loaded
// so.
HERON_PROGRAM(spmm_block_rows, class CT, int GROUP, int BLOCK, int ROWS, int PACK, int WIDE)

CONSTANT(together, 32);  // lanes that teams are parts of
CONSTANT(most_a_wide, sizeof(CT) > 8 ? 1 : sizeof(CT) > 4 ? 2 : 4);
// Elements of A that are loaded at once, neighbours in a row or a column of a block: at most 16 bytes.
CONSTANT(a_wide, BLOCK == 0 || BLOCK % 2 != 0 ? 1 : BLOCK % most_a_wide == 0 ? most_a_wide : 2);

typedef struct {
    CT at[WIDE];
} __attribute__((aligned(WIDE * sizeof(CT)))) wide_values;
typedef struct {
    CT at[a_wide];
} __attribute__((aligned(a_wide * sizeof(CT)))) wide_a;

typedef struct {
    heron_index base;
    int count;  // of block rows
    int block_rows, block_cols;
    int by_rows;  // how a block is stored
    int conjugate;
    int parts;      // of a block row: its rows by ROWS
    int side_bits;  // items beside each other for columns: 1 << side_bits of a team, or of a group
    int slot_bits;  // and for blocks
    int tiles;      // of the columns of C
    int c_is_wide;
} product_teams;

// ROWS rows of columns `column` to column + a_wide - 1 of a block. Rows that the block lacks repeat its last.
HERON_FN void load_block(product_teams t, GLOBAL const CT* block, int first_row, int column,
                         CT a[ROWS][a_wide]) {
    const int block_rows = BLOCK > 0 ? BLOCK : t.block_rows;
    const int block_cols = BLOCK > 0 ? BLOCK : t.block_cols;
    if (t.by_rows) {
        UNROLL
        for (int r = 0; r < ROWS; ++r) {
            const int row = min(first_row + r, block_rows - 1);
            const wide_a v = LOAD_OFTEN((GLOBAL const wide_a*)(block + row * block_cols + column));
            UNROLL
            for (int i = 0; i < a_wide; ++i) a[r][i] = v.at[i];
        }
    } else if (ROWS % a_wide == 0) {
        UNROLL
        for (int i = 0; i < a_wide; ++i) {
            GLOBAL const CT* const from = block + (column + i) * block_rows + first_row;
            UNROLL
            for (int r = 0; r < ROWS / a_wide; ++r) {
                const int at = BLOCK > 0 ? r * a_wide : min(r * a_wide, block_rows - 1 - first_row);
                const wide_a v = LOAD_OFTEN((GLOBAL const wide_a*)(from + at));
                UNROLL
                for (int e = 0; e < a_wide; ++e) a[(r * a_wide + e) % ROWS][i] = v.at[e];
            }
        }
    } else {
        UNROLL
        for (int i = 0; i < a_wide; ++i) {
            UNROLL
            for (int r = 0; r < ROWS; ++r)
                a[r][i] = LOAD_OFTEN(block + (column + i) * block_rows + min(first_row + r, block_rows - 1));
        }
    }
    if (t.conjugate) {
        UNROLL
        for (int r = 0; r < ROWS; ++r) {
            UNROLL
            for (int i = 0; i < a_wide; ++i) a[r][i] = CONJ(CT, a[r][i]);
        }
    }
}

// Adds what lanes have that are step, 2*step, ... apart, up to 1 << slot_bits of them: for all of them.
HERON_FN CT join(BOARD(CT) board, CT v, int step, int slot_bits) {
    for (int mask = step; mask < step << slot_bits; mask *= 2) {
        SYNC_BOARD();
        PUT(CT, board, v);
        SYNC_BOARD();
        v = ADD(CT, v, GET_ACROSS(CT, board, together, v, mask));
    }
    return v;
}

HERON_FN CT updated(CT sum, CT alpha, CT beta, GLOBAL const CT* c) {
    const CT scaled = MUL(CT, alpha, sum);
    return EQUAL(CT, beta, ZERO(CT)) ? scaled : MAD(CT, beta, *c, scaled);
}

// C := alpha*A*B + beta*C, B stored by rows: lanes lie across a row of B and C, and take pieces of WIDE
// columns. alpha = 0 reads neither A nor B, beta = 0 does not read C.
HERON_GROUP_KERNEL(multiply_across, GROUP, GLOBAL const int* RESTRICT offsets,
                   GLOBAL const int* RESTRICT columns, GLOBAL const CT* RESTRICT values, product_teams t,
                   GLOBAL const CT* RESTRICT b, heron_index b_row, GLOBAL CT* c, heron_index c_row,
                   heron_index c_column, int sides, CT alpha_value, GLOBAL const CT* alpha_device,
                   CT beta_value, GLOBAL const CT* beta_device) {
    BOARD_ARRAY(CT, board, GROUP);
    const int block_rows = BLOCK > 0 ? BLOCK : t.block_rows;
    const int block_cols = BLOCK > 0 ? BLOCK : t.block_cols;
    const int parts = BLOCK > 0 ? BLOCK / ROWS : t.parts;
    const int team_bits = t.side_bits + t.slot_bits;
    const int s = group_item() & ((1 << t.side_bits) - 1);
    const int slot = (group_item() >> t.side_bits) & ((1 << t.slot_bits) - 1);
    // Tiles of the same rows come one after the other.
    const int tile = group_id() % t.tiles;
    const int team = group_id() / t.tiles * (GROUP >> team_bits) + (group_item() >> team_bits);
    const int block_row = team / parts;
    const int first_row = (team - block_row * parts) * ROWS;
    const int piece_step = WIDE << t.side_bits;
    const int first_side = tile * (piece_step * (PACK / WIDE)) + s * WIDE;
    const int is_worker = block_row < t.count && first_side < sides;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    heron_index begin = 0;
    int count = 0;
    if (is_worker && !EQUAL(CT, alpha, ZERO(CT))) {
        begin = (heron_index)offsets[block_row] - t.base;
        count = (int)((heron_index)offsets[block_row + 1] - t.base - begin);
    }
    const int area = block_rows * block_cols;
    GLOBAL const int* const own_blocks = columns + begin;
    GLOBAL const CT* const own_values = values + begin * area;
    GLOBAL const CT* const own_b = b + first_side;
    CT sum[ROWS][PACK];
    UNROLL
    for (int r = 0; r < ROWS; ++r) {
        UNROLL
        for (int p = 0; p < PACK; ++p) sum[r][p] = ZERO(CT);
    }
    const int slots = 1 << t.slot_bits;
    int next = slot < count ? (int)(LOAD_OFTEN(own_blocks + slot) - t.base) : 0;
    for (int block = slot; block < count; block += slots) {
        GLOBAL const CT* const rows_of_b = own_b + (heron_index)next * block_cols * b_row;
        GLOBAL const CT* const of_a = own_values + (heron_index)block * area;
        if (block + slots < count) next = (int)(LOAD_OFTEN(own_blocks + block + slots) - t.base);
        UNROLL_BY(4)
        for (int column = 0; column < block_cols; column += a_wide) {
            CT from[a_wide][PACK];
            UNROLL
            for (int i = 0; i < a_wide; ++i) {
                GLOBAL const CT* const at = rows_of_b + (column + i) * b_row;
                UNROLL
                for (int w = 0; w < PACK / WIDE; ++w) {
                    wide_values v;
                    UNROLL
                    for (int e = 0; e < WIDE; ++e) v.at[e] = ZERO(CT);
                    if (w == 0 || first_side + w * piece_step < sides)
                        v = LOAD_OFTEN((GLOBAL const wide_values*)(at + w * piece_step));
                    UNROLL
                    for (int e = 0; e < WIDE; ++e) from[i][w * WIDE + e] = v.at[e];
                }
            }
            CT a[ROWS][a_wide];
            load_block(t, of_a, first_row, column, a);
            UNROLL
            for (int i = 0; i < a_wide; ++i) {
                UNROLL
                for (int r = 0; r < ROWS; ++r) {
                    UNROLL
                    for (int p = 0; p < PACK; ++p) sum[r][p] = MAD(CT, a[r][i], from[i][p], sum[r][p]);
                }
            }
        }
    }

    if (t.slot_bits > 0) {
        UNROLL_LANES
        for (int r = 0; r < ROWS; ++r) {
            UNROLL_LANES
            for (int p = 0; p < PACK; ++p) sum[r][p] = join(board, sum[r][p], 1 << t.side_bits, t.slot_bits);
        }
    }
    if (!is_worker || slot > 0) return;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    UNROLL
    for (int r = 0; r < ROWS; ++r) {
        const int row = first_row + r;
        if (row < block_rows) {
            GLOBAL CT* const own_c = c + ((heron_index)block_row * block_rows + row) * c_row;
            UNROLL
            for (int w = 0; w < PACK / WIDE; ++w) {
                const int side = first_side + w * piece_step;
                if (side < sides && t.c_is_wide) {
                    wide_values v;
                    UNROLL
                    for (int e = 0; e < WIDE; ++e)
                        v.at[e] = updated(sum[r][w * WIDE + e], alpha, beta, own_c + side + e);
                    *(GLOBAL wide_values*)(own_c + side) = v;
                } else if (side < sides) {
                    UNROLL
                    for (int e = 0; e < WIDE; ++e) {
                        GLOBAL CT* const to = own_c + (side + e) * c_column;
                        *to = updated(sum[r][w * WIDE + e], alpha, beta, to);
                    }
                }
            }
        }
    }
}
HERON_CLOSE

// The same, B stored by columns: lanes lie along a column of C and share its blocks of B, WIDE of whose rows
// are loaded at once, for PACK columns. Items of a group for other columns find A's blocks in the cache.
HERON_GROUP_KERNEL(multiply_down, GROUP, GLOBAL const int* RESTRICT offsets,
                   GLOBAL const int* RESTRICT columns, GLOBAL const CT* RESTRICT values, product_teams t,
                   GLOBAL const CT* RESTRICT b, heron_index b_column, GLOBAL CT* c, heron_index c_row,
                   heron_index c_column, int sides, CT alpha_value, GLOBAL const CT* alpha_device,
                   CT beta_value, GLOBAL const CT* beta_device) {
    BOARD_ARRAY(CT, board, GROUP);
    const int block_rows = BLOCK > 0 ? BLOCK : t.block_rows;
    const int block_cols = BLOCK > 0 ? BLOCK : t.block_cols;
    const int parts = BLOCK > 0 ? BLOCK / ROWS : t.parts;
    const int row_items = GROUP >> t.side_bits;
    const int s = group_item() / row_items;
    const int slot = group_item() & ((1 << t.slot_bits) - 1);
    const int tile = group_id() % t.tiles;
    const int unit =
        ((group_id() / t.tiles * row_items) >> t.slot_bits) + (group_item() % row_items >> t.slot_bits);
    const int block_row = unit / parts;
    const int first_row = (unit - block_row * parts) * ROWS;
    const int first_side = ((tile << t.side_bits) + s) * PACK;
    const int is_worker = block_row < t.count && first_side < sides;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    heron_index begin = 0;
    int count = 0;
    if (is_worker && !EQUAL(CT, alpha, ZERO(CT))) {
        begin = (heron_index)offsets[block_row] - t.base;
        count = (int)((heron_index)offsets[block_row + 1] - t.base - begin);
    }
    const int area = block_rows * block_cols;
    GLOBAL const int* const own_blocks = columns + begin;
    GLOBAL const CT* const own_values = values + begin * area;
    GLOBAL const CT* const own_b = b + first_side * b_column;
    CT sum[ROWS][PACK];
    UNROLL
    for (int r = 0; r < ROWS; ++r) {
        UNROLL
        for (int p = 0; p < PACK; ++p) sum[r][p] = ZERO(CT);
    }
    const int slots = 1 << t.slot_bits;
    const int last_side = sides - 1 - first_side;
    int next = slot < count ? (int)(LOAD_OFTEN(own_blocks + slot) - t.base) : 0;
    for (int block = slot; block < count; block += slots) {
        GLOBAL const CT* const rows_of_b = own_b + (heron_index)next * block_cols;
        GLOBAL const CT* const of_a = own_values + (heron_index)block * area;
        if (block + slots < count) next = (int)(LOAD_OFTEN(own_blocks + block + slots) - t.base);
        UNROLL_BY(4)
        for (int column = 0; column < block_cols; column += a_wide) {
            CT a[ROWS][a_wide];
            load_block(t, of_a, first_row, column, a);
            CT from[PACK][a_wide];
            UNROLL
            for (int p = 0; p < PACK; ++p) {
                GLOBAL const CT* const at = rows_of_b + column + min(p, last_side) * b_column;
                UNROLL
                for (int w = 0; w < a_wide / WIDE; ++w) {
                    const wide_values v = LOAD_OFTEN((GLOBAL const wide_values*)at + w);
                    UNROLL
                    for (int e = 0; e < WIDE; ++e) from[p][(w * WIDE + e) % a_wide] = v.at[e];
                }
            }
            UNROLL
            for (int i = 0; i < a_wide; ++i) {
                UNROLL
                for (int p = 0; p < PACK; ++p) {
                    UNROLL
                    for (int r = 0; r < ROWS; ++r) sum[r][p] = MAD(CT, a[r][i], from[p][i], sum[r][p]);
                }
            }
        }
    }

    if (t.slot_bits > 0) {
        UNROLL_LANES
        for (int r = 0; r < ROWS; ++r) {
            UNROLL_LANES
            for (int p = 0; p < PACK; ++p) sum[r][p] = join(board, sum[r][p], 1, t.slot_bits);
        }
    }
    if (!is_worker || slot > 0) return;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    UNROLL
    for (int p = 0; p < PACK; ++p) {
        UNROLL
        for (int r = 0; r < ROWS; ++r) {
            const int row = first_row + r;
            if (p <= last_side && row < block_rows) {
                GLOBAL CT* const to =
                    c + ((heron_index)block_row * block_rows + row) * c_row + (first_side + p) * c_column;
                *to = updated(sum[r][p], alpha, beta, to);
            }
        }
    }
}
HERON_CLOSE
HERON_CLOSE
