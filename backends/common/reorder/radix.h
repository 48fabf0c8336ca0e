// A stable sort of pairs for GPUs, least significant digits first (Satish, Harris and Garland, "Designing
// efficient sorting algorithms for manycore GPUs", IPDPS 2009). A pass counts the digits of every tile, adds
// the counts up, and moves each tile in the order of its digits, so that neighbours go to neighbouring
// places. A group has a tile of GROUP*ITEMS pairs; LANES neighbouring items are a team.
//
// facts: what the numbers that occur are, found before the passes, which end at once where nothing is left to
// do. Numbers are compared with their sign bit flipped, as unsigned ones. facts[0] and facts[1] are the
// greatest major number and the complement of the least one, facts[2] and facts[3] the same of the minor
// ones, facts[4] is not 0 where a pair is followed by a lesser one.
HERON_PROGRAM(reorder_radix, int GROUP, int ITEMS, int LANES)

CONSTANT(digits, 256);
CONSTANT(digit_bits, 8);
CONSTANT(own_digits, digits / GROUP);  // that an item adds up
CONSTANT(teams, GROUP / LANES);
CONSTANT(tile, GROUP* ITEMS);

HERON_FN u32 without_sign(i32 v) { return (u32)v ^ 0x80000000u; }

HERON_FN int minor_bits(GLOBAL const u32* facts) { return 32 - clz(facts[2] - ~facts[3]); }

HERON_FN int bits_to_sort(GLOBAL const u32* facts) {
    return facts[4] ? 32 - clz(facts[0] - ~facts[1]) + minor_bits(facts) : 0;
}

HERON_FN int pair_digit(i32 major, i32 minor, u32 least_major, u32 least_minor, int bits, int shift) {
    const u64 high = without_sign(major) - least_major;
    return (int)(((high << bits) | (without_sign(minor) - least_minor)) >> shift) & (digits - 1);
}

// Into facts, which are 0 before.
HERON_GROUP_KERNEL(radix_measure, GROUP, GLOBAL const i32* RESTRICT major, GLOBAL const i32* RESTRICT minor,
                   heron_index n, GLOBAL u32* facts) {
    LOCAL_ARRAY(u32, found, 5);
    if (group_item() < 5) found[group_item()] = 0;
    sync_group();
    u32 greatest_major = 0;
    u32 least_major = 0;
    u32 greatest_minor = 0;
    u32 least_minor = 0;
    u32 descends = 0;
    const heron_index step = (heron_index)group_count() * GROUP;
    for (heron_index k = (heron_index)group_id() * GROUP + group_item(); k < n; k += step) {
        const u32 i = without_sign(major[k]);
        const u32 j = without_sign(minor[k]);
        greatest_major = max(greatest_major, i);
        least_major = max(least_major, ~i);
        greatest_minor = max(greatest_minor, j);
        least_minor = max(least_minor, ~j);
        if (k + 1 < n) {
            const u32 next_i = without_sign(major[k + 1]);
            if (next_i < i || (next_i == i && without_sign(minor[k + 1]) < j)) descends = 1;
        }
    }
    FETCH_MAX(found, greatest_major);
    FETCH_MAX(found + 1, least_major);
    FETCH_MAX(found + 2, greatest_minor);
    FETCH_MAX(found + 3, least_minor);
    FETCH_MAX(found + 4, descends);
    sync_group();
    if (group_item() < 5) FETCH_MAX(facts + group_item(), found[group_item()]);
}
HERON_CLOSE

// counts[digit*tiles + t] := how many pairs of tile t have that digit.
HERON_GROUP_KERNEL(radix_count, GROUP, GLOBAL const i32* RESTRICT major, GLOBAL const i32* RESTRICT minor,
                   heron_index n, GLOBAL const u32* RESTRICT facts, int shift, heron_index tiles,
                   GLOBAL u32* RESTRICT counts) {
    LOCAL_ARRAY(u32, found, digits);
    if (shift >= bits_to_sort(facts)) return;
    for (int d = group_item(); d < digits; d += GROUP) found[d] = 0;
    sync_group();
    const u32 least_major = ~facts[1];
    const u32 least_minor = ~facts[3];
    const int bits = minor_bits(facts);
    const heron_index begin = (heron_index)group_id() * tile;
    UNROLL
    for (int j = 0; j < ITEMS; ++j) {
        const heron_index k = begin + j * GROUP + group_item();
        if (k < n)
            FETCH_ADD(found + pair_digit(major[k], minor[k], least_major, least_minor, bits, shift), 1u);
    }
    sync_group();
    for (int d = group_item(); d < digits; d += GROUP) counts[d * tiles + group_id()] = found[d];
}
HERON_CLOSE

// The counts of a digit into how many come before in tiles before, and totals[digit] := all of them. A group
// per digit.
HERON_GROUP_KERNEL(radix_scan, GROUP, GLOBAL const u32* RESTRICT facts, int shift, heron_index tiles,
                   GLOBAL u32* RESTRICT counts, GLOBAL u32* RESTRICT totals) {
    PARTS_ARRAY(u32, parts, GROUP);
    if (shift >= bits_to_sort(facts)) return;
    GLOBAL u32* own = counts + group_id() * tiles;
    u32 before = 0;
    for (heron_index begin = 0; begin < tiles; begin += GROUP) {
        const heron_index t = begin + group_item();
        const u32 count = t < tiles ? own[t] : 0;
        u32 all = 0;
        const u32 upto = GROUP_SCAN(u32, parts, GROUP, count, all);
        if (t < tiles) own[t] = before + upto;
        before += all;
    }
    if (group_item() == 0) totals[group_id()] = before;
}
HERON_CLOSE

// Turns the counts of teams and digits into the first place of each in the tile, and gives for every digit
// how far its places in the result are from those in the tile.
HERON_FN void place_digits(LOCAL u32* places, LOCAL u32* ways, PARTS(u32) parts, GLOBAL const u32* counts,
                           GLOBAL const u32* totals, heron_index tiles) {
    u32 in_tile = 0;
    u32 in_all = 0;
    for (int d = group_item() * own_digits; d < (group_item() + 1) * own_digits; ++d) {
        for (int team = 0; team < teams; ++team) in_tile += places[team * digits + d];
        in_all += totals[d];
    }
    u32 all = 0;
    u32 to = GROUP_SCAN(u32, parts, GROUP, in_tile, all);
    u32 result = GROUP_SCAN(u32, parts, GROUP, in_all, all);
    for (int d = group_item() * own_digits; d < (group_item() + 1) * own_digits; ++d) {
        ways[d] = result + counts[d * tiles + group_id()] - to;
        result += totals[d];
        for (int team = 0; team < teams; ++team) {
            const u32 count = places[team * digits + d];
            places[team * digits + d] = to;
            to += count;
        }
    }
}

// Writes what is staged in the order of the tile.
HERON_FN void write_staged(LOCAL const i32* staged, LOCAL const u8* digit_of, LOCAL const u32* ways,
                           int count, GLOBAL i32* to) {
    sync_group();
    for (int i = group_item(); i < count; i += GROUP) to[ways[digit_of[i]] + (u32)i] = staged[i];
    sync_group();
}

// permutation and to_permutation may be NULL.
HERON_GROUP_KERNEL(radix_move, GROUP, GLOBAL const i32* RESTRICT major, GLOBAL const i32* RESTRICT minor,
                   GLOBAL const i32* RESTRICT permutation, heron_index n, GLOBAL const u32* RESTRICT facts,
                   int shift, heron_index tiles, GLOBAL const u32* RESTRICT counts,
                   GLOBAL const u32* RESTRICT totals, GLOBAL i32* RESTRICT to_major,
                   GLOBAL i32* RESTRICT to_minor, GLOBAL i32* RESTRICT to_permutation) {
    LOCAL_ARRAY(u32, places, teams * digits);
    LOCAL_ARRAY(u32, ways, digits);
    LOCAL_ARRAY(i32, staged, tile);
    LOCAL_ARRAY(u8, digit_of, tile);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(u32, parts, GROUP);
    if (shift >= bits_to_sort(facts)) return;
    const u32 least_major = ~facts[1];
    const u32 least_minor = ~facts[3];
    const int bits = minor_bits(facts);
    const int team = group_item() / LANES;
    const heron_index tile_begin = (heron_index)group_id() * tile;
    const int count = (int)min(n - tile_begin, (heron_index)tile);
    const int first = team * (LANES * ITEMS) + group_item() % LANES;
    for (int d = group_item(); d < teams * digits; d += GROUP) places[d] = 0;
    sync_group();

    // Teams take their pairs in order, so that pairs with one digit keep theirs.
    i32 majors[ITEMS];
    i32 minors[ITEMS];
    i32 ranks[ITEMS];
    UNROLL
    for (int j = 0; j < ITEMS; ++j) {
        const int at = first + j * LANES;
        majors[j] = at < count ? major[tile_begin + at] : 0;
        minors[j] = at < count ? minor[tile_begin + at] : 0;
    }
    UNROLL_LANES
    for (int j = 0; j < ITEMS; ++j) {
        const int is_there = first + j * LANES < count;
        const int digit =
            is_there ? pair_digit(majors[j], minors[j], least_major, least_minor, bits, shift) : digits;
        const int before = SAME_BEFORE(board, LANES, digit);
        const int so_far = is_there ? (int)places[team * digits + digit] : 0;
        sync_together();
        if (is_there) FETCH_ADD(places + team * digits + digit, 1u);
        sync_together();
        ranks[j] = so_far + before;
    }
    sync_group();
    place_digits(places, ways, parts, counts, totals, tiles);
    sync_group();

    // What is not there goes behind all pairs, so that these are staged without a condition.
    UNROLL
    for (int j = 0; j < ITEMS; ++j) {
        const int at = first + j * LANES;
        const int digit = pair_digit(majors[j], minors[j], least_major, least_minor, bits, shift);
        const int place = (int)places[team * digits + digit];
        ranks[j] = at < count ? ranks[j] + place : at;
        staged[ranks[j]] = majors[j];
        digit_of[ranks[j]] = (u8)digit;
    }
    write_staged(staged, digit_of, ways, count, to_major);
    UNROLL
    for (int j = 0; j < ITEMS; ++j) staged[ranks[j]] = minors[j];
    write_staged(staged, digit_of, ways, count, to_minor);
    if (!permutation) return;
    UNROLL
    for (int j = 0; j < ITEMS; ++j)
        if (first + j * LANES < count) staged[ranks[j]] = permutation[tile_begin + first + j * LANES];
    write_staged(staged, digit_of, ways, count, to_permutation);
}
HERON_CLOSE

// After an odd number of passes the result lies in the other arrays.
HERON_GROUP_KERNEL(radix_return, GROUP, GLOBAL const i32* RESTRICT from_major,
                   GLOBAL const i32* RESTRICT from_minor, GLOBAL const i32* RESTRICT from_permutation,
                   heron_index n, GLOBAL const u32* RESTRICT facts, GLOBAL i32* RESTRICT major,
                   GLOBAL i32* RESTRICT minor, GLOBAL i32* RESTRICT permutation) {
    if ((bits_to_sort(facts) + digit_bits - 1) / digit_bits % 2 == 0) return;
    const heron_index begin = (heron_index)group_id() * tile;
    for (int j = 0; j < ITEMS; ++j) {
        const heron_index k = begin + j * GROUP + group_item();
        if (k >= n) break;
        major[k] = from_major[k];
        minor[k] = from_minor[k];
        if (permutation) permutation[k] = from_permutation[k];
    }
}
HERON_CLOSE

// Sorts the rows of a CSR matrix that have no more elements than a team: an element's place is the number of
// those before it. permutation may be NULL.
HERON_GROUP_KERNEL(radix_short_rows, GROUP, GLOBAL const i32* RESTRICT offsets, heron_index rows,
                   GLOBAL i32* RESTRICT indices, GLOBAL i32* RESTRICT permutation) {
    BOARD_ARRAY(i32, board, GROUP);
    const heron_index row = (heron_index)group_id() * teams + group_item() / LANES;
    const int lane = group_item() % LANES;
    const heron_index begin = row < rows ? (heron_index)offsets[row] - offsets[0] : 0;
    const heron_index end = row < rows ? (heron_index)offsets[row + 1] - offsets[0] : 0;
    const int length = end - begin <= LANES ? (int)(end - begin) : 0;
    const int is_there = lane < length;
    const i32 index = is_there ? indices[begin + lane] : 0;
    const i32 along = is_there && permutation ? permutation[begin + lane] : 0;
    int place = 0;
    SYNC_BOARD();
    PUT(i32, board, index);
    SYNC_BOARD();
    ROLLED
    for (int other_lane = 0; other_lane < length; ++other_lane) {
        const i32 other = GET(i32, board, LANES, index, other_lane);
        place += other < index || (other == index && other_lane < lane);
    }
    sync_together();
    if (!is_there) return;
    indices[begin + place] = index;
    if (permutation) permutation[begin + place] = along;
}
HERON_CLOSE
HERON_CLOSE
