// Triangular solves for many right-hand sides. LANES neighbours solve a row.

#define SIDES (LANES * PACK)  // right-hand sides of a group
#define TURN_GROUP 256
#define TURNED 32  // rows and columns of a tile that is turned

// op(A)*C = alpha*B for the right-hand sides [0, sides). solved has rows of `width` elements, by number.
// values[sources[k]] is the value of element k; without sources, values[k].
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
    const int number = draw_ticket(control, &ticket);
    const int place = number / tiles * (GROUP / LANES) + (int)get_local_id(0) / LANES;
    const int side = number % tiles * SIDES + lane * PACK;
    const int is_active = place < t.n && side < sides;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_void = EQUAL(CT, alpha, ZERO(CT));
    const int4 record = is_active ? records[place] : (int4)(0);
    const int row = record.x;
    const uint count = is_void ? 0 : (uint)(record.z - record.y);
    uint next = 0;  // element of the row
    GLOBAL CT* const own_sides = solved + side;
    CT right[PACK];
#pragma unroll
    for (int s = 0; s < PACK; ++s)
        right[s] = is_active && !is_void && side + s < sides
                       ? MUL(CT, alpha, b[row * b_row + (side + s) * b_column])
                       : ZERO(CT);
    CT pivot = ZERO(CT);
    CT inverse = ZERO(CT);
    if (t.unit || is_void)
        pivot = ONE(CT);
    else if (diagonal && is_active)
        pivot = conjugate ? CONJ(CT, diagonal[row]) : diagonal[row];
    const int has_pivot = t.unit || is_void || diagonal;

    CT elements[BATCH];
    BOX x[BATCH];
    GLOBAL const BOX* from[BATCH];
    uint needed = 0;   // which elements of the batch have a share
    uint waiting = 0;  // and for which of them there is no x yet
    while (is_active) {
#pragma unroll
        for (int i = 0; i < BATCH; ++i) BOX_NAME(load)(waiting >> i & 1u, from[i], x + i);
#pragma unroll
        for (int i = 0; i < BATCH; ++i)
            if ((waiting >> i & 1u) && BOX_NAME(is_set)(x[i])) waiting &= ~(1u << i);
        if (waiting != 0) continue;
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if (!(needed >> i & 1u)) continue;
            CT found[PACK];
            UNPACK(x[i], found);
#pragma unroll
            for (int s = 0; s < PACK; ++s) right[s] = SUB(CT, right[s], MUL(CT, elements[i], found[s]));
        }
        if (next >= count) {
            if (IS_REAL && count == 0) inverse = inverse_of(pivot);
#pragma unroll
            for (int s = 0; s < PACK; ++s) right[s] = quotient(right[s], pivot, inverse);
            *(volatile GLOBAL BOX*)(own_sides + row * width) = BOX_NAME(marked)(PACK_UP(right));
            if (!has_pivot) look_at_pivot(row, pivot, zero_pivot);
            break;
        }
        needed = 0;
        int own[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint k = element_in_order(t, (uint)record.y, (uint)record.z, next + i);
            own[i] = next + i < count ? (int)((heron_index)columns[k] - t.base) : -1;
            elements[i] = next + i < count ? values[sources ? (uint)sources[k] : k] : ZERO(CT);
            if (conjugate) elements[i] = CONJ(CT, elements[i]);
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            from[i] = (GLOBAL const BOX*)own_sides;
            if (is_needed(t, row, own[i])) {
                needed |= 1u << i;
                from[i] = (GLOBAL const BOX*)(own_sides + own[i] * width);
            } else if (own[i] == row && !has_pivot) {
                pivot = ADD(CT, pivot, elements[i]);
            }
        }
        next += BATCH;
        waiting = needed;
        if (next >= count) inverse = inverse_of(pivot);
    }
    if (!is_active || !writes_c) return;
#pragma unroll
    for (int s = 0; s < PACK; ++s)
        if (side + s < sides) c[row * c_row + (side + s) * c_column] = is_void ? ZERO(CT) : right[s];
}

// To := from, tile by tile: whichever of the two has neighbouring rows beside each other is walked that way.
__kernel __attribute__((reqd_work_group_size(TURN_GROUP, 1, 1))) void heron_turn_sides(
    GLOBAL const CT* from, heron_index from_row, heron_index from_column, GLOBAL CT* to, heron_index to_row,
    heron_index to_column, int n, int sides) {
    __local CT tile[TURNED * (TURNED + 1)];
    const int lane = get_local_id(0) % TURNED;
    const int line = get_local_id(0) / TURNED;
    const int tiles = (sides + TURNED - 1) / TURNED;
    const int first_row = (int)get_group_id(0) / tiles * TURNED;
    const int first_side = (int)get_group_id(0) % tiles * TURNED;
    const int reads_rows = from_column == 1;
    for (int i = line; i < TURNED; i += TURN_GROUP / TURNED) {
        const int r = reads_rows ? i : lane;
        const int s = reads_rows ? lane : i;
        if (first_row + r < n && first_side + s < sides)
            tile[r * (TURNED + 1) + s] = from[(first_row + r) * from_row + (first_side + s) * from_column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = line; i < TURNED; i += TURN_GROUP / TURNED) {
        const int r = reads_rows ? lane : i;
        const int s = reads_rows ? i : lane;
        if (first_row + r < n && first_side + s < sides)
            to[(first_row + r) * to_row + (first_side + s) * to_column] = tile[r * (TURNED + 1) + s];
    }
}
