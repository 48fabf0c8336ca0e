// Kronecker products on processors: a work-item takes items one after the other through its core's cache,
// with vectors over neighbouring fibres or over the rows of a factor.

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
typedef float16 heron_sixteen_f32;
#ifdef heron_zero_f64
typedef double8 heron_vector_f64;
#define heron_get_f64(p) vload8(0, p)
#define heron_put_f64(v, p) vstore8(v, 0, p)
typedef double4 heron_short_f64;
typedef double8 heron_eight_f64;
typedef double16 heron_sixteen_f64;
#endif
#define VECTOR HERON_NAME1(heron_vector, CT)
#define GET(p) HERON_NAME1(heron_get, CT)(p)
#define PUT(v, p) HERON_NAME1(heron_put, CT)(v, p)
#define SHORT HERON_NAME1(heron_short, CT)
#define EIGHT HERON_NAME1(heron_eight, CT)
#define SIXTEEN HERON_NAME1(heron_sixteen, CT)
#define SHORT_LANES 4

// N is 0 in the program for factors of any size up to MOST_N.
#if N > 0
#define MOST_N N
#else
#define MOST_N 16
#endif
#define COLUMN ((MOST_N + LANES - 1) / LANES * LANES)

// out[o, i, f] := sum over j of a[j][i]*in[o, j, f]. A vector that is longer than a run writes into what its
// successors overwrite; buffers have room for one vector behind their last element.
HERON_FN void kron_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n,
                          long outer, long inner) {
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
HERON_FN void kron_short_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n,
                                long outer, long inner) {
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

HERON_FN void kron_rows(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n,
                        long outer) {
    for (long o = 0; o < outer; ++o) {
        for (int i = 0; i < n; i += LANES) {
            VECTOR sum = in[o * n] * GET(a + i);
            for (int j = 1; j < n; ++j) sum += in[o * n + j] * GET(a + j * COLUMN + i);
            PUT(sum, out + o * n + i);
        }
    }
}

HERON_FN void kron_short_rows(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a, int n,
                              long outer) {
    for (long o = 0; o < outer; ++o) {
        SHORT sum = in[o * n] * vload4(0, a);
        for (int j = 1; j < n; ++j) sum += in[o * n + j] * vload4(0, a + j * COLUMN);
        vstore4(sum, 0, out + o * n);
    }
}

#if N == 2
// Runs of eight, which the first of the last four modes has.
HERON_FN void kron_eight_fibres(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* a,
                                long outer) {
    for (long o = 0; o < outer; ++o) {
        const EIGHT low = vload8(2 * o, in);
        const EIGHT high = vload8(2 * o + 1, in);
        vstore8(a[0] * low + a[COLUMN] * high, 2 * o, out);
        vstore8(a[1] * low + a[COLUMN + 1] * high, 2 * o + 1, out);
    }
}
#endif

HERON_FN void kron_turn(GLOBAL const CT* in, GLOBAL CT* out, const CT* a, int n, long outer, long inner) {
    if (inner == 1 && n <= SHORT_LANES)
        kron_short_rows(in, out, a, n, outer);
    else if (inner == 1)
        kron_rows(in, out, a, n, outer);
    else if (inner <= SHORT_LANES)
        kron_short_fibres(in, out, a, n, outer, inner);
#if N == 2
    else if (inner == 8)
        kron_eight_fibres(in, out, a, outer);
#endif
    else
        kron_fibres(in, out, a, n, outer, inner);
}

// How many of the last factors kron_last() applies at once.
HERON_FN int kron_together(int modes) {
#if N == 2
    return modes > 2 ? 3 : 0;
#elif N == 4
    return modes > 3 ? 2 : 0;
#else
    return 0;
#endif
}

// Every element is a sum over those whose numbers differ from its own in one factor's digit.
HERON_FN void kron_last(GLOBAL const CT* restrict in, GLOBAL CT* restrict out, const CT* factors, long size) {
    const CT* const a = factors;
    const CT* const b = factors + MOST_N * COLUMN;
#if N == 2
    const CT* const c = factors + 2 * MOST_N * COLUMN;
    const CT a0 = a[0], a1 = a[COLUMN + 1], a2 = a[COLUMN], a3 = a[1];
    const CT b0 = b[0], b1 = b[COLUMN + 1], b2 = b[COLUMN], b3 = b[1];
    const CT c0 = c[0], c1 = c[COLUMN + 1], c2 = c[COLUMN], c3 = c[1];
    for (long e = 0; e < size; e += 8) {
        EIGHT v = vload8(0, in + e);
        v = (EIGHT)(c0, c0, c0, c0, c1, c1, c1, c1) * v +
            (EIGHT)(c2, c2, c2, c2, c3, c3, c3, c3) * v.s45670123;
        v = (EIGHT)(b0, b0, b1, b1, b0, b0, b1, b1) * v +
            (EIGHT)(b2, b2, b3, b3, b2, b2, b3, b3) * v.s23016745;
        v = (EIGHT)(a0, a1, a0, a1, a0, a1, a0, a1) * v +
            (EIGHT)(a2, a3, a2, a3, a2, a3, a2, a3) * v.s10325476;
        vstore8(v, 0, out + e);
    }
#elif N == 4
    CT of_a[4 * 16], of_b[4 * 16];
    for (int d = 0; d < 4; ++d)
        for (int e = 0; e < 16; ++e) {
            of_a[d * 16 + e] = a[(e % 4 ^ d) * COLUMN + e % 4];
            of_b[d * 16 + e] = b[(e / 4 ^ d) * COLUMN + e / 4];
        }
    const SIXTEEN a0 = vload16(0, of_a), a1 = vload16(1, of_a), a2 = vload16(2, of_a), a3 = vload16(3, of_a);
    const SIXTEEN b0 = vload16(0, of_b), b1 = vload16(1, of_b), b2 = vload16(2, of_b), b3 = vload16(3, of_b);
    for (long e = 0; e < size; e += 16) {
        SIXTEEN v = vload16(0, in + e);
        v = b0 * v + b1 * v.s45670123cdef89ab + b2 * v.s89abcdef01234567 + b3 * v.scdef89ab45670123;
        v = a0 * v + a1 * v.s1032547698badcfe + a2 * v.s23016745ab89efcd + a3 * v.s32107654ba98fedc;
        vstore16(v, 0, out + e);
    }
#endif
}

HERON_FN void kron_finish_item(GLOBAL const CT* restrict w, GLOBAL CT* restrict y, long size, long step,
                               CT alpha, CT beta, int atomic) {
    long e = 0;
    if (step == 1 && !atomic && alpha != 0) {
        if (beta == 0) {
            for (; e + LANES <= size; e += LANES) PUT(alpha * GET(w + e), y + e);
        } else {
            for (; e + LANES <= size; e += LANES) PUT(alpha * GET(w + e) + beta * GET(y + e), y + e);
        }
    }
    for (; e < size; ++e) kron_finish_element(y + e * step, w[e], alpha, beta, atomic);
}

// Work-item i takes its share of the units; its two buffers begin at work + i*2*buffer.
__kernel void heron_kron_items(const kron_parameters p, const CT host_alpha, const CT host_beta,
                               GLOBAL CT* work, const long buffer) {
    const CT alpha = kron_scalar(host_alpha, p.alpha), beta = kron_scalar(host_beta, p.beta);
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
                    factors[(f * MOST_N + j) * COLUMN + i] =
                        a[i * p.factors[f].row_step + j * p.factors[f].column_step];
        }
        GLOBAL const CT* const x = kron_locate(p.in, k) + v * p.in_vector;
        GLOBAL CT* const y = kron_locate(p.out, k) + v * p.out_vector;
        long outer = 1;
        long inner = p.size / n;
        GLOBAL const CT* in = x;
        const int together = kron_together((int)p.modes);
        if (p.in_step != 1 || (inner < LANES && together == 0)) {
            for (long e = 0; e < p.size; ++e) first[e] = x[e * p.in_step];
            in = first;
        }
        for (int f = (int)p.modes - 1; f >= together; --f) {
            GLOBAL CT* const out = in == first ? second : first;
            kron_turn(in, out, factors + f * MOST_N * COLUMN, n, outer, inner);
            outer *= n;
            inner /= n;
            in = out;
        }
        if (together > 0) {
            GLOBAL CT* const out = in == first ? second : first;
            kron_last(in, out, factors, p.size);
            in = out;
        }
        kron_finish_item(in, y, p.size, p.out_step, alpha, beta, (int)p.atomic);
    }
}
#endif
