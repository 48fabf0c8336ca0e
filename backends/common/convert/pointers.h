// Between the offsets of rows and the row of each element. Types: IT both.

// The row that element item is of: the last one that does not begin behind it.
HERON_TYPES(class IT)
HERON_KERNEL(row_of_element, GLOBAL const IT* offsets, heron_index base, heron_index rows,
             GLOBAL IT* indices) {
    heron_index low = 0;
    heron_index high = rows - 1;
    while (low < high) {
        const heron_index middle = low + (high - low + 1) / 2;
        if ((heron_index)offsets[middle] - base <= item)
            low = middle;
        else
            high = middle - 1;
    }
    indices[item] = (IT)(low + base);
}
HERON_END

// All elements of one row, for devices where an item does best with neighbouring ones.
HERON_TYPES(class IT)
HERON_KERNEL(elements_of_row, GLOBAL const IT* offsets, heron_index base, heron_index nnz,
             GLOBAL IT* indices) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = (heron_index)offsets[item] - base; k < end && k < nnz; ++k)
        indices[k] = (IT)(item + base);
}
HERON_END

// The first element whose row is at least `row`.
HERON_TYPES(class IT)
HERON_FN heron_index first_at_or_behind(GLOBAL const IT* indices, heron_index base, heron_index nnz,
                                        heron_index row) {
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)indices[middle] - base < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Offset of row item, for devices where few items do best.
HERON_TYPES(class IT)
HERON_KERNEL(offset_of_row, GLOBAL const IT* indices, heron_index base, heron_index nnz, GLOBAL IT* offsets) {
    offsets[item] = (IT)(first_at_or_behind(indices, base, nnz, item) + base);
}
HERON_END

// The row of element k; those before the first one and behind the last one are beside the rows of the matrix.
HERON_TYPES(class IT)
HERON_FN heron_index row_beside(GLOBAL const IT* indices, heron_index base, heron_index nnz, heron_index rows,
                                heron_index k) {
    if (k < 0) return -1;
    if (k >= nnz) return rows;
    const heron_index row = (heron_index)indices[k] - base;
    return row < 0 ? 0 : row > rows ? rows : row;
}

// The rows after that of element k - 1 up to that of element k begin at k. Item k <= nnz writes their offsets
// if they are few, else those before the next multiple of run. An item behind these has `run` rows, of which
// it writes those that are among many; so nobody writes more than run, however many rows are empty.
HERON_TYPES(class IT)
HERON_KERNEL(offsets_before_element, GLOBAL const IT* indices, heron_index base, heron_index nnz,
             heron_index rows, heron_index run, GLOBAL IT* offsets) {
    const heron_index own = (item - nnz - 1) * run;
    const heron_index k = item <= nnz ? item : first_at_or_behind(indices, base, nnz, own);
    heron_index first = row_beside(indices, base, nnz, rows, k - 1) + 1;
    heron_index last = row_beside(indices, base, nnz, rows, k);
    const int is_many = last - first >= run;
    if (item > nnz) {
        if (!is_many) return;
        first = own;
        if (last > own + run - 1) last = own + run - 1;
    } else if (is_many) {
        last = (first + run - 1) / run * run - 1;
    }
    for (heron_index row = first; row <= last; ++row) offsets[row] = (IT)(k + base);
}
HERON_END

// One element of an array that has nothing to count.
HERON_TYPES(class IT)
HERON_KERNEL(set_offset, GLOBAL IT* offsets, heron_index value) { offsets[item] = (IT)value; }
HERON_END
