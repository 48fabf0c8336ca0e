// Interleaved tridiagonal systems by Gaussian elimination with partial pivoting, one for each item: many
// ones. CT: type of all numbers. What substitution needs of an item's rows is in local memory, or if these
// are too many in the place of the system.
HERON_PROGRAM(tridiag_each, class CT, int GROUP, int AHEAD)

CONSTANT(kept_parts, 3);  // numbers of a row: what lies behind its pivot, and its right-hand side

// The row that the others are eliminated by next, and its right-hand side.
typedef struct {
    CT pivot, second, right;
} upper_row;

// A row when it has been divided by its pivot.
typedef struct {
    CT second, third, right;
} divided_row;

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

HERON_FN upper_row first_row(GLOBAL const CT* main, GLOBAL const CT* upper, GLOBAL const CT* x,
                             heron_index system, int m) {
    upper_row row;
    row.pivot = main[system];
    row.second = m > 1 ? upper[system] : ZERO(CT);
    row.right = x[system];
    return row;
}

// Eliminates the next row, which takes the place of `row`.
HERON_FN divided_row eliminate_next(upper_row* row, CT l, CT d, CT u, CT f) {
    divided_row done;
    CT next_right = f;
    CT right = row->right;
    done.second = row->second;
    if (pivot_rows(&row->pivot, &done.second, &done.third, &l, &d, &u, 1)) {
        next_right = right;
        right = f;
    }
    divide_row(row->pivot, &done.second, &done.third, &right);
    done.right = right;
    row->pivot = SUB(CT, d, MUL(CT, l, done.second));
    row->second = SUB(CT, u, MUL(CT, l, done.third));
    row->right = SUB(CT, next_right, MUL(CT, l, right));
    return done;
}

HERON_FN CT substitute(divided_row row, CT after, CT after_next) {
    const CT known = SUB(CT, row.right, MUL(CT, row.third, after_next));
    return SUB(CT, known, MUL(CT, row.second, after));
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
    upper_row row = first_row(main, upper, x, system, m);
    CT l[AHEAD], d[AHEAD], u[AHEAD], f[AHEAD];
    take_rows(lower, main, upper, x, system, systems, 1, m, l, d, u, f);
    for (int first = 1; first < m; first += AHEAD) {
        // On their way while these rows are eliminated.
        CT next_l[AHEAD], next_d[AHEAD], next_u[AHEAD], next_f[AHEAD];
        take_rows(lower, main, upper, x, system, systems, first + AHEAD, m, next_l, next_d, next_u, next_f);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (first + k >= m) continue;
            const divided_row done = eliminate_next(&row, l[k], d[k], u[k], f[k]);
            const int at = (first + k - 1) * GROUP;
            seconds[at] = done.second;
            thirds[at] = done.third;
            rights[at] = done.right;
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            l[k] = next_l[k];
            d[k] = next_d[k];
            u[k] = next_u[k];
            f[k] = next_f[k];
        }
    }
    CT after = DIV(CT, row.right, row.pivot);
    CT after_next = ZERO(CT);
    x[system + (m - 1) * systems] = after;
    UNROLL_BY(4)
    for (int at = m - 2; at >= 0; --at) {
        const divided_row done = {seconds[at * GROUP], thirds[at * GROUP], rights[at * GROUP]};
        const CT value = substitute(done, after, after_next);
        x[system + at * systems] = value;
        after_next = after;
        after = value;
    }
}
HERON_CLOSE

// Rows that have been divided, from `last` on upwards.
HERON_FN void take_divided(GLOBAL const CT* lower, GLOBAL const CT* upper, GLOBAL const CT* x,
                           heron_index system, heron_index systems, int last, divided_row* rows) {
    UNROLL
    for (int k = 0; k < AHEAD; ++k) {
        const heron_index at = system + max(last - k, 0) * systems;
        rows[k].second = upper[at];
        rows[k].third = lower[at];
        rows[k].right = x[at];
    }
}

// The same, with what substitution needs in the place of the lower and upper diagonals and of x.
HERON_GROUP_KERNEL(solve_each_in_place, GROUP, GLOBAL CT* lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL CT* upper, GLOBAL CT* x, int m, heron_index systems) {
    const heron_index system = (heron_index)group_id() * GROUP + group_item();
    if (system >= systems) return;
    upper_row row = first_row(main, upper, x, system, m);
    CT l[AHEAD], d[AHEAD], u[AHEAD], f[AHEAD];
    take_rows(lower, main, upper, x, system, systems, 1, m, l, d, u, f);
    for (int first = 1; first < m; first += AHEAD) {
        CT next_l[AHEAD], next_d[AHEAD], next_u[AHEAD], next_f[AHEAD];
        take_rows(lower, main, upper, x, system, systems, first + AHEAD, m, next_l, next_d, next_u, next_f);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (first + k >= m) continue;
            const divided_row done = eliminate_next(&row, l[k], d[k], u[k], f[k]);
            const heron_index at = system + (first + k - 1) * systems;
            upper[at] = done.second;
            lower[at] = done.third;
            x[at] = done.right;
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            l[k] = next_l[k];
            d[k] = next_d[k];
            u[k] = next_u[k];
            f[k] = next_f[k];
        }
    }
    CT after = DIV(CT, row.right, row.pivot);
    CT after_next = ZERO(CT);
    x[system + (m - 1) * systems] = after;
    divided_row rows[AHEAD];
    take_divided(lower, upper, x, system, systems, m - 2, rows);
    for (int last = m - 2; last >= 0; last -= AHEAD) {
        divided_row next[AHEAD];
        take_divided(lower, upper, x, system, systems, last - AHEAD, next);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (last - k < 0) continue;
            const CT value = substitute(rows[k], after, after_next);
            x[system + (last - k) * systems] = value;
            after_next = after;
            after = value;
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) rows[k] = next[k];
    }
}
HERON_CLOSE

HERON_CLOSE
