// Triangular solves for one right-hand side. LANES neighbours, a team, share the elements of a row.

// The lanes of NVIDIA's GPUs vote and read each other's registers. Elsewhere the first item of a team works
// alone.
#ifdef HERON_PTX
#define SHARES LANES  // of the elements of a row
HERON_FN uint votes(int is_so) {
    uint result;
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n vote.sync.ballot.b32 %0, q, 0xffffffff;}"
                     : "=r"(result)
                     : "r"(is_so));
    return result;
}
HERON_FN int is_so_somewhere(int is_so) { return votes(is_so) != 0; }
HERON_FN int is_so_in_team(int is_so) {
    const int first = (int)get_local_id(0) % 32 / LANES * LANES;
    return (votes(!is_so) >> first & ((1u << LANES) - 1u)) == 0;
}
HERON_FN uint across_uint(uint x, int distance) {
    uint result;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                     : "=r"(result)
                     : "r"(x), "r"(distance));
    return result;
}
HERON_FN ulong across_ulong(ulong x, int distance) {
    const uint low = across_uint((uint)x, distance);
    return (ulong)across_uint((uint)(x >> 32), distance) << 32 | low;
}
HERON_FN ulong2 across_ulong2(ulong2 x, int distance) {
    return (ulong2)(across_ulong(x.x, distance), across_ulong(x.y, distance));
}
HERON_FN CT sum_of_team(CT own) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        CT other;
        UNPACK(BOX_NAME(across)(PACK_UP(&own), distance), &other);
        own = ADD(CT, own, other);
    }
    return own;
}
#else
#define SHARES 1
HERON_FN int is_so_somewhere(int is_so) { return is_so; }
HERON_FN int is_so_in_team(int is_so) { return is_so; }
HERON_FN CT sum_of_team(CT own) { return own; }
#endif

// What all items know of the triangle.
typedef struct {
    triangle_shape shape;
    GLOBAL const int* places;
    GLOBAL const IT* columns;
    GLOBAL const int* sources;
    GLOBAL const CT* values;
    int conjugate, has_pivot;  // has_pivot: the diagonal is not looked for among the elements
} triangle_parts;

// The system op(A)*c = alpha*b. solved is by place in the order.
typedef struct {
    triangle_parts a;
    GLOBAL const int4* records;
    GLOBAL const CT* diagonal;
    CT alpha;
    int is_void;  // alpha is zero
    GLOBAL const CT* b;
    heron_index b_row;
    GLOBAL CT* c;
    heron_index c_row;
    GLOBAL CT* solved;
    heron_index places_ahead;  // how far behind the place that a group waits for its first row is
    GLOBAL int* zero_pivot;
} one_system;

HERON_FN one_system system_of(GLOBAL const int4* records, GLOBAL const int* places, GLOBAL const IT* columns,
                              GLOBAL const int* sources, GLOBAL const CT* values, GLOBAL const CT* diagonal,
                              triangle_shape t, int conjugate, CT alpha, GLOBAL const CT* b,
                              heron_index b_row, GLOBAL CT* c, heron_index c_row, GLOBAL CT* solved,
                              heron_index places_ahead, GLOBAL int* zero_pivot) {
    one_system s;
    s.is_void = EQUAL(CT, alpha, ZERO(CT));
    s.a.shape = t;
    s.a.places = places;
    s.a.columns = columns;
    s.a.sources = sources;
    s.a.values = values;
    s.a.conjugate = conjugate;
    s.a.has_pivot = t.unit || s.is_void || diagonal;
    s.records = records;
    s.diagonal = diagonal;
    s.alpha = alpha;
    s.b = b;
    s.b_row = b_row;
    s.c = c;
    s.c_row = c_row;
    s.solved = solved;
    s.places_ahead = places_ahead;
    s.zero_pivot = zero_pivot;
    return s;
}

HERON_FN CT right_side(one_system s, int row) {
    return s.is_void ? ZERO(CT) : MUL(CT, s.alpha, s.b[row * s.b_row]);
}

// Where it is known before the row is walked.
HERON_FN CT known_pivot(one_system s, int row) {
    if (s.a.shape.unit || s.is_void || !s.diagonal) return ONE(CT);
    return s.a.conjugate ? CONJ(CT, s.diagonal[row]) : s.diagonal[row];
}

HERON_FN void hand_over(GLOBAL CT* box, CT x) { *(volatile GLOBAL BOX*)box = BOX_NAME(marked)(PACK_UP(&x)); }

HERON_FN void post_solution(one_system s, int place, int row, CT x, CT pivot) {
    hand_over(s.solved + place, x);
    s.c[row * s.c_row] = x;
    if (!s.a.has_pivot) look_at_pivot(row, pivot, s.zero_pivot);
}

// What an item has to do with a row: one of as many elements as items share it.
typedef struct {
    int row;
    uint begin, end;
    uint k, count;  // elements that have been taken by all items, and of how many
    uint needed;    // which elements of the batch have a share
    uint waiting;   // and for which of them there is no x yet
    CT elements[BATCH];
    BOX x[BATCH];
    int lines[BATCH];  // where the x are handed over
    CT sum, pivot;
} row_share;

HERON_FN row_share share_of(int4 record, int lane, int is_void) {
    row_share own;
    own.row = record.x;
    own.begin = (uint)record.y;
    own.end = (uint)record.z;
    own.k = (uint)lane;
    own.count = is_void ? 0 : own.end - own.begin;
    own.sum = ZERO(CT);
    own.pivot = ZERO(CT);
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        own.lines[i] = 0;
        own.x[i] = 0;
    }
    return own;
}

// shares: how many items share the row.
HERON_FN void take_batch(triangle_parts a, row_share* own, const int shares) {
    int columns[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        const uint q = own->k + i * shares;
        const uint k = element_in_order(a.shape, own->begin, own->end, q);
        columns[i] = q < own->count ? (int)((heron_index)a.columns[k] - a.shape.base) : -1;
        own->elements[i] = q < own->count ? a.values[a.sources ? (uint)a.sources[k] : k] : ZERO(CT);
        if (a.conjugate) own->elements[i] = CONJ(CT, own->elements[i]);
    }
    own->needed = 0;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        if (is_needed(a.shape, own->row, columns[i])) {
            own->needed |= 1u << i;
            own->lines[i] = a.places[columns[i]];
        } else if (columns[i] == own->row && !a.has_pivot) {
            own->pivot = ADD(CT, own->pivot, own->elements[i]);
        }
    }
    own->waiting = own->needed;
    own->k += BATCH * shares;
}

// Looks for what the batch waits for, and if nothing is left of that, adds it up and takes the next one.
HERON_FN void advance(triangle_parts a, row_share* own, GLOBAL const BOX* boxes, const int shares) {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) BOX_NAME(load)(own->waiting >> i & 1u, boxes + own->lines[i], &own->x[i]);
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
        if ((own->waiting >> i & 1u) && BOX_NAME(is_set)(own->x[i])) own->waiting &= ~(1u << i);
    if (own->waiting != 0) return;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        CT x;
        UNPACK(own->x[i], &x);
        if (own->needed >> i & 1u) own->sum = MAD(CT, own->elements[i], x, own->sum);
    }
    own->needed = 0;
    if (own->k < own->count) take_batch(a, own, shares);
}

// Holds the group back until `place` of the order has been solved.
HERON_FN void wait_for(GLOBAL const CT* solved, heron_index place) {
    volatile GLOBAL const BOX* const box = (volatile GLOBAL const BOX*)(solved + place);
    if (get_local_id(0) == 0 && place >= 0) {
        while (!BOX_NAME(is_set)(*box)) {
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The rows of the places from `first` on, up to `end`, of a team each. The group is held back until the row
// places_ahead before has been solved, so that only the levels that are next load the cache.
HERON_FN void solve_rows(one_system s, int first, int end, int lane, int team) {
    const int place = first + team;
    const int is_active = place < end && lane < SHARES;
    const int4 record = is_active ? s.records[place] : (int4)(0);
    const CT right = is_active ? right_side(s, record.x) : ZERO(CT);
    CT pivot = is_active ? known_pivot(s, record.x) : ONE(CT);
    row_share own = share_of(record, lane, s.is_void);
    take_batch(s.a, &own, SHARES);
    CT inverse = inverse_of(pivot);
    // Where one batch is all, the division can be begun before there is anything to divide.
    const int has_pivot = s.a.has_pivot || !is_so_somewhere(own.k < own.count);
    if (!s.a.has_pivot && has_pivot) {
        pivot = sum_of_team(own.pivot);
        inverse = inverse_of(pivot);
    }
    wait_for(s.solved, first - s.places_ahead);

    int is_posted = !is_active;
    while (is_so_somewhere(!is_posted)) {
        advance(s.a, &own, (GLOBAL const BOX*)s.solved, SHARES);
        const int is_through = is_so_in_team(own.needed == 0 && own.k >= own.count);
        const int is_complete = is_through && !is_posted;
        if (!is_so_somewhere(is_complete)) continue;
        if (!has_pivot) {
            pivot = sum_of_team(own.pivot);
            inverse = inverse_of(pivot);
        }
        const CT x = quotient(SUB(CT, right, sum_of_team(own.sum)), pivot, inverse);
        if (is_complete && lane == 0) post_solution(s, place, record.x, x, pivot);
        is_posted = is_posted || is_complete;
    }
}
