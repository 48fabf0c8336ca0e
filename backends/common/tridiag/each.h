// Many interleaved tridiagonal systems by Gaussian elimination with partial pivoting. Two items have a
// system: one goes from its first row downwards, the other from its last row upwards, until they meet. CT:
// type of all numbers. What substitution needs of a row is in local memory or, of outer rows that have no
// room there, in the row's place.
HERON_PROGRAM(tridiag_each, class CT, int GROUP, int AHEAD)

CONSTANT(width, GROUP / 2);  // systems of a group
CONSTANT(kept_parts, 3);     // numbers of a row: what lies behind its pivot, and its right-hand side
CONSTANT(slot_size, kept_parts* width);

// The rows of an item, in the order in which it eliminates them. From the last row upwards the two diagonals
// beside the main one have changed places.
typedef struct {
    GLOBAL CT* lower;
    GLOBAL const CT* main;
    GLOBAL CT* upper;
    GLOBAL CT* x;
    heron_index step;
    int rows;
} half_system;

// The row that the others are eliminated by next, and its right-hand side.
typedef struct {
    CT pivot, second, right;
} upper_row;

// A row when it has been divided by its pivot.
typedef struct {
    CT second, third, right;
} divided_row;

HERON_FN half_system half_of(GLOBAL CT* lower, GLOBAL const CT* main, GLOBAL CT* upper, GLOBAL CT* x, int m,
                             heron_index system, heron_index systems, int upwards) {
    const heron_index begin = system + (upwards ? (m - 1) * systems : 0);
    half_system part;
    part.lower = (upwards ? upper : lower) + begin;
    part.main = main + begin;
    part.upper = (upwards ? lower : upper) + begin;
    part.x = x + begin;
    part.step = upwards ? -systems : systems;
    part.rows = upwards ? m / 2 : m - m / 2;
    return part;
}

// AHEAD rows from `first` on; zero behind the last.
HERON_FN void take_rows(half_system part, int first, CT* l, CT* d, CT* u, CT* f) {
    UNROLL
    for (int k = 0; k < AHEAD; ++k) l[k] = d[k] = u[k] = f[k] = ZERO(CT);
    if (first >= part.rows) return;
    heron_index at = first * part.step;
    UNROLL
    for (int k = 0; k < AHEAD; ++k, at += part.step) {
        if (first + k >= part.rows) continue;
        l[k] = part.lower[at];
        d[k] = part.main[at];
        u[k] = part.upper[at];
        f[k] = part.x[at];
    }
}

// If there is none, a row that says of a number which nothing depends on that it is zero.
HERON_FN upper_row first_row(half_system part, int m) {
    const int is_row = part.rows > 0;
    upper_row row;
    row.pivot = is_row ? part.main[0] : ONE(CT);
    row.second = is_row && m > 1 ? part.upper[0] : ZERO(CT);
    row.right = is_row ? part.x[0] : ZERO(CT);
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

HERON_FN void fill_slot(LOCAL CT* slot, CT first, CT second, CT third) {
    slot[0] = first;
    slot[width] = second;
    slot[2 * width] = third;
}

HERON_FN upper_row left_row(LOCAL const CT* slot) {
    const upper_row row = {slot[0], slot[width], slot[2 * width]};
    return row;
}

// Eliminates all rows of a half but the last, which is left. Those from in_place on are kept in slots.
HERON_FN upper_row eliminate_half(half_system part, int m, int in_place, LOCAL CT* slots) {
    upper_row row = first_row(part, m);
    CT l[AHEAD], d[AHEAD], u[AHEAD], f[AHEAD];
    take_rows(part, 1, l, d, u, f);
    for (int first = 1; first < part.rows; first += AHEAD) {
        // On their way while these rows are eliminated.
        CT next_l[AHEAD], next_d[AHEAD], next_u[AHEAD], next_f[AHEAD];
        take_rows(part, first + AHEAD, next_l, next_d, next_u, next_f);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (first + k >= part.rows) continue;
            const divided_row done = eliminate_next(&row, l[k], d[k], u[k], f[k]);
            const int at = first + k - 1;
            if (at < in_place) {
                part.upper[at * part.step] = done.second;
                part.lower[at * part.step] = done.third;
                part.x[at * part.step] = done.right;
            } else {
                fill_slot(slots + (at - in_place) * slot_size, done.second, done.third, done.right);
            }
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            l[k] = next_l[k];
            d[k] = next_d[k];
            u[k] = next_u[k];
            f[k] = next_f[k];
        }
    }
    return row;
}

// Rows that have been divided, from `last` on backwards.
HERON_FN void take_divided(half_system part, int last, divided_row* rows) {
    heron_index at = max(last, 0) * part.step;
    UNROLL
    for (int k = 0; k < AHEAD; ++k) {
        rows[k].second = part.upper[at];
        rows[k].third = part.lower[at];
        rows[k].right = part.x[at];
        if (last > k) at -= part.step;
    }
}

// The solution of rows that are in their place, from the last of these on backwards.
HERON_FN void substitute_in_place(half_system part, int in_place, CT after, CT after_next) {
    if (in_place == 0) return;
    divided_row rows[AHEAD];
    take_divided(part, in_place - 1, rows);
    for (int last = in_place - 1; last >= 0; last -= AHEAD) {
        divided_row next[AHEAD];
        take_divided(part, last - AHEAD, next);
        UNROLL
        for (int k = 0; k < AHEAD; ++k) {
            if (last - k < 0) continue;
            const CT value = substitute(rows[k], after, after_next);
            part.x[(last - k) * part.step] = value;
            after_next = after;
            after = value;
        }
        UNROLL
        for (int k = 0; k < AHEAD; ++k) rows[k] = next[k];
    }
}

// The solution of a half, whose last row has `after` and the other half's last one after_next.
HERON_FN void substitute_half(half_system part, int in_place, LOCAL const CT* slots, CT after,
                              CT after_next) {
    if (part.rows == 0) return;
    part.x[(part.rows - 1) * part.step] = after;
    UNROLL_BY(4)
    for (int at = part.rows - 2; at >= in_place; --at) {
        LOCAL const CT* const slot = slots + (at - in_place) * slot_size;
        const divided_row done = {slot[0], slot[width], slot[2 * width]};
        const CT value = substitute(done, after, after_next);
        part.x[at * part.step] = value;
        after_next = after;
        after = value;
    }
    substitute_in_place(part, in_place, after, after_next);
}

// kept: `slots` slots of slot_size numbers for a row of `width` systems each, two at least and otherwise no
// more than rows. The last slot of a half has the row that is left.
HERON_GROUP_KERNEL(solve_each, GROUP, GLOBAL CT* lower, GLOBAL const CT* RESTRICT main, GLOBAL CT* upper,
                   GLOBAL CT* x, int m, heron_index systems, int slots, LOCAL CT* kept) {
    const int upwards = group_item() >= width;
    const int lane = group_item() % width;
    const heron_index system = (heron_index)group_id() * width + lane;
    half_system part = half_of(lower, main, upper, x, m, system, systems, upwards);
    if (system >= systems) part.rows = 0;
    const int upper_slots = slots - slots / 2;
    const int own_slots = upwards ? slots / 2 : upper_slots;
    const int in_place = max(part.rows - own_slots, 0);
    LOCAL CT* const upper_kept = kept + lane;
    LOCAL CT* const own_kept = upper_kept + (upwards ? upper_slots * slot_size : 0);
    const upper_row left = eliminate_half(part, m, in_place, own_kept);
    fill_slot(own_kept + (own_slots - 1) * slot_size, left.pivot, left.second, left.right);
    sync_group();
    // Both items solve the two rows that are left in the same order, and so get the same.
    upper_row row = left_row(upper_kept + (upper_slots - 1) * slot_size);
    const upper_row below = left_row(upper_kept + (slots - 1) * slot_size);
    const divided_row above = eliminate_next(&row, below.second, below.pivot, ZERO(CT), below.right);
    const CT lower_x = DIV(CT, row.right, row.pivot);
    const CT upper_x = substitute(above, lower_x, ZERO(CT));
    substitute_half(part, in_place, own_kept, upwards ? lower_x : upper_x, upwards ? upper_x : lower_x);
}
HERON_CLOSE

HERON_CLOSE
