// Sums of sparse matrices by rows on GPUs: LANES items are a team that takes a row, and a group takes what is
// long for its teams. Rows are sorted. Types: CT values.
//
// An element of A is in C at its own number and that of its place in B's row, less those before it that both
// rows have; one of B that A lacks likewise. Both rows are walked over as one, A's elements first. How many
// elements both have in all is what C's row is shorter than the two.
HERON_PROGRAM(spgemm_sum_rows, class CT, int GROUP, int LANES)

CONSTANT(teams, GROUP / LANES);
CONSTANT(tile, 4 * GROUP);  // elements of both rows that a group merges at a time

// A row of both, and b_base - a_base.
typedef struct {
    GLOBAL const i32* a;
    GLOBAL const i32* b;
    heron_index a_length, b_length;
    i32 more_base;
} row_pair;

HERON_FN row_pair pair_of(GLOBAL const i32* a_offsets, GLOBAL const i32* a_indices, i32 a_base,
                          GLOBAL const i32* b_offsets, GLOBAL const i32* b_indices, i32 b_base,
                          heron_index row) {
    row_pair pair;
    const heron_index a = (heron_index)a_offsets[row];
    const heron_index b = (heron_index)b_offsets[row];
    pair.a = a_indices + (a - a_base);
    pair.b = b_indices + (b - b_base);
    pair.a_length = (heron_index)a_offsets[row + 1] - a;
    pair.b_length = (heron_index)b_offsets[row + 1] - b;
    pair.more_base = b_base - a_base;
    return pair;
}

// An element's place in the other row, and whether that has one of the same index.
typedef struct {
    heron_index place;
    i32 is_met;
} meeting;

HERON_FN meeting meeting_in(GLOBAL const i32* indices, heron_index length, i32 index) {
    heron_index low = 0;
    heron_index end = length;
    while (low < end) {
        const heron_index middle = (low + end) / 2;
        if (indices[middle] < index)
            low = middle + 1;
        else
            end = middle;
    }
    meeting m;
    m.place = low;
    m.is_met = low < length && indices[low] == index;
    return m;
}

// Of element k of a pair of `length` elements. Behind the last one nothing is met.
HERON_FN meeting meeting_of(row_pair pair, heron_index length, heron_index k) {
    meeting none;
    none.place = 0;
    none.is_met = 0;
    if (k >= length) return none;
    return k < pair.a_length ? meeting_in(pair.b, pair.b_length, pair.a[k] + pair.more_base)
                             : meeting_in(pair.a, pair.a_length, pair.b[k - pair.a_length] - pair.more_base);
}

// Elements of a pair for a team, which leaves pairs of more than `longest` to its group, in whose list its
// first lane puts them.
HERON_FN heron_index share_of_team(heron_index length, heron_index walked, int longest, heron_index row,
                                   LOCAL i32* long_rows, LOCAL i32* long_count) {
    if (length <= longest) return walked;
    if (group_item() % LANES == 0) long_rows[FETCH_ADD(long_count, 1)] = (i32)row;
    return 0;
}

HERON_FN void write_count(row_pair pair, i32 met, GLOBAL i64* count) {
    *count = pair.a_length + pair.b_length - met;
}

// Groups merge long rows by tiles in local memory: of equal elements A's comes first.

// The next elements of a pair, of each row a tile at most, counted as A counts. a[0] is A's element before
// them, if there is one.
typedef struct {
    LOCAL i32* a;
    LOCAL i32* b;
    int a_count, b_count, length, has_before;
} row_tile;

HERON_FN row_tile load_tile(row_pair pair, heron_index from_a, heron_index from_b, LOCAL i32* a,
                            LOCAL i32* b) {
    row_tile t;
    t.a = a;
    t.b = b;
    t.a_count = (int)min(pair.a_length - from_a, (heron_index)tile);
    t.b_count = (int)min(pair.b_length - from_b, (heron_index)tile);
    t.length = min(t.a_count + t.b_count, (int)tile);
    t.has_before = from_a > 0;
    for (int k = group_item(); k < t.a_count; k += GROUP) a[k + 1] = pair.a[from_a + k];
    for (int k = group_item(); k < t.b_count; k += GROUP) b[k] = pair.b[from_b + k] - pair.more_base;
    if (group_item() == 0 && t.has_before) a[0] = pair.a[from_a - 1];
    sync_group();
    return t;
}

// How many of A's elements are among the first d of both.
HERON_FN int share_of_a(row_tile t, int d) {
    int low = max(d - t.b_count, 0);
    int high = min(d, t.a_count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (t.a[middle + 1] <= t.b[d - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many elements of C begin among elements [begin, end) of both. Where there are sources they get, for
// each of them, the places from 1 on of A's and B's elements, or 0.
HERON_FN int merge_share(row_tile t, int begin, int end, LOCAL u32* sources) {
    int i = share_of_a(t, begin);
    int j = begin - i;
    int count = 0;
    for (int d = begin; d < end; ++d) {
        const int takes_a = i < t.a_count && (j >= t.b_count || t.a[i + 1] <= t.b[j]);
        const int is_met =
            takes_a ? j < t.b_count && t.a[i + 1] == t.b[j] : (i > 0 || t.has_before) && t.a[i] == t.b[j];
        const int is_first = takes_a || !is_met;
        if (sources && is_first)
            sources[count] = takes_a ? (u32)(i + 1) << 16 | (u32)(is_met ? j + 1 : 0) : (u32)(j + 1);
        count += is_first;
        i += takes_a;
        j += !takes_a;
    }
    return count;
}

HERON_FN int begin_of_share(row_tile t, int item) {
    const int each = (t.length + GROUP - 1) / GROUP;
    return min(item * each, t.length);
}

// counts[row] := length of row `row` of C. A group has `each` rows.
HERON_GROUP_KERNEL(count_rows, GROUP, GLOBAL const i32* RESTRICT a_offsets,
                   GLOBAL const i32* RESTRICT a_indices, i32 a_base, GLOBAL const i32* RESTRICT b_offsets,
                   GLOBAL const i32* RESTRICT b_indices, i32 b_base, heron_index rows, int each, int longest,
                   GLOBAL i64* RESTRICT counts) {
    LOCAL_ARRAY(i32, long_rows, teams);
    LOCAL_ARRAY(i32, long_count, 1);
    LOCAL_ARRAY(i32, tile_a, tile + 1);
    LOCAL_ARRAY(i32, tile_b, tile);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    heron_index share = 0;
    row_pair pair;
    if (row < rows) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, row);
        share =
            share_of_team(pair.a_length + pair.b_length, pair.a_length, longest, row, long_rows, long_count);
    }
    i32 met = 0;
    for (heron_index k = lane; k < share; k += LANES) met += meeting_of(pair, share, k).is_met;
    met = SCAN_TEAM(i32, board, LANES, met);
    if (row < rows && lane == LANES - 1 && pair.a_length + pair.b_length <= longest)
        write_count(pair, met, counts + row);
    sync_group();
    const int listed = *long_count;
    for (int i = 0; i < listed; ++i) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, long_rows[i]);
        heron_index from_a = 0;
        heron_index from_b = 0;
        i32 count = 0;
        while (from_a + from_b < pair.a_length + pair.b_length) {
            const row_tile t = load_tile(pair, from_a, from_b, tile_a, tile_b);
            count += merge_share(t, begin_of_share(t, group_item()), begin_of_share(t, group_item() + 1), 0);
            const int of_a = share_of_a(t, t.length);
            from_a += of_a;
            from_b += t.length - of_a;
            sync_group();
        }
        i32 all = 0;
        GROUP_SCAN(i32, parts, GROUP, count, all);
        if (group_item() == 0) counts[long_rows[i]] = all;
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
    heron_index length;
    i32 more_base;  // than A
} row_sum;

HERON_FN row_sum sum_of(GLOBAL const i32* a_offsets, GLOBAL const CT* a_values, i32 a_base,
                        GLOBAL const i32* b_offsets, GLOBAL const CT* b_values, i32 b_base, CT alpha, CT beta,
                        GLOBAL const i32* offsets, i32 base, GLOBAL i32* indices, GLOBAL CT* values,
                        heron_index row) {
    row_sum sum;
    const heron_index begin = (heron_index)offsets[row];
    sum.a = a_values + ((heron_index)a_offsets[row] - a_base);
    sum.b = b_values + ((heron_index)b_offsets[row] - b_base);
    sum.alpha = alpha;
    sum.beta = beta;
    sum.indices = indices + (begin - base);
    sum.values = values + (begin - base);
    sum.length = (heron_index)offsets[row + 1] - begin;
    sum.more_base = base - a_base;
    return sum;
}

// factor*values[k], which is not read where the factor is 0.
HERON_FN CT term(CT factor, GLOBAL const CT* values, heron_index k) {
    return EQUAL(CT, factor, ZERO(CT)) ? ZERO(CT) : MUL(CT, factor, values[k]);
}

// That of element k of a pair of `length` elements, of nothing behind them.
HERON_FN CT own_term(row_pair pair, row_sum sum, heron_index length, heron_index k) {
    if (k >= length) return ZERO(CT);
    return k < pair.a_length ? term(sum.alpha, sum.a, k) : term(sum.beta, sum.b, k - pair.a_length);
}

// Element k of a pair with its term, before which `met_before` ones were met. Writes no more than C's row has
// room for, whatever has become of the patterns since they were counted.
HERON_FN void write_element(row_pair pair, row_sum sum, heron_index k, CT value, meeting m,
                            heron_index met_before) {
    const heron_index j = k - pair.a_length;
    const int is_a = j < 0;
    if (j >= pair.b_length || (!is_a && m.is_met)) return;
    const heron_index at =
        is_a ? k + m.place - met_before : k + m.place - met_before + (pair.b_length - sum.length);
    if (at < 0 || at >= sum.length) return;
    if (m.is_met) value = ADD(CT, value, term(sum.beta, sum.b, m.place));
    sum.indices[at] = (is_a ? pair.a[k] : pair.b[j] - pair.more_base) + sum.more_base;
    sum.values[at] = value;
}

// The elements of C whose sources are `count` ones of a tile that begins at A's and B's elements from_a and
// from_b; `before` precede them.
HERON_FN void write_tile(row_tile t, row_sum sum, heron_index from_a, heron_index from_b, heron_index before,
                         LOCAL const u32* sources, int count) {
    for (int k = group_item(); k < count && before + k < sum.length; k += GROUP) {
        const int a = (int)(sources[k] >> 16);
        const int b = (int)(sources[k] & 0xffffu);
        CT value = a ? term(sum.alpha, sum.a, from_a + a - 1) : term(sum.beta, sum.b, from_b + b - 1);
        if (a && b) value = ADD(CT, value, term(sum.beta, sum.b, from_b + b - 1));
        sum.indices[before + k] = (a ? t.a[a] : t.b[b - 1]) + sum.more_base;
        sum.values[before + k] = value;
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
    LOCAL_ARRAY(i32, tile_a, tile + 1);
    LOCAL_ARRAY(i32, tile_b, tile);
    LOCAL_ARRAY(u32, sources, tile);
    BOARD_ARRAY(i32, board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index row = team < each ? group_id() * (heron_index)each + team : rows;
    if (group_item() == 0) *long_count = 0;
    sync_group();
    heron_index share = 0;
    row_pair pair;
    row_sum sum;
    if (row < rows) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, row);
        sum = sum_of(a_offsets, a_values, a_base, b_offsets, b_values, b_base, alpha, beta, offsets, base,
                     indices, values, row);
        const heron_index length = pair.a_length + pair.b_length;
        share = share_of_team(length, length, longest, row, long_rows, long_count);
    }
    heron_index met_before = 0;
    const int furthest = MAX_TOGETHER(board, (int)share);
    for (int k = lane; k - lane < furthest; k += LANES) {
        const CT value = own_term(pair, sum, share, k);
        const meeting m = meeting_of(pair, share, k);
        const i32 upto = SCAN_TEAM(i32, board, LANES, m.is_met);
        if (k < share) write_element(pair, sum, k, value, m, met_before + upto - m.is_met);
        SYNC_BOARD();
        PUT(i32, board, upto);
        SYNC_BOARD();
        met_before += GET(i32, board, LANES, upto, LANES - 1);
    }
    sync_group();
    const int listed = *long_count;
    for (int i = 0; i < listed; ++i) {
        pair = pair_of(a_offsets, a_indices, a_base, b_offsets, b_indices, b_base, long_rows[i]);
        sum = sum_of(a_offsets, a_values, a_base, b_offsets, b_values, b_base, alpha, beta, offsets, base,
                     indices, values, long_rows[i]);
        heron_index from_a = 0;
        heron_index from_b = 0;
        heron_index written = 0;
        while (from_a + from_b < pair.a_length + pair.b_length) {
            const row_tile t = load_tile(pair, from_a, from_b, tile_a, tile_b);
            const int begin = begin_of_share(t, group_item());
            const int end = begin_of_share(t, group_item() + 1);
            i32 all = 0;
            const i32 at = GROUP_SCAN(i32, parts, GROUP, merge_share(t, begin, end, 0), all);
            merge_share(t, begin, end, sources + at);
            const int of_a = share_of_a(t, t.length);
            sync_group();
            write_tile(t, sum, from_a, from_b, written, sources, all);
            sync_group();
            from_a += of_a;
            from_b += t.length - of_a;
            written += all;
        }
    }
}
HERON_CLOSE

HERON_CLOSE
