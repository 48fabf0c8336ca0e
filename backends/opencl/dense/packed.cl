// Dense products of a GPU on packed operands, in the tiles of dense_tiles.cl.
//
// ASYNC: NVIDIA's copies from global to local memory, STAGES parts of the panels at once.

// A work-group of TILE x 8 packs TILE x TILE elements, through local memory where neighbours in memory are
// neighbours in k.
#define TILE 32

// The groups after the first `groups_of_a` lines of groups pack B.
__kernel __attribute__((reqd_work_group_size(TILE, 8, 1))) void heron_dense_pack(
    dense_source sa, GLOBAL const CT* a, CT value, GLOBAL const RT* pointer, GLOBAL RT* pa, dense_source sb,
    GLOBAL const CT* b, GLOBAL RT* pb, long groups_of_a) {
    __local CT tile[TILE * (TILE + 1)];
    const int across = (int)get_local_id(0), down = (int)get_local_id(1);
    const long line = (long)get_group_id(1);
    const int is_a = line < groups_of_a;
    dense_source s = is_a ? sa : sb;
    GLOBAL const CT* const x = is_a ? a : b;
    GLOBAL RT* const packed = is_a ? pa : pb;
    const int width = is_a ? PA : PB;
    const CT scale = dense_scale(s, value, pointer);
    const long first_r = (is_a ? line : line - groups_of_a) * TILE;
    const long first_k = (long)get_group_id(0) * TILE;
    const int turned = s.k_step == 1;
    for (int i = down; i < TILE; i += 8) {
        const long r = first_r + (turned ? i : across);
        const long k = first_k + (turned ? across : i);
        CT v = ZERO(CT);
        if (r < s.rows && k < s.depth) {
            v = dense_element(s, x, r, k);
            if (s.scaled) v = MUL(CT, v, scale);
        }
        tile[turned ? across * (TILE + 1) + i : i * (TILE + 1) + across] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long r = first_r + across;
    const long panel = (int)r / width, place = (int)r % width;
    for (int i = down; i < TILE; i += 8) {
        const long k = first_k + i;
        if (r < s.padded_rows && k < s.steps)
            dense_put(packed + (panel * s.total + s.begin + k) * width * PARTS + place, width,
                      tile[i * (TILE + 1) + across]);
    }
}

#define A_CHUNKS (KT * PA * PARTS / CHUNK_WIDTH)
#define B_CHUNKS (KT * PB * PARTS / CHUNK_WIDTH)
#define A_LOADS ((A_CHUNKS + GROUP - 1) / GROUP)
#define B_LOADS ((B_CHUNKS + GROUP - 1) / GROUP)

// The t-th block of the lower triangle, by rows: t = row*(row + 1)/2 + column.
HERON_FN void dense_triangle_block(long t, long* row, long* column) {
    long r = (long)((sqrt(8.0f * (float)t + 1.0f) - 1.0f) * 0.5f);
    while (r * (r + 1) / 2 > t) --r;
    while ((r + 1) * (r + 2) / 2 <= t) ++r;
    *row = r;
    *column = t - r * (r + 1) / 2;
}

// Where a chunk of a panel's part goes in local memory, `width` reals per line there.
HERON_FN int dense_chunk_place(int chunk, const int width) {
    const int per_line = width / CHUNK_WIDTH;
    const int k = chunk / per_line;
    return k * per_line + dense_place(k, chunk % per_line * CHUNK_WIDTH) / CHUNK_WIDTH;
}

#if defined(ASYNC) && !defined(WITHOUT_LOADS)

HERON_FN void dense_fetch(__local CHUNK_VECTOR* to, GLOBAL const CHUNK_VECTOR* from, int lane,
                          const int chunks, const int width) {
#pragma unroll
    for (int i = 0; i < (chunks + GROUP - 1) / GROUP; ++i)
        if (chunks % GROUP == 0 || i * GROUP + lane < chunks)
            __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"l"(
                                 (ulong)(to + dense_chunk_place(i * GROUP + lane, width))),
                             "l"((ulong)(from + i * GROUP + lane))
                             : "memory");
}

// The last of the STAGES parts are under way while the first is multiplied.
HERON_FN void dense_sum(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], dense_product p, int steps,
                        GLOBAL const CHUNK_VECTOR* from_a, GLOBAL const CHUNK_VECTOR* from_b,
                        __local CHUNK_VECTOR* a_tile, __local CHUNK_VECTOR* b_tile, int lane) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < steps) {
            dense_fetch(a_tile + stage * A_TILE, from_a + stage * A_CHUNKS, lane, A_CHUNKS, PA * PARTS);
            dense_fetch(b_tile + stage * B_TILE, from_b + stage * B_CHUNKS, lane, B_CHUNKS, PB * PARTS);
        }
        __asm__ volatile("cp.async.commit_group;" ::: "memory");
    }
    from_a += (STAGES - 1) * A_CHUNKS;
    from_b += (STAGES - 1) * B_CHUNKS;
    int current = 0, next = STAGES - 1;
    for (int step = 0; step < steps; ++step) {
        __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + STAGES - 1 < steps) {
            dense_fetch(a_tile + next * A_TILE, from_a, lane, A_CHUNKS, PA * PARTS);
            dense_fetch(b_tile + next * B_TILE, from_b, lane, B_CHUNKS, PB * PARTS);
            from_a += A_CHUNKS;
            from_b += B_CHUNKS;
        }
        __asm__ volatile("cp.async.commit_group;" ::: "memory");
        dense_multiply(sums, a_tile + current * A_TILE, b_tile + current * B_TILE, lane);
        next = current;
        current = current + 1 == STAGES ? 0 : current + 1;
    }
}

#else

#undef STAGES
#define STAGES 2

HERON_FN void dense_take(CHUNK_VECTOR* to, dense_product p, GLOBAL const CHUNK_VECTOR* from, int lane,
                         const int chunks) {
#pragma unroll
    for (int i = 0; i < (chunks + GROUP - 1) / GROUP; ++i)
        if (chunks % GROUP == 0 || i * GROUP + lane < chunks)
            to[i] = (CHUNK_VECTOR)(FROM_PANEL(from[i * GROUP + lane], i));
}

HERON_FN void dense_put_tile(__local CHUNK_VECTOR* to, const CHUNK_VECTOR* from, int lane, const int chunks,
                             const int width) {
#pragma unroll
    for (int i = 0; i < (chunks + GROUP - 1) / GROUP; ++i)
        if (chunks % GROUP == 0 || i * GROUP + lane < chunks)
            to[dense_chunk_place(i * GROUP + lane, width)] = from[i];
}

// The next parts of the panels are on their way to registers while the current ones are multiplied.
HERON_FN void dense_sum(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], dense_product p, int steps,
                        GLOBAL const CHUNK_VECTOR* from_a, GLOBAL const CHUNK_VECTOR* from_b,
                        __local CHUNK_VECTOR* a_tile, __local CHUNK_VECTOR* b_tile, int lane) {
    CHUNK_VECTOR a_next[A_LOADS], b_next[B_LOADS];
    int current = 0;
    for (int step = 0; step <= steps; ++step) {
        if (step < steps) {
            dense_take(a_next, p, from_a + (long)step * A_CHUNKS, lane, A_CHUNKS);
            dense_take(b_next, p, from_b + (long)step * B_CHUNKS, lane, B_CHUNKS);
        }
        if (step > 0)
            dense_multiply(sums, a_tile + (current ^ 1) * A_TILE, b_tile + (current ^ 1) * B_TILE, lane);
        if (step < steps) {
            dense_put_tile(a_tile + current * A_TILE, a_next, lane, A_CHUNKS, PA * PARTS);
            dense_put_tile(b_tile + current * B_TILE, b_next, lane, B_CHUNKS, PB * PARTS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        current ^= 1;
    }
}

#endif

__kernel __attribute__((reqd_work_group_size(WX, WY, 1))) void heron_dense_product(
    dense_product p, GLOBAL CT* c, CT alpha_value, GLOBAL const RT* alpha_pointer, CT beta_value,
    GLOBAL const RT* beta_pointer, GLOBAL const RT* pa, GLOBAL const RT* pb) {
    __local CHUNK_VECTOR a_tile[STAGES * A_TILE];
    __local CHUNK_VECTOR b_tile[STAGES * B_TILE];
    const CT beta = dense_scalar(beta_value, beta_pointer, p.has_real_beta);
    if (p.total == 0 || dense_is_zero(alpha_value, alpha_pointer, p.has_real_alpha)) {
        if (EQUAL(CT, beta, ONE(CT))) return;
        p.total = 0;
    }
    long row = (long)get_group_id(0), column = (long)get_group_id(1);
#if PA == PB
    if (p.triangle != 0) {
        dense_triangle_block(row, &row, &column);
        if (p.triangle == 2) {
            const long other = row;
            row = column;
            column = other;
        }
    }
#endif
    row *= PA;
    column *= PB;
    if (dense_is_outside(p, row, column)) return;
    const long begin = dense_first_step(p, row, column) / KT;
    const long end = (dense_last_step(p, row, column) + KT - 1) / KT;
    const int lane = (int)get_local_id(1) * WX + (int)get_local_id(0);
    RT sums[PARTS][COLUMNS_OF_ITEM][ROWS];
    dense_start(sums, p);
    dense_sum(sums, p, (int)(end - begin),
              (GLOBAL const CHUNK_VECTOR*)(pa + row * p.total * PARTS) + begin * A_CHUNKS,
              (GLOBAL const CHUNK_VECTOR*)(pb + column * p.total * PARTS) + begin * B_CHUNKS, a_tile, b_tile,
              lane);
#pragma unroll
    for (int j = 0; STORES && j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
            dense_finish(p, c, beta, row + ROW_OF(lane, i), column + COLUMN_OF(lane, i, j),
                         dense_number(sums[0][j][i], sums[PARTS - 1][j][i]));
}
