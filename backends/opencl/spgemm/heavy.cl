// Heavy rows of sparse products, whose row of A has very many elements: several groups share each. Types as
// in chunks.cl.
//
// heavy[0] says how many rows there are, and their numbers follow. A group of a row takes a segment of its
// elements of A: the columns of C are found as bits in memory, its values by sums of each segment, which are
// added in the order of the segments.

#define LEAST_ELEMENTS 128  // of A, that a task is worth

// How rows are divided: each into `parts`, and a part into as many segments, or fewer if its row is short.
// There are at most so many tasks if rows have several segments.
typedef struct {
    heron_index parts, segments, tasks;
} heavy_division;

HERON_FN heavy_division divide_rows(GLOBAL const int* heavy, int parts, int most_tasks) {
    heavy_division d;
    const heron_index all = (heron_index)heavy[0] * parts;
    d.parts = parts;
    d.segments = all > 0 ? max(most_tasks / all, (heron_index)1) : 1;
    d.tasks = all * d.segments;
    return d;
}

// Elements [begin, end) of A.
typedef struct {
    heron_index begin, end;
} element_range;

// How many segments a row of A has.
HERON_FN heron_index segments_of(heavy_division d, element_range row) {
    const heron_index wanted = (row.end - row.begin + LEAST_ELEMENTS - 1) / LEAST_ELEMENTS;
    return clamp(wanted, (heron_index)1, d.segments);
}

// One of them; an empty one, if the row has not so many.
HERON_FN element_range segment_of(heavy_division d, element_range row, heron_index segment) {
    const heron_index length = row.end - row.begin;
    const heron_index segments = segments_of(d, row);
    element_range part = {row.end, row.end};
    if (segment >= segments) return part;
    part.begin = row.begin + length * segment / segments;
    part.end = row.begin + length * (segment + 1) / segments;
    return part;
}

HERON_FN element_range elements_of(GLOBAL const OT* restrict offsets, heron_index base, heron_index row) {
    element_range r = {(heron_index)offsets[row] - base, (heron_index)offsets[row + 1] - base};
    return r;
}

// marks := a bit for each column of each heavy row of A*B, `words` words for a row. They are 0 before. So
// many items, `lanes`, share a row of B.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_mark_heavy(
    PATTERN(a), PATTERN(b), GLOBAL const int* restrict heavy, int most_tasks, int lanes, heron_index words,
    GLOBAL uint* marks) {
    const int id = get_local_id(0);
    const heavy_division d = divide_rows(heavy, 1, most_tasks);
    for (heron_index task = get_group_id(0); task < d.tasks; task += get_num_groups(0)) {
        const heron_index number = task / d.segments;
        const element_range r =
            segment_of(d, elements_of(a_offsets, a_base, heavy[1 + number]), task % d.segments);
        volatile GLOBAL uint* const own = marks + number * words;
        for (heron_index k = r.begin + id / lanes; k < r.end; k += SCAN_GROUP / lanes) {
            const element_range b = elements_of(b_offsets, b_base, (heron_index)a_indices[k] - a_base);
            for (heron_index l = b.begin + id % lanes; l < b.end; l += lanes) {
                const heron_index column = (heron_index)b_indices[l] - b_base;
                const uint bit = 1u << (column % WIDTH);
                // Most have been marked before.
                if (!(own[column / WIDTH] & bit)) atomic_or(own + column / WIDTH, bit);
            }
        }
    }
}

// As heron_find_columns, of heavy rows whose columns have been marked.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_find_heavy_columns(
    GLOBAL const int* restrict heavy, heron_index words, GLOBAL const uint* restrict marks,
    GLOBAL i64* counts, GLOBAL const i64* restrict c_offsets, GLOBAL IT* c_indices, heron_index c_base) {
    __local uint bits[AT(WORDS)];
    __local i64 found[SCAN_GROUP];
    const int id = get_local_id(0);
    const int rows = heavy[0];
    for (int number = get_group_id(0); number < rows; number += get_num_groups(0)) {
        const heron_index row = heavy[1 + number];
        GLOBAL IT* const to = c_indices ? c_indices + c_offsets[row] : 0;
        heron_index count = 0;
        heron_index first = 0;
        do {
            for (int w = id; w < WORDS; w += SCAN_GROUP)
                bits[AT(w)] = first + w < words ? marks[number * words + first + w] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            count += list_columns(bits, found, first * WIDTH + c_base, to ? to + count : 0);
            first += WORDS;
        } while (first < words);
        if (id == 0 && counts) counts[row] = count;
    }
}

// The values of heavy rows, whose columns are there; or where parts have several segments, the sums of each
// task, in partials[task * CHUNK + element].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_multiply_heavy(
    PATTERN(a), PATTERN(b), GLOBAL const int* restrict heavy, VALUES(a), VALUES(b),
    RESULT(GLOBAL const IT* restrict), SCALE(alpha), SCALE(beta), GLOBAL const int* unordered, int most_tasks,
    int chunks_per_row, GLOBAL CT* partials) {
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
    const factor_parts p = {a_indices,
                            a_base,
                            b_offsets,
                            b_indices,
                            b_base,
                            a_values,
                            a_permutation,
                            a_conjugate,
                            b_values,
                            b_permutation,
                            b_conjugate,
                            is_ordered,
                            is_ordered && chunks_per_row > 1};
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const heavy_division d = divide_rows(heavy, chunks_per_row, most_tasks);
    const heron_index groups = get_num_groups(0);
    for (heron_index first = get_group_id(0) * (heron_index)TEAMS; first < d.tasks; first += groups * TEAMS) {
        // Teams without a task come along with nothing to do.
        const heron_index task = first + team;
        const int is_there = task < d.tasks;
        const heron_index row = is_there ? heavy[1 + task / d.segments / d.parts] : 0;
        const chunk_place c = place_of_chunk(c_offsets, row, task / d.segments % d.parts, is_there);
        const element_range r = segment_of(d, elements_of(a_offsets, a_base, row), task % d.segments);
        begin_chunk(&t, c, c_indices, c_base, lane);
        add_elements(p, t, n, r.begin, c.length > 0 && adds ? (int)(r.end - r.begin) : 0, id);
        for (int i = lane; i < c.length; i += LANES) {
            if (d.segments > 1)
                partials[task * CHUNK + i] = t.sums[i];
            else
                put_value(c_values + c.begin + i, t.sums[i], alpha, beta, adds);
        }
        SYNC_TEAMS();
    }
}

// Adds up what the segments of each part have, in their order.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_add_segments(
    GLOBAL const OT* restrict a_offsets, heron_index a_base, GLOBAL const int* restrict heavy,
    GLOBAL const i64* restrict c_offsets, GLOBAL CT* c_values, SCALE(alpha), SCALE(beta), int most_tasks,
    int chunks_per_row, GLOBAL const CT* restrict partials) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int adds = !EQUAL(CT, alpha, ZERO(CT));
    const heavy_division d = divide_rows(heavy, chunks_per_row, most_tasks);
    const heron_index parts = d.segments > 1 ? heavy[0] * d.parts : 0;
    for (heron_index part = get_group_id(0); part < parts; part += get_num_groups(0)) {
        const heron_index row = heavy[1 + part / d.parts];
        const chunk_place c = place_of_chunk(c_offsets, row, part % d.parts, 1);
        const heron_index segments = segments_of(d, elements_of(a_offsets, a_base, row));
        GLOBAL const CT* const from = partials + part * d.segments * CHUNK;
        for (int i = get_local_id(0); i < c.length; i += SCAN_GROUP) {
            CT sum = ZERO(CT);
#pragma unroll 8
            for (heron_index s = 0; s < segments; ++s) sum = ADD(CT, sum, from[s * CHUNK + i]);
            put_value(c_values + c.begin + i, sum, alpha, beta, adds);
        }
    }
}
