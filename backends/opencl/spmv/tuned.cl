// CSR matrix times vector for GPUs. Types as in kernels/spmv.h.
//
// The stored elements are cut into tiles of equal length, one per work-group, so that no distribution of row
// lengths unbalances the work. A group finds the rows of its tile by a search with many probes at once
// (instead of one binary search per tile before, as in merge-based SpMV: Merrill and Garland, SC16), keeps
// the products in local memory, and sums each row there with as many items as the tile's number of rows
// allows. What a tile holds of rows that begin or end elsewhere goes to `head` and `carry`; csr_tile_finish
// puts those rows together. Every sum is a fixed tree: the result is the same on every run.

#define GROUP 256         // work-items per group
#define TILE_BYTES 16384  // local memory for the products; the host sizes its tiles by the same number
#define CAPACITY (TILE_BYTES / sizeof(CT))
#define LONG_ROW 256  // more elements per item than this are left to the whole group
#define LONG_ROWS (CAPACITY / LONG_ROW + 1)
#define FINISH_ITEMS 32  // work-items per tile in csr_tile_finish

// Finds for two positions k at once how many rows end at or before k. The first half of the group works on
// first_k, the second half on second_k; the results come in found[0] and found[1].
HERON_FN void find_rows(GLOBAL const OT* restrict offsets, heron_index base, heron_index rows,
                        heron_index first_k, heron_index second_k, __local heron_index* found,
                        __local heron_index* high, __local int* ended) {
    const int probes = GROUP / 2;
    const int item = get_local_id(0);
    const int half_group = item / probes;
    const int lane = item % probes;
    const heron_index k = half_group ? second_k : first_k;
    if (lane == 0) {
        found[half_group] = 0;
        high[half_group] = rows;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (found[0] < high[0] || found[1] < high[1]) {
        const heron_index from = found[half_group];
        const heron_index to = high[half_group];
        const heron_index step = (to - from + probes - 1) / probes;
        const heron_index begin = min(from + lane * step, to);
        const heron_index end = min(begin + step, to);
        ended[item] = begin == end ? 0 : (heron_index)offsets[end] - base <= k;
        barrier(CLK_LOCAL_MEM_FENCE);
        // The one probe that is the first of its half not to have ended narrows the range to its own rows.
        if (begin < end && !ended[item] && (lane == 0 || ended[item - 1])) {
            found[half_group] = begin;
            high[half_group] = end - 1;
        }
        if (begin < end && ended[item] && end == to) found[half_group] = to;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Adds the partial sums of `items` neighbouring work-items (a power of two) into the first of them.
HERON_FN void reduce(__local CT* partial, int items) {
    const int item = get_local_id(0);
    for (int distance = items / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % items < distance) partial[item] = ADD(CT, partial[item], partial[item + distance]);
    }
}

HERON_FN void write_y(GLOBAL VY* y, heron_index i, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, LOAD(CT, VY, y, i), result);
    STORE(CT, VY, y, i, result);
}

HERON_FN CT product(GLOBAL const VA* restrict a, heron_index k, int conjugate, GLOBAL const VX* restrict x,
                    heron_index column) {
    const CT ak = LOAD(CT, VA, a, k);
    return MUL(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, column));
}

// products[i] := element i of the tile, i < size. Four at a time, so that their loads overlap.
HERON_FN void fill_tile(GLOBAL const IT* restrict indices, GLOBAL const VA* restrict a,
                        heron_index tile_begin, int size, heron_index base, int conjugate,
                        GLOBAL const VX* restrict x, __local CT* products) {
    int i = get_local_id(0);
    for (; i + 3 * GROUP < size; i += 4 * GROUP) {
        const heron_index k = tile_begin + i;
        const heron_index column0 = (heron_index)indices[k] - base;
        const heron_index column1 = (heron_index)indices[k + GROUP] - base;
        const heron_index column2 = (heron_index)indices[k + 2 * GROUP] - base;
        const heron_index column3 = (heron_index)indices[k + 3 * GROUP] - base;
        const CT p0 = product(a, k, conjugate, x, column0);
        const CT p1 = product(a, k + GROUP, conjugate, x, column1);
        const CT p2 = product(a, k + 2 * GROUP, conjugate, x, column2);
        const CT p3 = product(a, k + 3 * GROUP, conjugate, x, column3);
        products[i] = p0;
        products[i + GROUP] = p1;
        products[i + 2 * GROUP] = p2;
        products[i + 3 * GROUP] = p3;
    }
    for (; i < size; i += GROUP)
        products[i] = product(a, tile_begin + i, conjugate, x, (heron_index)indices[tile_begin + i] - base);
}

// The largest power of two up to `most` that leaves an item for each row.
HERON_FN int items_per_row(heron_index rows, int most) {
    int items = 1;
    while (items < most && 2 * items * rows <= GROUP) items *= 2;
    return items;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_csr_tile(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL const VA* restrict a,
    const heron_index rows, const heron_index nnz, const int tile, const heron_index base,
    const int conjugate, GLOBAL const VX* restrict x, GLOBAL VY* y, const CT alpha_value,
    GLOBAL const CT* alpha_device, const CT beta_value, GLOBAL const CT* beta_device,
    GLOBAL heron_index* head_row, GLOBAL CT* head, GLOBAL CT* carry) {
    __local CT products[CAPACITY];
    __local CT partial[GROUP];
    __local heron_index found[2];
    __local heron_index high[2];
    __local int ended[GROUP];
    __local heron_index long_rows[LONG_ROWS];
    __local int long_count;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int item = get_local_id(0);
    const heron_index group = get_group_id(0);
    const heron_index tile_begin = group * tile;
    const heron_index tile_end = min(tile_begin + tile, nnz);

    if (EQUAL(CT, alpha, ZERO(CT))) {
        for (int i = item; i < (int)(tile_end - tile_begin); i += GROUP) products[i] = ZERO(CT);
    } else {
        fill_tile(indices, a, tile_begin, (int)(tile_end - tile_begin), base, conjugate, x, products);
    }
    if (item == 0) long_count = 0;
    find_rows(offsets, base, rows, tile_begin, tile_end, found, high, ended);

    // Rows [first, last) end in this tile, empty ones included; row last may begin in it.
    const heron_index first = group == 0 ? 0 : found[0];
    const heron_index last = found[1];
    const int has_tail = last < rows && (heron_index)offsets[last] - base < tile_end;
    const int has_head = group > 0 && first < last && (heron_index)offsets[first] - base < tile_begin;
    const heron_index row_count = last - first + has_tail;
    const int items = items_per_row(row_count, GROUP);
    if (item == 0) head_row[group] = has_head ? first : -1;

    for (heron_index pass = 0; pass < row_count; pass += GROUP / items) {
        const heron_index row = first + pass + item / items;
        const int is_active = row < first + row_count;
        const heron_index row_begin = is_active ? (heron_index)offsets[row] - base : tile_begin;
        const int begin = (int)(max(row_begin, tile_begin) - tile_begin);
        const int end =
            is_active ? (int)(min((heron_index)offsets[row + 1] - base, tile_end) - tile_begin) : begin;
        const int is_long = end - begin > LONG_ROW * items;
        CT sum = ZERO(CT);
        if (is_long) {
            if (item % items == 0) long_rows[atomic_inc(&long_count)] = row;
        } else {
            for (int i = begin + item % items; i < end; i += items) sum = ADD(CT, sum, products[i]);
        }
        // With several items per row there is one pass, so all of the group comes here.
        if (items > 1) {
            partial[item] = sum;
            reduce(partial, items);
            sum = partial[item];
        }
        if (is_active && !is_long && item % items == 0) {
            if (row == last)
                carry[group] = sum;
            else if (row_begin < tile_begin)
                head[group] = sum;
            else
                write_y(y, row, sum, alpha, beta);
        }
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    const int remaining = long_count;
    for (int l = 0; l < remaining; ++l) {
        const heron_index row = long_rows[l];
        const heron_index row_begin = (heron_index)offsets[row] - base;
        const int begin = (int)(max(row_begin, tile_begin) - tile_begin);
        const int end = (int)(min((heron_index)offsets[row + 1] - base, tile_end) - tile_begin);
        CT sum = ZERO(CT);
        for (int i = begin + item; i < end; i += GROUP) sum = ADD(CT, sum, products[i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        partial[item] = sum;
        reduce(partial, GROUP);
        if (item == 0) {
            if (row == last)
                carry[group] = partial[0];
            else if (row_begin < tile_begin)
                head[group] = partial[0];
            else
                write_y(y, row, partial[0], alpha, beta);
        }
    }
}

// ---- rows that are much alike ----

// Elements that a group has at most for its rows; the host sizes them by the same number.
#define SMALL_TILE (sizeof(CT) > 8 ? 1024 : 2048)
#define MEASURED_ROWS 3072  // a multiple of all candidates
#define CANDIDATES 12
// Shifted by one place for every 32, so that items that read with a power-of-two stride do not meet in one
// bank.
#define PADDED(i) ((i) + (i) / 32)

// most[c] := the greatest number of elements that as many neighbouring rows have as candidate c says;
// most[CANDIDATES]: one row.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_measure_rows(
    GLOBAL const OT* restrict offsets, const heron_index rows, GLOBAL int* most) {
    const int candidates[CANDIDATES + 1] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1};
    __local int found[CANDIDATES + 1];
    const int item = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)MEASURED_ROWS;
    if (item <= CANDIDATES) found[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; c <= CANDIDATES; ++c) {
        int greatest = 0;
        for (heron_index row = first + item * candidates[c]; row < min(first + MEASURED_ROWS, rows);
             row += GROUP * candidates[c]) {
            const heron_index length =
                (heron_index)offsets[min(row + candidates[c], rows)] - (heron_index)offsets[row];
            greatest = max(greatest, (int)min(length, (heron_index)INT_MAX));
        }
        if (greatest > 0) atomic_max(found + c, greatest);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item <= CANDIDATES) atomic_max(most + item, found[item]);
}

// A tile is so many neighbouring rows. One that does not fit is summed from memory, an item per row.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_csr_row_tile(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL const VA* restrict a,
    const heron_index rows, const int rows_per_tile, const heron_index base, const int conjugate,
    GLOBAL const VX* restrict x, GLOBAL VY* y, const CT alpha_value, GLOBAL const CT* alpha_device,
    const CT beta_value, GLOBAL const CT* beta_device) {
    __local CT products[PADDED(SMALL_TILE)];
    __local CT partial[GROUP];
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int item = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)rows_per_tile;
    const int count = (int)min(rows - first, (heron_index)rows_per_tile);
    const heron_index tile_begin = (heron_index)offsets[first] - base;
    const heron_index tile_size =
        EQUAL(CT, alpha, ZERO(CT)) ? 0 : (heron_index)offsets[first + count] - base - tile_begin;
    const int fits = tile_size <= (heron_index)SMALL_TILE;
    const int size = fits ? (int)tile_size : 0;
    const int items = items_per_row(count, 32);
    IT index[SMALL_TILE / GROUP];
    CT value[SMALL_TILE / GROUP];
#pragma unroll
    for (int j = 0; j < (int)(SMALL_TILE / GROUP); ++j)
        if (item + j * GROUP < size) {
            index[j] = indices[tile_begin + item + j * GROUP];
            value[j] = LOAD(CT, VA, a, tile_begin + item + j * GROUP);
        }
#pragma unroll
    for (int j = 0; j < (int)(SMALL_TILE / GROUP); ++j)
        if (item + j * GROUP < size)
            products[PADDED(item + j * GROUP)] = MUL(CT, conjugate ? CONJ(CT, value[j]) : value[j],
                                                     LOAD(CT, VX, x, (heron_index)index[j] - base));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int pass = 0; pass < count; pass += GROUP / items) {
        const int row = pass + item / items;
        const int is_active = row < count && tile_size > 0;
        const heron_index begin = is_active ? (heron_index)offsets[first + row] - base : tile_begin;
        const heron_index end = is_active ? (heron_index)offsets[first + row + 1] - base : tile_begin;
        CT sum = ZERO(CT);
        if (fits) {
            for (int i = (int)(begin - tile_begin) + item % items; i < (int)(end - tile_begin); i += items)
                sum = ADD(CT, sum, products[PADDED(i)]);
        } else {
            for (heron_index k = begin + item % items; k < end; k += items)
                sum = ADD(CT, sum, product(a, k, conjugate, x, (heron_index)indices[k] - base));
        }
        // With several items per row there is one pass.
        partial[item] = sum;
        reduce(partial, items);
        if (row < count && item % items == 0) write_y(y, first + row, partial[item], alpha, beta);
    }
}

// Rows that lie in several tiles: the tile where a row ends adds up what the tiles since its beginning
// carried.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_csr_tile_finish(
    GLOBAL const OT* restrict offsets, const heron_index tiles, const int tile, const heron_index base,
    GLOBAL VY* y, const CT alpha_value, GLOBAL const CT* alpha_device, const CT beta_value,
    GLOBAL const CT* beta_device, GLOBAL const heron_index* restrict head_row, GLOBAL const CT* restrict head,
    GLOBAL const CT* restrict carry) {
    __local CT partial[GROUP];
    const int item = get_local_id(0);
    const heron_index here = (heron_index)(get_global_id(0) / FINISH_ITEMS);
    const heron_index row = here < tiles ? head_row[here] : -1;
    CT sum = ZERO(CT);
    if (row >= 0) {
        const heron_index start = ((heron_index)offsets[row] - base) / tile;
        for (heron_index t = start + item % FINISH_ITEMS; t < here; t += FINISH_ITEMS)
            sum = ADD(CT, sum, carry[t]);
    }
    partial[item] = sum;
    reduce(partial, FINISH_ITEMS);
    if (row < 0 || item % FINISH_ITEMS != 0) return;
    write_y(y, row, ADD(CT, partial[item], head[here]), SCALAR(CT, alpha_value, alpha_device),
            SCALAR(CT, beta_value, beta_device));
}

// acc += alpha*op(A)^T*x with atomic adds, by the same tiles: neighbouring items take neighbouring elements
// of one row.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_csr_tile_scatter(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL const VA* restrict a,
    const heron_index rows, const heron_index nnz, const int tile, const heron_index base,
    const int conjugate, GLOBAL const VX* restrict x, GLOBAL CT* acc, const int apply_alpha,
    const CT alpha_value, GLOBAL const CT* alpha_device) {
    __local heron_index found[2];
    __local heron_index high[2];
    __local int ended[GROUP];
    __local heron_index long_rows[LONG_ROWS];
    __local int long_count;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const int item = get_local_id(0);
    const heron_index tile_begin = get_group_id(0) * (heron_index)tile;
    const heron_index tile_end = min(tile_begin + tile, nnz);
    if (item == 0) long_count = 0;
    find_rows(offsets, base, rows, tile_begin, tile_end, found, high, ended);

    const heron_index first = found[0];
    const heron_index row_count = min(found[1] + 1, rows) - first;
    // About half as many items as the tile's mean row has elements, but no item idle for want of rows.
    int items = items_per_row(row_count, GROUP);
    while (items < 32 && 4 * items * row_count <= tile) items *= 2;

    for (heron_index pass = 0; pass < row_count; pass += GROUP / items) {
        const heron_index row = first + pass + item / items;
        if (row >= first + row_count) continue;
        const heron_index begin = max((heron_index)offsets[row] - base, tile_begin);
        const heron_index end = min((heron_index)offsets[row + 1] - base, tile_end);
        if (begin >= end) continue;
        if (end - begin > LONG_ROW * items) {
            if (item % items == 0) long_rows[atomic_inc(&long_count)] = row;
            continue;
        }
        const CT xi = apply_alpha ? MUL(CT, alpha, LOAD(CT, VX, x, row)) : LOAD(CT, VX, x, row);
        for (heron_index k = begin + item % items; k < end; k += items) {
            const CT ak = LOAD(CT, VA, a, k);
            ATOMIC_ADD(CT, acc, (heron_index)indices[k] - base, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
        }
    }

    barrier(CLK_LOCAL_MEM_FENCE);
    const int remaining = long_count;
    for (int l = 0; l < remaining; ++l) {
        const heron_index row = long_rows[l];
        const heron_index begin = max((heron_index)offsets[row] - base, tile_begin);
        const heron_index end = min((heron_index)offsets[row + 1] - base, tile_end);
        const CT xi = apply_alpha ? MUL(CT, alpha, LOAD(CT, VX, x, row)) : LOAD(CT, VX, x, row);
        for (heron_index k = begin + item; k < end; k += GROUP) {
            const CT ak = LOAD(CT, VA, a, k);
            ATOMIC_ADD(CT, acc, (heron_index)indices[k] - base, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
        }
    }
}
