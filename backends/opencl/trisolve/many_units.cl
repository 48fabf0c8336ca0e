// Triangular solves for many right-hand sides, where rows are long (units.cl).

#define TEAMS (GROUP / LANES)  // that share a piece

// In place of own[i], i < count, the sum of what all teams have there.
HERON_FN void sum_of_teams(CT* own, const int count, int id, __local CT* parts) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
        parts[id] = own[i];
        add_up_parts(parts, id, GROUP, LANES);
        own[i] = parts[id % LANES];
    }
}

// Adds what is left of the other pieces of the row.
HERON_FN void add_other_pieces(many_system s, sweep_unit u, int side, int team, sides_share* own) {
    for (int p = team; p < u.pieces - 1; p += TEAMS) {
        GLOBAL const CT* const line = s.solved + side + line_of_piece(s.shape, u.slot + p, 0) * s.width;
        CT part[PACK];
        UNPACK(awaited(line), part);
#pragma unroll
        for (int i = 0; i < PACK; ++i) own->right[i] = ADD(CT, own->right[i], part[i]);
        if (s.has_pivot) continue;
        UNPACK(awaited(line + s.width), part);
        own->pivot = ADD(CT, own->pivot, part[0]);
    }
}

HERON_FN void hand_over_piece(many_system s, sweep_unit u, int side, const sides_share* own) {
    hand_over(s, side, line_of_piece(s.shape, u.slot + u.piece, 0), own->right);
    if (s.has_pivot) return;
    CT pivots[PACK];
#pragma unroll
    for (int i = 0; i < PACK; ++i) pivots[i] = own->pivot;
    hand_over(s, side, line_of_piece(s.shape, u.slot + u.piece, 1), pivots);
}

// Teams share a piece. side: the first of the item's right-hand sides.
HERON_FN void solve_piece(many_system s, sweep_unit u, int4 record, int side, int id, __local CT* parts) {
    const int team = id / LANES;
    const int is_last = u.piece == u.pieces - 1;
    const int is_active = side < s.sides;
    GLOBAL const CT* const own_sides = s.solved + side;
    sides_share own = share_of(record_of_piece(u, record, s.is_void), team, s.is_void);
    if (is_last && is_active && team == 0) take_right_sides(s, side, &own);
    while (is_active) {
        if (!use_batch(&own)) continue;
        if (own.next >= own.count) break;
        take_batch(s, own_sides, &own, TEAMS);
    }
    if (is_last && is_active) add_other_pieces(s, u, side, team, &own);
    sum_of_teams(own.right, PACK, id, parts);
    if (s.has_pivot)
        own.pivot = known_pivot(s, own.row);
    else
        sum_of_teams(&own.pivot, 1, id, parts);
    if (!is_active || team != 0) return;
    if (is_last)
        post_solutions(s, side, &own, inverse_of(own.pivot));
    else
        hand_over_piece(s, u, side, &own);
}

// As heron_solve_many. A group has a unit, for SIDES right-hand sides.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_solve_many_units(
    GLOBAL const sweep_unit* restrict units, GLOBAL const int4* restrict records,
    GLOBAL const IT* restrict columns, GLOBAL const int* restrict sources, GLOBAL const CT* restrict values,
    GLOBAL const CT* restrict diagonal, triangle_shape t, int conjugate, CT alpha_value,
    GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, heron_index b_column, GLOBAL CT* c,
    heron_index c_row, heron_index c_column, int writes_c, int sides, heron_index width, GLOBAL CT* solved,
    GLOBAL int* control, GLOBAL int* zero_pivot) {
    __local int ticket;
    __local CT parts[GROUP];
    const int tiles = (sides + SIDES - 1) / SIDES;
    const int id = (int)get_local_id(0);
    const int number = draw_ticket(control, &ticket);
    const int side = number % tiles * SIDES + id % LANES * PACK;
    const sweep_unit u = units[number / tiles];
    const int place = u.place + id / LANES;
    const many_system s =
        system_of(columns, sources, values, diagonal, t, conjugate, SCALAR(CT, alpha_value, alpha_device), b,
                  b_row, b_column, c, c_row, c_column, writes_c, sides, width, solved, zero_pivot);
    if (u.pieces != 0)
        solve_piece(s, u, records[u.place], side, id, parts);
    else if (place < u.end && side < sides)
        solve_row(s, records[place], side);
}
