// Products of a full triangle and a vector by groups: tiles of the result, each cut into parts, whose results
// lie `rows` apart and are joined by blas2_join. TRIANGLE: 1 the lower triangle of A, 2 the upper one.
HERON_PROGRAM(blas2_trmv_groups, class CT, int GROUP, int ROWS, int TEAM, int TRIANGLE)

CONSTANT(SHARES, GROUP / ROWS);     // items that share a row
CONSTANT(BATCH, 8);                 // elements of a row that an item reads at a time
CONSTANT(COLUMNS, 4);               // columns that a team works on at a time
CONSTANT(DEPTH, 4);                 // elements of a column that an item reads at a time
CONSTANT(FEW, 128);                 // rows of a matrix for one group
CONSTANT(FEW_SHARES, GROUP / FEW);  // items that share one of these
CONSTANT(FEW_BATCH, 8);             // elements that each of them reads at a time: code comes once, and slowly

HERON_FN CT taken(GLOBAL const CT* a, heron_index at, int conjugate) {
    const CT v = a[at];
    return conjugate ? CONJ(CT, v) : v;
}

// Whether element (i, j) counts: not the diagonal of ones.
HERON_FN int is_inside(heron_index i, heron_index j, int unit) {
    return TRIANGLE == 1 ? i >= j + unit : j >= i + unit;
}

// A*x. ROWS items have a row each, and SHARES of them share its columns.
HERON_GROUP_KERNEL(trmv_rows, GROUP, heron_index n, int parts, int conjugate, int unit,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, sums, GROUP);
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
    if (row < n) {
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
        if (unit && share == 0 && row >= begin && row < end)
            batch[0] = ADD(CT, batch[0], x[x_offset + row * x_inc]);
    }
    UNROLL
    for (int width = BATCH / 2; width > 0; width /= 2) {
        UNROLL
        for (int b = 0; b < width; ++b) batch[b] = ADD(CT, batch[b], batch[b + width]);
    }
    sums[group_item()] = batch[0];
    sync_group();
    if (group_item() >= ROWS || row >= n) return;
    CT sum = sums[group_item()];
    UNROLL
    for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, sums[group_item() + s * ROWS]);
    partial[part * n + row] = sum;
}
HERON_CLOSE

// A^T*x. TEAM items go along COLUMNS columns together.
HERON_GROUP_KERNEL(trmv_columns, GROUP, heron_index n, int parts, int conjugate, int unit,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, GLOBAL CT* partial) {
    BOARD_ARRAY(CT, board, GROUP);
    const int part = group_id() % parts;
    const int lane = group_item() % TEAM;
    const heron_index column =
        ((heron_index)(group_id() / parts) * (GROUP / TEAM) + group_item() / TEAM) * COLUMNS;
    const heron_index begin = n * part / parts;
    const heron_index end = n * (part + 1) / parts;
    const heron_index low = TRIANGLE == 1 && column > begin ? column : begin;
    const heron_index high = TRIANGLE == 2 && column + COLUMNS < end ? column + COLUMNS : end;
    const int columns = n - column < COLUMNS ? (int)(n - column) : COLUMNS;
    CT own[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) own[c] = ZERO(CT);
    if (columns > 0) {
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
            if (unit && lane == 0 && c < columns && column + c >= begin && column + c < end)
                own[c] = ADD(CT, own[c], x[x_offset + (column + c) * x_inc]);
    }
    UNROLL_LANES
    for (int mask = 1; mask < TEAM; mask *= 2) {
        UNROLL_LANES
        for (int c = 0; c < COLUMNS; ++c) {
            SYNC_BOARD();
            PUT(CT, board, own[c]);
            SYNC_BOARD();
            own[c] = ADD(CT, own[c], GET_ACROSS(CT, board, TEAM, own[c], mask));
        }
    }
    if (lane >= columns || lane >= COLUMNS) return;
    CT sum = own[0];
    UNROLL
    for (int c = 1; c < COLUMNS; ++c)
        if (lane == c) sum = own[c];
    partial[part * n + column + lane] = sum;
}
HERON_CLOSE

// x := op(A)*x of at most FEW rows by a group that keeps what x was.
HERON_GROUP_KERNEL(trmv_alone, GROUP, heron_index n, int transposed, int conjugate, int unit,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld, GLOBAL CT* x,
                   heron_index x_offset, heron_index x_inc) {
    LOCAL_ARRAY(CT, before, FEW);
    LOCAL_ARRAY(CT, sums, GROUP);
    const int row = group_item() % FEW;
    const int share = group_item() / FEW;
    const heron_index own = x_offset + row * x_inc;
    const CT was = share == 0 && row < n ? x[own] : ZERO(CT);
    CT sum = unit ? was : ZERO(CT);
    // In place of what is not there another element is read, which counts nothing: no load waits for a
    // condition. It lies beside those of the neighbours.
    const heron_index other = row >= n ? 0 : TRIANGLE == 1 ? row : row + (n - 1) * ld;
    for (int begin = 0; begin < n; begin += FEW_SHARES * FEW_BATCH) {
        const int first = begin + share;
        CT elements[FEW_BATCH];
        UNROLL
        for (int b = 0; b < FEW_BATCH; ++b) {
            const int l = first + b * FEW_SHARES;
            const heron_index i = transposed ? l : row;
            const heron_index j = transposed ? row : l;
            const int is_there = row < n && l < n && is_inside(i, j, unit);
            elements[b] = a[a_offset + (is_there ? i + j * ld : other)];
        }
        // When the first elements are on their way, too.
        if (begin == 0) {
            if (share == 0) before[row] = was;
            sync_group();
        }
        UNROLL
        for (int b = 0; b < FEW_BATCH; ++b) {
            const int l = first + b * FEW_SHARES;
            const int is_there =
                row < n && l < n && is_inside(transposed ? l : row, transposed ? row : l, unit);
            const CT element = is_there ? elements[b] : ZERO(CT);
            const CT factor = is_there ? before[l < n ? l : 0] : ZERO(CT);
            sum = MAD(CT, conjugate ? CONJ(CT, element) : element, factor, sum);
        }
    }
    sums[group_item()] = sum;
    sync_group();
    if (share > 0 || row >= n) return;
    UNROLL
    for (int s = 1; s < FEW_SHARES; ++s) sum = ADD(CT, sum, sums[row + s * FEW]);
    x[own] = sum;
}
HERON_CLOSE

HERON_CLOSE
