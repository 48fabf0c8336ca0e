// Substitution in one launch. Types: CT elements, WT the words that they consist of, one or two each. A group
// solves BLOCK unknowns: it draws a ticket, so that it comes after all that it needs, adds up the products
// with unknowns as other groups hand them over (trisolve/blocks.h says how), and substitutes in its triangle.
// TURNED: neighbouring elements of memory lie in one row of op(A), not in one column.
//
// Unknowns count in the order of the substitution: M = op(A) is lower triangular for the kernel, and steps
// through memory are negative where it is upper. Sums have one order, whichever group comes first.
HERON_PROGRAM(blas2_sweep_groups, class CT, class WT, int GROUP, int BLOCK, int TURNED)

CONSTANT(words, (int)(sizeof(CT) / sizeof(WT)));
CONSTANT(HEAD, 16 / (int)sizeof(WT));
CONSTANT(LANES, 32);
CONSTANT(HALVES, BLOCK / LANES);     // rows of a lane
CONSTANT(SHARES, GROUP / BLOCK);     // items for a row
CONSTANT(EACH, BLOCK / SHARES);      // elements of an item in a square of BLOCK rows
CONSTANT(TEAM_ROWS, EACH / HALVES);  // rows of a team, where its lanes lie along them
CONSTANT(TOGETHER, 4);               // unknowns that are solved at a time
CONSTANT(PLACES, TURNED ? LANES*(BLOCK + 1) : 1);

// Element (i, j) of M in the order of the substitution lies at origin + i*row_step + j*column_step; or, with
// packed, in a triangle of order n without gaps.
typedef struct {
    heron_index n, band;
    heron_index origin, row_step, column_step;
    int packed, stored_lower, is_upper, is_transposed, conjugate, unit;
} sweep_matrix;

HERON_FN CT sweep_element(sweep_matrix m, GLOBAL const CT* a, heron_index row, heron_index column) {
    heron_index at = m.origin + row * m.row_step + column * m.column_step;
    if (m.packed) {
        const heron_index k = m.is_upper ? m.n - 1 - row : row;
        const heron_index l = m.is_upper ? m.n - 1 - column : column;
        const heron_index i = m.is_transposed ? l : k;
        const heron_index j = m.is_transposed ? k : l;
        at = m.origin + (m.stored_lower ? i + j * (2 * m.n - j - 1) / 2 : i + j * (j + 1) / 2);
    }
    const CT value = a[at];
    return m.conjugate ? CONJ(CT, value) : value;
}

// An item's element number e in the square of rows from `first` on and columns from `begin` on: its row and
// column there.
HERON_FN int sweep_row(int e) {
    return TURNED ? group_item() / LANES * TEAM_ROWS + e / HALVES : group_item() % BLOCK;
}
HERON_FN int sweep_column(int e) {
    return TURNED ? group_item() % LANES + e % HALVES * LANES : group_item() / BLOCK + e * SHARES;
}

HERON_FN CT sweep_square(sweep_matrix m, GLOBAL const CT* a, heron_index first, heron_index begin, int e) {
    const heron_index row = first + sweep_row(e);
    const heron_index column = begin + sweep_column(e);
    CT value = ZERO(CT);
    if (row < m.n && row - column <= m.band) value = sweep_element(m, a, row, column);
    return value;
}

HERON_FN int sweep_is_unset(WT w) { return w == (WT) ~(WT)0; }

HERON_FN WT sweep_awaited(GLOBAL const WT* from) {
    WT w = POLL(WT, from);
    while (sweep_is_unset(w)) w = POLL(WT, from);
    return w;
}

HERON_FN void sweep_hand_over(LOCAL const WT* solution, GLOBAL WT* to) {
    for (int w = 0; w < words; ++w)
        POST(WT, to + w, sweep_is_unset(solution[w]) ? solution[w] >> 1 : solution[w]);
}

// handed: memory all of whose bits are set, HEAD words and n elements; not used where there is one group. The
// first int is the ticket that was drawn last, -1 before the first.
HERON_GROUP_KERNEL(sweep_blocks, GROUP, sweep_matrix m, GLOBAL const CT* RESTRICT a, GLOBAL CT* x,
                   heron_index x_offset, heron_index x_inc, GLOBAL WT* handed) {
    LOCAL_ARRAY(int, ticket, 1);
    LOCAL_ARRAY(CT, triangle, BLOCK * (BLOCK + 1) / 2);
    LOCAL_ARRAY(CT, inverse, BLOCK);
    LOCAL_ARRAY(CT, right, BLOCK);
    LOCAL_ARRAY(CT, known, 2 * BLOCK);
    LOCAL_ARRAY(CT, shares, GROUP);
    LOCAL_ARRAY(CT, places, PLACES);
    BOARD_ARRAY(CT, board, GROUP);
    const int me = group_item();
    const int lane = me % LANES;
    GLOBAL WT* const solved = handed + HEAD;
    if (me == 0) ticket[0] = group_count() > 1 ? FETCH_ADD((GLOBAL int*)handed, 1) + 1 : 0;
    sync_group();
    const heron_index first = (heron_index)ticket[0] * BLOCK;

    // The triangle on the diagonal row by row without gaps, in which a column's elements of 32 rows lie in
    // different banks. Neighbouring items read what is neighbouring in memory.
    UNROLL
    for (int e = 0; e < EACH; ++e) {
        const int row = sweep_row(e);
        const int column = sweep_column(e);
        if (column < row) triangle[row * (row + 1) / 2 + column] = sweep_square(m, a, first, first, e);
    }
    if (me < BLOCK) {
        const heron_index row = first + me;
        const int is_there = row < m.n;
        right[me] = is_there ? x[x_offset + row * x_inc] : ZERO(CT);
        inverse[me] = is_there && !m.unit ? DIV(CT, ONE(CT), sweep_element(m, a, row, row)) : ONE(CT);
    }

    // The squares before it: the elements of the next one are on their way while unknowns are awaited.
    heron_index begin = first > m.band ? (first - m.band) / BLOCK * BLOCK : 0;
    CT next[EACH];
    CT sums[TEAM_ROWS];
    UNROLL
    for (int r = 0; r < TEAM_ROWS; ++r) sums[r] = ZERO(CT);
    UNROLL
    for (int e = 0; e < EACH; ++e) next[e] = begin < first ? sweep_square(m, a, first, begin, e) : ZERO(CT);
    for (int turn = 0; begin < first; begin += BLOCK, turn = BLOCK - turn) {
        CT now[EACH];
        UNROLL
        for (int e = 0; e < EACH; ++e) now[e] = next[e];
        if (begin + BLOCK < first) {
            UNROLL
            for (int e = 0; e < EACH; ++e) next[e] = sweep_square(m, a, first, begin + BLOCK, e);
        }
        if (me < BLOCK)
            for (int w = 0; w < words; ++w)
                ((LOCAL WT*)known)[(turn + me) * words + w] =
                    sweep_awaited(solved + (begin + me) * words + w);
        sync_group();
        const heron_index reach = m.band + begin - first;
        UNROLL
        for (int e = 0; e < EACH; ++e) {
            const int r = TURNED ? e / HALVES : e % TEAM_ROWS;
            const int column = sweep_column(e);
            // What lies beside the band is no zero that an infinity could meet.
            if (sweep_row(e) - column <= reach) sums[r] = MAD(CT, now[e], known[turn + column], sums[r]);
        }
    }
    if (TURNED) {
        UNROLL
        for (int r = 0; r < TEAM_ROWS; ++r) places[lane * (BLOCK + 1) + me / LANES * TEAM_ROWS + r] = sums[r];
        sync_group();
        CT sum = ZERO(CT);
        UNROLL
        for (int k = 0; k < LANES / SHARES; ++k)
            sum = ADD(CT, sum, places[(me / BLOCK * (LANES / SHARES) + k) * (BLOCK + 1) + me % BLOCK]);
        shares[me] = sum;
    } else {
        UNROLL
        for (int r = 1; r < TEAM_ROWS; ++r) sums[0] = ADD(CT, sums[0], sums[r]);
        shares[me] = sums[0];
    }
    sync_group();

    // Every team solves all rows, a few unknowns at a time: each lane finds these by itself.
    CT values[HALVES];
    UNROLL
    for (int h = 0; h < HALVES; ++h) {
        CT sum = shares[h * LANES + lane];
        UNROLL
        for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, shares[s * BLOCK + h * LANES + lane]);
        values[h] = SUB(CT, right[h * LANES + lane], sum);
    }
    UNROLL
    for (int h = 0; h < HALVES; ++h) {
        UNROLL_LANES
        for (int q = 0; q < LANES; q += TOGETHER) {
            const int k = h * LANES + q;
            LOCAL const CT* const second = triangle + (k + 1) * (k + 2) / 2 + k;
            LOCAL const CT* const third = triangle + (k + 2) * (k + 3) / 2 + k;
            LOCAL const CT* const fourth = triangle + (k + 3) * (k + 4) / 2 + k;
            SYNC_BOARD();
            PUT(CT, board, values[h]);
            SYNC_BOARD();
            CT x0 = GET(CT, board, LANES, values[h], q);
            CT x1 = GET(CT, board, LANES, values[h], q + 1);
            CT x2 = GET(CT, board, LANES, values[h], q + 2);
            CT x3 = GET(CT, board, LANES, values[h], q + 3);
            x0 = MUL(CT, x0, inverse[k]);
            x1 = MUL(CT, SUB(CT, x1, MUL(CT, second[0], x0)), inverse[k + 1]);
            x2 = SUB(CT, SUB(CT, x2, MUL(CT, third[0], x0)), MUL(CT, third[1], x1));
            x2 = MUL(CT, x2, inverse[k + 2]);
            x3 = SUB(CT, SUB(CT, x3, MUL(CT, fourth[0], x0)), MUL(CT, fourth[1], x1));
            x3 = MUL(CT, SUB(CT, x3, MUL(CT, fourth[2], x2)), inverse[k + 3]);
            UNROLL
            for (int g = h; g < HALVES; ++g) {
                const int row = g * LANES + lane;
                LOCAL const CT* const own = triangle + row * (row + 1) / 2 + k;
                if (row >= k + TOGETHER) {
                    CT value = SUB(CT, SUB(CT, values[g], MUL(CT, own[0], x0)), MUL(CT, own[1], x1));
                    value = SUB(CT, value, MUL(CT, own[2], x2));
                    values[g] = SUB(CT, value, MUL(CT, own[3], x3));
                }
                if (row == k) values[g] = x0;
                if (row == k + 1) values[g] = x1;
                if (row == k + 2) values[g] = x2;
                if (row == k + 3) values[g] = x3;
            }
        }
        const heron_index row = first + h * LANES + lane;
        if (me / LANES == h && row < m.n) {
            known[me] = values[h];
            if (first + BLOCK < m.n) sweep_hand_over((LOCAL const WT*)(known + me), solved + row * words);
            x[x_offset + row * x_inc] = values[h];
        }
    }
}
HERON_CLOSE

HERON_CLOSE
