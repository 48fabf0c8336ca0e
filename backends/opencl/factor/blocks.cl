// The rows of a BSR matrix with square blocks of `size` rows. Element (r, c) of block k is
// a[k*size*size + r*row_step + c*column_step]. The team shares out what it does with a block, and meets
// behind each step.

typedef struct {
    GLOBAL CT* a;
    int size, row_step, column_step;
    int lane;
} block_array;

HERON_FN GLOBAL CT* block_of(block_array b, int k) { return b.a + (heron_index)k * b.size * b.size; }
HERON_FN int place_in(block_array b, int r, int c) { return r * b.row_step + c * b.column_step; }

// X := X * U^-1 or X * L^-H for a diagonal block D; NULL: one that is zero. An item has a row of X.
HERON_FN void divide_block(block_array b, GLOBAL CT* x, GLOBAL const CT* d) {
    for (int r = b.lane; r < b.size; r += LANES)
        for (int c = 0; c < b.size; ++c) {
            CT sum = x[place_in(b, r, c)];
            for (int t = 0; t < c && d; ++t)
                sum = SUB(CT, sum,
                          MUL(CT, x[place_in(b, r, t)],
                              IS_LU ? d[place_in(b, t, c)] : CONJ(CT, d[place_in(b, c, t)])));
            x[place_in(b, r, c)] = DIV(CT, sum, d ? d[place_in(b, c, c)] : ZERO(CT));
        }
    sync_team();
}

// Y := Y - X * Z, or Y - X * Z^H.
HERON_FN void subtract_block(block_array b, GLOBAL CT* y, GLOBAL const CT* x, GLOBAL const CT* z) {
    for (int i = b.lane; i < b.size * b.size; i += LANES) {
        const int r = i / b.size;
        const int c = i % b.size;
        CT sum = ZERO(CT);
        for (int t = 0; t < b.size; ++t)
            sum = MAD(CT, x[place_in(b, r, t)], IS_LU ? z[place_in(b, t, c)] : CONJ(CT, z[place_in(b, c, t)]),
                      sum);
        y[place_in(b, r, c)] = SUB(CT, y[place_in(b, r, c)], sum);
    }
    sync_team();
}

HERON_FN void eliminate_block(factor_operands o, factored_row own, int k, block_array b) {
    const int j = o.columns[k] - o.base;
    const factored_row other = row_with_parts(o, j);
    const row_meeting meeting = meeting_of(own, k, other);
    const int count = candidates(meeting);
    GLOBAL const CT* const pivots = other.regular ? block_of(b, other.diagonal) : (GLOBAL CT*)0;
    await(o.done + j);
    if (IS_LU) divide_block(b, block_of(b, k), pivots);
    for (int q = 0; q < count; ++q) {
        const row_pair pair = pair_at(meeting, q, o.columns);
        if (pair.other < 0) continue;
        if (IS_LU)
            subtract_block(b, block_of(b, pair.own), block_of(b, k), block_of(b, pair.other));
        else
            subtract_block(b, block_of(b, k), block_of(b, pair.own), block_of(b, pair.other));
    }
    if (!IS_LU) divide_block(b, block_of(b, k), pivots);
}

// The lower triangle of the diagonal block D := itself - the sum of X * X^H over the blocks before it.
HERON_FN void subtract_squares(factored_row own, block_array b, GLOBAL CT* d) {
    for (int i = b.lane; i < b.size * b.size; i += LANES) {
        const int r = i / b.size;
        const int c = i % b.size;
        if (c > r) continue;
        CT sum = ZERO(CT);
        for (int k = own.begin; k < own.diagonal; ++k) {
            GLOBAL const CT* const x = block_of(b, k);
            for (int t = 0; t < b.size; ++t)
                sum = MAD(CT, x[place_in(b, r, t)], CONJ(CT, x[place_in(b, c, t)]), sum);
        }
        d[place_in(b, r, c)] = SUB(CT, d[place_in(b, r, c)], sum);
    }
    sync_team();
}

// The diagonal block D as the product of its triangles.
HERON_FN void factor_block(factor_operands o, int row, block_array b, GLOBAL CT* d) {
    for (int t = 0; t < b.size; ++t) {
        const CT stored = d[place_in(b, t, t)];
        sync_team();
        CT pivot = stored;
        if (b.lane == 0) {
            pivot = finished_pivot(o, row, stored);
            d[place_in(b, t, t)] = pivot;
        }
        sync_team();
        pivot = d[place_in(b, t, t)];
        for (int r = t + 1 + b.lane; r < b.size; r += LANES)
            d[place_in(b, r, t)] = DIV(CT, d[place_in(b, r, t)], pivot);
        sync_team();
        for (int i = b.lane; i < b.size * b.size; i += LANES) {
            const int r = i / b.size;
            const int c = i % b.size;
            if (r <= t || c <= t || (!IS_LU && c > r)) continue;
            const CT above = IS_LU ? d[place_in(b, t, c)] : CONJ(CT, d[place_in(b, c, t)]);
            d[place_in(b, r, c)] = SUB(CT, d[place_in(b, r, c)], MUL(CT, d[place_in(b, r, t)], above));
        }
        sync_team();
    }
}

// X := L^-1 * X for the blocks behind the diagonal one. An item has a column.
HERON_FN void substitute_blocks(factored_row own, block_array b, GLOBAL const CT* d) {
    const int columns = (own.end - own.diagonal - 1) * b.size;
    for (int i = b.lane; i < columns; i += LANES) {
        GLOBAL CT* const x = block_of(b, own.diagonal + 1 + i / b.size);
        const int c = i % b.size;
        for (int r = 1; r < b.size; ++r) {
            CT sum = x[place_in(b, r, c)];
            for (int t = 0; t < r; ++t)
                sum = SUB(CT, sum, MUL(CT, d[place_in(b, r, t)], x[place_in(b, t, c)]));
            x[place_in(b, r, c)] = sum;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_factor_blocks(
    GLOBAL const int4* records, int n, GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
    GLOBAL const i32* diagonal, GLOBAL CT* a, int size, int row_step, int column_step, CT tolerance,
    GLOBAL const i64* tolerance_bits, CT boost, GLOBAL const CT* boost_device, GLOBAL i32* zero_pivot,
    GLOBAL int* done, GLOBAL int* tickets) {
    __local int ticket;
    block_array b;
    b.a = a;
    b.size = size;
    b.row_step = row_step;
    b.column_step = column_step;
    b.lane = (int)get_local_id(0) % LANES;
    const int place = draw_ticket(tickets, &ticket) * (GROUP / LANES) + (int)get_local_id(0) / LANES;
    if (place >= n) return;
    const factor_operands o = operands_of(offsets, columns, base, diagonal, tolerance, tolerance_bits, boost,
                                          boost_device, zero_pivot, done);
    const factored_row own = row_with_parts(o, records[place].x);
    for (int k = own.begin; k < own.diagonal; ++k) {
        const int j = columns[k] - base;
        if (j >= 0 && j < own.row) eliminate_block(o, own, k, b);
    }
    if (!own.regular) {
        if (b.lane == 0) report_zero(o, own.row);
    } else {
        GLOBAL CT* const d = block_of(b, own.diagonal);
        if (!IS_LU) subtract_squares(own, b, d);
        factor_block(o, own.row, b, d);
        if (IS_LU) substitute_blocks(own, b, d);
    }
    announce(done + own.row);
}
