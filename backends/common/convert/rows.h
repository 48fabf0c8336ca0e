// The rows of elements on GPUs: a group takes a tile of elements. VT: values of up
// to 32 bits.
HERON_PROGRAM(convert_rows, class VT, int GROUP)

CONSTANT(each, 8);  // elements of an item
CONSTANT(tile, 8 * GROUP);
CONSTANT(padded_tile, tile + tile / 32);  // so that items with neighbouring eights find banks of their own

HERON_FN int place_of(int i) { return i + i / 32; }

// ends[0], ends[1] := the last rows that do not begin behind the elements `first` and `last`, which count
// from base. A half of the group searches for each: its items look at rows that divide the range, one of them
// finds where it goes on.
HERON_FN void find_ends(GLOBAL const i32* offsets, int rows, heron_index first, heron_index last,
                        LOCAL i32* ends) {
    const int side = group_item() / (GROUP / 2);
    const int probe = group_item() % (GROUP / 2);
    const heron_index element = side == 0 ? first : last;
    if (group_item() < 2) ends[group_item()] = 0;
    sync_group();
    for (int span = rows; span > 1;) {
        const int step = (span - 1) / (GROUP / 2) + 1;
        const heron_index end = min((heron_index)ends[side] + span, (heron_index)rows);
        const heron_index row = ends[side] + (heron_index)probe * step;
        const i32 here = offsets[min(row, (heron_index)rows)];
        const i32 next = offsets[min(row + step, (heron_index)rows)];
        sync_group();
        if (row < end && here <= element && (row + step >= end || next > element)) ends[side] = (i32)row;
        span = step;
        sync_group();
    }
}

// rows_of[place_of(i)] := the row of element first + i. All items of a group, which each count the rows that
// begin among their elements.
HERON_FN void find_rows(GLOBAL const i32* offsets, int base, int rows, heron_index first, int count,
                        LOCAL u32* rows_of, LOCAL i32* ends, PARTS(u32) parts) {
    const int id = group_item();
    for (int i = id; i < padded_tile; i += GROUP) rows_of[i] = 0;
    find_ends(offsets, rows, first + base, first + count - 1 + base, ends);
    const int last = ends[1];
    for (int row = ends[0] + 1 + id; row <= last; row += GROUP) {
        const heron_index at = offsets[row] - base - first;
        if (at >= 0 && at < tile) FETCH_ADD(rows_of + place_of((int)at), 1u);
    }
    sync_group();
    u32 own = 0;
    for (int i = each * id; i < each * id + each; ++i) own += rows_of[place_of(i)];
    u32 all = 0;
    u32 row = GROUP_SCAN(u32, parts, GROUP, own, all) + (u32)ends[0];
    for (int i = each * id; i < each * id + each; ++i) {
        row += rows_of[place_of(i)];
        rows_of[place_of(i)] = row;
    }
    sync_group();
}

HERON_GROUP_KERNEL(expand_offsets, GROUP, GLOBAL const i32* RESTRICT offsets, int base, int rows,
                   heron_index nnz, GLOBAL i32* RESTRICT indices) {
    LOCAL_ARRAY(u32, rows_of, padded_tile);
    LOCAL_ARRAY(i32, ends, 2);
    PARTS_ARRAY(u32, parts, GROUP);
    const heron_index first = group_id() * (heron_index)tile;
    const int count = (int)min(nnz - first, (heron_index)tile);
    find_rows(offsets, base, rows, first, count, rows_of, ends, parts);
    for (int i = group_item(); i < count; i += GROUP) indices[first + i] = (i32)rows_of[place_of(i)] + base;
}
HERON_CLOSE

// What a sort by columns moves of each element: its column as B counts it, and `packed`, its row with its
// value, or its number among the elements, in the upper half. Of a pattern alone `values` may be anything.
HERON_GROUP_KERNEL(pack_elements, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT columns, GLOBAL const VT* RESTRICT values, int base, int rows,
                   heron_index nnz, int more_base, GLOBAL u32* RESTRICT keys, GLOBAL u64* RESTRICT packed) {
    LOCAL_ARRAY(u32, rows_of, padded_tile);
    LOCAL_ARRAY(i32, ends, 2);
    PARTS_ARRAY(u32, parts, GROUP);
    const heron_index first = group_id() * (heron_index)tile;
    const int count = (int)min(nnz - first, (heron_index)tile);
    find_rows(offsets, base, rows, first, count, rows_of, ends, parts);
    for (int i = group_item(); i < count; i += GROUP) {
        const u32 upper = values ? (u32)values[first + i] : (u32)(first + i);
        keys[first + i] = (u32)(columns[first + i] + more_base);
        packed[first + i] = (u64)upper << 32 | rows_of[place_of(i)];
    }
}
HERON_CLOSE

// The rows, which count from base, and values that were packed. b may be NULL.
HERON_GROUP_KERNEL(unpack_elements, GROUP, GLOBAL const u64* RESTRICT packed, int base, heron_index nnz,
                   GLOBAL i32* RESTRICT indices, GLOBAL VT* RESTRICT b) {
    const heron_index first = group_id() * (heron_index)tile;
    const int count = (int)min(nnz - first, (heron_index)tile);
    for (int i = group_item(); i < count; i += GROUP) {
        const u64 element = packed[first + i];
        indices[first + i] = (i32)(u32)element + base;
        if (b) b[first + i] = (VT)(u32)(element >> 32);
    }
}
HERON_CLOSE

HERON_CLOSE
