// Sums of products. Every group adds up what lies a grid's size apart, always in the same order, and leaves
// one partial sum; a group by itself adds these up. A launch of one group writes the result at once.
// short_result: where it is stored as VT; else result.
HERON_PROGRAM(blas1_dot, class VT, class CT, int GROUP)

// In the first item; all come here.
HERON_FN CT group_sum(LOCAL CT* sums, CT sum) {
    const int me = group_item();
    sums[me] = sum;
    UNROLL
    for (int width = GROUP / 2; width > 0; width /= 2) {
        sync_group();
        if (me < width) sums[me] = ADD(CT, sums[me], sums[me + width]);
    }
    return sums[me];
}

HERON_FN void put_result(CT sum, GLOBAL VT* short_result, GLOBAL CT* result, heron_index at) {
    if (short_result)
        STORE(CT, VT, short_result, at, sum);
    else
        result[at] = sum;
}

HERON_GROUP_KERNEL(dot_groups, GROUP, heron_index n, int conjugate, GLOBAL const VT* RESTRICT x,
                   heron_index x_offset, heron_index x_inc, GLOBAL const VT* RESTRICT y, heron_index y_offset,
                   heron_index y_inc, GLOBAL CT* partial, GLOBAL VT* short_result, GLOBAL CT* result,
                   heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const heron_index step = (heron_index)group_count() * GROUP;
    heron_index k = (heron_index)group_id() * GROUP + group_item();
    // Several sums at a time, so that loads need not wait for each other.
    CT sum0 = ZERO(CT);
    CT sum1 = ZERO(CT);
    CT sum2 = ZERO(CT);
    CT sum3 = ZERO(CT);
    for (; k + 3 * step < n; k += 4 * step) {
        const CT x0 = LOAD(CT, VT, x, x_offset + k * x_inc);
        const CT x1 = LOAD(CT, VT, x, x_offset + (k + step) * x_inc);
        const CT x2 = LOAD(CT, VT, x, x_offset + (k + 2 * step) * x_inc);
        const CT x3 = LOAD(CT, VT, x, x_offset + (k + 3 * step) * x_inc);
        const CT y0 = LOAD(CT, VT, y, y_offset + k * y_inc);
        const CT y1 = LOAD(CT, VT, y, y_offset + (k + step) * y_inc);
        const CT y2 = LOAD(CT, VT, y, y_offset + (k + 2 * step) * y_inc);
        const CT y3 = LOAD(CT, VT, y, y_offset + (k + 3 * step) * y_inc);
        sum0 = MAD(CT, conjugate ? CONJ(CT, x0) : x0, y0, sum0);
        sum1 = MAD(CT, conjugate ? CONJ(CT, x1) : x1, y1, sum1);
        sum2 = MAD(CT, conjugate ? CONJ(CT, x2) : x2, y2, sum2);
        sum3 = MAD(CT, conjugate ? CONJ(CT, x3) : x3, y3, sum3);
    }
    for (; k < n; k += step) {
        const CT xk = LOAD(CT, VT, x, x_offset + k * x_inc);
        sum0 = MAD(CT, conjugate ? CONJ(CT, xk) : xk, LOAD(CT, VT, y, y_offset + k * y_inc), sum0);
    }
    const CT all = group_sum(sums, ADD(CT, ADD(CT, sum0, sum1), ADD(CT, sum2, sum3)));
    if (group_item() == 0 && group_count() == 1) put_result(all, short_result, result, at);
    if (group_item() == 0 && group_count() > 1) partial[group_id()] = all;
}
HERON_CLOSE

HERON_GROUP_KERNEL(dot_finish, GROUP, int count, GLOBAL const CT* RESTRICT partial, GLOBAL VT* short_result,
                   GLOBAL CT* result, heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    CT sum = ZERO(CT);
    for (int k = group_item(); k < count; k += GROUP) sum = ADD(CT, sum, partial[k]);
    const CT all = group_sum(sums, sum);
    if (group_item() == 0) put_result(all, short_result, result, at);
}
HERON_CLOSE

HERON_CLOSE
