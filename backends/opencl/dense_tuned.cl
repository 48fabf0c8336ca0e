// Dense products on packed operands: C := sum over k of A'[:, k]*B'[k, :] + beta*C, for one type and one shape of kernel.
//
// Packing applies op, the scalar alpha and what is known of a symmetric or triangular operand, so that one kernel serves
// every operation, and a sum of two products is a longer k. A panel holds P rows of A' (or columns of B'), its k-th step is
// P contiguous reals, of complex matrices P real parts and P imaginary parts. Rows beyond the matrix are zero.
//
// COLUMNS is for processors: a work-item, alone in its group, computes tiles of VW*MV x NR with accumulators in vector
// registers. TILES is for GPUs: a work-group of WX x WY multiplies panels through local memory, a work-item has VW*MV x
// UW*NV accumulators in registers (V. Volkov, J. Demmel, "Benchmarking GPUs to tune dense linear algebra", SC08).
//
// Parameters: CT element, RT its real type, PARTS 1 or 2; COLUMNS: VW MV NR; TILES: WX WY VW MV UW NV KT.
//
// For studies WITHOUT_LOADS, WITHOUT_ARITHMETIC and WITHOUT_STORES leave out a part of the product's work, in a way that the
// compiler cannot see through.

#define VECTOR_NAME2(type, width) type##width
#define VECTOR_NAME(type, width) VECTOR_NAME2(type, width)
#define REAL_VECTOR VECTOR_NAME(RT_NAME, VW)
#define LOAD_VECTOR VECTOR_NAME(vload, VW)
#define STORE_VECTOR VECTOR_NAME(vstore, VW)

#ifdef COLUMNS
#define PA (VW * MV)
#define PB NR
#else
#define PA (WX * VW * MV)
#define PB (WY * UW * NV)
#endif

#ifdef WITHOUT_LOADS
#define FROM_PANEL(load, i) (p.ld + (i))
#define START(j, i) (p.m + (j) * 64 + (i))
#else
#define FROM_PANEL(load, i) load
#define START(j, i) 0
#endif

#ifdef WITHOUT_STORES
#define STORES (p.ld < 0)
#else
#define STORES 1
#endif

// ---- packing ----

// These mirror opencl_dense.cpp. Element (r, k) of op(X) lies at offset + r*row_step + k*k_step if X is full.
typedef struct {
    long offset, row_step, k_step;
    long rows, depth;         // of this chunk of op(X), which begins at first_row, first_k
    long first_row, first_k;
    long padded_rows, steps;  // what is written: zeros beyond rows and depth
    long total, begin;        // steps of a panel, and the one where this chunk begins
    long conjugate;
    long kind;                // 0 full, 1 symmetric, 2 Hermitian, 3 triangular
    long stores_lower;        // of op(X)
    long unit;
    long scaled;              // 1: times alpha, 2: times its conjugate
    long has_real_scale;      // in device memory
} dense_source;

// A scalar of the host's or the device's; the latter may be a real one.
HERON_FN CT dense_scalar(CT value, GLOBAL const RT* pointer, long is_real) {
    if (!pointer) return value;
#if PARTS == 2
    return (CT)(pointer[0], is_real ? 0 : pointer[1]);
#else
    return *pointer;
#endif
}

HERON_FN CT dense_element(dense_source s, GLOBAL const CT* x, long r, long k) {
    long row = s.first_row + r, column = s.first_k + k;
    int conjugate = (int)s.conjugate;
    if (s.kind != 0) {
        const int is_stored = s.stores_lower ? row >= column : row <= column;
        if (s.kind == 3) {
            if (!is_stored) return ZERO(CT);
            if (s.unit && row == column) return ONE(CT);
        } else if (!is_stored) {
            const long other = row;
            row = column;
            column = other;
            conjugate = s.kind == 2 ? !conjugate : conjugate;
        }
    }
    CT v = x[s.offset + row * s.row_step + column * s.k_step];
#if PARTS == 2
    if (s.kind == 2 && row == column) v.y = 0;
    if (conjugate) v.y = -v.y;
#endif
    return v;
}

HERON_FN int dense_is_zero(CT value, GLOBAL const RT* pointer, long is_real) {
    const CT v = dense_scalar(value, pointer, is_real);
    return EQUAL(CT, v, ZERO(CT));
}

HERON_FN CT dense_scale(dense_source s, CT value, GLOBAL const RT* pointer) {
    const CT scale = dense_scalar(value, pointer, s.has_real_scale);
    return s.scaled == 2 ? CONJ(CT, scale) : scale;
}

HERON_FN void dense_put(GLOBAL RT* to, int width, CT v) {
#if PARTS == 2
    to[0] = v.x;
    to[width] = v.y;
#else
    *to = v;
#endif
}

#ifdef COLUMNS

// One work-item packs steps [begin, begin + STEPS) of one panel.
#define STEPS 128

HERON_FN void dense_pack(dense_source s, GLOBAL const CT* x, CT scale, GLOBAL RT* packed, const int width) {
    const long panel = get_global_id(1);
    const long first = panel * width;
    const long begin = get_global_id(0) * STEPS;
    const long end = min(begin + (long)STEPS, s.depth);
    GLOBAL RT* const to = packed + (panel * s.total + s.begin) * width * PARTS;
    if (s.kind == 0 && first + width <= s.rows) {
        GLOBAL const CT* const from = x + s.offset + (s.first_row + first) * s.row_step + s.first_k * s.k_step;
        for (long k = begin; k < end; ++k)
            for (int r = 0; r < width; ++r) {
                CT v = from[r * s.row_step + k * s.k_step];
#if PARTS == 2
                if (s.conjugate) v.y = -v.y;
#endif
                dense_put(to + k * width * PARTS + r, width, s.scaled ? MUL(CT, v, scale) : v);
            }
        return;
    }
    for (long k = begin; k < end; ++k)
        for (int r = 0; r < width; ++r) {
            CT v = ZERO(CT);
            if (first + r < s.rows) {
                v = dense_element(s, x, first + r, k);
                if (s.scaled) v = MUL(CT, v, scale);
            }
            dense_put(to + k * width * PARTS + r, width, v);
        }
}

#define PACK_GROUP __attribute__((reqd_work_group_size(1, 1, 1)))
#define DENSE_PACK(width) dense_pack(s, x, dense_scale(s, value, pointer), packed, width)

#else

// A work-group of TILE x 8 packs TILE x TILE elements, through local memory where neighbours in memory are neighbours in k.
#define TILE 32

HERON_FN void dense_pack(dense_source s, GLOBAL const CT* x, CT scale, GLOBAL RT* packed, const int width,
                         __local CT* tile) {
    const int lane = (int)get_local_id(0), line = (int)get_local_id(1);
    const long first_k = (long)get_group_id(0) * TILE;
    const long first_r = (long)get_group_id(1) * TILE;
    const int turned = s.k_step == 1;
    for (int i = line; i < TILE; i += 8) {
        const long r = first_r + (turned ? i : lane);
        const long k = first_k + (turned ? lane : i);
        CT v = ZERO(CT);
        if (r < s.rows && k < s.depth) {
            v = dense_element(s, x, r, k);
            if (s.scaled) v = MUL(CT, v, scale);
        }
        tile[turned ? lane * (TILE + 1) + i : i * (TILE + 1) + lane] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long r = first_r + lane;
    for (int i = line; i < TILE; i += 8) {
        const long k = first_k + i;
        if (r < s.padded_rows && k < s.steps)
            dense_put(packed + ((r / width) * s.total + s.begin + k) * width * PARTS + r % width, width,
                      tile[i * (TILE + 1) + lane]);
    }
}

#define PACK_GROUP __attribute__((reqd_work_group_size(TILE, 8, 1)))
#define DENSE_PACK(width)              \
    __local CT tile[TILE * (TILE + 1)]; \
    dense_pack(s, x, dense_scale(s, value, pointer), packed, width, tile)

#endif

__kernel PACK_GROUP void heron_dense_pack_a(dense_source s, GLOBAL const CT* x, CT value, GLOBAL const RT* pointer,
                                            GLOBAL RT* packed) {
    DENSE_PACK(PA);
}

__kernel PACK_GROUP void heron_dense_pack_b(dense_source s, GLOBAL const CT* x, CT value, GLOBAL const RT* pointer,
                                            GLOBAL RT* packed) {
    DENSE_PACK(PB);
}

// ---- the product ----

typedef struct {
    long m, n, total;
    long offset, ld;  // of C
    long triangle;    // 0 all of C, 1 lower, 2 upper
    long hermitian;
    long has_real_alpha, has_real_beta;  // in device memory
    long range;  // which k count: 0 all, 1 up to the row, 2 from the row on, 3 from the column on, 4 up to the column
} dense_product;

HERON_FN int dense_is_outside(dense_product p, long row, long column) {
    return (p.triangle == 1 && row + PA <= column) || (p.triangle == 2 && row >= column + PB);
}

HERON_FN long dense_first_step(dense_product p, long row, long column) {
    return p.range == 2 ? row : p.range == 3 ? column : 0;
}

HERON_FN long dense_last_step(dense_product p, long row, long column) {
    return p.range == 1 ? min(p.total, row + PA) : p.range == 4 ? min(p.total, column + PB) : p.total;
}

HERON_FN void dense_finish(dense_product p, GLOBAL CT* c, CT beta, long row, long column, CT sum) {
    if (row >= p.m || column >= p.n) return;
    if ((p.triangle == 1 && row < column) || (p.triangle == 2 && row > column)) return;
    GLOBAL CT* const to = c + p.offset + row + column * p.ld;
    CT v = sum;
    if (!EQUAL(CT, beta, ZERO(CT))) {
        CT old = *to;
#if PARTS == 2
        if (p.hermitian && row == column) old.y = 0;
#endif
        v = MAD(CT, beta, old, sum);
    }
#if PARTS == 2
    if (p.hermitian && row == column) v.y = 0;
#endif
    *to = v;
}

#ifdef COLUMNS

// Panels of B that one work-item takes while its panel of A is in the cache.
#define PANELS 16

HERON_FN void dense_columns_tile(dense_product p, GLOBAL CT* c, CT beta, GLOBAL const RT* pa, GLOBAL const RT* pb,
                                 long row, long column) {
    const long begin = dense_first_step(p, row, column);
    const long end = dense_last_step(p, row, column);
    REAL_VECTOR re[NR][MV];
#if PARTS == 2
    REAL_VECTOR im[NR][MV];
#endif
#pragma unroll
    for (int j = 0; j < NR; ++j)
#pragma unroll
        for (int i = 0; i < MV; ++i) {
            re[j][i] = (REAL_VECTOR)(START(j, i));
#if PARTS == 2
            im[j][i] = (REAL_VECTOR)(START(j, i + 32));
#endif
        }
    pa += row * p.total * PARTS + begin * PA * PARTS;
    pb += column * p.total * PARTS + begin * PB * PARTS;
    for (long k = begin; k < end; ++k) {
        REAL_VECTOR a[MV];
#pragma unroll
        for (int i = 0; i < MV; ++i) a[i] = (REAL_VECTOR)(FROM_PANEL(LOAD_VECTOR(i, pa), i));
#if PARTS == 2
        REAL_VECTOR ai[MV];
#pragma unroll
        for (int i = 0; i < MV; ++i) ai[i] = (REAL_VECTOR)(FROM_PANEL(LOAD_VECTOR(MV + i, pa), MV + i));
#endif
#pragma unroll
        for (int j = 0; j < NR; ++j) {
            const REAL_VECTOR b = (REAL_VECTOR)(FROM_PANEL(pb[j], 8));
#if PARTS == 2
            const REAL_VECTOR bi = (REAL_VECTOR)(FROM_PANEL(pb[NR + j], 9));
#endif
#ifdef WITHOUT_ARITHMETIC
            re[j][0] += b + a[j % MV];
#if PARTS == 2
            im[j][0] += bi + ai[j % MV];
#endif
#else
#pragma unroll
            for (int i = 0; i < MV; ++i) {
                re[j][i] += a[i] * b;
#if PARTS == 2
                im[j][i] += a[i] * bi;
                re[j][i] -= ai[i] * bi;
                im[j][i] += ai[i] * b;
#endif
            }
#endif
        }
        pa += PA * PARTS;
        pb += PB * PARTS;
    }
    RT sums[PARTS * NR * PA];
#pragma unroll
    for (int j = 0; j < NR; ++j)
#pragma unroll
        for (int i = 0; i < MV; ++i) {
            STORE_VECTOR(re[j][i], j * MV + i, sums);
#if PARTS == 2
            STORE_VECTOR(im[j][i], (NR + j) * MV + i, sums);
#endif
        }
    const int rows = (int)min((long)PA, p.m - row);
    const int columns = (int)min((long)NR, p.n - column);
    const int is_whole = p.triangle == 0 || (p.triangle == 1 ? row >= column + PB : row + PA <= column);
    for (int j = 0; STORES && j < columns; ++j) {
        GLOBAL CT* const to = c + p.offset + row + (column + j) * p.ld;
        for (int i = 0; i < rows; ++i) {
#if PARTS == 2
            const CT sum = (CT)(sums[j * PA + i], sums[(NR + j) * PA + i]);
#else
            const CT sum = sums[j * PA + i];
#endif
            if (!is_whole)
                dense_finish(p, c, beta, row + i, column + j, sum);
            else if (EQUAL(CT, beta, ZERO(CT)))
                to[i] = sum;
            else
                to[i] = MAD(CT, beta, to[i], sum);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void heron_dense_product(
    dense_product p, GLOBAL CT* c, CT alpha_value, GLOBAL const RT* alpha_pointer, CT beta_value,
    GLOBAL const RT* beta_pointer, GLOBAL const RT* pa, GLOBAL const RT* pb) {
    const CT beta = dense_scalar(beta_value, beta_pointer, p.has_real_beta);
    if (p.total == 0 || dense_is_zero(alpha_value, alpha_pointer, p.has_real_alpha)) {
        if (EQUAL(CT, beta, ONE(CT))) return;
        p.total = 0;
    }
    const long row = (long)get_global_id(0) * PA;
    const long first = (long)get_global_id(1) * PANELS * PB;
    const long last = min(p.n, first + PANELS * PB);
    for (long column = first; column < last; column += PB)
        if (!dense_is_outside(p, row, column)) dense_columns_tile(p, c, beta, pa, pb, row, column);
}

#else

#define ROWS (VW * MV)
#define COLUMNS_OF_ITEM (UW * NV)
#define GROUP (WX * WY)
#define CHUNK_VECTOR VECTOR_NAME(RT_NAME, CHUNK_WIDTH)
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

__kernel __attribute__((reqd_work_group_size(WX, WY, 1))) void heron_dense_product(
    dense_product p, GLOBAL CT* c, CT alpha_value, GLOBAL const RT* alpha_pointer, CT beta_value,
    GLOBAL const RT* beta_pointer, GLOBAL const RT* pa, GLOBAL const RT* pb) {
    __local CHUNK_VECTOR a_tile[2][A_CHUNKS];
    __local CHUNK_VECTOR b_tile[2][B_CHUNKS];
    const CT beta = dense_scalar(beta_value, beta_pointer, p.has_real_beta);
    if (p.total == 0 || dense_is_zero(alpha_value, alpha_pointer, p.has_real_alpha)) {
        if (EQUAL(CT, beta, ONE(CT))) return;
        p.total = 0;
    }
    const int tx = (int)get_local_id(0), ty = (int)get_local_id(1);
    const int lane = ty * WX + tx;
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
    GLOBAL const CHUNK_VECTOR* from_a = (GLOBAL const CHUNK_VECTOR*)(pa + row * p.total * PARTS) + begin * A_CHUNKS;
    GLOBAL const CHUNK_VECTOR* from_b = (GLOBAL const CHUNK_VECTOR*)(pb + column * p.total * PARTS) + begin * B_CHUNKS;
    RT re[COLUMNS_OF_ITEM][ROWS];
#if PARTS == 2
    RT im[COLUMNS_OF_ITEM][ROWS];
#endif
#pragma unroll
    for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
        for (int i = 0; i < ROWS; ++i) {
            re[j][i] = START(j, i);
#if PARTS == 2
            im[j][i] = START(j, i + 32);
#endif
        }
    CHUNK_VECTOR a_next[A_LOADS], b_next[B_LOADS];
    int current = 0;
    for (long step = begin; step <= end; ++step) {
        // The next panels' parts are under way while the current ones are multiplied.
        if (step < end) {
#pragma unroll
            for (int i = 0; i < A_LOADS; ++i)
                if (A_CHUNKS % GROUP == 0 || i * GROUP + lane < A_CHUNKS)
                    a_next[i] = (CHUNK_VECTOR)(FROM_PANEL(from_a[i * GROUP + lane], i));
#pragma unroll
            for (int i = 0; i < B_LOADS; ++i)
                if (B_CHUNKS % GROUP == 0 || i * GROUP + lane < B_CHUNKS)
                    b_next[i] = (CHUNK_VECTOR)(FROM_PANEL(from_b[i * GROUP + lane], i));
            from_a += A_CHUNKS;
            from_b += B_CHUNKS;
        }
        if (step > begin) {
            __local const RT* const ta = (__local const RT*)a_tile[current ^ 1];
            __local const RT* const tb = (__local const RT*)b_tile[current ^ 1];
#ifdef WITHOUT_ARITHMETIC
            re[0][0] += ta[lane] + tb[lane];
#else
#pragma unroll
            for (int k = 0; k < KT; ++k) {
                RT a[ROWS], b[COLUMNS_OF_ITEM];
#if PARTS == 2
                RT ai[ROWS], bi[COLUMNS_OF_ITEM];
#endif
#pragma unroll
                for (int i = 0; i < ROWS; ++i) {
                    const int r = (i / VW * WX + tx) * VW + i % VW;
                    a[i] = ta[k * PA * PARTS + r];
#if PARTS == 2
                    ai[i] = ta[k * PA * PARTS + PA + r];
#endif
                }
#pragma unroll
                for (int j = 0; j < COLUMNS_OF_ITEM; ++j) {
                    const int r = (j / UW * WY + ty) * UW + j % UW;
                    b[j] = tb[k * PB * PARTS + r];
#if PARTS == 2
                    bi[j] = tb[k * PB * PARTS + PB + r];
#endif
                }
#pragma unroll
                for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
                    for (int i = 0; i < ROWS; ++i) {
                        re[j][i] = fma(a[i], b[j], re[j][i]);
#if PARTS == 2
                        im[j][i] = fma(a[i], bi[j], im[j][i]);
                        re[j][i] = fma(-ai[i], bi[j], re[j][i]);
                        im[j][i] = fma(ai[i], b[j], im[j][i]);
#endif
                    }
            }
#endif
        }
        if (step < end) {
#pragma unroll
            for (int i = 0; i < A_LOADS; ++i)
                if (A_CHUNKS % GROUP == 0 || i * GROUP + lane < A_CHUNKS) a_tile[current][i * GROUP + lane] = a_next[i];
#pragma unroll
            for (int i = 0; i < B_LOADS; ++i)
                if (B_CHUNKS % GROUP == 0 || i * GROUP + lane < B_CHUNKS) b_tile[current][i * GROUP + lane] = b_next[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        current ^= 1;
    }
    for (int j = 0; STORES && j < COLUMNS_OF_ITEM; ++j)
        for (int i = 0; i < ROWS; ++i) {
#if PARTS == 2
            const CT sum = (CT)(re[j][i], im[j][i]);
#else
            const CT sum = re[j][i];
#endif
            dense_finish(p, c, beta, row + (i / VW * WX + tx) * VW + i % VW,
                         column + (j / UW * WY + ty) * UW + j % UW, sum);
        }
}

#endif

// ---- triangular systems of at most NB equations ----

#define NB 32

typedef struct {
    long order, count;
    long a_offset, a_row, a_column;  // M is lower triangular; steps may be negative
    long conjugate, unit;
    long offset, line, step;  // of B: between vectors, and between elements of one
} dense_system;

#if PARTS == 2
// R. L. Smith, "Algorithm 116: Complex division", CACM 5(8), 1962.
HERON_FN CT dense_divide(CT a, CT b) {
    if (fabs(b.x) >= fabs(b.y)) {
        const RT ratio = b.y / b.x, length = b.x + b.y * ratio;
        return (CT)((a.x + a.y * ratio) / length, (a.y - a.x * ratio) / length);
    }
    const RT ratio = b.x / b.y, length = b.x * ratio + b.y;
    return (CT)((a.x * ratio + a.y) / length, (a.y * ratio - a.x) / length);
}
#else
HERON_FN CT dense_divide(CT a, CT b) { return a / b; }
#endif

// A work-item solves M*x = b in place of b.
__kernel void heron_dense_solve(dense_system s, GLOBAL const CT* a, GLOBAL CT* b, GLOBAL const RT* alpha) {
    const long vector = get_global_id(0);
    // The solution for alpha = 0 is there already, and M is not read.
    if (vector >= s.count || (alpha && dense_is_zero(ZERO(CT), alpha, 0))) return;
    GLOBAL CT* const to = b + s.offset + vector * s.line;
    CT x[NB];
#pragma unroll
    for (int i = 0; i < NB; ++i) x[i] = i < s.order ? to[i * s.step] : ZERO(CT);
#pragma unroll
    for (int j = 0; j < NB; ++j) {
        if (j >= s.order) continue;
        GLOBAL const CT* const m = a + s.a_offset + j * s.a_column;
        if (!s.unit) {
            const CT d = m[j * s.a_row];
            x[j] = dense_divide(x[j], s.conjugate ? CONJ(CT, d) : d);
        }
        const CT minus = SUB(CT, ZERO(CT), x[j]);
#pragma unroll
        for (int i = j + 1; i < NB; ++i)
            if (i < s.order) {
                const CT v = m[i * s.a_row];
                x[i] = MAD(CT, s.conjugate ? CONJ(CT, v) : v, minus, x[i]);
            }
    }
#pragma unroll
    for (int i = 0; i < NB; ++i)
        if (i < s.order) to[i * s.step] = x[i];
}
