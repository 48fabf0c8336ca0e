// Sparse times dense in a semiring. Types: VA storage of A and B, VC of C, CT compute, OT offsets, IT
// indices, OP semiring.

// One element of C. by_columns: neighbouring items are neighbours in a column of C, else in a row. Without
// offsets A stores nothing. The sum starts with the first product, so that OP needs no neutral element.
HERON_TYPES(class VA, class VC, class CT, class OT, class IT, class OP)
HERON_KERNEL(spmm_op_element, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL const VA* a,
             heron_index base, GLOBAL const VA* b, heron_index b_row_step, heron_index b_column_step,
             GLOBAL VC* c, heron_index c_row_step, heron_index c_column_step, heron_index rows,
             heron_index columns, int by_columns, int reads_c, CT empty_sum) {
    const heron_index i = by_columns ? item % rows : item / columns;
    const heron_index j = by_columns ? item / rows : item % columns;
    const heron_index begin = offsets ? (heron_index)offsets[i] - base : 0;
    const heron_index end = offsets ? (heron_index)offsets[i + 1] - base : 0;
    CT sum = empty_sum;
    for (heron_index k = begin; k < end; ++k) {
        const CT ak = LOAD(CT, VA, a, k);
        const CT bk = LOAD(CT, VA, b, ((heron_index)indices[k] - base) * b_row_step + j * b_column_step);
        const CT term = TERM(OP, CT, ak, bk);
        sum = k == begin ? term : COMBINE(OP, CT, sum, term);
    }
    const heron_index at = i * c_row_step + j * c_column_step;
    if (reads_c) {
        const CT before = LOAD(CT, VC, c, at);
        sum = FINISH(OP, CT, sum, before);
    }
    STORE(CT, VC, c, at, sum);
}
HERON_END
