// Kernels that go along columns of a full matrix by wide accesses. ITEMS items of a group have PACK rows
// each, 16 bytes of a column where these are aligned; GROUP/ITEMS of them share the columns.
HERON_PROGRAM(blas2_wide_groups, class CT, int GROUP, int ITEMS)

CONSTANT(PACK, 16 / (int)sizeof(CT));
CONSTANT(ROWS, ITEMS* PACK);
CONSTANT(SHARES, GROUP / ITEMS);
CONSTANT(GROUP_ITEMS, GROUP);
// Columns that are on their way to an item at a time, and those that ger updates.
CONSTANT(AHEAD, GROUP > 256 ? 4 : 8);
CONSTANT(UPDATES, ITEMS < 32 ? 2 : 4);
// Items that add up the shares of a row, and sums that are left then.
CONSTANT(JOINERS, GROUP > ROWS ? GROUP / ROWS : 1);
CONSTANT(LEFT, GROUP > ROWS ? JOINERS : SHARES);

typedef union {
    int4 raw;
    CT value[16 / sizeof(CT)];
} wide_value;

// Whether columns are aligned. An item's rows then follow each other, and are ITEMS apart where they are not.
HERON_FN int is_aligned(GLOBAL const CT* a, heron_index ld) { return ((i64)a & 15) == 0 && ld % PACK == 0; }

HERON_FN heron_index row_of_item(heron_index first, int aligned) {
    const int lane = group_item() % ITEMS;
    return first + (aligned ? lane * PACK : lane);
}

// An item's elements of a column, of which `left` rows are there from its first on. wide: all or none are.
HERON_FN void take_rows(GLOBAL const CT* a, heron_index at, int wide, int apart, heron_index left,
                        CT* elements) {
    if (wide) {
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = ZERO(CT);
        if (left > 0) v.raw = *(GLOBAL const int4*)(a + at);
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = v.value[q];
    } else {
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = q * apart < left ? a[at + q * apart] : ZERO(CT);
    }
}

HERON_FN void add_columns(GLOBAL const CT* a, heron_index row, heron_index left, heron_index ld,
                          heron_index first, heron_index end, int wide, int apart, int conjugate,
                          GLOBAL const CT* x, heron_index x_inc, CT* sums) {
    for (heron_index j = first; j < end; j += AHEAD * SHARES) {
        CT elements[AHEAD * PACK];
        CT factors[AHEAD];
        UNROLL
        for (int c = 0; c < AHEAD; ++c) {
            const heron_index column = j + c * SHARES;
            const int is_there = column < end;
            factors[c] = is_there ? x[column * x_inc] : ZERO(CT);
            take_rows(a, row + column * ld, wide, apart, is_there ? left : 0, elements + c * PACK);
        }
        UNROLL
        for (int e = 0; e < AHEAD * PACK; ++e) {
            const CT element = conjugate ? CONJ(CT, elements[e]) : elements[e];
            sums[e % PACK] = MAD(CT, element, factors[e / PACK], sums[e % PACK]);
        }
    }
}

// y := alpha*A*x + beta*y, or parts of the sums, as in gemv.h.
HERON_GROUP_KERNEL(gemv_rows, GROUP, heron_index m, heron_index n, int parts, int conjugate, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a, heron_index a_offset,
                   heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc,
                   GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, board, GROUP * PACK);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int me = group_item();
    const int part = group_id() % parts;
    const heron_index first = (heron_index)(group_id() / parts) * ROWS;
    const int aligned = is_aligned(a + a_offset, ld);
    const heron_index row = row_of_item(first, aligned);
    CT sums[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) sums[q] = ZERO(CT);
    if (row < m && !EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index begin = n * part / parts + me / ITEMS;
        const heron_index end = n * (part + 1) / parts;
        const heron_index left = m - row;
        if (aligned && left >= PACK)
            add_columns(a + a_offset, row, left, ld, begin, end, 1, 1, conjugate, x + x_offset, x_inc, sums);
        else
            add_columns(a + a_offset, row, left, ld, begin, end, 0, aligned ? 1 : ITEMS, conjugate,
                        x + x_offset, x_inc, sums);
    }
    UNROLL
    for (int q = 0; q < PACK; ++q) board[me * PACK + q] = sums[q];
    sync_group();
    if (JOINERS > 1) {
        CT sum = ZERO(CT);
        UNROLL
        for (int s = 0; s < SHARES / JOINERS; ++s)
            sum = ADD(CT, sum, board[me % ROWS + (me / ROWS + s * JOINERS) * ROWS]);
        sync_group();
        board[me] = sum;
        sync_group();
    }
    for (int r = me; r < ROWS; r += GROUP) {
        const heron_index own = first + (aligned ? r : r % PACK * ITEMS + r / PACK);
        if (own >= m) continue;
        CT sum = board[r];
        UNROLL
        for (int s = 1; s < LEFT; ++s) sum = ADD(CT, sum, board[r + s * ROWS]);
        if (parts > 1) {
            partial[part * m + own] = sum;
        } else {
            const CT beta = SCALAR(CT, beta_value, beta_device);
            const heron_index at = y_offset + own * y_inc;
            const CT product = MUL(CT, alpha, sum);
            y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
        }
    }
}
HERON_CLOSE

HERON_FN void update_columns(GLOBAL CT* a, heron_index row, heron_index left, heron_index n, heron_index ld,
                             heron_index first, int wide, int apart, CT alpha, const CT* factors,
                             int conjugate_y, GLOBAL const CT* y, heron_index y_inc) {
    CT elements[UPDATES * PACK];
    CT of_column[UPDATES];
    UNROLL
    for (int c = 0; c < UPDATES; ++c) {
        const heron_index j = first + c * SHARES;
        const int is_there = j < n;
        of_column[c] = is_there ? y[j * y_inc] : ZERO(CT);
        take_rows(a, row + j * ld, wide, apart, is_there ? left : 0, elements + c * PACK);
    }
    UNROLL
    for (int c = 0; c < UPDATES; ++c) {
        const heron_index j = first + c * SHARES;
        if (j >= n) continue;
        const CT factor = MUL(CT, alpha, conjugate_y ? CONJ(CT, of_column[c]) : of_column[c]);
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = MAD(CT, factor, factors[q], elements[c * PACK + q]);
        const heron_index at = row + j * ld;
        if (wide) {
            *(GLOBAL int4*)(a + at) = v.raw;
        } else {
            UNROLL
            for (int q = 0; q < PACK; ++q)
                if (q * apart < left) a[at + q * apart] = v.value[q];
        }
    }
}

// A := alpha*x*y^T + A, or with the conjugates of x and y. Tiles of ROWS rows and UPDATES*SHARES columns.
HERON_GROUP_KERNEL(ger_tiles, GROUP, heron_index m, heron_index n, CT alpha_value,
                   GLOBAL const CT* alpha_device, int conjugate_x, GLOBAL const CT* RESTRICT x,
                   heron_index x_offset, heron_index x_inc, int conjugate_y, GLOBAL const CT* RESTRICT y,
                   heron_index y_offset, heron_index y_inc, GLOBAL CT* a, heron_index a_offset,
                   heron_index ld) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index tiles = (m + ROWS - 1) / ROWS;
    const heron_index tile = group_id() % tiles * ROWS;
    const heron_index first = group_id() / tiles * (UPDATES * SHARES) + group_item() / ITEMS;
    const int aligned = is_aligned((GLOBAL const CT*)(a + a_offset), ld);
    const heron_index row = row_of_item(tile, aligned);
    if (row >= m || first >= n) return;
    const heron_index left = m - row;
    const int apart = aligned ? 1 : ITEMS;
    CT factors[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) {
        factors[q] = q * apart < left ? x[x_offset + (row + q * apart) * x_inc] : ZERO(CT);
        if (conjugate_x) factors[q] = CONJ(CT, factors[q]);
    }
    if (aligned && left >= PACK)
        update_columns(a + a_offset, row, left, n, ld, first, 1, 1, alpha, factors, conjugate_y, y + y_offset,
                       y_inc);
    else
        update_columns(a + a_offset, row, left, n, ld, first, 0, apart, alpha, factors, conjugate_y,
                       y + y_offset, y_inc);
}
HERON_CLOSE

HERON_CLOSE
