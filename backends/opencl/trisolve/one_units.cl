// Triangular solves for one right-hand side, where rows are long (units.cl).

HERON_FN CT sum_of_group(CT own, int id, __local CT* parts) {
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[id] = own;
    add_up_parts(parts, id, GROUP, 1);
    return parts[0];
}

// Adds the sums of the other pieces of the row.
HERON_FN void add_other_pieces(one_system s, sweep_unit u, int id, row_share* own) {
    for (int i = id; i < u.pieces - 1; i += GROUP) {
        CT part;
        UNPACK(awaited(s.solved + line_of_piece(s.a.shape, u.slot + i, 0)), &part);
        own->sum = ADD(CT, own->sum, part);
        if (s.a.has_pivot) continue;
        UNPACK(awaited(s.solved + line_of_piece(s.a.shape, u.slot + i, 1)), &part);
        own->pivot = ADD(CT, own->pivot, part);
    }
}

HERON_FN void solve_piece(one_system s, sweep_unit u, int id, __local CT* parts) {
    const int4 record = s.records[u.place];
    const int is_last = u.piece == u.pieces - 1;
    row_share own = share_of(record_of_piece(u, record, s.is_void), id, s.is_void);
    take_batch(s.a, &own, GROUP);
    wait_for(s.solved, u.place - s.places_ahead);
    while (own.needed != 0 || own.k < own.count) advance(s.a, &own, (GLOBAL const BOX*)s.solved, GROUP);
    if (is_last) add_other_pieces(s, u, id, &own);
    const CT sum = sum_of_group(own.sum, id, parts);
    const CT pivot = s.a.has_pivot ? known_pivot(s, record.x) : sum_of_group(own.pivot, id, parts);
    if (id != 0) return;
    if (is_last) {
        const CT right = SUB(CT, right_side(s, record.x), sum);
        post_solution(s, u.place, record.x, quotient(right, pivot, inverse_of(pivot)), pivot);
        return;
    }
    hand_over(s.solved + line_of_piece(s.a.shape, u.slot + u.piece, 0), sum);
    if (!s.a.has_pivot) hand_over(s.solved + line_of_piece(s.a.shape, u.slot + u.piece, 1), pivot);
}

// As heron_solve_one. A group has a unit.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_solve_one_units(
    GLOBAL const sweep_unit* restrict units, GLOBAL const int4* restrict records,
    GLOBAL const int* restrict places, GLOBAL const IT* restrict columns, GLOBAL const int* restrict sources,
    GLOBAL const CT* restrict values, GLOBAL const CT* restrict diagonal, triangle_shape t, int conjugate,
    CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, GLOBAL CT* c,
    heron_index c_row, GLOBAL CT* solved, GLOBAL const row_schedule* restrict schedule, int levels_ahead,
    GLOBAL int* control, GLOBAL int* zero_pivot) {
    __local int ticket;
    __local CT parts[GROUP];
    const int id = (int)get_local_id(0);
    const sweep_unit u = units[draw_ticket(control, &ticket)];
    const one_system s = system_of(records, places, columns, sources, values, diagonal, t, conjugate,
                                   SCALAR(CT, alpha_value, alpha_device), b, b_row, c, c_row, solved,
                                   (heron_index)levels_ahead * schedule->width, zero_pivot);
    if (u.pieces == 0)
        solve_rows(s, u.place, u.end, id % LANES, id / LANES);
    else
        solve_piece(s, u, id, parts);
}
