// The offsets of lines from what is kept of their strips on GPUs, for few lines.
HERON_PROGRAM(prune_lines, class OT, int GROUP)

CONSTANT(loads, 8);  // that are on their way at a time

// The sum of the strips of a line, whose counts become what precedes them.
HERON_FN u32 add_strips_of(GLOBAL u32* counts, int line, int lines, int strips) {
    u32 before = 0;
    for (int strip = 0; strip < strips; strip += loads) {
        u32 held[loads];
        UNROLL
        for (int i = 0; i < loads; ++i)
            held[i] = strip + i < strips ? counts[(strip + i) * lines + line] : 0u;
        UNROLL
        for (int i = 0; i < loads; ++i) {
            if (strip + i < strips) counts[(strip + i) * lines + line] = before;
            before += held[i];
        }
    }
    return before;
}

// offsets[k] := base and what the lines before k have, for k in [0, lines]; totals[line] what it has, *all
// what all have. Each of the three may be NULL. One group.
HERON_GROUP_KERNEL(add_lines, GROUP, GLOBAL u32* RESTRICT counts, int lines, int strips, int base,
                   GLOBAL OT* RESTRICT offsets, GLOBAL i32* RESTRICT totals, GLOBAL i32* RESTRICT all) {
    PARTS_ARRAY(u32, parts, GROUP);
    u32 before = 0;
    for (int first = 0; first < lines; first += GROUP) {
        const int line = first + group_item();
        const u32 own = line < lines ? add_strips_of(counts, line, lines, strips) : 0u;
        u32 of_all = 0;
        const u32 place = before + GROUP_SCAN(u32, parts, GROUP, own, of_all);
        if (line < lines && offsets) offsets[line] = (OT)(place + (u32)base);
        if (line < lines && totals) totals[line] = (i32)own;
        before += of_all;
    }
    if (group_item() != 0) return;
    if (offsets) offsets[lines] = (OT)(before + (u32)base);
    if (all) *all = (i32)before;
}
HERON_CLOSE

HERON_CLOSE
