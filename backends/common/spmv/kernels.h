// Sparse matrix times vector. Types: VA matrix, VX and VY vectors, CT compute, OT offsets, IT indices.

// y := alpha*sum + beta*y; beta = 0 does not read y.
HERON_TYPES(class VY, class CT)
HERON_FN void update_y(GLOBAL VY* y, heron_index i, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, LOAD(CT, VY, y, i), result);
    STORE(CT, VY, y, i, result);
}

// One row of a CSR matrix. alpha = 0 reads neither A nor x.
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(csr_row, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL VY* y, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index begin = (heron_index)offsets[item] - base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[item + 1] - base;
    CT sum = ZERO(CT);
    for (heron_index k = begin; k < end; ++k) {
        const CT ak = LOAD(CT, VA, a, k);
        sum = MAD(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, (heron_index)indices[k] - base), sum);
    }
    update_y(y, item, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// One row of a sliced ELLPACK matrix; column -1 is padding. The first offset tells the offsets' own base.
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(sell_row, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index slice_size, heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL VY* y,
             CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index slice = item / slice_size;
    const heron_index begin = (heron_index)offsets[slice] - (heron_index)offsets[0] + item % slice_size;
    const heron_index end =
        EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[slice + 1] - (heron_index)offsets[0];
    CT sum = ZERO(CT);
    for (heron_index k = begin; k < end; k += slice_size) {
        if (indices[k] < 0) continue;
        const CT ak = LOAD(CT, VA, a, k);
        sum = MAD(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, (heron_index)indices[k] - base), sum);
    }
    update_y(y, item, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// One scalar row of a BSR matrix. Element (r, c) of block b is a[b*block_size + r*row_step + c*column_step].
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(bsr_row, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index block_rows, heron_index block_cols, heron_index row_step, heron_index column_step,
             heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL VY* y, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index block_row = item / block_rows;
    const heron_index begin = (heron_index)offsets[block_row] - base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[block_row + 1] - base;
    CT sum = ZERO(CT);
    for (heron_index b = begin; b < end; ++b) {
        const heron_index first = b * block_rows * block_cols + item % block_rows * row_step;
        const heron_index column = ((heron_index)indices[b] - base) * block_cols;
        for (heron_index c = 0; c < block_cols; ++c) {
            const CT ak = LOAD(CT, VA, a, first + c * column_step);
            sum = MAD(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, column + c), sum);
        }
    }
    update_y(y, item, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// The transposed products add op(A)*x into acc, which starts at zero; finish then forms y.

HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(csr_row_scatter, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL CT* acc, CT alpha_value,
             GLOBAL const CT* alpha_device) {
    if (EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) return;
    const CT xi = LOAD(CT, VX, x, item);
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = (heron_index)offsets[item] - base; k < end; ++k) {
        const CT ak = LOAD(CT, VA, a, k);
        ATOMIC_ADD(CT, acc, (heron_index)indices[k] - base, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
    }
}
HERON_END

HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(sell_row_scatter, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index slice_size, heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL CT* acc,
             CT alpha_value, GLOBAL const CT* alpha_device) {
    if (EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) return;
    const CT xi = LOAD(CT, VX, x, item);
    const heron_index slice = item / slice_size;
    const heron_index end = (heron_index)offsets[slice + 1] - (heron_index)offsets[0];
    heron_index k = (heron_index)offsets[slice] - (heron_index)offsets[0] + item % slice_size;
    for (; k < end; k += slice_size) {
        if (indices[k] < 0) continue;
        const CT ak = LOAD(CT, VA, a, k);
        ATOMIC_ADD(CT, acc, (heron_index)indices[k] - base, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
    }
}
HERON_END

HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(bsr_row_scatter, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index block_rows, heron_index block_cols, heron_index row_step, heron_index column_step,
             heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL CT* acc, CT alpha_value,
             GLOBAL const CT* alpha_device) {
    if (EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) return;
    const CT xi = LOAD(CT, VX, x, item);
    const heron_index block_row = item / block_rows;
    const heron_index end = (heron_index)offsets[block_row + 1] - base;
    for (heron_index b = (heron_index)offsets[block_row] - base; b < end; ++b) {
        const heron_index first = b * block_rows * block_cols + item % block_rows * row_step;
        const heron_index column = ((heron_index)indices[b] - base) * block_cols;
        for (heron_index c = 0; c < block_cols; ++c) {
            const CT ak = LOAD(CT, VA, a, first + c * column_step);
            ATOMIC_ADD(CT, acc, column + c, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
        }
    }
}
HERON_END

// One stored element of a COO matrix in any order: acc[to] += a*x[from]. With a flag it works only where the
// flag is set.
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(coo_scatter, GLOBAL const IT* to, GLOBAL const IT* from, GLOBAL const VA* a, heron_index base,
             int conjugate, GLOBAL const VX* x, GLOBAL CT* acc, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const int* unsorted) {
    if (EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT))) return;
    if (unsorted && !*unsorted) return;
    const CT ak = LOAD(CT, VA, a, item);
    const CT product =
        MUL(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, (heron_index)from[item] - base));
    ATOMIC_ADD(CT, acc, (heron_index)to[item] - base, product);
}
HERON_END

// *unsorted := 1 if the rows of a COO matrix do not ascend.
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(coo_find_unsorted, GLOBAL const IT* rows, GLOBAL int* unsorted) {
    if (rows[item] > rows[item + 1]) *unsorted = 1;
}
HERON_END

// One row of a sorted COO matrix, summed in storage order: acc[row] := sum. Does nothing if the matrix is not
// sorted.
HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(coo_row, GLOBAL const IT* rows, GLOBAL const IT* columns, GLOBAL const VA* a, heron_index nnz,
             heron_index base, int conjugate, GLOBAL const VX* x, GLOBAL CT* acc, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const int* unsorted) {
    if (EQUAL(CT, SCALAR(CT, alpha_value, alpha_device), ZERO(CT)) || *unsorted) return;
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)rows[middle] - base < item)
            low = middle + 1;
        else
            high = middle;
    }
    CT sum = ZERO(CT);
    for (heron_index k = low; k < nnz && (heron_index)rows[k] - base == item; ++k) {
        const CT ak = LOAD(CT, VA, a, k);
        sum = MAD(CT, conjugate ? CONJ(CT, ak) : ak, LOAD(CT, VX, x, (heron_index)columns[k] - base), sum);
    }
    acc[item] = sum;
}
HERON_END

HERON_TYPES(class VA, class VX, class VY, class CT, class OT, class IT)
HERON_KERNEL(finish, GLOBAL const CT* acc, GLOBAL VY* y, CT alpha_value, GLOBAL const CT* alpha_device,
             CT beta_value, GLOBAL const CT* beta_device) {
    update_y(y, item, acc[item], SCALAR(CT, alpha_value, alpha_device), SCALAR(CT, beta_value, beta_device));
}
HERON_END
