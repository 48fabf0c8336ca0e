// Triangular solves for many right-hand sides, where no row is long.

// op(A)*C = alpha*B for the right-hand sides [0, sides). values[sources[k]] is the value of element k;
// without sources, values[k].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_solve_many(
    GLOBAL const int4* restrict records, GLOBAL const IT* restrict columns,
    GLOBAL const int* restrict sources, GLOBAL const CT* restrict values, GLOBAL const CT* restrict diagonal,
    triangle_shape t, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* b,
    heron_index b_row, heron_index b_column, GLOBAL CT* c, heron_index c_row, heron_index c_column,
    int writes_c, int sides, heron_index width, GLOBAL CT* solved, GLOBAL int* control,
    GLOBAL int* zero_pivot) {
    __local int ticket;
    const int tiles = (sides + SIDES - 1) / SIDES;
    // Before the barrier in draw_ticket(): PoCL 5 may take a local id that is asked for behind it alone for
    // the same in all items.
    const int lane = (int)get_local_id(0) % LANES;
    const int team = (int)get_local_id(0) / LANES;
    const int number = draw_ticket(control, &ticket);
    const int place = number / tiles * (GROUP / LANES) + team;
    const int side = number % tiles * SIDES + lane * PACK;
    const many_system s =
        system_of(columns, sources, values, diagonal, t, conjugate, SCALAR(CT, alpha_value, alpha_device), b,
                  b_row, b_column, c, c_row, c_column, writes_c, sides, width, solved, zero_pivot);
    if (place < t.n && side < sides) solve_row(s, records[place], side);
}
