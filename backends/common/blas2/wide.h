// Kernels that go along columns of a full matrix by wide accesses. ITEMS items of a group have PACK rows
// each, 16 bytes of a column where these are aligned; GROUP/ITEMS of them share the columns.
HERON_PROGRAM(blas2_wide_groups, class CT, int GROUP, int ITEMS)

CONSTANT(PACK, 16 / (int)sizeof(CT));
CONSTANT(ROWS, ITEMS* PACK);
CONSTANT(SHARES, GROUP / ITEMS);
CONSTANT(GROUP_ITEMS, GROUP);
CONSTANT(OUTPUTS, (ROWS + GROUP - 1) / GROUP);
// Columns that are on their way to an item at a time, and those that ger updates. Of elements of 16 bytes,
// each of which has an x as large, few, in registers for one group more.
CONSTANT(AHEAD, GROUP > 256 || PACK == 1 ? 4 : 8);
CONSTANT(UPDATES, ITEMS < 32 ? 2 : 4);
// Items that add up the shares of a row, and sums that are left then.
CONSTANT(JOINERS, GROUP > ROWS ? GROUP / ROWS : 1);
CONSTANT(LEFT, GROUP > ROWS ? JOINERS : SHARES);
CONSTANT(STEPS, 256);

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

// Where row r of a group's sums is.
HERON_FN heron_index row_of_output(heron_index first, int r, int aligned) {
    return first + (aligned ? r : r % PACK * ITEMS + r / PACK);
}

// An item's elements of a column, of which `left` rows are there from its first on. wide: all or none are.
// once: of a matrix that is too large to stay in a cache.
HERON_FN void take_rows(GLOBAL const CT* a, heron_index at, int wide, int once, int apart, heron_index left,
                        CT* elements) {
    if (wide) {
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = ZERO(CT);
        if (left > 0) v.raw = once ? LOAD_ONCE((GLOBAL const int4*)(a + at)) : *(GLOBAL const int4*)(a + at);
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = v.value[q];
    } else {
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = q * apart < left ? a[at + q * apart] : ZERO(CT);
    }
}

HERON_FN void put_rows(GLOBAL CT* a, heron_index at, int wide, int apart, heron_index left,
                       const CT* elements) {
    if (wide) {
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = elements[q];
        store_wide((GLOBAL int4*)(a + at), v.raw);
    } else {
        UNROLL
        for (int q = 0; q < PACK; ++q)
            if (q * apart < left) a[at + q * apart] = elements[q];
    }
}

// AHEAD columns, the first of which lies at `a`: those `step` elements further each, of which `left` are
// there times SHARES.
HERON_FN void add_turn(GLOBAL const CT* a, heron_index rows, heron_index step, heron_index left, int wide,
                       int once, int apart, int conjugate, GLOBAL const CT* x, heron_index x_step, CT* sums) {
    CT elements[AHEAD * PACK];
    CT factors[AHEAD];
    UNROLL
    for (int c = 0; c < AHEAD; ++c) {
        const int is_there = c * SHARES < left;
        factors[c] = is_there ? x[c * x_step] : ZERO(CT);
        take_rows(a, c * step, wide, once, apart, is_there ? rows : 0, elements + c * PACK);
    }
    UNROLL
    for (int e = 0; e < AHEAD * PACK; ++e) {
        const CT element = conjugate ? CONJ(CT, elements[e]) : elements[e];
        sums[e % PACK] = MAD(CT, element, factors[e / PACK], sums[e % PACK]);
    }
}

// Of the columns from `begin` to `end` every SHARES-th, from this item's share on, for `rows` rows from `row`
// on.
HERON_FN void add_columns(GLOBAL const CT* a, heron_index row, heron_index rows, heron_index ld,
                          heron_index begin, heron_index end, int wide, int once, int apart, int conjugate,
                          GLOBAL const CT* x, heron_index x_inc, CT* sums) {
    const int share = group_item() / ITEMS;
    a += row + (begin + share) * ld;
    x += (begin + share) * x_inc;
    // Turns that are whole for all shares ask nothing of their columns.
    heron_index left = end - begin;
    ROLLED
    for (; left >= AHEAD * SHARES; left -= AHEAD * SHARES) {
        add_turn(a, wide ? PACK : rows, SHARES * ld, AHEAD * SHARES, wide, once, apart, conjugate, x,
                 SHARES * x_inc, sums);
        a += AHEAD * SHARES * ld;
        x += AHEAD * SHARES * x_inc;
    }
    if (left > share)
        add_turn(a, rows, SHARES * ld, left - share, wide, once, apart, conjugate, x, SHARES * x_inc, sums);
}

// The shares of the sums of this item's rows; behind it sum_of_row tells the sum of row r of the group.
HERON_FN void put_shares(LOCAL CT* board, const CT* sums) {
    const int me = group_item();
    UNROLL
    for (int q = 0; q < PACK; ++q) board[me * PACK + q] = sums[q];
    sync_group();
    if (JOINERS == 1) return;
    CT sum = ZERO(CT);
    UNROLL
    for (int s = 0; s < SHARES / JOINERS; ++s)
        sum = ADD(CT, sum, board[me % ROWS + (me / ROWS + s * JOINERS) * ROWS]);
    sync_group();
    board[me] = sum;
    sync_group();
}
HERON_FN CT sum_of_row(LOCAL const CT* board, int r) {
    CT sum = board[r];
    UNROLL
    for (int s = 1; s < LEFT; ++s) sum = ADD(CT, sum, board[r + s * ROWS]);
    return sum;
}

// y := alpha*A*x + beta*y, or parts of the sums, as in gemv.h.
HERON_GROUP_KERNEL(gemv_rows, GROUP, heron_index m, heron_index n, int parts, int conjugate, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a, heron_index a_offset,
                   heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc,
                   GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, board, GROUP * PACK);
    const int me = group_item();
    const int part = group_id() % parts;
    const heron_index first = (heron_index)(group_id() / parts) * ROWS;
    const int aligned = is_aligned(a + a_offset, ld);
    const heron_index row = row_of_item(first, aligned);
    // Scalars are read again at the end: in between their registers are for what is on its way.
    const int takes_old = parts == 1 && !EQUAL(CT, SCALAR(CT, beta_value, beta_device), ZERO(CT));
    // Read before they are wanted: in a small product nothing else hides how long that takes.
    CT old[OUTPUTS];
    UNROLL
    for (int t = 0; t < OUTPUTS; ++t) {
        const int r = me + t * GROUP;
        const heron_index own = row_of_output(first, r, aligned);
        const int wanted = r < ROWS && own < m && takes_old;
        old[t] = wanted ? y[y_offset + own * y_inc] : ZERO(CT);
    }
    CT sums[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) sums[q] = ZERO(CT);
    if (row < m && !EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) {
        const heron_index begin = n * part / parts;
        const heron_index end = n * (part + 1) / parts;
        const heron_index left = m - row;
        if (PACK > 1 && aligned && left >= PACK)
            add_columns(a + a_offset, row, left, ld, begin, end, 1, 0, 1, conjugate, x + x_offset, x_inc,
                        sums);
        else
            add_columns(a + a_offset, row, left, ld, begin, end, 0, 0, aligned ? 1 : ITEMS, conjugate,
                        x + x_offset, x_inc, sums);
    }
    put_shares(board, sums);
    UNROLL
    for (int t = 0; t < OUTPUTS; ++t) {
        const int r = me + t * GROUP;
        const heron_index own = row_of_output(first, r, aligned);
        if (r >= ROWS || own >= m) continue;
        const CT sum = sum_of_row(board, r);
        if (parts > 1) {
            partial[part * m + own] = sum;
        } else {
            y[y_offset + own * y_inc] = blas2_updated(MUL(CT, SCALAR(CT, alpha_value, alpha_device), sum),
                                                      SCALAR(CT, beta_value, beta_device), old[t]);
        }
    }
}
HERON_CLOSE

// gemv_rows for the items of a batch, whose `packs` of PACK rows each are numbered together. Of STEPS groups
// `kept` read what is worth a cache's room.
HERON_GROUP_KERNEL(gemv_rows_batch, GROUP, heron_index m, heron_index n, u32 packs, heron_index count,
                   int kept, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL CT* a_base,
                   GLOBAL const void* a_list, int a_kind, heron_index a_stride, heron_index a_list_step,
                   heron_index ld, GLOBAL CT* x_base, GLOBAL const void* x_list, int x_kind,
                   heron_index x_stride, heron_index x_list_step, heron_index x_offset, heron_index x_inc,
                   CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y_base, GLOBAL const void* y_list,
                   int y_kind, heron_index y_stride, heron_index y_list_step, heron_index y_offset,
                   heron_index y_inc) {
    LOCAL_ARRAY(CT, board, GROUP * PACK);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int me = group_item();
    const u32 first = (u32)group_id() * ITEMS;
    const u32 pack = first + me % ITEMS;
    CT sums[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) sums[q] = ZERO(CT);
    if (pack / packs < count && !EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index q = pack / packs;
        GLOBAL const CT* const a =
            (GLOBAL CT*)batch_item(a_base, sizeof(CT), a_list, a_kind, a_stride, a_list_step, q);
        GLOBAL const CT* const x =
            (GLOBAL CT*)batch_item(x_base, sizeof(CT), x_list, x_kind, x_stride, x_list_step, q) + x_offset;
        const heron_index row = (heron_index)(pack % packs) * PACK;
        const heron_index left = m - row;
        // One element in 16 bytes is loaded as it is, and has no registers for code of its own.
        const int wide = PACK > 1 && is_aligned(a, ld) && left >= PACK;
        if (wide && (u32)group_id() * 97 % STEPS >= (u32)kept)
            add_columns(a, row, left, ld, 0, n, 1, 1, 1, conjugate, x, x_inc, sums);
        else if (wide)
            add_columns(a, row, left, ld, 0, n, 1, 0, 1, conjugate, x, x_inc, sums);
        else
            add_columns(a, row, left, ld, 0, n, 0, 0, 1, conjugate, x, x_inc, sums);
    }
    put_shares(board, sums);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    for (int r = me; r < ROWS; r += GROUP) {
        const u32 of_row = first + r / PACK;
        const heron_index q = of_row / packs;
        const heron_index own = (heron_index)(of_row % packs) * PACK + r % PACK;
        if (q >= count || own >= m) continue;
        GLOBAL CT* const y =
            (GLOBAL CT*)batch_item(y_base, sizeof(CT), y_list, y_kind, y_stride, y_list_step, q) +
            (y_offset + own * y_inc);
        blas2_update(y, 0, MUL(CT, alpha, sum_of_row(board, r)), beta);
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
        take_rows(a, row + j * ld, wide, 0, apart, is_there ? left : 0, elements + c * PACK);
    }
    UNROLL
    for (int c = 0; c < UPDATES; ++c) {
        const heron_index j = first + c * SHARES;
        if (j >= n) continue;
        const CT factor = MUL(CT, alpha, conjugate_y ? CONJ(CT, of_column[c]) : of_column[c]);
        UNROLL
        for (int q = 0; q < PACK; ++q)
            elements[c * PACK + q] = MAD(CT, factor, factors[q], elements[c * PACK + q]);
        put_rows(a, row + j * ld, wide, apart, left, elements + c * PACK);
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
    const u32 tiles = (u32)((m + ROWS - 1) / ROWS);
    const heron_index tile = (heron_index)((u32)group_id() % tiles) * ROWS;
    const heron_index first =
        (heron_index)((u32)group_id() / tiles) * (UPDATES * SHARES) + group_item() / ITEMS;
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

HERON_FN void scale_columns(GLOBAL const CT* a, heron_index lda, int left_side, GLOBAL const CT* x,
                            heron_index x_inc, GLOBAL CT* c, heron_index ldc, heron_index row,
                            heron_index left, heron_index n, heron_index first, int wide, int apart) {
    CT elements[UPDATES * PACK];
    CT factors[PACK];
    CT of_column[UPDATES];
    UNROLL
    for (int k = 0; k < UPDATES; ++k) {
        const heron_index j = first + k * SHARES;
        of_column[k] = j < n && !left_side ? x[j * x_inc] : ZERO(CT);
        take_rows(a, row + j * lda, wide, 0, apart, j < n ? left : 0, elements + k * PACK);
    }
    if (left_side) {
        UNROLL
        for (int q = 0; q < PACK; ++q)
            factors[q] = q * apart < left ? x[(row + q * apart) * x_inc] : ZERO(CT);
    }
    UNROLL
    for (int k = 0; k < UPDATES; ++k) {
        const heron_index j = first + k * SHARES;
        if (j >= n) continue;
        UNROLL
        for (int q = 0; q < PACK; ++q)
            elements[k * PACK + q] = MUL(CT, left_side ? factors[q] : of_column[k], elements[k * PACK + q]);
        put_rows(c, row + j * ldc, wide, apart, left, elements + k * PACK);
    }
}

// C := diag(x)*A or A*diag(x), in tiles as ger_tiles.
HERON_GROUP_KERNEL(dgmm_tiles, GROUP, heron_index m, heron_index n, int left_side, GLOBAL const CT* a,
                   heron_index a_offset, heron_index lda, GLOBAL const CT* x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* c, heron_index c_offset, heron_index ldc) {
    const u32 tiles = (u32)((m + ROWS - 1) / ROWS);
    const heron_index tile = (heron_index)((u32)group_id() % tiles) * ROWS;
    const heron_index first =
        (heron_index)((u32)group_id() / tiles) * (UPDATES * SHARES) + group_item() / ITEMS;
    const int aligned = is_aligned(a + a_offset, lda) && is_aligned((GLOBAL const CT*)(c + c_offset), ldc);
    const heron_index row = row_of_item(tile, aligned);
    if (row >= m || first >= n) return;
    if (aligned && m - row >= PACK)
        scale_columns(a + a_offset, lda, left_side, x + x_offset, x_inc, c + c_offset, ldc, row, m - row, n,
                      first, 1, 1);
    else
        scale_columns(a + a_offset, lda, left_side, x + x_offset, x_inc, c + c_offset, ldc, row, m - row, n,
                      first, 0, aligned ? 1 : ITEMS);
}
HERON_CLOSE

HERON_FN CT scaled(CT factor, CT element, int conjugate) {
    return MUL(CT, factor, conjugate ? CONJ(CT, element) : element);
}

HERON_FN void sum_columns(CT alpha, GLOBAL const CT* a, heron_index lda, int conjugate_a, CT beta,
                          GLOBAL const CT* b, heron_index ldb, int conjugate_b, GLOBAL CT* c, heron_index ldc,
                          heron_index row, heron_index left, heron_index n, heron_index first, int wide,
                          int apart) {
    CT of_a[UPDATES * PACK];
    CT of_b[UPDATES * PACK];
    const int takes_a = !EQUAL(CT, alpha, ZERO(CT));
    const int takes_b = !EQUAL(CT, beta, ZERO(CT));
    UNROLL
    for (int k = 0; k < UPDATES; ++k) {
        const heron_index j = first + k * SHARES;
        take_rows(a, row + j * lda, wide, 0, apart, takes_a && j < n ? left : 0, of_a + k * PACK);
        take_rows(b, row + j * ldb, wide, 0, apart, takes_b && j < n ? left : 0, of_b + k * PACK);
    }
    UNROLL
    for (int k = 0; k < UPDATES; ++k) {
        const heron_index j = first + k * SHARES;
        if (j >= n) continue;
        UNROLL
        for (int q = 0; q < PACK; ++q) {
            const int e = k * PACK + q;
            of_a[e] = ADD(CT, scaled(alpha, of_a[e], conjugate_a), scaled(beta, of_b[e], conjugate_b));
        }
        put_rows(c, row + j * ldc, wide, apart, left, of_a + k * PACK);
    }
}

// C := alpha*A + beta*B, or of their conjugates, in tiles as ger_tiles.
HERON_GROUP_KERNEL(geam_tiles, GROUP, heron_index m, heron_index n, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* a, heron_index a_offset, heron_index lda,
                   int conjugate_a, CT beta_value, GLOBAL const CT* beta_device, GLOBAL const CT* b,
                   heron_index b_offset, heron_index ldb, int conjugate_b, GLOBAL CT* c, heron_index c_offset,
                   heron_index ldc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const u32 tiles = (u32)((m + ROWS - 1) / ROWS);
    const heron_index tile = (heron_index)((u32)group_id() % tiles) * ROWS;
    const heron_index first =
        (heron_index)((u32)group_id() / tiles) * (UPDATES * SHARES) + group_item() / ITEMS;
    const int aligned = is_aligned(a + a_offset, lda) && is_aligned(b + b_offset, ldb) &&
                        is_aligned((GLOBAL const CT*)(c + c_offset), ldc);
    const heron_index row = row_of_item(tile, aligned);
    if (row >= m || first >= n) return;
    if (aligned && m - row >= PACK)
        sum_columns(alpha, a + a_offset, lda, conjugate_a, beta, b + b_offset, ldb, conjugate_b, c + c_offset,
                    ldc, row, m - row, n, first, 1, 1);
    else
        sum_columns(alpha, a + a_offset, lda, conjugate_a, beta, b + b_offset, ldb, conjugate_b, c + c_offset,
                    ldc, row, m - row, n, first, 0, aligned ? 1 : ITEMS);
}
HERON_CLOSE

HERON_CLOSE
