// Kernels that go along columns of a full matrix by wide accesses. ITEMS items of a group have PACK rows
// each, 16 bytes of a column where these are aligned; GROUP/ITEMS of them share the columns.
HERON_PROGRAM(blas2_wide_groups, class CT, int GROUP, int ITEMS)

CONSTANT(PACK, 16 / (int)sizeof(CT));
CONSTANT(ROWS, ITEMS* PACK);
CONSTANT(SHARES, GROUP / ITEMS);
// Columns that are on their way to an item at a time.
CONSTANT(AHEAD, 4);

typedef union {
    int4 raw;
    CT value[16 / sizeof(CT)];
} wide_value;

// Whether all rows of a tile from `first` on are there, and aligned in each column.
HERON_FN int is_wide(GLOBAL const CT* a, heron_index ld, heron_index first, heron_index m) {
    return ((i64)a & 15) == 0 && ld % PACK == 0 && first + ROWS <= m;
}

// The first row of this item. Its next ones follow at once or, where the tile is not wide, ITEMS apart.
HERON_FN heron_index row_of_item(heron_index first, int wide) {
    const int lane = group_item() % ITEMS;
    return first + (wide ? lane * PACK : lane);
}

// An item's elements of a column; left: rows from its first on.
HERON_FN void take_rows(GLOBAL const CT* a, heron_index at, int wide, heron_index left, int conjugate,
                        CT* elements) {
    if (wide) {
        wide_value v;
        v.raw = *(GLOBAL const int4*)(a + at);
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = v.value[q];
    } else {
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = q * ITEMS < left ? a[at + q * ITEMS] : ZERO(CT);
    }
    UNROLL
    for (int q = 0; q < PACK; ++q)
        if (conjugate) elements[q] = CONJ(CT, elements[q]);
}

HERON_FN void add_columns(GLOBAL const CT* a, heron_index row, heron_index m, heron_index ld,
                          heron_index first, heron_index end, int wide, int conjugate, GLOBAL const CT* x,
                          heron_index x_inc, CT* sums) {
    heron_index j = first;
    const heron_index left = m - row;
    for (; j + (AHEAD - 1) * SHARES < end; j += AHEAD * SHARES) {
        CT elements[AHEAD * PACK];
        UNROLL
        for (int c = 0; c < AHEAD; ++c)
            take_rows(a, row + (j + c * SHARES) * ld, wide, left, conjugate, elements + c * PACK);
        UNROLL
        for (int c = 0; c < AHEAD; ++c) {
            const CT factor = x[(j + c * SHARES) * x_inc];
            UNROLL
            for (int q = 0; q < PACK; ++q) sums[q] = MAD(CT, elements[c * PACK + q], factor, sums[q]);
        }
    }
    for (; j < end; j += SHARES) {
        CT elements[PACK];
        take_rows(a, row + j * ld, wide, left, conjugate, elements);
        const CT factor = x[j * x_inc];
        UNROLL
        for (int q = 0; q < PACK; ++q) sums[q] = MAD(CT, elements[q], factor, sums[q]);
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
    const int wide = is_wide(a + a_offset, ld, first, m);
    const heron_index row = row_of_item(first, wide);
    CT sums[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) sums[q] = ZERO(CT);
    if (row < m && !EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index begin = n * part / parts + me / ITEMS;
        const heron_index end = n * (part + 1) / parts;
        if (wide)
            add_columns(a + a_offset, row, m, ld, begin, end, 1, conjugate, x + x_offset, x_inc, sums);
        else
            add_columns(a + a_offset, row, m, ld, begin, end, 0, conjugate, x + x_offset, x_inc, sums);
    }
    UNROLL
    for (int q = 0; q < PACK; ++q) board[me * PACK + q] = sums[q];
    sync_group();
    if (me >= ROWS) return;
    const heron_index own = first + (wide ? me : me % PACK * ITEMS + me / PACK);
    if (own >= m) return;
    CT sum = board[me];
    for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, board[me + s * ROWS]);
    if (parts > 1) {
        partial[part * m + own] = sum;
    } else {
        const CT beta = SCALAR(CT, beta_value, beta_device);
        const heron_index at = y_offset + own * y_inc;
        const CT product = MUL(CT, alpha, sum);
        y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
    }
}
HERON_CLOSE

HERON_FN void update_columns(GLOBAL CT* a, heron_index row, heron_index m, heron_index n, heron_index ld,
                             heron_index first, int wide, CT alpha, const CT* factors, int conjugate_y,
                             GLOBAL const CT* y, heron_index y_inc) {
    const heron_index left = m - row;
    CT elements[AHEAD * PACK];
    UNROLL
    for (int c = 0; c < AHEAD; ++c)
        if (first + c * SHARES < n)
            take_rows(a, row + (first + c * SHARES) * ld, wide, left, 0, elements + c * PACK);
    UNROLL
    for (int c = 0; c < AHEAD; ++c) {
        const heron_index j = first + c * SHARES;
        if (j >= n) continue;
        const CT of_column = y[j * y_inc];
        const CT factor = MUL(CT, alpha, conjugate_y ? CONJ(CT, of_column) : of_column);
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = MAD(CT, factor, factors[q], elements[c * PACK + q]);
        const heron_index at = row + j * ld;
        if (wide) {
            *(GLOBAL int4*)(a + at) = v.raw;
        } else {
            UNROLL
            for (int q = 0; q < PACK; ++q)
                if (q * ITEMS < left) a[at + q * ITEMS] = v.value[q];
        }
    }
}

// A := alpha*x*y^T + A, or with the conjugates of x and y. Tiles of ROWS rows and AHEAD*SHARES columns.
HERON_GROUP_KERNEL(ger_tiles, GROUP, heron_index m, heron_index n, CT alpha_value,
                   GLOBAL const CT* alpha_device, int conjugate_x, GLOBAL const CT* RESTRICT x,
                   heron_index x_offset, heron_index x_inc, int conjugate_y, GLOBAL const CT* RESTRICT y,
                   heron_index y_offset, heron_index y_inc, GLOBAL CT* a, heron_index a_offset,
                   heron_index ld) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index tiles = (m + ROWS - 1) / ROWS;
    const heron_index tile = group_id() % tiles * ROWS;
    const heron_index first = group_id() / tiles * (AHEAD * SHARES) + group_item() / ITEMS;
    const int wide = is_wide((GLOBAL const CT*)(a + a_offset), ld, tile, m);
    const heron_index row = row_of_item(tile, wide);
    if (row >= m || first >= n) return;
    CT factors[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) {
        const heron_index i = row + (wide ? q : q * ITEMS);
        factors[q] = i < m ? x[x_offset + i * x_inc] : ZERO(CT);
        if (conjugate_x) factors[q] = CONJ(CT, factors[q]);
    }
    if (wide)
        update_columns(a + a_offset, row, m, n, ld, first, 1, alpha, factors, conjugate_y, y + y_offset,
                       y_inc);
    else
        update_columns(a + a_offset, row, m, n, ld, first, 0, alpha, factors, conjugate_y, y + y_offset,
                       y_inc);
}
HERON_CLOSE

HERON_CLOSE
