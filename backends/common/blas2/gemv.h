// Products of a full matrix or triangle and a vector by groups. Where there are fewer tiles of the result
// than keep a device busy the sum is cut into parts, whose results lie `rows` apart and are joined (join.h).
// TRIANGLE: 1 the lower triangle of A alone, 2 the upper one; only parts are written then.
HERON_PROGRAM(blas2_gemv_groups, class CT, int GROUP, int ROWS, int TEAM, int TRIANGLE)

CONSTANT(SHARES, GROUP / ROWS);  // items that share a row
CONSTANT(BATCH, 8);              // elements of a row that an item reads at a time
CONSTANT(COLUMNS, 4);            // columns that a team works on at a time
CONSTANT(DEPTH, 4);              // elements of a column that an item reads at a time
CONSTANT(LANES, TEAM < 32 ? TEAM : 32);
CONSTANT(SUBTEAMS, TEAM / LANES);

HERON_FN CT taken(GLOBAL const CT* a, heron_index at, int conjugate) {
    const CT v = a[at];
    return conjugate ? CONJ(CT, v) : v;
}

// Whether element (i, j) is one of the triangle that counts.
HERON_FN int is_inside(heron_index i, heron_index j, int unit) {
    if (TRIANGLE == 1) return i >= j + unit;
    if (TRIANGLE == 2) return j >= i + unit;
    return 1;
}

HERON_FN void put_row(CT sum, int parts, int part, heron_index row, heron_index rows, GLOBAL CT* partial,
                      CT alpha, CT beta, GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    if (TRIANGLE || parts > 1) {
        partial[part * rows + row] = sum;
    } else {
        const heron_index at = y_offset + row * y_inc;
        const CT product = MUL(CT, alpha, sum);
        y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
    }
}

// y := alpha*A*x + beta*y. ROWS items have a row each, and SHARES of them share its columns.
HERON_GROUP_KERNEL(gemv_rows, GROUP, heron_index m, heron_index n, int parts, int conjugate, int unit,
                   CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int part = group_id() % parts;
    const int share = group_item() / ROWS;
    const heron_index tile = (heron_index)(group_id() / parts) * ROWS;
    const heron_index row = tile + group_item() % ROWS;
    const heron_index begin = n * part / parts;
    const heron_index end = n * (part + 1) / parts;
    const heron_index low = TRIANGLE == 2 && tile > begin ? tile : begin;
    const heron_index high = TRIANGLE == 1 && tile + ROWS < end ? tile + ROWS : end;
    CT batch[BATCH];
    UNROLL
    for (int b = 0; b < BATCH; ++b) batch[b] = ZERO(CT);
    if (row < m && !EQUAL(CT, alpha, ZERO(CT))) {
        for (heron_index j = low + share; j < high; j += BATCH * SHARES) {
            CT elements[BATCH];
            UNROLL
            for (int b = 0; b < BATCH; ++b) {
                const heron_index column = j + b * SHARES;
                elements[b] = ZERO(CT);
                if (column < high && is_inside(row, column, unit))
                    elements[b] = taken(a, a_offset + row + column * ld, conjugate);
            }
            UNROLL
            for (int b = 0; b < BATCH; ++b) {
                const heron_index column = j + b * SHARES;
                if (column < high && is_inside(row, column, unit))
                    batch[b] = MAD(CT, elements[b], x[x_offset + column * x_inc], batch[b]);
            }
        }
        if (TRIANGLE && unit && share == 0 && row >= begin && row < end)
            batch[0] = ADD(CT, batch[0], x[x_offset + row * x_inc]);
    }
    UNROLL
    for (int width = BATCH / 2; width > 0; width /= 2) {
        UNROLL
        for (int b = 0; b < width; ++b) batch[b] = ADD(CT, batch[b], batch[b + width]);
    }
    sums[group_item()] = batch[0];
    sync_group();
    if (group_item() >= ROWS || row >= m) return;
    CT sum = sums[group_item()];
    UNROLL
    for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, sums[group_item() + s * ROWS]);
    put_row(sum, parts, part, row, m, partial, alpha, SCALAR(CT, beta_value, beta_device), y, y_offset,
            y_inc);
}
HERON_CLOSE

// y := alpha*A^T*x + beta*y. TEAM items go along COLUMNS columns together.
HERON_GROUP_KERNEL(gemv_columns, GROUP, heron_index m, heron_index n, int parts, int conjugate, int unit,
                   CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP / LANES * COLUMNS);
    BOARD_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int part = group_id() % parts;
    const int lane = group_item() % TEAM;
    const heron_index column =
        ((heron_index)(group_id() / parts) * (GROUP / TEAM) + group_item() / TEAM) * COLUMNS;
    const heron_index begin = m * part / parts;
    const heron_index end = m * (part + 1) / parts;
    const heron_index low = TRIANGLE == 1 && column > begin ? column : begin;
    const heron_index high = TRIANGLE == 2 && column + COLUMNS < end ? column + COLUMNS : end;
    const int columns = n - column < COLUMNS ? (int)(n - column) : COLUMNS;
    CT own[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) own[c] = ZERO(CT);
    if (columns > 0 && !EQUAL(CT, alpha, ZERO(CT))) {
        for (heron_index first = low + lane; first < high; first += DEPTH * TEAM) {
            CT elements[DEPTH * COLUMNS];
            UNROLL
            for (int e = 0; e < DEPTH * COLUMNS; ++e) {
                const heron_index i = first + e / COLUMNS * TEAM;
                const int c = e % COLUMNS;
                elements[e] = ZERO(CT);
                if (i < high && c < columns && is_inside(i, column + c, unit))
                    elements[e] = taken(a, a_offset + (column + c) * ld + i, conjugate);
            }
            UNROLL
            for (int d = 0; d < DEPTH; ++d) {
                const heron_index i = first + d * TEAM;
                if (i >= high) continue;
                const CT xi = x[x_offset + i * x_inc];
                UNROLL
                for (int c = 0; c < COLUMNS; ++c)
                    if (is_inside(i, column + c, unit))
                        own[c] = MAD(CT, elements[d * COLUMNS + c], xi, own[c]);
            }
        }
        UNROLL
        for (int c = 0; c < COLUMNS; ++c)
            if (TRIANGLE && unit && lane == 0 && c < columns && column + c >= begin && column + c < end)
                own[c] = ADD(CT, own[c], x[x_offset + (column + c) * x_inc]);
    }
    UNROLL_LANES
    for (int mask = 1; mask < LANES; mask *= 2) {
        UNROLL_LANES
        for (int c = 0; c < COLUMNS; ++c) {
            SYNC_BOARD();
            PUT(CT, board, own[c]);
            SYNC_BOARD();
            own[c] = ADD(CT, own[c], GET_ACROSS(CT, board, LANES, own[c], mask));
        }
    }
    if (lane % LANES == 0) {
        UNROLL
        for (int c = 0; c < COLUMNS; ++c) sums[group_item() / LANES * COLUMNS + c] = own[c];
    }
    sync_group();
    if (lane >= columns || lane >= COLUMNS) return;
    const int at = group_item() / TEAM * (SUBTEAMS * COLUMNS) + lane;
    CT sum = sums[at];
    UNROLL
    for (int s = 1; s < SUBTEAMS; ++s) sum = ADD(CT, sum, sums[at + s * COLUMNS]);
    put_row(sum, parts, part, column + lane, n, partial, alpha, SCALAR(CT, beta_value, beta_device), y,
            y_offset, y_inc);
}
HERON_CLOSE

HERON_CLOSE
