// A full matrix and vectors on processors: an item alone in its group has a piece of the work, in loops along
// columns that become instructions for vectors. Of a triangle, 1 lower and 2 upper, the other elements are
// not read; 0: all are there. With unit neither is the diagonal, whose elements are ones.
HERON_PROGRAM(blas2_runs, class CT)

CONSTANT(ROWS, 1024);
CONSTANT(LANES, 16);
CONSTANT(COLUMNS, 4);

// The first row of column j, and the one behind its last, among rows begin ... end - 1.
HERON_FN heron_index first_row(int triangle, int unit, heron_index j, heron_index begin) {
    const heron_index first = triangle == 1 ? j + unit : 0;
    return first > begin ? first : begin;
}
HERON_FN heron_index end_row(int triangle, int unit, heron_index j, heron_index end) {
    const heron_index behind = triangle == 2 ? j + 1 - unit : end;
    return behind < end ? behind : end;
}

HERON_FN void put_row(CT sum, int parts, int part, heron_index row, heron_index rows, GLOBAL CT* partial,
                      CT alpha, CT beta, GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    if (parts > 1) {
        partial[part * rows + row] = sum;
    } else {
        blas2_update(y, y_offset + row * y_inc, MUL(CT, alpha, sum), beta);
    }
}

// y := alpha*A*x + beta*y: ROWS rows, and of the columns one of the parts.
HERON_GROUP_KERNEL(rows_run, 1, heron_index m, heron_index n, int triangle, int unit, int parts,
                   int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int part = group_id() % parts;
    const heron_index first = (heron_index)(group_id() / parts) * ROWS;
    const int count = m - first < ROWS ? (int)(m - first) : ROWS;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? 0 : n * (part + 1) / parts;
    CT sums[ROWS];
    for (int i = 0; i < count; ++i) sums[i] = ZERO(CT);
    heron_index j = n * part / parts;
    while (j < end) {
        const int begin0 = (int)(first_row(triangle, unit, j, first) - first);
        const int end0 = (int)(end_row(triangle, unit, j, first + count) - first);
        GLOBAL const CT* const a0 = a + a_offset + first + j * ld;
        CT x0 = x[x_offset + j * x_inc];
        if (conjugate) x0 = CONJ(CT, x0);
        const heron_index last = j + COLUMNS - 1;
        const int is_whole = begin0 == 0 && end0 == count && last < end &&
                             first_row(triangle, unit, last, first) == first &&
                             end_row(triangle, unit, last, first + count) == first + count;
        if (!is_whole) {
            for (int i = begin0; i < end0; ++i) sums[i] = MAD(CT, a0[i], x0, sums[i]);
            ++j;
            continue;
        }
        CT x1 = x[x_offset + (j + 1) * x_inc];
        CT x2 = x[x_offset + (j + 2) * x_inc];
        CT x3 = x[x_offset + (j + 3) * x_inc];
        if (conjugate) {
            x1 = CONJ(CT, x1);
            x2 = CONJ(CT, x2);
            x3 = CONJ(CT, x3);
        }
        GLOBAL const CT* const a1 = a0 + ld;
        GLOBAL const CT* const a2 = a1 + ld;
        GLOBAL const CT* const a3 = a2 + ld;
        for (int i = 0; i < count; ++i)
            sums[i] = MAD(CT, a3[i], x3, MAD(CT, a2[i], x2, MAD(CT, a1[i], x1, MAD(CT, a0[i], x0, sums[i]))));
        j += COLUMNS;
    }
    for (int i = 0; i < count; ++i) {
        CT sum = conjugate ? CONJ(CT, sums[i]) : sums[i];
        if (unit && part == 0) sum = ADD(CT, sum, x[x_offset + (first + i) * x_inc]);
        put_row(sum, parts, part, first + i, m, partial, alpha, beta, y, y_offset, y_inc);
    }
}
HERON_CLOSE

// y := alpha*A^T*x + beta*y: `columns` columns, and of the rows one of the parts. x has no gaps.
HERON_GROUP_KERNEL(columns_run, 1, heron_index m, heron_index n, heron_index columns, int triangle, int unit,
                   int parts, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, GLOBAL CT* partial, CT beta_value,
                   GLOBAL const CT* beta_device, GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int part = group_id() % parts;
    const heron_index first = (heron_index)(group_id() / parts) * columns;
    const heron_index end = first + columns < n ? first + columns : n;
    const heron_index begin_row = m * part / parts;
    const heron_index last_row = EQUAL(CT, alpha, ZERO(CT)) ? begin_row : m * (part + 1) / parts;
    GLOBAL const CT* const from = x + x_offset;
    for (heron_index j = first; j < end; ++j) {
        const heron_index row = first_row(triangle, unit, j, begin_row);
        const heron_index behind = end_row(triangle, unit, j, last_row);
        GLOBAL const CT* const column = a + a_offset + j * ld;
        CT sums[LANES];
        for (int l = 0; l < LANES; ++l) sums[l] = ZERO(CT);
        heron_index i = row;
        for (; i + LANES <= behind; i += LANES) {
            UNROLL
            for (int l = 0; l < LANES; ++l)
                sums[l] = MAD(CT, conjugate ? CONJ(CT, column[i + l]) : column[i + l], from[i + l], sums[l]);
        }
        CT sum = ZERO(CT);
        for (; i < behind; ++i) sum = MAD(CT, conjugate ? CONJ(CT, column[i]) : column[i], from[i], sum);
        for (int width = LANES / 2; width > 0; width /= 2)
            for (int l = 0; l < width; ++l) sums[l] = ADD(CT, sums[l], sums[l + width]);
        sum = ADD(CT, sum, sums[0]);
        if (unit && part == 0) sum = ADD(CT, sum, from[j]);
        put_row(sum, parts, part, j, n, partial, alpha, beta, y, y_offset, y_inc);
    }
}
HERON_CLOSE

// partial[part*n + i]: what some of the columns of a stored triangle add to the rows of A*x, each element
// read once. x has no gaps. Where one part has all of them, y := alpha*A*x + beta*y follows.
HERON_GROUP_KERNEL(symv_run, 1, heron_index n, int parts, int lower, int hermitian, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a, heron_index a_offset,
                   heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   GLOBAL CT* RESTRICT partial, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_zero = EQUAL(CT, alpha, ZERO(CT));
    if (is_zero && parts > 1) return;
    GLOBAL CT* const to = partial + group_id() * n;
    GLOBAL const CT* const from = x + x_offset;
    for (heron_index i = 0; i < n; ++i) to[i] = ZERO(CT);
    // Columns are of different lengths: every part has some of each.
    for (heron_index j = is_zero ? n : group_id(); j < n; j += parts) {
        GLOBAL const CT* const column = a + a_offset + j * ld;
        const heron_index end = lower ? n : j;
        const CT xj = from[j];
        CT sums[LANES];
        for (int l = 0; l < LANES; ++l) sums[l] = ZERO(CT);
        heron_index i = lower ? j + 1 : 0;
        for (; i + LANES <= end; i += LANES) {
            UNROLL
            for (int l = 0; l < LANES; ++l) {
                const CT v = column[i + l];
                to[i + l] = MAD(CT, v, xj, to[i + l]);
                sums[l] = MAD(CT, hermitian ? CONJ(CT, v) : v, from[i + l], sums[l]);
            }
        }
        CT sum = MUL(CT, hermitian ? REAL(CT, column[j]) : column[j], xj);
        for (; i < end; ++i) {
            const CT v = column[i];
            to[i] = MAD(CT, v, xj, to[i]);
            sum = MAD(CT, hermitian ? CONJ(CT, v) : v, from[i], sum);
        }
        for (int width = LANES / 2; width > 0; width /= 2)
            for (int l = 0; l < width; ++l) sums[l] = ADD(CT, sums[l], sums[l + width]);
        to[j] = ADD(CT, to[j], ADD(CT, sum, sums[0]));
    }
    if (parts > 1) return;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    for (heron_index i = 0; i < n; ++i) put_row(to[i], 1, 0, i, n, partial, alpha, beta, y, y_offset, y_inc);
}
HERON_CLOSE

// A := alpha*x*y^T + A, `columns` columns. x has no gaps.
HERON_GROUP_KERNEL(ger_run, 1, heron_index m, heron_index n, heron_index columns, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   int conjugate_y, GLOBAL const CT* RESTRICT y, heron_index y_offset, heron_index y_inc,
                   GLOBAL CT* RESTRICT a, heron_index a_offset, heron_index ld) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index first = group_id() * columns;
    GLOBAL const CT* const from = x + x_offset;
    for (heron_index j = first; j < first + columns && j < n; ++j) {
        const CT yj = y[y_offset + j * y_inc];
        const CT factor = MUL(CT, alpha, conjugate_y ? CONJ(CT, yj) : yj);
        GLOBAL CT* const to = a + a_offset + j * ld;
        for (heron_index i = 0; i < m; ++i) to[i] = MAD(CT, factor, from[i], to[i]);
    }
}
HERON_CLOSE

HERON_CLOSE
