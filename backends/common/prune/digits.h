// The element of a rank among ascending absolute values on GPUs, digit by digit from the top: groups count
// the next digit of what begins with those found. Values are as in columns, cut into pieces. cell: the digits
// found, and the rank among the elements that begin with them.
HERON_PROGRAM(prune_digits, class WT, int GROUP)

CONSTANT(digits, 2048);
CONSTANT(each, 2048 / GROUP);
CONSTANT(loads, 8);
CONSTANT(piece, 16 * GROUP);

// sums += elements by their digit, bits [shift, above).
HERON_GROUP_KERNEL(count_digits, GROUP, GLOBAL const WT* RESTRICT a, heron_index rows, heron_index ld,
                   heron_index pieces, heron_index tiles, WT mask, int above, int shift,
                   GLOBAL const i64* RESTRICT cell, GLOBAL u32* sums) {
    LOCAL_ARRAY(u32, own, digits);
    const u64 found = (u64)cell[0];
    const u64 last_digit = ((u64)1 << (above - shift)) - 1;
    for (int digit = group_item(); digit < digits; digit += GROUP) own[digit] = 0;
    sync_group();
    for (heron_index tile = group_id(); tile < tiles; tile += group_count()) {
        GLOBAL const WT* column = a + tile / pieces * ld;
        const heron_index first = tile % pieces * piece;
        const heron_index end = min(first + piece, rows);
        for (heron_index k = first + group_item(); k < end; k += loads * GROUP) {
            WT held[loads];
            UNROLL
            for (int i = 0; i < loads; ++i) held[i] = column[min(k + i * GROUP, end - 1)];
            UNROLL
            for (int i = 0; i < loads; ++i) {
                const u64 bits = (u64)(WT)(held[i] & mask);
                if (k + i * GROUP < end && bits >> above == found)
                    FETCH_ADD(own + (bits >> shift & last_digit), 1u);
            }
        }
    }
    sync_group();
    for (int digit = group_item(); digit < digits; digit += GROUP)
        if (own[digit] != 0) FETCH_ADD(sums + digit, own[digit]);
}
HERON_CLOSE

// Takes the digit of the rank, clears sums for the next one, and writes what is found so far. One group.
HERON_GROUP_KERNEL(take_digit, GROUP, GLOBAL u32* RESTRICT sums, int width, GLOBAL i64* RESTRICT cell,
                   GLOBAL WT* RESTRICT result) {
    PARTS_ARRAY(i64, parts, GROUP);
    const i64 found = cell[0];
    const i64 rank = cell[1];
    u32 held[each];
    i64 own = 0;
    for (int i = 0; i < each; ++i) {
        held[i] = sums[group_item() * each + i];
        sums[group_item() * each + i] = 0;
        own += held[i];
    }
    i64 all = 0;
    i64 before = GROUP_SCAN(i64, parts, GROUP, own, all);
    if (rank < before || rank >= before + own) return;
    int i = 0;
    for (; rank >= before + held[i]; ++i) before += held[i];
    const i64 digits_found = found << width | (group_item() * each + i);
    cell[0] = digits_found;
    cell[1] = rank - before;
    *result = (WT)digits_found;
}
HERON_CLOSE

HERON_CLOSE
