// Kronecker products of factors N x N. Defined are CT, the element, and N; for heron_kron_tiles also MODES that a pass applies,
// WIDTH neighbours that none of them touches, SIZE of a tile, TEAM work-items that share a tile and TEAMS of a group.
//
// On a GPU a work-group holds tiles in local memory and applies all factors of a pass to them in place; a work-item takes whole
// fibres, those of several factors at once where these are small. A small item has a team of fewer work-items, so that a
// group holds several. On a processor (heron_kron_items) a work-item takes items one after the other through its core's
// cache, with vectors over neighbouring fibres or over the rows of a factor.

#define GROUP 128
#define MOST_MODES 8

// These mirror opencl_kron.cpp. Addresses are numbers, since a structure among a kernel's arguments holds no pointers.
typedef struct {
    long base, list, kind, stride, list_step;
} kron_operand;
typedef struct {
    kron_operand a;
    long row_step, column_step, conjugate;
} kron_factor;
typedef struct {
    kron_factor factors[MOST_MODES];  // of the pass, the last one first
    kron_operand in, out;
    long in_is_chunk, out_is_chunk, in_step, in_vector, out_step, out_vector;
    long modes, n, inner, tiles, first, units, vectors, size, atomic;
} kron_parameters;

HERON_FN GLOBAL CT* kron_locate(kron_operand o, long k) {
    if (o.kind == 1) return (GLOBAL CT*)((GLOBAL const long*)o.list)[k * o.list_step];
    if (o.kind == 2) k = ((GLOBAL const int*)o.list)[k * o.list_step];
    if (o.kind == 3) k = ((GLOBAL const long*)o.list)[k * o.list_step];
    return (GLOBAL CT*)o.base + k * o.stride;
}

HERON_FN void kron_finish_element(GLOBAL CT* to, CT w, CT alpha, CT beta, int atomic) {
    const CT value = MUL(CT, alpha, w);
    if (atomic) {
        ATOMIC_ADD(CT, to, 0, value);
    } else if (EQUAL(CT, beta, ZERO(CT))) {
        *to = value;
    } else {
        *to = MAD(CT, beta, *to, value);
    }
}

// ---- tiles in local memory ----

// Processors have a kernel of their own below, and some of their compilers stumble over these barriers.
#ifdef HERON_GPU

#if N == 2
#define FUSED 3
#define LENGTH 8
#elif N == 3
#define FUSED 2
#define LENGTH 9
#elif N == 4
#define FUSED 2
#define LENGTH 16
#else
#define FUSED 1
#define LENGTH N
#endif

#define FACTOR_SIZE (MODES * N * N)
// Odd, so that the teams of a group meet different banks.
#define FACTOR_STRIDE (FACTOR_SIZE | 1)

// The bank of an element depends on its row as well, for N = 2^p: else fibres would lie in few banks.
HERON_FN int kron_place(int element) {
#if N == 2 || N == 4 || N == 8 || N == 16
    const int columns = 128 / (int)sizeof(CT);
    const int row = element / columns;
    return element ^ ((row ^ (row << 1) ^ (row << 2)) & (columns - 1));
#else
    return element;
#endif
}

// `count` factors at once, fibres of `length` elements that lie `step` apart; all are constants.
#define KRON_STAGE(count, length)                                                                   \
    for (int q = lane; q < SIZE / (length); q += TEAM) {                                            \
        const int from = begin + q / step * (step * (length)) + q % step;                           \
        CT v[length];                                                                               \
        for (int j = 0; j < (length); ++j) v[j] = tiles[kron_place(from + j * step)];               \
        int apart = 1;                                                                              \
        for (int g = 0; g < (count); ++g) {                                                         \
            for (int f = 0; f < (length) / N; ++f) {                                                \
                const int first = f / apart * (apart * N) + f % apart;                              \
                CT sum[N];                                                                          \
                for (int i = 0; i < N; ++i) {                                                       \
                    sum[i] = MUL(CT, a[g * N * N + i], v[first]);                                   \
                    for (int j = 1; j < N; ++j)                                                     \
                        sum[i] = MAD(CT, a[(g * N + j) * N + i], v[first + j * apart], sum[i]);     \
                }                                                                                   \
                for (int i = 0; i < N; ++i) v[first + i * apart] = sum[i];                          \
            }                                                                                       \
            apart *= N;                                                                             \
        }                                                                                           \
        for (int j = 0; j < (length); ++j) tiles[kron_place(from + j * step)] = v[j];               \
    }

HERON_FN void kron_one_stage(__local CT* tiles, int begin, __local const CT* a, int lane, int step) {
    KRON_STAGE(1, N)
}

#if FUSED > 1
HERON_FN void kron_fused_stage(__local CT* tiles, int begin, __local const CT* a, int lane, int step) {
    KRON_STAGE(FUSED, LENGTH)
}
#endif

// Distance in an item from the tile's first element to element e.
HERON_FN long kron_offset(int e, long inner) { return WIDTH == 1 ? e : e / WIDTH * inner + e % WIDTH; }

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_kron_tiles(const kron_parameters p, const CT alpha,
                                                                                  const CT beta) {
    __local CT tiles[TEAMS * SIZE];
    __local CT factors[TEAMS * FACTOR_STRIDE];
    __local long in_address[TEAMS];
    __local long out_address[TEAMS];
    __local long items[TEAMS];
    __local int widths[TEAMS];
    const int item = get_local_id(0);
    const int slot = item / TEAM;
    const int lane = item % TEAM;
    const long total = p.units * p.tiles;
    const long stride = (long)get_num_groups(0) * TEAMS;
    for (long first = (long)get_group_id(0) * TEAMS; first < total; first += stride) {
        const int here = total - first < TEAMS ? (int)(total - first) : TEAMS;
        for (int i = item; i < here; i += GROUP) {
            const long number = first + i;
            const long unit = number / p.tiles;
            const long tile = number % p.tiles;
            const long u = p.first + unit;
            const long k = u / p.vectors;
            const long v = u % p.vectors;
            long begin = tile * SIZE;
            int columns = 1;
            if (WIDTH > 1) {
                const long runs = (p.inner + WIDTH - 1) / WIDTH;
                const long column = tile % runs * WIDTH;
                begin = tile / runs * (SIZE / WIDTH) * p.inner + column;
                columns = p.inner - column < WIDTH ? (int)(p.inner - column) : WIDTH;
            }
            GLOBAL CT* const source = p.in_is_chunk ? kron_locate(p.in, unit) : kron_locate(p.in, k) + v * p.in_vector;
            GLOBAL CT* const target = p.out_is_chunk ? kron_locate(p.out, unit) : kron_locate(p.out, k) + v * p.out_vector;
            in_address[i] = (long)(source + begin * p.in_step);
            out_address[i] = (long)(target + begin * p.out_step);
            items[i] = k;
            widths[i] = columns;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (int i = item; i < here * SIZE; i += GROUP) {
            const int owner = i / SIZE;
            const int e = i % SIZE;
            if (WIDTH == 1 || e % WIDTH < widths[owner])
                tiles[kron_place(i)] = ((GLOBAL const CT*)in_address[owner])[kron_offset(e, p.inner) * p.in_step];
        }
#pragma unroll 2
        for (int i = item; i < here * FACTOR_SIZE; i += GROUP) {
            const int owner = i / FACTOR_SIZE;
            const int e = i % (N * N);
            const kron_factor factor = p.factors[i % FACTOR_SIZE / (N * N)];
            const CT value = kron_locate(factor.a, items[owner])[e % N * factor.row_step + e / N * factor.column_step];
            factors[owner * FACTOR_STRIDE + i % FACTOR_SIZE] = factor.conjugate ? CONJ(CT, value) : value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local const CT* const a = factors + slot * FACTOR_STRIDE;
        int step = WIDTH;
        int mode = 0;
#if FUSED > 1
#pragma unroll
        for (; mode + FUSED <= MODES; mode += FUSED) {
            if (slot < here) kron_fused_stage(tiles, slot * SIZE, a + mode * N * N, lane, step);
            step *= LENGTH;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
#pragma unroll
        for (; mode < MODES; ++mode) {
            if (slot < here) kron_one_stage(tiles, slot * SIZE, a + mode * N * N, lane, step);
            step *= N;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll 4
        for (int i = item; i < here * SIZE; i += GROUP) {
            const int owner = i / SIZE;
            const int e = i % SIZE;
            if (WIDTH == 1 || e % WIDTH < widths[owner])
                kron_finish_element((GLOBAL CT*)out_address[owner] + kron_offset(e, p.inner) * p.out_step,
                                    tiles[kron_place(i)], alpha, beta, (int)p.atomic);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

// ---- items in a core's cache ----

#define heron_lanes_f32 16
#define heron_lanes_f64 8
#define heron_lanes_c32 0
#define heron_lanes_c64 0
#define LANES HERON_NAME1(heron_lanes, CT)

#if LANES > 0
typedef float16 heron_vector_f32;
#define heron_get_f32(p) vload16(0, p)
#define heron_put_f32(v, p) vstore16(v, 0, p)
typedef float4 heron_short_f32;
typedef float8 heron_eight_f32;
#ifdef heron_zero_f64
typedef double8 heron_vector_f64;
#define heron_get_f64(p) vload8(0, p)
#define heron_put_f64(v, p) vstore8(v, 0, p)
typedef double4 heron_short_f64;
typedef double8 heron_eight_f64;
#endif
#define VECTOR HERON_NAME1(heron_vector, CT)
#define GET(p) HERON_NAME1(heron_get, CT)(p)
#define PUT(v, p) HERON_NAME1(heron_put, CT)(v, p)
#define SHORT HERON_NAME1(heron_short, CT)
#define SHORT_LANES 4

// N is 0 in the program for factors of any size up to MOST_N.
#if N > 0
#define MOST_N N
#else
#define MOST_N 16
#endif
#define COLUMN ((MOST_N + LANES - 1) / LANES * LANES)

// out[o, i, f] := sum over j of a[j][i]*in[o, j, f]. A vector that is longer than a run writes into what its successors
// overwrite; buffers have room for one vector behind their last element.
HERON_FN void kron_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n, long outer, long inner) {
    for (long o = 0; o < outer; ++o) {
        for (long k = 0; k < inner; k += LANES) {
            const long at = o * n * inner + (k + LANES <= inner || inner < LANES ? k : inner - LANES);
            VECTOR v[MOST_N];
            for (int j = 0; j < n; ++j) v[j] = GET(in + at + j * inner);
            for (int i = 0; i < n; ++i) {
                VECTOR sum = a[i] * v[0];
                for (int j = 1; j < n; ++j) sum += a[j * COLUMN + i] * v[j];
                PUT(sum, out + at + i * inner);
            }
        }
    }
}

// The same for runs that a short vector covers.
HERON_FN void kron_short_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n, long outer,
                                long inner) {
    for (long o = 0; o < outer; ++o) {
        const long at = o * n * inner;
        SHORT v[MOST_N];
        for (int j = 0; j < n; ++j) v[j] = vload4(0, in + at + j * inner);
        for (int i = 0; i < n; ++i) {
            SHORT sum = a[i] * v[0];
            for (int j = 1; j < n; ++j) sum += a[j * COLUMN + i] * v[j];
            vstore4(sum, 0, out + at + i * inner);
        }
    }
}

HERON_FN void kron_rows(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n, long outer) {
    for (long o = 0; o < outer; ++o) {
        for (int i = 0; i < n; i += LANES) {
            VECTOR sum = in[o * n] * GET(a + i);
            for (int j = 1; j < n; ++j) sum += in[o * n + j] * GET(a + j * COLUMN + i);
            PUT(sum, out + o * n + i);
        }
    }
}

HERON_FN void kron_short_rows(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n, long outer) {
    for (long o = 0; o < outer; ++o) {
        SHORT sum = in[o * n] * vload4(0, a);
        for (int j = 1; j < n; ++j) sum += in[o * n + j] * vload4(0, a + j * COLUMN);
        vstore4(sum, 0, out + o * n);
    }
}

HERON_FN void kron_turn(GLOBAL const CT* in, GLOBAL CT* out, const CT* a, int n, long outer, long inner) {
    if (inner == 1 && n <= SHORT_LANES) kron_short_rows(in, out, a, n, outer);
    else if (inner == 1) kron_rows(in, out, a, n, outer);
    else if (inner <= SHORT_LANES) kron_short_fibres(in, out, a, n, outer, inner);
    else kron_fibres(in, out, a, n, outer, inner);
}

#if N == 2
// The last three factors at once.
HERON_FN void kron_pairs(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* factors, long size) {
    typedef HERON_NAME1(heron_eight, CT) eight;
    const CT* const a = factors;
    const CT* const b = factors + N * COLUMN;
    const CT* const c = factors + 2 * N * COLUMN;
    const CT a0 = a[0], a1 = a[COLUMN + 1], a2 = a[COLUMN], a3 = a[1];
    const CT b0 = b[0], b1 = b[COLUMN + 1], b2 = b[COLUMN], b3 = b[1];
    const CT c0 = c[0], c1 = c[COLUMN + 1], c2 = c[COLUMN], c3 = c[1];
    for (long e = 0; e < size; e += 8) {
        eight v = vload8(0, in + e);
        v = (eight)(c0, c0, c0, c0, c1, c1, c1, c1) * v + (eight)(c2, c2, c2, c2, c3, c3, c3, c3) * v.s45670123;
        v = (eight)(b0, b0, b1, b1, b0, b0, b1, b1) * v + (eight)(b2, b2, b3, b3, b2, b2, b3, b3) * v.s23016745;
        v = (eight)(a0, a1, a0, a1, a0, a1, a0, a1) * v + (eight)(a2, a3, a2, a3, a2, a3, a2, a3) * v.s10325476;
        vstore8(v, 0, out + e);
    }
}
#endif

HERON_FN void kron_finish_item(GLOBAL const CT* restrict w, GLOBAL CT* restrict y, long size, long step, CT alpha, CT beta,
                               int atomic) {
    long e = 0;
    if (step == 1 && !atomic) {
        if (beta == 0) {
            for (; e + LANES <= size; e += LANES) PUT(alpha * GET(w + e), y + e);
        } else {
            for (; e + LANES <= size; e += LANES) PUT(alpha * GET(w + e) + beta * GET(y + e), y + e);
        }
    }
    for (; e < size; ++e) kron_finish_element(y + e * step, w[e], alpha, beta, atomic);
}

// Work-item i takes its share of the units; its two buffers begin at work + i*2*buffer.
__kernel void heron_kron_items(const kron_parameters p, const CT alpha, const CT beta, GLOBAL CT* work, const long buffer) {
#if N > 0
    const int n = N;
#else
    const int n = (int)p.n;
#endif
    const long id = get_global_id(0);
    const long members = get_global_size(0);
    CT factors[MOST_MODES * MOST_N * COLUMN];
    long packed[MOST_MODES];
    for (int f = 0; f < MOST_MODES; ++f) packed[f] = 0;
    for (int e = 0; e < MOST_MODES * MOST_N * COLUMN; ++e) factors[e] = 0;
    GLOBAL CT* const first = work + id * 2 * buffer;
    GLOBAL CT* const second = first + buffer;
    const long begin = p.units / members * id + p.units % members * id / members;
    const long end = p.units / members * (id + 1) + p.units % members * (id + 1) / members;
    for (long u = begin; u < end; ++u) {
        const long k = u / p.vectors;
        const long v = u % p.vectors;
        for (int f = 0; f < p.modes; ++f) {
            GLOBAL const CT* const a = kron_locate(p.factors[f].a, k);
            if (packed[f] == (long)a) continue;
            packed[f] = (long)a;
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i)
                    factors[(f * MOST_N + j) * COLUMN + i] = a[i * p.factors[f].row_step + j * p.factors[f].column_step];
        }
        GLOBAL const CT* const x = kron_locate(p.in, k) + v * p.in_vector;
        GLOBAL CT* const y = kron_locate(p.out, k) + v * p.out_vector;
        long outer = 1;
        long inner = p.size / n;
        GLOBAL const CT* in = x;
#if N == 2
        const int turns = p.modes > 2 ? (int)p.modes - 3 : (int)p.modes;
        const int copies = p.in_step != 1 || (inner < LANES && turns > 0);
#else
        const int turns = (int)p.modes;
        const int copies = p.in_step != 1 || inner < LANES;
#endif
        if (copies) {
            for (long e = 0; e < p.size; ++e) first[e] = x[e * p.in_step];
            in = first;
        }
        for (int f = (int)p.modes - 1; f >= (int)p.modes - turns; --f) {
            GLOBAL CT* const out = in == first ? second : first;
            kron_turn(in, out, factors + f * MOST_N * COLUMN, n, outer, inner);
            outer *= n;
            inner /= n;
            in = out;
        }
#if N == 2
        if (p.modes > turns) {
            GLOBAL CT* const out = in == first ? second : first;
            kron_pairs(in, out, factors, p.size);
            in = out;
        }
#endif
        kron_finish_item(in, y, p.size, p.out_step, alpha, beta, (int)p.atomic);
    }
}
#endif
