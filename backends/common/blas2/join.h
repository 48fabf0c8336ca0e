// y := alpha*sum + beta*y, where a sum has parts that lie n apart: ROWS rows for a group, whose items share a
// row's parts. alpha = 0 reads no part.
HERON_PROGRAM(blas2_join_groups, class CT, int GROUP, int ROWS)

CONSTANT(SHARES, GROUP / ROWS);
CONSTANT(BATCH, 4);

HERON_GROUP_KERNEL(join_parts, GROUP, heron_index n, int parts, GLOBAL const CT* RESTRICT partial,
                   CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const int me = group_item();
    const heron_index row = (heron_index)group_id() * ROWS + me % ROWS;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT sum = ZERO(CT);
    if (row < n && !EQUAL(CT, alpha, ZERO(CT)))
        for (int part = me / ROWS; part < parts; part += BATCH * SHARES) {
            CT found[BATCH];
            UNROLL
            for (int b = 0; b < BATCH; ++b) {
                found[b] = ZERO(CT);
                if (part + b * SHARES < parts) found[b] = partial[(part + b * SHARES) * n + row];
            }
            sum = ADD(CT, sum, ADD(CT, ADD(CT, found[0], found[1]), ADD(CT, found[2], found[3])));
        }
    sums[me] = sum;
    UNROLL
    for (int width = SHARES / 2; width > 0; width /= 2) {
        sync_group();
        if (me < width * ROWS) sums[me] = ADD(CT, sums[me], sums[me + width * ROWS]);
    }
    if (me >= ROWS || row >= n) return;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index at = y_offset + row * y_inc;
    const CT product = MUL(CT, alpha, sums[me]);
    y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
}
HERON_CLOSE

HERON_CLOSE
