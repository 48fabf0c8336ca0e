// Rows of sparse products for GPUs. Types: CT values, OT offsets of A and B, IT indices. GROUP: work-items
// per group; LANES of them, a team, work on one row of C; PLACES: of a team's hash table, a power of two;
// LIMIT: longest row whose values are summed.
//
// Each row has a hash table of columns in local memory (Nagasaka, Nukada and Matsuoka, "High-performance and
// memory-saving sparse general matrix-matrix multiplication for NVIDIA Pascal GPU", ICPP 2017), and a team
// walks along the rows of B one after the other. The columns of a row of B differ, so that every sum is
// formed in the order of A's elements and has the same bits on every run. The columns found are put in order
// by counting how many are smaller.

#define TEAMS (GROUP / LANES)
#define AHEAD 4             // rows of B whose elements a lane loads before it uses the first
#define STRIDE (LIMIT + 4)  // so that teams that read the same number of theirs read in different banks

// counts[row] := length of the rows of a bin of row `row` of C.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_count_lengths(PATTERNS,
                                                                                     heron_index rows,
                                                                                     GLOBAL i64* counts) {
    __local int tables[TEAMS * PLACES];
    __local heron_index begins[GROUP];
    __local int lengths[GROUP];
    __local int found[TEAMS];
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int team = id / LANES;
    const int first_lane = id - lane;
    __local int* const keys = tables + team * PLACES;
    const int size = size_of_bin(sizes, bin, rows);
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    for (int first = get_group_id(0) * TEAMS; first < size; first += get_num_groups(0) * TEAMS) {
        const heron_index row = row_number(first + team, size, list);
        for (int p = id; p < TEAMS * PLACES; p += GROUP) tables[p] = -1;
        if (lane == 0) found[team] = 0;
        // The longest row of A says how often all teams look up LANES elements each.
        lengths[id] = row < 0 ? 0 : (int)(a_offsets[row + 1] - a_offsets[row]);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int own_length = lengths[id];
        int longest = 0;
        for (int t = 0; t < TEAMS; ++t) longest = max(longest, lengths[t * LANES]);
        const heron_index begin = row < 0 ? 0 : (heron_index)a_offsets[row] - a_base;
        int mine = 0;
        for (int turn = 0; turn < longest; turn += LANES) {
            barrier(CLK_LOCAL_MEM_FENCE);
            lengths[id] = 0;
            if (turn + lane < own_length) {
                const heron_index inner = (heron_index)a_indices[begin + turn + lane] - a_base;
                begins[id] = (heron_index)b_offsets[inner] - b_base;
                lengths[id] = (int)(b_offsets[inner + 1] - b_offsets[inner]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const int count = min(own_length - turn, LANES);
            for (int t = 0; t < count; t += AHEAD) {
                IT columns[AHEAD];
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + min(t + u, LANES - 1);
                    columns[u] = b_indices[lane < lengths[from] ? begins[from] + lane : 0];
                }
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + min(t + u, LANES - 1);
                    if (t + u >= count) continue;
                    int is_new;
                    if (lane < lengths[from]) {
                        claim(keys, PLACES, (int)((heron_index)columns[u] - b_base), &is_new);
                        mine += is_new;
                    }
                    for (int l = lane + LANES; l < lengths[from]; l += LANES) {
                        claim(keys, PLACES, (int)((heron_index)b_indices[begins[from] + l] - b_base),
                              &is_new);
                        mine += is_new;
                    }
                }
            }
        }
        if (mine > 0) atomic_add(found + team, mine);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0 && row >= 0) counts[row] = found[team];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// A row of C on its way.
typedef struct {
    __local int* keys;
    __local CT* sums;
    __local int* columns;  // found so far
    __local ushort* at;    // and their places
    __local int* found;
} row_table;

HERON_FN void add_product(row_table t, int column, CT a, CT b, int adds) {
    int is_new;
    const int place = claim(t.keys, PLACES, column, &is_new);
    if (place < 0) return;
    if (is_new) {
        const int number = atomic_inc(t.found);
        if (number < LIMIT) {
            t.columns[number] = column;
            t.at[number] = (ushort)place;
        }
    }
    if (adds) t.sums[place] = MAD(CT, a, b, t.sums[place]);
}

// The rows of a bin with their values, none longer than LIMIT. with_columns: C's columns are found, else they
// are there.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_multiply_rows(
    PRODUCT(GLOBAL IT*), heron_index rows, GLOBAL const int* unordered, int with_columns, int with_values) {
    __local int all_keys[TEAMS * PLACES];
    __local CT all_sums[TEAMS * PLACES];
    __local int all_columns[TEAMS * STRIDE];
    __local ushort all_at[TEAMS * LIMIT];
    __local heron_index begins[GROUP];
    __local int lengths[GROUP];
    __local CT factors[GROUP];
    __local int found[TEAMS];
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int team = id / LANES;
    const int first_lane = id - lane;
    const row_table table = {all_keys + team * PLACES, all_sums + team * PLACES, all_columns + team * STRIDE,
                             all_at + team * LIMIT, found + team};
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = with_values && !EQUAL(CT, alpha, ZERO(CT));
    const int is_ordered = *unordered == 0;
    const int size = size_of_bin(sizes, bin, rows);
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    for (int first = get_group_id(0) * TEAMS; first < size; first += get_num_groups(0) * TEAMS) {
        const heron_index row = row_number(first + team, size, list);
        for (int p = id; p < TEAMS * PLACES; p += GROUP) {
            all_keys[p] = -1;
            all_sums[p] = ZERO(CT);
        }
        if (lane == 0) found[team] = 0;
        lengths[id] = row < 0 ? 0 : (int)(a_offsets[row + 1] - a_offsets[row]);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int own_length = lengths[id];
        int longest = 0;
        for (int t = 0; t < TEAMS; ++t) longest = max(longest, lengths[t * LANES]);
        if (!with_columns && !adds) longest = 0;
        const heron_index begin = row < 0 ? 0 : (heron_index)a_offsets[row] - a_base;
        const heron_index c_begin = row < 0 ? 0 : c_offsets[row];
        const int c_length = row < 0 ? 0 : (int)(c_offsets[row + 1] - c_begin);
        for (int i = lane; !with_columns && i < c_length; i += LANES) {
            int is_new;
            const int column = (int)((heron_index)c_indices[c_begin + i] - c_base);
            table.columns[i] = column;
            table.at[i] = (ushort)claim(table.keys, PLACES, column, &is_new);
        }
        for (int turn = 0; turn < longest; turn += LANES) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!with_columns && lane == 0) found[team] = c_length;
            lengths[id] = 0;
            if (turn + lane < own_length) {
                const heron_index k = begin + turn + lane;
                const heron_index inner = (heron_index)a_indices[k] - a_base;
                begins[id] = (heron_index)b_offsets[inner] - b_base;
                lengths[id] = (int)(b_offsets[inner + 1] - b_offsets[inner]);
                if (adds) factors[id] = value_at(a_values, a_permutation, k, a_conjugate);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const int count = min(longest - turn, LANES);
            for (int t = 0; t < count; t += AHEAD) {
                IT columns[AHEAD];
                CT values[AHEAD];
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + min(t + u, LANES - 1);
                    const heron_index l = lane < lengths[from] ? begins[from] + lane : 0;
                    columns[u] = b_indices[l];
                    values[u] = adds ? value_at(b_values, b_permutation, l, b_conjugate) : ZERO(CT);
                }
#pragma unroll
                for (int u = 0; u < AHEAD; ++u) {
                    const int from = first_lane + min(t + u, LANES - 1);
                    const int length = t + u < count ? lengths[from] : 0;
                    if (is_ordered && lane < length)
                        add_product(table, (int)((heron_index)columns[u] - b_base), factors[from], values[u],
                                    adds);
                    // A column may occur several times in a row that is not in order: one lane adds all of
                    // it.
                    const int step = is_ordered ? LANES : 1;
                    const int start = is_ordered ? lane + LANES : lane == 0 ? 0 : length;
                    for (int l = start; l < length; l += step) {
                        const heron_index k = begins[from] + l;
                        add_product(table, (int)((heron_index)b_indices[k] - b_base), factors[from],
                                    adds ? value_at(b_values, b_permutation, k, b_conjugate) : ZERO(CT),
                                    adds);
                    }
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int length = with_columns ? min(found[team], c_length) : c_length;
        for (int i = lane; i < length; i += LANES) {
            const int column = table.columns[i];
            int rank = i;
            if (with_columns) {
                rank = 0;
                for (int j = 0; j < length; ++j) rank += table.columns[j] < column;
                c_indices[c_begin + rank] = (IT)(column + c_base);
            }
            if (!with_values) continue;
            GLOBAL CT* const to = c_values + c_begin + rank;
            CT result = adds ? MUL(CT, alpha, table.sums[table.at[i]]) : ZERO(CT);
            if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, *to, result);
            *to = result;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
