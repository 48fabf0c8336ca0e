// Dense products on a GPU whose operands are not packed, in batches or single: a work-group has a tile of one
// item's C.
//
// PA, PB and four times KT divide GROUP, which divides KT*PA and KT*PB; 8 divides KT. Loops over what a lane
// holds have bounds that are macros: with an argument of an inlined function as bound they are unrolled too
// late, and arrays go to memory.

#define A_OF_LANE (KT * PA / GROUP)
#define B_OF_LANE (KT * PB / GROUP)
#define MOST_OF_LANE (A_OF_LANE > B_OF_LANE ? A_OF_LANE : B_OF_LANE)
#define REALS_OF_STAGE ((A_TILE + B_TILE) * CHUNK_WIDTH)

// One of the operands of a tile as a lane sees it. Of a part of KT steps the i-th element that goes through
// its hands lies at from[i*between], which is line + i*line_step, step k + i*k_step of the part.
typedef struct {
    GLOBAL const CT* from;
    long between, along;  // along: to the next part
    int line, k, line_step, k_step, lines;
    int conjugate;
} dense_side;

// Neighbouring lanes take what lies side by side; in an operand that is turned runs of 8, so that lanes meet
// different banks.
HERON_FN dense_side dense_side_of(GLOBAL const CT* from, long first, long lines, long row_step, long k_step,
                                  long conjugate, int lane, const int width) {
    const int is_turned = k_step == 1;
    dense_side s;
    s.line = is_turned ? lane / (4 * KT) * 4 + lane / 8 % 4 : lane % width;
    s.k = is_turned ? lane / 32 % (KT / 8) * 8 + lane % 8 : lane / width;
    s.line_step = is_turned ? GROUP / KT : 0;
    s.k_step = is_turned ? 0 : GROUP / width;
    s.between = s.line_step * row_step + s.k_step * k_step;
    s.along = KT * k_step;
    s.from = from + (first + s.line) * row_step + s.k * k_step;
    s.lines = (int)min(lines - first, (long)width);
    s.conjugate = (int)conjugate;
    return s;
}

HERON_FN int dense_has(dense_side s, int i, int depth) {
    return s.line + i * s.line_step < s.lines && s.k + i * s.k_step < depth;
}

HERON_FN int dense_place_of(dense_side s, int i, const int width) {
    const int k = s.k + i * s.k_step;
    return k * (width * PARTS + PADDING) + dense_place(k, s.line + i * s.line_step) * BETWEEN_LINES;
}

#ifdef ASYNC

#define BYTES_OF_REAL (16 / CHUNK_WIDTH)
#if PARTS == 2 && defined(INTERLEAVED)
#define COPIES 1
#define COPY_BYTES (2 * BYTES_OF_REAL)
#else
#define COPIES PARTS
#define COPY_BYTES BYTES_OF_REAL
#endif

// Of what lies outside zeros are written.
HERON_FN void dense_fetch(__local RT* to, dense_side* s, int depth, const int width, const int count) {
#pragma unroll
    for (int i = 0; i < MOST_OF_LANE; ++i) {
        if (i >= count) continue;
        const int bytes = dense_has(*s, i, depth) ? COPY_BYTES : 0;
        __local RT* const place = to + dense_place_of(*s, i, width);
        GLOBAL const RT* const from = (GLOBAL const RT*)(s->from + i * s->between);
#pragma unroll
        for (int part = 0; part < COPIES; ++part)
            __asm__ volatile(
                "cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"l"((ulong)(place + part * width)),
                "l"((ulong)(from + part)), "n"(COPY_BYTES), "r"(bytes)
                : "memory");
    }
    s->from += s->along;
}

// Of what the lane itself has copied.
HERON_FN void dense_conjugate(__local RT* tile, dense_side s, const int width, const int count) {
    if (PARTS == 1 || !s.conjugate) return;
#pragma unroll
    for (int i = 0; i < MOST_OF_LANE; ++i) {
        if (i >= count) continue;
        __local RT* const im = tile + dense_place_of(s, i, width) + BETWEEN_PARTS(width);
        *im = -*im;
    }
}

HERON_FN void dense_sum(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], dense_side sa, dense_side sb, long k,
                        __local CHUNK_VECTOR* tiles, int lane) {
    const int steps = (int)((k + KT - 1) / KT);
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage < steps) {
            const int depth = (int)min(k - (long)stage * KT, (long)KT);
            dense_fetch((__local RT*)(tiles + stage * (A_TILE + B_TILE)), &sa, depth, PA, A_OF_LANE);
            dense_fetch((__local RT*)(tiles + stage * (A_TILE + B_TILE) + A_TILE), &sb, depth, PB, B_OF_LANE);
        }
        __asm__ volatile("cp.async.commit_group;" ::: "memory");
    }
    int current = 0, next = STAGES - 1;
    for (int step = 0; step < steps; ++step) {
        __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __local CHUNK_VECTOR* const a = tiles + current * (A_TILE + B_TILE);
        dense_conjugate((__local RT*)a, sa, PA, A_OF_LANE);
        dense_conjugate((__local RT*)(a + A_TILE), sb, PB, B_OF_LANE);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + STAGES - 1 < steps) {
            const int depth = (int)min(k - (long)(step + STAGES - 1) * KT, (long)KT);
            dense_fetch((__local RT*)(tiles + next * (A_TILE + B_TILE)), &sa, depth, PA, A_OF_LANE);
            dense_fetch((__local RT*)(tiles + next * (A_TILE + B_TILE) + A_TILE), &sb, depth, PB, B_OF_LANE);
        }
        __asm__ volatile("cp.async.commit_group;" ::: "memory");
        dense_multiply(sums, a, a + A_TILE, lane);
        next = current;
        current = current + 1 == STAGES ? 0 : current + 1;
    }
}

#else

#undef STAGES
#define STAGES 2

HERON_FN void dense_take(CT* to, dense_side* s, int depth, const int count) {
#pragma unroll
    for (int i = 0; i < MOST_OF_LANE; ++i) {
        if (i >= count) continue;
        to[i] = ZERO(CT);
        if (dense_has(*s, i, depth)) to[i] = s->from[i * s->between];
    }
    s->from += s->along;
}

HERON_FN void dense_put_tile(__local RT* to, dense_side s, const CT* from, const int width, const int count) {
#pragma unroll
    for (int i = 0; i < MOST_OF_LANE; ++i) {
        if (i >= count) continue;
        __local RT* const place = to + dense_place_of(s, i, width);
#if PARTS == 2
        place[0] = from[i].x;
        place[BETWEEN_PARTS(width)] = s.conjugate ? -from[i].y : from[i].y;
#else
        *place = from[i];
#endif
    }
}

HERON_FN void dense_sum(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], dense_side sa, dense_side sb, long k,
                        __local CHUNK_VECTOR* tiles, int lane) {
    CT a_next[A_OF_LANE], b_next[B_OF_LANE];
    const int steps = (int)((k + KT - 1) / KT);
    int current = 0;
    for (int step = 0; step <= steps; ++step) {
        if (step < steps) {
            const int depth = (int)min(k - (long)step * KT, (long)KT);
            dense_take(a_next, &sa, depth, A_OF_LANE);
            dense_take(b_next, &sb, depth, B_OF_LANE);
        }
        __local CHUNK_VECTOR* const last = tiles + (current ^ 1) * (A_TILE + B_TILE);
        if (step > 0) dense_multiply(sums, last, last + A_TILE, lane);
        if (step < steps) {
            __local CHUNK_VECTOR* const a = tiles + current * (A_TILE + B_TILE);
            dense_put_tile((__local RT*)a, sa, a_next, PA, A_OF_LANE);
            dense_put_tile((__local RT*)(a + A_TILE), sb, b_next, PB, B_OF_LANE);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        current ^= 1;
    }
}

#endif

#define SUMS_OF_ITEM (COLUMNS_OF_ITEM * ROWS)
#define SUMS_KEPT (SUMS_OF_ITEM / SLICES)

// Two teams that share sums hand over one half of them to each other and add what they get to the other half,
// which begins at the returned one. Were it not inlined, PoCL 3.1 would give all work-groups the same local
// memory.
__attribute__((always_inline)) HERON_FN int dense_share(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS],
                                                        __local RT* exchange, int lane, const int distance) {
    const int given = SUMS_KEPT * distance;
    const int is_upper = (lane / TEAM & distance) != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int i = 0; i < SUMS_OF_ITEM / 2; ++i) {
            if (i >= given) continue;
            const RT low = sums[part][i / ROWS][i % ROWS],
                     high = sums[part][(given + i) / ROWS][(given + i) % ROWS];
            exchange[(part * given + i) * GROUP + lane] = is_upper ? low : high;
            sums[part][i / ROWS][i % ROWS] = is_upper ? high : low;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int i = 0; i < SUMS_OF_ITEM / 2; ++i)
            if (i < given)
                sums[part][i / ROWS][i % ROWS] +=
                    exchange[(part * given + i) * GROUP + (lane ^ distance * TEAM)];
    return is_upper ? given : 0;
}

// Adds up what the teams have. Each then has SUMS_KEPT, from the returned one on.
HERON_FN int dense_join(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], __local RT* exchange, int lane) {
    int first = 0;
    if (SLICES > 8) first += dense_share(sums, exchange, lane, 8);
    if (SLICES > 4) first += dense_share(sums, exchange, lane, 4);
    if (SLICES > 2) first += dense_share(sums, exchange, lane, 2);
    if (SLICES > 1) first += dense_share(sums, exchange, lane, 1);
    return first;
}

#define REALS_OF_TILES (STAGES * REALS_OF_STAGE)
#define REALS_OF_EXCHANGE (SLICES > 1 ? GROUP * PARTS * SUMS_OF_ITEM / 2 : 0)

// Groups: the tiles of the first item by columns, then those of the next.
__kernel __attribute__((reqd_work_group_size(WX, WY* SLICES, 1))) void heron_dense_batch(
    dense_batch g, CT alpha_value, GLOBAL const RT* alpha_pointer, GLOBAL const CT* a,
    GLOBAL const void* a_list, GLOBAL const CT* b, GLOBAL const void* b_list, CT beta_value,
    GLOBAL const RT* beta_pointer, GLOBAL CT* c, GLOBAL const void* c_list) {
    __local CHUNK_VECTOR
        tiles[(REALS_OF_TILES > REALS_OF_EXCHANGE ? REALS_OF_TILES : REALS_OF_EXCHANGE) / CHUNK_WIDTH];
    const CT alpha = dense_scalar(alpha_value, alpha_pointer, 0);
    const CT beta = dense_scalar(beta_value, beta_pointer, 0);
    const long tiles_of_rows = (g.m + PA - 1) / PA;
    const long tiles_of_item = tiles_of_rows * ((g.n + PB - 1) / PB);
    const long item = (long)get_group_id(0) / tiles_of_item, tile = (long)get_group_id(0) % tiles_of_item;
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
    if (g.k > 0 && !EQUAL(CT, alpha, ZERO(CT))) {
        const dense_side sa = dense_side_of(dense_item(g.a, a, a_list, item) + g.a_offset, row, g.m, g.a_row,
                                            g.a_step, g.conjugate_a, lane, PA);
        const dense_side sb = dense_side_of(dense_item(g.b, b, b_list, item) + g.b_offset, column, g.n,
                                            g.b_row, g.b_step, g.conjugate_b, lane, PB);
        dense_sum(sums, sa, sb, g.k, tiles, lane);
    }
    const int first = dense_join(sums, (__local RT*)tiles, lane);
    GLOBAL CT* const to = (GLOBAL CT*)dense_item(g.c, c, c_list, item);
#pragma unroll
    for (int kept = 0; kept < SUMS_KEPT; ++kept) {
        const int i = (first + kept) % ROWS, j = (first + kept) / ROWS;
        dense_finish(
            p, to, beta, row + ROW_OF(lane % TEAM, i), column + COLUMN_OF(lane % TEAM, i, j),
            MUL(CT, alpha,
                dense_number(sums[0][kept / ROWS][kept % ROWS], sums[PARTS - 1][kept / ROWS][kept % ROWS])));
    }
}
