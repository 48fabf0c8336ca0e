// Products of a full matrix, transposed, and a vector by groups. TEAM items go down COLUMNS columns together,
// PACK rows each at a time, which are 16 bytes of a column where these are aligned. Where there are fewer
// tiles of the result than keep a device busy the sum is cut into parts, whose results lie `rows` apart, and
// blas2_join adds them up in their order.
HERON_PROGRAM(blas2_gemv_groups, class CT, int GROUP, int TEAM, int COLUMNS)

CONSTANT(PACK, 16 / (int)sizeof(CT));
CONSTANT(TEAMS, GROUP / TEAM);
CONSTANT(WIDTH, TEAMS* COLUMNS);  // columns of a group
CONSTANT(OUTPUTS, (WIDTH + GROUP - 1) / GROUP);
CONSTANT(STEP, TEAM* PACK);  // rows that a team takes at a time
// So many times are on their way to an item, of all of its columns. Small groups have registers for twice as
// many elements of 16 bytes.
CONSTANT(IS_ROOMY, GROUP < 256 && PACK == 1);
CONSTANT(DEPTH, COLUMNS <= 2 ? 4 : COLUMNS == 4 ? (IS_ROOMY ? 4 : 2) : 1);
CONSTANT(LANES, TEAM < 32 ? TEAM : 32);
CONSTANT(LANE_TEAMS, TEAM / LANES);
// A team has up to 4 columns, or 8 where it has 4 lanes, each of which then keeps the sums of two.
CONSTANT(HALVED, COLUMNS < 4 ? COLUMNS : 4);
CONSTANT(KEPT, COLUMNS / HALVED);
// Of so many groups some read what is worth a cache's room, where columns are long.
CONSTANT(STEPS, 256);
CONSTANT(IS_LONG, TEAM >= 32);

typedef union {
    int4 raw;
    CT value[16 / sizeof(CT)];
} wide_value;

// An item's elements of a column, or of x, from `a` on, `apart` elements apart where it is not wide. left: so
// many rows are there from the first one on, which end behind a wide element. once: of a matrix that is too
// large to stay in a cache.
HERON_FN void take_rows(GLOBAL const CT* a, heron_index apart, heron_index left, int wide, int once,
                        CT* elements) {
    if (wide) {
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = ZERO(CT);
        if (left > 0) v.raw = once ? LOAD_ONCE((GLOBAL const int4*)a) : *(GLOBAL const int4*)a;
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = v.value[q];
    } else {
        UNROLL
        for (int q = 0; q < PACK; ++q) elements[q] = q * TEAM < left ? a[q * apart] : ZERO(CT);
    }
}

HERON_FN CT added(CT element, int conjugate, CT factor, CT sum) {
    return MAD(CT, conjugate ? CONJ(CT, element) : element, factor, sum);
}

// What lies behind the last column is read from that again.
HERON_FN heron_index column_of(heron_index first, heron_index distance, heron_index n) {
    const heron_index column = first + distance;
    return column < n ? column : n - 1;
}

// DEPTH steps down the columns of a team, whose elements lie at `at`, those of x at `x`.
HERON_FN void add_turn(GLOBAL const CT** at, GLOBAL const CT* x, heron_index x_inc, heron_index left,
                       int wide, int once, int conjugate, CT* sums) {
    CT elements[DEPTH * COLUMNS * PACK];
    CT factors[DEPTH * PACK];
    UNROLL
    for (int d = 0; d < DEPTH; ++d) {
        UNROLL
        for (int c = 0; c < COLUMNS; ++c)
            take_rows(at[c] + d * STEP, TEAM, left - d * STEP, wide, once,
                      elements + (d * COLUMNS + c) * PACK);
        take_rows(x + d * STEP * x_inc, TEAM * x_inc, left - d * STEP, wide, 0, factors + d * PACK);
    }
    UNROLL
    for (int e = 0; e < DEPTH * COLUMNS * PACK; ++e) {
        const int c = e / PACK % COLUMNS;
        sums[c] = added(elements[e], conjugate, factors[e / (COLUMNS * PACK) * PACK + e % PACK], sums[c]);
    }
}

// The columns of a team are so many apart.
HERON_FN void add_rows(GLOBAL const CT* a, heron_index ld, heron_index column, heron_index apart,
                       heron_index n, heron_index begin, heron_index end, int wide, int once, int conjugate,
                       GLOBAL const CT* x, heron_index x_inc, CT* sums) {
    const int lane = group_item() % TEAM;
    const int own = wide ? lane * PACK : lane;
    const int behind = wide ? (int)(end % PACK) : 0;
    GLOBAL const CT* at[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) at[c] = a + column_of(column, c * apart, n) * ld + (begin + own);
    x += (begin + own) * x_inc;
    // Turns that are whole for a team ask nothing of their rows.
    heron_index left = end - begin - behind;
    ROLLED
    for (; left >= DEPTH * STEP; left -= DEPTH * STEP) {
        add_turn(at, x, x_inc, DEPTH * STEP, wide, once, conjugate, sums);
        UNROLL
        for (int c = 0; c < COLUMNS; ++c) at[c] += DEPTH * STEP;
        x += DEPTH * STEP * x_inc;
    }
    if (left > 0) add_turn(at, x, x_inc, left - own, wide, once, conjugate, sums);
    if (lane >= behind) return;
    // Rows behind the last wide ones.
    const heron_index last = left + lane - own;
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) sums[c] = added(at[c][last], conjugate, x[last], sums[c]);
}

// The sum over two lanes whose numbers differ by `mask`, of `odd` where the bit is set and of `even`
// elsewhere.
HERON_FN CT sum_across(BOARD(CT) board, int lane, int mask, CT even, CT odd) {
    const int is_odd = (lane & mask) != 0;
    const CT given = is_odd ? even : odd;
    SYNC_BOARD();
    PUT(CT, board, given);
    SYNC_BOARD();
    return ADD(CT, is_odd ? odd : even, GET_ACROSS(CT, board, LANES, given, mask));
}

// Adds up what lanes have of their columns. As long as they have several, each gives half of them away, so
// that in the end lane l has column l % COLUMNS and those LANES further each.
HERON_FN void add_up_lanes(BOARD(CT) board, int lane, CT* sums) {
    UNROLL_LANES
    for (int c = 0; c < COLUMNS / 2; ++c) sums[c] = sum_across(board, lane, 1, sums[2 * c], sums[2 * c + 1]);
    UNROLL_LANES
    for (int c = 0; c < COLUMNS / 4; ++c) sums[c] = sum_across(board, lane, 2, sums[2 * c], sums[2 * c + 1]);
    UNROLL_LANES
    for (int mask = HALVED; mask < LANES; mask *= 2)
        sums[0] = sum_across(board, lane, mask, sums[0], sums[0]);
}

// y := alpha*A^T*x + beta*y, or parts of the sums. Of STEPS groups `kept` read what is worth a cache's room.
HERON_GROUP_KERNEL(gemv_columns, GROUP, heron_index m, heron_index n, int parts, int kept, int conjugate,
                   CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL CT* partial, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    BOARD_ARRAY(CT, board, GROUP);
    LOCAL_ARRAY(CT, shares, LANE_TEAMS * WIDTH);
    const int me = group_item();
    const int lane = me % TEAM;
    // Divisions take short columns longer than their elements.
    const int is_whole = parts == 1;
    const int part = is_whole ? 0 : group_id() % parts;
    const heron_index first = (heron_index)(is_whole ? group_id() : group_id() / parts) * WIDTH;
    const heron_index column = first + me / TEAM;
    // Scalars are read again at the end: in between their registers are for what is on its way.
    const int takes_old = is_whole && !EQUAL(CT, SCALAR(CT, beta_value, beta_device), ZERO(CT));
    // Read before they are wanted: in a small product nothing else hides how long that takes.
    CT old[OUTPUTS];
    UNROLL
    for (int t = 0; t < OUTPUTS; ++t) {
        const int k = me + t * GROUP;
        const int wanted = k < WIDTH && first + k < n && takes_old;
        old[t] = wanted ? y[y_offset + (first + k) * y_inc] : ZERO(CT);
    }
    CT sums[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) sums[c] = ZERO(CT);
    if (column < n && !EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) {
        heron_index begin = 0;
        heron_index end = m;
        if (!is_whole) {
            const heron_index packs = (m + PACK - 1) / PACK;
            const heron_index upto = packs * (part + 1) / parts * PACK;
            begin = packs * part / parts * PACK;
            end = upto < m ? upto : m;
        }
        const int wide = ((i64)(a + a_offset) & 15) == 0 && ld % PACK == 0 && x_inc == 1 &&
                         ((i64)(x + x_offset) & 15) == 0;
        if (IS_LONG && wide && (u32)group_id() * 97 % STEPS >= (u32)kept)
            add_rows(a + a_offset, ld, column, TEAMS, n, begin, end, 1, 1, conjugate, x + x_offset, x_inc,
                     sums);
        else if (wide)
            add_rows(a + a_offset, ld, column, TEAMS, n, begin, end, 1, 0, conjugate, x + x_offset, x_inc,
                     sums);
        else
            add_rows(a + a_offset, ld, column, TEAMS, n, begin, end, 0, 0, conjugate, x + x_offset, x_inc,
                     sums);
    }
    add_up_lanes(board, lane, sums);
    UNROLL
    for (int k = 0; k < KEPT; ++k)
        if (lane % LANES < COLUMNS)
            shares[lane / LANES * WIDTH + (lane % LANES + k * LANES) * TEAMS + me / TEAM] = sums[k];
    sync_group();
    UNROLL
    for (int t = 0; t < OUTPUTS; ++t) {
        const int k = me + t * GROUP;
        if (k >= WIDTH || first + k >= n) continue;
        CT sum = shares[k];
        UNROLL
        for (int s = 1; s < LANE_TEAMS; ++s) sum = ADD(CT, sum, shares[s * WIDTH + k]);
        if (!is_whole) {
            partial[part * n + first + k] = sum;
        } else {
            y[y_offset + (first + k) * y_inc] =
                blas2_updated(MUL(CT, SCALAR(CT, alpha_value, alpha_device), sum),
                              SCALAR(CT, beta_value, beta_device), old[t]);
        }
    }
}
HERON_CLOSE

// gemv_columns for the items of a batch, by teams of lanes. Each item has `teams` of them, which are numbered
// together, and the columns of one are so many apart.
HERON_GROUP_KERNEL(gemv_columns_batch, GROUP, heron_index m, heron_index n, u32 teams, heron_index count,
                   int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL CT* a_base,
                   GLOBAL const void* a_list, int a_kind, heron_index a_stride, heron_index a_list_step,
                   heron_index ld, GLOBAL CT* x_base, GLOBAL const void* x_list, int x_kind,
                   heron_index x_stride, heron_index x_list_step, heron_index x_offset, heron_index x_inc,
                   CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y_base, GLOBAL const void* y_list,
                   int y_kind, heron_index y_stride, heron_index y_list_step, heron_index y_offset,
                   heron_index y_inc) {
    BOARD_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int lane = group_item() % TEAM;
    const u32 team = (u32)group_id() * TEAMS + group_item() / TEAM;
    const heron_index q = team / teams;
    const heron_index column = team % teams;
    const heron_index own = column + lane * (heron_index)teams;
    const int writes = q < count && lane < COLUMNS && own < n;
    const int reads = q < count && !EQUAL(CT, alpha, ZERO(CT));
    // All that lists say is on its way before any of it is wanted.
    GLOBAL const CT* a = a_base;
    GLOBAL const CT* x = x_base;
    GLOBAL CT* y = y_base;
    if (reads) {
        a = (GLOBAL CT*)batch_item(a_base, sizeof(CT), a_list, a_kind, a_stride, a_list_step, q);
        x = (GLOBAL CT*)batch_item(x_base, sizeof(CT), x_list, x_kind, x_stride, x_list_step, q) + x_offset;
    }
    if (writes)
        y = (GLOBAL CT*)batch_item(y_base, sizeof(CT), y_list, y_kind, y_stride, y_list_step, q) +
            (y_offset + own * y_inc);
    // Read before it is wanted: a team is soon done, and would wait once more.
    CT old = ZERO(CT);
    if (writes && !EQUAL(CT, beta, ZERO(CT))) old = *y;
    CT sums[COLUMNS];
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) sums[c] = ZERO(CT);
    if (reads) {
        if (PACK > 1 && ((i64)a & 15) == 0 && ld % PACK == 0 && x_inc == 1 && ((i64)x & 15) == 0)
            add_rows(a, ld, column, teams, n, 0, m, 1, 0, conjugate, x, x_inc, sums);
        else
            add_rows(a, ld, column, teams, n, 0, m, 0, 0, conjugate, x, x_inc, sums);
    }
    add_up_lanes(board, lane, sums);
    if (writes) *y = blas2_updated(MUL(CT, alpha, sums[0]), beta, old);
}
HERON_CLOSE

HERON_CLOSE
