// The offsets of rows from the row of each element on GPUs: an item has EACH elements and writes the offsets
// of the rows that begin at one, which are those behind the row of the element before. All loads of a group
// are on their way at once, and nothing is searched for.
HERON_PROGRAM(convert_starts, int GROUP, int EACH)

CONSTANT(lanes, 32);  // that read neighbouring elements, and write what is too much for an item
CONSTANT(few, 32);    // rows without elements that an item rather writes alone
CONSTANT(at_a_time, 4);

// From -1 to `rows`, whatever the element says.
HERON_FN i32 within_rows(i32 row, int base, i32 rows) {
    return min(max((i32)((u32)row - (u32)base), -1), rows);
}

// The row of an element counted from 0, -1 before the first one and `rows` behind the last.
HERON_FN i32 row_of(GLOBAL const i32* rows_of, int base, i32 rows, heron_index nnz, heron_index k) {
    if (k < 0) return -1;
    return k < nnz ? within_rows(rows_of[k], base, rows) : rows;
}

// The rows of a slice that lie in a long gap, where the slice begins, behind an element of [begin - 1, end).
HERON_FN void write_slice(GLOBAL const i32* rows_of, int base, i32 rows, heron_index nnz, heron_index begin,
                          heron_index end, heron_index row, heron_index slice, heron_index longest,
                          GLOBAL i32* offsets) {
    end = min(end, nnz);
    while (begin < end) {
        const heron_index middle = begin + (end - begin) / 2;
        if (row_of(rows_of, base, rows, nnz, middle) < row)
            begin = middle + 1;
        else
            end = middle;
    }
    const i32 behind = row_of(rows_of, base, rows, nnz, begin);
    if (behind - (heron_index)row_of(rows_of, base, rows, nnz, begin - 1) <= longest) return;
    const heron_index last = min(row + slice - 1, (heron_index)behind);
    for (heron_index r = row + group_item(); r <= last; r += GROUP) offsets[r] = (i32)begin + base;
}

// nnz > 0. More than `longest` rows without elements are a long gap, whose rows are written by the first
// `slices` groups, a slice of all rows each, but for those before the next slice.
HERON_GROUP_KERNEL(find_starts, GROUP, GLOBAL const i32* RESTRICT rows_of, int base, i32 rows, u32 nnz,
                   int slices, heron_index slice, heron_index longest, GLOBAL i32* RESTRICT offsets) {
    LOCAL_ARRAY(i32, listed, EACH * GROUP);
    LOCAL_ARRAY(i32, listed_count, 1);
    LOCAL_ARRAY(i64, gap, 1);
    BOARD_ARRAY(i32, board, GROUP);
    const int id = group_item();
    const int lane = id % lanes;
    const int has_slice = group_id() < slices;
    // From the last elements on: where rows become sparse it is there, and takes longest.
    const u32 first = (u32)(group_count() - 1 - max(group_id(), slices)) * (u32)(EACH * GROUP);
    const u32 of_lanes = first + (u32)(id / lanes * (EACH * lanes));
    i32 row[EACH];
    UNROLL
    for (int i = 0; i < EACH; ++i) row[i] = rows_of[min(of_lanes + (u32)(i * lanes + lane), nnz - 1u)];
    i32 link = rows_of[min(max(of_lanes, 1u), nnz) - 1u];  // of the element before those of the first lane
    const heron_index step = nnz / GROUP + 1;
    const heron_index own_slice = group_id() * slice;
    heron_index part = -1;  // of all elements, in which the own slice may begin in a long gap
    if (has_slice) {
        const i32 begin = row_of(rows_of, base, rows, nnz, id * step - 1);
        const i32 end = row_of(rows_of, base, rows, nnz, (id + 1) * step - 1);
        if (begin < own_slice && end >= own_slice && end - (heron_index)begin > longest) part = id * step;
    }
    if (id == 0) *listed_count = 0;
    if (id == 0) *gap = -1;
    sync_group();
    if (part >= 0) *gap = part;
    link = of_lanes == 0u ? -1 : of_lanes > nnz ? rows : within_rows(link, base, rows);
    UNROLL_LANES
    for (int i = 0; i < EACH; ++i) {
        const u32 k = of_lanes + (u32)(i * lanes + lane);
        const i32 own = k < nnz ? within_rows(row[i], base, rows) : rows;
        SYNC_BOARD();
        PUT(i32, board, own);
        SYNC_BOARD();
        const i32 turned = GET(i32, board, lanes, own, (lane + lanes - 1) % lanes);
        const i32 before = lane > 0 ? turned : link;
        link = turned;
        if (own > before && !has_slice) {
            const int is_few = own - (heron_index)before <= few;
            if (!is_few) listed[FETCH_ADD(listed_count, 1)] = (i32)(k - first);
            GLOBAL i32* to = offsets + ((heron_index)before + 1);
            ROLLED
            for (int left = is_few ? own - before : 0; left > 0; left -= at_a_time) {
                UNROLL
                for (int r = 0; r < at_a_time; ++r)
                    if (r < left) to[r] = (i32)k + base;
                to += at_a_time;
            }
        }
    }
    sync_group();
    const int all = *listed_count;
    for (int n = id / lanes; n < all; n += GROUP / lanes) {
        const heron_index k = first + (heron_index)listed[n];
        const heron_index before = row_of(rows_of, base, rows, nnz, k - 1);
        heron_index last = row_of(rows_of, base, rows, nnz, k);
        if (last - before > longest) last = min(last, (before + slice) / slice * slice - 1);
        UNROLL_BY(4)
        for (heron_index r = before + 1 + lane; r <= last; r += lanes) offsets[r] = (i32)k + base;
    }
    if (*gap >= 0)
        write_slice(rows_of, base, rows, nnz, *gap, *gap + step, own_slice, slice, longest, offsets);
}
HERON_CLOSE

HERON_CLOSE
