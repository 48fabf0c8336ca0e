// Rows of sparse products that have few products, for GPUs. Types: CT values, OT offsets of A and B, IT
// indices; KEY: holds a column and, in its last byte, the number of a product. GROUP: work-items per group;
// LANES of them, a team, work on one row of C, which has at most LANES*EACH products; STAGES: of the network
// between lanes.
//
// Counting the columns of a row leaves behind the rank of each product's column in the row, a byte each, so
// that the values need neither a table nor a sort: the products are added to the element of their rank. A
// sorting network (Batcher, "Sorting networks and their applications", AFIPS 1968) brings the columns in
// order.

#define TEAMS (GROUP / LANES)
#define AHEAD 4  // rows of B whose elements a lane loads before it uses the first
#define LIMIT (LANES * EACH)
#define STRIDE (LIMIT + 8)  // so that teams that read the same number of theirs read in different banks
#define NUMBER_BITS 8
#define NO_KEY (~(KEY)0)

// The lanes of NVIDIA's GPUs read each other's registers.
#ifdef HERON_PTX
#define STAGED 1
HERON_FN uint heron_lane_xor_uint(uint x, int mask) {
    uint result;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(result) : "r"(x), "r"(mask));
    return result;
}
HERON_FN ulong heron_lane_xor_ulong(ulong x, int mask) {
    const uint low = heron_lane_xor_uint((uint)x, mask);
    return (ulong)heron_lane_xor_uint((uint)(x >> 32), mask) << 32 | low;
}
#else
#define STAGED (GROUP * EACH)
#endif

// other[i] := x[i] of the lane whose number differs by `mask`, or what it has in reversed order. All items of
// the group.
HERON_FN void exchange(KEY* other, const KEY* x, int mask, int reversed, __local KEY* staged) {
#ifdef HERON_PTX
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        other[i] = HERON_NAME1(heron_lane_xor, KEY)(reversed ? x[EACH - 1 - i] : x[i], mask);
#else
    const int id = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < EACH; ++i) staged[i * GROUP + id] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < EACH; ++i) other[i] = staged[(reversed ? EACH - 1 - i : i) * GROUP + (id ^ mask)];
#endif
}

HERON_FN void put_in_order(KEY* x, int i, int j) {
    const KEY a = x[i];
    const KEY b = x[j];
    x[i] = min(a, b);
    x[j] = max(a, b);
}

// Of the two lanes that `mask` pairs, the one without `high` keeps the smaller keys.
HERON_FN void merge_lanes(KEY* x, int mask, int reversed, int high, __local KEY* staged) {
    KEY other[EACH];
    exchange(other, x, mask, reversed, staged);
#pragma unroll
    for (int i = 0; i < EACH; ++i) x[i] = high ? max(x[i], other[i]) : min(x[i], other[i]);
}

// Sorts the LIMIT keys of a team; lane l gets those of ranks l*EACH, l*EACH + 1, ... Runs are merged with the
// next one backwards, so that all comparisons have one direction. All items of the group.
HERON_FN void sort_keys(KEY* x, int lane, __local KEY* staged) {
#pragma unroll
    for (int size = 2; size <= EACH; size *= 2) {
#pragma unroll
        for (int i = 0; i < EACH; ++i)
            if ((i & (size / 2)) == 0) put_in_order(x, i, i ^ (size - 1));
#pragma unroll
        for (int stride = size / 4; stride > 0; stride /= 2) {
#pragma unroll
            for (int i = 0; i < EACH; ++i)
                if ((i & stride) == 0) put_in_order(x, i, i | stride);
        }
    }
    int width = 2;
    int mask = 1;
    // Elsewhere the many barriers are what takes a compiler time.
#ifdef HERON_PTX
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int stage = 0; stage < STAGES; ++stage) {
        const int is_first = mask == width - 1;
        merge_lanes(x, mask, is_first, lane & (is_first ? width / 2 : mask), staged);
        mask = is_first ? width / 4 : mask / 2;
        if (mask > 0) continue;
#pragma unroll
        for (int stride = EACH / 2; stride > 0; stride /= 2) {
#pragma unroll
            for (int i = 0; i < EACH; ++i)
                if ((i & stride) == 0) put_in_order(x, i, i | stride);
        }
        width *= 2;
        mask = width - 1;
    }
}

// A row of C and what it is made of.
typedef struct {
    heron_index row, begin;  // -1: none; where A's row begins
    int length;              // of A's row
    int longest;             // of the rows of the items that wait for each other
} ranked_row;

// The row of this item's team, with lengths[GROUP] to work with. All items of the group.
HERON_FN ranked_row open_row(heron_index row, GLOBAL const OT* restrict offsets, heron_index base,
                             __local int* lengths) {
    const int id = get_local_id(0);
    ranked_row r = {row, 0, 0, 0};
    if (row >= 0) {
        r.begin = (heron_index)offsets[row] - base;
        r.length = (int)((heron_index)offsets[row + 1] - base - r.begin);
    }
    lengths[id] = r.length;
    SYNC_TEAMS();
    for (int i = 0; i < TOGETHER; i += LANES)
        r.longest = max(r.longest, lengths[id / TOGETHER * TOGETHER + i]);
    SYNC_TEAMS();
    return r;
}

// Where the rows of B begin that LANES elements of A name, and how long they are.
HERON_FN void find_rows(ranked_row r, int turn, GLOBAL const IT* restrict a_indices, heron_index a_base,
                        GLOBAL const OT* restrict b_offsets, heron_index b_base, __local heron_index* begins,
                        __local int* lengths) {
    const int id = get_local_id(0);
    const int at = turn + id % LANES;
    lengths[id] = 0;
    begins[id] = 0;
    if (at < r.length) {
        const heron_index inner = (heron_index)a_indices[r.begin + at] - a_base;
        const heron_index begin = (heron_index)b_offsets[inner] - b_base;
        begins[id] = begin;
        lengths[id] = (int)((heron_index)b_offsets[inner + 1] - b_base - begin);
    }
}

// counts[row] := length of the rows of a bin of row `row` of C, and the ranks of its products, LIMIT bytes
// per row. *unordered := 1 if a row of B that these need does not ascend strictly.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_rank_products(
    PATTERNS, heron_index rows, GLOBAL const i64* restrict row_products, GLOBAL uint* rank_words,
    GLOBAL i64* counts, GLOBAL int* unordered) {
    __local int all_columns[TEAMS * STRIDE];
    __local heron_index begins[GROUP];
    __local int lengths[GROUP];
    __local KEY last_keys[GROUP];
    __local KEY staged[STAGED];
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int team = id / LANES;
    const int first_lane = id - lane;
    __local int* const columns = all_columns + team * STRIDE;
    const int size = size_of_bin(sizes, bin, rows);
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    rank_words += first_rank_of(sizes, bin) / 4;
    int descends = 0;
    for (int first = get_group_id(0) * TEAMS; first < size; first += get_num_groups(0) * TEAMS) {
        const ranked_row r = open_row(row_number(first + team, size, list), a_offsets, a_base, lengths);
        const int products = r.row < 0 ? 0 : (int)row_products[r.row];
        int number = 0;
        int turn = 0;
        do {
            find_rows(r, turn, a_indices, a_base, b_offsets, b_base, begins, lengths);
            SYNC_TEAMS();
            const int count = min(r.length - turn, LANES);
            for (int t = 0; t < count; t += AHEAD) {
                IT found[AHEAD];
                IT next[AHEAD];
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + t + u;
                    const heron_index l = lane < lengths[from] ? begins[from] + lane : 0;
                    found[u] = b_indices[l];
                    next[u] = b_indices[lane + 1 < lengths[from] ? l + 1 : l];
                }
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + t + u;
                    const int length = lengths[from];
                    if (lane < length) columns[number + lane] = (int)((heron_index)found[u] - b_base);
                    descends |= lane + 1 < length && next[u] <= found[u];
                    for (int l = lane + LANES; l < length; l += LANES) {
                        const heron_index k = begins[from] + l;
                        columns[number + l] = (int)((heron_index)b_indices[k] - b_base);
                        descends |= b_indices[k] <= b_indices[k - 1];
                    }
                    number += length;
                }
            }
            SYNC_TEAMS();
            turn += LANES;
        } while (turn < r.longest);
        KEY x[EACH];
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int p = i * LANES + lane;
            x[i] = p < products ? (KEY)(uint)columns[p] << NUMBER_BITS | (KEY)p : NO_KEY;
        }
        sort_keys(x, lane, staged);
        last_keys[id] = x[EACH - 1];
        SYNC_TEAMS();
        // A key without the one before it in its column is the first of an element of C.
        KEY before = lane > 0 ? last_keys[id - 1] : NO_KEY;
        int firsts = 0;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            if (x[i] != NO_KEY && (x[i] >> NUMBER_BITS) != (before >> NUMBER_BITS)) firsts |= 1 << i;
            before = x[i];
        }
        lengths[id] = popcount(firsts);
        SYNC_TEAMS();
        int rank = -1;
        for (int l = 0; l < lane; ++l) rank += lengths[first_lane + l];
        __local uchar* const ranks = (__local uchar*)columns;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            rank += firsts >> i & 1;
            if (x[i] != NO_KEY) ranks[x[i] & ((1 << NUMBER_BITS) - 1)] = (uchar)rank;
        }
        if (lane == LANES - 1 && r.row >= 0) counts[r.row] = rank + 1;
        SYNC_TEAMS();
        GLOBAL uint* const to = rank_words + (first + team) * (heron_index)(LIMIT / 4);
        for (int w = lane; 4 * w < products; w += LANES) to[w] = ((__local const uint*)ranks)[w];
        SYNC_TEAMS();
    }
    if (descends) *unordered = 1;
}

// The rows of a bin with columns and values.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_multiply_ranked(
    PRODUCT(GLOBAL IT*), heron_index rows, GLOBAL const int* unordered,
    GLOBAL const uchar* restrict all_ranks) {
    __local CT all_sums[TEAMS * STRIDE];
    __local IT all_columns[TEAMS * STRIDE];
    __local heron_index begins[GROUP];
    __local int lengths[GROUP];
    __local CT factors[GROUP];
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int team = id / LANES;
    const int first_lane = id - lane;
    __local CT* const sums = all_sums + team * STRIDE;
    __local IT* const columns = all_columns + team * STRIDE;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const int is_ordered = *unordered == 0;
    const int size = size_of_bin(sizes, bin, rows);
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    all_ranks += first_rank_of(sizes, bin);
    for (int first = get_group_id(0) * TEAMS; first < size; first += get_num_groups(0) * TEAMS) {
        const ranked_row r = open_row(row_number(first + team, size, list), a_offsets, a_base, lengths);
        const heron_index c_begin = r.row < 0 ? 0 : c_offsets[r.row];
        const int c_length = r.row < 0 ? 0 : (int)(c_offsets[r.row + 1] - c_begin);
        for (int i = lane; i < c_length; i += LANES) sums[i] = ZERO(CT);
        GLOBAL const uchar* const ranks = all_ranks + (r.row < 0 ? 0 : first + team) * (heron_index)LIMIT;
        int number = 0;
        int turn = 0;
        do {
            find_rows(r, turn, a_indices, a_base, b_offsets, b_base, begins, lengths);
            factors[id] = adds && turn + lane < r.length
                              ? value_at(a_values, a_permutation, r.begin + turn + lane, a_conjugate)
                              : ZERO(CT);
            SYNC_TEAMS();
            const int count = min(r.longest - turn, LANES);
            int t = 0;
            do {
                IT found[AHEAD];
                CT values[AHEAD];
                uchar rank[AHEAD];
                int numbers[AHEAD];
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + t + u;
                    const int is_inside = lane < lengths[from];
                    const heron_index l = is_inside ? begins[from] + lane : 0;
                    numbers[u] = number;
                    number += lengths[from];
                    found[u] = b_indices[l];
                    rank[u] = ranks[is_inside ? numbers[u] + lane : 0];
                    values[u] = adds ? value_at(b_values, b_permutation, l, b_conjugate) : ZERO(CT);
                }
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + t + u;
                    const int length = lengths[from];
                    const CT a = factors[from];
                    if (is_ordered && lane < length) {
                        sums[rank[u]] = MAD(CT, a, values[u], sums[rank[u]]);
                        columns[rank[u]] = found[u];
                    }
                    // A column may occur several times in a row that is not in order: one lane adds all of
                    // it.
                    const int step = is_ordered ? LANES : 1;
                    for (int l = is_ordered ? lane + LANES : lane == 0 ? 0 : length; l < length; l += step) {
                        const heron_index k = begins[from] + l;
                        const int to = ranks[numbers[u] + l];
                        if (adds)
                            sums[to] =
                                MAD(CT, a, value_at(b_values, b_permutation, k, b_conjugate), sums[to]);
                        columns[to] = b_indices[k];
                    }
                    SYNC_TEAMS();
                }
                t += AHEAD;
            } while (t < count);
            turn += LANES;
        } while (turn < r.longest);
        for (int i = lane; i < c_length; i += LANES) {
            c_indices[c_begin + i] = (IT)((heron_index)columns[i] - b_base + c_base);
            GLOBAL CT* const to = c_values + c_begin + i;
            CT result = adds ? MUL(CT, alpha, sums[i]) : ZERO(CT);
            if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, *to, result);
            *to = result;
        }
        SYNC_TEAMS();
    }
}
