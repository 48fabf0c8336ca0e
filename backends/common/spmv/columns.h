// What ANALYSE finds out about the columns of a CSR matrix for the transposed product (turned.h). GROUP items
// take a tile of GROUP*16 elements.
HERON_PROGRAM(spmv_columns, int GROUP)

CONSTANT(part, 512);  // elements that 32 items walk along
CONSTANT(tile, GROUP / 32 * part);
CONSTANT(items, 256);   // of a group of kernels that know no tiles
CONSTANT(measured, 8);  // rows or columns per item

// Places in what is counted over all tiles: the sum of their columns, the most of a tile, whether the columns
// of a tile lie too far apart, and the longest row and column.
CONSTANT(all_columns, 0);
CONSTANT(most_columns, 1);
CONSTANT(is_unfit, 2);
CONSTANT(longest_row, 3);
CONSTANT(longest_column, 4);

HERON_FN heron_index item_of_all(void) { return group_id() * (heron_index)items + group_item(); }

// *longest := the greatest `length` of all items.
HERON_FN void keep_longest(GLOBAL u32* longest, u32 length, LOCAL u32* most) {
    if (group_item() == 0) *most = 0;
    sync_group();
    FETCH_MAX(most, length);
    sync_group();
    if (group_item() == 0) FETCH_MAX(longest, *most);
}

// counts[row] := whether the row has elements.
HERON_GROUP_KERNEL(mark_rows, items, GLOBAL const i32* RESTRICT offsets, heron_index rows, GLOBAL i64* counts,
                   GLOBAL u32* totals) {
    LOCAL_ARRAY(u32, most, 1);
    const heron_index first = group_id() * (heron_index)(measured * items) + group_item();
    u32 longest = 0;
    for (int i = 0; i < measured; ++i) {
        const heron_index row = first + i * items;
        if (row < rows) {
            const u32 length = (u32)(offsets[row + 1] - offsets[row]);
            counts[row] = length > 0;
            longest = max(longest, length);
        }
    }
    keep_longest(totals + longest_row, longest, most);
}
HERON_CLOSE

HERON_GROUP_KERNEL(measure_columns, items, GLOBAL const i64* RESTRICT counts, heron_index columns,
                   GLOBAL u32* totals) {
    LOCAL_ARRAY(u32, most, 1);
    const heron_index first = group_id() * (heron_index)(measured * items) + group_item();
    u32 longest = 0;
    for (int i = 0; i < measured; ++i) {
        const heron_index column = first + i * items;
        if (column < columns) longest = max(longest, (u32)counts[column]);
    }
    keep_longest(totals + longest_column, longest, most);
}
HERON_CLOSE

// limits := the lowest and the highest column of a tile.
HERON_FN void find_limits(GLOBAL const i32* indices, int count, int base, LOCAL i32* limits) {
    if (group_item() == 0) {
        limits[0] = 0x7fffffff;
        limits[1] = 0;
    }
    sync_group();
    int low = 0x7fffffff;
    int high = 0;
    for (int i = group_item(); i < count; i += GROUP) {
        const int column = indices[i] - base;
        low = min(low, column);
        high = max(high, column);
    }
    FETCH_MIN(limits, low);
    FETCH_MAX(limits + 1, high);
    sync_group();
}

// The words of the map that belong to an item.
HERON_FN int share_of(int words_in_use) { return (words_in_use + GROUP - 1) / GROUP; }

// words := a bit for each column of the tile from `low` on, and before[i] := how many of them lie before
// those of item i. The number of columns is returned.
HERON_FN u32 mark_columns(GLOBAL const i32* indices, int count, int low, int words_in_use, LOCAL u32* words,
                          LOCAL u32* before, PARTS(u32) parts) {
    const int id = group_item();
    for (int w = id; w < words_in_use; w += GROUP) words[w] = 0;
    sync_group();
    for (int i = id; i < count; i += GROUP) {
        const u32 bit = (u32)(indices[i] - low);
        if (bit < (u32)words_in_use * 32) FETCH_OR(words + bit / 32, 1u << bit % 32);
    }
    sync_group();
    const int share = share_of(words_in_use);
    u32 own = 0;
    for (int w = id * share; w < (id + 1) * share && w < words_in_use; ++w) own += (u32)popcount(words[w]);
    u32 all = 0;
    before[id] = GROUP_SCAN(u32, parts, GROUP, own, all);
    sync_group();
    return all;
}

// The columns that are marked, and the places of the elements in them among the columns of the tile.
HERON_FN void number_marked(GLOBAL const i32* indices, int count, int low, int base, int words_in_use,
                            u32 number, LOCAL const u32* words, LOCAL const u32* before, GLOBAL i32* columns,
                            GLOBAL u16* places) {
    const int id = group_item();
    const int share = share_of(words_in_use);
    u32 own = number + before[id];
    for (int w = id * share; w < (id + 1) * share && w < words_in_use; ++w)
        for (u32 bits = words[w]; bits != 0; bits &= bits - 1)
            columns[own++] = low - base + w * 32 + 31 - clz(bits & (0 - bits));
    for (int i = id; i < count; i += GROUP) {
        const u32 bit = (u32)(indices[i] - low);
        if (bit < (u32)words_in_use * 32) {
            const int word = (int)(bit / 32);
            u32 place = number + before[word / share] + (u32)popcount(words[word] & ((1u << bit % 32) - 1u));
            for (int w = word / share * share; w < word; ++w) place += (u32)popcount(words[w]);
            places[i] = (u16)place;
        }
    }
}

// The columns of the tiles, where they begin in `columns`, and the places of their elements among them. The
// map in local memory is filled up to most_passes times. Nothing is written beyond `room` columns.
HERON_GROUP_KERNEL(number_columns, GROUP, GLOBAL const i32* RESTRICT indices, heron_index nnz, int base,
                   int most_words, int most_passes, u32 room, GLOBAL u16* places, GLOBAL i32* columns,
                   GLOBAL u32* column_begins, GLOBAL u32* column_counts, GLOBAL u32* totals, LOCAL u32* words,
                   LOCAL u32* before) {
    PARTS_ARRAY(u32, parts, GROUP);
    LOCAL_ARRAY(i32, limits, 2);
    LOCAL_ARRAY(u32, begin, 1);
    const heron_index first = group_id() * (heron_index)tile;
    const int count = (int)min(nnz - first, (heron_index)tile);
    indices += first;
    places += first;
    find_limits(indices, count, base, limits);
    const int low = limits[0] + base;
    const int all_words = (limits[1] - limits[0]) / 32 + 1;
    const int passes = (all_words + most_words - 1) / most_words;
    if (passes > most_passes) {
        if (group_item() == 0) totals[is_unfit] = 1;
        return;
    }
    u32 number = 0;
    int pass = 0;
    do {
        number += mark_columns(indices, count, low + pass * most_words * 32,
                               min(all_words - pass * most_words, most_words), words, before, parts);
        ++pass;
    } while (pass < passes);
    if (group_item() == 0) {
        *begin = FETCH_ADD(totals + all_columns, number);
        FETCH_MAX(totals + most_columns, number);
        column_begins[group_id()] = *begin;
        column_counts[group_id()] = number;
    }
    sync_group();
    const u32 from = *begin;
    if (from > room || number > room - from) return;
    u32 numbered = 0;
    pass = 0;
    do {
        const int words_in_use = min(all_words - pass * most_words, most_words);
        const int low_of_pass = low + pass * most_words * 32;
        u32 marked = number;
        if (passes > 1)
            marked = mark_columns(indices, count, low_of_pass, words_in_use, words, before, parts);
        number_marked(indices, count, low_of_pass, base, words_in_use, numbered, words, before,
                      columns + from, places);
        numbered += marked;
        sync_group();
        ++pass;
    } while (pass < passes);
}
HERON_CLOSE

// listed: the rows with elements. starts: a bit per element, zero before; those that begin a row are set.
// ranks[row] counts the rows with elements before it.
HERON_GROUP_KERNEL(list_rows, items, GLOBAL const i32* RESTRICT offsets, heron_index rows, heron_index base,
                   GLOBAL const i64* RESTRICT ranks, GLOBAL i32* listed, GLOBAL u32* starts) {
    const heron_index row = item_of_all();
    if (row >= rows) return;
    const heron_index first = (heron_index)offsets[row] - base;
    if (first == (heron_index)offsets[row + 1] - base) return;
    listed[ranks[row]] = (i32)row;
    FETCH_OR(starts + first / 32, 1u << (int)(first % 32));
}
HERON_CLOSE

// part_ranks: of the parts, the row before the first one that begins there, in `listed`.
HERON_GROUP_KERNEL(rank_parts, items, GLOBAL const i32* RESTRICT offsets, heron_index rows, heron_index base,
                   heron_index nnz, GLOBAL const i64* RESTRICT ranks, GLOBAL i32* part_ranks) {
    const heron_index k = item_of_all() * part;
    if (k >= nnz) return;
    heron_index row = 0;
    heron_index high = rows - 1;
    while (row < high) {
        const heron_index middle = row + (high - row + 1) / 2;
        if ((heron_index)offsets[middle] - base <= k)
            row = middle;
        else
            high = middle - 1;
    }
    part_ranks[k / part] = (i32)ranks[row] - ((heron_index)offsets[row] - base == k);
}
HERON_CLOSE

// Counts of 64 bits are added up in their low halves: no column has more.
HERON_GROUP_KERNEL(count_elements, items, GLOBAL const i32* RESTRICT indices, heron_index nnz,
                   heron_index base, GLOBAL u32* counts) {
    const heron_index k = item_of_all();
    if (k < nnz) FETCH_ADD(counts + 2 * ((heron_index)indices[k] - base), 1u);
}
HERON_CLOSE

// column_rows and places of the elements by columns, in any order within a column. next[column] starts as its
// offset.
HERON_GROUP_KERNEL(turn_rows, items, GLOBAL const i32* RESTRICT offsets, GLOBAL const i32* RESTRICT indices,
                   heron_index rows, heron_index base, GLOBAL i32* next, GLOBAL i32* column_rows,
                   GLOBAL u8* places) {
    const heron_index row = item_of_all();
    if (row >= rows) return;
    const heron_index begin = (heron_index)offsets[row] - base;
    const heron_index end = (heron_index)offsets[row + 1] - base;
    for (heron_index k = begin; k < end; ++k) {
        const int to = FETCH_ADD(next + ((heron_index)indices[k] - base), 1);
        column_rows[to] = (i32)row;
        places[to] = (u8)(k - begin);
    }
}
HERON_CLOSE

// Sorts each column by rows, which neighbouring columns then read together, and by places: the same on every
// run.
HERON_GROUP_KERNEL(sort_columns, items, GLOBAL const i32* RESTRICT column_offsets, heron_index columns,
                   GLOBAL i32* column_rows, GLOBAL u8* places) {
    const heron_index column = item_of_all();
    if (column >= columns) return;
    const int begin = column_offsets[column];
    for (int i = begin + 1; i < column_offsets[column + 1]; ++i) {
        const int row = column_rows[i];
        const u8 place = places[i];
        int to = i;
        while (to > begin &&
               (column_rows[to - 1] > row || (column_rows[to - 1] == row && places[to - 1] > place))) {
            column_rows[to] = column_rows[to - 1];
            places[to] = places[to - 1];
            --to;
        }
        column_rows[to] = row;
        places[to] = place;
    }
}
HERON_CLOSE

// Two stamps lie around what the analysis leaves in the workspace, which the caller may overwrite.
HERON_GROUP_KERNEL(set_stamps, 1, GLOBAL i64* front, GLOBAL i64* back, heron_index stamp) {
    *front = *back = stamp;
}
HERON_CLOSE

HERON_CLOSE
