// Interleaved tridiagonal systems by Gaussian elimination with partial pivoting, one for each item: many
// short ones. CT: type of all numbers. What substitution needs of an item's rows is in local memory.
HERON_PROGRAM(tridiag_each, class CT, int GROUP, int AHEAD)

CONSTANT(kept_parts, 3);  // numbers of a row: what lies behind its pivot, and its right-hand side

// AHEAD rows of a system from `first` on; zero behind the last.
HERON_FN void take_rows(GLOBAL const CT* lower, GLOBAL const CT* main, GLOBAL const CT* upper,
                        GLOBAL const CT* x, heron_index system, heron_index systems, int first, int m, CT* l,
                        CT* d, CT* u, CT* f) {
    UNROLL
    for (int k = 0; k < AHEAD; ++k) {
        const heron_index at = system + (first + k) * systems;
        const int is_row = first + k < m;
        l[k] = is_row ? lower[at] : ZERO(CT);
        d[k] = is_row ? main[at] : ZERO(CT);
        u[k] = first + k + 1 < m ? upper[at] : ZERO(CT);
        f[k] = is_row ? x[at] : ZERO(CT);
    }
}

// kept: m * kept_parts * GROUP numbers.
HERON_GROUP_KERNEL(solve_each, GROUP, GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL const CT* RESTRICT upper, GLOBAL CT* x, int m, heron_index systems,
                   LOCAL CT* kept) {
    const heron_index system = (heron_index)group_id() * GROUP + group_item();
    if (system >= systems) return;
    LOCAL CT* const seconds = kept + group_item();
    LOCAL CT* const thirds = seconds + m * GROUP;
    LOCAL CT* const rights = thirds + m * GROUP;
    CT pivot = main[system];
    CT second = m > 1 ? upper[system] : ZERO(CT);
    CT right = x[system];
    CT l[AHEAD], d[AHEAD], u[AHEAD], f[AHEAD];
    take_rows(lower, main, upper, x, system, systems, 1, m, l, d, u, f);
    for (int first = 1; first < m; first += AHEAD) {
        // On their way while these rows are eliminated.
        CT next_l[AHEAD], next_d[AHEAD], next_u[AHEAD], next_f[AHEAD];
        take_rows(lower, main, upper, x, system, systems, first + AHEAD, m, next_l, next_d, next_u, next_f);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (first + k >= m) continue;
            CT third;
            CT next_right = f[k];
            if (pivot_rows(&pivot, &second, &third, l + k, d + k, u + k, 1)) {
                next_right = right;
                right = f[k];
            }
            divide_row(pivot, &second, &third, &right);
            const int at = (first + k - 1) * GROUP;
            seconds[at] = second;
            thirds[at] = third;
            rights[at] = right;
            pivot = SUB(CT, d[k], MUL(CT, l[k], second));
            second = SUB(CT, u[k], MUL(CT, l[k], third));
            right = SUB(CT, next_right, MUL(CT, l[k], right));
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            l[k] = next_l[k];
            d[k] = next_d[k];
            u[k] = next_u[k];
            f[k] = next_f[k];
        }
    }
    CT after = DIV(CT, right, pivot);
    CT after_next = ZERO(CT);
    x[system + (m - 1) * systems] = after;
    UNROLL_BY(4)
    for (int row = m - 2; row >= 0; --row) {
        const int at = row * GROUP;
        const CT known = SUB(CT, rights[at], MUL(CT, thirds[at], after_next));
        const CT value = SUB(CT, known, MUL(CT, seconds[at], after));
        x[system + row * systems] = value;
        after_next = after;
        after = value;
    }
}
HERON_CLOSE

HERON_CLOSE
