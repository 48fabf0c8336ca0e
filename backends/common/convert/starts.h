// The offsets of rows from the row of each element on GPUs: an item has EACH elements and writes the offsets of
// the rows that begin at one, which are those behind the row of the element before. All loads of a group are on
// their way at once, and nothing is searched for.
HERON_PROGRAM(convert_starts, int GROUP, int EACH)

CONSTANT(lanes, 32);  // neighbours that read neighbouring elements, and that write what is too much for an item
CONSTANT(few, 32);    // rows without elements that an item rather writes alone

// The rows from `low` to `high` that begin at an element, none if high < low. Within range, whatever the rows of
// the elements are: `last_row` is the last row's number.
typedef struct {
    i32 low, high;
} row_starts;

HERON_FN row_starts starts_at(u32 k, u32 nnz, i32 before, i32 row, i32 base, i32 rows) {
    const i32 last_row = rows - 1 + base;
    row_starts starts;
    starts.low = k > 0 ? min(max(before, base - 1), last_row) - base + 1 : 0;
    starts.high = k < nnz ? min(row, last_row) - base : k == nnz ? rows : -1;
    return starts;
}

// The row of an element from 0 on, -1 for that before the first, and `rows` behind the last one.
HERON_FN heron_index row_of(GLOBAL const i32* rows_of, i32 base, heron_index rows, heron_index nnz,
                            heron_index k) {
    if (k < 0) return -1;
    return k < nnz ? min((heron_index)rows_of[k] - base, rows) : rows;
}

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

// The rows of a slice that lie in a long gap, where the slice begins, behind element begin - 1.
HERON_FN void write_slice(GLOBAL const i32* rows_of, i32 base, heron_index rows, heron_index nnz,
                          heron_index begin, heron_index end, heron_index row, heron_index slice,
                          heron_index longest, GLOBAL i32* offsets) {
    const heron_index k = first_not_before(rows_of, begin, min(end, nnz), row + base);
    const heron_index behind = row_of(rows_of, base, rows, nnz, k);
    if (behind - row_of(rows_of, base, rows, nnz, k - 1) <= longest) return;
    const heron_index last = min(row + slice - 1, behind);
    for (heron_index r = row + group_item(); r <= last; r += GROUP) offsets[r] = (i32)k + base;
}

// nnz > 0. More than `longest` rows without elements are a long gap, whose rows are written by the first
// `slices` groups, a slice of all rows each, but for those before the next slice.
HERON_GROUP_KERNEL(find_starts, GROUP, GLOBAL const i32* RESTRICT rows_of, i32 base, i32 rows, u32 nnz,
                   int slices, heron_index slice, heron_index longest, GLOBAL i32* RESTRICT offsets) {
    LOCAL_ARRAY(i32, listed, EACH * GROUP);
    LOCAL_ARRAY(i32, listed_count, 1);
    LOCAL_ARRAY(i64, gap, 1);
    BOARD_ARRAY(i32, board, GROUP);
    const int id = group_item();
    const int lane = id % lanes;
    const int has_slice = group_id() < slices;
    const u32 first = (u32)(max(group_id(), slices) - slices) * (u32)(EACH * GROUP);
    const u32 own = first + (u32)(id / lanes * (EACH * lanes) + lane);
    i32 row[EACH];
    UNROLL
    for (int i = 0; i < EACH; ++i) row[i] = rows_of[min(own + (u32)(i * lanes), nnz - 1u)];
    i32 link = rows_of[min(max(own - (u32)lane, 1u), nnz) - 1u];
    heron_index part = -1;  // of all elements, in which the own slice may begin in a long gap
    if (has_slice) {
        const heron_index step = nnz / GROUP + 1;
        const heron_index begin = row_of(rows_of, base, rows, nnz, id * step - 1);
        const heron_index end = row_of(rows_of, base, rows, nnz, (id + 1) * step - 1);
        const heron_index own_slice = group_id() * slice;
        if (begin < own_slice && end >= own_slice && end - begin > longest) part = id * step;
    }
    if (id == 0) *listed_count = 0;
    if (id == 0) *gap = -1;
    sync_group();
    if (part >= 0) *gap = part;
    UNROLL_LANES
    for (int i = 0; i < EACH; ++i) {
        SYNC_BOARD();
        PUT(i32, board, row[i]);
        SYNC_BOARD();
        const i32 turned = GET(i32, board, lanes, row[i], (lane + lanes - 1) % lanes);
        const i32 before = lane > 0 ? turned : link;
        link = turned;
        const u32 k = own + (u32)(i * lanes);
        const row_starts starts = starts_at(k, nnz, before, row[i], base, rows);
        const int count = has_slice ? 0 : starts.high - starts.low + 1;
        GLOBAL i32* const to = offsets + starts.low;
        if (count > few) listed[FETCH_ADD(listed_count, 1)] = (i32)(k - first);
        ROLLED
        for (int r = 0; r < (count > few ? 0 : count); ++r) to[r] = (i32)k + base;
    }
    sync_group();
    const int all = *listed_count;
    for (int n = id / lanes; n < all; n += GROUP / lanes) {
        const u32 k = first + (u32)listed[n];
        const row_starts starts =
            starts_at(k, nnz, rows_of[max(k, 1u) - 1u], rows_of[min(k, nnz - 1u)], base, rows);
        heron_index last = starts.high;
        if (last - starts.low + 1 > longest) last = min(last, (starts.low - 1 + slice) / slice * slice - 1);
        UNROLL_BY(4)
        for (heron_index r = starts.low + lane; r <= last; r += lanes) offsets[r] = (i32)k + base;
    }
    if (*gap >= 0)
        write_slice(rows_of, base, rows, nnz, *gap, *gap + nnz / GROUP + 1, group_id() * slice, slice, longest,
                    offsets);
}
HERON_CLOSE

HERON_CLOSE
