// Transposed sliced ELLPACK matrices with fewer rows than a GPU has items. Types as in kernels/spmv.h.

// acc += op(A)*x by atomic additions. So many items share a row, each its share-th elements; neighbours have
// neighbouring rows, whose elements lie side by side. Column -1 is padding.
HERON_KERNEL(sell_share_scatter, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
             GLOBAL const VA* restrict a, heron_index rows, heron_index slice_size, heron_index shares,
             heron_index base, int conjugate, GLOBAL const VX* restrict x, GLOBAL CT* acc, int apply_alpha,
             CT alpha_value, GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index row = item % rows;
    const heron_index slice = row / slice_size;
    const heron_index end = (heron_index)offsets[slice + 1] - (heron_index)offsets[0];
    heron_index k =
        (heron_index)offsets[slice] - (heron_index)offsets[0] + row % slice_size + item / rows * slice_size;
    const CT xi = apply_alpha ? MUL(CT, alpha, LOAD(CT, VX, x, row)) : LOAD(CT, VX, x, row);
    for (; k < end; k += shares * slice_size) {
        if (indices[k] < 0) continue;
        const CT ak = LOAD(CT, VA, a, k);
        ATOMIC_ADD(CT, acc, (heron_index)indices[k] - base, MUL(CT, conjugate ? CONJ(CT, ak) : ak, xi));
    }
}
HERON_END
