// Many parts of sums, joined by groups of OUTPUTS results.
HERON_PROGRAM(blas2_join_groups, class CT, int GROUP)

CONSTANT(OUTPUTS, 8);
CONSTANT(SLICES, GROUP / OUTPUTS);

// y := alpha*sum + beta*y, where a sum has parts that lie n apart. alpha = 0 reads no part.
HERON_GROUP_KERNEL(join_many, GROUP, heron_index n, int parts, GLOBAL const CT* RESTRICT partial,
                   CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
                   GLOBAL CT* y, heron_index y_offset, heron_index y_inc) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const int me = group_item();
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index own = (heron_index)group_id() * OUTPUTS + me % OUTPUTS;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index at = y_offset + own * y_inc;
    const int writes = me < OUTPUTS && own < n;
    const CT old = writes && !EQUAL(CT, beta, ZERO(CT)) ? y[at] : ZERO(CT);
    CT sum = ZERO(CT);
    if (own < n && !EQUAL(CT, alpha, ZERO(CT))) {
        UNROLL_BY(8)
        for (int part = me / OUTPUTS; part < parts; part += SLICES)
            sum = ADD(CT, sum, partial[part * n + own]);
    }
    sums[me] = sum;
    sync_group();
    if (!writes) return;
    for (int s = 1; s < SLICES; ++s) sum = ADD(CT, sum, sums[me + s * OUTPUTS]);
    y[at] = blas2_updated(MUL(CT, alpha, sum), beta, old);
}
HERON_CLOSE

HERON_CLOSE
