// Sparse to dense and back. Types: RT raw element, WT the raw word that RT consists of one or two of, OT
// offsets, IT indices. Element (i, j) of a dense matrix is at i*row_step + j*column_step.

// A type is zero where all bits under its mask are: -0.0 is zero, a NaN or a subnormal number is not.
HERON_TYPES(class RT, class WT)
HERON_FN int is_nonzero(GLOBAL const RT* a, heron_index k, WT mask) {
    const heron_index words = sizeof(RT) / sizeof(WT);
    GLOBAL const WT* element = (GLOBAL const WT*)a + k * words;
    return ((element[0] | element[words - 1]) & mask) != 0;
}

HERON_TYPES(class RT, class WT)
HERON_FN void set_words(GLOBAL RT* a, heron_index k, WT word) {
    const heron_index words = sizeof(RT) / sizeof(WT);
    GLOBAL WT* element = (GLOBAL WT*)a + k * words;
    element[0] = word;
    element[words - 1] = word;
}

// Clears every step-th element of one line (a row in row order, a column in column order), with `step` items
// per line.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_clear, GLOBAL RT* b, heron_index length, heron_index ld, heron_index step) {
    const heron_index line = item / step;
    for (heron_index k = item % step; k < length; k += step) set_words(b, line * ld + k, (WT)0);
}
HERON_END

HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(coo_to_dense, GLOBAL const IT* rows, GLOBAL const IT* columns, GLOBAL const RT* a,
             heron_index base, GLOBAL RT* b, heron_index row_step, heron_index column_step) {
    const heron_index i = (heron_index)rows[item] - base;
    const heron_index j = (heron_index)columns[item] - base;
    b[i * row_step + j * column_step] = a[item];
}
HERON_END

HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(csr_to_dense, GLOBAL const OT* offsets, GLOBAL const IT* columns, GLOBAL const RT* a,
             heron_index base, GLOBAL RT* b, heron_index row_step, heron_index column_step) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = (heron_index)offsets[item] - base; k < end; ++k)
        b[item * row_step + ((heron_index)columns[k] - base) * column_step] = a[k];
}
HERON_END

// One row of a sliced ELLPACK matrix; column -1 is padding. The first offset tells the offsets' own base.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(sell_to_dense, GLOBAL const OT* offsets, GLOBAL const IT* columns, GLOBAL const RT* a,
             heron_index slice_size, heron_index base, GLOBAL RT* b, heron_index row_step,
             heron_index column_step) {
    const heron_index slice = item / slice_size;
    const heron_index end = (heron_index)offsets[slice + 1] - (heron_index)offsets[0];
    heron_index k = (heron_index)offsets[slice] - (heron_index)offsets[0] + item % slice_size;
    for (; k < end; k += slice_size) {
        if (columns[k] < 0) continue;
        b[item * row_step + ((heron_index)columns[k] - base) * column_step] = a[k];
    }
}
HERON_END

// One scalar row of a BSR matrix. Element (r, c) of block k is a[k*block_size + r*block_row_step +
// c*block_column_step].
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(bsr_to_dense, GLOBAL const OT* offsets, GLOBAL const IT* columns, GLOBAL const RT* a,
             heron_index block_rows, heron_index block_cols, heron_index block_row_step,
             heron_index block_column_step, heron_index base, GLOBAL RT* b, heron_index row_step,
             heron_index column_step) {
    const heron_index block_row = item / block_rows;
    const heron_index end = (heron_index)offsets[block_row + 1] - base;
    for (heron_index k = (heron_index)offsets[block_row] - base; k < end; ++k) {
        const heron_index from = k * block_rows * block_cols + item % block_rows * block_row_step;
        const heron_index to = item * row_step + ((heron_index)columns[k] - base) * block_cols * column_step;
        for (heron_index c = 0; c < block_cols; ++c)
            b[to + c * column_step] = a[from + c * block_column_step];
    }
}
HERON_END

// Blocked-ELL: the values are a dense rows x ell_cols matrix in row order; its columns come in slots of
// `block` columns, and columns[block_row*slots + slot] is the block column that a slot holds, negative for
// none. The last slot and the last block column may be cut short. One item is one slot of one row.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(ell_to_dense, GLOBAL const IT* columns, GLOBAL const RT* a, heron_index slots, heron_index block,
             heron_index ell_cols, heron_index base, heron_index cols, GLOBAL RT* b, heron_index row_step,
             heron_index column_step) {
    const heron_index row = item / slots;
    const heron_index slot = item % slots;
    const heron_index block_column = (heron_index)columns[row / block * slots + slot];
    if (block_column < 0) return;
    const heron_index first = (block_column - base) * block;
    const heron_index end = (slot + 1) * block < ell_cols ? (slot + 1) * block : ell_cols;
    heron_index j = first;
    for (heron_index k = slot * block; k < end && j < cols; ++k, ++j)
        b[row * row_step + j * column_step] = a[row * ell_cols + k];
}
HERON_END

HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_count_row, GLOBAL const RT* a, heron_index cols, heron_index row_step,
             heron_index column_step, WT mask, GLOBAL i64* counts) {
    i64 count = 0;
    for (heron_index j = 0; j < cols; ++j) count += is_nonzero(a, item * row_step + j * column_step, mask);
    counts[item] = count;
}
HERON_END

// sizes[item] := stored elements of slice item, padding included: the longest of its rows times slice_size.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(sell_measure_slice, GLOBAL const i64* counts, heron_index rows, heron_index slice_size,
             GLOBAL i64* sizes) {
    const heron_index begin = item * slice_size;
    const heron_index end = begin + slice_size < rows ? begin + slice_size : rows;
    i64 longest = 0;
    for (heron_index row = begin; row < end; ++row) longest = counts[row] > longest ? counts[row] : longest;
    sizes[item] = longest * slice_size;
}
HERON_END

HERON_TYPES(class RT, class WT)
HERON_FN int block_is_nonzero(GLOBAL const RT* a, heron_index first, heron_index block_rows,
                              heron_index block_cols, heron_index row_step, heron_index column_step,
                              WT mask) {
    for (heron_index r = 0; r < block_rows; ++r)
        for (heron_index c = 0; c < block_cols; ++c)
            if (is_nonzero(a, first + r * row_step + c * column_step, mask)) return 1;
    return 0;
}

HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_count_blocks, GLOBAL const RT* a, heron_index blocks, heron_index block_rows,
             heron_index block_cols, heron_index row_step, heron_index column_step, WT mask,
             GLOBAL i64* counts) {
    i64 count = 0;
    for (heron_index block = 0; block < blocks; ++block) {
        const heron_index first = item * block_rows * row_step + block * block_cols * column_step;
        count += block_is_nonzero(a, first, block_rows, block_cols, row_step, column_step, mask);
    }
    counts[item] = count;
}
HERON_END

// One row of a CSR or, with row_indices, a COO matrix. Never writes outside what the offsets and nnz allow,
// whatever has become of the dense matrix or the offsets since they were counted.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_to_csr, GLOBAL const RT* a, heron_index cols, heron_index row_step,
             heron_index column_step, WT mask, GLOBAL const OT* offsets, heron_index offsets_base,
             heron_index nnz, heron_index base, GLOBAL IT* row_indices, GLOBAL IT* columns,
             GLOBAL RT* values) {
    const heron_index next = (heron_index)offsets[item + 1] - offsets_base;
    const heron_index end = next < nnz ? next : nnz;
    heron_index k = (heron_index)offsets[item] - offsets_base;
    if (k < 0) return;
    for (heron_index j = 0; j < cols && k < end; ++j) {
        const heron_index from = item * row_step + j * column_step;
        if (!is_nonzero(a, from, mask)) continue;
        if (row_indices) row_indices[k] = (IT)(item + base);
        columns[k] = (IT)(j + base);
        values[k] = a[from];
        ++k;
    }
}
HERON_END

// One row of a sliced ELLPACK matrix, padded with column -1 and zero. Rows that only fill the last slice are
// all padding.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_to_sell, GLOBAL const RT* a, heron_index rows, heron_index cols, heron_index row_step,
             heron_index column_step, WT mask, GLOBAL const OT* offsets, heron_index slice_size,
             heron_index base, GLOBAL IT* columns, GLOBAL RT* values) {
    const heron_index slice = item / slice_size;
    const heron_index end = (heron_index)offsets[slice + 1] - (heron_index)offsets[0];
    const heron_index present = item < rows ? cols : 0;
    heron_index k = (heron_index)offsets[slice] - (heron_index)offsets[0] + item % slice_size;
    for (heron_index j = 0; j < present && k < end; ++j) {
        const heron_index from = item * row_step + j * column_step;
        if (!is_nonzero(a, from, mask)) continue;
        columns[k] = (IT)(j + base);
        values[k] = a[from];
        k += slice_size;
    }
    for (; k < end; k += slice_size) {
        columns[k] = (IT)-1;
        set_words(values, k, (WT)0);
    }
}
HERON_END

// One block row of a BSR matrix: the blocks that hold a nonzero.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_to_bsr, GLOBAL const RT* a, heron_index blocks, heron_index block_rows,
             heron_index block_cols, heron_index row_step, heron_index column_step, WT mask,
             GLOBAL const OT* offsets, heron_index nnz, heron_index base, heron_index block_row_step,
             heron_index block_column_step, GLOBAL IT* columns, GLOBAL RT* values) {
    const heron_index next = (heron_index)offsets[item + 1] - base;
    const heron_index end = next < nnz ? next : nnz;
    heron_index k = (heron_index)offsets[item] - base;
    if (k < 0) return;
    for (heron_index block = 0; block < blocks && k < end; ++block) {
        const heron_index first = item * block_rows * row_step + block * block_cols * column_step;
        if (!block_is_nonzero(a, first, block_rows, block_cols, row_step, column_step, mask)) continue;
        const heron_index to = k * block_rows * block_cols;
        for (heron_index r = 0; r < block_rows; ++r)
            for (heron_index c = 0; c < block_cols; ++c)
                values[to + r * block_row_step + c * block_column_step] =
                    a[first + r * row_step + c * column_step];
        columns[k] = (IT)(block + base);
        ++k;
    }
}
HERON_END

// One slot of one row of a Blocked-ELL matrix, laid out as in ell_to_dense: the elements of the block that
// the slot names, zero where there are none.
HERON_TYPES(class RT, class WT, class OT, class IT)
HERON_KERNEL(dense_to_ell, GLOBAL const RT* a, heron_index cols, heron_index row_step,
             heron_index column_step, GLOBAL const IT* columns, heron_index slots, heron_index block,
             heron_index ell_cols, heron_index base, GLOBAL RT* values) {
    const heron_index row = item / slots;
    const heron_index slot = item % slots;
    const heron_index block_column = (heron_index)columns[row / block * slots + slot];
    const heron_index end = (slot + 1) * block < ell_cols ? (slot + 1) * block : ell_cols;
    heron_index j = block_column < 0 ? cols : (block_column - base) * block;
    for (heron_index k = slot * block; k < end; ++k, ++j) {
        if (j < cols)
            values[row * ell_cols + k] = a[row * row_step + j * column_step];
        else
            set_words(values, row * ell_cols + k, (WT)0);
    }
}
HERON_END
