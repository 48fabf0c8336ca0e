// The substitution of a block of BLOCK unknowns by a group: its triangle in local memory, and one unknown
// after the other, which all later rows take up at once.
HERON_PROGRAM(blas2_trsv_groups, class CT, int BLOCK)

// storage, lower and upper: as in kernels.h.
HERON_FN heron_index place_of(int storage, int stored_lower, heron_index n, heron_index upper, heron_index ld,
                              heron_index i, heron_index j) {
    if (storage == 0) return i + j * ld;
    if (storage == 1) return upper + i - j + j * ld;
    return stored_lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

// M = op(A) is lower or upper triangular with `band` diagonals beside the main one; the unknowns first ...
// first + size - 1.
HERON_GROUP_KERNEL(trsv_block, BLOCK, heron_index n, heron_index first, int size, int lower, int transposed,
                   int conjugate, int unit, int storage, GLOBAL const CT* RESTRICT a, heron_index a_offset,
                   heron_index ld, heron_index band, GLOBAL CT* x, heron_index x_offset, heron_index x_inc) {
    LOCAL_ARRAY(CT, triangle, BLOCK * (BLOCK + 1));
    LOCAL_ARRAY(CT, solved, 1);
    const int me = group_item();
    const int stored_lower = lower != transposed;
    // Items go along the columns as they are stored.
    for (int line = 0; line < size; ++line) {
        const int row = transposed ? line : me;
        const int column = transposed ? me : line;
        const int distance = lower ? row - column : column - row;
        if (me >= size || distance < 0 || (distance == 0 && unit)) continue;
        CT element = ZERO(CT);
        if (distance <= band) {
            const heron_index i = first + me;
            const heron_index j = first + line;
            element = a[a_offset + place_of(storage, stored_lower, n, stored_lower ? 0 : band, ld, i, j)];
        }
        triangle[row * (BLOCK + 1) + column] = conjugate ? CONJ(CT, element) : element;
    }
    const heron_index at = x_offset + (first + me) * x_inc;
    CT value = me < size ? x[at] : ZERO(CT);
    for (int step = 0; step < size; ++step) {
        const int k = lower ? step : size - 1 - step;
        sync_group();
        if (me == k) {
            if (!unit) value = DIV(CT, value, triangle[k * (BLOCK + 1) + k]);
            solved[0] = value;
        }
        sync_group();
        if (me < size && (lower ? me > k : me < k))
            value = SUB(CT, value, MUL(CT, triangle[me * (BLOCK + 1) + k], solved[0]));
    }
    if (me < size) x[at] = value;
}
HERON_CLOSE

HERON_CLOSE
