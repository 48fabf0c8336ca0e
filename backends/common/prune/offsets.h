// The offsets of lines from their counts on GPUs, for few lines.
HERON_PROGRAM(prune_offsets, int GROUP)

CONSTANT(each, 16);  // lines of an item

// offsets[k] := base and the counts before line k, for k in [0, lines]. One group.
HERON_GROUP_KERNEL(add_counts, GROUP, GLOBAL const i32* RESTRICT counts, int lines, int base,
                   GLOBAL i32* RESTRICT offsets) {
    PARTS_ARRAY(u32, parts, GROUP);
    u32 before = (u32)base;
    for (int first = 0; first < lines; first += GROUP * each) {
        const int line = first + group_item() * each;
        u32 held[each];
        u32 sum = 0;
        UNROLL
        for (int i = 0; i < each; ++i) {
            held[i] = line + i < lines ? (u32)counts[line + i] : 0u;
            sum += held[i];
        }
        u32 all = 0;
        u32 at = before + GROUP_SCAN(u32, parts, GROUP, sum, all);
        UNROLL
        for (int i = 0; i < each; ++i) {
            if (line + i < lines) offsets[line + i] = (i32)at;
            at += held[i];
        }
        before += all;
    }
    if (group_item() == 0) offsets[lines] = (i32)before;
}
HERON_CLOSE

HERON_CLOSE
