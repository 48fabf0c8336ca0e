// Batches. Types: VT elements of A and x, YT of y, CT compute.

// y := alpha*op(A)*x + beta*y, op(A) rows x size; its element (i, l) lies at i*a_row + l*a_column.
HERON_TYPES(class VT, class YT, class CT)
HERON_KERNEL(blas2_gemv_batched, heron_index rows, heron_index size, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const VT* a_base, GLOBAL const void* a_list, int a_kind,
             heron_index a_stride, heron_index a_list_step, heron_index a_row, heron_index a_column,
             int conjugate, GLOBAL const VT* x_base, GLOBAL const void* x_list, int x_kind,
             heron_index x_stride, heron_index x_list_step, heron_index x_offset, heron_index x_inc,
             CT beta_value, GLOBAL const CT* beta_device, GLOBAL YT* y_base, GLOBAL const void* y_list,
             int y_kind, heron_index y_stride, heron_index y_list_step, heron_index y_offset,
             heron_index y_inc) {
    const heron_index i = item % rows;
    const heron_index q = item / rows;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        GLOBAL const VT* const a =
            (GLOBAL const VT*)batch_item(a_base, sizeof(VT), a_list, a_kind, a_stride, a_list_step, q) +
            i * a_row;
        GLOBAL const VT* const x =
            (GLOBAL const VT*)batch_item(x_base, sizeof(VT), x_list, x_kind, x_stride, x_list_step, q) +
            x_offset;
        for (heron_index l = 0; l < size; ++l) {
            const CT element = LOAD(CT, VT, a, l * a_column);
            sum = MAD(CT, conjugate ? CONJ(CT, element) : element, LOAD(CT, VT, x, l * x_inc), sum);
        }
        sum = MUL(CT, alpha, sum);
    }
    GLOBAL YT* const y =
        (GLOBAL YT*)batch_item(y_base, sizeof(YT), y_list, y_kind, y_stride, y_list_step, q) + y_offset;
    if (!EQUAL(CT, beta, ZERO(CT))) sum = MAD(CT, beta, LOAD(CT, YT, y, i * y_inc), sum);
    STORE(CT, YT, y, i * y_inc, sum);
}
HERON_END

// One vector with M*x = alpha*b in place of b, M triangular: element (i, l) lies at i*a_row + l*a_column.
// `count` vectors of an item of the batch are line elements apart, elements of one `step`.
HERON_TYPES(class VT, class YT, class CT)
HERON_KERNEL(blas2_trsm_batched, heron_index count, heron_index order, int lower, int unit, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const VT* a_base, GLOBAL const void* a_list, int a_kind,
             heron_index a_stride, heron_index a_list_step, heron_index a_row, heron_index a_column,
             int conjugate, GLOBAL YT* b_base, GLOBAL const void* b_list, int b_kind, heron_index b_stride,
             heron_index b_list_step, heron_index line, heron_index step) {
    const heron_index q = item / count;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    GLOBAL YT* const b =
        (GLOBAL YT*)batch_item(b_base, sizeof(YT), b_list, b_kind, b_stride, b_list_step, q) +
        item % count * line;
    const int is_zero = EQUAL(CT, alpha, ZERO(CT));
    GLOBAL const VT* const a =
        is_zero ? a_base
                : (GLOBAL const VT*)batch_item(a_base, sizeof(VT), a_list, a_kind, a_stride, a_list_step, q);
    for (heron_index k = 0; k < order; ++k) {
        const heron_index i = lower ? k : order - 1 - k;
        CT value = ZERO(CT);
        if (!is_zero) {
            value = MUL(CT, alpha, LOAD(CT, YT, b, i * step));
            for (heron_index l = 0; l < k; ++l) {
                const heron_index other = lower ? l : order - 1 - l;
                const CT element = LOAD(CT, VT, a, i * a_row + other * a_column);
                value = SUB(CT, value,
                            MUL(CT, conjugate ? CONJ(CT, element) : element, LOAD(CT, YT, b, other * step)));
            }
            const CT diagonal = unit ? ONE(CT) : LOAD(CT, VT, a, i * a_row + i * a_column);
            if (!unit) value = DIV(CT, value, conjugate ? CONJ(CT, diagonal) : diagonal);
        }
        STORE(CT, YT, b, i * step, value);
    }
}
HERON_END
