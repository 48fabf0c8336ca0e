// Long vectors element by element, by groups: an item has four elements, a group's size apart, whose loads do
// not wait for each other.
HERON_PROGRAM(blas1_elements, class VT, class CT, int GROUP)

HERON_GROUP_KERNEL(scal_groups, GROUP, heron_index n, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL VT* x, heron_index x_offset, heron_index x_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ONE(CT))) return;
    const heron_index first = (heron_index)group_id() * (4 * GROUP) + group_item();
    const heron_index at = x_offset + first * x_inc;
    const heron_index step = GROUP * x_inc;
    if (first + 3 * GROUP < n) {
        const CT x0 = LOAD(CT, VT, x, at);
        const CT x1 = LOAD(CT, VT, x, at + step);
        const CT x2 = LOAD(CT, VT, x, at + 2 * step);
        const CT x3 = LOAD(CT, VT, x, at + 3 * step);
        STORE(CT, VT, x, at, MUL(CT, alpha, x0));
        STORE(CT, VT, x, at + step, MUL(CT, alpha, x1));
        STORE(CT, VT, x, at + 2 * step, MUL(CT, alpha, x2));
        STORE(CT, VT, x, at + 3 * step, MUL(CT, alpha, x3));
        return;
    }
    for (int q = 0; q < 4 && first + q * GROUP < n; ++q)
        STORE(CT, VT, x, at + q * step, MUL(CT, alpha, LOAD(CT, VT, x, at + q * step)));
}
HERON_CLOSE

HERON_GROUP_KERNEL(axpy_groups, GROUP, heron_index n, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL const VT* x, heron_index x_offset, heron_index x_inc, GLOBAL VT* y,
                   heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index first = (heron_index)group_id() * (4 * GROUP) + group_item();
    const heron_index from = x_offset + first * x_inc;
    const heron_index to = y_offset + first * y_inc;
    const heron_index x_step = GROUP * x_inc;
    const heron_index y_step = GROUP * y_inc;
    if (first + 3 * GROUP < n) {
        const CT x0 = LOAD(CT, VT, x, from);
        const CT x1 = LOAD(CT, VT, x, from + x_step);
        const CT x2 = LOAD(CT, VT, x, from + 2 * x_step);
        const CT x3 = LOAD(CT, VT, x, from + 3 * x_step);
        const CT y0 = LOAD(CT, VT, y, to);
        const CT y1 = LOAD(CT, VT, y, to + y_step);
        const CT y2 = LOAD(CT, VT, y, to + 2 * y_step);
        const CT y3 = LOAD(CT, VT, y, to + 3 * y_step);
        STORE(CT, VT, y, to, MAD(CT, alpha, x0, y0));
        STORE(CT, VT, y, to + y_step, MAD(CT, alpha, x1, y1));
        STORE(CT, VT, y, to + 2 * y_step, MAD(CT, alpha, x2, y2));
        STORE(CT, VT, y, to + 3 * y_step, MAD(CT, alpha, x3, y3));
        return;
    }
    for (int q = 0; q < 4 && first + q * GROUP < n; ++q)
        STORE(CT, VT, y, to + q * y_step,
              MAD(CT, alpha, LOAD(CT, VT, x, from + q * x_step), LOAD(CT, VT, y, to + q * y_step)));
}
HERON_CLOSE

HERON_CLOSE
