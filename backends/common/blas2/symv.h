// A symmetric or Hermitian matrix times a vector, with every stored element read once. The matrix is cut into
// square blocks of width*TILE rows, one for a group, which leaves what its block adds to the result as rows
// and, turned, as columns. These sums lie n apart, one for each pair of blocks, and blas2_join adds them up
// in their order.
HERON_PROGRAM(blas2_symv_groups, class CT, int GROUP)

CONSTANT(TILE, 32);
CONSTANT(SHARES, GROUP / TILE);
CONSTANT(MOST_ROWS, GROUP);

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

HERON_GROUP_KERNEL(symv_blocks, GROUP, heron_index n, int blocks, int width, int lower, int hermitian,
                   int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, int storage,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, tile, TILE * (TILE + 1));
    LOCAL_ARRAY(CT, row_sums, MOST_ROWS);
    LOCAL_ARRAY(CT, column_sums, MOST_ROWS);
    LOCAL_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int block_row = group_id() / blocks;
    const int block_column = group_id() % blocks;
    if (EQUAL(CT, alpha, ZERO(CT)) || (lower ? block_row < block_column : block_row > block_column)) return;
    const int me = group_item();
    const int place = me % TILE;
    const int share = me / TILE;
    row_sums[me] = ZERO(CT);
    column_sums[me] = ZERO(CT);
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
        CT sum = ZERO(CT);
        UNROLL
        for (int q = 0; q < TILE / SHARES; ++q) {
            const int c = share + q * SHARES;
            const heron_index column = first_column + c;
            const int is_stored = !is_diagonal || (lower ? place >= c : place <= c);
            CT element = ZERO(CT);
            if (row < n && column < n && is_stored) {
                element = a[a_offset + symv_place(storage, lower, n, ld, row, column)];
                if (hermitian && row == column) element = REAL(CT, element);
                if (conjugate) element = CONJ(CT, element);
                sum = MAD(CT, element, x[x_offset + column * x_inc], sum);
            }
            tile[c * (TILE + 1) + place] = hermitian ? CONJ(CT, element) : element;
        }
        add_shares(board, sum, row_sums, tile_row * TILE);
        // The same elements turned, but those on the diagonal.
        sum = ZERO(CT);
        UNROLL
        for (int q = 0; q < TILE / SHARES; ++q) {
            const int r = share + q * SHARES;
            const int is_stored = !is_diagonal || (lower ? r > place : r < place);
            if (first_row + r < n && is_stored)
                sum = MAD(CT, tile[place * (TILE + 1) + r], x[x_offset + (first_row + r) * x_inc], sum);
        }
        add_shares(board, sum, column_sums, tile_column * TILE);
    }
    if (me >= width * TILE) return;
    const heron_index row = (heron_index)block_row * width * TILE + me;
    const heron_index column = (heron_index)block_column * width * TILE + me;
    if (block_row == block_column) {
        if (row < n) partial[block_row * n + row] = ADD(CT, row_sums[me], column_sums[me]);
    } else {
        if (row < n) partial[block_column * n + row] = row_sums[me];
        if (column < n) partial[block_row * n + column] = column_sums[me];
    }
}
HERON_CLOSE

HERON_CLOSE
