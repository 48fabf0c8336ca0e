// Sums of matrices of which one or both are transposed, by tiles: a group reads along columns, and turns what
// is transposed in local memory.
HERON_PROGRAM(blas2_turned_groups, class CT, int GROUP, int TILE)

CONSTANT(LINES, GROUP / TILE);  // columns that the items of a group are at at a time
CONSTANT(TURNS, TILE / LINES);  // elements of an item
CONSTANT(LINE, TILE + 1);

HERON_FN CT taken(CT element, int conjugate) { return conjugate ? CONJ(CT, element) : element; }

// This item's elements of a tile: row `row` of columns from `column` on, LINES apart.
HERON_FN void take_tile(GLOBAL const CT* a, heron_index ld, heron_index row, heron_index rows,
                        heron_index column, heron_index columns, int wanted, int conjugate, CT* elements) {
    UNROLL
    for (int t = 0; t < TURNS; ++t) {
        const heron_index j = column + t * LINES;
        elements[t] = wanted && row < rows && j < columns ? taken(a[row + j * ld], conjugate) : ZERO(CT);
    }
}

// C := alpha*op(A) + beta*op(B), C m x n.
HERON_GROUP_KERNEL(geam_turned, GROUP, heron_index m, heron_index n, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* a, heron_index a_offset, heron_index lda,
                   int turned_a, int conjugate_a, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL const CT* b, heron_index b_offset, heron_index ldb, int turned_b, int conjugate_b,
                   GLOBAL CT* c, heron_index c_offset, heron_index ldc) {
    LOCAL_ARRAY(CT, board, TILE * LINE);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int takes_a = !EQUAL(CT, alpha, ZERO(CT));
    const int takes_b = !EQUAL(CT, beta, ZERO(CT));
    const int lane = group_item() % TILE;
    const int line = group_item() / TILE;
    const u32 tiles = (u32)((m + TILE - 1) / TILE);
    const heron_index row = (heron_index)((u32)group_id() % tiles) * TILE;
    const heron_index column = (heron_index)((u32)group_id() / tiles) * TILE;
    CT of_a[TURNS];
    CT of_b[TURNS];
    if (turned_a)
        take_tile(a + a_offset, lda, column + lane, n, row + line, m, takes_a, conjugate_a, of_a);
    else
        take_tile(a + a_offset, lda, row + lane, m, column + line, n, takes_a, conjugate_a, of_a);
    if (turned_b)
        take_tile(b + b_offset, ldb, column + lane, n, row + line, m, takes_b, conjugate_b, of_b);
    else
        take_tile(b + b_offset, ldb, row + lane, m, column + line, n, takes_b, conjugate_b, of_b);
    UNROLL
    for (int t = 0; t < TURNS; ++t) {
        const CT from_a = turned_a ? MUL(CT, alpha, of_a[t]) : ZERO(CT);
        board[(line + t * LINES) * LINE + lane] = turned_b ? MAD(CT, beta, of_b[t], from_a) : from_a;
    }
    sync_group();
    if (row + lane >= m) return;
    UNROLL
    for (int t = 0; t < TURNS; ++t) {
        const heron_index j = column + line + t * LINES;
        CT sum = board[lane * LINE + line + t * LINES];
        if (!turned_a) sum = MAD(CT, alpha, of_a[t], sum);
        if (!turned_b) sum = MAD(CT, beta, of_b[t], sum);
        if (j < n) c[c_offset + row + lane + j * ldc] = sum;
    }
}
HERON_CLOSE

HERON_CLOSE
