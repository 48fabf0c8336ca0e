// Kronecker products on GPUs of items that fit the registers of a work-group, but not its local memory. A
// work-item holds PLANES planes: all elements along the first mode and along one other, whose factor is next,
// at one place in the remaining modes. Places are numbered with the last of those modes fastest. Results of a
// factor go through local memory, FIBRES indices of the first mode at a time, and come back as planes of the
// next mode. The factors' order is the first, the second, the last one, and from there down to the third:
// neighbours in memory are work-items' neighbours when an item is read and when it is written.
//
// Defined are also: MODES >= 4, COUNT = N^(MODES - 2) planes, GROUP work-items, QUAD elements of 16 bytes;
// fibres that share what is read of a factor: FIBRES between two modes, ENDS <= FIBRES before and after; SLAB
// elements of local memory for one index of the first mode; STEPS where operands' elements are not
// neighbours.

#define BANKS (128 / (int)sizeof(CT))
#define COLUMN ((N + QUAD - 1) / QUAD * QUAD)
#define FACTOR_ROOM (MODES * N * COLUMN)
#define RUN (COUNT / N)
#ifdef STEPS
#define STEP(step) (step)
#else
#define STEP(step) 1
#endif

// A function that was unrolled on its own would be too long to be inlined, and arrays that it is given stay
// in memory.
#define HELD_FN __attribute__((always_inline)) HERON_FN

// What indexes registers must be unrolled. Compilers of processors would take minutes for it.
#ifdef HERON_GPU
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("unroll 1")
#endif

// A work-item without a plane computes the last one as well, and writes nothing.
HERON_FN int kron_has(int item, const int p) { return PLANES * GROUP == COUNT || item + p * GROUP < COUNT; }
HERON_FN int kron_place(int item, const int p) { return kron_has(item, p) ? item + p * GROUP : COUNT - 1; }

HELD_FN void kron_read_planes(CT held[PLANES][N * N], GLOBAL const CT* x, long step, int item) {
    UNROLLED
    for (int k = 0; k < N; ++k)
#pragma unroll
        for (int b = 0; b < N; ++b)
#pragma unroll
            for (int p = 0; p < PLANES; ++p)
                held[p][b * N + k] = x[((b * N + k) * COUNT + kron_place(item, p)) * STEP(step)];
}

// A work-item's share of the factors' elements, by columns.
#define SHARE ((MODES * N * N + GROUP - 1) / GROUP)

HERON_FN void kron_read_factors(CT values[SHARE], const kron_parameters p, long k, int item) {
#pragma unroll
    for (int t = 0; t < SHARE; ++t) {
        const int e = item + t * GROUP;
#pragma unroll
        for (int m = 0; m < MODES; ++m) {
            const kron_factor factor = p.factors[MODES - 1 - m];
            if (e / (N * N) != m) continue;
            const CT value =
                kron_locate(factor.a, k)[e % N * factor.row_step + e / N % N * factor.column_step];
            values[t] = factor.conjugate ? CONJ(CT, value) : value;
        }
    }
}

// Row i, column j of factor m lies at (m*N + j)*COLUMN + i.
HERON_FN void kron_write_factors(__local CT* factors, const CT values[SHARE], int item) {
#pragma unroll
    for (int t = 0; t < SHARE; ++t) {
        const int e = item + t * GROUP;
        if (e < MODES * N * N) factors[e / N * COLUMN + e % N] = values[t];
    }
}

// QUAD rows of a factor on fibres `first`, first + next, ... of each plane, whose elements are `step` apart.
// What is read of the factor is read every time: there are no registers to keep it.
HELD_FN void kron_rows(CT sum[FIBRES][PLANES][QUAD], CT held[PLANES][N * N], __local const CT* rows,
                       const int first, const int next, const int step, const int fibres) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
        CT a[QUAD];
        PUT_QUAD(*(volatile __local const QUAD_T*)(rows + j * COLUMN), a);
#pragma unroll
        for (int f = 0; f < FIBRES; ++f)
#pragma unroll
            for (int p = 0; p < PLANES; ++p)
#pragma unroll
                for (int w = 0; w < QUAD; ++w) {
                    if (f >= fibres) continue;
                    const CT v = held[p][first + f * next + j * step];
                    sum[f][p][w] = j == 0 ? MUL(CT, a[w], v) : MAD(CT, a[w], v, sum[f][p][w]);
                }
    }
}

// All rows of a factor.
HELD_FN void kron_results(CT result[FIBRES][PLANES][COLUMN], CT held[PLANES][N * N], __local const CT* factor,
                          const int first, const int next, const int step, const int fibres) {
#pragma unroll
    for (int i = 0; i < N; i += QUAD) {
        CT sum[FIBRES][PLANES][QUAD];
        kron_rows(sum, held, factor + i, first, next, step, fibres);
#pragma unroll
        for (int f = 0; f < FIBRES; ++f)
#pragma unroll
            for (int p = 0; p < PLANES; ++p)
#pragma unroll
                for (int w = 0; w < QUAD; ++w)
                    if (f < fibres) result[f][p][i + w] = sum[f][p][w];
    }
}

// The first mode's turn, in place.
HELD_FN void kron_first_mode(CT held[PLANES][N * N], __local const CT* factor) {
    UNROLLED
    for (int k = 0; k < N; k += ENDS) {
        const int fibres = N - k < ENDS ? N - k : ENDS;
        CT result[FIBRES][PLANES][COLUMN];
        kron_results(result, held, factor, k, 1, N, fibres);
#pragma unroll
        for (int f = 0; f < FIBRES; ++f)
#pragma unroll
            for (int p = 0; p < PLANES; ++p)
#pragma unroll
                for (int i = 0; i < N; ++i)
                    if (f < fibres) held[p][i * N + k + f] = result[f][p][i];
    }
}

// A factor's turn. Index i of its mode is written at to + i*row, and index k of the next mode read at from +
// k*step.
HELD_FN void kron_turn(CT held[PLANES][N * N], __local const CT* factor, __local CT* slabs, const int* to,
                       const int* from, const int row, const int step, int item) {
    UNROLLED
    for (int b = 0; b < N; b += FIBRES) {
        const int fibres = N - b < FIBRES ? N - b : FIBRES;
#pragma unroll
        for (int i = 0; i < N; i += QUAD) {
            CT sum[FIBRES][PLANES][QUAD];
            kron_rows(sum, held, factor + i, b * N, N, 1, fibres);
#pragma unroll
            for (int f = 0; f < FIBRES; ++f)
#pragma unroll
                for (int p = 0; p < PLANES; ++p)
#pragma unroll
                    for (int w = 0; w < QUAD; ++w)
                        if (f < fibres && i + w < N && kron_has(item, p))
                            slabs[f * SLAB + to[p] + (i + w) * row] = sum[f][p][w];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int f = 0; f < FIBRES; ++f)
#pragma unroll
            for (int p = 0; p < PLANES; ++p)
#pragma unroll
                for (int k = 0; k < N; ++k)
                    if (f < fibres) held[p][(b + f) * N + k] = slabs[f * SLAB + from[p] + k * step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// From planes of the second mode to planes of the last one: every place's last index goes, and the second
// mode's comes in front. Odd runs meet all banks.
HELD_FN void kron_turn_to_last(CT held[PLANES][N * N], __local const CT* factor, __local CT* slabs,
                               int item) {
    int to[PLANES], from[PLANES];
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const int place = kron_place(item, p);
        to[p] = place / N * (N | 1) + place % N;
        from[p] = place * (N | 1);
    }
    kron_turn(held, factor, slabs, to, from, RUN * (N | 1), 1, item);
}

// From planes of a mode to those of the mode before it: in places, whose indices of it are `step` apart, one
// comes for the other. Rows lie so that neighbours meet all banks in both.
HELD_FN void kron_turn_down(CT held[PLANES][N * N], __local const CT* factors, __local CT* slabs,
                            const int mode, const int step, int item) {
    const int row = COUNT + (step % BANKS + BANKS - COUNT % BANKS) % BANKS;
    int to[PLANES], from[PLANES];
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        to[p] = kron_place(item, p);
        from[p] = to[p] + to[p] / step % N * (row - step);
    }
    kron_turn(held, factors + mode * N * COLUMN, slabs, to, from, row, step, item);
}

// Brings what results will be added to into the second-level cache.
HERON_FN void kron_prefetch(GLOBAL const CT* y, int item) {
#if defined(HERON_PTX) && !defined(STEPS)
    for (int e = item * BANKS; e < N * N * COUNT; e += GROUP * BANKS)
        __asm__ volatile("prefetch.global.L2 [%0];" ::"l"((ulong)(y + e)));
#endif
}

// Where results for index b of the first mode and i of the third go, from the place's first one on.
#define RESULT(b, i) (((b)*N * COUNT + (i)*RUN) * STEP(step))

HELD_FN void kron_read_results(CT y[FIBRES][PLANES][N], GLOBAL CT** at, long step, const int b,
                               const int fibres, int reads) {
#pragma unroll
    for (int f = 0; f < FIBRES; ++f)
#pragma unroll
        for (int p = 0; p < PLANES; ++p)
#pragma unroll
            for (int i = 0; i < N; ++i) y[f][p][i] = ZERO(CT);
    if (!reads) return;
#pragma unroll
    for (int f = 0; f < FIBRES; ++f)
#pragma unroll
        for (int p = 0; p < PLANES; ++p)
#pragma unroll
            for (int i = 0; i < N; ++i)
                if (f < fibres) y[f][p][i] = at[p][RESULT(b + f, i)];
}

HELD_FN void kron_add_results(CT result[FIBRES][PLANES][COLUMN], GLOBAL CT** at, long step, const int b,
                              const int fibres, CT alpha, int item) {
#pragma unroll
    for (int f = 0; f < FIBRES; ++f)
#pragma unroll
        for (int p = 0; p < PLANES; ++p)
#pragma unroll
            for (int i = 0; i < N; ++i)
                if (f < fibres && kron_has(item, p))
                    ATOMIC_ADD(CT, at[p], RESULT(b + f, i), kron_scaled(alpha, result[f][p][i]));
}

HELD_FN void kron_write_results(CT result[FIBRES][PLANES][COLUMN], CT y[FIBRES][PLANES][N], GLOBAL CT** at,
                                long step, const int b, const int fibres, CT alpha, CT beta, int item) {
#pragma unroll
    for (int f = 0; f < FIBRES; ++f)
#pragma unroll
        for (int p = 0; p < PLANES; ++p)
#pragma unroll
            for (int i = 0; i < N; ++i)
                if (f < fibres && kron_has(item, p))
                    at[p][RESULT(b + f, i)] = MAD(CT, beta, y[f][p][i], kron_scaled(alpha, result[f][p][i]));
}

// The third mode's turn, whose results are Y's.
HELD_FN void kron_finish_planes(CT held[PLANES][N * N], __local const CT* factor, GLOBAL CT* y, long step,
                                CT alpha, CT beta, int atomic, int adds, int item) {
    GLOBAL CT* at[PLANES];
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const int place = kron_place(item, p);
        at[p] = y + (place / RUN * COUNT + place % RUN) * STEP(step);
    }
    UNROLLED
    for (int b = 0; b < N; b += ENDS) {
        const int fibres = N - b < ENDS ? N - b : ENDS;
        CT before[FIBRES][PLANES][N], result[FIBRES][PLANES][COLUMN];
        // Read together, before anything is written.
        kron_read_results(before, at, step, b, fibres, adds);
        kron_results(result, held, factor, b * N, N, 1, fibres);
        if (atomic)
            kron_add_results(result, at, step, b, fibres, alpha, item);
        else
            kron_write_results(result, before, at, step, b, fibres, alpha, beta, item);
    }
}

// A work-group has one item's vector, number p.first and up.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_kron_held(const kron_parameters p,
                                                                                 const CT host_alpha,
                                                                                 const CT host_beta,
                                                                                 __local QUAD_T* memory) {
    const CT alpha = kron_scalar(host_alpha, p.alpha), beta = kron_scalar(host_beta, p.beta);
    const int adds = !p.atomic && !EQUAL(CT, beta, ZERO(CT));
    __local CT* const factors = (__local CT*)memory;
    __local CT* const slabs = factors + FACTOR_ROOM;
    const int item = get_local_id(0);
    const long unit = p.first + get_group_id(0);
    const long k = unit / p.vectors;
    const long v = unit % p.vectors;
    GLOBAL CT* const y = kron_locate(p.out, k) + v * p.out_vector;
    CT held[PLANES][N * N], values[SHARE];
    kron_read_factors(values, p, k, item);
    kron_read_planes(held, kron_locate(p.in, k) + v * p.in_vector, p.in_step, item);
    kron_write_factors(factors, values, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    kron_first_mode(held, factors);
    kron_turn_to_last(held, factors + N * COLUMN, slabs, item);
#if MODES > 7
    kron_turn_down(held, factors, slabs, 7, COUNT / (N * N * N * N * N * N), item);
#endif
#if MODES > 6
    kron_turn_down(held, factors, slabs, 6, COUNT / (N * N * N * N * N), item);
#endif
#if MODES > 5
    kron_turn_down(held, factors, slabs, 5, COUNT / (N * N * N * N), item);
#endif
#if MODES > 4
    kron_turn_down(held, factors, slabs, 4, COUNT / (N * N * N), item);
#endif
    if (adds) kron_prefetch(y, item);
    kron_turn_down(held, factors, slabs, 3, COUNT / (N * N), item);
    kron_finish_planes(held, factors + 2 * N * COLUMN, y, p.out_step, alpha, beta, (int)p.atomic, adds, item);
}
