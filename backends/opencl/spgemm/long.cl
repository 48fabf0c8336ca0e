// Long rows of sparse products, a group or a team for each (chunks.cl).

// bits := a bit for each column from `low` on of a row of A*B. All items of a group of SCAN_GROUP.
HERON_FN void mark_columns(heron_index begin, heron_index end, GLOBAL const IT* restrict a_indices,
                           heron_index a_base, GLOBAL const OT* restrict b_offsets,
                           GLOBAL const IT* restrict b_indices, heron_index b_base, heron_index low,
                           __local uint* bits) {
    const int id = get_local_id(0);
    for (int w = id; w < AT(WORDS); w += SCAN_GROUP) bits[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (heron_index k = begin + id / LANES; k < end; k += SCAN_GROUP / LANES) {
        const heron_index inner = (heron_index)a_indices[k] - a_base;
        const heron_index b_end = (heron_index)b_offsets[inner + 1] - b_base;
#pragma unroll 4
        for (heron_index l = (heron_index)b_offsets[inner] - b_base + id % LANES; l < b_end; l += LANES) {
            const heron_index bit = (heron_index)b_indices[l] - b_base - low;
            if (bit >= 0 && bit < WORDS * WIDTH) atomic_or(bits + AT((int)bit / WIDTH), 1u << (bit % WIDTH));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The rows of a bin: counts[row] := their lengths, or with c_indices their columns in order.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_find_columns(
    PATTERNS, heron_index b_columns, GLOBAL i64* counts, GLOBAL const i64* restrict c_offsets,
    GLOBAL IT* c_indices, heron_index c_base) {
    __local uint bits[AT(WORDS)];
    __local i64 found[SCAN_GROUP];
    const int id = get_local_id(0);
    const int size = size_of_bin(sizes, bin, 0);
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    for (int i = get_group_id(0); i < size; i += get_num_groups(0)) {
        const heron_index row = list[i];
        const heron_index begin = (heron_index)a_offsets[row] - a_base;
        const heron_index end = (heron_index)a_offsets[row + 1] - a_base;
        GLOBAL IT* const to = c_indices ? c_indices + c_offsets[row] : 0;
        heron_index number = 0;
        heron_index low = 0;
        do {
            mark_columns(begin, end, a_indices, a_base, b_offsets, b_indices, b_base, low, bits);
            number += list_columns(bits, found, low + c_base, to ? to + number : 0);
            low += WORDS * WIDTH;
        } while (low < b_columns);
        if (id == 0 && counts) counts[row] = number;
    }
}

// The values of the rows of a bin, whose columns are there.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_multiply_chunks(
    PRODUCT(GLOBAL const IT* restrict), heron_index rows, GLOBAL const int* unordered, int chunks_per_row) {
    __local int all_keys[TEAMS * PLACES];
    __local ushort all_at[TEAMS * PLACES];
    __local CT all_sums[TEAMS * CHUNK];
    __local heron_index begins[GROUP];
    __local int lengths[GROUP];
    __local CT factors[GROUP];
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int team = id / LANES;
    chunk_table t = {all_keys + team * PLACES, all_at + team * PLACES, all_sums + team * CHUNK, 0, 0};
    const next_rows n = {begins, lengths, factors};
    const int is_ordered = *unordered == 0;
    const factor_parts p = {a_indices,   a_base,        b_offsets,   b_indices, b_base,
                            a_values,    a_permutation, a_conjugate, b_values,  b_permutation,
                            b_conjugate, is_ordered,    is_ordered};
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const heron_index tasks = (heron_index)size_of_bin(sizes, bin, rows) * chunks_per_row;
    GLOBAL const int* const list = list_of_bin(sizes, lists, bin);
    const heron_index groups = get_num_groups(0);
    for (heron_index first = get_group_id(0) * (heron_index)TEAMS; first < tasks; first += groups * TEAMS) {
        // Teams without a chunk come along with nothing to do.
        const heron_index task = first + team;
        const heron_index row = task < tasks ? list[task / chunks_per_row] : 0;
        const chunk_place c = place_of_chunk(c_offsets, row, task % chunks_per_row, task < tasks);
        begin_chunk(&t, c, c_indices, c_base, lane);
        const heron_index begin = (heron_index)a_offsets[row] - a_base;
        add_elements(p, t, n, begin,
                     c.length > 0 && adds ? (int)((heron_index)a_offsets[row + 1] - a_base - begin) : 0, id);
        for (int i = lane; i < c.length; i += LANES)
            put_value(c_values + c.begin + i, t.sums[i], alpha, beta, adds);
        SYNC_TEAMS();
    }
}
