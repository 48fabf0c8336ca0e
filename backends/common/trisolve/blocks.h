// Triangular solves of BSR matrices in one launch. Types: CT elements, WT the words that they consist of, one
// or two each. A group of GROUP items solves some rows of a block row, of one part of the right-hand sides.
//
// Groups draw tickets in an order in which each comes after all that it needs, and wait for the solutions of
// these (Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par
// 2016). Solutions are handed over through memory all of whose bits are set before: whoever reads anything
// else there reads the solution. A block row hands over its rows at once, where rows of elements would wait
// for each other one by one.
HERON_PROGRAM(trisolve_blocks, class CT, class WT, int GROUP)

CONSTANT(words, (int)(sizeof(CT) / sizeof(WT)));
CONSTANT(batch, 4);  // columns that an item takes at a time

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
// `sides` right-hand sides; its items share a row's elements in `slots` parts.
typedef struct {
    heron_index base;
    int count;  // of block rows
    int size;
    int row_step, column_step;
    int lower, unit, conjugate;
    int rows, sides, slots;
} block_shape;

// What a group solves: rows [first, first + rows) of the block row `row`, whose blocks are [begin, end), for
// the right-hand sides from `side` on.
typedef struct {
    int row, begin, end;
    int first, rows;
    int side;
} block_unit;

HERON_FN int is_unset(WT w) { return w == (WT) ~(WT)0; }

HERON_FN int block_column(block_rows a, block_shape t, int k) {
    return (int)((heron_index)a.columns[k] - t.base);
}

// Whether column c of a block is an unknown that the unit waits for.
HERON_FN int is_needed(block_shape t, block_unit u, int column, int c) {
    if (column == u.row) return t.lower ? c < u.first : c >= u.first + u.rows;
    return t.lower ? column >= 0 && column < u.row : column > u.row && column < t.count;
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

// The word of a solution that another group hands over.
HERON_FN WT awaited(GLOBAL const WT* from) {
    WT w = POLL(WT, from);
    while (is_unset(w)) w = POLL(WT, from);
    return w;
}

HERON_FN void hand_over(LOCAL const WT* solution, GLOBAL WT* to) {
    for (int w = 0; w < words; ++w) POST(WT, to + w, is_unset(solution[w]) ? solution[w] >> 1 : solution[w]);
}

// v / pivot, of whose inverse is known: the remainder corrects the product. Where that overflows or the pivot
// is zero, the result is that of a division.
HERON_FN CT quotient(CT v, CT pivot, CT inverse) {
    const CT rough = MUL(CT, v, inverse);
    const CT result = MAD(CT, SUB(CT, v, MUL(CT, rough, pivot)), inverse, rough);
    return EQUAL(CT, result, result) ? result : DIV(CT, v, pivot);
}

// op(A)*C = alpha*B for right-hand sides [0, sides). control: the ticket that was drawn last, -1 before the
// first. solved: rows of `width` solutions. triangle: room for rows*rows elements.
HERON_GROUP_KERNEL(solve_blocks, GROUP, GLOBAL const int* offsets, GLOBAL const int* columns,
                   GLOBAL const int* sources, GLOBAL const int* records, GLOBAL const int* is_ordered,
                   block_shape t, GLOBAL const CT* values, GLOBAL const CT* diagonal, CT alpha_value,
                   GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, heron_index b_column,
                   GLOBAL CT* c, heron_index c_row, heron_index c_column, int sides, heron_index width,
                   GLOBAL WT* solved, GLOBAL int* control, LOCAL CT* triangle) {
    LOCAL_ARRAY(int, shared, 2);
    LOCAL_ARRAY(CT, x, GROUP * batch);
    LOCAL_ARRAY(CT, sums, GROUP);
    const int item = group_item();
    if (item == 0) {
        shared[0] = FETCH_ADD(control, 1) + 1;
        shared[1] = -1;
    }
    sync_group();
    block_rows a;
    a.offsets = offsets;
    a.columns = columns;
    a.sources = sources;
    a.records = records;
    const int tiles = (sides + t.sides - 1) / t.sides;
    const block_unit u = unit_of(a, t, *is_ordered, shared[0], tiles);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_void = EQUAL(CT, alpha, ZERO(CT));

    const int s = item % t.sides;
    const int r = item / t.sides % t.rows;
    const int slot = item / t.sides / t.rows;
    const int is_worker = slot < t.slots && r < u.rows && u.side + s < sides;
    const heron_index own = (heron_index)u.row * t.size + u.first + r;
    CT right = ZERO(CT);
    if (is_worker && slot == 0 && !is_void) right = MUL(CT, alpha, b[own * b_row + (u.side + s) * b_column]);

    // The group's part of the diagonal block.
    for (int k = u.begin + item; k < u.end; k += GROUP)
        if (block_column(a, t, k) == u.row) shared[1] = k;
    sync_group();
    for (int e = item; e < u.rows * u.rows; e += GROUP) {
        const int i = e / u.rows;
        const int j = e % u.rows;
        const int is_read = i == j ? !t.unit : (t.lower ? j < i : j > i);
        CT value = ZERO(CT);
        if (shared[1] >= 0 && is_read && !is_void)
            value = block_element(a, t, values, shared[1], u.first + i, u.first + j);
        if (i == j && diagonal && !t.unit) {
            value = diagonal[(heron_index)u.row * t.size + u.first + i];
            if (t.conjugate) value = CONJ(CT, value);
        }
        triangle[e] = value;
    }
    sync_group();
    const int divides = is_worker && slot == 0 && !t.unit && !is_void;
    const CT pivot = divides ? triangle[r * u.rows + r] : ONE(CT);
    const CT inverse = DIV(CT, ONE(CT), pivot);

    // The products with what other groups, or earlier ones of this block row, have solved.
    const int all = is_void ? 0 : (u.end - u.begin) * t.size;
    const int taken = t.slots * batch;
    CT sum = ZERO(CT);
    for (int q = 0; q < all; q += taken) {
        CT elements[batch];
        UNROLL
        for (int i = 0; i < batch; ++i) {
            const int at = q + i * t.slots + slot;
            elements[i] = ZERO(CT);
            if (!is_worker || at >= all) continue;
            const int k = u.begin + at / t.size;
            const int column = at % t.size;
            if (is_needed(t, u, block_column(a, t, k), column))
                elements[i] = block_element(a, t, values, k, u.first + r, column);
        }
        for (int w = item; w < taken * t.sides * words; w += GROUP) {
            const int at = q + w / (t.sides * words);
            const int word = w % (t.sides * words);
            WT found = 0;
            if (at < all && u.side + word / words < sides) {
                const int k = u.begin + at / t.size;
                const int column = at % t.size;
                const int of_block = block_column(a, t, k);
                if (is_needed(t, u, of_block, column))
                    found = awaited(
                        solved + (((heron_index)of_block * t.size + column) * width + u.side) * words + word);
            }
            ((LOCAL WT*)x)[w] = found;
        }
        sync_group();
        if (is_worker) {
            UNROLL
            for (int i = 0; i < batch; ++i)
                sum = MAD(CT, elements[i], x[(i * t.slots + slot) * t.sides + s], sum);
        }
        sync_group();
    }
    sums[item] = sum;
    sync_group();
    if (is_worker && slot == 0) {
        for (int i = 1; i < t.slots; ++i) sum = ADD(CT, sum, sums[(i * t.rows + r) * t.sides + s]);
        right = SUB(CT, right, sum);
    }

    // The triangle on the diagonal, one row after the other; x has the solutions of every other row.
    for (int j = 0; j < u.rows; ++j) {
        const int next = t.lower ? j : u.rows - 1 - j;
        LOCAL CT* const solution = x + (j & 1) * t.sides;
        if (is_worker && slot == 0 && r == next) {
            if (divides) right = quotient(right, pivot, inverse);
            solution[s] = right;
            c[own * c_row + (u.side + s) * c_column] = right;
        }
        sync_group();
        if (is_worker && slot == 0) {
            if (r == next)
                hand_over((LOCAL const WT*)(solution + s), solved + (own * width + u.side + s) * words);
            else if (t.lower ? r > next : r < next)
                right = SUB(CT, right, MUL(CT, triangle[r * u.rows + next], solution[s]));
        }
    }
}
HERON_CLOSE
HERON_CLOSE
