// Dense products for processors: a work-item, alone in its group, computes tiles of VW*MV x NR with
// accumulators in vector registers.

// Steps of a panel that the matrix fills, as they are, where lines or steps lie side by side in memory. Steps
// are taken as many at once as a few cache lines hold, since lines that are a power of two apart drive each
// other out of the cache.
#define STEPS_AT_ONCE 16

HERON_FN void dense_pack_lines(GLOBAL const CT* restrict from, long k_step, GLOBAL RT* restrict to,
                               const int width, long begin, long end) {
    for (long k = begin; k < end; ++k)
        for (int r = 0; r < width; ++r) dense_put(to + k * width * PARTS + r, width, from[r + k * k_step]);
}

HERON_FN void dense_pack_turned(GLOBAL const CT* restrict from, long row_step, GLOBAL RT* restrict to,
                                const int width, long begin, long end) {
    for (long first = begin; first < end; first += STEPS_AT_ONCE) {
        const long last = min(end, first + STEPS_AT_ONCE);
        for (int r = 0; r < width; ++r)
            for (long k = first; k < last; ++k)
                dense_put(to + k * width * PARTS + r, width, from[r * row_step + k]);
    }
}

// Steps [begin, end) of one panel.
HERON_FN void dense_pack(dense_source s, GLOBAL const CT* x, CT scale, GLOBAL RT* packed, const int width,
                         long panel, long begin, long end) {
    const long first = panel * width;
    GLOBAL RT* const to = packed + (panel * s.total + s.begin) * width * PARTS;
    GLOBAL const CT* const from = x + s.offset + (s.first_row + first) * s.row_step + s.first_k * s.k_step;
    const int is_plain = s.kind == 0 && first + width <= s.rows && !s.scaled && !s.conjugate;
    if (is_plain && s.row_step == 1) return dense_pack_lines(from, s.k_step, to, width, begin, end);
    if (is_plain && s.k_step == 1) return dense_pack_turned(from, s.row_step, to, width, begin, end);
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

// A work-item packs so many steps of one panel.
#define STEPS 128
#define ALONE __attribute__((reqd_work_group_size(1, 1, 1)))

// The panels after the first `panels_of_a` are those of B.
__kernel ALONE void heron_dense_pack(dense_source sa, GLOBAL const CT* a, CT value, GLOBAL const RT* pointer,
                                     GLOBAL RT* pa, dense_source sb, GLOBAL const CT* b, GLOBAL RT* pb,
                                     long panels_of_a) {
    const long panel = get_global_id(1), begin = get_global_id(0) * STEPS;
    const long end = min(begin + (long)STEPS, sa.depth);
    if (panel < panels_of_a)
        dense_pack(sa, a, dense_scale(sa, value, pointer), pa, PA, panel, begin, end);
    else
        dense_pack(sb, b, ONE(CT), pb, PB, panel - panels_of_a, begin, end);
}

// Panels of B that one work-item takes while its panel of A is in the cache.
#define PANELS 16

HERON_FN void dense_columns_tile(dense_product p, GLOBAL CT* c, CT beta, GLOBAL const RT* pa,
                                 GLOBAL const RT* pb, long row, long column) {
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

__kernel ALONE void heron_dense_product(dense_product p, GLOBAL CT* c, CT alpha_value,
                                        GLOBAL const RT* alpha_pointer, CT beta_value,
                                        GLOBAL const RT* beta_pointer, GLOBAL const RT* pa,
                                        GLOBAL const RT* pb) {
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

HERON_FN void dense_pack_all(GLOBAL const CT* x, long lines, long depth, long row_step, long k_step,
                             long conjugate, long scaled, CT scale, GLOBAL RT* packed, const int width) {
    dense_source s;
    s.offset = s.first_row = s.first_k = s.begin = s.kind = 0;
    s.row_step = row_step;
    s.k_step = k_step;
    s.rows = lines;
    s.depth = s.total = depth;
    s.conjugate = conjugate;
    s.scaled = scaled;
    for (long panel = 0; panel * width < lines; ++panel)
        dense_pack(s, x, scale, packed, width, panel, 0, depth);
}

// A work-item takes its share of the items one after the other and packs them where they stay in the cache.
__kernel ALONE void heron_dense_batch(dense_batch g, CT alpha_value, GLOBAL const RT* alpha_pointer,
                                      GLOBAL const CT* a, GLOBAL const void* a_list, GLOBAL const CT* b,
                                      GLOBAL const void* b_list, CT beta_value, GLOBAL const RT* beta_pointer,
                                      GLOBAL CT* c, GLOBAL const void* c_list, GLOBAL RT* panels) {
    const CT alpha = dense_scalar(alpha_value, alpha_pointer, 0);
    const CT beta = dense_scalar(beta_value, beta_pointer, 0);
    const long member = get_global_id(0), members = get_global_size(0);
    dense_product p;
    p.m = g.m;
    p.n = g.n;
    p.total = EQUAL(CT, alpha, ZERO(CT)) ? 0 : g.k;
    p.ld = g.ldc;
    p.offset = p.triangle = p.hermitian = p.range = 0;
    const long rows = (g.m + PA - 1) / PA * PA, columns = (g.n + PB - 1) / PB * PB;
    GLOBAL RT* const pa = panels + member * (rows + columns) * g.k * PARTS;
    GLOBAL RT* const pb = pa + rows * g.k * PARTS;
    for (long item = g.count * member / members; item < g.count * (member + 1) / members; ++item) {
        if (p.total > 0) {
            dense_pack_all(dense_item(g.a, a, a_list, item), g.m, g.k, g.a_row, g.a_step, g.conjugate_a, 1,
                           alpha, pa, PA);
            dense_pack_all(dense_item(g.b, b, b_list, item), g.n, g.k, g.b_row, g.b_step, g.conjugate_b, 0,
                           alpha, pb, PB);
        }
        GLOBAL CT* const to = (GLOBAL CT*)dense_item(g.c, c, c_list, item);
        for (long row = 0; row < g.m; row += PA)
            for (long column = 0; column < g.n; column += PB)
                dense_columns_tile(p, to, beta, pa, pb, row, column);
    }
}
