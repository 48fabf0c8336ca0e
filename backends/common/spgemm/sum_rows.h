// Sums of sparse matrices by rows on GPUs: LANES items are a team that takes a row, and a group takes what is
// long for its teams. Rows are sorted. Types: CT values. An item has EACH elements at a time.
//
// The two rows are merged by tiles in local memory, where each item takes as many neighbouring elements as
// the others (merge path: Green, McColl and Bader, 2012); of equal elements A's comes first. An element of C
// begins where one of A is, or one of B that A lacks. So an item finds with one search where it begins, and
// keeps in bits what it took, until it knows how many elements of C begin before its own. The values wait
// where they were read for the places of their elements.
//
// Rows of many elements whose columns all lie close together need no merging: each column has a word in local
// memory that says which elements are there.
HERON_PROGRAM(spgemm_sum_rows, class CT, int GROUP, int LANES, int EACH)

CONSTANT(teams, GROUP / LANES);
CONSTANT(has_windows, LANES == 32);
CONSTANT(at_a_time, 4);

// A row of both, and b_base - a_base.
typedef struct {
    GLOBAL const i32* a;
    GLOBAL const i32* b;
    int a_length, b_length;
    i32 more_base;
} row_pair;

HERON_FN row_pair pair_of(GLOBAL const i32* a_offsets, GLOBAL const i32* a_indices, i32 a_base,
                          GLOBAL const i32* b_offsets, GLOBAL const i32* b_indices, i32 b_base,
                          heron_index row) {
    row_pair pair;
    const i32 a = a_offsets[row];
    const i32 b = b_offsets[row];
    pair.a = a_indices + (heron_index)(a - a_base);
    pair.b = b_indices + (heron_index)(b - b_base);
    pair.a_length = a_offsets[row + 1] - a;
    pair.b_length = b_offsets[row + 1] - b;
    pair.more_base = b_base - a_base;
    return pair;
}

// The pair as far as a team takes it, which leaves pairs of more than `longest` to its group, in whose list
// its first lane puts them.
HERON_FN row_pair share_of_team(row_pair pair, int longest, heron_index row, LOCAL i32* long_rows,
                                LOCAL i32* long_count) {
    if (pair.a_length + pair.b_length <= longest) return pair;
    if (group_item() % LANES == 0) long_rows[FETCH_ADD(long_count, 1)] = (i32)row;
    pair.a_length = 0;
    pair.b_length = 0;
    return pair;
}

// Elements of a pair from from_a and from_b on: keys[0, a_count) are A's, those behind them B's, counted as A
// counts. As far as `length` no others come between them; of_a of these are A's.
typedef struct {
    LOCAL i32* keys;
    int from_a, from_b, a_count, b_count, length, of_a;
} row_tile;

// At most `most` elements, and of each row half of them where both have so many.
HERON_FN row_tile tile_of(row_pair pair, int from_a, int from_b, int most, LOCAL i32* keys) {
    row_tile t;
    const int b_left = pair.b_length - from_b;
    t.keys = keys;
    t.from_a = from_a;
    t.from_b = from_b;
    t.a_count = min(pair.a_length - from_a, max(most / 2, most - b_left));
    t.b_count = min(b_left, most - t.a_count);
    t.length = t.a_count + t.b_count;
    t.of_a = t.a_count;
    return t;
}

HERON_FN int is_unfinished(row_pair pair, row_tile t) {
    return t.from_a + t.from_b < pair.a_length + pair.b_length;
}

// Element k of a tile, as in memory.
HERON_FN i32 key_of(row_pair pair, row_tile t, int k) {
    return k < t.a_count ? pair.a[t.from_a + k] : pair.b[t.from_b + (k - t.a_count)] - pair.more_base;
}

// How many of A's elements are among the first d of both.
HERON_FN int share_of_a(row_tile t, int d) {
    int low = max(d - t.b_count, 0);
    int high = min(d, t.a_count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (t.keys[middle] <= t.keys[t.a_count + d - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many of `count` keys are not above `last`.
HERON_FN int keys_upto(LOCAL const i32* keys, int count, i32 last) {
    int low = 0;
    while (low < count) {
        const int middle = (low + count) / 2;
        if (keys[middle] <= last)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

// The tile up to the last element of a row of which there is more. It has at least one.
HERON_FN row_tile known_part(row_pair pair, row_tile t) {
    LOCAL const i32* const b_keys = t.keys + t.a_count;
    const int a_goes_on = t.from_a + t.a_count < pair.a_length;
    const int b_goes_on = t.from_b + t.b_count < pair.b_length;
    if (a_goes_on) t.length = t.a_count + keys_upto(b_keys, t.b_count, t.keys[t.a_count - 1]);
    if (b_goes_on) t.length = min(t.length, t.b_count + keys_upto(t.keys, t.a_count, b_keys[t.b_count - 1]));
    if (a_goes_on || b_goes_on) t.of_a = share_of_a(t, t.length);
    return t;
}

// What an item merges, `steps` elements from A's element number i and B's number j of the tile on. A bit for
// each: whether it is A's, and whether the other row has it too. `count` elements of C begin there.
typedef struct {
    int i, j, steps, count;
    u32 is_a, is_met;
} merged_share;

HERON_FN merged_share merge_share(row_tile t, int item, int items) {
    merged_share s;
    const int each = (t.length + items - 1) / items;
    const int begin = min(item * each, t.length);
    s.steps = min(each, t.length - begin);
    s.i = share_of_a(t, begin);
    s.j = begin - s.i;
    s.is_a = 0;
    s.is_met = 0;
    int i = s.i;
    int j = s.j;
    for (int step = 0; step < s.steps; ++step) {
        const int has_b = j < t.b_count;
        const i32 b = has_b ? t.keys[t.a_count + j] : 0;
        const i32 a = i < t.a_count ? t.keys[i] : 0;
        const int takes_a = i < t.a_count && (!has_b || a <= b);
        const int is_met = takes_a ? has_b && a == b : i > 0 && t.keys[i - 1] == b;
        s.is_a |= (u32)takes_a << step;
        s.is_met |= (u32)is_met << step;
        i += takes_a;
        j += !takes_a;
    }
    s.count = s.steps - popcount(s.is_met & ~s.is_a);
    return s;
}

// A tile that is so far along.
HERON_FN row_tile next_tile(row_pair pair, row_tile t, int most) {
    return tile_of(pair, t.from_a + t.of_a, t.from_b + (t.length - t.of_a), most, t.keys);
}

// counts[row] := length of row `row` of C. A group has `each` rows.
HERON_GROUP_KERNEL(count_rows, GROUP, GLOBAL const i32* RESTRICT a_offsets,
                   GLOBAL const i32* RESTRICT a_indices, i32 a_base, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL const i32* RESTRICT b_indices, i32 b_base, heron_index rows, int each, int longest,
                   GLOBAL i64* RESTRICT counts) {
    LOCAL_ARRAY(i32, long_rows, teams);
    LOCAL_ARRAY(i32, long_count, 1);
    LOCAL_ARRAY(i32, keys, EACH * GROUP);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    row_pair pair;
    pair.a_length = 0;
    pair.b_length = 0;
    if (row < rows) pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, row);
    const int is_own = row < rows && pair.a_length + pair.b_length <= longest;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    pair = share_of_team(pair, longest, row, long_rows, long_count);
    i32 count = 0;
    row_tile t = tile_of(pair, 0, 0, EACH * LANES, keys + team * (EACH * LANES));
    while (ANY_TOGETHER(is_unfinished(pair, t))) {
        for (int k = lane; k < t.a_count + t.b_count; k += LANES) t.keys[k] = key_of(pair, t, k);
        sync_together();
        t = known_part(pair, t);
        count += merge_share(t, lane, LANES).count;
        sync_together();
        t = next_tile(pair, t, EACH * LANES);
    }
    count = SCAN_TEAM(i32, board, LANES, count);
    if (lane == LANES - 1 && is_own) counts[row] = count;
    sync_group();
    const int listed = *long_count;
    for (int n = 0; n < listed; ++n) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, long_rows[n]);
        count = 0;
        for (t = tile_of(pair, 0, 0, EACH * GROUP, keys); is_unfinished(pair, t);
             t = next_tile(pair, t, EACH * GROUP)) {
            for (int k = group_item(); k < t.a_count + t.b_count; k += GROUP) keys[k] = key_of(pair, t, k);
            sync_group();
            t = known_part(pair, t);
            count += merge_share(t, group_item(), GROUP).count;
            sync_group();
        }
        i32 all = 0;
        GROUP_SCAN(i32, parts, GROUP, count, all);
        if (group_item() == 0) counts[long_rows[n]] = all;
    }
}
HERON_CLOSE

// A row of C, and the values and factors of its pair.
typedef struct {
    GLOBAL const CT* a;
    GLOBAL const CT* b;
    CT alpha, beta;
    GLOBAL i32* indices;
    GLOBAL CT* values;
    int length;
    i32 more_base;  // than A
} row_sum;

HERON_FN row_sum sum_of(GLOBAL const i32* a_offsets, GLOBAL const CT* a_values, i32 a_base,
                        GLOBAL const i32* b_offsets, GLOBAL const CT* b_values, i32 b_base, CT alpha, CT beta,
                        GLOBAL const i32* offsets, i32 base, GLOBAL i32* indices, GLOBAL CT* values,
                        heron_index row) {
    row_sum sum;
    const i32 begin = offsets[row];
    sum.a = a_values + (heron_index)(a_offsets[row] - a_base);
    sum.b = b_values + (heron_index)(b_offsets[row] - b_base);
    sum.alpha = alpha;
    sum.beta = beta;
    sum.indices = indices + (heron_index)(begin - base);
    sum.values = values + (heron_index)(begin - base);
    sum.length = offsets[row + 1] - begin;
    sum.more_base = base - a_base;
    return sum;
}

// values[k], or 0 where the factor is 0: then the value is not read.
HERON_FN CT factor_for(CT factor, GLOBAL const CT* values, int k) {
    return EQUAL(CT, factor, ZERO(CT)) ? ZERO(CT) : values[k];
}

// The elements item, item + items, ... of a tile.
typedef struct {
    i32 keys[EACH];
    CT values[EACH];
} own_elements;

HERON_FN own_elements load_own(row_pair pair, row_sum sum, row_tile t, int item, int items) {
    own_elements own;
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        const int k = item + u * items;
        own.keys[u] = 0;
        own.values[u] = ZERO(CT);
        if (k < t.a_count + t.b_count) {
            own.keys[u] = key_of(pair, t, k);
            own.values[u] = k < t.a_count ? factor_for(sum.alpha, sum.a, t.from_a + k)
                                          : factor_for(sum.beta, sum.b, t.from_b + (k - t.a_count));
        }
    }
    return own;
}

HERON_FN void put_keys(row_tile t, own_elements own, int item, int items) {
    UNROLL
    for (int u = 0; u < EACH; ++u)
        if (item + u * items < t.a_count + t.b_count) t.keys[item + u * items] = own.keys[u];
}

// Keys become places of C's elements, `at` being that of the first of the share. Beside an element of A is
// the number from 1 on of the one of B that it meets; such a one of B has none.
HERON_FN void put_places(row_tile t, merged_share s, int at) {
    for (int step = 0; step < s.steps; ++step) {
        const int is_a = (s.is_a >> step) & 1;
        const int is_met = (s.is_met >> step) & 1;
        if (is_a)
            t.keys[s.i] = is_met ? at | (s.j + 1) << 16 : at;
        else
            t.keys[t.a_count + s.j] = is_met ? -1 : at;
        at += is_a || !is_met;
        s.i += is_a;
        s.j += !is_a;
    }
}

// The own elements of the tile's known part go where they are in C, `before` elements behind its first one.
// Writes no more than C's row has room for, whatever has become of the patterns since they were counted.
HERON_FN void write_own(row_sum sum, row_tile t, own_elements own, int before, int item, int items) {
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        const int k = item + u * items;
        const int is_a = k < t.a_count;
        const int is_known = is_a ? k < t.of_a : k - t.a_count < t.length - t.of_a;
        const i32 place = is_known ? t.keys[k] : -1;
        const int at = before + (place & 0xffff);
        if (place >= 0 && at < sum.length) {
            const int met = place >> 16;
            CT value = MUL(CT, is_a ? sum.alpha : sum.beta, own.values[u]);
            if (met)
                value = ADD(CT, value, MUL(CT, sum.beta, factor_for(sum.beta, sum.b, t.from_b + met - 1)));
            sum.indices[at] = own.keys[u] + sum.more_base;
            sum.values[at] = value;
        }
    }
}

// The columns from `first` on in which a pair lies, counted as A counts: none if they are more than a tile
// has room for.
typedef struct {
    i32 first;
    int count;
} column_window;

HERON_FN column_window window_of(row_pair pair) {
    column_window w;
    w.first = 0;
    w.count = 0;
    if (pair.a_length > 0 && pair.b_length > 0) {
        const i32 last = max(pair.a[pair.a_length - 1], pair.b[pair.b_length - 1] - pair.more_base);
        w.first = min(pair.a[0], pair.b[0] - pair.more_base);
        if ((u32)last - (u32)w.first < (u32)(EACH * LANES)) w.count = last - w.first + 1;
    }
    return w;
}

// at_a_time elements k, k + LANES, ... of a row: their places in the window, or -1.
typedef struct {
    int places[at_a_time];
} window_places;

HERON_FN window_places places_in(column_window w, GLOBAL const i32* indices, i32 more_base, int length,
                                 int k) {
    window_places own;
    UNROLL
    for (int u = 0; u < at_a_time; ++u) {
        const u32 place =
            k + u * LANES < length ? (u32)(indices[k + u * LANES] - more_base) - (u32)w.first : (u32)w.count;
        own.places[u] = place < (u32)w.count ? (int)place : -1;
    }
    return own;
}

// `kept` are the bits of a column's word that belong to the other row.
HERON_FN void mark_places(LOCAL i32* columns, window_places own, i32 kept, i32 mark, i32 mark_step) {
    UNROLL
    for (int u = 0; u < at_a_time; ++u)
        if (own.places[u] >= 0)
            columns[own.places[u]] = (columns[own.places[u]] & kept) | (mark + u * mark_step);
}

// A word for each column of the window: the numbers, from 1 on, of A's element there and above them of B's.
HERON_FN void mark_columns(row_pair pair, column_window w, LOCAL i32* columns, int lane) {
    for (int c = lane; c < w.count; c += LANES) columns[c] = 0;
    sync_together();
    const int length = w.count ? max(pair.a_length, pair.b_length) : 0;
    for (int k = 0; ANY_TOGETHER(k < length); k += at_a_time * LANES) {
        const window_places of_a = places_in(w, pair.a, 0, pair.a_length, k + lane);
        const window_places of_b = places_in(w, pair.b, pair.more_base, pair.b_length, k + lane);
        mark_places(columns, of_a, ~0xffff, k + lane + 1, LANES);
        sync_together();
        mark_places(columns, of_b, 0xffff, (k + lane + 1) << 16, LANES << 16);
        sync_together();
    }
}

// The element of C in a column with these elements.
HERON_FN CT sum_in_column(row_sum sum, i32 elements) {
    const int of_a = elements & 0xffff;
    const int of_b = elements >> 16;
    CT value = ZERO(CT);
    if (of_a) value = MUL(CT, sum.alpha, factor_for(sum.alpha, sum.a, of_a - 1));
    if (of_b) {
        const CT more = MUL(CT, sum.beta, factor_for(sum.beta, sum.b, of_b - 1));
        value = of_a ? ADD(CT, value, more) : more;
    }
    return value;
}

// Writes the row of C whose columns are marked, but no more than it has room for. How many it wrote or would
// have.
HERON_FN int write_columns(row_sum sum, column_window w, LOCAL const i32* columns, int lane,
                           BOARD(i32) board) {
    int written = 0;
    for (int c = 0; ANY_TOGETHER(c < w.count); c += at_a_time * LANES) {
        i32 elements[at_a_time];
        CT values[at_a_time];
        UNROLL
        for (int u = 0; u < at_a_time; ++u) {
            const int column = c + u * LANES + lane;
            elements[u] = column < w.count ? columns[column] : 0;
            values[u] = ZERO(CT);
            if (elements[u]) values[u] = sum_in_column(sum, elements[u]);
        }
        UNROLL
        for (int u = 0; u < at_a_time; ++u) {
            const u32 flags = BALLOT(board, elements[u] != 0);
            const int at = written + popcount(flags & ((1u << lane) - 1u));
            if (elements[u] && at < sum.length) {
                sum.indices[at] = w.first + c + u * LANES + lane + sum.more_base;
                sum.values[at] = values[u];
            }
            written += popcount(flags);
        }
    }
    return written;
}

// Writes the row of C of a pair in a window of columns. Whether that was all: not without a window, nor where
// a row has a column twice or is not sorted.
HERON_FN int add_in_window(row_pair pair, row_sum sum, LOCAL i32* columns, int lane, BOARD(i32) board) {
    const column_window w = window_of(pair);
    if (!ANY_TOGETHER(w.count > 0)) return 0;
    mark_columns(pair, w, columns, lane);
    const int written = write_columns(sum, w, columns, lane, board);
    sync_together();
    return w.count > 0 && written == sum.length;
}

HERON_GROUP_KERNEL(add_rows, GROUP, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL const i32* RESTRICT a_offsets, GLOBAL const i32* RESTRICT a_indices,
                   GLOBAL const CT* RESTRICT a_values, i32 a_base, CT beta_value,
                   GLOBAL const CT* beta_device, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL const i32* RESTRICT b_indices, GLOBAL const CT* RESTRICT b_values, i32 b_base,
                   heron_index rows, int each, int longest, GLOBAL const i32* RESTRICT offsets, i32 base,
                   GLOBAL i32* RESTRICT indices, GLOBAL CT* RESTRICT values) {
    LOCAL_ARRAY(i32, long_rows, teams);
    LOCAL_ARRAY(i32, long_count, 1);
    LOCAL_ARRAY(i32, keys, EACH * GROUP);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    row_pair pair;
    row_sum sum;
    pair.a_length = 0;
    pair.b_length = 0;
    if (row < rows) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, row);
        sum = sum_of(a_offsets, a_values, a_base, b_offsets, b_values, b_base, alpha, beta, offsets, base,
                     indices, values, row);
    }
    if (group_item() == 0) *long_count = 0;
    sync_group();
    pair = share_of_team(pair, longest, row, long_rows, long_count);
    if (has_windows && add_in_window(pair, sum, keys + team * (EACH * LANES), lane, board)) {
        pair.a_length = 0;
        pair.b_length = 0;
    }
    int written = 0;
    row_tile t = tile_of(pair, 0, 0, EACH * LANES, keys + team * (EACH * LANES));
    while (ANY_TOGETHER(is_unfinished(pair, t))) {
        const own_elements own = load_own(pair, sum, t, lane, LANES);
        put_keys(t, own, lane, LANES);
        sync_together();
        t = known_part(pair, t);
        const merged_share s = merge_share(t, lane, LANES);
        const i32 upto = SCAN_TEAM(i32, board, LANES, s.count);
        SYNC_BOARD();
        PUT(i32, board, upto);
        sync_together();
        const i32 all = GET(i32, board, LANES, upto, LANES - 1);
        put_places(t, s, upto - s.count);
        sync_together();
        write_own(sum, t, own, written, lane, LANES);
        sync_together();
        written += all;
        t = next_tile(pair, t, EACH * LANES);
    }
    sync_group();
    const int listed = *long_count;
    for (int n = 0; n < listed; ++n) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, long_rows[n]);
        sum = sum_of(a_offsets, a_values, a_base, b_offsets, b_values, b_base, alpha, beta, offsets, base,
                     indices, values, long_rows[n]);
        written = 0;
        for (t = tile_of(pair, 0, 0, EACH * GROUP, keys); is_unfinished(pair, t);
             t = next_tile(pair, t, EACH * GROUP)) {
            const own_elements own = load_own(pair, sum, t, group_item(), GROUP);
            put_keys(t, own, group_item(), GROUP);
            sync_group();
            t = known_part(pair, t);
            const merged_share s = merge_share(t, group_item(), GROUP);
            i32 all = 0;
            const i32 at = GROUP_SCAN(i32, parts, GROUP, s.count, all);
            put_places(t, s, at);
            sync_group();
            write_own(sum, t, own, written, group_item(), GROUP);
            sync_group();
            written += all;
        }
    }
}
HERON_CLOSE

HERON_CLOSE
