// A stable sort of keys with packed values on GPUs, one digit after the other from the last (Knuth, The Art
// of Computer Programming, vol. 3, 5.2.5): groups count the digits of their tiles, the counts become places,
// and each team ranks the elements of its part of a tile, which are equal in the digit, by their order.
HERON_PROGRAM(convert_radix, int GROUP, int LANES)

CONSTANT(digits, 256);
CONSTANT(rounds, 16);  // elements of an item
CONSTANT(tile, 16 * GROUP);
CONSTANT(teams, GROUP / LANES);
CONSTANT(part, 16 * LANES);  // elements of a team
CONSTANT(scanned, 256);      // items of a group that scans

HERON_FN int digit_of(u32 key, int shift) { return (int)(key >> shift & (digits - 1)); }

// counts[digit*tiles + tile] := elements of the tile with the digit.
HERON_GROUP_KERNEL(count_digits, GROUP, GLOBAL const u32* RESTRICT keys, heron_index n, int shift, int tiles,
                   GLOBAL u32* RESTRICT counts) {
    LOCAL_ARRAY(u32, own, digits);
    const heron_index first = group_id() * (heron_index)tile;
    const int count = (int)min(n - first, (heron_index)tile);
    for (int digit = group_item(); digit < digits; digit += GROUP) own[digit] = 0;
    sync_group();
    for (int i = group_item(); i < count; i += GROUP) FETCH_ADD(own + digit_of(keys[first + i], shift), 1u);
    sync_group();
    for (int digit = group_item(); digit < digits; digit += GROUP)
        counts[digit * (heron_index)tiles + group_id()] = own[digit];
}
HERON_CLOSE

// Group `digit`: its counts become the sums of those before, and totals[digit] their sum.
HERON_GROUP_KERNEL(scan_tiles, scanned, int tiles, GLOBAL u32* RESTRICT counts, GLOBAL u32* RESTRICT totals) {
    PARTS_ARRAY(u32, parts, scanned);
    u32 before = 0;
    counts += group_id() * (heron_index)tiles;
    for (int first = 0; first < tiles; first += scanned) {
        const int i = first + group_item();
        const u32 own = i < tiles ? counts[i] : 0u;
        u32 all = 0;
        const u32 place = before + GROUP_SCAN(u32, parts, scanned, own, all);
        if (i < tiles) counts[i] = place;
        before += all;
    }
    if (group_item() == 0) totals[group_id()] = before;
}
HERON_CLOSE

// The same of the totals of all digits. One group.
HERON_GROUP_KERNEL(scan_totals, scanned, GLOBAL u32* totals) {
    PARTS_ARRAY(u32, parts, scanned);
    u32 all = 0;
    const u32 own = totals[group_item()];
    totals[group_item()] = GROUP_SCAN(u32, parts, scanned, own, all);
}
HERON_CLOSE

HERON_GROUP_KERNEL(move_digits, GROUP, GLOBAL const u32* RESTRICT keys, GLOBAL const u64* RESTRICT packed,
                   heron_index n, int shift, int tiles, GLOBAL const u32* RESTRICT counts,
                   GLOBAL const u32* RESTRICT totals, GLOBAL u32* RESTRICT to_keys,
                   GLOBAL u64* RESTRICT to_packed) {
    LOCAL_ARRAY(u32, places, teams * digits);
    BOARD_ARRAY(i32, board, GROUP);
    const int team = group_item() / LANES;
    const int lane = group_item() % LANES;
    LOCAL u32* own = places + team * digits;
    const heron_index first = group_id() * (heron_index)tile + team * part + lane;
    for (int i = group_item(); i < teams * digits; i += GROUP) places[i] = 0;
    sync_group();
    for (int round = 0; round < rounds; ++round) {
        const heron_index k = first + round * LANES;
        if (k < n) FETCH_ADD(own + digit_of(keys[k], shift), 1u);
    }
    sync_group();
    for (int digit = group_item(); digit < digits; digit += GROUP) {
        u32 place = totals[digit] + counts[digit * (heron_index)tiles + group_id()];
        for (int t = 0; t < teams; ++t) {
            const u32 count = places[t * digits + digit];
            places[t * digits + digit] = place;
            place += count;
        }
    }
    sync_group();
    ROLLED
    for (int round = 0; round < rounds; ++round) {
        const heron_index k = first + round * LANES;
        const u32 key = k < n ? keys[k] : 0u;
        const int digit = k < n ? digit_of(key, shift) : -1;
        const int rank = SAME_BEFORE(board, LANES, digit);
        u32 place = 0;
        if (k < n) place = own[digit] + (u32)rank;
        sync_together();
        if (k < n) {
            FETCH_ADD(own + digit, 1u);
            to_keys[place] = key;
            to_packed[place] = packed[k];
        }
        sync_together();
    }
}
HERON_CLOSE

HERON_CLOSE
