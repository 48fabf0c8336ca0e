// Values of a sparse product whose products are listed by the elements of C that they add to
// (product_list.h): sums of segments (Blelloch, Heroux and Zagha, "Segmented operations for sparse matrix
// computation on vector multiprocessors", CMU-CS-93-173, 1993). A group takes a tile of the list, whatever
// rows and elements are in it. Each item adds up `each` neighbouring products, and the items hand sums that
// are not finished on to the next ones. What a tile has of elements that it shares with its neighbours goes
// to edges[2t] and edges[2t + 1], and is joined by another launch. So all sums have one order.
//
// Where elements of C have more products than a tile, and so neighbouring products lie far apart in A and B,
// the rows of B are cut into slices: a tile takes those of all elements in a slice, and a last launch adds up
// the slices of each element. firsts then count segments, and targets[n] is where the sum of segment n goes.
//
// Type: CT values. GROUP items, LANES of which are a team.
HERON_PROGRAM(spgemm_listed_sums, class CT, int GROUP, int LANES)

CONSTANT(each, 8);
CONSTANT(tile, GROUP* each);
CONSTANT(teams, GROUP / LANES);
CONSTANT(ahead, 8);  // sums of tiles that are read before the first is added

HERON_FN void write_result(GLOBAL CT* c_values, heron_index at, CT result, CT beta) {
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, c_values[at], result);
    c_values[at] = result;
}

// C := alpha*A*B + beta*C where the element has all its products in one tile. `most` is what C has
// elements, or what there are of these in all slices. targets: NULL without slices.
HERON_GROUP_KERNEL(sum_tiles, GROUP, GLOBAL const i64* RESTRICT list, heron_index products,
                   GLOBAL const i32* RESTRICT firsts, GLOBAL const i32* RESTRICT targets,
                   GLOBAL const CT* RESTRICT a_values, int a_conjugate, GLOBAL const CT* RESTRICT b_values,
                   int b_conjugate, GLOBAL CT* c_values, heron_index most, CT alpha_value,
                   GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* edges) {
    // Of products, `each` of an item and one free place, so that items read different banks; then of
    // segments.
    LOCAL_ARRAY(CT, sums, GROUP * (each + 1));
    LOCAL_ARRAY(CT, team_sums, teams);
    LOCAL_ARRAY(i32, team_heads, teams);
    BOARD_ARRAY(CT, sum_board, GROUP);
    BOARD_ARRAY(i32, head_board, GROUP);
    PARTS_ARRAY(i32, parts, GROUP);
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
    const int shares_first = firsts[t] < 0;
    const int shares_last = first + tile < products && firsts[t + 1] < 0;
    const heron_index element = shares_first ? -1 - firsts[t] : firsts[t];

    i64 product[each];
    CT x[each];
    UNROLL
    for (int u = 0; u < each; ++u) product[u] = LOAD_ONCE(list + first + u * GROUP + own);
    UNROLL
    for (int u = 0; u < each; ++u) {
        x[u] = ZERO(CT);
        if (adds) {
            const CT a = a_values[(i32)(product[u] >> 12 & 0x3ffffff)];
            const CT b = b_values[(i32)(product[u] >> 38)];
            x[u] = MUL(CT, a_conjugate ? CONJ(CT, a) : a, b_conjugate ? CONJ(CT, b) : b);
        }
    }
    UNROLL
    for (int u = 0; u < each; ++u) {
        const int number = u * GROUP + own;
        const int at = number < count ? (int)(product[u] >> 1 & (tile - 1)) : number;
        sums[at + at / each] = number < count ? x[u] : ZERO(CT);
    }
    u32 own_heads = own == 0;  // a bit for each of its products in their order
    UNROLL
    for (int u = 0; u < each; ++u) own_heads |= (u32)(product[u] & 1) << u;
    sync_group();
    UNROLL
    for (int u = 0; u < each; ++u) x[u] = sums[own * (each + 1) + u];
    const int head_count = popcount(own_heads);
    i32 all = 0;
    const int before = GROUP_SCAN(i32, parts, GROUP, head_count, all);

    // Segments that begin and end here are finished; the first part here ends one from before.
    CT ending = ZERO(CT);
    CT open = ZERO(CT);
    int segment = before - 1;
    UNROLL
    for (int u = 0; u < each; ++u) {
        if (own_heads >> u & 1) {
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
        else if (element + s < most)
            write_result(c_values, targets ? targets[element + s] : element + s, MUL(CT, alpha, sums[s]),
                         beta);
    }
}
HERON_CLOSE

// What so many tiles from `owner` on have of the segment that begins there.
HERON_FN CT joined(GLOBAL const CT* edges, heron_index owner, int span) {
    CT sum = edges[2 * owner + 1];
    for (int first = 1; first < span; first += ahead) {
        CT part[ahead];
        UNROLL
        for (int u = 0; u < ahead; ++u) part[u] = edges[2 * (owner + min(first + u, span - 1))];
        UNROLL
        for (int u = 0; u < ahead; ++u)
            if (first + u < span) sum = ADD(CT, sum, part[u]);
    }
    return sum;
}

// Writes what was joined.
HERON_FN void write_joined(GLOBAL const i32* firsts, GLOBAL const i32* targets, heron_index owner, CT sum,
                           GLOBAL CT* c_values, CT alpha, CT beta) {
    const heron_index number = -1 - firsts[owner + 1];
    write_result(c_values, targets ? targets[number] : number, MUL(CT, alpha, sum), beta);
}

// The segments that begin in one tile and end in another. An item for each tile.
HERON_GROUP_KERNEL(join_tiles, GROUP, heron_index tiles, GLOBAL const i32* RESTRICT firsts,
                   GLOBAL const i32* RESTRICT targets, GLOBAL const i32* RESTRICT owners,
                   GLOBAL const i32* RESTRICT spans, GLOBAL CT* c_values, CT alpha_value,
                   GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL const CT* RESTRICT edges) {
    const heron_index t = (heron_index)group_id() * GROUP + group_item();
    if (t + 1 < tiles && firsts[t + 1] < 0 && owners[t + 1] == t)
        write_joined(firsts, targets, t, joined(edges, t, spans[t + 1]), c_values,
                     SCALAR(CT, alpha_value, alpha_device), SCALAR(CT, beta_value, beta_device));
}
HERON_CLOSE

// C := the sums of so many parts of each element + beta*C. A group for each element.
HERON_GROUP_KERNEL(add_slices, GROUP, GLOBAL const CT* RESTRICT parts, heron_index slices,
                   GLOBAL CT* c_values, CT beta_value, GLOBAL const CT* beta_device) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const int own = group_item();
    const heron_index element = group_id();
    CT sum = ZERO(CT);
    for (heron_index s = own; s < slices; s += GROUP) sum = ADD(CT, sum, parts[element * slices + s]);
    sums[own] = sum;
    sync_group();
    for (int distance = GROUP / 2; distance > 0; distance /= 2) {
        if (own < distance) sums[own] = ADD(CT, sums[own], sums[own + distance]);
        sync_group();
    }
    if (own == 0) write_result(c_values, element, sums[0], SCALAR(CT, beta_value, beta_device));
}
HERON_CLOSE

HERON_CLOSE
