// The order of the rows of a triangle by levels. Types: OT offsets, IT indices. GUESS_GROUP: work-items that
// guess a grid.
//
// The rows of a regular grid, numbered line by line and plane by plane, need no search for their levels: with
// the right factors a and b the row at (x, y, z) belongs to level x + a y + b z. The shape is guessed from
// where chains of rows break off, the factors from some rows; then every element is checked. The chains also
// prove that the levels are not many more than there must be.

#define LEVEL_GROUP 128
#define LEVEL_BATCH 4       // elements of a row that an item waits for together
#define COUNTED_LEVELS 512  // levels whose rows a group counts
#define LONGEST_NAP 400     // ns between two looks
#define MOST_PER_CHAIN 8    // levels, of rows of the longest chain; stencils of next neighbours need up to 7

// Holds back an item that has looked in vain, the longer the more often it has.
#ifdef HERON_PTX
HERON_FN uint rest(uint nap, uint longest) {
    __asm__ volatile("nanosleep.u32 %0;" : : "r"(nap));
    return min(max(2 * nap, 32u), longest);
}
#else
HERON_FN uint rest(uint nap, uint longest) { return nap; }
#endif

HERON_FN int takes_part(triangle_shape t, heron_index row, heron_index column) {
    return needs(t, row, column) || (row == column && !t.unit);
}

// How many rows come before one, in the order in which they can be solved one after the other; and the row
// that so many come before.
HERON_FN int turned(triangle_shape t, int row) { return t.lower ? row : t.n - 1 - row; }

typedef struct {
    int is_grid;                // else the levels are searched
    int line, lines, planes;    // rows of a line, lines of a plane, planes
    int line_step, plane_step;  // levels from one line to the next, from one plane to the next
} row_grid;

typedef struct {
    int x, y, z;
} grid_point;

HERON_FN grid_point point_of(row_grid g, int number) {
    grid_point p;
    p.y = number / g.line;
    p.x = number - p.y * g.line;
    p.z = p.y / g.lines;
    p.y -= p.z * g.lines;
    return p;
}
HERON_FN int level_in_plane(row_grid g, grid_point p) { return p.x + g.line_step * p.y; }
HERON_FN int levels_of_plane(row_grid g) { return g.line + g.line_step * (g.lines - 1); }

// The lines of a plane that have a row below a level, and those all of whose rows are below it.
HERON_FN int lines_begun(row_grid g, int level) {
    return level <= 0 ? 0 : min((level - 1) / g.line_step + 1, g.lines);
}
HERON_FN int lines_done(row_grid g, int level) {
    return level < g.line ? 0 : min((level - g.line) / g.line_step + 1, g.lines);
}

// The rows of a plane that are below a level.
HERON_FN uint rows_below(row_grid g, int level) {
    const uint done = lines_done(g, level);
    const uint begun = lines_begun(g, level);
    const uint lost = (uint)(((ulong)begun * (begun - 1) - (ulong)done * (done - 1)) / 2);
    return done * g.line + (begun - done) * level - g.line_step * lost;
}

// What the items of the group that guesses know.
typedef struct {
    GLOBAL const OT* offsets;
    GLOBAL const IT* columns;
    triangle_shape shape;
    int longest;  // elements of a row; longer ones belong to no grid
} guessed_triangle;

HERON_FN heron_index begin_of(guessed_triangle t, int row) {
    return (heron_index)t.offsets[row] - t.shape.base;
}

// Whether the row with number i needs the one with number j.
HERON_FN int is_linked(guessed_triangle t, int i, int j) {
    const int row = turned(t.shape, i);
    const heron_index wanted = turned(t.shape, j) + t.shape.base;
    const heron_index begin = begin_of(t, row);
    const heron_index end = begin_of(t, row + 1);
    int found = 0;
    if (end - begin <= t.longest)
        for (heron_index k = begin; k < end; ++k) found |= (heron_index)t.columns[k] == wanted;
    return found;
}

// How many of `count` rows, `step` apart, need the one before each, from the first on. All items of the
// group.
HERON_FN int chain_length(guessed_triangle t, int step, int count, __local int* shortest) {
    const int id = get_local_id(0);
    int length = count;
    if (id == 0) *shortest = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int first = 1; first < count && length == count; first += GUESS_GROUP) {
        const int k = first + id;
        if (k < count && !is_linked(t, k * step, (k - 1) * step)) atomic_min(shortest, k);
        barrier(CLK_LOCAL_MEM_FENCE);
        length = *shortest;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return length;
}

// Levels that a line, or a plane, must be above the one before, if all that the row with number i needs is to
// be in lower levels.
HERON_FN int levels_above(guessed_triangle t, row_grid g, int of_planes, int i) {
    const int row = turned(t.shape, i);
    const heron_index begin = begin_of(t, row);
    const heron_index end = begin_of(t, row + 1);
    const grid_point p = point_of(g, i);
    int result = 1;
    if (end - begin > t.longest) return result;
    for (heron_index k = begin; k < end; ++k) {
        const heron_index column = (heron_index)t.columns[k] - t.shape.base;
        if (!needs(t.shape, row, column)) continue;
        const grid_point q = point_of(g, turned(t.shape, (int)column));
        const int steps = of_planes ? p.z - q.z : p.z == q.z ? p.y - q.y : 0;
        const int won = of_planes ? level_in_plane(g, p) - level_in_plane(g, q) : p.x - q.x;
        if (steps > 0) result = max(result, (steps - won) / steps);
    }
    return result;
}

// The highest of these for some rows. All items of the group.
HERON_FN int levels_apart(guessed_triangle t, row_grid g, int of_planes, __local int* highest) {
    const int id = get_local_id(0);
    if (id == 0) *highest = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int own =
        g.is_grid ? levels_above(t, g, of_planes, (int)((heron_index)id * t.shape.n / GUESS_GROUP)) : 1;
    if (own > 1) atomic_max(highest, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int result = *highest;
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

// *grid := a guess. If it is one, starts[level] := rows in lower levels if the planes went on for ever.
// scratch and starts: room for one more than n/16. One group.
__kernel __attribute__((reqd_work_group_size(GUESS_GROUP, 1, 1))) void heron_guess_grid(
    GLOBAL const OT* offsets, GLOBAL const IT* columns, triangle_shape shape, int longest,
    GLOBAL row_grid* grid, GLOBAL uint* scratch, GLOBAL uint* starts, GLOBAL int* control,
    GLOBAL int* highest) {
    __local int shared;
    const int id = get_local_id(0);
    guessed_triangle t;
    t.offsets = offsets;
    t.columns = columns;
    t.shape = shape;
    t.longest = longest;
    row_grid g;
    g.line = chain_length(t, 1, shape.n, &shared);
    g.lines = max(chain_length(t, g.line, g.line > 1 ? shape.n / g.line : 0, &shared), 1);
    const int plane = g.line * g.lines;
    g.planes = max(chain_length(t, plane, g.line > 1 ? shape.n / plane : 0, &shared), 1);
    g.is_grid = g.line > 1 && (heron_index)plane * g.planes == shape.n;
    g.line_step = levels_apart(t, g, 0, &shared);
    g.plane_step = levels_apart(t, g, 1, &shared);
    if (g.planes == 1) g.plane_step = levels_of_plane(g);
    const heron_index levels = levels_of_plane(g) + (heron_index)g.plane_step * (g.planes - 1);
    const int longest_chain = max(g.line, max(g.lines, g.planes));
    g.is_grid = g.is_grid && levels <= (heron_index)MOST_PER_CHAIN * longest_chain &&
                levels <= shape.n / 16 && levels * levels / g.plane_step <= (heron_index)16 * shape.n;
    const int entries = g.is_grid ? (int)levels + 1 : 0;
    for (int level = id; level < entries; level += GUESS_GROUP) scratch[level] = rows_below(g, level);
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int level = id; level < entries; level += GUESS_GROUP) {
        uint sum = 0;
        for (int l = level; l > 0; l -= g.plane_step) sum += scratch[l];
        starts[level] = sum;
    }
    if (id == 0) {
        *grid = g;
        *control = 0;
        *highest = max(entries - 2, 0);
    }
}

// Puts the rows of a grid into their order, or finds out that this is none. A record leaves out what the row
// has of the other triangle at its ends. The levels and counts are those of a search.
HERON_KERNEL(place_grid_rows, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict columns,
             triangle_shape t, GLOBAL row_grid* grid, GLOBAL const uint* restrict starts,
             GLOBAL uint* restrict levels, GLOBAL int* restrict counts, GLOBAL int* highest,
             GLOBAL int* restrict places, GLOBAL int4* restrict records) {
    levels[item] = 0;
    counts[item] = 0;
    const row_grid g = *grid;
    if (g.is_grid) {
        const int row = turned(t, (int)item);
        const heron_index begin = (heron_index)offsets[row] - t.base;
        const heron_index end = (heron_index)offsets[row + 1] - t.base;
        const grid_point p = point_of(g, (int)item);
        const int in_plane = level_in_plane(g, p);
        const int level = in_plane + g.plane_step * p.z;
        int fits = 1;
        heron_index first = end;
        heron_index last = end;
        for (heron_index k = begin; k < end; ++k) {
            const heron_index column = (heron_index)columns[k] - t.base;
            if (!takes_part(t, row, column)) continue;
            first = min(first, k);
            last = k + 1;
            if (column == row) continue;
            const grid_point q = point_of(g, turned(t, (int)column));
            fits = fits && level_in_plane(g, q) + g.plane_step * q.z < level;
        }
        if (fits) {
            // Of the planes that go on for ever, those from this one on, and up to the level after in those
            // before.
            const uint place = starts[level + 1] - starts[in_plane + 1] + starts[in_plane] -
                               starts[max(level - g.plane_step * g.planes, 0)] +
                               (p.y - lines_done(g, in_plane));
            records[place] = (int4)(row, (int)first, (int)last, 0);
            places[row] = (int)place;
        } else {
            grid->is_grid = 0;
            *highest = 0;
        }
    }
}
HERON_END

// levels[row] := one more than the highest of the levels of the rows that the row needs; at least 1. They are
// 0 before.
__kernel __attribute__((reqd_work_group_size(LEVEL_GROUP, 1, 1))) void heron_find_levels(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict columns, triangle_shape t,
    GLOBAL const row_grid* restrict grid, GLOBAL int* control, GLOBAL uint* levels,
    volatile GLOBAL int* highest) {
    __local int ticket;
    const int is_idle = grid->is_grid;
    const int place = draw_ticket(control, is_idle, &ticket) * LEVEL_GROUP + get_local_id(0);
    const int is_active = !is_idle && place < t.n;
    const int row = is_active ? turned(t, place) : 0;
    heron_index k = (heron_index)offsets[row] - t.base;
    const heron_index end = (heron_index)offsets[row + 1] - t.base;
    int needed[LEVEL_BATCH] = {0};
    uint waiting = 0;
    uint level = 0;
    uint nap = 0;
    while (is_active) {
        const uint before = waiting;
        uint seen[LEVEL_BATCH];
#pragma unroll
        for (int i = 0; i < LEVEL_BATCH; ++i) {
            seen[i] = 0;
            load_uint(waiting >> i & 1u, levels + needed[i], seen + i);
        }
#pragma unroll
        for (int i = 0; i < LEVEL_BATCH; ++i) {
            if (seen[i] == 0) continue;
            waiting &= ~(1u << i);
            level = max(level, seen[i]);
        }
        if (waiting == 0) {
            if (k >= end) {
                *(volatile GLOBAL uint*)(levels + row) = level + 1;
                break;
            }
#pragma unroll
            for (int i = 0; i < LEVEL_BATCH; ++i) {
                const heron_index column = k + i < end ? (heron_index)columns[k + i] - t.base : row;
                needed[i] = (int)column;
                if (needs(t, row, column)) waiting |= 1u << i;
            }
            k += LEVEL_BATCH;
            nap = 0;
        } else if (waiting == before) {
            nap = rest(nap, LONGEST_NAP);
        } else {
            nap = 0;
        }
    }
    if ((int)level > *highest) atomic_max(highest, (int)level);
}

// counts[level] := rows of the level, ranks[row] := which of them the row is. A group first counts those of
// COUNTED_LEVELS levels among themselves.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_rank_rows(
    GLOBAL const row_grid* restrict grid, GLOBAL const uint* restrict levels, int n, GLOBAL int* counts,
    GLOBAL int* restrict ranks) {
    __local int found[COUNTED_LEVELS];
    __local int lowest;
    const int id = get_local_id(0);
    const int row = get_group_id(0) * SCAN_GROUP + id;
    const int is_idle = grid->is_grid;
    const int is_active = !is_idle && row < n;
    const int counted = is_idle ? 0 : COUNTED_LEVELS;
    const int level = is_active ? (int)levels[row] - 1 : INT_MAX;
    for (int i = id; i < counted; i += SCAN_GROUP) found[i] = 0;
    if (id == 0) lowest = INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_active) atomic_min(&lowest, level);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int place = is_active && level - lowest < COUNTED_LEVELS ? level - lowest : -1;
    int rank = place >= 0 ? atomic_inc(found + place) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < counted; i += SCAN_GROUP)
        if (found[i] > 0) found[i] = atomic_add(counts + lowest + i, found[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (place >= 0)
        rank += found[place];
    else if (is_active)
        rank = atomic_inc(counts + level);
    if (is_active) ranks[row] = rank;
}

// Where each level begins in the order, in place of how many rows it has. One group.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_start_levels(
    GLOBAL const row_grid* restrict grid, GLOBAL const int* restrict highest, GLOBAL int* counts) {
    __local int sums[SCAN_GROUP];
    __local int total;
    const int id = get_local_id(0);
    const int levels = grid->is_grid ? 0 : *highest + 1;
    int before = 0;
    for (int first = 0; first < levels; first += SCAN_GROUP) {
        const int count = first + id < levels ? counts[first + id] : 0;
        sums[id] = count;
        for (int distance = 1; distance < SCAN_GROUP; distance *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const int other = id >= distance ? sums[id - distance] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[id] += other;
        }
        if (id == SCAN_GROUP - 1) total = sums[id];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + id < levels) counts[first + id] = before + sums[id] - count;
        before += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Puts the rows into the order of the levels that were searched. places: the ranks before.
HERON_KERNEL(place_rows, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict columns,
             triangle_shape t, GLOBAL const row_grid* restrict grid, GLOBAL const uint* restrict levels,
             GLOBAL const int* restrict counts, GLOBAL int* places, GLOBAL int4* records) {
    if (!grid->is_grid) {
        heron_index begin = (heron_index)offsets[item] - t.base;
        heron_index end = (heron_index)offsets[item + 1] - t.base;
        while (begin < end && !takes_part(t, item, (heron_index)columns[begin] - t.base)) ++begin;
        while (begin < end && !takes_part(t, item, (heron_index)columns[end - 1] - t.base)) --end;
        const int place = counts[levels[item] - 1] + places[item];
        records[place] = (int4)((int)item, (int)begin, (int)end, 0);
        places[item] = place;
    }
}
HERON_END
