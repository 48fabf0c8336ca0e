// The elements of a CSR matrix that are kept, on GPUs: groups take tiles of equally many elements, whatever
// the rows are. Types: RT element, WT the word without sign that it consists of one or two of, ET the number
// that each of two is, else WT.
HERON_PROGRAM(prune_elements, class RT, class WT, class ET, int GROUP, int LANES)

CONSTANT(each, 8);  // elements of an item
CONSTANT(tile, 8 * GROUP);
CONSTANT(masks, tile / 32);
CONSTANT(is_pair, sizeof(RT) != sizeof(WT));

HERON_FN WT first_kept(WT first, WT last, WT mask, GLOBAL const WT* threshold) {
    if (!threshold) return first;
    const WT bits = *threshold;
    const WT size = (WT)(bits & mask);
    if (size > last) return (WT)(last + 1);
    return size != 0 && size != bits ? (WT)0 : (WT)(size + 1);
}

// Whether |re + i*im| > tolerance; with a NaN it is not. The scale is a power of two that brings the
// tolerance close to 1, so that squares that matter neither overflow nor vanish, and a difference of squares
// is a product, so that nothing cancels.
HERON_FN int is_longer(const ET* number, ET tolerance, ET scale) {
    const ET re = (ET)(number[0] > 0 ? number[0] : -number[0]);
    const ET im = (ET)(number[1] > 0 ? number[1] : -number[1]);
    const int re_is_above = re > tolerance;
    const int im_is_above = im > tolerance;
    if (!((re_is_above || re <= tolerance) && (im_is_above || im <= tolerance))) return 0;
    if (re_is_above || im_is_above) return 1;
    const ET long_leg = (ET)((re > im ? re : im) * scale);
    const ET short_leg = (ET)((re > im ? im : re) * scale);
    const ET limit = (ET)(tolerance * scale);
    return short_leg * short_leg > (limit - long_leg) * (limit + long_leg);
}

// Real: first <= bits & mask <= last.
HERON_FN int is_kept(RT element, WT mask, WT first, WT last, ET tolerance, ET scale) {
    const WT word = (WT)(*(const WT*)&element & mask);
    if (is_pair) return is_longer((const ET*)&element, tolerance, scale);
    return word >= first && word <= last;
}

// *found := the last row that does not begin behind an element, which counts from base. All items of a
// group, which look at rows that divide the range.
HERON_FN void find_row(GLOBAL const i32* offsets, int rows, heron_index element, LOCAL i32* found) {
    if (group_item() == 0) *found = 0;
    sync_group();
    for (int span = rows; span > 1;) {
        const int step = (span - 1) / GROUP + 1;
        const int low = *found;
        const heron_index end = min((heron_index)low + span, (heron_index)rows);
        const heron_index row = low + (heron_index)group_item() * step;
        sync_group();
        if (row < end && offsets[row] <= element && (row + step >= end || offsets[row + step] > element))
            *found = (i32)row;
        span = step;
        sync_group();
    }
}

// held: this item's elements of a tile, one of every LANES; kept: the lanes of its team that keep theirs.
HERON_FN void load_tile(GLOBAL const RT* a, heron_index at, heron_index end, RT* held) {
    UNROLL
    for (int i = 0; i < each; ++i) held[i] = a[min(at + i * LANES, end - 1)];
}
HERON_FN heron_index first_of_item(heron_index first) {
    return first + group_item() / LANES * (each * LANES) + group_item() % LANES;
}

// words[i], sums[i] := which of elements 32*i ... of the tile are kept, and how many are before them. All of
// them are returned.
HERON_FN u32 mark_tile(GLOBAL const RT* a, heron_index first, heron_index begin, heron_index end, WT mask,
                       WT low, WT last, ET tolerance, ET scale, BOARD(i32) board, PARTS(u32) parts,
                       LOCAL u32* words, LOCAL u32* sums, RT* held) {
    const heron_index at = first_of_item(first);
    load_tile(a, at, end, held);
    UNROLL_LANES
    for (int i = 0; i < each; ++i) {
        const heron_index k = at + i * LANES;
        const u32 kept =
            BALLOT(board, k >= begin && k < end && is_kept(held[i], mask, low, last, tolerance, scale));
        // All lanes write the same: PoCL 3.1 loses what one of them alone writes here.
        words[group_item() / LANES * each + i] = kept;
    }
    sync_group();
    const u32 own = group_item() < masks ? (u32)popcount(words[group_item() % masks]) : 0u;
    u32 all = 0;
    const u32 before = GROUP_SCAN(u32, parts, GROUP, own, all);
    if (group_item() < masks) sums[group_item()] = before;
    if (group_item() == 0) {
        words[masks] = 0;
        sums[masks] = all;
    }
    sync_group();
    return all;
}

HERON_FN u32 kept_before(LOCAL const u32* words, LOCAL const u32* sums, int i) {
    return sums[i / 32] + (u32)popcount(words[i / 32] & ((1u << i % 32) - 1u));
}

// counts[row] := elements that are kept. counts is zero before.
HERON_GROUP_KERNEL(count_rows, GROUP, GLOBAL const i32* RESTRICT offsets, int base, int rows,
                   GLOBAL const RT* RESTRICT a, WT mask, WT first_value, WT last, GLOBAL const WT* threshold,
                   ET tolerance, ET scale, GLOBAL u32* counts) {
    LOCAL_ARRAY(u32, words, masks + 1);
    LOCAL_ARRAY(u32, sums, masks + 1);
    LOCAL_ARRAY(i32, found, 1);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(u32, parts, GROUP);
    RT held[each];
    const WT low = first_kept(first_value, last, mask, threshold);
    const heron_index begin = offsets[0] - base;
    const heron_index end = offsets[rows] - base;
    const int tiles = (int)((end - begin / tile * tile + tile - 1) / tile);
    for (int i = group_id(); i < tiles; i += group_count()) {
        const heron_index first = (begin / tile + i) * tile;
        const heron_index next = min(first + tile, end);
        mark_tile(a, first, begin, end, mask, low, last, tolerance, scale, board, parts, words, sums, held);
        find_row(offsets, rows, max(first, begin) + base, found);
        for (int row = *found + group_item(); row < rows && offsets[row] - base < next; row += GROUP) {
            const heron_index row_begin = offsets[row] - base;
            const heron_index row_end = offsets[row + 1] - base;
            const u32 upto = kept_before(words, sums, (int)(min(row_end, next) - first));
            const u32 count = upto - kept_before(words, sums, (int)(max(row_begin, first) - first));
            if (row_begin >= first && row_end <= next)
                counts[row] = count;
            else
                FETCH_ADD(counts + row, count);
        }
        sync_group();
    }
}
HERON_CLOSE

// row_of[i] := the row of the first element of tile i. An item each.
HERON_GROUP_KERNEL(find_tiles, GROUP, GLOBAL const i32* RESTRICT offsets, int base, int rows, int tiles,
                   GLOBAL i32* RESTRICT row_of) {
    const int i = group_id() * GROUP + group_item();
    if (i >= tiles) return;
    const heron_index begin = offsets[0] - base;
    const heron_index element = max((begin / tile + i) * tile, begin);
    int low = 0;
    int high = rows - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (offsets[middle] - base <= element)
            low = middle;
        else
            high = middle - 1;
    }
    row_of[i] = low;
}
HERON_CLOSE

// counts[i] := elements of tile i that are kept, of tiles whose row goes on in the next one.
HERON_GROUP_KERNEL(count_inner, GROUP, GLOBAL const i32* RESTRICT offsets, int base, int rows,
                   GLOBAL const i32* RESTRICT row_of, GLOBAL const RT* RESTRICT a, WT mask, WT first_value,
                   WT last, GLOBAL const WT* threshold, ET tolerance, ET scale, GLOBAL u32* RESTRICT counts) {
    LOCAL_ARRAY(u32, words, masks + 1);
    LOCAL_ARRAY(u32, sums, masks + 1);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(u32, parts, GROUP);
    RT held[each];
    const heron_index begin = offsets[0] - base;
    const heron_index end = offsets[rows] - base;
    const heron_index first = (begin / tile + group_id()) * tile;
    if (first >= end || offsets[row_of[group_id()] + 1] - base <= first + tile) return;
    const WT low = first_kept(first_value, last, mask, threshold);
    const u32 all =
        mark_tile(a, first, begin, end, mask, low, last, tolerance, scale, board, parts, words, sums, held);
    if (group_item() == 0) counts[group_id()] = all;
}
HERON_CLOSE

// B's elements and columns. Never writes outside what B's offsets say, whatever has become of A since they
// were counted.
HERON_GROUP_KERNEL(keep_elements, GROUP, GLOBAL const i32* RESTRICT offsets, int base, int rows,
                   GLOBAL const i32* RESTRICT row_of, GLOBAL const u32* RESTRICT inner,
                   GLOBAL const RT* RESTRICT a, GLOBAL const i32* RESTRICT columns, WT mask, WT first_value,
                   WT last, GLOBAL const WT* threshold, ET tolerance, ET scale,
                   GLOBAL const i32* RESTRICT b_offsets, int b_base, GLOBAL i32* RESTRICT b_columns,
                   GLOBAL RT* RESTRICT b_values) {
    LOCAL_ARRAY(u32, words, masks + 1);
    LOCAL_ARRAY(u32, sums, masks + 1);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(u32, parts, GROUP);
    RT held[each];
    const heron_index begin = offsets[0] - base;
    const heron_index end = offsets[rows] - base;
    const heron_index first = (begin / tile + group_id()) * tile;
    if (first >= end) return;
    const WT low = first_kept(first_value, last, mask, threshold);
    mark_tile(a, first, begin, end, mask, low, last, tolerance, scale, board, parts, words, sums, held);
    // What the first row has in tiles before: the one that it begins in, and those that are all its own.
    const int row = row_of[group_id()];
    const heron_index row_begin = offsets[row] - base;
    const heron_index own_tiles = min((row_begin + tile - 1) / tile * tile, first);
    u32 earlier = 0;
    for (heron_index k = row_begin + group_item(); k < own_tiles; k += GROUP)
        earlier += (u32)is_kept(a[k], mask, low, last, tolerance, scale);
    for (heron_index i = own_tiles / tile - begin / tile + group_item(); i < group_id(); i += GROUP)
        earlier += inner[i];
    u32 before = 0;
    GROUP_SCAN(u32, parts, GROUP, earlier, before);
    const heron_index to = b_offsets[row] - b_base + (heron_index)before;
    const heron_index limit = b_offsets[rows] - b_base;
    const heron_index at = first_of_item(first);
    UNROLL
    for (int i = 0; i < each; ++i) {
        const int place = (int)(at - first) + i * LANES;
        const heron_index target = to + kept_before(words, sums, place);
        if ((words[place / 32] >> place % 32 & 1u) != 0 && target >= 0 && target < limit) {
            b_columns[target] = columns[first + place] - base + b_base;
            b_values[target] = held[i];
        }
    }
}
HERON_CLOSE

HERON_CLOSE
