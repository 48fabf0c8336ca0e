// Vectors without gaps copied and exchanged on processors, as in runs.h.
HERON_PROGRAM(blas1_copy_runs, class RT)

HERON_GROUP_KERNEL(copy_run, 1, heron_index n, heron_index run, GLOBAL const RT* RESTRICT x,
                   heron_index x_offset, GLOBAL RT* RESTRICT y, heron_index y_offset) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const RT* const from = x + x_offset + begin;
    GLOBAL RT* const to = y + y_offset + begin;
    for (heron_index k = 0; k < count; ++k) to[k] = from[k];
}
HERON_CLOSE

HERON_GROUP_KERNEL(swap_run, 1, heron_index n, heron_index run, GLOBAL RT* RESTRICT x, heron_index x_offset,
                   GLOBAL RT* RESTRICT y, heron_index y_offset) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL RT* const first = x + x_offset + begin;
    GLOBAL RT* const second = y + y_offset + begin;
    for (heron_index k = 0; k < count; ++k) {
        const RT kept = first[k];
        first[k] = second[k];
        second[k] = kept;
    }
}
HERON_CLOSE

HERON_CLOSE
