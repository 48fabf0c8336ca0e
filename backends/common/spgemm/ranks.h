// Ranks of the products of short rows of a sparse product. Counting the columns of a row leaves behind the
// rank of each product's column in its row of C, a byte each, so that the values need neither a table nor a
// sort: the products are added to the element of their rank (ranked_rows.h).
//
// Types: OT offsets of A and B, IT indices, KEY: holds a column and, in its last byte, the number of a
// product. LANES items take a row, which has at most LANES*EACH products. A sorting network in registers
// (Batcher, "Sorting networks and their applications", AFIPS 1968) brings the columns in order.
HERON_PROGRAM(spgemm_ranks, class OT, class IT, class KEY, int GROUP, int LANES, int EACH)

CONSTANT(teams, GROUP / LANES);
CONSTANT(limit, LANES* EACH);
// Teams that read the same number of theirs read in different banks.
CONSTANT(team_columns, limit + 32 / (int)sizeof(IT));
CONSTANT(ahead, 4);  // rows of B whose elements a lane loads before it uses the first
CONSTANT(number_bits, 8);
// Of the network between 8 or 32 lanes: a half of log2(LANES) (log2(LANES) + 1).
CONSTANT(stages, LANES == 8 ? 6 : 15);

HERON_FN void put_in_order(KEY* x, int i, int j) {
    const KEY a = x[i];
    const KEY b = x[j];
    x[i] = a < b ? a : b;
    x[j] = a < b ? b : a;
}

// Sorts bitonic runs of EACH keys.
HERON_FN void merge_own(KEY* x, int longest_stride) {
    UNROLL
    for (int stride = longest_stride; stride > 0; stride /= 2) {
        UNROLL
        for (int i = 0; i < EACH; ++i)
            if ((i & stride) == 0) put_in_order(x, i, i | stride);
    }
}

// Of the two lanes that `mask` pairs, the one that is low keeps the smaller keys. What it gets may come in
// reversed order.
HERON_FN void merge_lanes(KEY* x, int mask, int is_reversed, int is_low, BOARD(KEY) board) {
    KEY other[EACH];
    SYNC_BOARD();
    UNROLL
    for (int i = 0; i < EACH; ++i) PUT(KEY, board + i * GROUP, x[is_reversed ? EACH - 1 - i : i]);
    SYNC_BOARD();
    UNROLL
    for (int i = 0; i < EACH; ++i)
        other[i] = GET_ACROSS(KEY, board + i * GROUP, LANES, x[is_reversed ? EACH - 1 - i : i], mask);
    UNROLL
    for (int i = 0; i < EACH; ++i) x[i] = (x[i] < other[i]) == is_low ? x[i] : other[i];
}

// Sorts the keys of a team; lane l gets those of ranks l*EACH, l*EACH + 1, ... Runs are merged with the next
// one backwards, so that all comparisons have one direction.
HERON_FN void sort_keys(KEY* x, int lane, BOARD(KEY) board) {
    UNROLL
    for (int size = 2; size <= EACH; size *= 2) {
        UNROLL
        for (int i = 0; i < EACH; ++i)
            if ((i & (size / 2)) == 0) put_in_order(x, i, i ^ (size - 1));
        merge_own(x, size / 4);
    }
    int width = 2;
    int mask = 1;
    UNROLL_LANES
    for (int stage = 0; stage < stages; ++stage) {
        const int is_first = mask == width - 1;
        merge_lanes(x, mask, is_first, (lane & (is_first ? width / 2 : mask)) == 0, board);
        mask = is_first ? width / 4 : mask / 2;
        if (mask == 0) {
            merge_own(x, EACH / 2);
            width *= 2;
            mask = width - 1;
        }
    }
}

// The ranks of the rows of a bin come after those of the bins before it.
HERON_FN heron_index first_rank_of(GLOBAL const int* sizes, int bin) {
    heron_index first = 0;
    for (int b = 0; sizes && b < bin; ++b) first += (heron_index)sizes[b] * (32 << b);
    return first;
}

// counts[row] := length of the rows of a bin of row `row` of C, and the ranks of its products, LANES*EACH
// bytes per row. *unordered := 1 if a row of B that these need does not ascend strictly. Without sizes the
// bin has all rows.
HERON_GROUP_KERNEL(rank_products, GROUP, GLOBAL const OT* RESTRICT a_offsets,
                   GLOBAL const IT* RESTRICT a_indices, heron_index a_base,
                   GLOBAL const OT* RESTRICT b_offsets, GLOBAL const IT* RESTRICT b_indices,
                   heron_index b_base, GLOBAL const int* RESTRICT sizes, GLOBAL const int* RESTRICT lists,
                   int bin, heron_index rows, GLOBAL const i64* RESTRICT row_products, GLOBAL u8* all_ranks,
                   GLOBAL i64* counts, GLOBAL int* unordered) {
    LOCAL_ARRAY(IT, all_columns, teams * team_columns);
    BOARD_ARRAY(OT, begins, GROUP);
    BOARD_ARRAY(i32, numbers, GROUP);
    BOARD_ARRAY(IT, neighbours, GROUP);
    BOARD_ARRAY(KEY, keys, GROUP * EACH);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    LOCAL IT* const columns = all_columns + team * team_columns;
    LOCAL u8* const ranks = (LOCAL u8*)columns;
    const int size = sizes ? sizes[bin] : (int)rows;
    GLOBAL const int* list = sizes ? lists : 0;
    for (int b = 0; sizes && b < bin; ++b) list += sizes[b];
    all_ranks += first_rank_of(sizes, bin);
    for (int first = group_id() * teams; first < size; first += group_count() * teams) {
        const int i = first + team;
        const int is_there = i < size;
        const heron_index row = !is_there ? 0 : list ? list[i] : i;
        const heron_index begin = is_there ? (heron_index)a_offsets[row] - a_base : 0;
        const int length = is_there ? (int)((heron_index)a_offsets[row + 1] - a_base - begin) : 0;
        const int products = is_there ? (int)row_products[row] : 0;
        const int longest = MAX_TOGETHER(numbers, length);
        int number = 0;
        int turn = 0;
        do {
            OT first_of_lane = 0;
            int length_of_lane = 0;
            if (turn + lane < length) {
                const heron_index inner = (IT)(a_indices[begin + turn + lane] - (IT)a_base);
                const heron_index at = (heron_index)b_offsets[inner] - b_base;
                first_of_lane = (OT)at;
                length_of_lane = (int)((heron_index)b_offsets[inner + 1] - b_base - at);
            }
            SYNC_BOARD();
            PUT(OT, begins, first_of_lane);
            PUT(i32, numbers, length_of_lane);
            SYNC_BOARD();
            const int count = min(longest - turn, LANES);
            int t = 0;
            do {
                OT first_at[ahead];
                int length_at[ahead];
                IT found[ahead];
                UNROLL
                for (int u = 0; u < ahead; ++u) {
                    first_at[u] = GET(OT, begins, LANES, first_of_lane, t + u);
                    length_at[u] = GET(i32, numbers, LANES, length_of_lane, t + u);
                    found[u] = b_indices[lane < length_at[u] ? first_at[u] + lane : 0];
                }
                UNROLL_LANES
                for (int u = 0; u < ahead; ++u) {
                    SYNC_BOARD();
                    PUT(IT, neighbours, found[u]);
                    SYNC_BOARD();
                    const IT before = GET_BELOW(IT, neighbours, LANES, found[u], 1);
                    if (lane < length_at[u]) {
                        if (lane > 0 && before >= found[u]) *unordered = 1;
                        columns[number + lane] = found[u];
                    }
                    for (int l = lane + LANES; ANY_TOGETHER(l - lane < length_at[u]); l += LANES) {
                        if (l >= length_at[u]) continue;
                        const IT column = b_indices[first_at[u] + l];
                        if (b_indices[first_at[u] + l - 1] >= column) *unordered = 1;
                        columns[number + l] = column;
                    }
                    number += length_at[u];
                }
                t += ahead;
            } while (t < count);
            turn += LANES;
        } while (turn < longest);
        sync_together();
        KEY x[EACH];
        UNROLL
        for (int j = 0; j < EACH; ++j) {
            const int p = j * LANES + lane;
            const IT column = (IT)(columns[p] - (IT)b_base);
            x[j] = p < products ? (KEY)column << number_bits | (KEY)p : ~(KEY)0;
        }
        sort_keys(x, lane, keys);
        SYNC_BOARD();
        PUT(KEY, keys, x[EACH - 1]);
        SYNC_BOARD();
        // A key without the one before it in its column is the first of an element of C.
        KEY left = GET_BELOW(KEY, keys, LANES, x[EACH - 1], 1);
        int is_first[EACH];
        int found = 0;
        UNROLL
        for (int j = 0; j < EACH; ++j) {
            is_first[j] =
                ((x[j] >> number_bits) != (left >> number_bits) || (j == 0 && lane == 0)) && x[j] != ~(KEY)0;
            found += is_first[j];
            left = x[j];
        }
        const int upto = SCAN_TEAM(i32, numbers, LANES, found);
        if (is_there && lane == LANES - 1) counts[row] = upto;
        int rank = upto - found - 1;
        sync_together();
        UNROLL
        for (int j = 0; j < EACH; ++j) {
            rank += is_first[j];
            if (x[j] != ~(KEY)0) ranks[x[j] & ((1 << number_bits) - 1)] = (u8)rank;
        }
        sync_together();
        LOCAL const u32* const from = (LOCAL const u32*)ranks;
        GLOBAL u32* const to = (GLOBAL u32*)(all_ranks + (heron_index)i * limit);
        for (int w = lane; 4 * w < products; w += LANES) to[w] = from[w];
        sync_together();
    }
}
HERON_CLOSE

HERON_CLOSE
