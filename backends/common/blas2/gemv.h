// Products of a full matrix and a vector by groups. Where there are fewer tiles of the result than keep a
// device busy the sum is cut into parts, whose results lie `rows` apart, and blas2_join adds them up in their
// order.
HERON_PROGRAM(blas2_gemv_groups, class CT, int GROUP, int ROWS, int TEAM)

// Columns that a team works on at a time.
CONSTANT(COLUMNS, 4);

HERON_FN CT taken(GLOBAL const CT* a, heron_index at, int conjugate) {
    const CT v = a[at];
    return conjugate ? CONJ(CT, v) : v;
}

HERON_FN void put_row(CT sum, int parts, int part, heron_index row, heron_index rows, GLOBAL CT* partial,
                      CT alpha, CT beta, GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    if (parts > 1) {
        partial[part * rows + row] = sum;
    } else {
        const heron_index at = y_offset + row * y_inc;
        const CT product = MUL(CT, alpha, sum);
        y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
    }
}

// y := alpha*A*x + beta*y. ROWS items have a row each, and GROUP/ROWS of them share its columns.
HERON_GROUP_KERNEL(gemv_rows, GROUP, heron_index m, heron_index n, int parts, int conjugate, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a, heron_index a_offset,
                   heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc,
                   GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int part = group_id() % parts;
    const heron_index row = (heron_index)(group_id() / parts) * ROWS + group_item() % ROWS;
    const heron_index begin = n * part / parts;
    const heron_index end = n * (part + 1) / parts;
    const heron_index step = GROUP / ROWS;
    CT sum0 = ZERO(CT);
    CT sum1 = ZERO(CT);
    if (row < m && !EQUAL(CT, alpha, ZERO(CT))) {
        heron_index j = begin + group_item() / ROWS;
        const heron_index first = a_offset + row;
        for (; j + 3 * step < end; j += 4 * step) {
            const CT a0 = taken(a, first + j * ld, conjugate);
            const CT a1 = taken(a, first + (j + step) * ld, conjugate);
            const CT a2 = taken(a, first + (j + 2 * step) * ld, conjugate);
            const CT a3 = taken(a, first + (j + 3 * step) * ld, conjugate);
            sum0 = MAD(CT, a0, x[x_offset + j * x_inc], sum0);
            sum1 = MAD(CT, a1, x[x_offset + (j + step) * x_inc], sum1);
            sum0 = MAD(CT, a2, x[x_offset + (j + 2 * step) * x_inc], sum0);
            sum1 = MAD(CT, a3, x[x_offset + (j + 3 * step) * x_inc], sum1);
        }
        for (; j < end; j += step)
            sum0 = MAD(CT, taken(a, first + j * ld, conjugate), x[x_offset + j * x_inc], sum0);
    }
    sums[group_item()] = ADD(CT, sum0, sum1);
    sync_group();
    if (group_item() >= ROWS || row >= m) return;
    CT sum = sums[group_item()];
    for (int share = 1; share < GROUP / ROWS; ++share) sum = ADD(CT, sum, sums[group_item() + share * ROWS]);
    put_row(sum, parts, part, row, m, partial, alpha, SCALAR(CT, beta_value, beta_device), y, y_offset,
            y_inc);
}
HERON_CLOSE

// y := alpha*A^T*x + beta*y. TEAM items go along COLUMNS columns together.
HERON_GROUP_KERNEL(gemv_columns, GROUP, heron_index m, heron_index n, int parts, int conjugate,
                   CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, COLUMNS * GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int part = group_id() % parts;
    const int lane = group_item() % TEAM;
    const heron_index column =
        ((heron_index)(group_id() / parts) * (GROUP / TEAM) + group_item() / TEAM) * COLUMNS;
    const heron_index end = m * (part + 1) / parts;
    CT sum0 = ZERO(CT);
    CT sum1 = ZERO(CT);
    CT sum2 = ZERO(CT);
    CT sum3 = ZERO(CT);
    if (column < n && !EQUAL(CT, alpha, ZERO(CT))) {
        // What lies behind the last column is read from that again.
        const heron_index at0 = a_offset + column * ld;
        const heron_index at1 = a_offset + (column + 1 < n ? column + 1 : column) * ld;
        const heron_index at2 = a_offset + (column + 2 < n ? column + 2 : column) * ld;
        const heron_index at3 = a_offset + (column + 3 < n ? column + 3 : column) * ld;
        UNROLL_BY(2)
        for (heron_index i = m * part / parts + lane; i < end; i += TEAM) {
            const CT xi = x[x_offset + i * x_inc];
            sum0 = MAD(CT, taken(a, at0 + i, conjugate), xi, sum0);
            sum1 = MAD(CT, taken(a, at1 + i, conjugate), xi, sum1);
            sum2 = MAD(CT, taken(a, at2 + i, conjugate), xi, sum2);
            sum3 = MAD(CT, taken(a, at3 + i, conjugate), xi, sum3);
        }
    }
    sums[group_item()] = sum0;
    sums[group_item() + GROUP] = sum1;
    sums[group_item() + 2 * GROUP] = sum2;
    sums[group_item() + 3 * GROUP] = sum3;
    for (int width = TEAM / 2; width > 0; width /= 2) {
        sync_group();
        if (lane < width) {
            UNROLL
            for (int c = 0; c < COLUMNS; ++c) {
                const int at = group_item() + c * GROUP;
                sums[at] = ADD(CT, sums[at], sums[at + width]);
            }
        }
    }
    sync_group();
    if (lane >= COLUMNS || column + lane >= n) return;
    put_row(sums[group_item() - lane + lane * GROUP], parts, part, column + lane, n, partial, alpha,
            SCALAR(CT, beta_value, beta_device), y, y_offset, y_inc);
}
HERON_CLOSE

HERON_CLOSE
