// Triangles with long rows: the work of a sweep's groups as a list of units, in an order in which each comes
// after all that it waits for.

// Short rows, or a piece of a long one. Pieces hand over their sums, and those of what they have found on the
// diagonal, as rows behind the solutions; the last piece of a row waits for those of the others and solves
// it.
typedef struct {
    int place, end;     // of the order: short rows; or a long row, and the place behind it
    int piece, pieces;  // pieces: 0 where the rows are short
    int slot;           // of the row's first piece
} sweep_unit;

// The elements of a piece, all but the last of PIECE elements, and none if `is_void`.
HERON_FN int4 record_of_piece(sweep_unit u, int4 record, int is_void) {
    const uint begin = (uint)record.y + (uint)u.piece * PIECE;
    const uint end = u.piece == u.pieces - 1 ? (uint)record.z : begin + PIECE;
    return (int4)(record.x, (int)begin, is_void ? (int)begin : (int)end, 0);
}

// Where the sum of a piece is handed over, and behind it what it has found on the diagonal.
HERON_FN heron_index line_of_piece(triangle_shape t, int slot, int is_pivot) {
    return t.n + 2 * (heron_index)slot + is_pivot;
}

// Waits for what somebody hands over.
HERON_FN BOX awaited(GLOBAL const CT* from) {
    BOX x = 0;
    do BOX_NAME(load)(1, (GLOBAL const BOX*)from, &x);
    while (!BOX_NAME(is_set)(x));
    return x;
}

// In place of parts[id] the sum of all that lie `width` apart from it, where id < width. All items of a
// group.
HERON_FN void add_up_parts(__local CT* parts, const int id, const int count, const int width) {
    for (int distance = count / 2; distance >= width; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < distance) parts[id] = ADD(CT, parts[id], parts[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
