// The offsets of rows, most of which are empty, from the row of each element on GPUs. A group takes a share
// of the rows: all of its items look for the elements before its first and last row at a time, and then read
// those in between, where they are not too many.
HERON_PROGRAM(convert_bounds, int GROUP)

CONSTANT(loads, 8);               // that are on their way at a time
CONSTANT(most_rows, 4 * GROUP);   // of a group
CONSTANT(most_read, 32 * GROUP);  // elements that a group rather reads than searches for each row
CONSTANT(well_known, 1024);       // elements among which no further look at all of them pays

// The row of an element in [0, end), or any.
HERON_FN i32 row_at(GLOBAL const i32* rows_of, heron_index k, heron_index end) {
    return rows_of[min(k, end - 1)];
}

// *found := begin and all elements of the parts of [begin, end), `step` each, that lie before a row. Of this
// item's part and the next one the last elements' rows are given. The last parts may lack.
HERON_FN void note_parts(heron_index begin, heron_index end, heron_index step, i32 own_row, i32 next_row,
                         heron_index row, LOCAL i64* found) {
    const int t = group_item();
    const heron_index own = begin + (t + 1) * step;
    const int is_own = own <= end && own_row < row;
    const int is_next = t + 1 < GROUP && own + step <= end && next_row < row;
    if (t == 0 && !is_own) *found = begin;
    if (is_own && !is_next) *found = own;
}

// Looks at parts of two ranges of `length` elements or up to the last one, for a row each: found[0] and
// found[1] are where the parts end that lie before them. All items of a group, which are together before and
// behind.
HERON_FN void look_for(GLOBAL const i32* rows_of, heron_index nnz, heron_index first, heron_index second,
                       heron_index length, heron_index step, heron_index first_row, heron_index second_row,
                       LOCAL i64* found) {
    const heron_index own = (group_item() + 1) * step - 1;
    const i32 in_first = row_at(rows_of, first + own, nnz);
    const i32 after_first = row_at(rows_of, first + own + step, nnz);
    const i32 in_second = row_at(rows_of, second + own, nnz);
    const i32 after_second = row_at(rows_of, second + own + step, nnz);
    note_parts(first, min(first + length, nnz), step, in_first, after_first, first_row, found);
    note_parts(second, min(second + length, nnz), step, in_second, after_second, second_row, found + 1);
}

HERON_FN heron_index part_of(heron_index elements) { return elements / GROUP + 1; }

// The first element in [begin, end) that is not before a row, or end.
HERON_FN heron_index first_not_before(GLOBAL const i32* rows_of, heron_index begin, heron_index end,
                                      heron_index row) {
    while (begin < end) {
        const heron_index middle = begin + (end - begin) / 2;
        if (rows_of[middle] < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// places[r] := the number of elements before row first + r, of which there are from `begin` to `end`.
HERON_FN void read_places(GLOBAL const i32* rows_of, heron_index nnz, heron_index begin, heron_index end,
                          heron_index first, int own, LOCAL i32* places) {
    for (heron_index from = begin + group_item(); from <= end; from += loads * GROUP) {
        i32 before[loads];
        i32 row[loads];
        UNROLL
        for (int i = 0; i < loads; ++i) {
            const heron_index k = min(from + i * GROUP, nnz);
            before[i] = rows_of[max(k - 1, (heron_index)0)];
            row[i] = rows_of[min(k, nnz - 1)];
        }
        UNROLL
        for (int i = 0; i < loads; ++i) {
            const heron_index k = from + i * GROUP;
            if (k > end) continue;
            const heron_index low = k > 0 ? max(before[i] + 1 - first, (heron_index)0) : 0;
            const heron_index high = k < nnz ? min(row[i] - first, (heron_index)own - 1) : own - 1;
            for (heron_index r = low; r <= high; ++r) places[r] = (i32)k;
        }
    }
}

// nnz > 0. A group has `each`*GROUP of the rows + 1 offsets.
HERON_GROUP_KERNEL(find_bounds, GROUP, GLOBAL const i32* RESTRICT rows_of, int base, heron_index rows,
                   heron_index nnz, int each, GLOBAL i32* RESTRICT offsets) {
    LOCAL_ARRAY(i32, places, most_rows);
    LOCAL_ARRAY(i64, found, 4);
    const int id = group_item();
    const heron_index first = group_id() * (heron_index)(each * GROUP);
    const int own = (int)min(rows + 1 - first, (heron_index)(each * GROUP));
    const heron_index first_row = first + base;
    const heron_index last_row = first_row + own - 1;
    const heron_index step = part_of(nnz);
    look_for(rows_of, nnz, 0, 0, nnz, step, first_row, last_row, found);
    for (int r = id; r < own; r += GROUP) places[r] = 0;
    sync_group();
    heron_index begin = found[0];
    heron_index end = min(found[1] + step - 1, nnz);
    if (step > well_known) {
        const heron_index finer = part_of(step);
        look_for(rows_of, nnz, begin, found[1], step, finer, first_row, last_row, found + 2);
        sync_group();
        begin = found[2];
        end = min(found[3] + finer - 1, nnz);
    }
    const int reads = end - begin < most_read;
    if (reads) read_places(rows_of, nnz, begin, end, first_row, own, places);
    sync_group();
    for (int r = id; r < own; r += GROUP) {
        const heron_index place =
            reads ? (heron_index)places[r] : first_not_before(rows_of, begin, end, first_row + r);
        offsets[first + r] = (i32)place + base;
    }
}
HERON_CLOSE

HERON_CLOSE
