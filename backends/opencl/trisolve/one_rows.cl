// Triangular solves for one right-hand side, where no row is long.

// values[sources[k]] is the value of element k; without sources, values[k]. A group is held back by
// `levels_ahead` levels.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_solve_one(
    GLOBAL const int4* restrict records, GLOBAL const int* restrict places, GLOBAL const IT* restrict columns,
    GLOBAL const int* restrict sources, GLOBAL const CT* restrict values, GLOBAL const CT* restrict diagonal,
    triangle_shape t, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* b,
    heron_index b_row, GLOBAL CT* c, heron_index c_row, GLOBAL CT* solved,
    GLOBAL const row_schedule* restrict schedule, int levels_ahead, GLOBAL int* control,
    GLOBAL int* zero_pivot) {
    __local int ticket;
    const int lane = (int)get_local_id(0) % LANES;
    const int team = (int)get_local_id(0) / LANES;
    const int first = draw_ticket(control, &ticket) * (GROUP / LANES);
    const one_system s = system_of(records, places, columns, sources, values, diagonal, t, conjugate,
                                   SCALAR(CT, alpha_value, alpha_device), b, b_row, c, c_row, solved,
                                   (heron_index)levels_ahead * schedule->width, zero_pivot);
    solve_rows(s, first, t.n, lane, team);
}
