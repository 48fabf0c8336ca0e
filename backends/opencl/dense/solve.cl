// Triangular systems of at most NB equations.

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
        // From 0 on, so that the loop can be unrolled and x stay in registers.
#pragma unroll
        for (int i = 0; i < NB; ++i)
            if (i > j && i < s.order) {
                const CT v = m[i * s.a_row];
                x[i] = MAD(CT, s.conjugate ? CONJ(CT, v) : v, minus, x[i]);
            }
    }
#pragma unroll
    for (int i = 0; i < NB; ++i)
        if (i < s.order) to[i * s.step] = x[i];
}
