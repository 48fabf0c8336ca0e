// The rounds of colouring (coloring.h) with LANES items for each row. found: numbers, 0 before, to which all
// groups add. listed: the `count` rows that a round is about, in any order, or NULL for all: a row that is
// not among them has its colour, which no neighbour proposes.
HERON_PROGRAM(reorder_teams, int GROUP, int LANES)

HERON_FN u32 scrambled(u32 v) {
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ (v >> 16);
}

HERON_FN u64 scrambled_pair(u64 i, u64 j) {
    u64 v = (i << 32) | j;
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ul;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebul;
    return v ^ (v >> 31);
}

HERON_FN int comes_first(GLOBAL const i32* offsets, i32 i, i32 j) {
    const i32 length_i = offsets[i + 1] - offsets[i];
    const i32 length_j = offsets[j + 1] - offsets[j];
    if (length_i != length_j) return length_i > length_j;
    return scrambled((u32)i) > scrambled((u32)j);
}

HERON_FN u64 colors_among(GLOBAL const i32* offsets, GLOBAL const i32* indices, heron_index base,
                          heron_index row, GLOBAL const i32* colors, i32 first) {
    u64 taken = 0;
    const heron_index end = (heron_index)offsets[row + 1] - base;
    for (heron_index k = (heron_index)offsets[row] - base + group_item() % LANES; k < end; k += LANES) {
        const i32 number = colors[(heron_index)indices[k] - base] - first;
        if (number >= 0 && number < 64) taken |= (u64)1 << number;
    }
    return taken;
}

HERON_FN int is_beaten(GLOBAL const i32* offsets, GLOBAL const i32* indices, heron_index base,
                       heron_index row, GLOBAL const i32* lengths, GLOBAL const i32* proposals) {
    const i32 own = proposals[row];
    const heron_index end = (heron_index)offsets[row + 1] - base;
    for (heron_index k = (heron_index)offsets[row] - base + group_item() % LANES; k < end; k += LANES) {
        const heron_index other = (heron_index)indices[k] - base;
        if (other != row && proposals[other] == own && comes_first(lengths, (i32)other, (i32)row)) return 1;
    }
    return 0;
}

// As color_asymmetry; the upper and the lower halves of the numbers add up apart.
HERON_GROUP_KERNEL(teams_asymmetry, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, heron_index base, heron_index rows,
                   GLOBAL u32* found) {
    LOCAL_ARRAY(u32, sums, 2);
    if (group_item() < 2) sums[group_item()] = 0;
    sync_group();
    u32 low = 0;
    u32 high = 0;
    const heron_index step = (heron_index)group_count() * (GROUP / LANES);
    for (heron_index row = (heron_index)group_id() * (GROUP / LANES) + group_item() / LANES; row < rows;
         row += step) {
        const heron_index end = (heron_index)offsets[row + 1] - base;
        for (heron_index k = (heron_index)offsets[row] - base + group_item() % LANES; k < end; k += LANES) {
            const u64 column = (u64)((heron_index)indices[k] - base);
            const u64 here = scrambled_pair((u64)row, column);
            const u64 across = scrambled_pair(column, (u64)row);
            low += (u32)here - (u32)across;
            high += (u32)(here >> 32) - (u32)(across >> 32);
        }
    }
    FETCH_ADD(sums, low);
    FETCH_ADD(sums + 1, high);
    sync_group();
    if (group_item() < 2) FETCH_ADD(found + group_item(), sums[group_item()]);
}
HERON_CLOSE

// Or -1.
HERON_FN heron_index row_of_team(GLOBAL const i32* listed, heron_index count) {
    const heron_index place = (heron_index)group_id() * (GROUP / LANES) + group_item() / LANES;
    if (place >= count) return -1;
    return listed ? (heron_index)listed[place] : place;
}

HERON_GROUP_KERNEL(teams_propose, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, heron_index base, GLOBAL const i32* RESTRICT listed,
                   heron_index count, GLOBAL const i32* RESTRICT turned_offsets,
                   GLOBAL const i32* RESTRICT turned_indices, GLOBAL const i32* RESTRICT colors,
                   GLOBAL i32* RESTRICT proposals) {
    BOARD_ARRAY(u64, board, GROUP);
    const heron_index row = row_of_team(listed, count);
    int looks = row >= 0 && colors[row] < 0;
    i32 proposal = -1;
    i32 first = 0;
    while (ANY_TOGETHER(looks)) {
        u64 taken = 0;
        if (looks) {
            taken = colors_among(offsets, indices, base, row, colors, first);
            if (turned_offsets) taken |= colors_among(turned_offsets, turned_indices, 0, row, colors, first);
        }
        UNROLL_LANES
        for (int mask = 1; mask < LANES; mask *= 2) {
            SYNC_BOARD();
            PUT(u64, board, taken);
            SYNC_BOARD();
            taken |= GET_ACROSS(u64, board, LANES, taken, mask);
        }
        if (looks && ~taken) {
            const u32 low = (u32)taken;
            const u32 word = ~low ? ~low : ~(u32)(taken >> 32);
            proposal = first + (~low ? 0 : 32) + 31 - clz(word & (0u - word));
            looks = 0;
        }
        first += 64;
    }
    if (row >= 0 && group_item() % LANES == 0) proposals[row] = proposal;
}
HERON_CLOSE

HERON_GROUP_KERNEL(teams_settle, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, heron_index base, GLOBAL const i32* RESTRICT listed,
                   heron_index count, GLOBAL const i32* RESTRICT turned_offsets,
                   GLOBAL const i32* RESTRICT turned_indices, GLOBAL const i32* RESTRICT proposals,
                   GLOBAL i32* RESTRICT colors) {
    BOARD_ARRAY(i32, board, GROUP);
    const heron_index row = row_of_team(listed, count);
    const int proposes = row >= 0 && proposals[row] >= 0;
    if (!ANY_TOGETHER(proposes)) return;
    i32 beaten = 0;
    if (proposes) {
        beaten = is_beaten(offsets, indices, base, row, offsets, proposals);
        if (turned_offsets && !beaten)
            beaten = is_beaten(turned_offsets, turned_indices, 0, row, offsets, proposals);
    }
    UNROLL_LANES
    for (int mask = 1; mask < LANES; mask *= 2) {
        SYNC_BOARD();
        PUT(i32, board, beaten);
        SYNC_BOARD();
        beaten |= GET_ACROSS(i32, board, LANES, beaten, mask);
    }
    if (proposes && !beaten && group_item() % LANES == 0) colors[row] = proposals[row];
}
HERON_CLOSE

// found: how many rows have no colour, and the number behind the greatest one. listed := the rows without.
HERON_GROUP_KERNEL(teams_measure, GROUP, GLOBAL const i32* RESTRICT colors, heron_index rows,
                   GLOBAL u32* found, GLOBAL i32* RESTRICT listed) {
    LOCAL_ARRAY(u32, shared, 2);
    PARTS_ARRAY(u32, parts, GROUP);
    if (group_item() == 0) shared[0] = 0;
    u32 behind = 0;
    const heron_index step = (heron_index)group_count() * GROUP;
    for (heron_index first = (heron_index)group_id() * GROUP; first < rows; first += step) {
        const heron_index row = first + group_item();
        const i32 color = row < rows ? colors[row] : 0;
        if (row < rows && color >= 0) behind = max(behind, (u32)color + 1u);
        u32 all = 0;
        const u32 place = GROUP_SCAN(u32, parts, GROUP, (u32)(color < 0), all);
        if (group_item() == 0) shared[1] = FETCH_ADD(found, all);
        sync_group();
        if (color < 0) listed[shared[1] + place] = (i32)row;
        sync_group();
    }
    FETCH_MAX(shared, behind);
    sync_group();
    if (group_item() == 0) FETCH_MAX(found + 1, shared[0]);
}
HERON_CLOSE
HERON_CLOSE
