// Sampled dense times dense: one stored element of C per item. Types: VX storage of A and B, VC of C, CT
// compute, OT offsets, IT indices. Item number item is element item % count of batch item item / count.

// sum + the sum over l < k of a[l*a_step]*b[l*b_step], each conjugated or not, in ascending order.
HERON_TYPES(class VX, class CT)
HERON_FN CT inner_product(CT sum, GLOBAL const VX* a, heron_index a_step, int conjugate_a, GLOBAL const VX* b,
                          heron_index b_step, int conjugate_b, heron_index k) {
    for (heron_index l = 0; l < k; ++l) {
        const CT al = LOAD(CT, VX, a, l * a_step);
        const CT bl = LOAD(CT, VX, b, l * b_step);
        sum = MAD(CT, conjugate_a ? CONJ(CT, al) : al, conjugate_b ? CONJ(CT, bl) : bl, sum);
    }
    return sum;
}

// The line that block `block` belongs to: offsets[line] - base <= block < offsets[line + 1] - base.
HERON_TYPES(class OT)
HERON_FN heron_index line_of(GLOBAL const OT* offsets, heron_index lines, heron_index base,
                             heron_index block) {
    heron_index low = 0;
    heron_index high = lines - 1;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)offsets[middle + 1] - base > block)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// BSR, and CSR as blocks of 1 x 1. Element (r, c) of a block is the one at r*block_row_step +
// c*block_column_step; one of the two steps is 1.
HERON_TYPES(class VX, class VC, class CT, class OT, class IT)
HERON_KERNEL(sddmm_blocks, GLOBAL const OT* offsets, GLOBAL const IT* indices, GLOBAL VC* c,
             heron_index lines, heron_index count, heron_index block_rows, heron_index block_cols,
             heron_index block_row_step, heron_index base, heron_index offsets_stride,
             heron_index indices_stride, heron_index c_stride, GLOBAL const VX* a, heron_index a_vector_step,
             heron_index a_step, heron_index a_stride, int conjugate_a, GLOBAL const VX* b,
             heron_index b_vector_step, heron_index b_step, heron_index b_stride, int conjugate_b,
             heron_index k, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
             GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index batch = item / count;
    const heron_index element = item % count;
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index block_size = block_rows * block_cols;
        const heron_index block = element / block_size;
        const heron_index inside = element % block_size;
        const heron_index r = block_row_step == 1 ? inside % block_rows : inside / block_cols;
        const heron_index s = block_row_step == 1 ? inside / block_rows : inside % block_cols;
        const heron_index line = line_of(offsets + batch * offsets_stride, lines, base, block);
        const heron_index row = line * block_rows + r;
        const heron_index column =
            ((heron_index)indices[batch * indices_stride + block] - base) * block_cols + s;
        sum = inner_product(sum, a + batch * a_stride + row * a_vector_step, a_step, conjugate_a,
                            b + batch * b_stride + column * b_vector_step, b_step, conjugate_b, k);
    }
    update_sample(c, batch * c_stride + element, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// COO in any order.
HERON_TYPES(class VX, class VC, class CT, class OT, class IT)
HERON_KERNEL(sddmm_coo, GLOBAL const IT* rows, GLOBAL const IT* columns, GLOBAL VC* c, heron_index count,
             heron_index base, heron_index indices_stride, heron_index c_stride, GLOBAL const VX* a,
             heron_index a_vector_step, heron_index a_step, heron_index a_stride, int conjugate_a,
             GLOBAL const VX* b, heron_index b_vector_step, heron_index b_step, heron_index b_stride,
             int conjugate_b, heron_index k, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
             GLOBAL const CT* beta_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index batch = item / count;
    const heron_index element = item % count;
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index row = (heron_index)rows[batch * indices_stride + element] - base;
        const heron_index column = (heron_index)columns[batch * indices_stride + element] - base;
        sum = inner_product(sum, a + batch * a_stride + row * a_vector_step, a_step, conjugate_a,
                            b + batch * b_stride + column * b_vector_step, b_step, conjugate_b, k);
    }
    update_sample(c, batch * c_stride + element, sum, alpha, SCALAR(CT, beta_value, beta_device));
}
HERON_END
