// Vectors without gaps on processors: an item alone in its group has a run of elements, in loops that become
// instructions for vectors.
HERON_PROGRAM(blas1_runs, class VT, class CT)

HERON_GROUP_KERNEL(scal_run, 1, heron_index n, heron_index run, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL VT* x, heron_index offset) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ONE(CT))) return;
    const heron_index begin = group_id() * run;
    const heron_index end = begin + run < n ? begin + run : n;
    for (heron_index k = offset + begin; k < offset + end; ++k)
        STORE(CT, VT, x, k, MUL(CT, alpha, LOAD(CT, VT, x, k)));
}
HERON_CLOSE

HERON_GROUP_KERNEL(axpy_run, 1, heron_index n, heron_index run, CT alpha_value, GLOBAL const CT* alpha_device,
                   GLOBAL const VT* RESTRICT x, heron_index x_offset, GLOBAL VT* RESTRICT y,
                   heron_index y_offset) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const VT* const from = x + x_offset + begin;
    GLOBAL VT* const to = y + y_offset + begin;
    for (heron_index k = 0; k < count; ++k)
        STORE(CT, VT, to, k, MAD(CT, alpha, LOAD(CT, VT, from, k), LOAD(CT, VT, to, k)));
}
HERON_CLOSE

HERON_CLOSE
