// A symmetric or Hermitian matrix times a vector, with every stored element read once. The matrix is cut into
// square blocks of width*TILE rows, one for a group, which leaves what its block adds to the result as rows
// and, turned, as columns. These sums lie n apart, one for each pair of blocks, and are joined in their
// order.
//
// An item has one row of PER columns of a tile: all of its elements are on their way at once.
HERON_PROGRAM(blas2_symv_groups, class CT, int GROUP, int TILE)

CONSTANT(SHARES, GROUP / TILE);
CONSTANT(PER, TILE / SHARES);
CONSTANT(LINE, TILE + 1);
CONSTANT(MOST_ROWS, 4 * TILE);
// Of a small matrix: rows of a group, the items that share one, and elements that an item reads at a time.
CONSTANT(ROWS, 8);
CONSTANT(ROW_SHARES, GROUP / ROWS);
CONSTANT(BATCH, 8);
CONSTANT(FEW, 4);
// Items that add up the shares before the last ones do.
CONSTANT(SOME, 8 * ROWS);

// storage: 0 full, 2 a triangle without gaps.
HERON_FN heron_index symv_place(int storage, int lower, heron_index n, heron_index ld, heron_index i,
                                heron_index j) {
    if (storage == 0) return i + j * ld;
    return lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

// This item's elements of the tile with the given first row and column; zero where none is stored.
HERON_FN void take_tile(GLOBAL const CT* a, int storage, int lower, heron_index n, heron_index ld,
                        heron_index first_row, heron_index first_column, CT* elements) {
    const heron_index row = first_row + group_item() % TILE;
    const heron_index column = first_column + group_item() / TILE * PER;
    heron_index at = symv_place(storage, lower, n, ld, row, column);
    // How far it is to the next column, and how much that changes.
    heron_index step = ld;
    int slope = 0;
    if (storage != 0) {
        step = lower ? n - 1 - column : column + 1;
        slope = lower ? -1 : 1;
    }
    const int is_whole = first_row != first_column && first_row + TILE <= n && first_column + TILE <= n;
    UNROLL
    for (int q = 0; q < PER; ++q) {
        const int is_stored = row < n && column + q < n && (lower ? row >= column + q : row <= column + q);
        elements[q] = is_whole || is_stored ? a[at] : ZERO(CT);
        at += step;
        step += slope;
    }
}

HERON_GROUP_KERNEL(symv_blocks, GROUP, heron_index n, int blocks, int width, int lower, int hermitian,
                   int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, int storage,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, products, TILE * LINE);
    LOCAL_ARRAY(CT, factors, 2 * TILE);
    LOCAL_ARRAY(CT, shares, 2 * GROUP);
    LOCAL_ARRAY(CT, row_sums, MOST_ROWS);
    LOCAL_ARRAY(CT, column_sums, MOST_ROWS);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int block_row = group_id() / blocks;
    const int block_column = group_id() % blocks;
    if (EQUAL(CT, alpha, ZERO(CT)) || (lower ? block_row < block_column : block_row > block_column)) return;
    const int me = group_item();
    const int place = me % TILE;
    const int first = me / TILE * PER;
    for (int r = me; r < MOST_ROWS; r += GROUP) {
        row_sums[r] = ZERO(CT);
        column_sums[r] = ZERO(CT);
    }
    for (int t = 0; t < width * width; ++t) {
        const int tile_row = t % width;
        const int tile_column = t / width;
        const heron_index first_row = ((heron_index)block_row * width + tile_row) * TILE;
        const heron_index first_column = ((heron_index)block_column * width + tile_column) * TILE;
        if (first_row >= n || first_column >= n) continue;
        if (lower ? first_row < first_column : first_row > first_column) continue;
        CT elements[PER];
        take_tile(a + a_offset, storage, lower, n, ld, first_row, first_column, elements);
        if (me < 2 * TILE) {
            const heron_index i = me < TILE ? first_row + me : first_column + me - TILE;
            factors[me] = i < n ? x[x_offset + i * x_inc] : ZERO(CT);
        }
        sync_group();
        // As a row, and turned but for what is on the diagonal.
        CT share = ZERO(CT);
        UNROLL
        for (int q = 0; q < PER; ++q) {
            const int is_diagonal = first_row + place == first_column + first + q;
            CT element = elements[q];
            if (hermitian && is_diagonal) element = REAL(CT, element);
            if (conjugate) element = CONJ(CT, element);
            // What is not stored is no factor of x, which need not be finite.
            const int is_stored =
                first_row != first_column || (lower ? place >= first + q : place <= first + q);
            if (is_stored) share = MAD(CT, element, factors[TILE + first + q], share);
            const CT turned = hermitian ? CONJ(CT, element) : element;
            products[(first + q) * LINE + place] =
                is_stored && !is_diagonal ? MUL(CT, turned, factors[place]) : ZERO(CT);
        }
        shares[me] = share;
        sync_group();
        share = ZERO(CT);
        UNROLL
        for (int q = 0; q < PER; ++q) share = ADD(CT, share, products[place * LINE + first + q]);
        shares[GROUP + me] = share;
        sync_group();
        if (me < 2 * TILE) {
            LOCAL const CT* const own = shares + me / TILE * GROUP + place;
            CT sum = own[0];
            UNROLL
            for (int s = 1; s < SHARES; ++s) sum = ADD(CT, sum, own[s * TILE]);
            LOCAL CT* const sums = me < TILE ? row_sums + tile_row * TILE : column_sums + tile_column * TILE;
            sums[place] = ADD(CT, sums[place], sum);
        }
        sync_group();
    }
    sync_group();
    // What an item has no row or column for lies behind the last.
    const int is_diagonal = block_row == block_column;
    const heron_index row = me < width * TILE ? (heron_index)block_row * width * TILE + me : n;
    const heron_index column =
        me < width * TILE && !is_diagonal ? (heron_index)block_column * width * TILE + me : n;
    if (row < n)
        partial[block_column * n + row] = is_diagonal ? ADD(CT, row_sums[me], column_sums[me]) : row_sums[me];
    if (column < n) partial[block_row * n + column] = column_sums[me];
}
HERON_CLOSE

// What `batch` columns, ROW_SHARES apart from `first` on, add to the sum of a row. All of their elements are
// on their way at once.
HERON_FN CT add_stored(int batch, heron_index first, heron_index row, heron_index n, int lower, int hermitian,
                       int conjugate, int storage, GLOBAL const CT* a, heron_index ld, GLOBAL const CT* x,
                       heron_index x_inc, CT sum) {
    CT elements[BATCH];
    CT factors[BATCH];
    UNROLL
    for (int b = 0; b < batch; ++b) {
        const heron_index l = first + b * ROW_SHARES;
        const int stored = lower ? row >= l : row <= l;
        elements[b] = ZERO(CT);
        factors[b] = ZERO(CT);
        if (l < n) {
            elements[b] = a[symv_place(storage, lower, n, ld, stored ? row : l, stored ? l : row)];
            factors[b] = x[l * x_inc];
        }
    }
    UNROLL
    for (int b = 0; b < batch; ++b) {
        const heron_index l = first + b * ROW_SHARES;
        const int stored = lower ? row >= l : row <= l;
        CT element = elements[b];
        if (hermitian && l == row) element = REAL(CT, element);
        if (hermitian && stored == conjugate) element = CONJ(CT, element);
        sum = MAD(CT, element, factors[b], sum);
    }
    return sum;
}

// An item's share of the sum of a row. Few columns get short code: a group runs through it once, and code
// comes slowly.
HERON_FN CT share_of_row(heron_index row, heron_index n, int lower, int hermitian, int conjugate, int storage,
                         GLOBAL const CT* a, heron_index ld, GLOBAL const CT* x, heron_index x_inc) {
    const heron_index first = group_item() / ROWS;
    CT sum = ZERO(CT);
    if (storage != 0) {
        for (heron_index l = first; l < n; l += BATCH * ROW_SHARES)
            sum = add_stored(BATCH, l, row, n, lower, hermitian, conjugate, storage, a, ld, x, x_inc, sum);
    } else if (n <= ROW_SHARES) {
        sum = add_stored(1, first, row, n, lower, hermitian, conjugate, 0, a, ld, x, x_inc, sum);
    } else if (n <= FEW * ROW_SHARES) {
        sum = add_stored(FEW, first, row, n, lower, hermitian, conjugate, 0, a, ld, x, x_inc, sum);
    } else {
        for (heron_index l = first; l < n; l += BATCH * ROW_SHARES)
            sum = add_stored(BATCH, l, row, n, lower, hermitian, conjugate, 0, a, ld, x, x_inc, sum);
    }
    return sum;
}

// The same for a small matrix, in which each row of the result is a group's: y := alpha*A*x + beta*y.
HERON_GROUP_KERNEL(symv_rows, GROUP, heron_index n, int lower, int hermitian, int conjugate, CT alpha_value,
                   GLOBAL const CT* alpha_device, int storage, GLOBAL const CT* RESTRICT a,
                   heron_index a_offset, heron_index ld, GLOBAL const CT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
                   heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int me = group_item();
    const heron_index row = (heron_index)group_id() * ROWS + me % ROWS;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index at = y_offset + row * y_inc;
    const int writes = me < ROWS && row < n;
    // Read before it is wanted: in a small product nothing else hides how long that takes.
    const CT old = writes && !EQUAL(CT, beta, ZERO(CT)) ? y[at] : ZERO(CT);
    CT sum = ZERO(CT);
    if (row < n && !EQUAL(CT, alpha, ZERO(CT)))
        sum =
            share_of_row(row, n, lower, hermitian, conjugate, storage, a + a_offset, ld, x + x_offset, x_inc);
    sums[me] = sum;
    sync_group();
    if (me < SOME) {
        UNROLL
        for (int s = SOME; s < GROUP; s += SOME) sum = ADD(CT, sum, sums[me + s]);
        sums[me] = sum;
    }
    sync_group();
    if (!writes) return;
    UNROLL
    for (int s = ROWS; s < SOME; s += ROWS) sum = ADD(CT, sum, sums[me + s]);
    y[at] = blas2_updated(MUL(CT, alpha, sum), beta, old);
}
HERON_CLOSE

HERON_CLOSE
