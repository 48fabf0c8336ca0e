// Exclusive scan of 64-bit counts on GPUs: groups add up tiles, one group scans their sums, and groups write
// what precedes each count.
HERON_PROGRAM(convert_scan, int GROUP)

CONSTANT(each, 8);  // neighbouring counts of an item
CONSTANT(tile, 8 * GROUP);

HERON_FN i64 sum_of_item(GLOBAL const i64* counts, heron_index first, heron_index n) {
    i64 sum = 0;
    for (heron_index k = first; k < first + each && k < n; ++k) sum += counts[k];
    return sum;
}

HERON_GROUP_KERNEL(add_tiles, GROUP, GLOBAL const i64* RESTRICT counts, heron_index n,
                   GLOBAL i64* RESTRICT sums) {
    PARTS_ARRAY(i64, parts, GROUP);
    i64 all = 0;
    GROUP_SCAN(i64, parts, GROUP,
               sum_of_item(counts, group_id() * (heron_index)tile + each * group_item(), n), all);
    if (group_item() == 0) sums[group_id()] = all;
}
HERON_CLOSE

// sums[tiles] := the total. One group.
HERON_GROUP_KERNEL(scan_sums, GROUP, GLOBAL i64* sums, heron_index tiles) {
    PARTS_ARRAY(i64, parts, GROUP);
    i64 before = 0;
    for (heron_index first = 0; first < tiles; first += GROUP) {
        const heron_index k = first + group_item();
        const i64 own = k < tiles ? sums[k] : 0;
        i64 all = 0;
        const i64 place = before + GROUP_SCAN(i64, parts, GROUP, own, all);
        if (k < tiles) sums[k] = place;
        before += all;
    }
    if (group_item() == 0) sums[tiles] = before;
}
HERON_CLOSE

// offsets[k] := base and all counts before k, for k in [0, n].
HERON_GROUP_KERNEL(write_tiles, GROUP, GLOBAL const i64* RESTRICT counts, heron_index n,
                   GLOBAL const i64* RESTRICT sums, int base, GLOBAL i32* RESTRICT offsets) {
    PARTS_ARRAY(i64, parts, GROUP);
    const heron_index first = group_id() * (heron_index)tile + each * group_item();
    i64 all = 0;
    i64 place = GROUP_SCAN(i64, parts, GROUP, sum_of_item(counts, first, n), all) + sums[group_id()] + base;
    for (heron_index k = first; k < first + each && k < n; ++k) {
        offsets[k] = (i32)place;
        place += counts[k];
    }
    if (first < n && first + each >= n) offsets[n] = (i32)place;
}
HERON_CLOSE

HERON_CLOSE
