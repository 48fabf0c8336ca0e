// What the kernels for long and for heavy rows of sparse products share, for GPUs. Types: CT values, OT
// offsets of A and B, IT indices. GROUP: work-items per group, TEAMS of them for rows that are summed.
//
// The columns of a row are found as bits in local memory, which puts them in order. Then CHUNK neighbouring
// elements of C are summed by a team of LANES in a table of their columns; from ordered rows of B it reads
// only what lies between these.

#define LANES 32
#define TEAMS (GROUP / LANES)
#define AHEAD 4  // rows of B whose elements a lane loads before it uses the first
#define CHUNK 512
#define PLACES (2 * CHUNK)
#define WORDS 8192  // of local memory for a bit per column
#define WIDTH 32    // bits of a word
#define SHARE (WORDS / SCAN_GROUP)
#define AT(word) \
    ((word) + (word) / SHARE)  // so that items that walk through their shares read in different banks

// How many bits are set; and unless `to` is NULL, their columns there in order, bit 0 being column `low`.
// found: an element per item. All items of a group of SCAN_GROUP.
HERON_FN heron_index list_columns(__local const uint* bits, __local i64* found, heron_index low,
                                  GLOBAL IT* to) {
    const int id = get_local_id(0);
    int own = 0;
    for (int w = id * SHARE; w < (id + 1) * SHARE; ++w) own += popcount(bits[AT(w)]);
    found[id] = own;
    scan_group(found, SCAN_GROUP);
    const heron_index marked = found[SCAN_GROUP - 1];
    heron_index at = found[id] - own;
    for (int w = id * SHARE; to && w < (id + 1) * SHARE; ++w)
        for (uint left = bits[AT(w)]; left; left &= left - 1)
            to[at++] = (IT)(low + w * WIDTH + (WIDTH - 1 - clz(left & -left)));
    barrier(CLK_LOCAL_MEM_FENCE);
    return marked;
}

// The first element of a row of B in [begin, end) whose column is not below `column`.
HERON_FN heron_index first_from(GLOBAL const IT* restrict indices, heron_index base, heron_index begin,
                                heron_index end, heron_index column) {
    while (begin < end) {
        const heron_index middle = begin + (end - begin) / 2;
        if ((heron_index)indices[middle] - base < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

// A chunk of a row of C: where it begins, and its elements.
typedef struct {
    heron_index begin;
    int length;
} chunk_place;

HERON_FN chunk_place place_of_chunk(GLOBAL const i64* restrict c_offsets, heron_index row, heron_index number,
                                    int is_there) {
    chunk_place c;
    c.begin = c_offsets[row] + number * CHUNK;
    c.length = is_there ? (int)clamp(c_offsets[row + 1] - c.begin, (heron_index)0, (heron_index)CHUNK) : 0;
    return c;
}

// A chunk on its way.
typedef struct {
    __local int* keys;
    __local ushort* at;  // the element at a place
    __local CT* sums;
    int low, high;  // its columns lie between these
} chunk_table;

// Fills the table of a team, whose memory it has, with a chunk's columns.
HERON_FN void begin_chunk(chunk_table* t, chunk_place c, GLOBAL const IT* restrict c_indices,
                          heron_index c_base, int lane) {
    for (int p = lane; p < PLACES; p += LANES) t->keys[p] = -1;
    SYNC_TEAMS();
    for (int i = lane; i < c.length; i += LANES) {
        int is_new;
        t->at[claim(t->keys, PLACES, (int)((heron_index)c_indices[c.begin + i] - c_base), &is_new)] =
            (ushort)i;
        t->sums[i] = ZERO(CT);
    }
    if (c.length == 0) return;
    t->low = (int)((heron_index)c_indices[c.begin] - c_base);
    t->high = (int)((heron_index)c_indices[c.begin + c.length - 1] - c_base);
}

HERON_FN void add_product(chunk_table t, int column, CT a, CT b) {
    if (column < t.low || column > t.high) return;
    int place = place_of(t.keys, PLACES, column);
    if (place >= 0) t.sums[t.at[place]] = MAD(CT, a, b, t.sums[t.at[place]]);
}

// The factors, whether the rows of B are in order, and whether they are clipped to the chunk.
typedef struct {
    GLOBAL const IT* a_indices;
    heron_index a_base;
    GLOBAL const OT* b_offsets;
    GLOBAL const IT* b_indices;
    heron_index b_base;
    GLOBAL const CT* a_values;
    GLOBAL const OT* a_permutation;
    int a_conjugate;
    GLOBAL const CT* b_values;
    GLOBAL const OT* b_permutation;
    int b_conjugate;
    int is_ordered, is_clipped;
} factor_parts;

// The rows of B that are multiplied next, an element per item.
typedef struct {
    __local heron_index* begins;
    __local int* lengths;
    __local CT* factors;
} next_rows;

// What of the row of B for element k of A lies in the chunk.
HERON_FN void look_up_row(factor_parts p, chunk_table t, next_rows n, heron_index k, int id) {
    const heron_index inner = (heron_index)p.a_indices[k] - p.a_base;
    heron_index begin = (heron_index)p.b_offsets[inner] - p.b_base;
    heron_index end = (heron_index)p.b_offsets[inner + 1] - p.b_base;
    if (p.is_clipped) {
        begin = first_from(p.b_indices, p.b_base, begin, end, t.low);
        end = first_from(p.b_indices, p.b_base, begin, end, (heron_index)t.high + 1);
    }
    n.begins[id] = begin;
    n.lengths[id] = (int)(end - begin);
    n.factors[id] = value_at(p.a_values, p.a_permutation, k, p.a_conjugate);
}

// Adds `count` rows of B to the chunk, those of the team's items from first_lane on.
HERON_FN void add_rows(factor_parts p, chunk_table t, next_rows n, int first_lane, int lane, int count) {
    int e = 0;
    do {
        IT found[AHEAD];
        CT values[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const int from = first_lane + e + u;
            const heron_index l = lane < n.lengths[from] ? n.begins[from] + lane : 0;
            found[u] = p.b_indices[l];
            values[u] = value_at(p.b_values, p.b_permutation, l, p.b_conjugate);
        }
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const int from = first_lane + e + u;
            const int length = n.lengths[from];
            if (p.is_ordered && lane < length)
                add_product(t, (int)((heron_index)found[u] - p.b_base), n.factors[from], values[u]);
            // A column may occur several times in a row that is not in order: one lane adds all of it.
            const int step = p.is_ordered ? LANES : 1;
            for (int l = p.is_ordered ? lane + LANES : lane == 0 ? 0 : length; l < length; l += step) {
                const heron_index k = n.begins[from] + l;
                add_product(t, (int)((heron_index)p.b_indices[k] - p.b_base), n.factors[from],
                            value_at(p.b_values, p.b_permutation, k, p.b_conjugate));
            }
            SYNC_TEAMS();
        }
        e += AHEAD;
    } while (e < count);
}

// Adds the products of `length` elements of A from `begin` on to the chunk. Teams that wait for each other
// come along as long as one of them has elements.
HERON_FN void add_elements(factor_parts p, chunk_table t, next_rows n, heron_index begin, int length,
                           int id) {
    const int lane = id % LANES;
    n.lengths[id] = length;
    SYNC_TEAMS();
    int longest = 0;
    for (int i = 0; i < TOGETHER; i += LANES) longest = max(longest, n.lengths[id / TOGETHER * TOGETHER + i]);
    int turn = 0;
    do {
        SYNC_TEAMS();
        n.lengths[id] = 0;
        n.begins[id] = 0;
        n.factors[id] = ZERO(CT);
        if (turn + lane < length) look_up_row(p, t, n, begin + turn + lane, id);
        SYNC_TEAMS();
        add_rows(p, t, n, id - lane, lane, min(longest - turn, LANES));
        turn += LANES;
    } while (turn < longest);
}

// *to := alpha*sum + beta * *to. is_added: alpha is not zero.
HERON_FN void put_value(GLOBAL CT* to, CT sum, CT alpha, CT beta, int is_added) {
    CT result = MUL(CT, alpha, sum);
    if (!is_added) result = ZERO(CT);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, *to, result);
    *to = result;
}
