// The order of the rows of a triangle by levels. Types: OT offsets, IT indices. GUESS_GROUP items guess a
// grid; LEVEL_GROUP rows of a group are levelled, on devices without lanes one.
//
// The rows of a regular grid, numbered line by line and plane by plane, need no search for their levels: with
// the right factors a and b the row at (x, y, z) belongs to level x + a y + b z. The shape is guessed from
// where chains of rows break off, the factors from some rows; then every element is checked. The chains also
// prove that the levels are not many more than there must be.
//
// The levels of other rows are found in one launch. An item per row waits for its rows, by looks each of
// which is one try (Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves",
// Euro-Par 2016); but rows of a team of which each needs the one before are done in one scan: a chain of 32
// rows costs as much as one.
HERON_PROGRAM(trisolve_order, class OT, class IT, int GUESS_GROUP, int LEVEL_GROUP)

CONSTANT(items, 256);
CONSTANT(team, LEVEL_GROUP < 32 ? LEVEL_GROUP : 32);
CONSTANT(long_words, (LEVEL_GROUP + 31) / 32);  // a bit per row of a group: whether it is long
CONSTANT(batch, 4);                             // elements of a row that an item waits for together
CONSTANT(longest_nap, 400);                     // ns between two looks
CONSTANT(most_trimmed, 256);                    // elements at each end of a row
CONSTANT(looked_up, 4096);                      // levels of a plane whose rows are counted once
CONSTANT(most_per_chain,
         8);  // levels, of rows of the longest chain; stencils of next neighbours need up to 7

// How the rows get their order.
CONSTANT(by_search, 0);
CONSTANT(by_grid, 1);
CONSTANT(by_number, 2);

// A grid's rows of a line, lines of a plane and planes; levels from one line to the next, and from one plane
// to the next.
typedef struct {
    int line, lines, planes;
    int line_step, plane_step;
} row_grid;

typedef struct {
    u32 source;
    row_grid grid;
} grid_guess;

// In the order in which rows can be solved one after the other, counted from there.
typedef struct {
    int x, y, z;
} grid_point;

// Rows begin at their offsets; of what is from their ends on they need nothing.
typedef struct {
    GLOBAL const OT* offsets;
    GLOBAL const OT* ends;
    GLOBAL const IT* columns;
    triangle_shape shape;
    u32 longest;  // elements of a row that no group walks together
} stored_rows;

typedef struct {
    int row;
    u32 begin, end;
} row_part;

HERON_FN stored_rows rows_of_triangle(GLOBAL const OT* offsets, GLOBAL const OT* ends,
                                      GLOBAL const IT* columns, triangle_shape shape, u32 longest) {
    stored_rows t;
    t.offsets = offsets;
    t.ends = ends;
    t.columns = columns;
    t.shape = shape;
    t.longest = longest;
    return t;
}

HERON_FN row_part part_of(stored_rows t, int row) {
    row_part part;
    part.row = row;
    part.begin = (u32)((heron_index)t.offsets[row] - t.shape.base);
    part.end = (u32)((heron_index)t.ends[row] - t.shape.base);
    return part;
}
// With what is from the row's end on.
HERON_FN row_part whole_part_of(stored_rows t, int row) {
    row_part part = part_of(t, row);
    part.end = (u32)((heron_index)t.offsets[row + 1] - t.shape.base);
    return part;
}
HERON_FN int is_long(stored_rows t, row_part part) { return part.end - part.begin > t.longest; }
HERON_FN int column_of(stored_rows t, u32 k) { return (int)((heron_index)t.columns[k] - t.shape.base); }

HERON_FN int takes_part(stored_rows t, int row, int column) {
    return is_needed(t.shape, row, column) || (row == column && !t.shape.unit);
}

// A row, and where its elements are, without those at its ends that take no part in the system.
HERON_FN int4 record_of(stored_rows t, row_part part) {
    const u32 last_begin = min(part.end, part.begin + most_trimmed);
    while (part.begin < last_begin && !takes_part(t, part.row, column_of(t, part.begin))) ++part.begin;
    const u32 first_end = part.end - min(part.end - part.begin, (u32)most_trimmed);
    while (part.end > first_end && !takes_part(t, part.row, column_of(t, part.end - 1))) --part.end;
    const int4 record = {part.row, (int)part.begin, (int)part.end, 0};
    return record;
}

HERON_FN grid_point point_of(row_grid g, int number) {
    grid_point p;
    const int y = number / g.line;
    p.z = y / g.lines;
    p.x = number - y * g.line;
    p.y = y - p.z * g.lines;
    return p;
}
HERON_FN int level_in_plane(row_grid g, grid_point p) { return p.x + g.line_step * p.y; }
HERON_FN int level_of(row_grid g, grid_point p) { return level_in_plane(g, p) + g.plane_step * p.z; }
HERON_FN heron_index levels_of(row_grid g) {
    return g.line + (heron_index)g.line_step * (g.lines - 1) + (heron_index)g.plane_step * (g.planes - 1);
}
// The lines of a plane that have a row of a level: the first one, and how many.
HERON_FN int first_line(row_grid g, int level) {
    return level < g.line ? 0 : (level - g.line) / g.line_step + 1;
}
HERON_FN u32 rows_in_plane(row_grid g, int level) {
    const int end = level < 0 ? 0 : min(level / g.line_step + 1, g.lines);
    return (u32)max(end - first_line(g, level), 0);
}

// Whether the row with number i needs the one with number j. Long rows belong to no grid.
HERON_FN int is_linked_to(stored_rows t, int i, int j) {
    const row_part part = part_of(t, turned_row(t.shape, i));
    const int wanted = turned_row(t.shape, j);
    int found = 0;
    if (!is_long(t, part))
        for (u32 k = part.begin; k < part.end; ++k) found |= column_of(t, k) == wanted;
    return found;
}

// How many of `count` rows, `step` apart, need the one before each, from the first on; so many at least if
// there are very many.
HERON_FN int chain_length(stored_rows t, int step, int count, LOCAL int* shortest) {
    const int most = min(count, 32 * GUESS_GROUP);
    int length = count;
    for (int first = 1; first < most && length == count; first += GUESS_GROUP) {
        if (group_item() == 0) *shortest = count;
        sync_group();
        const int k = first + group_item();
        if (k < count && !is_linked_to(t, k * step, (k - 1) * step)) FETCH_MIN(shortest, k);
        sync_group();
        length = *shortest;
        sync_group();
    }
    return length < count ? length : most;
}

// Levels that a line, or a plane, must be above the one before, if all that the row with number i needs is to
// be in lower levels.
HERON_FN int levels_above(stored_rows t, row_grid g, int of_planes, int i) {
    const row_part part = part_of(t, turned_row(t.shape, i));
    const grid_point p = point_of(g, i);
    int result = 1;
    if (is_long(t, part)) return result;
    for (u32 k = part.begin; k < part.end; ++k) {
        const int column = column_of(t, k);
        if (is_needed(t.shape, part.row, column)) {
            const grid_point q = point_of(g, turned_row(t.shape, column));
            const int steps = of_planes ? p.z - q.z : p.z == q.z ? p.y - q.y : 0;
            const int won = of_planes ? level_in_plane(g, p) - level_in_plane(g, q) : p.x - q.x;
            if (steps > 0) result = max(result, (steps - won) / steps);
        }
    }
    return result;
}

// The highest of these for some rows.
HERON_FN int levels_apart(stored_rows t, row_grid g, int of_planes, LOCAL int* highest) {
    if (group_item() == 0) *highest = 1;
    sync_group();
    FETCH_MAX(highest,
              levels_above(t, g, of_planes, (int)((heron_index)group_item() * t.shape.n / GUESS_GROUP)));
    sync_group();
    const int result = *highest;
    sync_group();
    return result;
}

// Levels of fewer than `narrowest` rows are no order.
HERON_FN grid_guess guess_grid(stored_rows t, heron_index room, int narrowest, LOCAL int* shared) {
    const int n = t.shape.n;
    grid_guess guess;
    row_grid g;
    g.line = chain_length(t, 1, n, shared);
    g.lines = g.planes = g.line_step = g.plane_step = 1;
    guess.source = by_search;
    guess.grid = g;
    if (g.line == 1) return guess;
    g.lines = chain_length(t, g.line, n / g.line, shared);
    const int plane = g.line * g.lines;
    g.planes = chain_length(t, plane, n / plane, shared);
    const int longest_chain = max(g.line, max(g.lines, g.planes));
    if (n / longest_chain < narrowest) {
        guess.source = by_number;
        return guess;
    }
    if ((heron_index)plane * g.planes != n) return guess;
    g.line_step = levels_apart(t, g, 0, shared);
    g.plane_step = levels_apart(t, g, 1, shared);
    const heron_index levels = levels_of(g);
    if (levels <= (heron_index)most_per_chain * longest_chain && n / levels >= narrowest &&
        levels * g.planes <= room)
        guess.source = by_grid;
    guess.grid = g;
    return guess;
}

// How many rows of a plane belong to a level. Most are looked up.
HERON_FN u32 look_up_rows(row_grid g, int level, LOCAL const u32* plane_rows) {
    if (level < 0) return 0;
    return level < looked_up ? plane_rows[level] : rows_in_plane(g, level);
}

// For each level and plane, how many rows come before the first one of both.
HERON_FN void start_grid_levels(row_grid g, GLOBAL u32* starts, LOCAL u32* plane_rows, PARTS(u32) parts) {
    for (int level = group_item(); level < looked_up; level += GUESS_GROUP)
        plane_rows[level] = rows_in_plane(g, level);
    sync_group();
    const int entries = (int)levels_of(g) * g.planes;
    const int share = (entries + GUESS_GROUP - 1) / GUESS_GROUP;
    const int first = min(group_item() * share, entries);
    const int end = min(first + share, entries);
    u32 count = 0;
    for (int i = first; i < end; ++i)
        count += look_up_rows(g, i / g.planes - g.plane_step * (i % g.planes), plane_rows);
    u32 all = 0;
    u32 before = GROUP_SCAN(u32, parts, GUESS_GROUP, count, all);
    for (int i = first; i < end; ++i) {
        starts[i] = before;
        before += look_up_rows(g, i / g.planes - g.plane_step * (i % g.planes), plane_rows);
    }
}

// The first group guesses where the order comes from, the others clear memory. control: of find_levels.
HERON_GROUP_KERNEL(prepare_order, GUESS_GROUP, GLOBAL const OT* offsets, GLOBAL const OT* ends,
                   GLOBAL const IT* columns, triangle_shape shape, u32 longest, heron_index room,
                   int narrowest, GLOBAL uint4* zeroed, heron_index zeroed_count, GLOBAL u32* control,
                   int control_count, GLOBAL grid_guess* guess, GLOBAL row_schedule* schedule,
                   GLOBAL u32* grid_starts) {
    LOCAL_ARRAY(int, shared, 1);
    LOCAL_ARRAY(u32, plane_rows, looked_up);
    PARTS_ARRAY(u32, parts, GUESS_GROUP);
    if (group_id() > 0) {
        const uint4 zero = {0, 0, 0, 0};
        const heron_index step = (heron_index)(group_count() - 1) * GUESS_GROUP;
        for (heron_index i = (heron_index)(group_id() - 1) * GUESS_GROUP + group_item(); i < zeroed_count;
             i += step)
            zeroed[i] = zero;
        return;
    }
    const stored_rows t = rows_of_triangle(offsets, ends, columns, shape, longest);
    const grid_guess found = guess_grid(t, room, narrowest, shared);
    const int is_grid = found.source == by_grid;
    if (group_item() == 0) {
        for (int i = 0; i < control_count; ++i) control[i] = 0;
        *guess = found;
        schedule->highest = is_grid ? (u32)levels_of(found.grid) - 1 : 0;
        schedule->is_ordered = is_grid;
        schedule->width = is_grid ? (int)(shape.n / levels_of(found.grid)) : 1;
        schedule->has_long = 0;
        schedule->alone = 0;
    }
    if (is_grid) start_grid_levels(found.grid, grid_starts, plane_rows, parts);
}
HERON_CLOSE

// Whether all that a row has before it is in lower levels.
HERON_FN int fits_grid(stored_rows t, row_grid g, row_part part, int level) {
    int fits = 1;
    for (u32 k = part.begin; k < part.end; ++k) {
        const int column = column_of(t, k);
        if (is_needed(t.shape, part.row, column))
            fits = fits && level_of(g, point_of(g, turned_row(t.shape, column))) < level;
    }
    return fits;
}

HERON_FN void search_instead(GLOBAL grid_guess* guess, GLOBAL row_schedule* schedule) {
    STORE_RELAXED(&schedule->highest, 0u);
    STORE_RELAXED(&guess->source, (u32)by_search);
}

// Puts the rows of a grid into their order, or finds out that this is none.
HERON_GROUP_KERNEL(place_grid_rows, items, GLOBAL const OT* offsets, GLOBAL const OT* ends,
                   GLOBAL const IT* columns, triangle_shape shape, u32 longest, GLOBAL grid_guess* guess,
                   GLOBAL row_schedule* schedule, GLOBAL const u32* grid_starts, GLOBAL int4* records,
                   GLOBAL u32* places) {
    const grid_guess found = *guess;
    const int number = group_id() * items + group_item();
    if (found.source == by_search || number >= shape.n) return;
    const stored_rows t = rows_of_triangle(offsets, ends, columns, shape, longest);
    const row_part part = whole_part_of(t, turned_row(shape, number));
    if (is_long(t, part)) {
        STORE_RELAXED(&schedule->has_long, 1u);
        if (found.source == by_grid) search_instead(guess, schedule);
        return;
    }
    if (found.source == by_number) return;
    const row_grid g = found.grid;
    const grid_point p = point_of(g, number);
    const int level = level_of(g, p);
    if (!fits_grid(t, g, part, level)) {
        search_instead(guess, schedule);
        return;
    }
    const int line = p.y - first_line(g, level_in_plane(g, p));
    const u32 place = grid_starts[level * g.planes + p.z] + (u32)line;
    records[place] = record_of(t, part);
    places[part.row] = place;
}
HERON_CLOSE

// What all items of a group know.
typedef struct {
    stored_rows rows;
    GLOBAL u32* levels;     // of all rows, each one more than the level; 0: not known
    LOCAL u32* own_levels;  // of those of the group
    int first;              // number of the first of them
    BOARD(i32) board;
} level_group;

// What an item knows of its row.
typedef struct {
    int row, own;
    u32 begin, end;
    u32 k, count;  // elements that have been taken, of so many
    bool is_long, is_posted;
    bool is_linked;  // needs the row of the lane before
    u32 level;       // one more than the level, as far as it is known
    u32 result;      // of a row that was posted; 0 for one that is not there
    int columns[batch];
    u32 seen[batch];
    u32 far_away;  // elements that need rows of other groups
    u32 close_by;  // and rows of this group
} levelled_row;

HERON_FN int place_in_group(level_group g, int row) { return turned_row(g.rows.shape, row) - g.first; }

HERON_FN void await(level_group g, levelled_row* r, int i) {
    const int place = place_in_group(g, r->columns[i]);
    if (place < 0)
        r->far_away |= 1u << i;
    else if (r->own % team > 0 && place == r->own - 1)
        r->is_linked = 1;
    else
        r->close_by |= 1u << i;
}

// Goes on to elements that must be waited for.
HERON_FN void take_elements(level_group g, levelled_row* r) {
    while ((r->far_away | r->close_by) == 0 && r->k < r->count) {
        UNROLL
        for (int i = 0; i < batch; ++i)
            r->columns[i] =
                r->k + i < r->count
                    ? column_of(g.rows, element_in_order(g.rows.shape, r->begin, r->end, r->k + i))
                    : -1;
        UNROLL
        for (int i = 0; i < batch; ++i)
            if (is_needed(g.rows.shape, r->row, r->columns[i])) await(g, r, i);
        r->k += batch;
    }
}

// Elements of a row up to the last one that it needs: behind it nothing is to be waited for.
HERON_FN u32 needed_count(level_group g, row_part part) {
    u32 count = part.end - part.begin;
    int found = 0;
    while (count > 0) {
        UNROLL
        for (int i = 0; i < batch; ++i) {
            const u32 q = count - 1 - (u32)i;
            if ((u32)i < count)
                found |=
                    is_needed(g.rows.shape, part.row,
                              column_of(g.rows, element_in_order(g.rows.shape, part.begin, part.end, q)));
        }
        if (found) return count;
        count -= min(count, (u32)batch);
    }
    return 0;
}

// A row that is not there has been posted; a long one waits for what the group finds out about it.
HERON_FN levelled_row begin_row(level_group g, row_part part, int is_present) {
    levelled_row r;
    r.row = part.row;
    r.own = group_item();
    r.is_long = is_long(g.rows, part);
    r.begin = part.begin;
    r.end = part.end;
    r.k = 0;
    r.count = r.is_long ? 0 : needed_count(g, part);
    r.is_posted = !is_present;
    r.is_linked = 0;
    r.level = 1;
    r.result = 0;
    r.far_away = r.close_by = 0;
    UNROLL
    for (int i = 0; i < batch; ++i) {
        r.columns[i] = -1;
        r.seen[i] = 0;
    }
    take_elements(g, &r);
    return r;
}

// Looks for what the row waits for, in the group and maybe elsewhere. Whether there is anything for a row of
// the team.
HERON_FN int look(level_group g, levelled_row* r, int is_elsewhere) {
    const u32 wanted = is_elsewhere ? r->far_away : 0u;
    u32 any = 0;
    UNROLL
    for (int i = 0; i < batch; ++i) {
        r->seen[i] = 0;
        LOAD_RELAXED_IF(wanted >> i & 1u, g.levels + r->columns[i], r->seen[i]);
    }
    UNROLL
    for (int i = 0; i < batch; ++i) {
        if (r->close_by >> i & 1u) r->seen[i] = FETCH_OR(g.own_levels + place_in_group(g, r->columns[i]), 0u);
        any |= r->seen[i];
    }
    return ANY_LANE(g.board, any != 0);
}

HERON_FN void use_what_was_seen(level_group g, levelled_row* r) {
    UNROLL
    for (int i = 0; i < batch; ++i)
        if (r->seen[i] != 0) {
            r->level = max(r->level, r->seen[i] + 1u);
            r->far_away &= ~(1u << i);
            r->close_by &= ~(1u << i);
        }
    take_elements(g, r);
}

HERON_FN void post(level_group g, levelled_row* r, u32 result) {
    r->level = r->result = result;
    r->is_long = 0;
    r->is_posted = 1;
    EXCHANGE(g.own_levels + r->own, result);
    STORE_RELAXED(g.levels + r->row, result);
}

// Posts the row if all that it needs has been used or is posted with it. Whether a row of the team has been
// posted.
HERON_FN int settle(level_group g, levelled_row* r) {
    const int lane = r->own % team;
    const int is_complete = (r->far_away | r->close_by) == 0 && r->k >= r->count && !r->is_long;
    const u32 open = BALLOT(g.board, !is_complete);
    const u32 starts = ~BALLOT(g.board, r->is_linked);
    const u32 upto = 0xffffffffu >> (31 - lane);
    const int start = 31 - (int)clz(starts & upto);
    int highest = (int)r->level - lane;
    UNROLL_LANES
    for (int distance = 1; distance < team; distance *= 2) {
        SYNC_BOARD();
        PUT(i32, g.board, highest);
        SYNC_BOARD();
        const int below = GET_BELOW(i32, g.board, team, highest, distance);
        if (lane - distance >= start) highest = max(highest, below);
    }
    const int is_ready = !r->is_posted && (open & upto & (0xffffffffu << start)) == 0;
    if (is_ready) post(g, r, (u32)(highest + lane));
    return ANY_LANE(g.board, is_ready);
}

// Until all rows before row `until` of the group have been posted. again: whether a row of the team has just
// been posted, which is also what is returned.
HERON_FN int level_short_rows(level_group g, levelled_row* r, int until, int again) {
    while (ANY_LANE(g.board, !r->is_posted && r->own < until)) {
        // Polling by all rows that wait would keep those from the caches that need not.
        u32 nap = 16;
        while (!(again && look(g, r, 0)) && !look(g, r, 1)) {
            again = 0;
            NAP(nap);
            nap = min(2 * nap, (u32)longest_nap);
        }
        use_what_was_seen(g, r);
        again = settle(g, r);
    }
    return again;
}

// One more than the level of a row that all items walk together, when the rows before it in the group have
// been posted.
HERON_FN u32 level_of_long_row(level_group g, int row, LOCAL u32* highest) {
    const row_part part = part_of(g.rows, row);
    u32 level = 1;
    for (u32 k = part.begin + (u32)group_item(); k < part.end; k += batch * LEVEL_GROUP) {
        int columns[batch];
        u32 waiting = 0;
        UNROLL
        for (int i = 0; i < batch; ++i) {
            const u32 at = k + (u32)(i * LEVEL_GROUP);
            columns[i] = at < part.end ? column_of(g.rows, at) : -1;
            if (is_needed(g.rows.shape, row, columns[i])) waiting |= 1u << i;
        }
        while (waiting != 0) {
            u32 seen[batch];
            UNROLL
            for (int i = 0; i < batch; ++i) {
                seen[i] = 0;
                LOAD_RELAXED_IF(waiting >> i & 1u, g.levels + columns[i], seen[i]);
            }
            UNROLL
            for (int i = 0; i < batch; ++i)
                if (seen[i] != 0) {
                    level = max(level, seen[i] + 1u);
                    waiting &= ~(1u << i);
                }
        }
    }
    if (group_item() == 0) *highest = 0;
    sync_group();
    const u32 of_lanes = (u32)MAX_TOGETHER(g.board, (int)level);
    if (group_item() % team == 0) FETCH_MAX(highest, of_lanes);
    sync_group();
    level = *highest;
    sync_group();
    return level;
}

// The first long row of the group that is not before `from`; LEVEL_GROUP if there is none.
HERON_FN int next_long(LOCAL const u32* bits, int from) {
    if (from >= LEVEL_GROUP) return LEVEL_GROUP;
    int word = from / 32;
    u32 later = bits[word] & (0xffffffffu << from % 32);
    while (later == 0 && ++word < long_words) later = bits[word];
    return later == 0 ? LEVEL_GROUP : word * 32 + 31 - (int)clz(later & (0 - later));
}

// Counts the rows of each level. Those of a team get neighbouring ranks in their level.
HERON_FN void rank_row(level_group g, int row, u32 result, GLOBAL u32* counts, GLOBAL u32* ranks,
                       GLOBAL row_schedule* schedule) {
    const int lane = group_item() % team;
    const u32 same = SAME(g.board, (int)result);
    const int leader = 31 - (int)clz(same & (0 - same));
    int rank = 0;
    if (result != 0 && lane == leader) rank = (int)FETCH_ADD(counts + result - 1, (u32)popcount(same));
    SYNC_BOARD();
    PUT(i32, g.board, rank);
    SYNC_BOARD();
    rank = GET(i32, g.board, team, rank, leader) + (int)popcount(same & ((1u << lane) - 1u));
    if (result != 0) ranks[row] = (u32)rank;
    const u32 highest = (u32)MAX_TOGETHER(g.board, (int)result);
    if (lane == 0 && highest > LOAD_RELAXED(&schedule->highest) + 1u)
        FETCH_MAX(&schedule->highest, highest - 1u);
}

// levels, counts of rows per level and ranks in their levels; levels and counts are 0 before. control: two
// zeros, which are left as such. Groups draw tickets, so that a row waits only for rows whose groups are
// running or done.
HERON_GROUP_KERNEL(find_levels, LEVEL_GROUP, GLOBAL const OT* offsets, GLOBAL const OT* ends,
                   GLOBAL const IT* columns, triangle_shape shape, u32 longest,
                   GLOBAL const grid_guess* guess, GLOBAL u32* control, GLOBAL u32* levels,
                   GLOBAL u32* counts, GLOBAL u32* ranks, GLOBAL row_schedule* schedule) {
    LOCAL_ARRAY(u32, own_levels, LEVEL_GROUP);
    LOCAL_ARRAY(u32, long_bits, long_words);
    LOCAL_ARRAY(u32, ticket, 1);
    LOCAL_ARRAY(u32, highest, 1);
    BOARD_ARRAY(i32, board, LEVEL_GROUP);
    if (guess->source != by_search) return;
    const int own = group_item();
    own_levels[own] = 0;
    if (own < long_words) long_bits[own] = 0;
    if (own == 0) *ticket = FETCH_ADD(control, 1u);
    sync_group();
    level_group g;
    g.rows = rows_of_triangle(offsets, ends, columns, shape, longest);
    g.levels = levels;
    g.own_levels = own_levels;
    g.first = (int)*ticket * LEVEL_GROUP;
    g.board = board;
    const int is_present = own < shape.n - g.first;
    row_part part;
    part.row = 0;
    part.begin = part.end = 0;
    if (is_present) part = part_of(g.rows, turned_row(shape, g.first + own));
    if (is_long(g.rows, part)) {
        FETCH_OR(long_bits + own / 32, 1u << own % 32);
        STORE_RELAXED(&schedule->has_long, 1u);
    }
    sync_group();
    levelled_row r = begin_row(g, part, is_present);
    int again = settle(g, &r);
    int from = 0;
    while (from < LEVEL_GROUP) {
        const int until = next_long(long_bits, from);
        again = level_short_rows(g, &r, until, again);
        if (until < LEVEL_GROUP) {
            const u32 result = level_of_long_row(g, turned_row(shape, g.first + until), highest);
            if (own == until) post(g, &r, result);
            again = settle(g, &r);
        }
        from = until + 1;
    }
    rank_row(g, part.row, r.result, counts, ranks, schedule);
    sync_group();
    if (own == 0 && FETCH_ADD(control + 1, 1u) == (u32)group_count() - 1u) control[0] = control[1] = 0;
}
HERON_CLOSE

// Where each level begins in the order, in place of how many rows it has; or that levels are too narrow, with
// fewer than `narrowest` rows. One group.
HERON_GROUP_KERNEL(start_levels, GUESS_GROUP, GLOBAL const grid_guess* guess, int n, int narrowest,
                   GLOBAL row_schedule* schedule, GLOBAL u32* counts) {
    PARTS_ARRAY(u32, parts, GUESS_GROUP);
    if (guess->source != by_search) return;
    const int levels = (int)schedule->highest + 1;
    const int width = n / levels;
    if (group_item() == 0) {
        schedule->width = max(width, 1);
        schedule->is_ordered = width >= narrowest;
        if (width >= narrowest) schedule->alone = (int)counts[0];
    }
    if (width < narrowest) return;
    u32 before = 0;
    for (int first = 0; first < levels; first += GUESS_GROUP) {
        const int level = first + group_item();
        u32 all = 0;
        const u32 start = GROUP_SCAN(u32, parts, GUESS_GROUP, level < levels ? counts[level] : 0u, all);
        if (level < levels) counts[level] = before + start;
        before += all;
    }
}
HERON_CLOSE

// Puts the rows into the order of the levels that were searched. places: the ranks before. report: of the
// host's memory, or NULL; which of two words says whether there are long rows.
HERON_GROUP_KERNEL(place_rows, items, GLOBAL const OT* offsets, GLOBAL const OT* ends,
                   GLOBAL const IT* columns, triangle_shape shape, u32 longest,
                   GLOBAL const grid_guess* guess, GLOBAL const row_schedule* schedule,
                   GLOBAL const u32* levels, GLOBAL const u32* starts, GLOBAL int4* records,
                   GLOBAL u32* places, GLOBAL u32* report, u32 long_word, u32 short_word) {
    const int row = group_id() * items + group_item();
    if (row == 0 && report) *(volatile GLOBAL u32*)report = schedule->has_long ? long_word : short_word;
    if (row >= shape.n || guess->source != by_search || !schedule->is_ordered) return;
    const stored_rows t = rows_of_triangle(offsets, ends, columns, shape, longest);
    const u32 place = starts[levels[row] - 1u] + places[row];
    records[place] = record_of(t, part_of(t, row));
    places[row] = place;
}
HERON_CLOSE

HERON_CLOSE
