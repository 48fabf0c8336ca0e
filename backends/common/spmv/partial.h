// Products of which a part is asked for: of a dense matrix the columns where x has an element, of a BSR
// matrix some block rows. Types: CT elements.

// y := alpha*sum + beta*y; beta = 0 does not read y.
HERON_TYPES(class CT)
HERON_FN void update_element(GLOBAL CT* y, heron_index i, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, y[i], result);
    y[i] = result;
}

// One element of y := alpha*op(A)*x + beta*y. Element (i, j) of op(A) is a[i*row_step + j*column_step].
// alpha = 0 reads neither A nor x.
HERON_TYPES(class CT)
HERON_KERNEL(dense_row, GLOBAL const CT* a, heron_index row_step, heron_index column_step, int conjugate,
             heron_index nnz, GLOBAL const int* indices, heron_index base, GLOBAL const CT* x, GLOBAL CT* y,
             CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? 0 : nnz;
    CT sum = ZERO(CT);
    for (heron_index k = 0; k < end; ++k) {
        const CT ak = a[item * row_step + ((heron_index)indices[k] - base) * column_step];
        sum = MAD(CT, conjugate ? CONJ(CT, ak) : ak, x[k], sum);
    }
    update_element(y, item, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// One row of a block row that the mask names. Element (r, c) of block b is a[b*block_size + r*row_step +
// c*column_step].
HERON_TYPES(class CT)
HERON_KERNEL(masked_row, GLOBAL const int* mask, GLOBAL const int* begins, GLOBAL const int* ends,
             GLOBAL const int* indices, GLOBAL const CT* a, heron_index block_rows, heron_index block_cols,
             heron_index row_step, heron_index column_step, heron_index base, GLOBAL const CT* x,
             GLOBAL CT* y, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
             GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index block_row = (heron_index)mask[item / block_rows] - base;
    const heron_index r = item % block_rows;
    const heron_index begin = EQUAL(CT, alpha, ZERO(CT)) ? 0 : (heron_index)begins[block_row] - base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? 0 : (heron_index)ends[block_row] - base;
    CT sum = ZERO(CT);
    for (heron_index b = begin; b < end; ++b) {
        const heron_index first = b * block_rows * block_cols + r * row_step;
        const heron_index column = ((heron_index)indices[b] - base) * block_cols;
        for (heron_index c = 0; c < block_cols; ++c)
            sum = MAD(CT, a[first + c * column_step], x[column + c], sum);
    }
    update_element(y, block_row * block_rows + r, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END
