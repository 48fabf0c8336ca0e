// The offsets of rows from the row of each element on GPUs: groups take tiles of elements, and write the
// offsets of the rows between an element and the one before it. Where these are very many, other groups do,
// which take tiles of rows.
HERON_PROGRAM(convert_offsets, int GROUP)

CONSTANT(each, 8);  // elements of an item
CONSTANT(tile, 8 * GROUP);
CONSTANT(most_alone, 8);    // rows that an item writes alone
CONSTANT(most_rows, 1024);  // that groups for elements write; a tile of those for rows

// The row of element k, behind the last one the row behind the last.
HERON_FN heron_index row_at(GLOBAL const i32* indices, heron_index base, heron_index rows, heron_index nnz,
                            heron_index k) {
    if (k < 0) return -1;
    if (k >= nnz) return rows;
    return min(max((heron_index)indices[k] - base, (heron_index)0), rows);
}

HERON_FN void write_elements(GLOBAL const i32* indices, heron_index base, heron_index rows, heron_index nnz,
                             heron_index first, GLOBAL i32* offsets, LOCAL u32* listed, LOCAL u32* count) {
    if (group_item() == 0) *count = 0;
    heron_index row[each];
    heron_index before[each];
    UNROLL
    for (int i = 0; i < each; ++i) {
        const heron_index k = min(first + group_item() + i * GROUP, nnz);
        row[i] = row_at(indices, base, rows, nnz, k);
        before[i] = row_at(indices, base, rows, nnz, k - 1);
    }
    sync_group();
    UNROLL
    for (int i = 0; i < each; ++i) {
        const int place = group_item() + i * GROUP;
        const heron_index k = first + place;
        const heron_index between = k <= nnz ? row[i] - before[i] : 0;
        if (between <= most_alone)
            for (heron_index r = before[i] + 1; r <= before[i] + between; ++r) offsets[r] = (i32)(k + base);
        else if (between <= most_rows)
            listed[FETCH_ADD(count, 1u)] = (u32)place;
    }
    sync_group();
    for (u32 i = 0; i < *count; ++i) {
        const heron_index k = first + listed[i];
        const heron_index end = row_at(indices, base, rows, nnz, k);
        for (heron_index r = row_at(indices, base, rows, nnz, k - 1) + 1 + group_item(); r <= end; r += GROUP)
            offsets[r] = (i32)(k + base);
    }
}

// places[side] := how many elements are of rows before `row` of this item's half of the group, whose items
// look at elements that divide the range.
HERON_FN void find_elements(GLOBAL const i32* indices, heron_index base, heron_index rows, heron_index nnz,
                            heron_index row, int side, LOCAL i64* places) {
    const int probe = group_item() % (GROUP / 2);
    if (group_item() < 2) places[group_item()] = 0;
    sync_group();
    for (heron_index span = nnz; span > 0;) {
        const heron_index step = span / (GROUP / 2) + 1;
        const heron_index end = min((heron_index)places[side] + span, nnz);
        const heron_index k = places[side] + (probe + 1) * step - 1;
        sync_group();
        if (k < end && row_at(indices, base, rows, nnz, k) < row &&
            (k + step >= end || row_at(indices, base, rows, nnz, k + step) >= row))
            places[side] = k + 1;
        span = step - 1;
        sync_group();
    }
}

// Rows without elements that are more than a tile are around its first row or its last.
HERON_FN void write_rows(GLOBAL const i32* indices, heron_index base, heron_index rows, heron_index nnz,
                         heron_index first, GLOBAL i32* offsets, LOCAL i64* places) {
    const heron_index last = min(first + most_rows - 1, rows);
    const int side = group_item() / (GROUP / 2);
    find_elements(indices, base, rows, nnz, side == 0 ? first : last, side, places);
    const heron_index k = places[side];
    const heron_index behind = row_at(indices, base, rows, nnz, k - 1) + 1;
    const heron_index end = row_at(indices, base, rows, nnz, k);
    if (end + 1 - behind <= most_rows) return;
    for (heron_index r = max(behind, first) + group_item() % (GROUP / 2); r <= min(end, last); r += GROUP / 2)
        offsets[r] = (i32)(k + base);
}

// The first `row_tiles` groups take tiles of the rows + 1 offsets, the others of the nnz + 1 elements with
// their end.
HERON_GROUP_KERNEL(compress_indices, GROUP, GLOBAL const i32* RESTRICT indices, heron_index base,
                   heron_index rows, heron_index nnz, int row_tiles, GLOBAL i32* RESTRICT offsets) {
    LOCAL_ARRAY(u32, listed, tile);
    LOCAL_ARRAY(u32, count, 1);
    LOCAL_ARRAY(i64, places, 2);
    if (group_id() < row_tiles)
        write_rows(indices, base, rows, nnz, group_id() * (heron_index)most_rows, offsets, places);
    else
        write_elements(indices, base, rows, nnz, (group_id() - row_tiles) * (heron_index)tile, offsets,
                       listed, count);
}
HERON_CLOSE

HERON_CLOSE
