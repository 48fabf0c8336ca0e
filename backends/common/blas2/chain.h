// The substitution of a whole triangle in one launch. Types: CT elements, WT the words that they consist of,
// one or two each. Groups take blocks of BLOCK unknowns in the order of the substitution by tickets, so that
// each waits only for groups that are at work or done, and hand their solutions over through memory all of
// whose bits are set before: whoever reads anything else there reads the solution.
//
// Unknowns have positions: 0 is the one that is solved first, so that every system is a lower triangle.
// A block's item works at `place` along the lines of A as they are stored, on PER lines of its share.
HERON_PROGRAM(blas2_chain_groups, class CT, class WT, int GROUP, int BLOCK)

CONSTANT(WORDS, (int)(sizeof(CT) / sizeof(WT)));
CONSTANT(SHARES, GROUP / BLOCK);
CONSTANT(PER, BLOCK / SHARES);
CONSTANT(LINE, BLOCK + 1);
// Elements of scratch memory before the solutions.
CONSTANT(CONTROL, 16);
// Blocks that will not be next soon look less often.
CONSTANT(SOON, 4);
// Blocks that are solved before an inverse of theirs would be there.
CONSTANT(EARLY, 256 / BLOCK);
CONSTANT(LANES, 32);
CONSTANT(ROUNDS, BLOCK / LANES);

typedef struct {
    GLOBAL const CT* a;
    heron_index n, ld, band;  // band: diagonals beside the main one
    int storage;              // 0 full, 1 a band, 2 a triangle without gaps
    int lower, transposed, conjugate, unit;
} chain_matrix;

typedef union {
    CT value;
    WT word[sizeof(CT) / sizeof(WT)];
} chain_value;

HERON_FN chain_matrix chain_matrix_of(heron_index n, int lower, int transposed, int conjugate, int unit,
                                      int storage, GLOBAL const CT* a, heron_index ld, heron_index band) {
    chain_matrix m;
    m.a = a;
    m.n = n;
    m.ld = ld;
    m.band = band;
    m.storage = storage;
    m.lower = lower;
    m.transposed = transposed;
    m.conjugate = conjugate;
    m.unit = unit;
    return m;
}

HERON_FN heron_index index_of(chain_matrix m, heron_index position) {
    return m.lower ? position : m.n - 1 - position;
}

// Whether element (row, column), by positions, is stored and beside the diagonal, or on it and wanted.
HERON_FN int is_stored(chain_matrix m, heron_index row, heron_index column) {
    const heron_index distance = row - column;
    return row < m.n && distance >= (m.unit ? 1 : 0) && distance <= m.band;
}

// Elements of the tile whose rows are those of block `row` and whose columns are those of block `column`:
// this item's place of PER lines. Others than the stored ones are zero.
HERON_FN void take_tile(chain_matrix m, heron_index row, heron_index column, CT* elements) {
    const int place = group_item() % BLOCK;
    const int first = group_item() / BLOCK * PER;
    const heron_index along = (m.transposed ? column : row) * BLOCK + place;
    const heron_index across = (m.transposed ? row : column) * BLOCK + first;
    const int stored_lower = m.lower != m.transposed;
    const heron_index j = index_of(m, across);
    heron_index at = index_of(m, along);
    // How far it is to the next line, and how much that changes.
    heron_index step = 0;
    int slope = 0;
    if (m.storage == 2) {
        at += stored_lower ? j * (2 * m.n - j - 1) / 2 : j * (j + 1) / 2;
        step = stored_lower ? m.n - 1 - j : j + 1;
        if (!m.lower) step = stored_lower ? j - m.n : -j;
        slope = stored_lower ? -1 : 1;
    } else {
        step = m.storage == 1 ? m.ld - 1 : m.ld;
        at += j * step + (m.storage == 1 && !stored_lower ? m.band : 0);
        if (!m.lower) step = -step;
    }
    const int is_whole = row > column && (row + 1) * BLOCK <= m.n && (row - column + 1) * BLOCK - 1 <= m.band;
    UNROLL
    for (int q = 0; q < PER; ++q) {
        CT element = ZERO(CT);
        if (is_whole || (m.transposed ? is_stored(m, across + q, along) : is_stored(m, along, across + q)))
            element = m.a[at];
        elements[q] = m.conjugate ? CONJ(CT, element) : element;
        at += step;
        step += slope;
    }
}

// An item's elements of a tile to board[row*LINE + column].
HERON_FN void put_tile(const CT* elements, int transposed, LOCAL CT* board) {
    const int place = group_item() % BLOCK;
    const int first = group_item() / BLOCK * PER;
    UNROLL
    for (int q = 0; q < PER; ++q) {
        if (transposed)
            board[(first + q) * LINE + place] = elements[q];
        else
            board[place * LINE + first + q] = elements[q];
    }
}

HERON_FN int is_unset(WT w) { return w == (WT) ~(WT)0; }

// The solutions of block j to x in local memory, for all items behind the next sync_group().
HERON_FN void await_block(GLOBAL const CT* solved, heron_index j, heron_index block, LOCAL CT* x) {
    GLOBAL const WT* const from = (GLOBAL const WT*)(solved + j * BLOCK);
    for (int w = group_item(); w < BLOCK * WORDS; w += GROUP) {
        WT word = POLL(WT, from + w);
        while (is_unset(word)) {
            if (block - j > SOON) {
                NAP(500);
            }
            word = POLL(WT, from + w);
        }
        ((LOCAL WT*)x)[w] = word;
    }
}

// An item's share of a row times the vector, of columns `from` to `upto`: what is not in the matrix is no
// factor of unknowns, which need not be finite.
HERON_FN CT share_of(const CT* elements, LOCAL const CT* x, int from, int upto) {
    const int first = group_item() / BLOCK * PER;
    CT even = ZERO(CT);
    CT odd = ZERO(CT);
    UNROLL
    for (int q = 0; q < PER; q += 2) {
        if (first + q >= from && first + q <= upto) even = MAD(CT, elements[q], x[first + q], even);
        if (first + q + 1 >= from && first + q + 1 <= upto)
            odd = MAD(CT, elements[q + 1], x[first + q + 1], odd);
    }
    return ADD(CT, even, odd);
}

// How far element (0, 0) of tile (row, column) is from the last diagonal of the band, cut off where the whole
// tile is in it, or nothing.
HERON_FN int behind_band(chain_matrix m, heron_index row, heron_index column) {
    const heron_index behind = (row - column) * BLOCK - m.band;
    return behind < -BLOCK ? -BLOCK : behind > BLOCK ? BLOCK : (int)behind;
}

// The sum of the shares of a row, for items below BLOCK; ends with all items together once more.
HERON_FN CT join_shares(CT share, LOCAL CT* sums) {
    const int me = group_item();
    sums[me] = share;
    sync_group();
    CT sum = ZERO(CT);
    if (me < BLOCK) {
        sum = sums[me];
        UNROLL
        for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, sums[me + s * BLOCK]);
    }
    return sum;
}

// The inverse of the lower triangle, row by row: this item's share of a row. Returns whether it can replace
// the substitution: where elements of the inverse, or of the triangle, are large beside the diagonal,
// rounding errors of the product with it would be too.
HERON_FN int invert(LOCAL const CT* triangle, CT* inverse, LOCAL CT* lines, LOCAL CT* reciprocals) {
    const int row = group_item() % BLOCK;
    const int first = group_item() / BLOCK * PER;
    UNROLL
    for (int q = 0; q < PER; ++q) inverse[q] = first + q == row ? ONE(CT) : ZERO(CT);
    if (group_item() < BLOCK) reciprocals[row] = DIV(CT, ONE(CT), triangle[row * LINE + row]);
    sync_group();
    for (int k = 0; k < BLOCK; ++k) {
        LOCAL CT* const line = lines + (k & 1) * BLOCK + first;
        if (row == k) {
            UNROLL
            for (int q = 0; q < PER; ++q) {
                inverse[q] = MUL(CT, inverse[q], reciprocals[k]);
                line[q] = inverse[q];
            }
        }
        sync_group();
        if (row > k && first <= k) {
            const CT factor = triangle[row * LINE + k];
            UNROLL
            for (int q = 0; q < PER; ++q) inverse[q] = SUB(CT, inverse[q], MUL(CT, factor, line[q]));
        }
    }
    const CT two = ADD(CT, ONE(CT), ONE(CT));
    const CT most = MUL(CT, two, two);
    const CT most_of_row = MUL(CT, most, MAGNITUDE(CT, triangle[row * LINE + row]));
    int is_good = 1;
    UNROLL
    for (int q = 0; q < PER; ++q) {
        const int column = first + q;
        const CT scaled = MUL(CT, inverse[q], triangle[column * LINE + column]);
        if (!NOT_ABOVE(CT, MAGNITUDE(CT, scaled), most)) is_good = 0;
        if (column < row && !NOT_ABOVE(CT, MAGNITUDE(CT, triangle[row * LINE + column]), most_of_row))
            is_good = 0;
        if (!EQUAL(CT, SUB(CT, inverse[q], inverse[q]), ZERO(CT))) is_good = 0;
    }
    return is_good;
}

// One unknown after the other, for what no inverse is good for.
HERON_FN CT substitute(LOCAL const CT* triangle, CT value, int size, int unit, LOCAL CT* last) {
    const int me = group_item();
    for (int k = 0; k < size; ++k) {
        if (me == k) {
            if (!unit) value = DIV(CT, value, triangle[k * LINE + k]);
            last[k & 1] = value;
        }
        sync_group();
        if (me > k && me < BLOCK) value = SUB(CT, value, MUL(CT, triangle[me * LINE + k], last[k & 1]));
    }
    return value;
}

// How far the numbers behind 1 are apart.
HERON_FN CT spacing(void) {
    const CT two = ADD(CT, ONE(CT), ONE(CT));
    const CT three = ADD(CT, two, ONE(CT));
    const CT third = SUB(CT, DIV(CT, ADD(CT, two, two), three), ONE(CT));
    return MAGNITUDE(CT, SUB(CT, MUL(CT, third, three), ONE(CT)));
}

// The reciprocals of the diagonal. Returns whether they can replace divisions by it: whether none is so large
// or small that it lost digits.
HERON_FN int take_reciprocals(LOCAL const CT* triangle, LOCAL CT* reciprocals) {
    const int me = group_item();
    if (me >= BLOCK) return 1;
    const CT diagonal = triangle[me * LINE + me];
    const CT reciprocal = DIV(CT, ONE(CT), diagonal);
    reciprocals[me] = reciprocal;
    const CT two = ADD(CT, ONE(CT), ONE(CT));
    const CT four = ADD(CT, two, two);
    const CT error = MAGNITUDE(CT, SUB(CT, MUL(CT, diagonal, reciprocal), ONE(CT)));
    return NOT_ABOVE(CT, error, MUL(CT, MUL(CT, four, four), spacing()));
}

// One unknown after the other, by teams that each solve for all of them and so wait for nobody.
HERON_FN CT substitute_in_lanes(LOCAL const CT* triangle, LOCAL const CT* rights, LOCAL const CT* reciprocals,
                                int size, BOARD(CT) board) {
    const int lane = group_item() % LANES;
    CT values[ROUNDS];
    UNROLL
    for (int r = 0; r < ROUNDS; ++r) values[r] = rights[lane + r * LANES];
    UNROLL_LANES
    for (int s = 0; s < ROUNDS; ++s) {
        if (s * LANES >= size) continue;
        UNROLL_BY(4)
        for (int k = 0; k < LANES; ++k) {
            const int column = s * LANES + k;
            const CT own = MUL(CT, values[s], reciprocals[column]);
            SYNC_BOARD();
            PUT(CT, board, own);
            SYNC_BOARD();
            const CT solved = GET(CT, board, LANES, own, k);
            if (lane == k) values[s] = own;
            UNROLL
            for (int r = 0; r < ROUNDS; ++r)
                if (lane + r * LANES > column)
                    values[r] =
                        SUB(CT, values[r], MUL(CT, triangle[(lane + r * LANES) * LINE + column], solved));
        }
    }
    CT value = values[0];
    UNROLL
    for (int r = 1; r < ROUNDS; ++r)
        if (group_item() / LANES == r) value = values[r];
    return value;
}

// The block's own triangle; ones on the diagonal where none is stored.
HERON_FN void take_triangle(chain_matrix m, heron_index block, LOCAL CT* triangle) {
    CT elements[PER];
    take_tile(m, block, block, elements);
    put_tile(elements, m.transposed, triangle);
    sync_group();
    const int me = group_item();
    if (me < BLOCK && (m.unit || block * BLOCK + me >= m.n)) triangle[me * LINE + me] = ONE(CT);
    sync_group();
}

// This item's share of what the blocks before the last one contribute, as their solutions come. restores: the
// triangle is wanted afterwards.
HERON_FN CT share_of_earlier(chain_matrix m, heron_index block, heron_index before, GLOBAL const CT* solved,
                             LOCAL CT* triangle, int restores, LOCAL CT* others) {
    const int me = group_item();
    const int place = me % BLOCK;
    CT share = ZERO(CT);
    CT row_sums[PER];
    UNROLL
    for (int q = 0; q < PER; ++q) row_sums[q] = ZERO(CT);
    for (heron_index j = before; j + 1 < block; ++j) {
        CT elements[PER];
        take_tile(m, block, j, elements);
        LOCAL CT* const found = others + (j & 1) * BLOCK;
        const int behind = behind_band(m, block, j);
        await_block(solved, j, block, found);
        sync_group();
        if (m.transposed) {
            UNROLL
            for (int q = 0; q < PER; ++q)
                if (behind + me / BLOCK * PER + q <= place)
                    row_sums[q] = MAD(CT, elements[q], found[place], row_sums[q]);
        } else {
            share = ADD(CT, share, share_of(elements, found, behind + place, BLOCK));
        }
    }
    if (m.transposed && before + 1 < block) {
        put_tile(row_sums, 1, triangle);
        sync_group();
        UNROLL
        for (int q = 0; q < PER; ++q) share = ADD(CT, share, triangle[place * LINE + me / BLOCK * PER + q]);
        sync_group();
        if (restores) take_triangle(m, block, triangle);
    }
    return share;
}

// Leaves a block's right-hand sides without what the blocks before contribute in its half of `others`, for
// all items. share: of those before the last one; near: the elements that belong to that one. waits: for its
// solutions; without that the numbers mean nothing.
HERON_FN void put_rights(chain_matrix m, heron_index block, heron_index before, int waits,
                         GLOBAL const CT* solved, CT share, const CT* near, CT right, LOCAL CT* others,
                         LOCAL CT* sums) {
    const int me = group_item();
    if (before < block) {
        LOCAL CT* const found = others + ((block - 1) & 1) * BLOCK;
        if (waits) await_block(solved, block - 1, block, found);
        sync_group();
        const int from = behind_band(m, block, block - 1) + me % BLOCK;
        right = SUB(CT, right, join_shares(ADD(CT, share, share_of(near, found, from, BLOCK)), sums));
    }
    if (me < BLOCK) others[(block & 1) * BLOCK + me] = right;
    sync_group();
}

// M*x = b in place of b, M = op(A). memory: CONTROL elements, the first of whose words is the ticket that was
// drawn last, -1 before the first, and room for a solution of each row of all blocks.
HERON_GROUP_KERNEL(chain_blocks, GROUP, heron_index n, int lower, int transposed, int conjugate, int unit,
                   int storage, GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   heron_index band, GLOBAL CT* x, heron_index x_offset, heron_index x_inc,
                   GLOBAL CT* memory) {
    LOCAL_ARRAY(CT, triangle, BLOCK * LINE);
    LOCAL_ARRAY(CT, sums, GROUP);
    LOCAL_ARRAY(CT, others, 2 * BLOCK);
    LOCAL_ARRAY(CT, reciprocals, BLOCK);
    LOCAL_ARRAY(int, shared, 2);
    BOARD_ARRAY(CT, board, GROUP);
    const int me = group_item();
    const int place = me % BLOCK;
    if (me == 0) {
        shared[0] = FETCH_ADD((GLOBAL int*)memory, 1) + 1;
        shared[1] = 0;
    }
    sync_group();
    const heron_index block = shared[0];
    GLOBAL CT* const solved = memory + CONTROL;
    const chain_matrix m =
        chain_matrix_of(n, lower, transposed, conjugate, unit, storage, a + a_offset, ld, band);

    const int size = n - block * BLOCK < BLOCK ? (int)(n - block * BLOCK) : BLOCK;
    const heron_index own = x_offset + index_of(m, block * BLOCK + me) * x_inc;
    CT right = me < size ? x[own] : ZERO(CT);
    const heron_index before = block * BLOCK > band ? (block * BLOCK - band) / BLOCK : 0;
    CT near[PER];
    if (before < block) {
        take_tile(m, block, block - 1, near);
        if (transposed) {
            put_tile(near, 1, triangle);
            sync_group();
            UNROLL
            for (int q = 0; q < PER; ++q) near[q] = triangle[place * LINE + me / BLOCK * PER + q];
            sync_group();
        }
    }
    take_triangle(m, block, triangle);
    LOCAL CT* const rights = others + (block & 1) * BLOCK;
    CT value = ZERO(CT);
    // Apart, so that what one way keeps in registers does not hold up the other.
    if (block < EARLY) {
        if (!take_reciprocals(triangle, reciprocals)) FETCH_OR(shared + 1, 1);
        sync_group();
        const int substitutes = shared[1];
        const CT share = share_of_earlier(m, block, before, solved, triangle, 1, others);
        put_rights(m, block, before, 1, solved, share, near, right, others, sums);
        value = substitutes ? substitute(triangle, rights[place], size, unit, reciprocals)
                            : substitute_in_lanes(triangle, rights, reciprocals, size, board);
    } else {
        CT inverse[PER];
        if (!invert(triangle, inverse, others, reciprocals)) FETCH_OR(shared + 1, 1);
        sync_group();
        const int substitutes = shared[1];
        const CT share = share_of_earlier(m, block, before, solved, triangle, substitutes, others);
        // What follows the last solution is done once for nothing before that comes: code that runs for the
        // first time comes slowly, and all blocks behind wait for this one.
        ROLLED
        for (int waits = before == block; waits < 2; ++waits) {
            put_rights(m, block, before, waits, solved, share, near, right, others, sums);
            value = substitutes ? substitute(triangle, rights[place], size, unit, reciprocals)
                                : join_shares(share_of(inverse, rights, 0, place), sums);
        }
    }
    if (me >= size) return;
    GLOBAL WT* const to = (GLOBAL WT*)(solved + block * BLOCK + me);
    chain_value parts;
    parts.value = value;
    UNROLL
    for (int w = 0; w < WORDS; ++w)
        POST(WT, to + w, is_unset(parts.word[w]) ? parts.word[w] >> 1 : parts.word[w]);
    x[own] = value;
}
HERON_CLOSE

// The same for one block, which needs no memory.
HERON_GROUP_KERNEL(chain_alone, GROUP, heron_index n, int lower, int transposed, int conjugate, int unit,
                   int storage, GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   heron_index band, GLOBAL CT* x, heron_index x_offset, heron_index x_inc,
                   GLOBAL CT* memory) {
    LOCAL_ARRAY(CT, triangle, BLOCK * LINE);
    LOCAL_ARRAY(CT, rights, BLOCK);
    LOCAL_ARRAY(CT, reciprocals, BLOCK);
    LOCAL_ARRAY(int, shared, 1);
    BOARD_ARRAY(CT, board, GROUP);
    const int me = group_item();
    const chain_matrix m =
        chain_matrix_of(n, lower, transposed, conjugate, unit, storage, a + a_offset, ld, band);
    const heron_index own = x_offset + index_of(m, me) * x_inc;
    const CT right = me < n ? x[own] : ZERO(CT);
    if (me == 0) shared[0] = 0;
    take_triangle(m, 0, triangle);
    if (me < BLOCK) rights[me] = right;
    if (!take_reciprocals(triangle, reciprocals)) FETCH_OR(shared, 1);
    sync_group();
    CT value = right;
    if (shared[0])
        value = substitute(triangle, right, (int)n, unit, reciprocals);
    else
        value = substitute_in_lanes(triangle, rights, reciprocals, (int)n, board);
    if (me < n) x[own] = value;
}
HERON_CLOSE

HERON_CLOSE
