// A symmetric or Hermitian matrix times a vector, with every stored element read once. The matrix is cut into
// square blocks of width*TILE rows, one of the triangle for a group, which leaves what its block adds to the
// result as rows and, turned, as columns. These sums lie n apart, one for each pair of blocks, and join.h
// adds them up.
HERON_PROGRAM(blas2_symv_groups, class CT, int GROUP, int TILE)

CONSTANT(SHARES, GROUP / TILE);
CONSTANT(EACH, TILE / SHARES);  // elements of an item in a tile
CONSTANT(MOST_ROWS, 4 * TILE);

// storage: 0 full, 2 a triangle without gaps.
HERON_FN heron_index symv_place(int storage, int lower, heron_index n, heron_index ld, heron_index i,
                                heron_index j) {
    if (storage == 0) return i + j * ld;
    return lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

// What the shares of a row or column come to is added to sums[at + row].
HERON_FN void add_shares(LOCAL CT* board, CT share, LOCAL CT* sums, int at) {
    const int me = group_item();
    board[me] = share;
    sync_group();
    if (me < TILE) {
        CT sum = sums[at + me];
        for (int s = 0; s < SHARES; ++s) sum = ADD(CT, sum, board[me + s * TILE]);
        sums[at + me] = sum;
    }
    sync_group();
}

// folded: half of the block rows, rounded up. Block rows that lie as far from the middle on both sides have
// 2*folded + 1 blocks together.
HERON_GROUP_KERNEL(symv_blocks, GROUP, heron_index n, int blocks, int folded, int width, int lower,
                   int hermitian, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, int storage,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, tile, TILE * (TILE + 1));
    LOCAL_ARRAY(CT, row_sums, MOST_ROWS);
    LOCAL_ARRAY(CT, column_sums, MOST_ROWS);
    LOCAL_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int pair = group_id() / (2 * folded + 1);
    const int nth = group_id() % (2 * folded + 1);
    const int is_far = nth <= folded + pair;
    const int longer = is_far ? folded + pair : folded - 1 - pair;
    const int shorter = is_far ? nth : nth - (folded + pair) - 1;
    if (EQUAL(CT, alpha, ZERO(CT)) || longer >= blocks) return;
    const int block_row = lower ? longer : shorter;
    const int block_column = lower ? shorter : longer;
    const int me = group_item();
    const int place = me % TILE;
    const int share = me / TILE;
    for (int r = me; r < width * TILE; r += GROUP) {
        row_sums[r] = ZERO(CT);
        column_sums[r] = ZERO(CT);
    }
    sync_group();
    for (int t = 0; t < width * width; ++t) {
        const int tile_row = t % width;
        const int tile_column = t / width;
        const heron_index first_row = ((heron_index)block_row * width + tile_row) * TILE;
        const heron_index first_column = ((heron_index)block_column * width + tile_column) * TILE;
        if (first_row >= n || first_column >= n) continue;
        if (lower ? first_row < first_column : first_row > first_column) continue;
        const int is_diagonal = first_row == first_column;
        const heron_index row = first_row + place;
        CT elements[EACH];
        UNROLL
        for (int q = 0; q < EACH; ++q) {
            const int c = share + q * SHARES;
            const heron_index column = first_column + c;
            const int is_stored = !is_diagonal || (lower ? place >= c : place <= c);
            elements[q] = ZERO(CT);
            if (row < n && column < n && is_stored)
                elements[q] = a[a_offset + symv_place(storage, lower, n, ld, row, column)];
        }
        CT sum = ZERO(CT);
        UNROLL
        for (int q = 0; q < EACH; ++q) {
            const int c = share + q * SHARES;
            const heron_index column = first_column + c;
            const int is_stored = !is_diagonal || (lower ? place >= c : place <= c);
            CT element = elements[q];
            if (hermitian && row == column) element = REAL(CT, element);
            if (conjugate) element = CONJ(CT, element);
            if (row < n && column < n && is_stored) sum = MAD(CT, element, x[x_offset + column * x_inc], sum);
            tile[c * (TILE + 1) + place] = hermitian ? CONJ(CT, element) : element;
        }
        add_shares(board, sum, row_sums, tile_row * TILE);
        // The same elements turned, but those on the diagonal.
        sum = ZERO(CT);
        UNROLL
        for (int q = 0; q < EACH; ++q) {
            const int r = share + q * SHARES;
            const int is_stored = !is_diagonal || (lower ? r > place : r < place);
            if (first_row + r < n && is_stored)
                sum = MAD(CT, tile[place * (TILE + 1) + r], x[x_offset + (first_row + r) * x_inc], sum);
        }
        add_shares(board, sum, column_sums, tile_column * TILE);
    }
    for (int r = me; r < width * TILE; r += GROUP) {
        const heron_index row = (heron_index)block_row * width * TILE + r;
        const heron_index column = (heron_index)block_column * width * TILE + r;
        if (block_row == block_column) {
            if (row < n) partial[block_row * n + row] = ADD(CT, row_sums[r], column_sums[r]);
        } else {
            if (row < n) partial[block_column * n + row] = row_sums[r];
            if (column < n) partial[block_row * n + column] = column_sums[r];
        }
    }
}
HERON_CLOSE

HERON_CLOSE
