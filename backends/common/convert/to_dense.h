// A dense matrix from a CSR matrix on GPUs. Element (i, j) of B is b[i*row_step + j*column_step], one of the
// steps is 1. Types: WT is the word that RT consists of one or two of.
HERON_PROGRAM(convert_to_dense, class RT, class WT, class OT, class IT, int GROUP)

CONSTANT(words, sizeof(RT) / sizeof(WT));
CONSTANT(most_rows, 256);  // of a tile
CONSTANT(loads, 4);        // that are on their way at a time
CONSTANT(wide, 16);        // bytes

// Clears the tile of `rows` x `cols` elements at b, by 16 bytes where it is aligned to them: as many
// neighbouring items go along a line of it as it is long, or the whole group.
HERON_FN void clear_tile(GLOBAL RT* b, heron_index rows, heron_index cols, heron_index row_step,
                         heron_index column_step) {
    RT zero;
    WT* parts = (WT*)&zero;
    parts[0] = 0;
    parts[words - 1] = 0;
    uint4 zeros;
    zeros.x = zeros.y = zeros.z = zeros.w = 0;
    const int by_rows = column_step == 1;
    heron_index step = by_rows ? row_step : column_step;
    heron_index lines = by_rows ? rows : cols;
    heron_index length = by_rows ? cols : rows;
    if (length == step) {
        length *= lines;
        lines = 1;
    }
    const int is_wide = (heron_index)b % wide == 0 && length * (heron_index)sizeof(RT) % wide == 0 &&
                        (lines == 1 || step * (heron_index)sizeof(RT) % wide == 0);
    if (is_wide) {
        length = length * (heron_index)sizeof(RT) / wide;
        step = step * (heron_index)sizeof(RT) / wide;
    }
    int width = 8;
    while (width < GROUP && width < length) width *= 2;
    GLOBAL uint4* wide_b = (GLOBAL uint4*)b;
    for (heron_index line = group_item() / width; line < lines; line += GROUP / width)
        for (heron_index k = group_item() % width; k < length; k += width) {
            if (is_wide)
                wide_b[line * step + k] = zeros;
            else
                b[line * step + k] = zero;
        }
}

// The row of element k: the last one that does not begin behind it.
HERON_FN int row_of(LOCAL const i64* begins, int rows, heron_index k) {
    int row = 0;
    for (int step = most_rows / 2; step > 0; step /= 2)
        if (row + step < rows && begins[row + step] <= k) row += step;
    return row;
}

// places[i] := the column of element k + i*GROUP within the strip that begins at `first`, or -1.
HERON_FN void load_places(heron_index* places, GLOBAL const IT* columns, heron_index k, heron_index end,
                          heron_index first, heron_index cols) {
    UNROLL
    for (int i = 0; i < loads; ++i) {
        const heron_index at = k + i * GROUP;
        const heron_index column = at < end ? (heron_index)columns[at] - first : -1;
        places[i] = column < cols ? column : -1;
    }
}
HERON_FN void load_values(RT* held, const heron_index* places, GLOBAL const RT* values, heron_index k) {
    UNROLL
    for (int i = 0; i < loads; ++i)
        if (places[i] >= 0) held[i] = values[k + i * GROUP];
}

// A group takes a tile: a band of rows, of which a strip of columns. It goes through all elements of its
// band, which are one behind the other, and writes those of the strip when all of it is zero; the first
// elements come meanwhile.
HERON_GROUP_KERNEL(write_tiles, GROUP, GLOBAL const OT* RESTRICT offsets, GLOBAL const IT* RESTRICT columns,
                   GLOBAL const RT* RESTRICT values, heron_index base, heron_index rows, heron_index cols,
                   int band, heron_index strip, int strips, GLOBAL RT* b, heron_index row_step,
                   heron_index column_step) {
    LOCAL_ARRAY(i64, begins, most_rows + 1);
    const heron_index first_row = group_id() / strips * (heron_index)band;
    const heron_index first = group_id() % strips * strip;
    const int own_rows = (int)min((heron_index)band, rows - first_row);
    const heron_index own_cols = min(strip, cols - first);
    GLOBAL RT* own = b + first_row * row_step + first * column_step;
    for (int i = group_item(); i <= own_rows; i += GROUP)
        begins[i] = (heron_index)offsets[first_row + i] - base;
    sync_group();
    const heron_index end = begins[own_rows];
    heron_index k = begins[0] + group_item();
    heron_index places[loads];
    RT held[loads];
    load_places(places, columns, k, end, first + base, own_cols);
    clear_tile(own, own_rows, own_cols, row_step, column_step);
    load_values(held, places, values, k);
    sync_group_memory();
    while (k < end) {
        UNROLL
        for (int i = 0; i < loads; ++i)
            if (places[i] >= 0)
                own[row_of(begins, own_rows, k + i * GROUP) * row_step + places[i] * column_step] = held[i];
        k += loads * GROUP;
        load_places(places, columns, k, end, first + base, own_cols);
        load_values(held, places, values, k);
    }
}
HERON_CLOSE

// Writes the elements into a matrix that is zero, which has few rows.
HERON_GROUP_KERNEL(scatter_elements, GROUP, GLOBAL const OT* RESTRICT offsets,
                   GLOBAL const IT* RESTRICT columns, GLOBAL const RT* RESTRICT values, heron_index base,
                   heron_index rows, GLOBAL RT* RESTRICT b, heron_index row_step, heron_index column_step) {
    const heron_index end = (heron_index)offsets[rows] - base;
    const heron_index stride = group_count() * (heron_index)GROUP;
    heron_index k = (heron_index)offsets[0] - base + group_id() * (heron_index)GROUP + group_item();
    for (; k < end; k += stride) {
        heron_index row = 0;
        heron_index behind = rows;
        while (behind - row > 1) {
            const heron_index middle = row + (behind - row) / 2;
            if ((heron_index)offsets[middle] - base <= k)
                row = middle;
            else
                behind = middle;
        }
        b[row * row_step + ((heron_index)columns[k] - base) * column_step] = values[k];
    }
}
HERON_CLOSE

HERON_CLOSE
