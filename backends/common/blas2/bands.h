// Matrices of few diagonals times vectors: TEAM items share a row of the result.
HERON_PROGRAM(blas2_bands_groups, class CT, int GROUP, int TEAM)

CONSTANT(TEAMS, GROUP / TEAM);
CONSTANT(BATCH, 8);  // elements that an item reads at a time

// y := alpha*M*x + beta*y, M rows x size with so many diagonals before and behind the main one, of which A
// has `upper` above it. Elements are A's, or turned those of its transpose. sides: 0 all are the one or, with
// transposed, the other; 1 those behind the diagonal are turned; 2 those before it. real_diagonal: imaginary
// parts there are not read.
HERON_GROUP_KERNEL(band_rows, GROUP, heron_index rows, heron_index size, heron_index before,
                   heron_index behind, int sides, int transposed, int conjugate, int conjugate_turned,
                   int real_diagonal, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL const CT* RESTRICT a, heron_index a_offset, heron_index ld, heron_index upper,
                   GLOBAL const CT* RESTRICT x, heron_index x_offset, heron_index x_inc, CT beta_value,
                   GLOBAL const CT* beta_device, GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    BOARD_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int lane = group_item() % TEAM;
    const heron_index row = (heron_index)group_id() * TEAMS + group_item() / TEAM;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index at = y_offset + row * y_inc;
    const int writes = lane == 0 && row < rows;
    const CT old = writes && !EQUAL(CT, beta, ZERO(CT)) ? y[at] : ZERO(CT);
    CT sum = ZERO(CT);
    if (row < rows && !EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index end = size - row > behind ? row + behind + 1 : size;
        const heron_index direct_at = a_offset + upper + row;
        const heron_index turned_at = a_offset + upper + row * (ld - 1);
        for (heron_index first = (row > before ? row - before : 0) + lane; first < end;
             first += BATCH * TEAM) {
            CT elements[BATCH];
            CT factors[BATCH];
            UNROLL
            for (int b = 0; b < BATCH; ++b) {
                const heron_index l = first + b * TEAM;
                const int turned = sides == 0 ? transposed : sides == 1 ? l > row : l < row;
                elements[b] = ZERO(CT);
                factors[b] = ZERO(CT);
                if (l < end) {
                    elements[b] = a[turned ? turned_at + l : direct_at + l * (ld - 1)];
                    factors[b] = x[x_offset + l * x_inc];
                }
            }
            UNROLL
            for (int b = 0; b < BATCH; ++b) {
                const heron_index l = first + b * TEAM;
                const int turned = sides == 0 ? transposed : sides == 1 ? l > row : l < row;
                CT element = elements[b];
                if (real_diagonal && l == row) element = REAL(CT, element);
                if (turned ? conjugate_turned : conjugate) element = CONJ(CT, element);
                sum = MAD(CT, element, factors[b], sum);
            }
        }
    }
    UNROLL_LANES
    for (int mask = 1; mask < TEAM; mask *= 2) {
        SYNC_BOARD();
        PUT(CT, board, sum);
        SYNC_BOARD();
        sum = ADD(CT, sum, GET_ACROSS(CT, board, TEAM, sum, mask));
    }
    if (!writes) return;
    y[at] = blas2_updated(MUL(CT, alpha, sum), beta, old);
}
HERON_CLOSE

HERON_CLOSE
