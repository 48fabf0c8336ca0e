// Kronecker products of factors N x N. Types: CT element; N; BYTES of local memory for tiles.
//
// On a GPU a work-group holds tiles in local memory and applies all factors of a pass to them in place; a work-item takes whole
// fibres, those of several factors at once where these are small. A small item has a team of fewer work-items, so that a
// group holds several. On a processor (heron_kron_items) a work-item takes items one after the other through its core's
// cache, with vectors over neighbouring fibres or over the rows of a factor.

#define GROUP 128
#define MODES 8
#define FACTOR_BYTES 8192

// These mirror opencl_kron.cpp. Addresses are numbers, since a structure among a kernel's arguments holds no pointers.
typedef struct {
    long base, list, kind, stride, list_step;
} kron_operand;
typedef struct {
    kron_operand a;
    long row_step, column_step, conjugate;
} kron_factor;
typedef struct {
    kron_factor factors[MODES];  // of the pass, the last one first
    kron_operand in, out;
    long in_is_chunk, out_is_chunk, in_step, in_vector, out_step, out_vector;
    long modes, outer, inner, width, tiles, first, units, vectors, size, team, teams, factor_stride, atomic;
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

// `count` factors at once, fibres of `length` elements that lie `step` apart; count and length are constants.
#define KRON_STAGE(count, length)                                                                   \
    for (int q = lane; q < size / (length); q += team) {                                            \
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

HERON_FN void kron_one_stage(__local CT* tiles, int begin, __local const CT* a, int lane, int team, int size, int step) {
    KRON_STAGE(1, N)
}

#if FUSED > 1
HERON_FN void kron_fused_stage(__local CT* tiles, int begin, __local const CT* a, int lane, int team, int size, int step) {
    KRON_STAGE(FUSED, LENGTH)
}
#endif

// Distance in an item from the tile's first element to element e.
HERON_FN long kron_offset(int e, long width, long inner) { return width == 1 ? e : e / (int)width * inner + e % (int)width; }

// Processors have a kernel of their own below, and some of their compilers stumble over these barriers.
#ifdef HERON_GPU
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_kron_tiles(const kron_parameters p, const CT alpha,
                                                                                  const CT beta) {
    __local CT tiles[BYTES / sizeof(CT)];
    __local CT factors[FACTOR_BYTES / sizeof(CT)];
    __local long in_address[GROUP];
    __local long out_address[GROUP];
    __local int widths[GROUP];
    const int item = get_local_id(0);
    const int team = (int)p.team;
    const int slot = item / team;
    const int lane = item % team;
    const int size = (int)p.size;
    const int width = (int)p.width;
    const long total = p.units * p.tiles;
    const long stride = (long)get_num_groups(0) * p.teams;
    for (long first = (long)get_group_id(0) * p.teams; first < total; first += stride) {
        const long number = first + slot;
        if (slot < p.teams) {
            long from = 0;
            long to = 0;
            int columns = 1;
            if (number < total) {
                const long unit = number / p.tiles;
                const long tile = number % p.tiles;
                const long u = p.first + unit;
                const long k = u / p.vectors;
                const long v = u % p.vectors;
                long begin = tile * size;
                if (width > 1) {
                    const long runs = (p.inner + width - 1) / width;
                    const long column = tile % runs * width;
                    begin = tile / runs * (size / width) * p.inner + column;
                    columns = p.inner - column < width ? (int)(p.inner - column) : width;
                }
                GLOBAL CT* const source = p.in_is_chunk ? kron_locate(p.in, unit) : kron_locate(p.in, k) + v * p.in_vector;
                GLOBAL CT* const target = p.out_is_chunk ? kron_locate(p.out, unit) : kron_locate(p.out, k) + v * p.out_vector;
                from = (long)(source + begin * p.in_step);
                to = (long)(target + begin * p.out_step);
                __local CT* const own = factors + slot * p.factor_stride;
                for (int f = 0; f < p.modes; ++f) {
                    const kron_factor factor = p.factors[f];
                    GLOBAL const CT* const a = kron_locate(factor.a, k);
                    for (int e = lane; e < N * N; e += team) {
                        const CT value = a[e % N * factor.row_step + e / N * factor.column_step];
                        own[f * N * N + e] = factor.conjugate ? CONJ(CT, value) : value;
                    }
                }
            }
            if (lane == 0) {
                in_address[slot] = from;
                out_address[slot] = to;
                widths[slot] = columns;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = item; i < p.teams * size; i += GROUP) {
            const int owner = i / size;
            const int e = i - owner * size;
            if (in_address[owner] != 0 && (width == 1 || e % width < widths[owner]))
                tiles[kron_place(i)] = ((GLOBAL const CT*)in_address[owner])[kron_offset(e, width, p.inner) * p.in_step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int step = width;
        int mode = 0;
        __local const CT* const a = factors + slot * p.factor_stride;
        while (mode < p.modes) {
#if FUSED > 1
            if (p.modes - mode >= FUSED) {
                if (slot < p.teams) kron_fused_stage(tiles, slot * size, a + mode * N * N, lane, team, size, step);
                mode += FUSED;
                step *= LENGTH;
                barrier(CLK_LOCAL_MEM_FENCE);
                continue;
            }
#endif
            if (slot < p.teams) kron_one_stage(tiles, slot * size, a + mode * N * N, lane, team, size, step);
            ++mode;
            step *= N;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (int i = item; i < p.teams * size; i += GROUP) {
            const int owner = i / size;
            const int e = i - owner * size;
            if (out_address[owner] != 0 && (width == 1 || e % width < widths[owner]))
                kron_finish_element((GLOBAL CT*)out_address[owner] + kron_offset(e, width, p.inner) * p.out_step,
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
#ifdef heron_zero_f64
typedef double8 heron_vector_f64;
#define heron_get_f64(p) vload8(0, p)
#define heron_put_f64(v, p) vstore8(v, 0, p)
#endif
#define VECTOR HERON_NAME1(heron_vector, CT)
#define GET(p) HERON_NAME1(heron_get, CT)(p)
#define PUT(v, p) HERON_NAME1(heron_put, CT)(v, p)
#define COLUMN ((N + LANES - 1) / LANES * LANES)

// out[o, i, f] := sum over j of a[j][i]*in[o, j, f]. A vector that is longer than a run writes into what its successors
// overwrite; buffers have room for one vector behind their last element.
HERON_FN void kron_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, long outer, long inner) {
    for (long o = 0; o < outer; ++o) {
        for (long k = 0; k < inner; k += LANES) {
            const long at = o * N * inner + (k + LANES <= inner || inner < LANES ? k : inner - LANES);
            VECTOR v[N];
            for (int j = 0; j < N; ++j) v[j] = GET(in + at + j * inner);
            for (int i = 0; i < N; ++i) {
                VECTOR sum = a[i] * v[0];
                for (int j = 1; j < N; ++j) sum += a[j * COLUMN + i] * v[j];
                PUT(sum, out + at + i * inner);
            }
        }
    }
}

HERON_FN void kron_rows(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, long outer) {
    for (long o = 0; o < outer; ++o) {
        for (int i = 0; i < N; i += LANES) {
            VECTOR sum = in[o * N] * GET(a + i);
            for (int j = 1; j < N; ++j) sum += in[o * N + j] * GET(a + j * COLUMN + i);
            PUT(sum, out + o * N + i);
        }
    }
}

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
    const long id = get_global_id(0);
    const long members = get_global_size(0);
    CT factors[MODES * N * COLUMN];
    long packed[MODES];
    for (int f = 0; f < MODES; ++f) packed[f] = 0;
    for (int e = 0; e < MODES * N * COLUMN; ++e) factors[e] = 0;
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
            for (int j = 0; j < N; ++j)
                for (int i = 0; i < N; ++i)
                    factors[(f * N + j) * COLUMN + i] = a[i * p.factors[f].row_step + j * p.factors[f].column_step];
        }
        GLOBAL const CT* const x = kron_locate(p.in, k) + v * p.in_vector;
        long outer = 1;
        long inner = p.size / N;
        GLOBAL const CT* in = x;
        if (p.in_step != 1 || inner < LANES) {
            for (long e = 0; e < p.size; ++e) first[e] = x[e * p.in_step];
            in = first;
        }
        for (int f = (int)p.modes - 1; f >= 0; --f) {
            GLOBAL CT* const out = in == first ? second : first;
            if (inner == 1) kron_rows(in, out, factors + f * N * COLUMN, outer);
            else kron_fibres(in, out, factors + f * N * COLUMN, outer, inner);
            outer *= N;
            inner /= N;
            in = out;
        }
        kron_finish_item(in, kron_locate(p.out, k) + v * p.out_vector, p.size, p.out_step, alpha, beta, (int)p.atomic);
    }
}
#endif
