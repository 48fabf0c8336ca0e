// Products of elements that fall on the rows of C in any order, added up: of COO matrices and transposed CSR
// matrices with vectors and with dense matrices. Types: VA matrix, VX B, CT compute and C, OT offsets, IT
// indices.
//
// A team walks along neighbouring elements, with lanes for columns of C beside each other, and several
// elements at once where these are few. A lane adds up what it has for a row of C as long as that goes on;
// then lanes that have something for one place add it up first, since memory adds to one place slowly.
// Where all rows of C fit local memory, a group adds there, and to memory once for each place.
HERON_PROGRAM(spmv_scatter, class VA, class VX, class CT, class OT, class IT, int GROUP)

CONSTANT(team, 32);
// Where lanes do not run in step a group is one team. Its words have barriers, which PoCL's compiler takes
// long for under conditions: there they are said whether they are needed or not, and few times.
CONSTANT(is_lone, GROUP == team);
CONSTANT(batch, is_lone ? 1 : 4);  // elements that a lane loads before it uses the first

// The strides are from one item of the batch to the next. Element (i, j) of C is
// c[i*c_row_step + j*c_column_step], and of B likewise.
typedef struct {
    heron_index rows, columns;  // of C
    heron_index lines, nnz, base;
    heron_index offsets_stride, indices_stride, values_stride;
    heron_index b_row_step, b_column_step, b_stride;
    heron_index c_row_step, c_column_step, c_stride;
    heron_index shares;      // of an item's elements: groups for one tile of columns
    heron_index team_share;  // elements of a team
    heron_index tiles;       // of columns
    heron_index lane_bits;   // a tile has 1 << lane_bits
    heron_index conjugate_a, conjugate_b;
    heron_index has_sums;  // in local memory, for every place of a tile
    heron_index writes_c;  // the one group of a tile: C := alpha*sums + beta*C; else sums are added to C
} scattering;

// What a lane has for a row of C.
typedef struct {
    int row;  // none: -1
    CT sum;
} pending_sum;

// The line of element k, for the team together; 0 if there are none.
HERON_FN heron_index line_of(BOARD(i32) keys, GLOBAL const OT* offsets, heron_index base, heron_index lines,
                             heron_index k) {
    heron_index low = 0;
    heron_index high = lines - 1;
    ROLLED
    while (low < high) {
        const heron_index step = (high - low + team - 1) / team;
        const heron_index probe = low + (group_item() % team + 1) * step;
        const int begins = probe <= high && (heron_index)offsets[min(probe, high)] - base <= k;
        low += popcount(BALLOT(keys, begins)) * step;
        high = min(high, low + step - 1);
    }
    return low;
}

// Adds up what the lanes of `peers`, this one's own included, have: for the first of them. Neighbours among
// them join in pairs until one has it all. All lanes of the team together.
HERON_FN CT sum_of_peers(BOARD(i32) keys, BOARD(CT) board, u32 peers, CT v) {
    const int lane = group_item() % team;
    int rank = popcount(peers & ((1u << lane) - 1u));
    u32 behind = lane < team - 1 ? peers & (0xffffffffu << (lane + 1)) : 0u;
    if (!is_lone && !ANY_LANE(keys, behind != 0u)) return v;
    UNROLL_LANES
    for (int round = 0; round < 5; ++round) {
        const int next = behind != 0u ? team - 1 - clz(behind & (0u - behind)) : lane;
        SYNC_BOARD();
        PUT(CT, board, v);
        SYNC_BOARD();
        const CT of_next = GET(CT, board, team, v, next);
        if (next != lane) v = ADD(CT, v, of_next);
        behind &= BALLOT(keys, rank % 2 == 0);
        rank /= 2;
    }
    return v;
}

// Adds what lanes have, where they have `done` with it. same_column: lanes that have this one's column. All
// lanes of the team together.
HERON_FN void put_sums(BOARD(i32) keys, BOARD(CT) board, u32 same_column, int done, pending_sum pending,
                       scattering s, GLOBAL CT* c, LOCAL CT* sums, CT alpha) {
    const int lane = group_item() % team;
    const int leaves = done && pending.row >= 0;
    const u32 peers = SAME(keys, leaves ? pending.row : -1 - lane) & same_column;
    const CT sum = sum_of_peers(keys, board, peers, pending.sum);
    if (!leaves || (peers & ((1u << lane) - 1u)) != 0u) return;
    if (s.has_sums)
        LOCAL_ADD(CT, sums + ((heron_index)pending.row << s.lane_bits), sum);
    else
        ATOMIC_ADD(CT, c, pending.row * s.c_row_step, MUL(CT, alpha, sum));
}

// Group g has share g % shares of the elements for one tile of columns of one item of the batch. The row of C
// on which an element falls is to[k]; it comes from row from[k] of B, or without `from` from the row that is
// its line.
HERON_GROUP_KERNEL(scatter_products, GROUP, GLOBAL const OT* RESTRICT all_offsets,
                   GLOBAL const IT* RESTRICT all_to, GLOBAL const IT* RESTRICT all_from,
                   GLOBAL const VA* RESTRICT all_a, GLOBAL const VX* RESTRICT all_b, GLOBAL CT* all_c,
                   scattering s, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
                   GLOBAL const CT* beta_device, LOCAL CT* sums) {
    BOARD_ARRAY(i32, keys, GROUP);
    BOARD_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int lane_bits = (int)s.lane_bits;
    const int lanes = 1 << lane_bits;
    const int lane = group_item() % team;
    const int own = lane % lanes;
    const heron_index share = group_id() % s.shares;
    const heron_index first_column = group_id() / s.shares % s.tiles * lanes;
    const heron_index item = group_id() / s.shares / s.tiles;
    const int has_column = first_column + own < s.columns;
    const heron_index column = has_column ? first_column + own : first_column;
    GLOBAL const OT* const offsets = all_from ? all_offsets : all_offsets + item * s.offsets_stride;
    GLOBAL const IT* const to = all_to + item * s.indices_stride;
    GLOBAL const IT* const from = all_from ? all_from + item * s.indices_stride : all_from;
    GLOBAL const VA* const a = all_a + item * s.values_stride;
    GLOBAL const VX* const b = all_b + item * s.b_stride + column * s.b_column_step;
    GLOBAL CT* const c = all_c + item * s.c_stride;
    GLOBAL CT* const own_c = c + column * s.c_column_step;
    LOCAL CT* const own_sums = sums + own;
    const heron_index places = s.has_sums ? s.rows * lanes : 0;
    for (heron_index i = group_item(); i < places; i += GROUP) sums[i] = ZERO(CT);
    sync_group();

    const heron_index first = (share * (GROUP / team) + group_item() / team) * s.team_share;
    const heron_index behind = min(first + s.team_share, s.nnz);
    const heron_index last = EQUAL(CT, alpha, ZERO(CT)) ? first : behind;
    const int elements = team >> lane_bits;  // at once
    const heron_index lines = all_from || first >= last ? 0 : s.lines;
    heron_index line = line_of(keys, offsets, s.base, lines, first);
    const heron_index last_line = line_of(keys, offsets, s.base, lines, last - 1);
    u32 same_column = 0u;
    for (int l = own; l < team; l += lanes) same_column |= 1u << l;
    pending_sum pending;
    pending.row = -1;
    pending.sum = ZERO(CT);
    ROLLED
    for (heron_index k = first; k < last; k += batch * elements) {
        int row[batch];
        heron_index row_of_b[batch];
        CT element[batch];
        CT factor[batch];
        // Loads under a condition would wait for each other.
        UNROLL
        for (int j = 0; j < batch; ++j) {
            const heron_index own_k = k + j * elements + (lane >> lane_bits);
            const heron_index at = min(own_k, last - 1);
            if (!all_from) line = holder_of(offsets, s.base, line, last_line, at);
            row_of_b[j] = all_from ? (heron_index)from[at] - s.base : line;
            row[j] = own_k < last && has_column ? (int)((heron_index)to[at] - s.base) : -1;
            element[j] = LOAD(CT, VA, a, at);
        }
        UNROLL
        for (int j = 0; j < batch; ++j) factor[j] = LOAD(CT, VX, b, row_of_b[j] * s.b_row_step);
        UNROLL
        for (int j = 0; j < batch; ++j) {
            const int changes = row[j] != pending.row;
            if (is_lone || ANY_LANE(keys, changes && pending.row >= 0))
                put_sums(keys, board, same_column, changes, pending, s, own_c, own_sums, alpha);
            const CT product = MUL(CT, s.conjugate_a ? CONJ(CT, element[j]) : element[j],
                                   s.conjugate_b ? CONJ(CT, factor[j]) : factor[j]);
            pending.sum = changes ? product : ADD(CT, pending.sum, product);
            pending.row = row[j];
        }
    }
    put_sums(keys, board, same_column, 1, pending, s, own_c, own_sums, alpha);
    if (!s.has_sums) return;

    sync_group();
    const CT beta = SCALAR(CT, beta_value, beta_device);
    for (heron_index i = group_item(); i < places; i += GROUP) {
        const heron_index of_tile = i % lanes;
        if (first_column + of_tile >= s.columns) continue;
        const heron_index place =
            (i >> lane_bits) * s.c_row_step + (first_column + of_tile) * s.c_column_step;
        const CT sum = MUL(CT, alpha, sums[i]);
        if (s.writes_c)
            c[place] = EQUAL(CT, beta, ZERO(CT)) ? sum : MAD(CT, beta, c[place], sum);
        else if (!EQUAL(CT, sum, ZERO(CT)))
            ATOMIC_ADD(CT, c, place, sum);
    }
}
HERON_CLOSE

HERON_CLOSE
