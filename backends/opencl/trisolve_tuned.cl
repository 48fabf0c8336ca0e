// Sparse triangular solves in one launch, for devices on which a group that has begun goes on whatever others do. Types: CT
// elements, OT offsets, IT indices. GROUP: work-items per group; LANES neighbours solve a row, PACK right-hand sides each;
// BATCH: elements of a row that an item waits for together; IS_REAL: CT is no complex type.
//
// Rows draw tickets in an order in which each comes after all that it needs, and wait for what these find out: their
// solutions, or their levels (Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par
// 2016). Every look at another row's result is one try, so that no item stands still for another one beside it. Solutions
// are handed over through memory all of whose bits are set before: whoever reads anything else there reads the solution.

#define SIDES (LANES * PACK)  // right-hand sides of a group
#define SCAN_GROUP 256
#define TURNED 32             // rows and columns of a tile that is turned
#define LEVELS 512            // that a group counts the rows of
#define LONGEST_NAP 400       // ns between two looks

// BOX is what an item hands over at a time: words that are written and read as a whole.
#define BOX_NAME(name) HERON_NAME1(name, BOX)
HERON_FN int is_set_uint(uint v) { return v != UINT_MAX; }
HERON_FN int is_set_ulong(ulong v) { return v != ULONG_MAX; }
HERON_FN int is_set_ulong2(ulong2 v) { return v.x != ULONG_MAX && v.y != ULONG_MAX; }
// The bits that say "not yet" are those of a NaN, in whose place another one is handed over.
HERON_FN uint marked_uint(uint v) { return v == UINT_MAX ? UINT_MAX >> 1 : v; }
HERON_FN ulong marked_ulong(ulong v) { return v == ULONG_MAX ? ULONG_MAX >> 1 : v; }
HERON_FN ulong2 marked_ulong2(ulong2 v) { return (ulong2)(marked_ulong(v.x), marked_ulong(v.y)); }
#define UNPACK(box, to) HERON_NAME2(unpack, CT, BOX)(box, to)
#define PACK_UP(from) HERON_NAME2(pack, CT, BOX)(from)
HERON_FN void unpack_f32_uint(uint v, f32* to) { to[0] = as_float(v); }
HERON_FN uint pack_f32_uint(const f32* from) { return as_uint(from[0]); }
HERON_FN void unpack_f32_ulong2(ulong2 v, f32* to) { vstore4(as_float4(v), 0, to); }
HERON_FN ulong2 pack_f32_ulong2(const f32* from) { return as_ulong2(vload4(0, from)); }
HERON_FN void unpack_c32_ulong(ulong v, c32* to) { to[0] = as_float2(v); }
HERON_FN ulong pack_c32_ulong(const c32* from) { return as_ulong(from[0]); }
HERON_FN void unpack_c32_ulong2(ulong2 v, c32* to) {
    to[0] = as_float2(v.x);
    to[1] = as_float2(v.y);
}
HERON_FN ulong2 pack_c32_ulong2(const c32* from) { return (ulong2)(as_ulong(from[0]), as_ulong(from[1])); }
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
HERON_FN void unpack_f64_ulong(ulong v, f64* to) { to[0] = as_double(v); }
HERON_FN ulong pack_f64_ulong(const f64* from) { return as_ulong(from[0]); }
HERON_FN void unpack_f64_ulong2(ulong2 v, f64* to) {
    to[0] = as_double(v.x);
    to[1] = as_double(v.y);
}
HERON_FN ulong2 pack_f64_ulong2(const f64* from) { return (ulong2)(as_ulong(from[0]), as_ulong(from[1])); }
HERON_FN void unpack_c64_ulong2(ulong2 v, c64* to) { to[0] = as_double2(v); }
HERON_FN ulong2 pack_c64_ulong2(const c64* from) { return as_ulong2(from[0]); }
#endif

// What is divided by. Most of a division can be done before there is anything to divide: Newton's step for the quotient, with
// the remainder of a fused operation, then rounds it as a division does. Where that overflows or divides by zero, the result
// is that of a division.
#if IS_REAL
HERON_FN CT inverse_of(CT pivot) { return ONE(CT) / pivot; }
HERON_FN CT quotient(CT right, CT pivot, CT inverse) {
    const CT rough = right * inverse;
    const CT result = fma(fma(-rough, pivot, right), inverse, rough);
    return isfinite(result) ? result : right / pivot;
}
#else
HERON_FN CT inverse_of(CT pivot) { return pivot; }
HERON_FN CT quotient(CT right, CT pivot, CT inverse) { return DIV(CT, right, pivot); }
#endif

// Holds back an item that has looked in vain, the longer the more often it has.
#ifdef HERON_PTX
HERON_FN uint rest(uint nap, uint longest) {
    __asm__ volatile("nanosleep.u32 %0;" : : "r"(nap));
    return min(max(2 * nap, 32u), longest);
}
#else
HERON_FN uint rest(uint nap, uint longest) { return nap; }
#endif

// How the rows are ordered. With an order by levels, row number `place` of the order is records[place] = (row, begin, end),
// and places[row] is the place. Else rows come by number, upwards for a lower triangle and downwards for an upper one.
typedef struct {
    heron_index base;
    int n, lower, unit;
} triangle_shape;

HERON_FN int needs(triangle_shape t, heron_index row, heron_index column) {
    return t.lower ? column >= 0 && column < row : column > row && column < t.n;
}

HERON_FN int takes_part(triangle_shape t, heron_index row, heron_index column) {
    return needs(t, row, column) || (row == column && !t.unit);
}

// The number of this group in the order in which groups begin.
HERON_FN int draw_ticket(GLOBAL int* control, __local int* ticket) {
    if (get_local_id(0) == 0) *ticket = atomic_inc(control);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *ticket;
}

// levels[row] := one more than the highest of the levels of the rows that the row needs; at least 1. They are 0 before.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_find_levels(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict columns, triangle_shape t, GLOBAL int* control,
    volatile GLOBAL uint* levels, volatile GLOBAL int* highest) {
    __local int ticket;
    const int place = draw_ticket(control, &ticket) * GROUP + get_local_id(0);
    if (place >= t.n) return;
    const int row = t.lower ? place : t.n - 1 - place;
    heron_index k = (heron_index)offsets[row] - t.base;
    const heron_index end = (heron_index)offsets[row + 1] - t.base;
    int needed[BATCH];
    uint waiting = 0;
    uint level = 0;
    uint nap = 0;
    while (1) {
        const uint before = waiting;
        uint seen[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i)
            seen[i] = waiting >> i & 1u ? levels[needed[i]] : 0u;
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if (seen[i] == 0) continue;
            waiting &= ~(1u << i);
            level = max(level, seen[i]);
        }
        if (waiting == 0) {
            if (k >= end) {
                levels[row] = level + 1;
                break;
            }
            #pragma unroll
            for (int i = 0; i < BATCH; ++i) {
                const heron_index column = k + i < end ? (heron_index)columns[k + i] - t.base : row;
                needed[i] = (int)column;
                if (needs(t, row, column)) waiting |= 1u << i;
            }
            k += BATCH;
            nap = 0;
        } else if (waiting == before) {
            nap = rest(nap, LONGEST_NAP);
        } else {
            nap = 0;
        }
    }
    if ((int)level > *highest) atomic_max(highest, (int)level);
}

// counts[level] := rows of the level, ranks[row] := which of them the row is. A group first counts those of LEVELS levels among
// themselves.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_rank_rows(
    GLOBAL const uint* restrict levels, int n, GLOBAL int* counts, GLOBAL int* restrict ranks) {
    __local int found[LEVELS];
    __local int lowest;
    const int id = get_local_id(0);
    const int row = get_group_id(0) * SCAN_GROUP + id;
    const int level = row < n ? (int)levels[row] - 1 : INT_MAX;
    for (int i = id; i < LEVELS; i += SCAN_GROUP) found[i] = 0;
    if (id == 0) lowest = INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < n) atomic_min(&lowest, level);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int place = row < n && level - lowest < LEVELS ? level - lowest : -1;
    int rank = place >= 0 ? atomic_inc(found + place) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < LEVELS; i += SCAN_GROUP)
        if (found[i] > 0) found[i] = atomic_add(counts + lowest + i, found[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row >= n) return;
    if (place >= 0) rank += found[place];
    else rank = atomic_inc(counts + level);
    ranks[row] = rank;
}

// Where each level begins in the order, in place of how many rows it has. One group.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_start_levels(GLOBAL const int* highest,
                                                                                       GLOBAL int* counts) {
    __local int sums[SCAN_GROUP];
    __local int total;
    const int id = get_local_id(0);
    const int levels = *highest + 1;
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

// places: the ranks before. A record leaves out what the row has of the other triangle at its ends.
HERON_KERNEL(place_rows, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict columns, triangle_shape t,
             GLOBAL const uint* restrict levels, GLOBAL const int* restrict counts, GLOBAL int* places,
             GLOBAL int4* records) {
    heron_index begin = (heron_index)offsets[item] - t.base;
    heron_index end = (heron_index)offsets[item + 1] - t.base;
    while (begin < end && !takes_part(t, item, (heron_index)columns[begin] - t.base)) ++begin;
    while (begin < end && !takes_part(t, item, (heron_index)columns[end - 1] - t.base)) --end;
    const int place = counts[levels[item] - 1] + places[item];
    records[place] = (int4)((int)item, (int)begin, (int)end, 0);
    places[item] = place;
}
HERON_END

// Before each solve: no solution is there, and no ticket drawn.
HERON_KERNEL(begin_solve, GLOBAL ulong2* solved, GLOBAL int* control) {
    solved[item] = (ulong2)(ULONG_MAX);
    if (item == 0) *control = 0;
}
HERON_END

// op(A)*C = alpha*B for the right-hand sides [0, sides). solved has rows of `width` elements, by place in the order for one
// right-hand side, else by number. values[sources[k]] is the value of element k; without sources, values[k]. Polling is held
// back until the row `levels_ahead` levels before has been solved, so that only the levels that are next load the cache.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_solve_rows(
    GLOBAL const int4* restrict records, GLOBAL const int* restrict places, GLOBAL const IT* restrict columns,
    GLOBAL const int* restrict sources, GLOBAL const CT* restrict values, GLOBAL const CT* restrict diagonal,
    triangle_shape t, int conjugate, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row,
    heron_index b_column, GLOBAL CT* c, heron_index c_row, heron_index c_column, int writes_c, int sides,
    heron_index width, GLOBAL CT* solved, GLOBAL const int* restrict highest, int levels_ahead, GLOBAL int* control) {
    __local int ticket;
    const int tiles = (sides + SIDES - 1) / SIDES;
    const int number = draw_ticket(control, &ticket);
    const int first = number / tiles * (GROUP / LANES);
    const int place = first + (int)get_local_id(0) / LANES;
    const int side = number % tiles * SIDES + (int)get_local_id(0) % LANES * PACK;
    const int is_active = place < t.n && side < sides;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_void = EQUAL(CT, alpha, ZERO(CT));
    const int4 record = is_active ? records[place] : (int4)(0);
    const int row = record.x;
    uint k = (uint)record.y;
    const uint end = is_void ? k : (uint)record.z;
    GLOBAL CT* const own_sides = solved + side;
    CT right[PACK];
    #pragma unroll
    for (int s = 0; s < PACK; ++s)
        right[s] = is_active && !is_void && side + s < sides ? MUL(CT, alpha, b[row * b_row + (side + s) * b_column])
                                                             : ZERO(CT);
    CT pivot = ZERO(CT);
    CT inverse = ZERO(CT);
    if (t.unit || is_void) pivot = ONE(CT);
    else if (diagonal && is_active) pivot = conjugate ? CONJ(CT, diagonal[row]) : diagonal[row];
    const int has_pivot = t.unit || is_void || diagonal;

    const heron_index before = place - (heron_index)levels_ahead * max(t.n / (*highest + 1), 1);
    if (get_local_id(0) == 0 && before >= 0 && is_active) {
        const heron_index line = places ? before : records[before].x;
        volatile GLOBAL const BOX* const box = (volatile GLOBAL const BOX*)(own_sides + line * width);
        while (!BOX_NAME(is_set)(*box)) {
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    CT elements[BATCH];
    BOX x[BATCH];
    GLOBAL const CT* from[BATCH];
    uint needed = 0;   // which elements of the batch have a share
    uint waiting = 0;  // and for which of them there is no x yet
    while (is_active) {
        #pragma unroll
        for (int i = 0; i < BATCH; ++i)
            if (waiting >> i & 1u) x[i] = *(volatile GLOBAL const BOX*)from[i];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i)
            if ((waiting >> i & 1u) && BOX_NAME(is_set)(x[i])) waiting &= ~(1u << i);
        if (waiting != 0) continue;
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if (!(needed >> i & 1u)) continue;
            CT found[PACK];
            UNPACK(x[i], found);
            #pragma unroll
            for (int s = 0; s < PACK; ++s) right[s] = SUB(CT, right[s], MUL(CT, elements[i], found[s]));
        }
        if (k >= end) {
            if (IS_REAL && end == (uint)record.y) inverse = inverse_of(pivot);
            #pragma unroll
            for (int s = 0; s < PACK; ++s) right[s] = quotient(right[s], pivot, inverse);
            const heron_index line = places ? place : row;
            *(volatile GLOBAL BOX*)(own_sides + line * width) = BOX_NAME(marked)(PACK_UP(right));
            break;
        }
        needed = 0;
        int own[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            own[i] = k + i < end ? (int)((heron_index)columns[k + i] - t.base) : -1;
            elements[i] = k + i < end ? values[sources ? (uint)sources[k + i] : k + i] : ZERO(CT);
            if (conjugate) elements[i] = CONJ(CT, elements[i]);
        }
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            from[i] = own_sides;
            if (needs(t, row, own[i])) {
                needed |= 1u << i;
                from[i] = own_sides + (heron_index)(places ? places[own[i]] : own[i]) * width;
            } else if (own[i] == row && !has_pivot) {
                pivot = ADD(CT, pivot, elements[i]);
            }
        }
        k += BATCH;
        waiting = needed;
        if (k >= end) inverse = inverse_of(pivot);
    }
    if (!is_active || !writes_c) return;
    #pragma unroll
    for (int s = 0; s < PACK; ++s)
        if (side + s < sides) c[row * c_row + (side + s) * c_column] = is_void ? ZERO(CT) : right[s];
}

// To := from, tile by tile: whichever of the two has neighbouring rows beside each other is walked that way.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_turn_sides(
    GLOBAL const CT* from, heron_index from_row, heron_index from_column, GLOBAL CT* to, heron_index to_row,
    heron_index to_column, int n, int sides) {
    __local CT tile[TURNED * (TURNED + 1)];
    const int lane = get_local_id(0) % TURNED;
    const int line = get_local_id(0) / TURNED;
    const int tiles = (sides + TURNED - 1) / TURNED;
    const int first_row = (int)get_group_id(0) / tiles * TURNED;
    const int first_side = (int)get_group_id(0) % tiles * TURNED;
    const int reads_rows = from_column == 1;
    for (int i = line; i < TURNED; i += SCAN_GROUP / TURNED) {
        const int r = reads_rows ? i : lane;
        const int s = reads_rows ? lane : i;
        if (first_row + r < n && first_side + s < sides)
            tile[r * (TURNED + 1) + s] = from[(first_row + r) * from_row + (first_side + s) * from_column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = line; i < TURNED; i += SCAN_GROUP / TURNED) {
        const int r = reads_rows ? lane : i;
        const int s = reads_rows ? i : lane;
        if (first_row + r < n && first_side + s < sides)
            to[(first_row + r) * to_row + (first_side + s) * to_column] = tile[r * (TURNED + 1) + s];
    }
}
