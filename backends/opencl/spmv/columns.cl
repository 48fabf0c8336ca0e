// Transposed CSR matrix times vector with what ANALYSE has found out about the columns, for GPUs. Types: CT
// values (f32 or f64), OT offsets, IT indices. TILE: elements of a tile, a work-group each.
//
// Short columns are gathered, an item each. Elsewhere a tile adds up in local memory what it has for each of
// its columns, so that memory sees one atomic addition for each column of a tile; and where a tile has hardly
// two elements of a column, each element is one addition. The row of an element is found by a bit per element
// that says whether a row begins there.

#define PART 512  // elements that WIDTH items walk along
#define WIDTH 32  // bits of a word
#define GROUP (TILE / PART * WIDTH)
#define BATCH 8     // times WIDTH elements that are loaded before the first is used
#define WORDS 8192  // of local memory for a bit per column
#define MOST_PASSES 64
#define MEASURED 8  // rows or columns per item

// What is counted over all tiles.
typedef struct {
    int columns;       // sum over the tiles
    int most_columns;  // of a tile
    int is_unfit;      // the columns of a tile lie too far apart
    int longest_row;
    int longest_column;
} tile_totals;

// ---- ANALYSE ----

// *longest := the greatest `length` of all items. All items of a group of SCAN_GROUP.
HERON_FN void keep_longest(GLOBAL int* longest, int length, __local int* most) {
    if (get_local_id(0) == 0) *most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(most, length);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_max(longest, *most);
}

// counts[row] := whether the row has elements.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_mark_rows(
    GLOBAL const OT* restrict offsets, heron_index rows, GLOBAL i64* counts, GLOBAL tile_totals* totals) {
    __local int most;
    const heron_index first = get_group_id(0) * (heron_index)(MEASURED * SCAN_GROUP) + get_local_id(0);
    int longest = 0;
    for (int i = 0; i < MEASURED; ++i) {
        const heron_index row = first + i * SCAN_GROUP;
        if (row >= rows) continue;
        const int length = (int)(offsets[row + 1] - offsets[row]);
        counts[row] = length > 0;
        longest = max(longest, length);
    }
    keep_longest(&totals->longest_row, longest, &most);
}

__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void heron_measure_columns(
    GLOBAL const i64* restrict counts, heron_index columns, GLOBAL tile_totals* totals) {
    __local int most;
    const heron_index first = get_group_id(0) * (heron_index)(MEASURED * SCAN_GROUP) + get_local_id(0);
    int longest = 0;
    for (int i = 0; i < MEASURED; ++i) {
        const heron_index column = first + i * SCAN_GROUP;
        if (column < columns) longest = max(longest, (int)counts[column]);
    }
    keep_longest(&totals->longest_column, longest, &most);
}

// The elements of a tile.
typedef struct {
    GLOBAL const IT* indices;
    int count, base;
} tile_elements;

// words := a bit for each column of the tile from `low` on that WORDS words have, and before[id] := how many
// of them lie before those of this item, which has WORDS/GROUP words. The number of columns is returned. All
// items of the group.
HERON_FN int mark_columns(tile_elements tile, heron_index low, __local uint* words, __local i64* before) {
    const int id = get_local_id(0);
    for (int w = id; w < WORDS; w += GROUP) words[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < tile.count; i += GROUP) {
        const heron_index bit = (heron_index)tile.indices[i] - tile.base - low;
        if (bit >= 0 && bit < WORDS * WIDTH) atomic_or(words + bit / WIDTH, 1u << bit % WIDTH);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = 0;
    for (int w = id * (WORDS / GROUP); w < (id + 1) * (WORDS / GROUP); ++w) own += popcount(words[w]);
    before[id] = own;
    scan_group(before, GROUP);
    const int all = (int)before[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    before[id] -= own;
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// The columns that are marked, and the places of the elements in them among the columns of the tile.
HERON_FN void number_columns(tile_elements tile, heron_index low, int number, __local const uint* words,
                             __local const i64* before, GLOBAL int* columns, GLOBAL ushort* places) {
    const int id = get_local_id(0);
    int own = number + (int)before[id];
    for (int w = id * (WORDS / GROUP); w < (id + 1) * (WORDS / GROUP); ++w)
        for (uint bits = words[w]; bits; bits &= bits - 1)
            columns[own++] = (int)(low + w * WIDTH + (WIDTH - 1 - clz(bits & -bits)));
    for (int i = id; i < tile.count; i += GROUP) {
        const heron_index bit = (heron_index)tile.indices[i] - tile.base - low;
        if (bit < 0 || bit >= WORDS * WIDTH) continue;
        const int word = (int)(bit / WIDTH);
        int place =
            number + (int)before[word / (WORDS / GROUP)] + popcount(words[word] & ((1u << bit % WIDTH) - 1));
        for (int w = word / (WORDS / GROUP) * (WORDS / GROUP); w < word; ++w) place += popcount(words[w]);
        places[i] = (ushort)place;
    }
}

HERON_FN tile_elements elements_of(heron_index group, GLOBAL const IT* restrict indices, heron_index nnz,
                                   heron_index base) {
    const heron_index first = group * TILE;
    const tile_elements tile = {indices + first, (int)min(nnz - first, (heron_index)TILE), (int)base};
    return tile;
}

// limits := the lowest and the highest column of the tile. All items of the group.
HERON_FN void find_limits(tile_elements tile, __local int* limits) {
    const int id = get_local_id(0);
    if (id == 0) {
        limits[0] = INT_MAX;
        limits[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int low = INT_MAX;
    int high = 0;
    for (int i = id; i < tile.count; i += GROUP) {
        const int column = (int)((heron_index)tile.indices[i] - tile.base);
        low = min(low, column);
        high = max(high, column);
    }
    atomic_min(limits, low);
    atomic_max(limits + 1, high);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// How often words are filled for columns in these limits; once at least.
HERON_FN int passes_for(__local const int* limits) {
    const int passes = (limits[1] - limits[0]) / (WORDS * WIDTH) + 1;
    return passes > MOST_PASSES ? 1 : passes;
}

// How many columns the tiles have, and where they go.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_count_tile_columns(
    GLOBAL const IT* restrict indices, heron_index nnz, heron_index base, GLOBAL int* column_begins,
    GLOBAL int* column_counts, GLOBAL tile_totals* totals) {
    __local uint words[WORDS];
    __local i64 before[GROUP];
    __local int limits[2];
    const tile_elements tile = elements_of(get_group_id(0), indices, nnz, base);
    find_limits(tile, limits);
    const int passes = passes_for(limits);
    int number = 0;
    int pass = 0;
    do {
        number += mark_columns(tile, limits[0] + (heron_index)pass * (WORDS * WIDTH), words, before);
        ++pass;
    } while (pass < passes);
    if (get_local_id(0) != 0) return;
    column_begins[get_group_id(0)] = atomic_add(&totals->columns, number);
    column_counts[get_group_id(0)] = number;
    atomic_max(&totals->most_columns, number);
    if (limits[0] + (heron_index)passes * (WORDS * WIDTH) <= limits[1]) totals->is_unfit = 1;
}

// The columns of the tiles, and the places of their elements among them. There is room.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_number_tile_columns(
    GLOBAL const IT* restrict indices, heron_index nnz, heron_index base,
    GLOBAL const int* restrict column_begins, GLOBAL int* columns, GLOBAL ushort* places) {
    __local uint words[WORDS];
    __local i64 before[GROUP];
    __local int limits[2];
    const tile_elements tile = elements_of(get_group_id(0), indices, nnz, base);
    find_limits(tile, limits);
    const int passes = passes_for(limits);
    columns += column_begins[get_group_id(0)];
    places += get_group_id(0) * (heron_index)TILE;
    int number = 0;
    int pass = 0;
    do {
        const heron_index from = limits[0] + (heron_index)pass * (WORDS * WIDTH);
        const int marked = mark_columns(tile, from, words, before);
        number_columns(tile, from, number, words, before, columns, places);
        number += marked;
        barrier(CLK_LOCAL_MEM_FENCE);
        ++pass;
    } while (pass < passes);
}

// listed: the rows with elements. starts: a bit per element, zero before; those that begin a row are set.
// ranks[row] counts the rows with elements before it.
HERON_KERNEL(list_rows, GLOBAL const OT* restrict offsets, heron_index base, GLOBAL const i64* restrict ranks,
             GLOBAL int* listed, GLOBAL uint* starts) {
    const heron_index first = (heron_index)offsets[item] - base;
    if (first == (heron_index)offsets[item + 1] - base) return;
    listed[ranks[item]] = (int)item;
    atomic_or(starts + first / WIDTH, 1u << first % WIDTH);
}
HERON_END

// part_ranks: of the parts, the row before the first one that begins there, in `listed`.
HERON_KERNEL(rank_parts, GLOBAL const OT* restrict offsets, heron_index rows, heron_index base,
             GLOBAL const i64* restrict ranks, GLOBAL int* part_ranks) {
    const heron_index k = item * PART;
    heron_index row = 0;
    heron_index high = rows - 1;
    while (row < high) {
        const heron_index middle = row + (high - row + 1) / 2;
        if ((heron_index)offsets[middle] - base <= k)
            row = middle;
        else
            high = middle - 1;
    }
    part_ranks[item] = (int)ranks[row] - ((heron_index)offsets[row] - base == k);
}
HERON_END

// column_rows and places of the elements by columns, in any order within a column. next[column] starts as its
// offset.
HERON_KERNEL(turn_rows, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
             heron_index base, GLOBAL int* next, GLOBAL int* column_rows, GLOBAL uchar* places) {
    const heron_index begin = (heron_index)offsets[item] - base;
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = begin; k < end; ++k) {
        const int to = atomic_inc(next + ((heron_index)indices[k] - base));
        column_rows[to] = (int)item;
        places[to] = (uchar)(k - begin);
    }
}
HERON_END

// Sorts each column by rows, which neighbouring columns then read together, and by places: the same on every
// run.
HERON_KERNEL(sort_columns, GLOBAL const int* restrict column_offsets, GLOBAL int* column_rows,
             GLOBAL uchar* places) {
    const int begin = column_offsets[item];
    for (int i = begin + 1; i < column_offsets[item + 1]; ++i) {
        const int row = column_rows[i];
        const uchar place = places[i];
        int to = i;
        while (to > begin &&
               (column_rows[to - 1] > row || (column_rows[to - 1] == row && places[to - 1] > place))) {
            column_rows[to] = column_rows[to - 1];
            places[to] = places[to - 1];
            --to;
        }
        column_rows[to] = row;
        places[to] = place;
    }
}
HERON_END

// ---- RUN ----

// The matrix, and the stamp of what was found out.
typedef struct {
    heron_index rows, nnz, base, stamp;
} turned_shape;

HERON_FN int is_lost(GLOBAL const i64* front, GLOBAL const i64* back, turned_shape s) {
    return *front != s.stamp || *back != s.stamp;
}

// Adds everything to y element by element: right for any number of items, and slow.
HERON_FN void scatter_plainly(GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
                              GLOBAL const CT* restrict values, turned_shape s, GLOBAL const CT* restrict x,
                              GLOBAL CT* y, CT alpha) {
    for (heron_index row = get_global_id(0) / WIDTH; row < s.rows; row += get_global_size(0) / WIDTH) {
        const CT factor = MUL(CT, alpha, x[row]);
        const heron_index end = (heron_index)offsets[row + 1] - s.base;
        for (heron_index k = (heron_index)offsets[row] - s.base + get_global_id(0) % WIDTH; k < end;
             k += WIDTH)
            ATOMIC_ADD(CT, y, (heron_index)indices[k] - s.base, MUL(CT, values[k], factor));
    }
}

// terms[j] := product of element k + j*WIDTH of a part, where k counts from its first one. *rank: of the row
// before the first that begins there; it moves on.
HERON_FN void take_products(heron_index k, heron_index nnz, GLOBAL const CT* restrict values,
                            GLOBAL const uint* restrict starts, GLOBAL const int* restrict listed,
                            GLOBAL const CT* restrict x, int* rank, CT* terms) {
    const int lane = get_local_id(0) % WIDTH;
    uint begins[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; ++j) {
        const heron_index first = k + j * WIDTH;
        begins[j] = first < nnz ? starts[first / WIDTH] : 0;
        terms[j] = first + lane < nnz ? values[first + lane] : ZERO(CT);
    }
#pragma unroll
    for (int j = 0; j < BATCH; ++j) {
        const int row = *rank + popcount(begins[j] & (0xffffffffu >> (WIDTH - 1 - lane)));
        *rank += popcount(begins[j]);
        if (k + j * WIDTH + lane < nnz) terms[j] = MUL(CT, terms[j], x[listed[row]]);
    }
}

// y += alpha*A^T*x by tiles.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_combine_tiles(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL const CT* restrict values,
    turned_shape s, GLOBAL const i64* front, GLOBAL const i64* back, GLOBAL const uint* restrict starts,
    GLOBAL const int* restrict listed, GLOBAL const int* restrict part_ranks,
    GLOBAL const ushort* restrict places, GLOBAL const int* restrict columns,
    GLOBAL const int* restrict column_begins, GLOBAL const int* restrict column_counts,
    GLOBAL const CT* restrict x, GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device) {
    __local CT sums[TILE];
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (is_lost(front, back, s)) {
        scatter_plainly(offsets, indices, values, s, x, y, alpha);
        return;
    }
    const int id = get_local_id(0);
    const int count = column_counts[get_group_id(0)];
    columns += column_begins[get_group_id(0)];
    for (int i = id; i < count; i += GROUP) sums[i] = ZERO(CT);
    barrier(CLK_LOCAL_MEM_FENCE);
    const heron_index first = get_group_id(0) * (heron_index)TILE + id / WIDTH * PART;
    int rank = first < s.nnz ? part_ranks[first / PART] : 0;
    for (int step = 0; step < PART; step += BATCH * WIDTH) {
        CT terms[BATCH];
        ushort place[BATCH];
        const heron_index own = first + step + id % WIDTH;
#pragma unroll
        for (int j = 0; j < BATCH; ++j) place[j] = own + j * WIDTH < s.nnz ? places[own + j * WIDTH] : 0;
        take_products(first + step, s.nnz, values, starts, listed, x, &rank, terms);
#pragma unroll
        for (int j = 0; j < BATCH; ++j)
            if (own + j * WIDTH < s.nnz) LOCAL_ADD(CT, sums + place[j], terms[j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < count; i += GROUP) ATOMIC_ADD(CT, y, columns[i], MUL(CT, alpha, sums[i]));
}

// y += alpha*A^T*x, an atomic addition per element.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_scatter_parts(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL const CT* restrict values,
    turned_shape s, GLOBAL const i64* front, GLOBAL const i64* back, GLOBAL const uint* restrict starts,
    GLOBAL const int* restrict listed, GLOBAL const int* restrict part_ranks, GLOBAL const CT* restrict x,
    GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (is_lost(front, back, s)) {
        scatter_plainly(offsets, indices, values, s, x, y, alpha);
        return;
    }
    const int id = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)TILE + id / WIDTH * PART;
    int rank = first < s.nnz ? part_ranks[first / PART] : 0;
    for (int step = 0; step < PART; step += BATCH * WIDTH) {
        CT terms[BATCH];
        IT column[BATCH];
        const heron_index own = first + step + id % WIDTH;
#pragma unroll
        for (int j = 0; j < BATCH; ++j) column[j] = own + j * WIDTH < s.nnz ? indices[own + j * WIDTH] : 0;
        take_products(first + step, s.nnz, values, starts, listed, x, &rank, terms);
#pragma unroll
        for (int j = 0; j < BATCH; ++j)
            if (own + j * WIDTH < s.nnz)
                ATOMIC_ADD(CT, y, (heron_index)column[j] - s.base, MUL(CT, alpha, terms[j]));
    }
}

// y := alpha*A^T*x + beta*y, an item per column. A lost pattern leaves y := beta*y.
HERON_KERNEL(gather_columns, GLOBAL const OT* restrict offsets, GLOBAL const CT* restrict values,
             turned_shape s, GLOBAL const i64* front, GLOBAL const i64* back,
             GLOBAL const int* restrict column_offsets, GLOBAL const int* restrict column_rows,
             GLOBAL const uchar* restrict places, GLOBAL const CT* restrict x, GLOBAL CT* y, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int begin = column_offsets[item];
    const int end = EQUAL(CT, alpha, ZERO(CT)) || is_lost(front, back, s) ? begin : column_offsets[item + 1];
    CT sum = ZERO(CT);
#pragma unroll 4
    for (int q = begin; q < end; ++q) {
        const int row = column_rows[q];
        const heron_index k = (heron_index)offsets[row] - s.base + places[q];
        sum = MAD(CT, values[k], x[row], sum);
    }
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, y[item], result);
    y[item] = result;
}
HERON_END

// What gather_columns left out.
HERON_KERNEL(scatter_if_lost, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
             GLOBAL const CT* restrict values, turned_shape s, GLOBAL const i64* front,
             GLOBAL const i64* back, GLOBAL const CT* restrict x, GLOBAL CT* y, CT alpha_value,
             GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (is_lost(front, back, s) && !EQUAL(CT, alpha, ZERO(CT)))
        scatter_plainly(offsets, indices, values, s, x, y, alpha);
}
HERON_END
