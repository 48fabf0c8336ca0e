// Sparse matrix times dense matrix, a batch at a time. Types: VA matrices A and B, VC matrix C, CT compute,
// OT offsets, IT indices. Neighbouring items are neighbouring columns of C.

// Element (i, j) of item number `batch` of C is c[batch*c_stride + i*c_row_step + j*c_column_step], and of B
// likewise. A's strides are from one item's arrays to the next one's; 0: all items share the array.
typedef struct {
    heron_index rows, columns;  // of C
    heron_index b_row_step, b_column_step, b_stride;
    heron_index c_row_step, c_column_step, c_stride;
    heron_index offsets_stride, indices_stride, values_stride;
    heron_index base;
    int conjugate_a, conjugate_b;
} spmm_shape;

// Element (r, c) of a BSR block is r*row_step + c*column_step elements behind the block's first; a
// Blocked-ELL matrix has row_step stored columns. `columns` are those of A that exist: the last block of
// Blocked-ELL may reach beyond.
typedef struct {
    heron_index rows, columns;
    heron_index row_step, column_step;
    heron_index slots;
    heron_index matrix_columns;
} spmm_blocks;

// Where scattered products are added up: place (i, j) of part p of item number `batch` is
// batch*batch_stride + p*part_stride + i*row_step + j*column_step. A part adds up `lines_per_part` of the
// `lines` rows (of COO: elements) of A. With part_stride = 0 all parts share their places and add atomically.
// scaled: the products are multiplied by alpha.
typedef struct {
    heron_index lines, lines_per_part, parts;
    heron_index row_step, column_step, part_stride, batch_stride;
    int scaled;
} spmm_sums;

// c[i] := alpha*sum + beta*c[i]; beta = 0 does not read c.
HERON_TYPES(class VC, class CT)
HERON_FN void update_c(GLOBAL VC* c, heron_index i, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, LOAD(CT, VC, c, i), result);
    STORE(CT, VC, c, i, result);
}

// sum + op(a[k])*op(b[i])
HERON_TYPES(class VA, class CT)
HERON_FN CT add_product(GLOBAL const VA* a, heron_index k, int conjugate_a, GLOBAL const VA* b, heron_index i,
                        int conjugate_b, CT sum) {
    const CT ak = LOAD(CT, VA, a, k);
    const CT bi = LOAD(CT, VA, b, i);
    return MAD(CT, conjugate_a ? CONJ(CT, ak) : ak, conjugate_b ? CONJ(CT, bi) : bi, sum);
}

// sums[i] += op(a[k])*b, atomically if others add to the same place.
HERON_TYPES(class VA, class CT)
HERON_FN void scatter_product(GLOBAL const VA* a, heron_index k, int conjugate_a, CT b, GLOBAL CT* sums,
                              heron_index i, int is_shared) {
    const CT ak = LOAD(CT, VA, a, k);
    const CT product = MUL(CT, conjugate_a ? CONJ(CT, ak) : ak, b);
    if (is_shared)
        ATOMIC_ADD(CT, sums, i, product);
    else
        sums[i] = ADD(CT, sums[i], product);
}

// b[i], conjugated and times alpha where that is asked for.
HERON_TYPES(class VA, class CT)
HERON_FN CT factor_of(GLOBAL const VA* b, heron_index i, int conjugate_b, int scaled, CT alpha) {
    const CT bi = LOAD(CT, VA, b, i);
    const CT factor = conjugate_b ? CONJ(CT, bi) : bi;
    return scaled ? MUL(CT, alpha, factor) : factor;
}

// One element of C from one row of a CSR matrix. alpha = 0 reads neither A nor B. Does nothing where a flag
// is set.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_csr, GLOBAL const OT* all_offsets, GLOBAL const IT* all_indices, GLOBAL const VA* all_a,
             GLOBAL const VA* all_b, GLOBAL VC* c, spmm_shape s, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
             GLOBAL const int* skipped) {
    if (skipped && *skipped) return;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index column = item % s.columns;
    const heron_index row = item / s.columns % s.rows;
    const heron_index batch = item / s.columns / s.rows;
    GLOBAL const OT* const offsets = all_offsets + batch * s.offsets_stride;
    GLOBAL const IT* const indices = all_indices + batch * s.indices_stride;
    GLOBAL const VA* const a = all_a + batch * s.values_stride;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    const heron_index begin = (heron_index)offsets[row] - s.base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[row + 1] - s.base;
    CT sum = ZERO(CT);
    for (heron_index k = begin; k < end; ++k)
        sum = add_product(a, k, s.conjugate_a, b, ((heron_index)indices[k] - s.base) * s.b_row_step,
                          s.conjugate_b, sum);
    update_c(c, batch * s.c_stride + row * s.c_row_step + column * s.c_column_step, sum, alpha,
             SCALAR(CT, beta_value, beta_device));
}
HERON_END

HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_bsr, GLOBAL const OT* all_offsets, GLOBAL const IT* all_indices, GLOBAL const VA* all_a,
             GLOBAL const VA* all_b, GLOBAL VC* c, spmm_shape s, spmm_blocks blocks, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index column = item % s.columns;
    const heron_index row = item / s.columns % s.rows;
    const heron_index batch = item / s.columns / s.rows;
    GLOBAL const OT* const offsets = all_offsets + batch * s.offsets_stride;
    GLOBAL const IT* const indices = all_indices + batch * s.indices_stride;
    GLOBAL const VA* const a = all_a + batch * s.values_stride + row % blocks.rows * blocks.row_step;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    const heron_index line = row / blocks.rows;
    const heron_index begin = (heron_index)offsets[line] - s.base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[line + 1] - s.base;
    CT sum = ZERO(CT);
    for (heron_index k = begin; k < end; ++k) {
        const heron_index first = k * blocks.rows * blocks.columns;
        const heron_index from = ((heron_index)indices[k] - s.base) * blocks.columns;
        for (heron_index i = 0; i < blocks.columns; ++i)
            sum = add_product(a, first + i * blocks.column_step, s.conjugate_a, b, (from + i) * s.b_row_step,
                              s.conjugate_b, sum);
    }
    update_c(c, batch * s.c_stride + row * s.c_row_step + column * s.c_column_step, sum, alpha,
             SCALAR(CT, beta_value, beta_device));
}
HERON_END

// Blocked-ELL: a block column of -1 is an empty slot. There are no batches of such matrices.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_ell, GLOBAL const IT* indices, GLOBAL const VA* a, GLOBAL const VA* all_b, GLOBAL VC* c,
             spmm_shape s, spmm_blocks blocks, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
             GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index column = item % s.columns;
    const heron_index row = item / s.columns % s.rows;
    const heron_index batch = item / s.columns / s.rows;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    const heron_index begin = row / blocks.rows * blocks.slots;
    const heron_index count = EQUAL(CT, alpha, ZERO(CT)) ? 0 : blocks.slots;
    CT sum = ZERO(CT);
    for (heron_index k = 0; k < count; ++k) {
        if (indices[begin + k] < 0) continue;
        const heron_index from = ((heron_index)indices[begin + k] - s.base) * blocks.columns;
        const heron_index first = row * blocks.row_step + k * blocks.columns;
        for (heron_index i = 0; i < blocks.columns && from + i < blocks.matrix_columns; ++i)
            sum = add_product(a, first + i, s.conjugate_a, b, (from + i) * s.b_row_step, s.conjugate_b, sum);
    }
    update_c(c, batch * s.c_stride + row * s.c_row_step + column * s.c_column_step, sum, alpha,
             SCALAR(CT, beta_value, beta_device));
}
HERON_END

// The products whose places are the columns of A. An item is one column of C and one part of A's rows. With a
// flag they work only where the flag is set.

HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_csr_scatter, GLOBAL const OT* all_offsets, GLOBAL const IT* all_indices,
             GLOBAL const VA* all_a, GLOBAL const VA* all_b, GLOBAL CT* all_sums, spmm_shape s, spmm_sums t,
             CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const int* wanted) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (wanted && !*wanted) return;
    const heron_index column = item % s.columns;
    const heron_index part = item / s.columns % t.parts;
    const heron_index batch = item / s.columns / t.parts;
    GLOBAL const OT* const offsets = all_offsets + batch * s.offsets_stride;
    GLOBAL const IT* const indices = all_indices + batch * s.indices_stride;
    GLOBAL const VA* const a = all_a + batch * s.values_stride;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    GLOBAL CT* const sums = all_sums + batch * t.batch_stride + part * t.part_stride + column * t.column_step;
    heron_index row = part * t.lines_per_part;
    const heron_index last = row + t.lines_per_part < t.lines ? row + t.lines_per_part : t.lines;
    for (; row < last; ++row) {
        const CT factor = factor_of(b, row * s.b_row_step, s.conjugate_b, t.scaled, alpha);
        const heron_index end = (heron_index)offsets[row + 1] - s.base;
        for (heron_index k = (heron_index)offsets[row] - s.base; k < end; ++k)
            scatter_product(a, k, s.conjugate_a, factor, sums,
                            ((heron_index)indices[k] - s.base) * t.row_step, t.part_stride == 0);
    }
}
HERON_END

HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_bsr_scatter, GLOBAL const OT* all_offsets, GLOBAL const IT* all_indices,
             GLOBAL const VA* all_a, GLOBAL const VA* all_b, GLOBAL CT* all_sums, spmm_shape s,
             spmm_blocks blocks, spmm_sums t, CT alpha_value, GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index column = item % s.columns;
    const heron_index part = item / s.columns % t.parts;
    const heron_index batch = item / s.columns / t.parts;
    GLOBAL const OT* const offsets = all_offsets + batch * s.offsets_stride;
    GLOBAL const IT* const indices = all_indices + batch * s.indices_stride;
    GLOBAL const VA* const a = all_a + batch * s.values_stride;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    GLOBAL CT* const sums = all_sums + batch * t.batch_stride + part * t.part_stride + column * t.column_step;
    heron_index row = part * t.lines_per_part;
    const heron_index last = row + t.lines_per_part < t.lines ? row + t.lines_per_part : t.lines;
    for (; row < last; ++row) {
        const CT factor = factor_of(b, row * s.b_row_step, s.conjugate_b, t.scaled, alpha);
        const heron_index line = row / blocks.rows;
        const heron_index end = (heron_index)offsets[line + 1] - s.base;
        for (heron_index k = (heron_index)offsets[line] - s.base; k < end; ++k) {
            const heron_index first = k * blocks.rows * blocks.columns + row % blocks.rows * blocks.row_step;
            const heron_index to = ((heron_index)indices[k] - s.base) * blocks.columns;
            for (heron_index i = 0; i < blocks.columns; ++i)
                scatter_product(a, first + i * blocks.column_step, s.conjugate_a, factor, sums,
                                (to + i) * t.row_step, t.part_stride == 0);
        }
    }
}
HERON_END

HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_ell_scatter, GLOBAL const IT* indices, GLOBAL const VA* a, GLOBAL const VA* all_b,
             GLOBAL CT* all_sums, spmm_shape s, spmm_blocks blocks, spmm_sums t, CT alpha_value,
             GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index column = item % s.columns;
    const heron_index part = item / s.columns % t.parts;
    const heron_index batch = item / s.columns / t.parts;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    GLOBAL CT* const sums = all_sums + batch * t.batch_stride + part * t.part_stride + column * t.column_step;
    heron_index row = part * t.lines_per_part;
    const heron_index last = row + t.lines_per_part < t.lines ? row + t.lines_per_part : t.lines;
    for (; row < last; ++row) {
        const CT factor = factor_of(b, row * s.b_row_step, s.conjugate_b, t.scaled, alpha);
        const heron_index begin = row / blocks.rows * blocks.slots;
        for (heron_index k = 0; k < blocks.slots; ++k) {
            if (indices[begin + k] < 0) continue;
            const heron_index to = ((heron_index)indices[begin + k] - s.base) * blocks.columns;
            const heron_index first = row * blocks.row_step + k * blocks.columns;
            for (heron_index i = 0; i < blocks.columns && to + i < blocks.matrix_columns; ++i)
                scatter_product(a, first + i, s.conjugate_a, factor, sums, (to + i) * t.row_step,
                                t.part_stride == 0);
        }
    }
}
HERON_END

// COO in any order: the product of element k goes to row to[k] of C and comes from row from[k] of B. With a
// flag it works only where the flag is set.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_coo_scatter, GLOBAL const IT* all_to, GLOBAL const IT* all_from, GLOBAL const VA* all_a,
             GLOBAL const VA* all_b, GLOBAL CT* all_sums, spmm_shape s, spmm_sums t, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const int* wanted) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (wanted && !*wanted) return;
    const heron_index column = item % s.columns;
    const heron_index part = item / s.columns % t.parts;
    const heron_index batch = item / s.columns / t.parts;
    GLOBAL const IT* const to = all_to + batch * s.indices_stride;
    GLOBAL const IT* const from = all_from + batch * s.indices_stride;
    GLOBAL const VA* const a = all_a + batch * s.values_stride;
    GLOBAL const VA* const b = all_b + batch * s.b_stride + column * s.b_column_step;
    GLOBAL CT* const sums = all_sums + batch * t.batch_stride + part * t.part_stride + column * t.column_step;
    heron_index k = part * t.lines_per_part;
    const heron_index last = k + t.lines_per_part < t.lines ? k + t.lines_per_part : t.lines;
    for (; k < last; ++k) {
        const heron_index row = (heron_index)from[k] - s.base;
        const CT factor = factor_of(b, row * s.b_row_step, s.conjugate_b, t.scaled, alpha);
        scatter_product(a, k, s.conjugate_a, factor, sums, ((heron_index)to[k] - s.base) * t.row_step,
                        t.part_stride == 0);
    }
}
HERON_END

// C := alpha*(the sums of all parts, in order) + beta*C. With a flag it works only where the flag is set.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_finish, GLOBAL const CT* sums, GLOBAL VC* c, spmm_shape s, spmm_sums t, heron_index parts,
             CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
             GLOBAL const int* wanted) {
    if (wanted && !*wanted) return;
    const heron_index column = item % s.columns;
    const heron_index row = item / s.columns % s.rows;
    const heron_index batch = item / s.columns / s.rows;
    const heron_index at = batch * t.batch_stride + row * t.row_step + column * t.column_step;
    CT sum = ZERO(CT);
    for (heron_index part = 0; part < parts; ++part) sum = ADD(CT, sum, sums[at + part * t.part_stride]);
    update_c(c, batch * s.c_stride + row * s.c_row_step + column * s.c_column_step, sum,
             SCALAR(CT, alpha_value, alpha_device), SCALAR(CT, beta_value, beta_device));
}
HERON_END

// C := beta*C. With a flag it works only where the flag is set.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_scale, GLOBAL VC* c, spmm_shape s, CT beta_value, GLOBAL const CT* beta_device,
             GLOBAL const int* wanted) {
    if (wanted && !*wanted) return;
    const heron_index column = item % s.columns;
    const heron_index row = item / s.columns % s.rows;
    const heron_index batch = item / s.columns / s.rows;
    update_c(c, batch * s.c_stride + row * s.c_row_step + column * s.c_column_step, ZERO(CT), ZERO(CT),
             SCALAR(CT, beta_value, beta_device));
}
HERON_END

// *unsorted := 1 if the rows of one of the COO matrices do not ascend. An item is a pair of neighbouring
// elements.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_coo_find_unsorted, GLOBAL const IT* all_rows, heron_index pairs, heron_index stride,
             GLOBAL int* unsorted) {
    GLOBAL const IT* const rows = all_rows + item / pairs * stride;
    const heron_index k = item % pairs;
    if (rows[k] > rows[k + 1]) *unsorted = 1;
}
HERON_END

// The CSR offsets of sorted COO matrices, base included; what comes of unsorted ones is of no use, but in
// range.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT)
HERON_KERNEL(spmm_coo_offsets, GLOBAL const IT* all_rows, heron_index rows, heron_index nnz,
             heron_index stride, heron_index base, GLOBAL OT* offsets) {
    GLOBAL const IT* const row_indices = all_rows + item / (rows + 1) * stride;
    const heron_index row = item % (rows + 1) + base;
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)row_indices[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    offsets[item] = (OT)(low + base);
}
HERON_END
