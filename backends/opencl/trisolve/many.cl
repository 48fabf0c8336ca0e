// Triangular solves for many right-hand sides. LANES neighbours solve a row.

#define SIDES (LANES * PACK)  // right-hand sides of a group
#define TURN_GROUP 256
#define TURNED 32  // rows and columns of a tile that is turned

// What all items know of the system op(A)*C = alpha*B. solved has rows of `width` elements, by number.
typedef struct {
    triangle_shape shape;
    GLOBAL const IT* columns;
    GLOBAL const int* sources;
    GLOBAL const CT* values;
    GLOBAL const CT* diagonal;
    int conjugate;
    CT alpha;
    int is_void;    // alpha is zero
    int has_pivot;  // the diagonal is not looked for among the elements
    GLOBAL const CT* b;
    heron_index b_row, b_column;
    GLOBAL CT* c;
    heron_index c_row, c_column;
    int writes_c, sides;
    heron_index width;
    GLOBAL CT* solved;
    GLOBAL int* zero_pivot;
} many_system;

HERON_FN many_system system_of(GLOBAL const IT* columns, GLOBAL const int* sources, GLOBAL const CT* values,
                               GLOBAL const CT* diagonal, triangle_shape t, int conjugate, CT alpha,
                               GLOBAL const CT* b, heron_index b_row, heron_index b_column, GLOBAL CT* c,
                               heron_index c_row, heron_index c_column, int writes_c, int sides,
                               heron_index width, GLOBAL CT* solved, GLOBAL int* zero_pivot) {
    many_system s;
    s.shape = t;
    s.columns = columns;
    s.sources = sources;
    s.values = values;
    s.diagonal = diagonal;
    s.conjugate = conjugate;
    s.alpha = alpha;
    s.is_void = EQUAL(CT, alpha, ZERO(CT));
    s.has_pivot = t.unit || s.is_void || diagonal;
    s.b = b;
    s.b_row = b_row;
    s.b_column = b_column;
    s.c = c;
    s.c_row = c_row;
    s.c_column = c_column;
    s.writes_c = writes_c;
    s.sides = sides;
    s.width = width;
    s.solved = solved;
    s.zero_pivot = zero_pivot;
    return s;
}

// What an item has to do with a row: some of its elements, for PACK right-hand sides.
typedef struct {
    int row;
    uint begin, end;
    uint next, count;  // element that comes next, of how many
    CT right[PACK];    // what is left of the right-hand sides
    CT pivot;
    CT elements[BATCH];
    BOX x[BATCH];
    GLOBAL const BOX* from[BATCH];
    uint needed;   // which elements of the batch have a share
    uint waiting;  // and for which of them there is no x yet
} sides_share;

HERON_FN sides_share share_of(int4 record, int first, int is_void) {
    sides_share own;
    own.row = record.x;
    own.begin = (uint)record.y;
    own.end = (uint)record.z;
    own.next = (uint)first;
    own.count = is_void ? 0 : own.end - own.begin;
    own.needed = 0;
    own.waiting = 0;
    own.pivot = ZERO(CT);
#pragma unroll
    for (int s = 0; s < PACK; ++s) own.right[s] = ZERO(CT);
    return own;
}

HERON_FN void take_right_sides(many_system s, int side, sides_share* own) {
    if (s.is_void) return;
#pragma unroll
    for (int i = 0; i < PACK; ++i)
        if (side + i < s.sides)
            own->right[i] = MUL(CT, s.alpha, s.b[own->row * s.b_row + (side + i) * s.b_column]);
}

// Where it is known before the row is walked; else zero.
HERON_FN CT known_pivot(many_system s, int row) {
    if (s.shape.unit || s.is_void) return ONE(CT);
    if (!s.diagonal) return ZERO(CT);
    return s.conjugate ? CONJ(CT, s.diagonal[row]) : s.diagonal[row];
}

// Whether nothing is left of what the batch waits for: then it has been taken off the right-hand sides.
HERON_FN int use_batch(sides_share* own) {
#pragma unroll
    for (int i = 0; i < BATCH; ++i) BOX_NAME(load)(own->waiting >> i & 1u, own->from[i], own->x + i);
#pragma unroll
    for (int i = 0; i < BATCH; ++i)
        if ((own->waiting >> i & 1u) && BOX_NAME(is_set)(own->x[i])) own->waiting &= ~(1u << i);
    if (own->waiting != 0) return 0;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        if (!(own->needed >> i & 1u)) continue;
        CT found[PACK];
        UNPACK(own->x[i], found);
#pragma unroll
        for (int s = 0; s < PACK; ++s)
            own->right[s] = SUB(CT, own->right[s], MUL(CT, own->elements[i], found[s]));
    }
    return 1;
}

// own_sides: the item's sides of the first solution. shares: how many items share the row.
HERON_FN void take_batch(many_system s, GLOBAL const CT* own_sides, sides_share* own, const int shares) {
    own->needed = 0;
    int columns[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        const uint q = own->next + i * shares;
        const uint k = element_in_order(s.shape, own->begin, own->end, q);
        columns[i] = q < own->count ? (int)((heron_index)s.columns[k] - s.shape.base) : -1;
        own->elements[i] = q < own->count ? s.values[s.sources ? (uint)s.sources[k] : k] : ZERO(CT);
        if (s.conjugate) own->elements[i] = CONJ(CT, own->elements[i]);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
        own->from[i] = (GLOBAL const BOX*)own_sides;
        if (is_needed(s.shape, own->row, columns[i])) {
            own->needed |= 1u << i;
            own->from[i] = (GLOBAL const BOX*)(own_sides + columns[i] * s.width);
        } else if (columns[i] == own->row && !s.has_pivot) {
            own->pivot = ADD(CT, own->pivot, own->elements[i]);
        }
    }
    own->next += BATCH * shares;
    own->waiting = own->needed;
}

HERON_FN void hand_over(many_system s, int side, heron_index line, const CT* x) {
    *(volatile GLOBAL BOX*)(s.solved + side + line * s.width) = BOX_NAME(marked)(PACK_UP(x));
}

// Divides what is left of the right-hand sides.
HERON_FN void post_solutions(many_system s, int side, sides_share* own, CT inverse) {
#pragma unroll
    for (int i = 0; i < PACK; ++i) own->right[i] = quotient(own->right[i], own->pivot, inverse);
    hand_over(s, side, own->row, own->right);
    if (!s.has_pivot) look_at_pivot(own->row, own->pivot, s.zero_pivot);
    if (!s.writes_c) return;
#pragma unroll
    for (int i = 0; i < PACK; ++i)
        if (side + i < s.sides)
            s.c[own->row * s.c_row + (side + i) * s.c_column] = s.is_void ? ZERO(CT) : own->right[i];
}

// A row, for the right-hand sides from `side` on.
HERON_FN void solve_row(many_system s, int4 record, int side) {
    GLOBAL const CT* const own_sides = s.solved + side;
    sides_share own = share_of(record, 0, s.is_void);
    take_right_sides(s, side, &own);
    own.pivot = known_pivot(s, own.row);
    CT inverse = ZERO(CT);
    while (1) {
        if (!use_batch(&own)) continue;
        if (own.next >= own.count) break;
        take_batch(s, own_sides, &own, 1);
        if (own.next >= own.count) inverse = inverse_of(own.pivot);
    }
    if (IS_REAL && own.count == 0) inverse = inverse_of(own.pivot);
    post_solutions(s, side, &own, inverse);
}

// To := from, tile by tile: whichever of the two has neighbouring rows beside each other is walked that way.
__kernel __attribute__((reqd_work_group_size(TURN_GROUP, 1, 1))) void heron_turn_sides(
    GLOBAL const CT* from, heron_index from_row, heron_index from_column, GLOBAL CT* to, heron_index to_row,
    heron_index to_column, int n, int sides) {
    __local CT tile[TURNED * (TURNED + 1)];
    const int lane = get_local_id(0) % TURNED;
    const int line = get_local_id(0) / TURNED;
    const int tiles = (sides + TURNED - 1) / TURNED;
    const int first_row = (int)get_group_id(0) / tiles * TURNED;
    const int first_side = (int)get_group_id(0) % tiles * TURNED;
    const int reads_rows = from_column == 1;
    for (int i = line; i < TURNED; i += TURN_GROUP / TURNED) {
        const int r = reads_rows ? i : lane;
        const int s = reads_rows ? lane : i;
        if (first_row + r < n && first_side + s < sides)
            tile[r * (TURNED + 1) + s] = from[(first_row + r) * from_row + (first_side + s) * from_column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = line; i < TURNED; i += TURN_GROUP / TURNED) {
        const int r = reads_rows ? lane : i;
        const int s = reads_rows ? i : lane;
        if (first_row + r < n && first_side + s < sides)
            to[(first_row + r) * to_row + (first_side + s) * to_column] = tile[r * (TURNED + 1) + s];
    }
}
