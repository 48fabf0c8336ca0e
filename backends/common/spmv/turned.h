// Transposed CSR matrix times vector with what ANALYSE has found out about the columns (columns.h). Types: CT
// values. GROUP items take a tile of GROUP*16 elements.
//
// Short columns are gathered, an item each. Elsewhere a tile adds up in local memory what it has for each of
// its columns, so that memory sees one atomic addition for each column of a tile; and where a tile has hardly
// two elements of a column, each element is one addition. The row of an element is found by a bit per element
// that says whether a row begins there.
HERON_PROGRAM(spmv_turned, class CT, int GROUP)

CONSTANT(width, 32);  // bits of a word; items that walk along a part together
CONSTANT(part, 512);  // elements
CONSTANT(tile, GROUP / width * part);
CONSTANT(batch, 8);  // times 32 elements that are loaded before the first is used
CONSTANT(items, 256);

HERON_FN int is_lost(GLOBAL const i64* front, GLOBAL const i64* back, heron_index stamp) {
    return *front != stamp || *back != stamp;
}

HERON_FN CT element(CT value, int conjugate) { return conjugate ? CONJ(CT, value) : value; }

// Adds everything to y element by element, where a pattern was overwritten: right for any number of items,
// and slow.
HERON_FN void scatter_plainly(GLOBAL const i32* offsets, GLOBAL const i32* indices, GLOBAL const CT* values,
                              heron_index rows, heron_index base, int conjugate, GLOBAL const CT* x,
                              GLOBAL CT* y, CT alpha, int group_items) {
    const heron_index item = group_id() * (heron_index)group_items + group_item();
    const heron_index step = group_count() * (heron_index)group_items / width;
    for (heron_index row = item / width; row < rows; row += step) {
        const CT factor = MUL(CT, alpha, x[row]);
        const heron_index end = (heron_index)offsets[row + 1] - base;
        ROLLED
        for (heron_index k = (heron_index)offsets[row] - base + item % width; k < end; k += width)
            ATOMIC_ADD(CT, y, (heron_index)indices[k] - base, MUL(CT, element(values[k], conjugate), factor));
    }
}

// How many of the next batch of elements, from k on, there are; none or fewer behind the last one.
HERON_FN int left_of_batch(heron_index k, heron_index nnz) {
    return (int)min(nnz - k, (heron_index)(batch * width));
}

// The factors of element k + j*width + lane, of `left` from k on. *rank: of the row before the first that
// begins there; it moves on. They are multiplied where the product is used, behind the branch that asks
// whether there is one: in a loop of their own, the first products are waited for before the last loads.
HERON_FN void load_factors(heron_index k, int left, GLOBAL const CT* values, GLOBAL const u32* starts,
                           GLOBAL const i32* listed, GLOBAL const CT* x, int* rank, CT* elements,
                           CT* factors) {
    const int lane = group_item() % width;
    u32 begins[batch];
    UNROLL
    for (int j = 0; j < batch; ++j) {
        begins[j] = 0;
        if (j * width < left) begins[j] = LOAD_OFTEN(starts + k / width + j);
        if (j * width + lane < left) elements[j] = LOAD_ONCE(values + k + lane + j * width);
    }
    UNROLL
    for (int j = 0; j < batch; ++j) {
        const int row = *rank + popcount(begins[j] & (0xffffffffu >> (width - 1 - lane)));
        *rank += popcount(begins[j]);
        if (j * width + lane < left) factors[j] = LOAD_OFTEN(x + LOAD_OFTEN(listed + row));
    }
}

// y += alpha*op(A)*x by tiles. sums: as many elements as a tile has columns.
HERON_GROUP_KERNEL(combine_tiles, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const CT* RESTRICT values, heron_index rows,
                   heron_index nnz, heron_index base, int conjugate, heron_index stamp,
                   GLOBAL const i64* front, GLOBAL const i64* back, GLOBAL const u32* RESTRICT starts,
                   GLOBAL const i32* RESTRICT listed, GLOBAL const i32* RESTRICT part_ranks,
                   GLOBAL const u16* RESTRICT places, GLOBAL const i32* RESTRICT columns,
                   GLOBAL const u32* RESTRICT column_begins, GLOBAL const u32* RESTRICT column_counts,
                   GLOBAL const CT* RESTRICT x, GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device,
                   LOCAL CT* sums) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (is_lost(front, back, stamp)) {
        scatter_plainly(offsets, indices, values, rows, base, conjugate, x, y, alpha, GROUP);
        return;
    }
    const u32 begin = column_begins[group_id()];
    const u32 count = column_counts[group_id()];
    for (u32 i = (u32)group_item(); i < count; i += GROUP) sums[i] = ZERO(CT);
    sync_group();
    const int lane = group_item() % width;
    const heron_index first = group_id() * (heron_index)tile + group_item() / width * part;
    int rank = first < nnz ? part_ranks[first / part] : 0;
    ROLLED
    for (int step = 0; step < part; step += batch * width) {
        CT elements[batch];
        CT factors[batch];
        u16 place[batch];
        const heron_index k = first + step;
        const int left = left_of_batch(k, nnz);
        UNROLL
        for (int j = 0; j < batch; ++j) {
            place[j] = 0;
            if (j * width + lane < left) place[j] = LOAD_ONCE(places + k + lane + j * width);
        }
        load_factors(k, left, values, starts, listed, x, &rank, elements, factors);
        UNROLL
        for (int j = 0; j < batch; ++j)
            if (j * width + lane < left)
                LOCAL_ADD(CT, sums + place[j], MUL(CT, element(elements[j], conjugate), factors[j]));
    }
    sync_group();
    for (u32 i = (u32)group_item(); i < count; i += GROUP)
        ATOMIC_ADD(CT, y, columns[begin + i], MUL(CT, alpha, sums[i]));
}
HERON_CLOSE

// y += alpha*op(A)*x, an atomic addition per element.
HERON_GROUP_KERNEL(scatter_parts, GROUP, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const CT* RESTRICT values, heron_index rows,
                   heron_index nnz, heron_index base, int conjugate, heron_index stamp,
                   GLOBAL const i64* front, GLOBAL const i64* back, GLOBAL const u32* RESTRICT starts,
                   GLOBAL const i32* RESTRICT listed, GLOBAL const i32* RESTRICT part_ranks,
                   GLOBAL const CT* RESTRICT x, GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (is_lost(front, back, stamp)) {
        scatter_plainly(offsets, indices, values, rows, base, conjugate, x, y, alpha, GROUP);
        return;
    }
    const int lane = group_item() % width;
    const heron_index first = group_id() * (heron_index)tile + group_item() / width * part;
    int rank = first < nnz ? part_ranks[first / part] : 0;
    ROLLED
    for (int step = 0; step < part; step += batch * width) {
        CT elements[batch];
        CT factors[batch];
        i32 column[batch];
        const heron_index k = first + step;
        const int left = left_of_batch(k, nnz);
        UNROLL
        for (int j = 0; j < batch; ++j) {
            column[j] = 0;
            if (j * width + lane < left) column[j] = LOAD_ONCE(indices + k + lane + j * width);
        }
        load_factors(k, left, values, starts, listed, x, &rank, elements, factors);
        UNROLL
        for (int j = 0; j < batch; ++j)
            if (j * width + lane < left)
                ATOMIC_ADD(CT, y, column[j] - base,
                           MUL(CT, alpha, MUL(CT, element(elements[j], conjugate), factors[j])));
    }
}
HERON_CLOSE

// y := alpha*op(A)*x + beta*y, an item per column. A lost pattern leaves y := beta*y.
HERON_GROUP_KERNEL(gather_columns, items, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const CT* RESTRICT values, heron_index columns, heron_index base, int conjugate,
                   heron_index stamp, GLOBAL const i64* front, GLOBAL const i64* back,
                   GLOBAL const i32* RESTRICT column_offsets, GLOBAL const i32* RESTRICT column_rows,
                   GLOBAL const u8* RESTRICT places, GLOBAL const CT* RESTRICT x, GLOBAL CT* y,
                   CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
                   GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int reads_a = !EQUAL(CT, alpha, ZERO(CT)) && !is_lost(front, back, stamp);
    const heron_index column = group_id() * (heron_index)items + group_item();
    if (column >= columns) return;
    const int begin = column_offsets[column];
    const int end = reads_a ? column_offsets[column + 1] : begin;
    CT sum = ZERO(CT);
    UNROLL_BY(4)
    for (int q = begin; q < end; ++q) {
        const i32 row = LOAD_OFTEN(column_rows + q);
        const heron_index k = (heron_index)LOAD_OFTEN(offsets + row) - base + LOAD_OFTEN(places + q);
        sum = MAD(CT, element(LOAD_OFTEN(values + k), conjugate), LOAD_OFTEN(x + row), sum);
    }
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, y[column], result);
    y[column] = result;
}
HERON_CLOSE

// What gather_columns left out.
HERON_GROUP_KERNEL(scatter_if_lost, items, GLOBAL const i32* RESTRICT offsets,
                   GLOBAL const i32* RESTRICT indices, GLOBAL const CT* RESTRICT values, heron_index rows,
                   heron_index base, int conjugate, heron_index stamp, GLOBAL const i64* front,
                   GLOBAL const i64* back, GLOBAL const CT* RESTRICT x, GLOBAL CT* y, CT alpha_value,
                   GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (is_lost(front, back, stamp) && !EQUAL(CT, alpha, ZERO(CT)))
        scatter_plainly(offsets, indices, values, rows, base, conjugate, x, y, alpha, items);
}
HERON_CLOSE

HERON_CLOSE
