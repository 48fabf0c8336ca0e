// Short interleaved systems by an item each, in steps along their rows, with partial pivoting. Neighbouring
// items read neighbouring elements, and their rows stay in local memory until the solution comes back along
// them. CT: type of all numbers. AHEAD: rows that are on their way while as many are eliminated.
HERON_PROGRAM(tridiag_systems, class CT, int GROUP, int AHEAD)

CONSTANT(kept_parts, 3);  // of a row: of the next two unknowns, and of its right-hand side

typedef struct {
    CT lower[AHEAD], main[AHEAD], upper[AHEAD], x[AHEAD];
} coming_rows;

// What lies outside of the matrix is no part of it.
HERON_FN void load_rows(GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                        GLOBAL const CT* RESTRICT upper, GLOBAL const CT* x, heron_index m,
                        heron_index systems, heron_index row, coming_rows* rows) {
    UNROLL
    for (int i = 0; i < AHEAD; ++i) {
        const int is_row = row + i < m;
        rows->lower[i] = is_row ? lower[i * systems] : ZERO(CT);
        rows->main[i] = is_row ? main[i * systems] : ZERO(CT);
        rows->upper[i] = row + i + 1 < m ? upper[i * systems] : ZERO(CT);
        rows->x[i] = is_row ? x[i * systems] : ZERO(CT);
    }
}

// kept: room for kept_parts numbers of each row of each item.
HERON_GROUP_KERNEL(solve_systems, GROUP, GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL const CT* RESTRICT upper, GLOBAL CT* x, heron_index m, heron_index systems,
                   LOCAL CT* kept) {
    const heron_index system = (heron_index)group_id() * GROUP + group_item();
    if (system >= systems) return;
    lower += system;
    main += system;
    upper += system;
    x += system;
    kept += group_item();
    // b*x[row - 1] + c*x[row] = f
    CT b = main[0];
    CT c = m > 1 ? upper[0] : ZERO(CT);
    CT f = x[0];
    coming_rows rows;
    load_rows(lower + systems, main + systems, upper + systems, x + systems, m, systems, 1, &rows);
    for (heron_index first = 1; first < m; first += AHEAD) {
        const coming_rows own = rows;
        const heron_index next = (first + AHEAD) * systems;
        load_rows(lower + next, main + next, upper + next, x + next, m, systems, first + AHEAD, &rows);
        UNROLL
        for (int i = 0; i < AHEAD; ++i) {
            if (first + i < m) {
                const int swaps = LESS(CT, MAGNITUDE(CT, b), MAGNITUDE(CT, own.lower[i]));
                const CT inverse = DIV(CT, ONE(CT), swaps ? own.lower[i] : b);
                LOCAL CT* const to = kept + (first + i - 1) * (kept_parts * GROUP);
                const CT of_next = MUL(CT, swaps ? own.main[i] : c, inverse);
                const CT of_second = swaps ? MUL(CT, own.upper[i], inverse) : ZERO(CT);
                const CT right = MUL(CT, swaps ? own.x[i] : f, inverse);
                to[0] = of_next;
                to[GROUP] = of_second;
                to[2 * GROUP] = right;
                const CT factor = swaps ? b : own.lower[i];
                b = SUB(CT, swaps ? c : own.main[i], MUL(CT, factor, of_next));
                c = SUB(CT, swaps ? ZERO(CT) : own.upper[i], MUL(CT, factor, of_second));
                f = SUB(CT, swaps ? f : own.x[i], MUL(CT, factor, right));
            }
        }
    }
    CT second = ZERO(CT);
    CT solution = DIV(CT, f, b);
    x[(m - 1) * systems] = solution;
    UNROLL_BY(8)
    for (heron_index row = m - 2; row >= 0; --row) {
        LOCAL const CT* const from = kept + row * (kept_parts * GROUP);
        const CT rest = SUB(CT, from[2 * GROUP], MUL(CT, from[GROUP], second));
        second = solution;
        solution = SUB(CT, rest, MUL(CT, from[0], solution));
        x[row * systems] = solution;
    }
}
HERON_CLOSE
HERON_CLOSE
