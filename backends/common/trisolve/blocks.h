// Triangular solves of BSR matrices in one launch. Types: CT elements, WT the words that they consist of, one
// or two each. A group of GROUP items solves some rows of a block row, of one part of the right-hand sides;
// or, where the first level is so wide that a device is full without, each of its TEAMS teams of items that
// run in step does. TEAMS is 1 where there are no such teams.
//
// Groups draw tickets in an order in which each comes after all that it needs, and wait for the solutions of
// these (Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par
// 2016). Solutions are handed over through memory all of whose bits are set before: whoever reads anything
// else there reads the solution. A block row hands over its rows at once, where rows of elements would wait
// for each other one by one.
HERON_PROGRAM(trisolve_blocks, class CT, class WT, int GROUP, int TEAMS)

CONSTANT(words, (int)(sizeof(CT) / sizeof(WT)));
CONSTANT(strip, 4);               // rows that an item has
CONSTANT(batch, 4);               // unknowns that an item asks for at a time
CONSTANT(most_rows, 32);          // of a group, or a team
CONSTANT(most_sides, 16);         // of a group, or a team that has several strips
CONSTANT(lanes, 32);              // of a team
CONSTANT(team_strips, 4);         // which have room in a team's part of the local memory
CONSTANT(after_all, 0x7fffffff);  // blocks

// The blocks of op(A). Row i of them has the blocks k in [offsets[i], offsets[i + 1]), less the base, which
// lie at sources[k], or at k without sources. Row number `place` of the order is records[4*place], with the
// blocks up to records[4*place + 2] from records[4*place + 1] on.
typedef struct {
    GLOBAL const int* offsets;
    GLOBAL const int* columns;
    GLOBAL const int* sources;
    GLOBAL const int* records;
} block_rows;

// Element (r, c) of a block is at r*row_step + c*column_step. A group has `rows` rows of a block at most, and
// `sides` right-hand sides. An item has a strip of rows and one right-hand side, and shares the columns of
// the blocks with the items of `slots` - 1 other slots.
typedef struct {
    heron_index base;
    int count;  // of block rows
    int size;
    u32 reciprocal;  // of the size, times 2^32, rounded up
    int row_step, column_step;
    int lower, unit, conjugate;
    int rows, sides, slots;
    int team_sides, team_slots;  // of a team instead
    int wide;                    // units that the first level then has at least
} block_shape;

// What a group, or a team, solves: rows [first, first + rows) of the block row `row`, whose blocks are
// [begin, end), for the right-hand sides from `side` on. The rows have places from 0 on, in the order in
// which they are solved.
typedef struct {
    int row, begin, end;
    int first, rows;
    int side;
} block_unit;

HERON_FN void sync_solver(int by_teams) {
    if (TEAMS > 1 && by_teams)
        sync_together();
    else
        sync_group();
}

HERON_FN int is_unset(WT w) { return w == (WT) ~(WT)0; }

HERON_FN int block_column(block_rows a, block_shape t, int k) {
    return (int)((heron_index)a.columns[k] - t.base);
}

// Whether the unit waits for unknowns of a block row.
HERON_FN int is_awaited(block_shape t, block_unit u, int row) {
    if (row == u.row) return t.lower ? u.first > 0 : u.first + u.rows < t.size;
    return t.lower ? row >= 0 && row < u.row : row > u.row && row < t.count;
}

HERON_FN CT block_element(block_rows a, block_shape t, GLOBAL const CT* values, int k, int r, int c) {
    const heron_index source = a.sources ? a.sources[k] : k;
    const CT value = values[source * t.size * t.size + r * t.row_step + c * t.column_step];
    return t.conjugate ? CONJ(CT, value) : value;
}

HERON_FN block_unit unit_of(block_rows a, block_shape t, int is_ordered, int ticket, int tiles) {
    const int parts = (t.size + t.rows - 1) / t.rows;
    const int part = ticket / tiles % parts;
    const int place = ticket / tiles / parts;
    block_unit u;
    u.side = ticket % tiles * t.sides;
    if (is_ordered) {
        u.row = a.records[4 * (heron_index)place];
        u.begin = a.records[4 * (heron_index)place + 1];
        u.end = a.records[4 * (heron_index)place + 2];
    } else {
        u.row = t.lower ? place : t.count - 1 - place;
        u.begin = (int)((heron_index)a.offsets[u.row] - t.base);
        u.end = (int)((heron_index)a.offsets[u.row + 1] - t.base);
    }
    const int before = part * t.rows;
    u.rows = min(t.rows, t.size - before);
    u.first = t.lower ? before : t.size - before - u.rows;
    return u;
}

HERON_FN int row_at(block_shape t, block_unit u, int place) {
    return t.lower ? u.first + place : u.first + u.rows - 1 - place;
}

typedef union {
    CT value;
    WT word[words];
} solution;

HERON_FN void hand_over(CT value, GLOBAL WT* to) {
    solution x;
    x.value = value;
    UNROLL
    for (int w = 0; w < words; ++w) POST(WT, to + w, is_unset(x.word[w]) ? x.word[w] >> 1 : x.word[w]);
}

// Column number `at` of some blocks that lie one behind the other.
typedef struct {
    int block, column;
} block_place;

HERON_FN block_place place_in_blocks(block_shape t, int at) {
    block_place p;
    p.block = (int)(((u64)(u32)at * t.reciprocal) >> 32);
    p.column = at - p.block * t.size;
    if (p.column < 0) {
        p.block -= 1;
        p.column += t.size;
    }
    return p;
}

// The block that is number `number` of the unit's, counted so that where columns ascend what is solved first
// comes first.
HERON_FN int block_in_order(block_shape t, block_unit u, int number) {
    return t.lower ? u.begin + number : u.end - 1 - number;
}

// What an item solves of a unit: rows from the place `first` on, of a strip, and one right-hand side; and
// which unknowns it waits for.
typedef struct {
    GLOBAL const WT* solved;  // of the right-hand side
    int stride;               // from unknown to unknown
    int first_awaited;        // of so many
    u32 awaited;
    int step, first_step, strip_rows;  // from row to row of a block, to the strip, and how many are there
} item_view;

// Unknowns on their way into an item's sums, and their elements in its rows.
typedef struct {
    CT elements[batch][strip];
    solution x[batch];
    int rows[batch];
    u32 waiting;  // a bit for each of which there is no x yet
} unknowns;

// Those of columns at, at + slots, ... of the `all` of the unit's blocks.
HERON_FN void take_unknowns(block_rows a, block_shape t, block_unit u, const item_view* v,
                            GLOBAL const CT* values, int at, int all, unknowns* next) {
    int columns[batch], sources[batch];
    UNROLL
    for (int i = 0; i < batch; ++i) {
        const block_place place = place_in_blocks(t, min(at + i * t.slots, all - 1));
        const int k = block_in_order(t, u, place.block);
        columns[i] = place.column;
        sources[i] = a.sources ? a.sources[k] : k;
        next->rows[i] = block_column(a, t, k) * t.size + place.column;
    }
    next->waiting = 0;
    UNROLL
    for (int i = 0; i < batch; ++i) {
        const int needed = at + i * t.slots < all && (u32)(next->rows[i] - v->first_awaited) < v->awaited;
        next->waiting |= (u32)needed << i;
        UNROLL
        for (int w = 0; w < words; ++w) next->x[i].word[w] = needed ? ~(WT)0 : (WT)0;
        GLOBAL const CT* const column = values + (heron_index)sources[i] * (t.size * t.size) +
                                        (columns[i] * t.column_step + v->first_step);
        UNROLL
        for (int j = 0; j < strip; ++j)
            next->elements[i][j] = needed && j < v->strip_rows ? column[j * v->step] : ZERO(CT);
    }
    if (!t.conjugate) return;
    UNROLL
    for (int i = 0; i < batch; ++i) {
        UNROLL
        for (int j = 0; j < strip; ++j) next->elements[i][j] = CONJ(CT, next->elements[i][j]);
    }
}

// Looks once for those of a set that there is to wait for.
HERON_FN void look(const item_view* v, unknowns* next, u32 set) {
    UNROLL
    for (int i = 0; i < batch; ++i) {
        GLOBAL const WT* const from = v->solved + (heron_index)next->rows[i] * v->stride;
        UNROLL
        for (int w = 0; w < words; ++w) POLL_IF(WT, set >> i & 1u, from + w, next->x[i].word[w]);
    }
    UNROLL
    for (int i = 0; i < batch; ++i) {
        int is_there = 1;
        UNROLL
        for (int w = 0; w < words; ++w) is_there = is_there && !is_unset(next->x[i].word[w]);
        if (is_there) next->waiting &= ~(1u << i);
    }
}

// Of a long row an item looks for one after the other, and for all others when it is there: if all items
// looked for all that they wait for all the time, memory would have little time for anything else
// (trisolve-20).
HERON_FN void await_all(const item_view* v, unknowns* next, int is_long) {
    look(v, next, next->waiting);
    while (next->waiting != 0) {
        const u32 first = is_long ? next->waiting & (0u - next->waiting) : next->waiting;
        look(v, next, first);
        if (is_long && (next->waiting & first) == 0) look(v, next, next->waiting);
    }
}

// v / pivot, of whose inverse is known: the remainder corrects the product. Where that overflows or the pivot
// is zero, the result is that of a division.
HERON_FN CT quotient(CT v, CT pivot, CT inverse) {
    const CT rough = MUL(CT, v, inverse);
    const CT result = MAD(CT, SUB(CT, v, MUL(CT, rough, pivot)), inverse, rough);
    return EQUAL(CT, result, result) ? result : DIV(CT, v, pivot);
}

// The items that solve a unit together: a group, or a team of it, and their local memory.
typedef struct {
    int item, count;
    int by_teams;
    LOCAL int* shared;  // the ticket, where the diagonal block is, and the first and last block to wait for
    LOCAL CT* triangle;
    LOCAL CT* inverses;
    LOCAL CT* sums;
    LOCAL CT* solutions;  // of two strips
} solver_items;

// The unit's part of the block on the diagonal, or of a row without one, in the order of the solution:
// elements, and the inverses of the pivots. Beyond the unit's rows, and where nothing is to be read, there
// are zeros, and pivots of one.
HERON_FN void take_triangle(block_rows a, block_shape t, block_unit u, GLOBAL const CT* values,
                            GLOBAL const CT* diagonal, int is_void, int padded, solver_items w) {
    const int k = w.shared[1];
    ROLLED
    for (int e = w.item; e < padded * padded; e += w.count) {
        const int i = e / padded;
        const int j = e % padded;
        const int is_inside = !is_void && i < u.rows && j <= i && (j < i || !t.unit);
        CT value = i == j ? ONE(CT) : ZERO(CT);
        if (is_inside && i == j && diagonal) {
            value = diagonal[(heron_index)u.row * t.size + row_at(t, u, i)];
            if (t.conjugate) value = CONJ(CT, value);
        } else if (is_inside) {
            value = k < 0 ? ZERO(CT) : block_element(a, t, values, k, row_at(t, u, i), row_at(t, u, j));
        }
        w.triangle[e] = value;
        if (i == j) w.inverses[i] = DIV(CT, ONE(CT), value);
    }
}

// What an item has of a unit: rows from the place `first` on, of a strip, and one right-hand side.
typedef struct {
    int side;  // of the unit
    int strip_number, strips, first, slot;
    int works, solves;
} item_share;

HERON_FN item_share share_of_item(block_shape t, block_unit u, int item, int strips, int sides) {
    item_share own;
    own.side = item % t.sides;
    own.strips = strips;
    own.strip_number = item / t.sides % strips;
    own.slot = item / t.sides / strips;
    own.first = own.strip_number * strip;
    own.works = own.slot < t.slots && own.first < u.rows && u.side + own.side < sides;
    own.solves = own.works && own.slot == 0;
    return own;
}

HERON_FN void take_right_sides(block_shape t, block_unit u, item_share own, int is_void, GLOBAL const CT* b,
                               heron_index b_row, heron_index b_column, CT* right) {
    UNROLL
    for (int i = 0; i < strip; ++i) {
        const int is_read = own.solves && own.first + i < u.rows && !is_void;
        const heron_index row = u.row * t.size + row_at(t, u, own.first + i);
        right[i] = is_read ? b[row * b_row + (u.side + own.side) * b_column] : ZERO(CT);
    }
}

// Finds the diagonal block among the unit's, and those that the unit waits for.
HERON_FN void look_through_blocks(block_rows a, block_shape t, block_unit u, solver_items w) {
    int first = u.end;
    int last = -1;
    UNROLL_BY(4)
    for (int k = u.begin + w.item; k < u.end; k += w.count) {
        const int column = block_column(a, t, k);
        if (column == u.row) w.shared[1] = k;
        if (is_awaited(t, u, column)) {
            first = min(first, k);
            last = k;
        }
    }
    if (last < 0) return;
    FETCH_MIN(w.shared + 2, first);
    FETCH_MAX(w.shared + 3, last);
}

HERON_FN item_view view_of_item(block_shape t, block_unit u, item_share own, GLOBAL const WT* solved,
                                int width) {
    const int first_row = u.row * t.size + u.first;
    item_view v;
    v.solved = solved + (u.side + own.side) * words;
    v.stride = width * words;
    v.first_awaited = t.lower ? 0 : first_row + u.rows;
    v.awaited = (u32)(t.lower ? first_row : t.count * t.size - v.first_awaited);
    v.step = t.lower ? t.row_step : -t.row_step;
    v.first_step = row_at(t, u, own.first) * t.row_step;
    v.strip_rows = u.rows - own.first;
    return v;
}

// Adds the item's products with what other units have solved.
HERON_FN void add_products(block_rows a, block_shape t, block_unit u, const item_view* v, int slot,
                           GLOBAL const CT* values, CT* sums) {
    const int all = (u.end - u.begin) * t.size;
    const int step = t.slots * batch;
    for (int at = slot; at < all; at += step) {
        unknowns next;
        take_unknowns(a, t, u, v, values, at, all, &next);
        await_all(v, &next, all > step);
        UNROLL
        for (int i = 0; i < batch; ++i) {
            UNROLL
            for (int j = 0; j < strip; ++j) sums[j] = MAD(CT, next.elements[i][j], next.x[i].value, sums[j]);
        }
    }
}

// right := what the slots' sums are short of.
HERON_FN void join_slots(block_shape t, item_share own, solver_items w, const CT* sums, CT* right) {
    UNROLL
    for (int i = 0; i < strip; ++i) w.sums[w.item * strip + i] = sums[i];
    sync_solver(w.by_teams);
    UNROLL
    for (int i = 0; i < strip; ++i) right[i] = SUB(CT, ZERO(CT), sums[i]);
    const int apart = own.strips * t.sides;
    const int end = own.solves ? t.slots * apart : 0;
    for (int other = w.item + apart; other < end; other += apart) {
        UNROLL
        for (int i = 0; i < strip; ++i) right[i] = SUB(CT, right[i], w.sums[other * strip + i]);
    }
}

// Solves the item's strip of the triangle on the diagonal, and hands it over.
HERON_FN void solve_strip(block_shape t, block_unit u, item_share own, solver_items w, int divides,
                          GLOBAL WT* solved, heron_index width, GLOBAL CT* c, heron_index c_row,
                          heron_index c_column, LOCAL CT* solutions, CT* right) {
    const int padded = own.strips * strip;
    UNROLL
    for (int i = 0; i < strip; ++i) {
        LOCAL const CT* const column = w.triangle + own.first * padded + own.first + i;
        if (divides) right[i] = quotient(right[i], column[i * padded], w.inverses[own.first + i]);
        UNROLL
        for (int j = i + 1; j < strip; ++j)
            right[j] = SUB(CT, right[j], MUL(CT, column[j * padded], right[i]));
        const heron_index row = u.row * t.size + row_at(t, u, own.first + i);
        const int side = u.side + own.side;
        if (own.first + i < u.rows) {
            hand_over(right[i], solved + (row * width + side) * words);
            c[row * c_row + side * c_column] = right[i];
        }
        if (own.strips > 1) solutions[i * t.sides + own.side] = right[i];
    }
}

// Subtracts what the solution of an earlier strip, number `turn`, has to do with the item's.
HERON_FN void subtract_strip(block_shape t, item_share own, solver_items w, int turn,
                             LOCAL const CT* solutions, CT* right) {
    const int padded = own.strips * strip;
    UNROLL
    for (int j = 0; j < strip; ++j) {
        const CT earlier = solutions[j * t.sides + own.side];
        LOCAL const CT* const column = w.triangle + own.first * padded + turn * strip + j;
        UNROLL
        for (int i = 0; i < strip; ++i) right[i] = SUB(CT, right[i], MUL(CT, column[i * padded], earlier));
    }
}

// op(A)*C = alpha*B for right-hand sides [0, sides). control: the ticket that was drawn last, -1 before the
// first. solved: rows of `width` solutions. triangle: for each team that may solve a unit, room for the
// square of the rows of all strips. With one team there are as many groups as units.
HERON_GROUP_KERNEL(solve_blocks, GROUP, GLOBAL const int* offsets, GLOBAL const int* columns,
                   GLOBAL const int* sources, GLOBAL const int* records, GLOBAL const row_schedule* schedule,
                   block_shape t, GLOBAL const CT* values, GLOBAL const CT* diagonal, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, heron_index b_column,
                   GLOBAL CT* c, heron_index c_row, heron_index c_column, int sides, heron_index width,
                   GLOBAL WT* solved, GLOBAL int* control, LOCAL CT* triangle) {
    LOCAL_ARRAY(int, shared, 4 * TEAMS);
    LOCAL_ARRAY(CT, inverses, most_rows * TEAMS);
    LOCAL_ARRAY(CT, sums, GROUP * strip);
    LOCAL_ARRAY(CT, solutions, 2 * strip * most_sides * TEAMS);
    const int parts = (t.size + t.rows - 1) / t.rows;
    const int strips = (t.rows + strip - 1) / strip;
    const int padded = strips * strip;
    const int group_tiles = (sides + t.sides - 1) / t.sides;
    solver_items w;
    w.by_teams =
        TEAMS > 1 && schedule->is_ordered && !schedule->has_long && schedule->alone * group_tiles >= t.wide;
    if (w.by_teams) {
        t.sides = t.team_sides;
        t.slots = t.team_slots;
    }
    const int team = w.by_teams ? group_item() / lanes : 0;
    w.count = w.by_teams ? lanes : GROUP;
    w.item = group_item() - team * lanes;
    w.shared = shared + 4 * team;
    w.triangle = triangle + padded * padded * team;
    w.inverses = inverses + most_rows * team;
    w.sums = sums + strip * lanes * team;
    w.solutions = solutions + 2 * strip * most_sides * team;
    block_rows a;
    a.offsets = offsets;
    a.columns = columns;
    a.sources = sources;
    a.records = records;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_void = EQUAL(CT, alpha, ZERO(CT));
    const int divides = !t.unit && !is_void;
    const int tiles = (sides + t.sides - 1) / t.sides;
    const int units = t.count * parts * tiles;
    while (1) {
        if (w.item == 0) {
            w.shared[0] = FETCH_ADD(control, 1) + 1;
            w.shared[1] = w.shared[3] = -1;
            w.shared[2] = after_all;
        }
        sync_solver(w.by_teams);
        const int ticket = w.shared[0];
        if (TEAMS > 1 && ticket >= units) return;
        block_unit u = unit_of(a, t, schedule->is_ordered, ticket, tiles);
        const item_share own = share_of_item(t, u, w.item, strips, sides);
        CT own_sums[strip], right[strip];
        take_right_sides(t, u, own, is_void, b, b_row, b_column, right);
        look_through_blocks(a, t, u, w);
        sync_solver(w.by_teams);
        u.begin = min(u.end, w.shared[2]);
        u.end = max(u.begin, w.shared[3] + 1);
        UNROLL
        for (int i = 0; i < strip; ++i)
            own_sums[i] = own.solves && !is_void ? SUB(CT, ZERO(CT), MUL(CT, alpha, right[i])) : ZERO(CT);
        take_triangle(a, t, u, values, diagonal, is_void, padded, w);
        const item_view view = view_of_item(t, u, own, solved, (int)width);
        if (own.works && !is_void) add_products(a, t, u, &view, own.slot, values, own_sums);
        join_slots(t, own, w, own_sums, right);
        for (int turn = 0; turn * strip < u.rows; ++turn) {
            LOCAL CT* const of_strip = w.solutions + (turn & 1) * strip * t.sides;
            if (own.solves && own.strip_number == turn)
                solve_strip(t, u, own, w, divides, solved, width, c, c_row, c_column, of_strip, right);
            sync_solver(w.by_teams);
            if (own.solves && own.strip_number > turn) subtract_strip(t, own, w, turn, of_strip, right);
        }
        if (TEAMS == 1) return;
    }
}
HERON_CLOSE
HERON_CLOSE
