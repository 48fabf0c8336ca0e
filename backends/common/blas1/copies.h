// Long vectors copied by groups, as in elements.h.
HERON_PROGRAM(blas1_copies, class RT, int GROUP)

HERON_GROUP_KERNEL(copy_groups, GROUP, heron_index n, GLOBAL const RT* RESTRICT x, heron_index x_offset,
                   heron_index x_inc, GLOBAL RT* RESTRICT y, heron_index y_offset, heron_index y_inc) {
    const heron_index first = (heron_index)group_id() * (4 * GROUP) + group_item();
    const heron_index from = x_offset + first * x_inc;
    const heron_index to = y_offset + first * y_inc;
    const heron_index x_step = GROUP * x_inc;
    const heron_index y_step = GROUP * y_inc;
    if (first + 3 * GROUP < n) {
        const RT x0 = x[from];
        const RT x1 = x[from + x_step];
        const RT x2 = x[from + 2 * x_step];
        const RT x3 = x[from + 3 * x_step];
        y[to] = x0;
        y[to + y_step] = x1;
        y[to + 2 * y_step] = x2;
        y[to + 3 * y_step] = x3;
        return;
    }
    for (int q = 0; q < 4 && first + q * GROUP < n; ++q) y[to + q * y_step] = x[from + q * x_step];
}
HERON_CLOSE

HERON_CLOSE
