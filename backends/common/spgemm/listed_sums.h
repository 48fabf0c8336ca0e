// Values of a sparse product whose products are listed by the elements of C that they add to
// (product_list.h): sums of segments (Blelloch, Heroux and Zagha, "Segmented operations for sparse matrix
// computation on vector multiprocessors", CMU-CS-93-173, 1993). A group takes a tile of the list, whatever
// rows and elements are in it. Each item adds up `each` neighbouring products, and the items hand sums that
// are not finished on to the next ones. What a tile has of elements that it shares with its neighbours goes
// to edges[2t] and edges[2t + 1], and is joined by another launch. So all sums have one order.
//
// Type: CT values. GROUP items, LANES of which are a team.
HERON_PROGRAM(spgemm_listed_sums, class CT, int GROUP, int LANES)

CONSTANT(each, 8);
CONSTANT(tile, GROUP* each);
CONSTANT(teams, GROUP / LANES);
CONSTANT(ahead, 8);  // tiles that are read before the first is added

HERON_FN int is_first(i64 product) { return (int)(product >> 31 & 1); }

HERON_FN void write_sum(GLOBAL CT* c_values, heron_index at, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, c_values[at], result);
    c_values[at] = result;
}

// C := alpha*A*B + beta*C where the element has all its products in one tile. `nnz` is C's.
HERON_GROUP_KERNEL(sum_tiles, GROUP, GLOBAL const i64* RESTRICT list, heron_index products,
                   GLOBAL const i32* RESTRICT firsts, GLOBAL const CT* RESTRICT a_values, int a_conjugate,
                   GLOBAL const CT* RESTRICT b_values, int b_conjugate, GLOBAL CT* c_values, heron_index nnz,
                   CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* edges) {
    // Of products, `each` of an item and one free place, so that items read different banks; then of
    // segments.
    LOCAL_ARRAY(CT, sums, GROUP * (each + 1));
    LOCAL_ARRAY(i64, heads, GROUP);  // a byte for each product
    LOCAL_ARRAY(CT, team_sums, teams);
    LOCAL_ARRAY(i32, team_heads, teams);
    BOARD_ARRAY(CT, sum_board, GROUP);
    BOARD_ARRAY(i32, head_board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
    LOCAL u8* const head_bytes = (LOCAL u8*)heads;
    const int own = group_item();
    const int lane = own % LANES;
    const int team = own / LANES;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const heron_index t = group_id();
    const heron_index first = t * tile;
    const int count = products - first < tile ? (int)(products - first) : tile;
    // Needed at the end; to load them there would take the time again that a load takes.
    const heron_index element = firsts[t];
    const int shares_first = !is_first(list[first]);
    const int shares_last = first + tile < products && !is_first(list[first + tile]);

    i64 product[each];
    CT x[each];
    UNROLL
    for (int u = 0; u < each; ++u) {
        const int at = u * GROUP + own;
        product[u] = at < count ? LOAD_ONCE(list + first + at) : 0;
    }
    UNROLL
    for (int u = 0; u < each; ++u) {
        x[u] = ZERO(CT);
        if (adds) {
            const CT a = a_values[(i32)(product[u] & 0x7fffffff)];
            const CT b = b_values[(i32)(product[u] >> 32)];
            x[u] = MUL(CT, a_conjugate ? CONJ(CT, a) : a, b_conjugate ? CONJ(CT, b) : b);
        }
    }
    UNROLL
    for (int u = 0; u < each; ++u) {
        const int at = u * GROUP + own;
        sums[at + at / each] = at < count ? x[u] : ZERO(CT);
        head_bytes[at] = (u8)(at == 0 || is_first(product[u]));
    }
    sync_group();
    UNROLL
    for (int u = 0; u < each; ++u) x[u] = sums[own * (each + 1) + u];
    const i64 own_heads = heads[own];
    const int head_count = popcount((u32)own_heads) + popcount((u32)(own_heads >> 32));
    i32 all = 0;
    const int before = GROUP_SCAN(i32, parts, GROUP, head_count, all);

    // Segments that begin and end here are finished; the first part here ends one from before.
    CT ending = ZERO(CT);
    CT open = ZERO(CT);
    int segment = before - 1;
    UNROLL
    for (int u = 0; u < each; ++u) {
        if (own_heads >> 8 * u & 1) {
            if (segment < before)
                ending = open;
            else
                sums[segment] = open;
            ++segment;
            open = ZERO(CT);
        }
        open = ADD(CT, open, x[u]);
    }

    // What the segment that is open behind each lane has from its team, and whether it begins there.
    CT upto = open;
    int has_head = head_count > 0;
    UNROLL_LANES
    for (int distance = 1; distance < LANES; distance *= 2) {
        SYNC_BOARD();
        PUT(CT, sum_board, upto);
        PUT(i32, head_board, has_head);
        SYNC_BOARD();
        const CT below = GET_BELOW(CT, sum_board, LANES, upto, distance);
        const int below_has_head = GET_BELOW(i32, head_board, LANES, has_head, distance);
        if (lane >= distance && !has_head) {
            upto = ADD(CT, below, upto);
            has_head = below_has_head;
        }
    }
    SYNC_BOARD();
    PUT(CT, sum_board, upto);
    PUT(i32, head_board, has_head);
    SYNC_BOARD();
    CT arriving = GET_BELOW(CT, sum_board, LANES, upto, 1);
    int begins_in_team = GET_BELOW(i32, head_board, LANES, has_head, 1);
    if (lane == 0) {
        arriving = ZERO(CT);
        begins_in_team = 0;
    }
    if (lane == LANES - 1) {
        team_sums[team] = upto;
        team_heads[team] = has_head;
    }
    sync_group();
    if (!begins_in_team) {
        CT from_teams = ZERO(CT);
        for (int w = 0; w < team; ++w)
            from_teams = team_heads[w] ? team_sums[w] : ADD(CT, from_teams, team_sums[w]);
        arriving = ADD(CT, from_teams, arriving);
    }
    if (head_count > 0 && before > 0) sums[before - 1] = ADD(CT, arriving, ending);
    if (own == GROUP - 1) sums[all - 1] = head_count > 0 ? open : ADD(CT, arriving, open);
    sync_group();

    for (int s = own; s < all; s += GROUP) {
        if (s == 0 && shares_first)
            edges[2 * t] = sums[s];
        else if (s == all - 1 && shares_last)
            edges[2 * t + 1] = sums[s];
        else if (element + s < nnz)
            write_sum(c_values, element + s, sums[s], alpha, beta);
    }
}
HERON_CLOSE

// The elements that begin in one tile and end in another. An item for each tile.
HERON_GROUP_KERNEL(join_tiles, GROUP, GLOBAL const i64* RESTRICT list, heron_index tiles,
                   GLOBAL const i32* RESTRICT firsts, GLOBAL CT* c_values, CT alpha_value,
                   GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL const CT* RESTRICT edges) {
    const heron_index t = (heron_index)group_id() * GROUP + group_item();
    if (t + 1 < tiles && !is_first(list[(t + 1) * tile])) {
        const i32 element = firsts[t + 1];
        if (firsts[t] != element || is_first(list[t * tile])) {
            CT sum = edges[2 * t + 1];
            int goes_on = 1;
            for (heron_index next = t + 1; goes_on; next += ahead) {
                CT part[ahead];
                int is_last[ahead];
                UNROLL
                for (int u = 0; u < ahead; ++u) {
                    const heron_index at = next + u < tiles ? next + u : tiles - 1;
                    part[u] = edges[2 * at];
                    is_last[u] = at == tiles - 1 || firsts[at + 1] != element;
                }
                UNROLL
                for (int u = 0; u < ahead; ++u) {
                    if (goes_on) sum = ADD(CT, sum, part[u]);
                    goes_on = goes_on && !is_last[u];
                }
            }
            write_sum(c_values, element, sum, SCALAR(CT, alpha_value, alpha_device),
                      SCALAR(CT, beta_value, beta_device));
        }
    }
}
HERON_CLOSE

HERON_CLOSE
