// Products of a full matrix and a vector by one turn of groups: each has a strip of rows with all of its
// columns. An item has PACK rows, 16 bytes of a column where these are aligned; the items that one column
// leaves share the others.
HERON_PROGRAM(blas2_strips_groups, class CT, int GROUP)

CONSTANT(PACK, 16 / (int)sizeof(CT));
// Columns that are on their way to an item at a time: of wide elements, and of others, each of which has an
// address.
CONSTANT(AHEAD, 4);
CONSTANT(AHEAD_APART, PACK > 2 ? 2 : 4);
CONSTANT(STEPS, 256);

typedef union {
    int4 raw;
    CT value[16 / sizeof(CT)];
} wide_value;

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

HERON_FN void add_step(GLOBAL const CT* a, heron_index row, heron_index left, heron_index ld,
                       heron_index first, heron_index n, int shares, int wide, int once, int apart,
                       int conjugate, GLOBAL const CT* x, heron_index x_inc, CT* sums) {
    CT elements[AHEAD * PACK];
    CT factors[AHEAD];
    UNROLL
    for (int c = 0; c < (wide ? AHEAD : AHEAD_APART); ++c) {
        const heron_index column = first + c * shares;
        const int is_there = column < n;
        factors[c] = is_there ? x[column * x_inc] : ZERO(CT);
        take_rows(a, row + column * ld, wide, once, apart, is_there ? left : 0, elements + c * PACK);
    }
    UNROLL
    for (int e = 0; e < (wide ? AHEAD : AHEAD_APART) * PACK; ++e) {
        const CT element = conjugate ? CONJ(CT, elements[e]) : elements[e];
        sums[e % PACK] = MAD(CT, element, factors[e / PACK], sums[e % PACK]);
    }
}

// The columns from `first` on, every `shares`th. Of STEPS steps `kept` are worth a cache's room. These are
// spread evenly, and otherwise from group to group, so that cache and memory are both at work all the time.
HERON_FN void add_columns(GLOBAL const CT* a, heron_index row, heron_index left, heron_index ld,
                          heron_index first, heron_index n, int shares, int wide, int kept, int apart,
                          int conjugate, GLOBAL const CT* x, heron_index x_inc, CT* sums) {
    int turn = group_id() * 97 % STEPS;
    for (heron_index j = first; j < n; j += (wide ? AHEAD : AHEAD_APART) * shares) {
        turn += kept;
        // Apart, because loads that are chosen one by one wait for each other.
        if (wide && turn < STEPS)
            add_step(a, row, left, ld, j, n, shares, wide, 1, apart, conjugate, x, x_inc, sums);
        else
            add_step(a, row, left, ld, j, n, shares, wide, 0, apart, conjugate, x, x_inc, sums);
        turn %= STEPS;
    }
}

// y := alpha*A*x + beta*y for the rows from `first` on that `packs` of PACK rows have.
HERON_FN void multiply_strip(heron_index first, heron_index m, heron_index n, int packs, int kept,
                             int conjugate, CT alpha, GLOBAL const CT* a, heron_index ld, GLOBAL const CT* x,
                             heron_index x_inc, CT beta, GLOBAL CT* y, heron_index y_inc, LOCAL CT* board) {
    const int me = group_item();
    const int rows = packs * PACK;
    const int shares = GROUP / packs;
    const int aligned = ((i64)a & 15) == 0 && ld % PACK == 0;
    const int apart = aligned ? 1 : packs;
    const heron_index row = first + me % packs * (aligned ? PACK : 1);
    CT sums[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) sums[q] = ZERO(CT);
    if (row < m && me < shares * packs && !EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index left = m - row;
        const heron_index begin = me / packs;
        if (aligned && left >= PACK)
            add_columns(a, row, left, ld, begin, n, shares, 1, kept, 1, conjugate, x, x_inc, sums);
        else
            add_columns(a, row, left, ld, begin, n, shares, 0, kept, apart, conjugate, x, x_inc, sums);
    }
    UNROLL
    for (int q = 0; q < PACK; ++q) board[me * PACK + q] = sums[q];
    sync_group();
    // Several items add up the shares of a row, where there are as many.
    const int joiners = GROUP / rows > 1 ? GROUP / rows : 1;
    CT sum = ZERO(CT);
    if (me < rows * joiners)
        for (int s = me / rows; s < shares; s += joiners) sum = ADD(CT, sum, board[s * rows + me % rows]);
    sync_group();
    board[me] = sum;
    sync_group();
    const heron_index own = first + (aligned ? me : me % PACK * packs + me / PACK);
    if (me >= rows || own >= m) return;
    for (int s = 1; s < joiners; ++s) sum = ADD(CT, sum, board[s * rows + me]);
    blas2_update(y, own * y_inc, MUL(CT, alpha, sum), beta);
}

// y := alpha*A*x + beta*y, in strips of `packs` * PACK rows.
HERON_GROUP_KERNEL(gemv_strips, GROUP, heron_index m, heron_index n, int packs, int kept, int conjugate,
                   CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, board, GROUP * PACK);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    multiply_strip((heron_index)group_id() * (packs * PACK), m, n, packs, kept, conjugate, alpha,
                   a + a_offset, ld, x + x_offset, x_inc, beta, y + y_offset, y_inc, board);
}
HERON_CLOSE

// The same of the items of a batch, `strips` for each.
HERON_GROUP_KERNEL(gemv_strips_batch, GROUP, heron_index m, heron_index n, int packs, int strips, int kept,
                   int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL CT* a_base,
                   GLOBAL const void* a_list, int a_kind, heron_index a_stride, heron_index a_list_step,
                   heron_index ld, GLOBAL CT* x_base, GLOBAL const void* x_list, int x_kind,
                   heron_index x_stride, heron_index x_list_step, heron_index x_offset, heron_index x_inc,
                   CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y_base, GLOBAL const void* y_list,
                   int y_kind, heron_index y_stride, heron_index y_list_step, heron_index y_offset,
                   heron_index y_inc) {
    LOCAL_ARRAY(CT, board, GROUP * PACK);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index q = group_id() / strips;
    // alpha = 0 reads no A, x or list of theirs.
    const int reads = !EQUAL(CT, alpha, ZERO(CT));
    GLOBAL const CT* a = a_base;
    GLOBAL const CT* x = x_base;
    if (reads) {
        a = (GLOBAL CT*)batch_item(a_base, sizeof(CT), a_list, a_kind, a_stride, a_list_step, q);
        x = (GLOBAL CT*)batch_item(x_base, sizeof(CT), x_list, x_kind, x_stride, x_list_step, q) + x_offset;
    }
    GLOBAL CT* const y =
        (GLOBAL CT*)batch_item(y_base, sizeof(CT), y_list, y_kind, y_stride, y_list_step, q) + y_offset;
    multiply_strip((heron_index)(group_id() % strips) * (packs * PACK), m, n, packs, kept, conjugate, alpha,
                   a, ld, x, x_inc, beta, y, y_inc, board);
}
HERON_CLOSE

HERON_CLOSE
