// Batches of small dense products on a GPU: a work-group has a tile of one item's C and takes A and B as they are.

#define A_ELEMENTS (KT * PA)
#define B_ELEMENTS (KT * PB)
#define ELEMENTS_OF_ITEM(n) (((n) + GROUP - 1) / GROUP)

// One of the operands of a tile: element (r, k) lies at from[r*row_step + k*k_step].
typedef struct {
    GLOBAL const CT* from;
    long row_step, k_step, rows, depth;
    long conjugate;
} dense_side;

// The i-th element that goes through a lane's hands: neighbouring lanes take what lies side by side.
HERON_FN int dense_line_of(dense_side s, int element, const int width) {
    return s.k_step == 1 ? element / KT : element % width;
}
HERON_FN int dense_step_of(dense_side s, int element, const int width) {
    return s.k_step == 1 ? element % KT : element / width;
}

HERON_FN void dense_take(CT* to, dense_side s, long first_k, int lane, const int width) {
#pragma unroll
    for (int i = 0; i < ELEMENTS_OF_ITEM(KT * width); ++i) {
        const int element = i * GROUP + lane;
        const long r = dense_line_of(s, element, width), k = first_k + dense_step_of(s, element, width);
        to[i] = ZERO(CT);
        if (r < s.rows && k < s.depth) to[i] = s.from[r * s.row_step + k * s.k_step];
    }
}

HERON_FN void dense_put_tile(__local RT* to, dense_side s, const CT* from, int lane, const int width) {
#pragma unroll
    for (int i = 0; i < ELEMENTS_OF_ITEM(KT * width); ++i) {
        const int element = i * GROUP + lane;
        if (KT * width % GROUP != 0 && element >= KT * width) continue;
        const int k = dense_step_of(s, element, width);
        const int at = k * (width * PARTS + PADDING) + dense_place(k, dense_line_of(s, element, width));
#if PARTS == 2
        to[at] = from[i].x;
        to[at + width] = s.conjugate ? -from[i].y : from[i].y;
#else
        to[at] = from[i];
#endif
    }
}

HERON_FN dense_side dense_side_of(GLOBAL const CT* from, long first, long lines, long depth, long row_step,
                                  long k_step, long conjugate) {
    dense_side s;
    s.from = from + first * row_step;
    s.row_step = row_step;
    s.k_step = k_step;
    s.rows = lines - first;
    s.depth = depth;
    s.conjugate = conjugate;
    return s;
}

// Groups: the tiles of the first item by columns, then those of the next.
__kernel __attribute__((reqd_work_group_size(WX, WY, 1))) void heron_dense_batch(
    dense_batch g, CT alpha_value, GLOBAL const RT* alpha_pointer, GLOBAL const CT* a, GLOBAL const void* a_list,
    GLOBAL const CT* b, GLOBAL const void* b_list, CT beta_value, GLOBAL const RT* beta_pointer, GLOBAL CT* c,
    GLOBAL const void* c_list) {
    __local CHUNK_VECTOR a_tile[2 * A_TILE];
    __local CHUNK_VECTOR b_tile[2 * B_TILE];
    const CT alpha = dense_scalar(alpha_value, alpha_pointer, 0);
    const CT beta = dense_scalar(beta_value, beta_pointer, 0);
    const long tiles_of_rows = (g.m + PA - 1) / PA;
    const long tiles = tiles_of_rows * ((g.n + PB - 1) / PB);
    const long item = (long)get_group_id(0) / tiles, tile = (long)get_group_id(0) % tiles;
    const long row = tile % tiles_of_rows * PA, column = tile / tiles_of_rows * PB;
    const int lane = (int)get_local_id(1) * WX + (int)get_local_id(0);
    dense_product p;
    p.m = g.m;
    p.n = g.n;
    p.offset = g.c_offset;
    p.ld = g.ldc;
    p.triangle = 0;
    p.hermitian = 0;
    RT sums[PARTS][COLUMNS_OF_ITEM][ROWS];
    dense_start(sums, p);
    const int steps = EQUAL(CT, alpha, ZERO(CT)) ? 0 : (int)((g.k + KT - 1) / KT);
    if (steps > 0) {
        const dense_side sa = dense_side_of(dense_item(g.a, a, a_list, item) + g.a_offset, row, g.m, g.k, g.a_row, g.a_step,
                                            g.conjugate_a);
        const dense_side sb = dense_side_of(dense_item(g.b, b, b_list, item) + g.b_offset, column, g.n, g.k, g.b_row, g.b_step,
                                            g.conjugate_b);
        CT a_next[ELEMENTS_OF_ITEM(A_ELEMENTS)], b_next[ELEMENTS_OF_ITEM(B_ELEMENTS)];
        int current = 0;
        for (int step = 0; step <= steps; ++step) {
            if (step < steps) {
                dense_take(a_next, sa, (long)step * KT, lane, PA);
                dense_take(b_next, sb, (long)step * KT, lane, PB);
            }
            if (step > 0) dense_multiply(sums, a_tile + (current ^ 1) * A_TILE, b_tile + (current ^ 1) * B_TILE, lane);
            if (step < steps) {
                dense_put_tile((__local RT*)(a_tile + current * A_TILE), sa, a_next, lane, PA);
                dense_put_tile((__local RT*)(b_tile + current * B_TILE), sb, b_next, lane, PB);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            current ^= 1;
        }
    }
    GLOBAL CT* const to = (GLOBAL CT*)dense_item(g.c, c, c_list, item);
#pragma unroll
    for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
            dense_finish(p, to, beta, row + ROW_OF(lane, i), column + COLUMN_OF(lane, i, j),
                         MUL(CT, alpha, dense_number(sums[0][j][i], sums[PARTS - 1][j][i])));
}
