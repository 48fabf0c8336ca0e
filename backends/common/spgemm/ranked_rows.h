// The values of rows whose products have ranks (ranks.h). Types: CT values, OT offsets of A and B, IT
// indices. LANES items take a row, which has at most `limit` products.
HERON_PROGRAM(spgemm_ranked_rows, class CT, class OT, class IT, int GROUP, int LANES)

CONSTANT(teams, GROUP / LANES);
CONSTANT(ahead, 4);  // rows of B whose elements a lane loads before it uses the first
CONSTANT(most_ranks, 256);

HERON_FN heron_index first_rank_of(GLOBAL const int* sizes, int bin) {
    heron_index first = 0;
    for (int b = 0; sizes && b < bin; ++b) first += (heron_index)sizes[b] * (32 << b);
    return first;
}

HERON_FN CT value_at(GLOBAL const CT* values, GLOBAL const OT* permutation, heron_index k) {
    return values[permutation ? (heron_index)permutation[k] : k];
}

// Adds a product to the element of its rank. A column may occur several times in a row of B that is not in
// order: its lanes add one after the other.
HERON_FN void add_product(int is_inside, int is_ordered, CT a, CT b, int rank, IT column, LOCAL CT* sums,
                          LOCAL IT* columns, BOARD(i32) turns) {
    if (is_ordered) {
        if (is_inside) {
            sums[rank] = MAD(CT, a, b, sums[rank]);
            columns[rank] = column;
        }
    } else {
        const int own = SAME_BEFORE(turns, LANES, is_inside ? rank : -1 - group_item());
        const int last = MAX_TOGETHER(turns, own);
        ROLLED
        for (int turn = 0; turn <= last; ++turn) {
            if (turn == own && is_inside) {
                sums[rank] = MAD(CT, a, b, sums[rank]);
                columns[rank] = column;
            }
            sync_together();
        }
    }
    sync_together();
}

// The rows of a bin, columns and values: C := alpha*A*B + beta*C. Without sizes the bin has all rows.
// all_sums and all_columns hold team_elements elements for each team.
HERON_GROUP_KERNEL(multiply_ranked, GROUP, GLOBAL const OT* RESTRICT a_offsets,
                   GLOBAL const IT* RESTRICT a_indices, heron_index a_base,
                   GLOBAL const OT* RESTRICT b_offsets, GLOBAL const IT* RESTRICT b_indices,
                   heron_index b_base, GLOBAL const int* RESTRICT sizes, GLOBAL const int* RESTRICT lists,
                   int bin, GLOBAL const CT* RESTRICT a_values, GLOBAL const OT* RESTRICT a_permutation,
                   int a_conjugate, GLOBAL const CT* RESTRICT b_values,
                   GLOBAL const OT* RESTRICT b_permutation, int b_conjugate,
                   GLOBAL const i64* RESTRICT c_offsets, GLOBAL IT* c_indices, GLOBAL CT* c_values,
                   heron_index c_base, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
                   GLOBAL const CT* beta_device, heron_index rows, GLOBAL const int* unordered,
                   GLOBAL const u8* RESTRICT all_ranks, int team_elements, LOCAL CT* all_sums,
                   LOCAL IT* all_columns) {
    BOARD_ARRAY(OT, begins, GROUP);
    BOARD_ARRAY(i32, numbers, GROUP);
    BOARD_ARRAY(CT, factors, GROUP);
    BOARD_ARRAY(i32, turns, GROUP);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const int limit = 32 << bin;
    LOCAL CT* const sums = all_sums + team * team_elements;
    LOCAL IT* const columns = all_columns + team * team_elements;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const int is_ordered = *unordered == 0;
    const int size = sizes ? sizes[bin] : (int)rows;
    GLOBAL const int* list = sizes ? lists : 0;
    for (int b = 0; sizes && b < bin; ++b) list += sizes[b];
    all_ranks += first_rank_of(sizes, bin);
    for (int first = group_id() * teams; first < size; first += group_count() * teams) {
        const int i = first + team;
        const heron_index row = i >= size ? 0 : list ? list[i] : i;
        const heron_index c_begin = c_offsets[row];
        const int c_length = i < size ? (int)(c_offsets[row + 1] - c_begin) : 0;
        const int is_there = c_length > 0 && c_length <= most_ranks;
        const heron_index begin = is_there ? (heron_index)a_offsets[row] - a_base : 0;
        const int length = is_there ? (int)((heron_index)a_offsets[row + 1] - a_base - begin) : 0;
        const int longest = MAX_TOGETHER(numbers, length);
        GLOBAL const u8* const ranks = all_ranks + (is_there ? (heron_index)i * limit : 0);
        if (is_there)
            for (int k = lane; k < c_length; k += LANES) sums[k] = ZERO(CT);
        sync_together();
        int number = 0;
        int turn = 0;
        do {
            OT first_of_lane = 0;
            int length_of_lane = 0;
            CT a_of_lane = ZERO(CT);
            if (turn + lane < length) {
                const heron_index k = begin + turn + lane;
                const heron_index inner = (IT)(a_indices[k] - (IT)a_base);
                const heron_index at = (heron_index)b_offsets[inner] - b_base;
                first_of_lane = (OT)at;
                length_of_lane = (int)((heron_index)b_offsets[inner + 1] - b_base - at);
                if (adds) a_of_lane = value_at(a_values, a_permutation, k);
                if (a_conjugate) a_of_lane = CONJ(CT, a_of_lane);
            }
            SYNC_BOARD();
            PUT(OT, begins, first_of_lane);
            PUT(i32, numbers, length_of_lane);
            PUT(CT, factors, a_of_lane);
            SYNC_BOARD();
            const int count = min(longest - turn, LANES);
            int t = 0;
            do {
                OT first_at[ahead];
                int length_at[ahead];
                int number_at[ahead];
                IT found[ahead];
                u8 rank[ahead];
                CT b[ahead];
                UNROLL
                for (int u = 0; u < ahead; ++u) {
                    first_at[u] = GET(OT, begins, LANES, first_of_lane, t + u);
                    length_at[u] = GET(i32, numbers, LANES, length_of_lane, t + u);
                    number_at[u] = number;
                    number += length_at[u];
                    const int is_inside = lane < length_at[u];
                    const OT l = is_inside ? first_at[u] + lane : 0;
                    found[u] = b_indices[l];
                    rank[u] = ranks[is_inside ? number_at[u] + lane : 0];
                    b[u] = ZERO(CT);
                    if (adds) b[u] = value_at(b_values, b_permutation, l);
                }
                UNROLL_LANES
                for (int u = 0; u < ahead; ++u) {
                    const CT a = GET(CT, factors, LANES, a_of_lane, t + u);
                    int is_inside = lane < length_at[u];
                    CT factor = b_conjugate ? CONJ(CT, b[u]) : b[u];
                    add_product(is_inside, is_ordered, a, factor, rank[u], found[u], sums, columns, turns);
                    for (int l = lane + LANES; ANY_TOGETHER(l - lane < length_at[u]); l += LANES) {
                        is_inside = l < length_at[u];
                        const OT k = is_inside ? first_at[u] + l : 0;
                        factor = ZERO(CT);
                        if (adds) factor = value_at(b_values, b_permutation, k);
                        if (b_conjugate) factor = CONJ(CT, factor);
                        add_product(is_inside, is_ordered, a, factor, ranks[is_inside ? number_at[u] + l : 0],
                                    b_indices[k], sums, columns, turns);
                    }
                }
                t += ahead;
            } while (t < count);
            turn += LANES;
        } while (turn < longest);
        sync_together();
        if (is_there)
            for (int k = lane; k < c_length; k += LANES) {
                c_indices[c_begin + k] = (IT)(columns[k] + ((IT)c_base - (IT)b_base));
                GLOBAL CT* const to = c_values + c_begin + k;
                CT result = MUL(CT, alpha, adds ? sums[k] : ZERO(CT));
                if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, *to, result);
                *to = result;
            }
        sync_together();
    }
}
HERON_CLOSE

HERON_CLOSE
