// Where the elements of C are, found by groups: for GPUs. Types: IT indices. A group looks for the row of its
// first element together, near the place that the mean length of rows says, and then each item among the next
// rows for its own: that is two loads that wait for each other, where lengths are alike.

// COO, CSR or BSR, one matrix or as many as there are items of a batch.
typedef struct {
    heron_index offsets_stride, indices_stride;
    int count;             // elements of an item of the batch
    int lines;             // of blocks
    int has_wide_offsets;  // of 64 bits
    int base;
    int block_rows, block_cols;
    int by_rows;         // how a block is stored
    f32 lines_of_block;  // in the mean
} sampled_matrix;

typedef struct {
    heron_index row, column;
} sampled_place;

// Counted from 0. Of an offset of 64 bits the lower half says it all.
HERON_FN u32 offset_of(GLOBAL const u32* offsets, sampled_matrix m, int line) {
    return offsets[(heron_index)line << m.has_wide_offsets] - (u32)m.base;
}

// Leaves from which line up to which one the block is, where that is a share of `step` lines of this item's
// in [low, high).
HERON_FN void look_for_line(GLOBAL const u32* offsets, sampled_matrix m, u32 block, int low, int high,
                            int step, LOCAL int* found) {
    const int from = low + group_item() * step;
    const int to = min(from + step, high);
    // Neither load waits for the other.
    const u32 begin = offset_of(offsets, m, min(from, high - 1));
    const u32 end = offset_of(offsets, m, min(to, m.lines - 1));
    if (from < high && begin <= block && (to >= m.lines || end > block)) {
        found[0] = from;
        found[1] = to;
    }
}

// The line of a block, for `group` items together.
HERON_FN int line_of_group(GLOBAL const u32* offsets, sampled_matrix m, u32 block, int group,
                           LOCAL int* found) {
    const int guess = (int)((f32)block * m.lines_of_block);
    const int first = max(min(guess - group / 2, m.lines - group), 0);
    if (group_item() == 0) {
        found[0] = 0;
        found[1] = m.lines;
    }
    sync_group();
    look_for_line(offsets, m, block, first, min(first + group, m.lines), 1, found);
    sync_group();
    int low = found[0];
    int high = found[1];
    while (high - low > 1) {
        sync_group();
        look_for_line(offsets, m, block, low, high, (high - low + group - 1) / group, found);
        sync_group();
        low = found[0];
        high = found[1];
    }
    return low;
}

// The line in [low, high] of a block, for an item alone: each step looks at eight lines at a time.
HERON_FN int line_between(GLOBAL const u32* offsets, sampled_matrix m, u32 block, int low, int high) {
    while (low < high) {
        const int step = (high - low) / 8 + 1;
        int before = 0;
        UNROLL
        for (int i = 1; i <= 8; ++i) {
            const int probe = low + i * step;
            const u32 begin = offset_of(offsets, m, min(probe, high));
            before += (probe <= high && begin <= block) ? 1 : 0;
        }
        low += before * step;
        high = min(high, low + step - 1);
    }
    return low;
}

// How many of the begins, which ascend, are not behind `own`.
HERON_FN int begun_until(LOCAL const u32* begins, u32 own, int group) {
    int begun = 0;
    UNROLL
    for (int more = group / 2; more > 0; more /= 2)
        if (begins[begun + more - 1] <= own) begun += more;
    return begun + (begins[begun] <= own ? 1 : 0);
}

// The line of the item's block, which is not before `first`, the group's first one.
HERON_FN int line_of_item(GLOBAL const u32* offsets, sampled_matrix m, u32 first, u32 block, int group,
                          LOCAL int* found, LOCAL u32* begins) {
    const int line = line_of_group(offsets, m, first, group, found);
    const int next = line + 1 + group_item();
    const u32 begin = offset_of(offsets, m, min(next, m.lines - 1)) - first;
    begins[group_item()] = next < m.lines ? begin : 0xffffffffu;
    sync_group();
    const int begun = begun_until(begins, block - first, group);
    if (begun < group) return line + begun;
    return line_between(offsets, m, block, line + group, m.lines - 1);
}

// The place of element `own`, of a group whose first element is `first`, in item `batch` of the batch. COO
// has rows. All items of the group take part.
HERON_TYPES(class IT)
HERON_FN sampled_place place_of_element(sampled_matrix m, GLOBAL const u32* offsets, GLOBAL const IT* rows,
                                        GLOBAL const IT* columns, heron_index batch, int first, int own,
                                        int group, LOCAL int* found, LOCAL u32* begins) {
    const heron_index indices = batch * m.indices_stride;
    const int block_size = m.block_rows * m.block_cols;
    const int block = block_size == 1 ? own : own / block_size;
    const int inside = block_size == 1 ? 0 : own - block * block_size;
    const heron_index column = (heron_index)columns[indices + block] - m.base;
    heron_index line;
    if (rows)
        line = (heron_index)rows[indices + block] - m.base;
    else
        line = line_of_item(offsets + (batch * m.offsets_stride << m.has_wide_offsets), m,
                            (u32)(block_size == 1 ? first : first / block_size), (u32)block, group, found,
                            begins);
    sampled_place place;
    place.row = line * m.block_rows + (m.by_rows ? inside / m.block_cols : inside % m.block_rows);
    place.column = column * m.block_cols + (m.by_rows ? inside % m.block_cols : inside / m.block_rows);
    return place;
}
