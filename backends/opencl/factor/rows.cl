// The rows of a CSR matrix. A team is a warp, or an item alone. An element is in one item's hands until the
// team meets.

#define TABLED 16  // elements of a row whose pairs are looked for before the row waits

// Of a lane: its first pair of element k, which depends on the pattern alone.
HERON_FN row_pair first_pair(factor_operands o, factored_row own, int k, int lane) {
    const int j = o.columns[k] - o.base;
    row_pair pair;
    pair.own = 0;
    pair.other = -1;
    if (j < 0 || j >= own.row) return pair;
    const row_meeting meeting = meeting_of(own, k, row_with_parts(o, j));
    return lane < candidates(meeting) ? pair_at(meeting, lane, o.columns) : pair;
}

// Which of the rows of a row's first elements are done, as far as is known: a lane of a warp asks for each.
#ifdef HERON_PTX
HERON_FN uint done_ones(int is_done) {
    uint result;
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n vote.sync.ballot.b32 %0, q, 0xffffffff;}"
                     : "=r"(result)
                     : "r"(is_done));
    return result;
}
HERON_FN void await_first(factor_operands o, factored_row own, int t, int lane, uint* known) {
    uint ns = 0;
    while ((*known >> t & 1u) == 0) {
        nap(ns);
        ns = min(ns + 16, 64u);
        const int k = own.begin + lane;
        const int j = k < own.diagonal ? o.columns[k] - o.base : -1;
        *known = done_ones(j < 0 || j >= own.row || load_acquire(o.done + j) != 0);
    }
    sync_team();
}
#else
HERON_FN void await_first(factor_operands o, factored_row own, int t, int lane, uint* known) {
    await(o.done + (o.columns[own.begin + t] - o.base));
}
#endif

HERON_FN void eliminate(factor_operands o, factored_row own, int k, row_pair pair, uint* known, GLOBAL CT* a,
                        int lane) {
    const int j = o.columns[k] - o.base;
    const factored_row other = row_with_parts(o, j);
    const row_meeting meeting = meeting_of(own, k, other);
    const int count = candidates(meeting);
    if (k - own.begin < 32)
        await_first(o, own, k - own.begin, lane, known);
    else
        await(o.done + j);
    const CT pivot = other.regular ? a[other.diagonal] : ZERO(CT);
    CT x = a[k];
    CT sum = ZERO(CT);
    if (IS_LU) x = DIV(CT, x, pivot);
    for (int q = lane; q < count; q += LANES) {
        if (q != lane) pair = pair_at(meeting, q, o.columns);
        if (pair.other < 0) continue;
        if (IS_LU)
            a[pair.own] = SUB(CT, a[pair.own], MUL(CT, x, a[pair.other]));
        else
            sum = MAD(CT, a[pair.own], CONJ(CT, a[pair.other]), sum);
    }
    if (!IS_LU) x = DIV(CT, SUB(CT, x, sum_of_team(sum)), pivot);
    sync_team();
    if (lane == 0) a[k] = x;
}

HERON_FN CT sum_of_squares(factored_row own, GLOBAL const CT* a, int lane) {
    CT sum = ZERO(CT);
    for (int k = own.begin + lane; k < own.diagonal; k += LANES)
        sum = ADD(CT, sum, REAL(CT, MUL(CT, a[k], CONJ(CT, a[k]))));
    return sum_of_team(sum);
}

// records[place].x is the row that comes at this place.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_factor_rows(
    GLOBAL const int4* records, int n, GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
    GLOBAL const i32* diagonal, GLOBAL CT* a, CT tolerance, GLOBAL const i64* tolerance_bits, CT boost,
    GLOBAL const CT* boost_device, GLOBAL i32* zero_pivot, GLOBAL int* done, GLOBAL int* tickets) {
    __local int ticket;
    __local row_pair table[TABLED * GROUP];
    const int lane = (int)get_local_id(0) % LANES;
    const int place = draw_ticket(tickets, &ticket) * (GROUP / LANES) + (int)get_local_id(0) / LANES;
    if (place >= n) return;
    const factor_operands o = operands_of(offsets, columns, base, diagonal, tolerance, tolerance_bits, boost,
                                          boost_device, zero_pivot, done);
    const factored_row own = row_with_parts(o, records[place].x);
    // An item reads what it has written itself.
    __local row_pair* const pairs = table + get_local_id(0);
    const int tabled = min(own.diagonal - own.begin, TABLED);
    for (int t = 0; t < tabled; ++t) pairs[t * GROUP] = first_pair(o, own, own.begin + t, lane);
    uint known = 0;
    for (int k = own.begin; k < own.diagonal; ++k) {
        const int j = columns[k] - base;
        if (j < 0 || j >= own.row) continue;
        const int t = k - own.begin;
        eliminate(o, own, k, t < tabled ? pairs[t * GROUP] : first_pair(o, own, k, lane), &known, a, lane);
    }
    sync_team();
    if (!own.regular) {
        if (lane == 0) report_zero(o, own.row);
    } else {
        CT pivot = a[own.diagonal];
        if (!IS_LU) pivot = SUB(CT, REAL(CT, pivot), sum_of_squares(own, a, lane));
        sync_team();
        if (lane == 0) a[own.diagonal] = finished_pivot(o, own.row, pivot);
    }
    announce(done + own.row);
}
