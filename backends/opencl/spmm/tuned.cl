// C := alpha*op(A)*B + beta*C for GPUs, A as CSR, B by rows of whole vectors of 16 bytes. Types: CT elements,
// OT offsets, IT indices. SHARE: the work of a group; ROW_COST: the price of a row; LANE_BITS: 2^LANE_BITS
// lanes work on one row, UNITS vectors each; TILE: C is not by rows of whole vectors, and goes through local
// memory.
//
// The work is divided evenly whatever the lengths of the rows: merge-based decomposition (Merrill and
// Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016) with a price for a row. Row r
// begins at offsets[r] + ROW_COST*r on a line of nnz + ROW_COST*rows places; a share is an interval of that
// line, and the lanes of a group divide a share in the same way. A boundary shortly before a row's end is
// moved behind the row. Partial sums of a row that several share are added in order: the result is the same
// on every run.

#define GROUP 256  // work-items per group
#define PROBES 32  // work-items per search
#define LANES (1 << LANE_BITS)
#define TEAMS (GROUP / LANES)
#define WIDTH ((int)(16 / sizeof(CT)))
#define OWN (UNITS * WIDTH)    // columns of a lane
#define COLUMNS (LANES * OWN)  // columns of a group
#define SLACK 32               // elements of a row that a share does not leave to the next one
#define TEAM_SLACK 4           // the same for the lanes that work together
#define MOST_ROWS (SHARE / ROW_COST + 3)
#define MOST_ELEMENTS (SHARE + SLACK)
#define DEPTH 4  // rows of B that a lane loads before it uses the first
#define TURNED_ROWS ((int)(512 / sizeof(CT)))
#define TURNED_COLUMNS 32
#define SORTED_PER_ITEM 16  // elements that an item of sort_columns takes in a row

// C is rows x columns. With positions the value of element k is values[positions[k]]. Strides are from one
// item of the batch to the next one; 0: all items share the array.
typedef struct {
    heron_index rows, columns, nnz, base, shares, tiles, patterns;
    heron_index b_vectors;  // vectors from one row of B to the next
    heron_index c_row_step, c_column_step;
    heron_index offsets_stride, indices_stride, values_stride, b_stride, c_stride;
    heron_index partial_stride;
    heron_index conjugate_a, conjugate_b;
} product_shape;

// Where a share begins: at this element, counted from 0, of this row.
typedef struct {
    heron_index row, element;
} place;

#define UNPACK(CT, from, to) HERON_NAME1(unpack, CT)(from, to)
#define PACK(CT, from) HERON_NAME1(pack, CT)(from)
HERON_FN void unpack_f32(uint4 from, f32* to) {
    to[0] = as_float(from.x);
    to[1] = as_float(from.y);
    to[2] = as_float(from.z);
    to[3] = as_float(from.w);
}
HERON_FN uint4 pack_f32(const f32* from) { return as_uint4((float4)(from[0], from[1], from[2], from[3])); }
HERON_FN void unpack_c32(uint4 from, c32* to) {
    to[0] = as_float2(from.lo);
    to[1] = as_float2(from.hi);
}
HERON_FN uint4 pack_c32(const c32* from) { return as_uint4((float4)(from[0], from[1])); }
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
HERON_FN void unpack_f64(uint4 from, f64* to) {
    to[0] = as_double(from.lo);
    to[1] = as_double(from.hi);
}
HERON_FN uint4 pack_f64(const f64* from) { return as_uint4((double2)(from[0], from[1])); }
HERON_FN void unpack_c64(uint4 from, c64* to) { to[0] = as_double2(from); }
HERON_FN uint4 pack_c64(const c64* from) { return as_uint4(from[0]); }
#endif

// c := alpha*sum + beta*c; beta = 0 does not read c.
HERON_FN CT updated(CT sum, CT alpha, CT beta, GLOBAL const CT* c) {
    const CT result = MUL(CT, alpha, sum);
    return EQUAL(CT, beta, ZERO(CT)) ? result : MAD(CT, beta, *c, result);
}

// The places at which the shares begin, and the end. PROBES neighbours look for one of them together.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_find_places(
    GLOBAL const OT* restrict all_offsets, product_shape s, GLOBAL place* places, GLOBAL int* split_count,
    GLOBAL const int* skipped) {
    __local heron_index low[GROUP / PROBES];
    __local heron_index high[GROUP / PROBES];
    __local int is_before[GROUP];
    const int id = get_local_id(0);
    const int search = id / PROBES;
    const int lane = id % PROBES;
    if (get_global_id(0) == 0) *split_count = 0;
    if (skipped && *skipped) return;
    const heron_index number = get_group_id(0) * (heron_index)(GROUP / PROBES) + search;
    const heron_index batch = number / (s.shares + 1);
    const heron_index at = number % (s.shares + 1) * SHARE;
    const int is_real = batch < s.patterns && at < s.nnz + ROW_COST * s.rows;
    GLOBAL const OT* const offsets = all_offsets + (is_real ? batch : 0) * s.offsets_stride;
    if (lane == 0) {
        low[search] = 0;
        high[search] = s.rows;
    }
    for (heron_index most = s.rows; most > 1; most = (most + PROBES - 1) / PROBES) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const heron_index from = low[search];
        const heron_index to = high[search];
        const heron_index step = (to - from + PROBES - 1) / PROBES;
        const heron_index probe = from + (lane + 1) * step;
        is_before[id] = probe < to && (heron_index)offsets[probe] - s.base + ROW_COST * probe <= at;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_before[id] && (lane == 0 || is_before[id - 1])) {
            low[search] = from + lane * step;
            high[search] = min(from + (lane + 1) * step, to);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0 || batch >= s.patterns) return;
    place found = {s.rows, s.nnz};
    if (is_real) {
        found.row = low[search];
        const heron_index begin = (heron_index)offsets[found.row] - s.base;
        const heron_index end = (heron_index)offsets[found.row + 1] - s.base;
        found.element = at - ROW_COST * found.row;
        if (found.element > begin && end - found.element <= SLACK) {
            ++found.row;
            found.element = end;
        }
    }
    places[number] = found;
}

// starts[i]: where row i of the share begins, counted from the share's first element: -1 if that is before
// it, and behind the last element if the row is not of this share.
HERON_FN int start_of(__local const int* starts, int row) { return max(starts[row], 0); }
HERON_FN int is_split(__local const int* starts, int row, int element) { return element > starts[row]; }

HERON_FN void fetch_elements(GLOBAL const IT* restrict from_indices, GLOBAL const CT* restrict from_values,
                             GLOBAL const OT* restrict positions, int count, __local IT* indices,
                             __local CT* values) {
    int i = get_local_id(0);
    for (; i + 3 * GROUP < count; i += 4 * GROUP) {
        const heron_index p0 = positions ? (heron_index)positions[i] : i;
        const heron_index p1 = positions ? (heron_index)positions[i + GROUP] : i + GROUP;
        const heron_index p2 = positions ? (heron_index)positions[i + 2 * GROUP] : i + 2 * GROUP;
        const heron_index p3 = positions ? (heron_index)positions[i + 3 * GROUP] : i + 3 * GROUP;
        const IT i0 = from_indices[i];
        const IT i1 = from_indices[i + GROUP];
        const IT i2 = from_indices[i + 2 * GROUP];
        const IT i3 = from_indices[i + 3 * GROUP];
        const CT v0 = from_values[p0];
        const CT v1 = from_values[p1];
        const CT v2 = from_values[p2];
        const CT v3 = from_values[p3];
        indices[i] = i0;
        indices[i + GROUP] = i1;
        indices[i + 2 * GROUP] = i2;
        indices[i + 3 * GROUP] = i3;
        values[i] = v0;
        values[i + GROUP] = v1;
        values[i + 2 * GROUP] = v2;
        values[i + 3 * GROUP] = v3;
    }
    for (; i < count; i += GROUP) {
        indices[i] = from_indices[i];
        values[i] = from_values[positions ? (heron_index)positions[i] : i];
    }
}

// Where each team begins, as find_places does it for the shares.
HERON_FN void find_teams(__local const int* starts, int rows, int elements, __local int* team_rows,
                         __local int* team_elements) {
    for (int t = get_local_id(0); t <= TEAMS; t += GROUP) {
        const int at = t * (elements + ROW_COST * rows) / TEAMS;
        int row = 0;
        int high = rows + 1;
        while (high - row > 1) {
            const int middle = (row + high) / 2;
            if (start_of(starts, middle) + ROW_COST * middle <= at)
                row = middle;
            else
                high = middle;
        }
        int element = at - ROW_COST * row;
        if (row < rows && element > start_of(starts, row) && starts[row + 1] - element <= TEAM_SLACK) {
            ++row;
            element = starts[row];
        }
        team_rows[t] = row;
        team_elements[t] = min(element, elements);
    }
}

// Column v of a lane's own, counted from the group's first.
HERON_FN int column_of(int lane, int v) { return (v / WIDTH * LANES + lane) * WIDTH + v % WIDTH; }

HERON_FN void put(__local CT* to, int lane, const CT* sums) {
#pragma unroll
    for (int v = 0; v < OWN; ++v) to[column_of(lane, v)] = sums[v];
}

HERON_FN void add_from(__local const CT* from, int lane, CT* sums) {
#pragma unroll
    for (int v = 0; v < OWN; ++v) sums[v] = ADD(CT, sums[v], from[column_of(lane, v)]);
}

HERON_FN void put_partial(GLOBAL CT* to, int lane, int left, const CT* sums) {
#pragma unroll
    for (int v = 0; v < OWN; ++v)
        if (column_of(lane, v) < left) to[column_of(lane, v)] = sums[v];
}

// A row of C, or its part of the tile.
HERON_FN void write_row(GLOBAL CT* c, __local CT* tile_row, int lane, int left, CT alpha, CT beta,
                        const CT* sums) {
#if TILE
    put(tile_row, lane, sums);
#else
#pragma unroll
    for (int u = 0; u < UNITS; ++u) {
        const int first = column_of(lane, u * WIDTH);
        if (first >= left) continue;
        CT out[WIDTH];
#pragma unroll
        for (int v = 0; v < WIDTH; ++v) out[v] = MUL(CT, alpha, sums[u * WIDTH + v]);
        if (!EQUAL(CT, beta, ZERO(CT))) {
            CT old[WIDTH];
            UNPACK(CT, *(GLOBAL const uint4*)(c + first), old);
#pragma unroll
            for (int v = 0; v < WIDTH; ++v) out[v] = MAD(CT, beta, old[v], out[v]);
        }
        *(GLOBAL uint4*)(c + first) = PACK(CT, out);
    }
#endif
}

// Neighbouring items write neighbouring elements of C.
HERON_FN void write_tile(__local const CT* tile, GLOBAL CT* c, int rows, int left, heron_index row_step,
                         heron_index column_step, CT alpha, CT beta) {
    const int by_columns = row_step == 1;
    const int columns = min(left, COLUMNS);
    const int line = by_columns ? rows : columns;
    const int lines = by_columns ? columns : rows;
    for (int first_line = 0; first_line < lines; first_line += GROUP / 32) {
        for (int first = 0; first < line; first += 32) {
            const int l = first_line + (int)get_local_id(0) / 32;
            const int i = first + (int)get_local_id(0) % 32;
            if (l >= lines || i >= line) continue;
            const int row = by_columns ? i : l;
            const int column = by_columns ? l : i;
            GLOBAL CT* const to = c + row * row_step + column * column_step;
            *to = updated(tile[row * (COLUMNS + 1) + column], alpha, beta, to);
        }
    }
}

HERON_FN void add_element(CT a, int conjugate_b, const uint4* b, CT* sums) {
#pragma unroll
    for (int u = 0; u < UNITS; ++u) {
        CT row[WIDTH];
        UNPACK(CT, b[u], row);
#pragma unroll
        for (int v = 0; v < WIDTH; ++v)
            sums[u * WIDTH + v] = MAD(CT, a, conjugate_b ? CONJ(CT, row[v]) : row[v], sums[u * WIDTH + v]);
    }
}

HERON_FN void clear(CT* sums) {
#pragma unroll
    for (int v = 0; v < OWN; ++v) sums[v] = ZERO(CT);
}

// The row that a team works on.
typedef struct {
    int row, end, is_head;
    CT sums[OWN];
} running_row;

HERON_FN void finish_row(running_row* r, GLOBAL CT* c, heron_index c_row_step, __local const int* starts,
                         __local CT* heads, __local CT* tile, int lane, int left, CT alpha, CT beta) {
    if (r->is_head)
        put(heads, lane, r->sums);
    else
        write_row(c + r->row * c_row_step, tile + r->row * (COLUMNS + 1), lane, left, alpha, beta, r->sums);
    r->is_head = 0;
    clear(r->sums);
    r->end = starts[++r->row + 1];
}

// sums := what the teams before `end` have of the row that all of them leave to the next one.
HERON_FN void add_tails(__local const int* starts, int row, __local const int* team_rows,
                        __local const int* team_elements, int end, __local const CT* tails, int lane,
                        CT* sums) {
    clear(sums);
    int t = max(end - 1, 0);
    while (t > 0 && team_rows[t] == row && is_split(starts, row, team_elements[t])) --t;
    for (; t < end; ++t) add_from(tails + t * COLUMNS, lane, sums);
}

// Group g multiplies share g % shares for one tile of columns and one item of the batch.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_multiply_shares(
    GLOBAL const OT* restrict all_offsets, GLOBAL const IT* restrict all_indices,
    GLOBAL const CT* restrict all_values, GLOBAL const OT* restrict positions,
    GLOBAL const CT* restrict all_b, GLOBAL CT* all_c, product_shape s, CT alpha_value,
    GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
    GLOBAL const place* restrict all_places, GLOBAL CT* heads_of_shares, GLOBAL CT* tails_of_shares,
    GLOBAL int* split_count, GLOBAL heron_index* split, GLOBAL const int* skipped) {
    __local IT indices[MOST_ELEMENTS];
    __local CT values[MOST_ELEMENTS];
    __local int starts[MOST_ROWS + 1];
    __local int team_rows[TEAMS + 1];
    __local int team_elements[TEAMS + 1];
    __local CT heads[GROUP * OWN];
    __local CT tails[GROUP * OWN];
#if TILE
    __local CT tile[MOST_ROWS * (COLUMNS + 1)];
#else
    __local CT* const tile = heads;
#endif
    if (skipped && *skipped) return;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int is_active = !EQUAL(CT, alpha, ZERO(CT));
    const int id = get_local_id(0);
    const int team = id / LANES;
    const int lane = id % LANES;
    const heron_index group = get_group_id(0);
    const heron_index share = group % s.shares;
    const heron_index first_column = group / s.shares % s.tiles * COLUMNS;
    const heron_index batch = group / s.shares / s.tiles;
    GLOBAL const OT* const offsets = all_offsets + batch * s.offsets_stride;
    GLOBAL const place* const places = all_places + (s.patterns == 1 ? 0 : batch * (s.shares + 1));
    const heron_index first_row = places[share].row;
    const heron_index first = places[share].element;
    const int rows = (int)(places[share + 1].row - first_row);
    const int elements = (int)(places[share + 1].element - first);
    const int left = (int)min(s.columns - first_column, (heron_index)COLUMNS);
    GLOBAL CT* const c =
        all_c + batch * s.c_stride + first_row * s.c_row_step + first_column * s.c_column_step;

    if (is_active) {
        GLOBAL const CT* const own_values = all_values + batch * s.values_stride;
        fetch_elements(all_indices + batch * s.indices_stride + first,
                       positions ? own_values : own_values + first, positions ? positions + first : positions,
                       elements, indices, values);
    }
    for (int i = id; i <= rows + 1; i += GROUP) {
        heron_index start = elements + 1;
        if (first_row + i <= s.rows) start = (heron_index)offsets[first_row + i] - s.base - first;
        starts[i] = (int)clamp(start, (heron_index)-1, (heron_index)(elements + 1));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    find_teams(starts, rows, elements, team_rows, team_elements);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int last_row = team_rows[team + 1];
    const int last = team_elements[team + 1];
    int k = team_elements[team];
    running_row r;
    r.row = team_rows[team];
    r.end = starts[r.row + 1];
    r.is_head = is_split(starts, r.row, k);
    clear(r.sums);
    // Lanes behind the last column read the first one instead.
    int from[UNITS];
#pragma unroll
    for (int u = 0; u < UNITS; ++u) {
        const int column = column_of(lane, u * WIDTH);
        from[u] = (column < left ? column : 0) / WIDTH;
    }
    GLOBAL const uint4* const b =
        (GLOBAL const uint4*)(all_b + batch * s.b_stride + first_column) - s.base * s.b_vectors;
    const int b_vectors = (int)s.b_vectors;
    const int conjugate_a = (int)s.conjugate_a;
    const int conjugate_b = (int)s.conjugate_b;
    for (; is_active && k < last; k += DEPTH) {
        uint4 rows_of_b[DEPTH][UNITS];
#pragma unroll
        for (int j = 0; j < DEPTH; ++j) {
            GLOBAL const uint4* const row = b + (heron_index)indices[min(k + j, last - 1)] * b_vectors;
#pragma unroll
            for (int u = 0; u < UNITS; ++u) rows_of_b[j][u] = row[from[u]];
        }
        const int within_row = k + DEPTH <= min(r.end, last);
#pragma unroll
        for (int j = 0; j < DEPTH; ++j) {
            if (!within_row) {
                if (k + j >= last) break;
                while (k + j >= r.end)
                    finish_row(&r, c, s.c_row_step, starts, heads + team * COLUMNS, tile, lane, left, alpha,
                               beta);
            }
            const CT a = values[k + j];
            add_element(conjugate_a ? CONJ(CT, a) : a, conjugate_b, rows_of_b[j], r.sums);
        }
    }
    while (r.row < last_row)
        finish_row(&r, c, s.c_row_step, starts, heads + team * COLUMNS, tile, lane, left, alpha, beta);
    put(tails + team * COLUMNS, lane, r.sums);
    barrier(CLK_LOCAL_MEM_FENCE);

    // The row that ends in this team but was begun before, and the row that the share does not end.
    const int begun = team_rows[team];
    CT sums[OWN];
    if (is_split(starts, begun, team_elements[team]) && last_row > begun) {
        add_tails(starts, begun, team_rows, team_elements, team, tails, lane, sums);
        add_from(heads + team * COLUMNS, lane, sums);
        if (starts[begun] < 0) {
            put_partial(heads_of_shares + (batch * s.shares + share) * s.partial_stride + first_column, lane,
                        left, sums);
            if (first_column == 0 && lane == 0) split[atomic_inc(split_count)] = batch * s.shares + share;
        } else {
            write_row(c + begun * s.c_row_step, tile + begun * (COLUMNS + 1), lane, left, alpha, beta, sums);
        }
    }
    if (team == 0 && is_split(starts, rows, elements)) {
        add_tails(starts, rows, team_rows, team_elements, TEAMS, tails, lane, sums);
        put_partial(tails_of_shares + (batch * s.shares + share) * s.partial_stride + first_column, lane,
                    left, sums);
    }
#if TILE
    barrier(CLK_LOCAL_MEM_FENCE);
    const int begins_before = starts[0] < 0;
    write_tile(tile + begins_before * (COLUMNS + 1), c + begins_before * s.c_row_step, rows - begins_before,
               left, s.c_row_step, s.c_column_step, alpha, beta);
#endif
}

// Writes the rows of C that have parts in several shares: those that end in a share but began before. Some
// items add up some of the parts each, then one adds these.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_join_rows(
    GLOBAL const OT* restrict all_offsets, GLOBAL CT* all_c, product_shape s, CT alpha_value,
    GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
    GLOBAL const place* restrict all_places, GLOBAL const CT* restrict heads, GLOBAL const CT* restrict tails,
    GLOBAL const int* split_count, GLOBAL const heron_index* restrict split, GLOBAL const int* skipped) {
    __local CT partial[GROUP];
    if (skipped && *skipped) return;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int id = get_local_id(0);
    for (int i = get_group_id(0); i < *split_count; i += get_num_groups(0)) {
        const heron_index batch = split[i] / s.shares;
        const heron_index share = split[i] % s.shares;
        const heron_index row = all_places[(s.patterns == 1 ? 0 : batch * (s.shares + 1)) + share].row;
        const heron_index begin = (heron_index)all_offsets[batch * s.offsets_stride + row] - s.base;
        const heron_index first = (begin + ROW_COST * row) / SHARE;
        for (heron_index column = 0; column < s.columns; column += GROUP) {
            const int columns = (int)min(s.columns - column, (heron_index)GROUP);
            const int slices = GROUP / columns;
            const int slice = id / columns;
            const int own = id % columns;
            const heron_index each = (share - first + slices) / slices;
            const heron_index end = min(first + (slice + 1) * each, share + 1);
            CT sum = ZERO(CT);
            if (slice < slices)
                for (heron_index p = first + slice * each; p < end; ++p)
                    sum = ADD(CT, sum,
                              (p < share ? tails
                                         : heads)[(batch * s.shares + p) * s.partial_stride + column + own]);
            partial[id] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice == 0) {
                for (int p = 1; p < slices; ++p) sum = ADD(CT, sum, partial[p * columns + own]);
                GLOBAL CT* const to =
                    all_c + batch * s.c_stride + row * s.c_row_step + (column + own) * s.c_column_step;
                *to = updated(sum, alpha, beta, to);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

// to[i*to_ld + j] := b(i, j) for 0 <= j < to_ld, zero behind the last column. Both sides are touched in whole
// lines, with local memory between them.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_turn_dense(
    GLOBAL const CT* restrict b, heron_index rows, heron_index columns, heron_index row_step,
    heron_index column_step, heron_index stride, GLOBAL CT* restrict to, heron_index to_ld, heron_index down,
    heron_index across) {
    __local CT tile[TURNED_ROWS * (TURNED_COLUMNS + 1)];
    const int id = get_local_id(0);
    const heron_index group = get_group_id(0);
    const heron_index batch = group / down / across;
    const heron_index first_row = group % down * TURNED_ROWS;
    const heron_index first_column = group / down % across * TURNED_COLUMNS;
    const int by_columns = row_step == 1;
    CT taken[TURNED_ROWS * TURNED_COLUMNS / GROUP];
#pragma unroll
    for (int l = 0; l < TURNED_ROWS * TURNED_COLUMNS / GROUP; ++l) {
        const int e = l * GROUP + id;
        const heron_index i = first_row + (by_columns ? e % TURNED_ROWS : e / TURNED_COLUMNS);
        const heron_index j = first_column + (by_columns ? e / TURNED_ROWS : e % TURNED_COLUMNS);
        taken[l] = i < rows && j < columns ? b[batch * stride + i * row_step + j * column_step] : ZERO(CT);
    }
#pragma unroll
    for (int l = 0; l < TURNED_ROWS * TURNED_COLUMNS / GROUP; ++l) {
        const int e = l * GROUP + id;
        const int i = by_columns ? e % TURNED_ROWS : e / TURNED_COLUMNS;
        const int j = by_columns ? e / TURNED_ROWS : e % TURNED_COLUMNS;
        tile[i * (TURNED_COLUMNS + 1) + j] = taken[l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = id; e < TURNED_ROWS * TURNED_COLUMNS; e += GROUP) {
        const int i = e / TURNED_COLUMNS;
        const int j = e % TURNED_COLUMNS;
        if (first_row + i < rows && first_column + j < to_ld)
            to[(batch * rows + first_row + i) * to_ld + first_column + j] =
                tile[i * (TURNED_COLUMNS + 1) + j];
    }
}

// Puts every element at the next place of its column: `next` starts as the columns' offsets. The order within
// a column is any.
HERON_KERNEL(sort_columns, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
             heron_index rows, heron_index nnz, heron_index base, GLOBAL int* next,
             GLOBAL IT* restrict sorted_rows, GLOBAL OT* restrict positions) {
    const heron_index first = item * SORTED_PER_ITEM;
    const heron_index last = min(first + SORTED_PER_ITEM, nnz);
    heron_index row = holder_of(offsets, base, 0, rows - 1, first);
    for (heron_index k = first; k < last; ++k) {
        while ((heron_index)offsets[row + 1] - base <= k) ++row;
        const int to = atomic_inc(next + 2 * ((heron_index)indices[k] - base));
        sorted_rows[to] = (IT)row;
        positions[to] = (OT)k;
    }
}
HERON_END

HERON_KERNEL(compare_stamps, GLOBAL const i64* front, GLOBAL const i64* back, heron_index stamp,
             GLOBAL int* is_lost) {
    *is_lost = *front != stamp || *back != stamp;
}
HERON_END

// Where the stamps are lost: C := beta*C, then += alpha*op(A)*B by atomic additions, row by row of the CSR
// matrix A. B's element (i, j) is b[i*b_row_step + j*b_column_step]. Few items each do much, since they
// seldom have to.
HERON_KERNEL(scale_if_lost, heron_index items, GLOBAL CT* c, product_shape s, heron_index count,
             CT beta_value, GLOBAL const CT* beta_device, GLOBAL const int* is_lost) {
    if (!*is_lost) return;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    for (heron_index i = item; i < count; i += items) {
        GLOBAL CT* const to = c + i / s.columns / s.rows * s.c_stride +
                              i / s.columns % s.rows * s.c_row_step + i % s.columns * s.c_column_step;
        *to = updated(ZERO(CT), ZERO(CT), beta, to);
    }
}
HERON_END
HERON_KERNEL(scatter_if_lost, heron_index items, GLOBAL const OT* restrict offsets,
             GLOBAL const IT* restrict indices, GLOBAL const CT* restrict values, GLOBAL const CT* restrict b,
             heron_index b_row_step, heron_index b_column_step, heron_index b_stride, GLOBAL CT* c,
             product_shape s, heron_index lines, heron_index count, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const int* is_lost) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (!*is_lost || EQUAL(CT, alpha, ZERO(CT))) return;
    for (heron_index i = item; i < count; i += items) {
        const heron_index column = i % s.columns;
        const heron_index line = i / s.columns % lines;
        const heron_index batch = i / s.columns / lines;
        const CT from = b[batch * b_stride + line * b_row_step + column * b_column_step];
        const CT factor = MUL(CT, alpha, s.conjugate_b ? CONJ(CT, from) : from);
        const heron_index end = (heron_index)offsets[line + 1] - s.base;
        for (heron_index k = (heron_index)offsets[line] - s.base; k < end; ++k) {
            const CT a = values[batch * s.values_stride + k];
            ATOMIC_ADD(CT, c,
                       batch * s.c_stride + ((heron_index)indices[k] - s.base) * s.c_row_step +
                           column * s.c_column_step,
                       MUL(CT, s.conjugate_a ? CONJ(CT, a) : a, factor));
        }
    }
}
HERON_END
