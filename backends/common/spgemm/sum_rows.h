// Sums of sparse matrices by rows on GPUs: LANES items are a team that takes a row, and a group takes what is
// long for its teams. Rows are sorted. Types: CT values. An item has EACH elements at a time.
//
// The two rows are merged by tiles in local memory, where each item takes as many neighbouring elements as
// the others (merge path: Green, McColl and Bader, 2012); of equal elements A's comes first. An element of C
// begins where one of A is, or one of B that A lacks. So an item finds with one search where it begins, and
// keeps in bits what it took, until it knows how many elements of C begin before its own. The values wait
// where they were read for the places of their elements.
//
// Rows whose columns all lie close together need no merging: each column has its sum in local memory. Neither
// do tiny rows, of which a lane has one element: all lanes compare their columns.
//
// Pointers are the kernel's own wherever they are used, and rows are numbers beside them: a pointer that may
// be one of several loses its address space, and with it the fast instructions.
HERON_PROGRAM(spgemm_sum_rows, class CT, int GROUP, int LANES, int EACH)

CONSTANT(teams, GROUP / LANES);
CONSTANT(has_windows, LANES >= 16 && EACH >= 8);
CONSTANT(has_tiny_rows, LANES == 16 && EACH < 8);
CONSTANT(both_at_once, sizeof(CT) <= 8);  // rows of both are on their way at a time
CONSTANT(at_a_time, 4);

typedef struct {
    GLOBAL const i32* a;
    GLOBAL const i32* b;
    i32 more_base;  // than A has
} both_indices;

// A row of both.
typedef struct {
    int a_begin, b_begin, a_length, b_length;
} row_pair;

HERON_FN row_pair no_pair(void) {
    row_pair pair;
    pair.a_begin = 0;
    pair.b_begin = 0;
    pair.a_length = 0;
    pair.b_length = 0;
    return pair;
}

HERON_FN row_pair pair_of(GLOBAL const i32* a_offsets, i32 a_base, GLOBAL const i32* b_offsets, i32 b_base,
                          heron_index row) {
    row_pair pair;
    const i32 a = a_offsets[row];
    const i32 b = b_offsets[row];
    pair.a_begin = a - a_base;
    pair.b_begin = b - b_base;
    pair.a_length = a_offsets[row + 1] - a;
    pair.b_length = b_offsets[row + 1] - b;
    return pair;
}

// The pair of row `row`, or of none where there is no such row, which reads what another one has: then loads
// are under no condition, and what comes behind does not wait for them.
HERON_FN row_pair pair_or_none(GLOBAL const i32* a_offsets, i32 a_base, GLOBAL const i32* b_offsets,
                               i32 b_base, heron_index row, heron_index rows) {
    row_pair pair = pair_of(a_offsets, a_base, b_offsets, b_base, min(row, rows - 1));
    if (row >= rows) pair.a_length = pair.b_length = 0;
    return pair;
}

// The pair as far as a team takes it, which leaves pairs of more than `longest` to its group, in whose list
// its first lane puts them.
HERON_FN row_pair share_of_team(row_pair pair, int longest, heron_index row, LOCAL i32* long_rows,
                                LOCAL i32* long_count) {
    if (pair.a_length + pair.b_length <= longest) return pair;
    if (group_item() % LANES == 0) long_rows[FETCH_ADD(long_count, 1)] = (i32)row;
    return no_pair();
}

// Elements of a pair from from_a and from_b on: keys[0, a_count) are A's, those behind them B's, counted as A
// counts. As far as `length` no others come between them; of_a of these are A's.
typedef struct {
    int from_a, from_b, a_count, b_count, length, of_a;
} row_tile;

// At most `most` elements, and of each row half of them where both have so many.
HERON_FN row_tile tile_of(row_pair pair, int from_a, int from_b, int most) {
    row_tile t;
    const int b_left = pair.b_length - from_b;
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

// Element k of a tile is its matrix's element k and one of these. A load and what is done with its result are
// kept apart in the functions below: then all loads are on their way at once.
HERON_FN int before_a(row_pair pair, row_tile t) { return pair.a_begin + t.from_a; }
HERON_FN int before_b(row_pair pair, row_tile t) { return pair.b_begin + t.from_b - t.a_count; }

// The elements item, item + items, ... of a tile.
typedef struct {
    i32 keys[EACH];
} own_keys;

HERON_FN own_keys load_keys(both_indices x, row_pair pair, row_tile t, int item, int items) {
    own_keys own;
    GLOBAL const i32* const of_a = x.a + (before_a(pair, t) + item);
    GLOBAL const i32* const of_b = x.b + (before_b(pair, t) + item);
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        GLOBAL const i32* const from = item + u * items < t.a_count ? of_a : of_b;
        own.keys[u] = 0;
        if (item + u * items < t.length) own.keys[u] = from[u * items];
    }
    UNROLL
    for (int u = 0; u < EACH; ++u)
        if (item + u * items >= t.a_count) own.keys[u] -= x.more_base;
    return own;
}

HERON_FN void put_keys(row_tile t, own_keys own, LOCAL i32* keys, int item, int items) {
    UNROLL
    for (int u = 0; u < EACH; ++u)
        if (item + u * items < t.length) keys[item + u * items] = own.keys[u];
}

// How many of A's elements are among the first d of both.
HERON_FN int share_of_a(row_tile t, LOCAL const i32* keys, int d) {
    int low = max(d - t.b_count, 0);
    int high = min(d, t.a_count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] <= keys[t.a_count + d - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many of the keys from `begin` up to `end` are not above `last`.
HERON_FN int keys_upto(LOCAL const i32* keys, int begin, int end, i32 last) {
    int low = begin;
    while (low < end) {
        const int middle = (low + end) / 2;
        if (keys[middle] <= last)
            low = middle + 1;
        else
            end = middle;
    }
    return low - begin;
}

// The tile up to the last element of a row of which there is more. It has at least one.
HERON_FN row_tile known_part(row_pair pair, row_tile t, LOCAL const i32* keys) {
    const int all = t.length;
    const int a_goes_on = t.from_a + t.a_count < pair.a_length;
    const int b_goes_on = t.from_b + t.b_count < pair.b_length;
    if (a_goes_on) t.length = t.a_count + keys_upto(keys, t.a_count, all, keys[t.a_count - 1]);
    if (b_goes_on) t.length = min(t.length, t.b_count + keys_upto(keys, 0, t.a_count, keys[all - 1]));
    if (a_goes_on || b_goes_on) t.of_a = share_of_a(t, keys, t.length);
    return t;
}

// What an item merges, `steps` elements from A's element number i and B's number j of the tile on. A bit for
// each: whether it is A's, and whether the other row has it too. `count` elements of C begin there.
typedef struct {
    int i, j, steps, count;
    u32 is_a, is_met;
} merged_share;

HERON_FN merged_share merge_share(row_tile t, LOCAL const i32* keys, int item, int items) {
    merged_share s;
    const int each = (t.length + items - 1) / items;
    const int begin = min(item * each, t.length);
    s.steps = min(each, t.length - begin);
    s.i = share_of_a(t, keys, begin);
    s.j = begin - s.i;
    s.is_a = 0;
    s.is_met = 0;
    int i = s.i;
    int k = t.a_count + s.j;
    const int end = t.a_count + t.b_count;
    int is_behind = i > 0;  // an element of A, `last`
    i32 last = is_behind ? keys[i - 1] : 0;
    i32 a = i < t.a_count ? keys[i] : 0;
    i32 b = k < end ? keys[k] : 0;
    for (int step = 0; step < s.steps; ++step) {
        const int has_a = i < t.a_count;
        const int has_b = k < end;
        const int takes_a = has_a && (!has_b || a <= b);
        const int is_met = takes_a ? has_b && a == b : is_behind && last == b;
        s.is_a |= (u32)takes_a << step;
        s.is_met |= (u32)is_met << step;
        if (takes_a) {
            last = a;
            is_behind = 1;
        }
        i += takes_a;
        k += !takes_a;
        const int next = takes_a ? i : k;
        const i32 key = keys[min(next, end - 1)];
        if (takes_a)
            a = key;
        else
            b = key;
    }
    s.count = s.steps - popcount(s.is_met & ~s.is_a);
    return s;
}

// A tile that is so far along.
HERON_FN row_tile next_tile(row_pair pair, row_tile t, int most) {
    return tile_of(pair, t.from_a + t.of_a, t.from_b + (t.length - t.of_a), most);
}

// The columns from `first` on in which a pair lies, counted as A counts: none if a tile has no room for them,
// or they are so many that merging is less work.
typedef struct {
    i32 first;
    int count;
} column_window;

HERON_FN column_window window_of(both_indices x, row_pair pair) {
    column_window w;
    w.first = 0;
    w.count = 0;
    if (min(pair.a_length, pair.b_length) > 0 && max(pair.a_length, pair.b_length) <= EACH * LANES) {
        const i32 a_first = x.a[pair.a_begin];
        const i32 a_last = x.a[pair.a_begin + pair.a_length - 1];
        const i32 b_first = x.b[pair.b_begin] - x.more_base;
        const i32 b_last = x.b[pair.b_begin + pair.b_length - 1] - x.more_base;
        w.first = min(a_first, b_first);
        const u32 more = (u32)max(a_last, b_last) - (u32)w.first;
        if (more < (u32)min(EACH * LANES, 2 * (pair.a_length + pair.b_length))) w.count = (int)more + 1;
    }
    return w;
}

// Marks the columns of a row in its window.
HERON_FN void mark_columns(GLOBAL const i32* indices, int begin, int length, i32 before, int count,
                           LOCAL i32* columns, int lane) {
    GLOBAL const i32* const own_indices = indices + begin + lane;
    i32 places[EACH];
    UNROLL
    for (int u = 0; u < EACH; ++u) places[u] = lane + u * LANES < length ? own_indices[u * LANES] : before;
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        const u32 place = (u32)places[u] - (u32)before;
        if (lane + u * LANES < length && place < (u32)count) columns[place] = 1;
    }
}

// How many columns a lane finds in the window of its team's pair, of those at lane, lane + LANES, ...
HERON_FN i32 count_columns(both_indices x, row_pair pair, column_window w, LOCAL i32* columns, int lane) {
    UNROLL
    for (int u = 0; u < EACH; ++u) columns[lane + u * LANES] = 0;
    sync_together();
    mark_columns(x.a, pair.a_begin, w.count > 0 ? pair.a_length : 0, w.first, w.count, columns, lane);
    mark_columns(x.b, pair.b_begin, w.count > 0 ? pair.b_length : 0, w.first + x.more_base, w.count, columns,
                 lane);
    sync_together();
    i32 count = 0;
    UNROLL
    for (int u = 0; u < EACH; ++u) count += columns[lane + u * LANES];
    sync_together();
    return count;
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
    LOCAL i32* const team_keys = keys + team * (EACH * LANES);
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    both_indices x;
    x.a = a_indices;
    x.b = b_indices;
    x.more_base = b_base - a_base;
    row_pair pair = no_pair();
    if (row < rows) pair = pair_of(a_offsets, a_base, b_offsets, b_base, row);
    const int is_own = row < rows && pair.a_length + pair.b_length <= longest;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    pair = share_of_team(pair, longest, row, long_rows, long_count);
    i32 count = 0;
    if (has_windows) {
        const column_window w = window_of(x, pair);
        count = count_columns(x, pair, w, team_keys, lane);
        if (w.count > 0) pair = no_pair();
    }
    row_tile t = tile_of(pair, 0, 0, EACH * LANES);
    while (ANY_TOGETHER(is_unfinished(pair, t))) {
        put_keys(t, load_keys(x, pair, t, lane, LANES), team_keys, lane, LANES);
        sync_together();
        t = known_part(pair, t, team_keys);
        count += merge_share(t, team_keys, lane, LANES).count;
        sync_together();
        t = next_tile(pair, t, EACH * LANES);
    }
    count = SCAN_TEAM(i32, board, LANES, count);
    if (lane == LANES - 1 && is_own) counts[row] = count;
    sync_group();
    const int listed = *long_count;
    for (int n = 0; n < listed; ++n) {
        pair = pair_of(a_offsets, a_base, b_offsets, b_base, long_rows[n]);
        count = 0;
        for (t = tile_of(pair, 0, 0, EACH * GROUP); is_unfinished(pair, t);
             t = next_tile(pair, t, EACH * GROUP)) {
            put_keys(t, load_keys(x, pair, t, group_item(), GROUP), keys, group_item(), GROUP);
            sync_group();
            t = known_part(pair, t, keys);
            count += merge_share(t, keys, group_item(), GROUP).count;
            sync_group();
        }
        i32 all = 0;
        GROUP_SCAN(i32, parts, GROUP, count, all);
        if (group_item() == 0) counts[long_rows[n]] = all;
    }
}
HERON_CLOSE

// The values of both with their factors, which are not read where the factor is 0, and C.
typedef struct {
    GLOBAL const CT* a;
    GLOBAL const CT* b;
    CT alpha, beta;
    int reads_a, reads_b;
    GLOBAL i32* indices;
    GLOBAL CT* values;
    i32 more_base;  // than A has
} sum_values;

// A row of C.
typedef struct {
    int begin, length;
} sum_row;

HERON_FN sum_row row_of_sum(GLOBAL const i32* offsets, i32 base, heron_index row) {
    sum_row c;
    const i32 begin = offsets[row];
    c.begin = begin - base;
    c.length = offsets[row + 1] - begin;
    return c;
}

// alpha or beta times element item, item + items, ... of a tile.
typedef struct {
    CT terms[EACH];
} own_terms;

HERON_FN own_terms load_terms(sum_values v, row_pair pair, row_tile t, int item, int items) {
    own_terms own;
    GLOBAL const CT* const of_a = v.a + (before_a(pair, t) + item);
    GLOBAL const CT* const of_b = v.b + (before_b(pair, t) + item);
    const int a_read = v.reads_a ? t.a_count : 0;
    const int b_read = v.reads_b ? t.length : t.a_count;
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        const int k = item + u * items;
        GLOBAL const CT* const from = k < t.a_count ? of_a : of_b;
        own.terms[u] = ZERO(CT);
        if (k < (k < t.a_count ? a_read : b_read)) own.terms[u] = from[u * items];
    }
    UNROLL
    for (int u = 0; u < EACH; ++u)
        own.terms[u] = MUL(CT, item + u * items < t.a_count ? v.alpha : v.beta, own.terms[u]);
    return own;
}

// Keys become places of C's elements, `at` being that of the first of the share. Beside an element of A is
// the number from 1 on of the one of B that it meets; such a one of B has none.
HERON_FN void put_places(row_tile t, merged_share s, LOCAL i32* keys, int at) {
    for (int step = 0; step < s.steps; ++step) {
        const int is_a = (s.is_a >> step) & 1;
        const int is_met = (s.is_met >> step) & 1;
        const i32 of_a = is_met ? at | (s.j + 1) << 16 : at;
        const i32 of_b = is_met ? -1 : at;
        keys[is_a ? s.i : t.a_count + s.j] = is_a ? of_a : of_b;
        at += is_a || !is_met;
        s.i += is_a;
        s.j += !is_a;
    }
}

// The own elements of the tile's known part go where they are in C, `before` elements behind its row's first
// one. Writes no more than the row has room for, whatever has become of the patterns since they were counted.
HERON_FN void write_own(sum_values v, row_pair pair, sum_row c, row_tile t, LOCAL const i32* keys,
                        own_keys own, own_terms terms, int before, int item, int items) {
    const int met_base = pair.b_begin + t.from_b - 1;
    UNROLL
    for (int begin = 0; begin < EACH; begin += at_a_time) {
        i32 places[at_a_time];
        CT met[at_a_time];
        UNROLL
        for (int u = 0; u < at_a_time; ++u) {
            const int k = item + (begin + u) * items;
            const int is_known = k < t.a_count ? k < t.of_a : k - t.a_count < t.length - t.of_a;
            places[u] = is_known ? keys[k] : -1;
            if (before + (places[u] & 0xffff) >= c.length) places[u] = -1;
            met[u] = ZERO(CT);
            if (v.reads_b && places[u] >> 16 > 0) met[u] = v.b[met_base + (places[u] >> 16)];
        }
        UNROLL
        for (int u = 0; u < at_a_time; ++u) {
            const i32 place = places[u];
            const int at = c.begin + before + (place & 0xffff);
            CT value = terms.terms[begin + u];
            if (place >> 16) value = ADD(CT, value, MUL(CT, v.beta, met[u]));
            if (place >= 0) v.indices[at] = own.keys[begin + u] + v.more_base;
            if (place >= 0) v.values[at] = value;
        }
    }
}

// The elements lane, lane + LANES, ... of a row of `length`, with places in the window instead of columns.
// The products with the factor are made where the loads are all on their way.
typedef struct {
    i32 places[EACH];
    CT terms[EACH];
} row_elements;

HERON_FN row_elements load_row(GLOBAL const i32* indices, GLOBAL const CT* values, int begin, int length,
                               int reads, int lane) {
    row_elements own;
    GLOBAL const i32* const own_indices = indices + begin + lane;
    GLOBAL const CT* const own_values = values + begin + lane;
    UNROLL
    for (int u = 0; u < EACH; ++u) {
        own.places[u] = 0;
        own.terms[u] = ZERO(CT);
        if (lane + u * LANES < length) own.places[u] = own_indices[u * LANES];
        if (reads && lane + u * LANES < length) own.terms[u] = own_values[u * LANES];
    }
    return own;
}

// Adds a row to the window, two elements of an item at a time, without branches between them. Columns that
// differ do so at once. Ends where no lane of the team has more: most rows leave room.
HERON_FN void add_to_columns(row_elements own, int length, CT factor, i32 before, int count, int is_alone,
                             LOCAL i32* columns, LOCAL CT* sums, int lane) {
    UNROLL
    for (int begin = 0; begin < EACH; begin += 2) {
        if (begin * LANES >= length) break;
        int places[2], is_own[2], is_met[2];
        CT added[2], met[2];
        UNROLL
        for (int u = 0; u < 2; ++u) {
            const u32 place = (u32)own.places[begin + u] - (u32)before;
            is_own[u] = lane + (begin + u) * LANES < length && place < (u32)count;
            places[u] = is_own[u] ? (int)place : 0;
            added[u] = MUL(CT, factor, own.terms[begin + u]);
            is_met[u] = 0;
            met[u] = ZERO(CT);
            if (!is_alone && is_own[u]) is_met[u] = columns[places[u]];
            if (!is_alone && is_own[u]) met[u] = sums[places[u]];
        }
        UNROLL
        for (int u = 0; u < 2; ++u) {
            const CT sum = ADD(CT, added[u], met[u]);
            if (is_met[u]) added[u] = sum;
            if (is_own[u]) columns[places[u]] = 1;
            if (is_own[u]) sums[places[u]] = added[u];
        }
    }
}

// Flags of the team alone.
HERON_FN u32 ballot_of_team(int flag, BOARD(i32) board) {
    const u32 flags = BALLOT(board, flag);
    return LANES == 32 ? flags : flags >> (group_item() % 32 / LANES * LANES) & ((1u << LANES % 32) - 1u);
}

// Writes the row of C whose columns have their sums, but no more than it has room for. How many it wrote or
// would have.
HERON_FN int write_columns(sum_values v, sum_row c, column_window w, LOCAL const i32* columns,
                           LOCAL const CT* sums, int lane, BOARD(i32) board) {
    int written = 0;
    const i32 column_of_place = w.first + v.more_base;
    GLOBAL i32* const indices = v.indices + c.begin;
    GLOBAL CT* const values = v.values + c.begin;
    const int end = MAX_TOGETHER(board, w.count);
    ROLLED
    for (int from = 0; from < end; from += 2 * LANES) {
        int has[2];
        CT sum[2];
        UNROLL
        for (int u = 0; u < 2; ++u) {
            const int place = from + u * LANES + lane;
            has[u] = place < w.count ? columns[place] : 0;
            sum[u] = ZERO(CT);
            if (place < w.count) sum[u] = sums[place];
        }
        UNROLL_LANES
        for (int u = 0; u < 2; ++u) {
            const u32 flags = ballot_of_team(has[u], board);
            const int at = written + popcount(flags & ((1u << lane) - 1u));
            if (has[u] && at < c.length) {
                indices[at] = column_of_place + from + u * LANES + lane;
                values[at] = sum[u];
            }
            written += popcount(flags);
        }
    }
    return written;
}

// Adds a pair of LANES elements at most, one a lane: A's, and B's behind them. An element of A finds B's in
// the same column, which has no place of its own.
HERON_FN void add_tiny(both_indices x, sum_values v, row_pair pair, sum_row c, int lane, BOARD(i32) board,
                       BOARD(CT) term_board) {
    const int length = pair.a_length + pair.b_length;
    const int is_own = lane < length;
    const int is_a = lane < pair.a_length;
    const int at = is_a ? pair.a_begin + lane : pair.b_begin + lane - pair.a_length;
    GLOBAL const i32* const indices = is_a ? x.a : x.b;
    GLOBAL const CT* const values = is_a ? v.a : v.b;
    i32 column = 0;
    CT term = ZERO(CT);
    if (is_own) column = indices[at];
    if (is_own && (is_a ? v.reads_a : v.reads_b)) term = values[at];
    term = MUL(CT, is_a ? v.alpha : v.beta, term);
    if (!is_a) column -= x.more_base;
    u32 below = 0;
    u32 same = 0;
    SYNC_BOARD();
    PUT(i32, board, column);
    PUT(CT, term_board, term);
    SYNC_BOARD();
    UNROLL_LANES
    for (int other = 0; other < LANES; ++other) {
        const i32 other_column = GET(i32, board, LANES, column, other);
        below |= (u32)(other_column < column) << other;
        same |= (u32)(other_column == column) << other;
    }
    const u32 of_a = (1u << pair.a_length) - 1u;
    const u32 of_b = ((1u << length) - 1u) & ~of_a;
    const int is_met = is_own && !is_a && (same & of_a) != 0;
    const u32 met = ballot_of_team(is_met, board);
    const u32 of_b_alone = of_b & ~met;
    const u32 lanes_before = (1u << lane) - 1u;
    const int place =
        popcount(is_a ? lanes_before : below & of_a) + popcount(of_b_alone & (is_a ? below : lanes_before));
    const u32 meets = is_a ? same & met : 0u;
    const CT other_term = GET(CT, term_board, LANES, term, meets ? 31 - clz(meets) : lane);
    if (meets) term = ADD(CT, term, other_term);
    if (is_own && !is_met && place < c.length) {
        v.indices[c.begin + place] = column + v.more_base;
        v.values[c.begin + place] = term;
    }
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
    LOCAL_ARRAY(CT, sums, has_windows ? EACH * GROUP : 1);
    BOARD_ARRAY(i32, board, GROUP);
    BOARD_ARRAY(CT, term_board, has_tiny_rows ? GROUP : 1);
    PARTS_ARRAY(i32, parts, GROUP);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    LOCAL i32* const team_keys = keys + team * (EACH * LANES);
    LOCAL CT* const team_sums = sums + team * (has_windows ? EACH * LANES : 0);
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    both_indices x;
    sum_values v;
    x.a = a_indices;
    x.b = b_indices;
    x.more_base = b_base - a_base;
    v.a = a_values;
    v.b = b_values;
    v.alpha = SCALAR(CT, alpha_value, alpha_device);
    v.beta = SCALAR(CT, beta_value, beta_device);
    v.reads_a = !EQUAL(CT, v.alpha, ZERO(CT));
    v.reads_b = !EQUAL(CT, v.beta, ZERO(CT));
    v.indices = indices;
    v.values = values;
    v.more_base = base - a_base;
    row_pair pair = pair_or_none(a_offsets, a_base, b_offsets, b_base, row, rows);
    sum_row c = row_of_sum(offsets, base, min(row, rows - 1));
    if (group_item() == 0) *long_count = 0;
    sync_group();
    pair = share_of_team(pair, longest, row, long_rows, long_count);
    // A condition in which items meet is a loop of one turn: some compilers copy all that follows a
    // condition.
    if (has_tiny_rows) {
        const int is_tiny = pair.a_length + pair.b_length <= LANES;
        for (int meets = ANY_TOGETHER(is_tiny); meets; meets = 0)
            add_tiny(x, v, is_tiny ? pair : no_pair(), c, lane, board, term_board);
        if (is_tiny) pair = no_pair();
    }
    if (has_windows) {
        const column_window w = window_of(x, pair);
        for (int meets = ANY_TOGETHER(w.count > 0); meets; meets = 0) {
            const int a_length = w.count > 0 ? pair.a_length : 0;
            const int b_length = w.count > 0 ? pair.b_length : 0;
            const row_elements own_a = load_row(a_indices, a_values, pair.a_begin, a_length, v.reads_a, lane);
            row_elements own_b;
            if (both_at_once) own_b = load_row(b_indices, b_values, pair.b_begin, b_length, v.reads_b, lane);
            UNROLL
            for (int u = 0; u < EACH; ++u)
                if (lane + u * LANES < w.count) team_keys[lane + u * LANES] = 0;
            sync_together();
            add_to_columns(own_a, a_length, v.alpha, w.first, w.count, 1, team_keys, team_sums, lane);
            if (!both_at_once) own_b = load_row(b_indices, b_values, pair.b_begin, b_length, v.reads_b, lane);
            sync_together();
            add_to_columns(own_b, b_length, v.beta, w.first + x.more_base, w.count, 0, team_keys, team_sums,
                           lane);
            sync_together();
            if (write_columns(v, c, w, team_keys, team_sums, lane, board) == c.length && w.count > 0)
                pair = no_pair();
            sync_together();
        }
    }
    int written = 0;
    row_tile t = tile_of(pair, 0, 0, EACH * LANES);
    while (ANY_TOGETHER(is_unfinished(pair, t))) {
        const own_keys own = load_keys(x, pair, t, lane, LANES);
        const own_terms terms = load_terms(v, pair, t, lane, LANES);
        // Loads stay before a loop, so that none of them waits for a key.
        for (int meets = ANY_TOGETHER(t.length > 0); meets; meets = 0) {
            put_keys(t, own, team_keys, lane, LANES);
            sync_together();
            t = known_part(pair, t, team_keys);
            const merged_share s = merge_share(t, team_keys, lane, LANES);
            const i32 upto = SCAN_TEAM(i32, board, LANES, s.count);
            SYNC_BOARD();
            PUT(i32, board, upto);
            sync_together();
            const i32 all = GET(i32, board, LANES, upto, LANES - 1);
            put_places(t, s, team_keys, upto - s.count);
            sync_together();
            write_own(v, pair, c, t, team_keys, own, terms, written, lane, LANES);
            sync_together();
            written += all;
        }
        t = next_tile(pair, t, EACH * LANES);
    }
    sync_group();
    const int listed = *long_count;
    for (int n = 0; n < listed; ++n) {
        pair = pair_of(a_offsets, a_base, b_offsets, b_base, long_rows[n]);
        c = row_of_sum(offsets, base, long_rows[n]);
        written = 0;
        for (t = tile_of(pair, 0, 0, EACH * GROUP); is_unfinished(pair, t);
             t = next_tile(pair, t, EACH * GROUP)) {
            const own_keys own = load_keys(x, pair, t, group_item(), GROUP);
            const own_terms terms = load_terms(v, pair, t, group_item(), GROUP);
            for (int meets = t.length > 0; meets; meets = 0) {
                put_keys(t, own, keys, group_item(), GROUP);
                sync_group();
                t = known_part(pair, t, keys);
                const merged_share s = merge_share(t, keys, group_item(), GROUP);
                i32 all = 0;
                const i32 at = GROUP_SCAN(i32, parts, GROUP, s.count, all);
                put_places(t, s, keys, at);
                sync_group();
                write_own(v, pair, c, t, keys, own, terms, written, group_item(), GROUP);
                sync_group();
                written += all;
            }
        }
    }
}
HERON_CLOSE

HERON_CLOSE
