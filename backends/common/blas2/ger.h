// A := A + alpha*x*y^T by groups: ROWS items have a row each, and so many of a group's items share its
// columns. A group goes along COLUMNS columns for each of them.
HERON_PROGRAM(blas2_ger_groups, class CT, int GROUP, int ROWS)

CONSTANT(SHARES, GROUP / ROWS);
CONSTANT(COLUMNS, 8);

HERON_GROUP_KERNEL(ger_tiles, GROUP, heron_index m, heron_index n, int row_tiles, CT alpha_value,
                   GLOBAL const CT* alpha_device, int conjugate_x, GLOBAL const CT* RESTRICT x,
                   heron_index x_offset, heron_index x_inc, int conjugate_y, GLOBAL const CT* RESTRICT y,
                   heron_index y_offset, heron_index y_inc, GLOBAL CT* a, heron_index a_offset,
                   heron_index ld) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const int me = group_item();
    const heron_index i = (heron_index)(group_id() % row_tiles) * ROWS + me % ROWS;
    const heron_index first = (heron_index)(group_id() / row_tiles) * (SHARES * COLUMNS) + me / ROWS;
    if (i >= m) return;
    const CT stored = x[x_offset + i * x_inc];
    const CT xi = conjugate_x ? CONJ(CT, stored) : stored;
    const heron_index at = a_offset + i + first * ld;
    CT elements[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) {
        elements[c] = ZERO(CT);
        if (first + c * SHARES < n) elements[c] = a[at + c * SHARES * ld];
    }
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) {
        if (first + c * SHARES >= n) continue;
        const CT yj = y[y_offset + (first + c * SHARES) * y_inc];
        a[at + c * SHARES * ld] = MAD(CT, MUL(CT, alpha, conjugate_y ? CONJ(CT, yj) : yj), xi, elements[c]);
    }
}
HERON_CLOSE

HERON_CLOSE
