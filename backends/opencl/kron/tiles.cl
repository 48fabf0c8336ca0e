// Kronecker products on GPUs. A work-group holds a chunk of tiles in local memory and applies the MODES of a
// pass to them in place. A tile is a tensor of MODES indices below N and an innermost run of WIDTH neighbours
// that no mode of the pass touches. A team of work-items shares a tile; each takes whole fibres of AT_ONCE
// modes to registers.
//
// Defined are also: SIZE of a tile, TEAM work-items for each of TEAMS tiles of a chunk, TILES of a unit,
// INNER neighbours behind the modes in the unit, LENGTH = N^AT_ONCE, REST_LENGTH = N^(MODES % AT_ONCE), QUAD
// elements of 16 bytes; DENSE: units follow each other in memory, and so do the factors of an item unless
// they are shared by all (SHARED); elements that are copied at once (COPIED, FACTORS_COPIED); whether factors
// stay in registers (KEEPS), or else how many fibres share what is read of them (FIBRES), by WIDE neighbours;
// BUFFERS of a chunk.

#ifndef HERON_PTX
#undef BUFFERS
#define BUFFERS 1
#endif

#define GROUP (TEAM * TEAMS)
#define CHUNK (TEAMS * SIZE)
#define FACTOR_SIZE (MODES * N * N)

#define heron_pair_of_f32 float2
#define heron_pair_of_f64 double2
#define heron_pair_of_c32 float4
#define heron_pair_of_c64 double2
#define PAIR_T HERON_NAME1(heron_pair_of, CT)
#define heron_put_pair_f32(v, to) vstore2(v, 0, (RT*)(to))
#define heron_put_pair_f64(v, to) vstore2(v, 0, (RT*)(to))
#define heron_put_pair_c32(v, to) vstore4(v, 0, (RT*)(to))
#define heron_put_pair_c64(v, to) vstore2(v, 0, (RT*)(to))
#define PUT_PAIR(v, to) HERON_NAME1(heron_put_pair, CT)(v, to)

// An element's place in local memory. For powers of two there is a gap of 16 bytes in every 128 (and for
// elements of 4 bytes another one), so that fibres of any mode meet all banks; additive where the elements'
// numbers have no common bits.
#define HAS_GAPS ((N * WIDTH & (N * WIDTH - 1)) == 0)
#if HAS_GAPS
#define PLACE(e) ((e) + (e) / (8 * QUAD) * QUAD + (QUAD == 4 ? (e) / (64 * QUAD) * (4 * QUAD) : 0))
#else
#define PLACE(e) (e)
#endif
#define ROOM ((PLACE(CHUNK - 1) + QUAD) / QUAD * QUAD)
// An odd number of copies from tile to tile.
#if FACTOR_SIZE % QUAD == 0 && TEAMS > 1
#define FACTOR_STRIDE ((FACTOR_SIZE / QUAD | 1) * QUAD)
#else
#define FACTOR_STRIDE FACTOR_SIZE
#endif
#ifdef SHARED
#define FACTOR_SETS 1
#else
#define FACTOR_SETS TEAMS
#endif
#define FACTOR_ROOM ((FACTOR_SETS * FACTOR_STRIDE + QUAD - 1) / QUAD * QUAD)

HERON_FN int kron_factor_place(int e) { return e / FACTOR_SIZE * FACTOR_STRIDE + e % FACTOR_SIZE; }

// Bounds of loops are constants of the program, not arguments: a compiler may unroll a loop before it knows
// arguments.

HERON_FN void kron_read_factor(CT* a, __local const CT* factor) {
#if N * N % QUAD == 0
#pragma unroll
    for (int i = 0; i < N * N; i += QUAD) PUT_QUAD(*(__local const QUAD_T*)(factor + i), a + i);
#else
#pragma unroll
    for (int i = 0; i < N * N; ++i) a[i] = factor[i];
#endif
}

// The first `length` of up to LENGTH elements of a fibre, which are `step` apart. Neighbours lie without gaps
// up to QUAD of them.
HERON_FN void kron_read_fibre(CT* v, __local const CT* at, const int step, const int length) {
    if (HAS_GAPS && step == 1 && length % QUAD == 0) {
#pragma unroll
        for (int j = 0; j < LENGTH; j += QUAD)
            if (j < length) PUT_QUAD(*(__local const QUAD_T*)(at + PLACE(j)), v + j);
    } else {
#pragma unroll
        for (int j = 0; j < LENGTH; ++j)
            if (j < length) v[j] = at[PLACE(j * step)];
    }
}

HERON_FN void kron_write_fibre(__local CT* at, const CT* v, const int step, const int length) {
    if (HAS_GAPS && step == 1 && length % QUAD == 0) {
#pragma unroll
        for (int j = 0; j < LENGTH; j += QUAD)
            if (j < length) *(__local QUAD_T*)(at + PLACE(j)) = GET_QUAD(v + j);
    } else {
#pragma unroll
        for (int j = 0; j < LENGTH; ++j)
            if (j < length) at[PLACE(j * step)] = v[j];
    }
}

// One factor's turn on a fibre over several modes: `apart` is the distance of neighbours in its mode.
HERON_FN void kron_turn(CT* v, const CT* a, const int apart, const int length) {
#pragma unroll
    for (int f = 0; f < LENGTH / N; ++f) {
        if (f * N >= length) continue;
        const int first = f / apart * (apart * N) + f % apart;
        CT sum[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            sum[i] = MUL(CT, a[i], v[first]);
#pragma unroll
            for (int j = 1; j < N; ++j) sum[i] = MAD(CT, a[j * N + i], v[first + j * apart], sum[i]);
        }
#pragma unroll
        for (int i = 0; i < N; ++i) v[first + i * apart] = sum[i];
    }
}

// That of the factor `m` before the last one, which is in `a` if it is kept.
HERON_FN void kron_take_turn(CT* v, CT* a, __local const CT* last, const int m, const int apart,
                             const int length) {
    if (!KEEPS) kron_read_factor(a, last - m * N * N);
    kron_turn(v, KEEPS ? a + m * N * N : a, apart, length);
}

// `modes` factors, of which `last` comes first; the one before it lies before it in memory.
HERON_FN void kron_stage(__local CT* tile, __local const CT* last, int lane, const int step, const int modes,
                         const int length) {
    CT a[(KEEPS ? AT_ONCE : 1) * N * N];
    if (KEEPS) {
#pragma unroll
        for (int m = 0; m < AT_ONCE; ++m)
            if (m < modes) kron_read_factor(a + m * N * N, last - m * N * N);
    }
#pragma unroll 1
    for (int q = lane; q < SIZE / length; q += TEAM) {
        const int first = q / step * (step * length) + q % step;
        __local CT* const at = tile + PLACE(first);
        CT v[LENGTH];
        kron_read_fibre(v, at, step, length);
        kron_take_turn(v, a, last, 0, 1, length);
        if (modes > 1) kron_take_turn(v, a, last, 1, N, length);
        if (modes > 2) kron_take_turn(v, a, last, 2, N * N, length);
        if (modes > 3) kron_take_turn(v, a, last, 3, N * N * N, length);
        kron_write_fibre(at, v, step, length);
    }
}

// WIDE neighbours of a factor's column.
HERON_FN void kron_read_column(CT* a, __local const CT* from) {
#if WIDE == 1
    *a = *from;
#elif WIDE == QUAD
    PUT_QUAD(*(__local const QUAD_T*)from, a);
#else
    PUT_PAIR(*(__local const PAIR_T*)from, a);
#endif
}

// A larger factor, which is read from local memory for several fibres at a time.
HERON_FN void kron_wide_stage(__local CT* tile, __local const CT* factor, int lane, const int step) {
#pragma unroll 1
    for (int q = lane; q < SIZE / N; q += FIBRES * TEAM) {
        __local CT* at[FIBRES];
        CT v[FIBRES][LENGTH];
#pragma unroll
        for (int c = 0; c < FIBRES; ++c) {
            // A fibre that is not there is another view of the first, which only its owner stores.
            const int own = q + c * TEAM < SIZE / N ? q + c * TEAM : q;
            at[c] = tile + PLACE(own / step * (step * N) + own % step);
            kron_read_fibre(v[c], at[c], step, N);
        }
#pragma unroll
        for (int i = 0; i < N; i += WIDE) {
            CT sum[FIBRES][WIDE];
#pragma unroll
            for (int j = 0; j < N; ++j) {
                CT a[WIDE];
                kron_read_column(a, factor + j * N + i);
#pragma unroll
                for (int c = 0; c < FIBRES; ++c)
#pragma unroll
                    for (int w = 0; w < WIDE; ++w)
                        sum[c][w] = j == 0 ? MUL(CT, a[w], v[c][0]) : MAD(CT, a[w], v[c][j], sum[c][w]);
            }
#pragma unroll
            for (int c = 0; c < FIBRES; ++c) {
                if (q + c * TEAM >= SIZE / N) continue;
                if (HAS_GAPS && step == 1 && WIDE == QUAD) {
                    *(__local QUAD_T*)(at[c] + PLACE(i)) = GET_QUAD(sum[c]);
                } else {
#pragma unroll
                    for (int w = 0; w < WIDE; ++w) at[c][PLACE((i + w) * step)] = sum[c][w];
                }
            }
        }
    }
}

// Modes number*AT_ONCE and up, counted from the last.
HERON_FN void kron_apply(__local CT* tile, __local const CT* factors, int lane, const int number,
                         const int step) {
    __local const CT* const last = factors + (MODES - 1 - number * AT_ONCE) * N * N;
    if (AT_ONCE == 1 && !KEEPS)
        kron_wide_stage(tile, last, lane, step);
    else
        kron_stage(tile, last, lane, step, AT_ONCE, LENGTH);
    barrier(CLK_LOCAL_MEM_FENCE);
}

HERON_FN void kron_stages(__local CT* tile, __local const CT* factors, int lane) {
    kron_apply(tile, factors, lane, 0, WIDTH);
#if MODES >= 2 * AT_ONCE
    kron_apply(tile, factors, lane, 1, WIDTH * LENGTH);
#endif
#if MODES >= 3 * AT_ONCE
    kron_apply(tile, factors, lane, 2, WIDTH * LENGTH * LENGTH);
#endif
#if MODES >= 4 * AT_ONCE
    kron_apply(tile, factors, lane, 3, WIDTH * LENGTH * LENGTH * LENGTH);
#endif
#if MODES >= 5 * AT_ONCE
    kron_apply(tile, factors, lane, 4, WIDTH * LENGTH * LENGTH * LENGTH * LENGTH);
#endif
#if MODES >= 6 * AT_ONCE
    kron_apply(tile, factors, lane, 5, WIDTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH);
#endif
#if MODES >= 7 * AT_ONCE
    kron_apply(tile, factors, lane, 6, WIDTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH);
#endif
#if MODES >= 8 * AT_ONCE
    kron_apply(tile, factors, lane, 7, WIDTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH * LENGTH);
#endif
#if MODES % AT_ONCE > 0
    kron_stage(tile, factors + (MODES % AT_ONCE - 1) * N * N, lane, SIZE / REST_LENGTH, MODES % AT_ONCE,
               REST_LENGTH);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// ---- copies ----

// Distance in a unit, which has fewer than 2^31 elements, from a tile's first element to element e.
HERON_FN int kron_offset(int e) { return WIDTH == 1 ? e : e / WIDTH * INNER + e % WIDTH; }

// Of a tile in its unit.
HERON_FN long kron_begin(long tile) {
    return WIDTH == 1 ? tile * SIZE
                      : tile / (INNER / WIDTH) * (SIZE / WIDTH) * INNER + tile % (INNER / WIDTH) * WIDTH;
}

#ifdef HERON_PTX
HERON_FN void kron_copy_quad(__local CT* to, GLOBAL const CT* from) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"l"((ulong)to), "l"((ulong)from)
                     : "memory");
}
HERON_FN void kron_copy_one(__local CT* to, GLOBAL const CT* from) {
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"l"((ulong)to), "l"((ulong)from),
                     "n"(sizeof(CT))
                     : "memory");
}
HERON_FN void kron_end_copies(void) { __asm__ volatile("cp.async.commit_group;" ::: "memory"); }
HERON_FN void kron_await_copies(void) {
    __asm__ volatile("cp.async.wait_group %0;" ::"n"(BUFFERS - 1) : "memory");
}
#else
HERON_FN void kron_copy_quad(__local CT* to, GLOBAL const CT* from) {
    *(__local QUAD_T*)to = *(GLOBAL const QUAD_T*)from;
}
HERON_FN void kron_copy_one(__local CT* to, GLOBAL const CT* from) { *to = *from; }
HERON_FN void kron_end_copies(void) {}
HERON_FN void kron_await_copies(void) {}
#endif

#ifdef DENSE

HERON_FN void kron_fetch_vectors(__local CT* to, GLOBAL const CT* from, int here, int item) {
    if (COPIED == QUAD && here == TEAMS) {
#pragma unroll 8
        for (int e = item * QUAD; e < CHUNK; e += GROUP * QUAD)
            kron_copy_quad(to + PLACE(e), from + kron_offset(e));
    } else {
#pragma unroll 8
        for (int e = item; e < here * SIZE; e += GROUP) kron_copy_one(to + PLACE(e), from + kron_offset(e));
    }
}

HERON_FN void kron_fetch_factors(__local CT* to, GLOBAL const CT* from, int here, int item) {
    if (FACTORS_COPIED == QUAD && here == FACTOR_SETS) {
#pragma unroll 8
        for (int e = item * QUAD; e < FACTOR_SETS * FACTOR_SIZE; e += GROUP * QUAD)
            kron_copy_quad(to + kron_factor_place(e), from + e);
    } else {
#pragma unroll 4
        for (int e = item; e < here * FACTOR_SIZE; e += GROUP)
            kron_copy_one(to + kron_factor_place(e), from + e);
    }
}

// Brings what results will be added to into the second-level cache.
HERON_FN void kron_prefetch(GLOBAL const CT* to, int here, int item) {
#ifdef HERON_PTX
    const int line = WIDTH > 1 && WIDTH < 128 / (int)sizeof(CT) ? WIDTH : 128 / (int)sizeof(CT);
    for (int e = item * line; e < here * SIZE; e += GROUP * line)
        __asm__ volatile("prefetch.global.L2 [%0];" ::"l"((ulong)(to + kron_offset(e))));
#endif
}

HERON_FN void kron_store_vectors(GLOBAL CT* to, __local const CT* from, int here, int item, CT alpha,
                                 CT beta) {
    const int adds = !EQUAL(CT, beta, ZERO(CT));
    if (COPIED == QUAD && here == TEAMS) {
        // What is read comes together, before anything is written.
#define STORED_AT_ONCE 4
        for (int first = item * QUAD; first < CHUNK; first += STORED_AT_ONCE * GROUP * QUAD) {
            QUAD_T before[STORED_AT_ONCE];
            if (adds) {
#pragma unroll
                for (int i = 0; i < STORED_AT_ONCE; ++i) {
                    const int e = first + i * GROUP * QUAD;
                    if (e < CHUNK) before[i] = *(GLOBAL const QUAD_T*)(to + kron_offset(e));
                }
            }
#pragma unroll
            for (int i = 0; i < STORED_AT_ONCE; ++i) {
                const int e = first + i * GROUP * QUAD;
                if (e >= CHUNK) continue;
                CT v[QUAD], b[QUAD];
                PUT_QUAD(*(__local const QUAD_T*)(from + PLACE(e)), v);
                if (adds) PUT_QUAD(before[i], b);
#pragma unroll
                for (int w = 0; w < QUAD; ++w) {
                    v[w] = kron_scaled(alpha, v[w]);
                    if (adds) v[w] = MAD(CT, beta, b[w], v[w]);
                }
                *(GLOBAL QUAD_T*)(to + kron_offset(e)) = GET_QUAD(v);
            }
        }
    } else {
#pragma unroll 4
        for (int e = item; e < here * SIZE; e += GROUP) {
            GLOBAL CT* const place = to + kron_offset(e);
            const CT value = kron_scaled(alpha, from[PLACE(e)]);
            *place = adds ? MAD(CT, beta, *place, value) : value;
        }
    }
}

// Whose factors are in local memory, and in which buffer.
typedef struct {
    long item;
    int buffer;
} kron_held;

// Starts the copies of the chunk that begins with this tile.
HERON_FN kron_held kron_fetch(kron_held held, long first, int here, __local CT* vectors, __local CT* factors,
                              const kron_parameters p, int item) {
    const long unit = first / TILES;
    GLOBAL const CT* const from = (GLOBAL const CT*)p.dense_in;
    kron_fetch_vectors(vectors,
                       WIDTH == 1 ? from + first * SIZE : from + unit * p.size + kron_begin(first % TILES),
                       here, item);
#ifdef SHARED
    const long owner = 0;
#else
    const long owner = p.first + unit;
#endif
    if (owner != held.item) {
        held.item = owner;
        held.buffer = (held.buffer + 1) % BUFFERS;
        kron_fetch_factors(factors + held.buffer * FACTOR_ROOM,
                           (GLOBAL const CT*)p.dense_factors + owner * p.factor_stride,
                           here < FACTOR_SETS ? here : FACTOR_SETS, item);
    }
    return held;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_kron_tiles(const kron_parameters p,
                                                                                  const CT host_alpha,
                                                                                  const CT host_beta,
                                                                                  __local QUAD_T* memory) {
    const CT alpha = kron_scalar(host_alpha, p.alpha), beta = kron_scalar(host_beta, p.beta);
    __local CT* const vectors = (__local CT*)memory;
    __local CT* const factors = vectors + BUFFERS * ROOM;
    const int item = get_local_id(0);
    const int slot = item / TEAM;
    const long total = p.units * TILES;
    const long chunks = (total + TEAMS - 1) / TEAMS;
    // Tiles of one unit are neighbours and share their factors.
    const long me = get_group_id(0), groups = get_num_groups(0);
    const long begin = TILES > 1 ? chunks / groups * me + chunks % groups * me / groups : me;
    const long end = TILES > 1 ? chunks / groups * (me + 1) + chunks % groups * (me + 1) / groups : chunks;
    const long stride = TILES > 1 ? 1 : groups;
    kron_held next = {-1, 0};
    int buffer = 0;
    if (BUFFERS == 2 && begin < end) {
        const int here = total - begin * TEAMS < TEAMS ? (int)(total - begin * TEAMS) : TEAMS;
        next = kron_fetch(next, begin * TEAMS, here, vectors, factors, p, item);
        kron_end_copies();
    }
    for (long chunk = begin; chunk < end; chunk += stride) {
        const long first = chunk * TEAMS;
        const int here = total - first < TEAMS ? (int)(total - first) : TEAMS;
        const long ahead = BUFFERS == 2 ? chunk + stride : chunk;
        const kron_held held = next;
        if (ahead < end) {
            const int most = total - ahead * TEAMS < TEAMS ? (int)(total - ahead * TEAMS) : TEAMS;
            next = kron_fetch(next, ahead * TEAMS, most, vectors + (BUFFERS - 1 - buffer) * ROOM, factors, p,
                              item);
        }
        kron_end_copies();
        GLOBAL CT* const out =
            (GLOBAL CT*)p.dense_out +
            (WIDTH == 1 ? first * SIZE : first / TILES * p.size + kron_begin(first % TILES));
        if (!EQUAL(CT, beta, ZERO(CT))) kron_prefetch(out, here, item);
        kron_await_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        __local const CT* const own = factors + (BUFFERS == 2 ? held.buffer : 0) * FACTOR_ROOM;
        kron_stages(vectors + buffer * ROOM + PLACE(slot * SIZE),
                    own + slot * (FACTOR_SETS > 1 ? FACTOR_STRIDE : 0), item % TEAM);
        kron_store_vectors(out, vectors + buffer * ROOM, here, item, alpha, beta);
        barrier(CLK_LOCAL_MEM_FENCE);
        buffer = BUFFERS - 1 - buffer;
    }
}

#else

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_kron_tiles(const kron_parameters p,
                                                                                  const CT host_alpha,
                                                                                  const CT host_beta,
                                                                                  __local QUAD_T* memory) {
    const CT alpha = kron_scalar(host_alpha, p.alpha), beta = kron_scalar(host_beta, p.beta);
    __local CT* const vectors = (__local CT*)memory;
    __local CT* const factors = vectors + ROOM;
    __local long* const in_address = (__local long*)(factors + FACTOR_ROOM);
    __local long* const out_address = in_address + TEAMS;
    __local long* const items = out_address + TEAMS;
    const int item = get_local_id(0);
    const int slot = item / TEAM;
    const long total = p.units * TILES;
    for (long first = (long)get_group_id(0) * TEAMS; first < total;
         first += (long)get_num_groups(0) * TEAMS) {
        const int here = total - first < TEAMS ? (int)(total - first) : TEAMS;
        for (int i = item; i < here; i += GROUP) {
            const long unit = (first + i) / TILES;
            const long begin = kron_begin((first + i) % TILES);
            const long k = (p.first + unit) / p.vectors;
            const long v = (p.first + unit) % p.vectors;
            GLOBAL CT* const source =
                p.in_is_chunk ? kron_locate(p.in, unit) : kron_locate(p.in, k) + v * p.in_vector;
            GLOBAL CT* const target =
                p.out_is_chunk ? kron_locate(p.out, unit) : kron_locate(p.out, k) + v * p.out_vector;
            in_address[i] = (long)(source + begin * p.in_step);
            out_address[i] = (long)(target + begin * p.out_step);
            items[i] = k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (int e = item; e < here * SIZE; e += GROUP)
            vectors[PLACE(e)] = ((GLOBAL const CT*)in_address[e / SIZE])[kron_offset(e % SIZE) * p.in_step];
#pragma unroll
        for (int m = 0; m < MODES; ++m) {
            const kron_factor factor = p.factors[m];
            for (int e = item; e < here * N * N; e += GROUP) {
                const int i = e % (N * N);
                const CT value = kron_locate(
                    factor.a, items[e / (N * N)])[i % N * factor.row_step + i / N * factor.column_step];
                factors[e / (N * N) * FACTOR_STRIDE + (MODES - 1 - m) * N * N + i] =
                    factor.conjugate ? CONJ(CT, value) : value;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        kron_stages(vectors + PLACE(slot * SIZE), factors + slot * FACTOR_STRIDE, item % TEAM);
#pragma unroll 4
        for (int e = item; e < here * SIZE; e += GROUP)
            kron_finish_element((GLOBAL CT*)out_address[e / SIZE] + kron_offset(e % SIZE) * p.out_step,
                                vectors[PLACE(e)], alpha, beta, (int)p.atomic);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
