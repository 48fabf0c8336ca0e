// Colouring the rows of a square CSR matrix in rounds: every row without a colour proposes the least one that
// none of its neighbours has, and of neighbours that propose the same the one that comes first keeps it
// (Jones and Plassmann, SIAM J. Sci. Comput. 14(3), 1993, with the speculation of Gebremedhin and Manne,
// Concurrency: Practice and Experience 12(12), 2000). All decisions of a round are made on the colours before
// it, so that the result is the same on every run. Types: IT indices.
//
// Rows that name each other only one way are found in the transposed pattern, whose arrays are NULL where the
// matrix has its own.

HERON_FN unsigned scrambled(unsigned v) {
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ (v >> 16);
}

HERON_FN unsigned long scrambled_pair(heron_index i, heron_index j) {
    unsigned long v = ((unsigned long)i << 32) | (unsigned long)j;
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ul;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebul;
    return v ^ (v >> 31);
}

// Rows with more elements come first (Welsh and Powell, The Computer Journal 10(1), 1967), else chance
// decides: the scrambled numbers are all different.
HERON_TYPES(class IT)
HERON_FN int comes_first(GLOBAL const IT* offsets, heron_index i, heron_index j) {
    const IT length_i = offsets[i + 1] - offsets[i];
    const IT length_j = offsets[j + 1] - offsets[j];
    if (length_i != length_j) return length_i > length_j;
    return scrambled((unsigned)i) > scrambled((unsigned)j);
}

// Which of the colours first, ..., first + 63 some neighbours have.
HERON_TYPES(class IT)
HERON_FN unsigned long colors_among(GLOBAL const IT* offsets, GLOBAL const IT* indices, heron_index base,
                                    heron_index row, GLOBAL const i32* colors, i32 first) {
    unsigned long taken = 0;
    const heron_index end = (heron_index)offsets[row + 1] - base;
    for (heron_index k = (heron_index)offsets[row] - base; k < end; ++k) {
        const i32 number = colors[(heron_index)indices[k] - base] - first;
        if (number >= 0 && number < 64) taken |= (unsigned long)1 << number;
    }
    return taken;
}

// Whether a neighbour that comes before the row proposes its colour.
HERON_TYPES(class IT)
HERON_FN int is_beaten(GLOBAL const IT* offsets, GLOBAL const IT* indices, heron_index base, heron_index row,
                       GLOBAL const IT* lengths, GLOBAL const i32* proposals) {
    const heron_index end = (heron_index)offsets[row + 1] - base;
    for (heron_index k = (heron_index)offsets[row] - base; k < end; ++k) {
        const heron_index other = (heron_index)indices[k] - base;
        if (other != row && proposals[other] == proposals[row] && comes_first(lengths, other, row)) return 1;
    }
    return 0;
}

// sums[item] := over the elements of a chunk of rows, a number for the place less one for the place across
// the diagonal. Over all elements it is 0 where the pattern is symmetric, and elsewhere but once in 2^64.
HERON_TYPES(class IT)
HERON_KERNEL(color_asymmetry, GLOBAL const IT* offsets, GLOBAL const IT* indices, heron_index base,
             heron_index rows, heron_index chunk, GLOBAL i64* sums) {
    const heron_index end = (item + 1) * chunk < rows ? (item + 1) * chunk : rows;
    unsigned long sum = 0;
    for (heron_index row = item * chunk; row < end; ++row) {
        const heron_index row_end = (heron_index)offsets[row + 1] - base;
        for (heron_index k = (heron_index)offsets[row] - base; k < row_end; ++k) {
            const heron_index column = (heron_index)indices[k] - base;
            sum += scrambled_pair(row, column) - scrambled_pair(column, row);
        }
    }
    sums[item] = (i64)sum;
}
HERON_END

// sums[0] := their sum. One item.
HERON_TYPES(class IT)
HERON_KERNEL(color_add_asymmetry, GLOBAL i64* sums, heron_index chunks) {
    unsigned long sum = 0;
    for (heron_index c = item; c < chunks; ++c) sum += (unsigned long)sums[c];
    sums[0] = (i64)sum;
}
HERON_END

// offsets[item] := first of the sorted columns that is item at least.
HERON_TYPES(class IT)
HERON_KERNEL(color_offset, GLOBAL const i32* columns, heron_index nnz, heron_index base, GLOBAL IT* offsets) {
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)columns[middle] - base < item)
            low = middle + 1;
        else
            high = middle;
    }
    offsets[item] = (IT)low;
}
HERON_END

HERON_TYPES(class IT)
HERON_KERNEL(color_propose, GLOBAL const IT* offsets, GLOBAL const IT* indices, heron_index base,
             GLOBAL const IT* turned_offsets, GLOBAL const IT* turned_indices, GLOBAL const i32* colors,
             GLOBAL i32* proposals) {
    if (colors[item] >= 0) {
        proposals[item] = -1;
        return;
    }
    i32 first = 0;
    unsigned long taken = ~(unsigned long)0;
    while (1) {
        taken = colors_among(offsets, indices, base, item, colors, first);
        if (turned_offsets) taken |= colors_among(turned_offsets, turned_indices, 0, item, colors, first);
        if (~taken) break;
        first += 64;
    }
    while (taken & 1) {
        taken >>= 1;
        ++first;
    }
    proposals[item] = first;
}
HERON_END

HERON_TYPES(class IT)
HERON_KERNEL(color_settle, GLOBAL const IT* offsets, GLOBAL const IT* indices, heron_index base,
             GLOBAL const IT* turned_offsets, GLOBAL const IT* turned_indices, GLOBAL const i32* proposals,
             GLOBAL i32* colors) {
    if (proposals[item] < 0) return;
    if (is_beaten(offsets, indices, base, item, offsets, proposals)) return;
    if (turned_offsets && is_beaten(turned_offsets, turned_indices, 0, item, offsets, proposals)) return;
    colors[item] = proposals[item];
}
HERON_END

// facts[2*item], facts[2*item + 1] := how many rows of a chunk have a colour, and the number behind the
// greatest of these.
HERON_TYPES(class IT)
HERON_KERNEL(color_measure, GLOBAL const i32* colors, heron_index rows, heron_index chunk,
             GLOBAL i64* facts) {
    const heron_index end = (item + 1) * chunk < rows ? (item + 1) * chunk : rows;
    i64 count = 0;
    i64 behind = 0;
    for (heron_index row = item * chunk; row < end; ++row) {
        if (colors[row] >= 0) ++count;
        if (colors[row] >= behind) behind = (i64)colors[row] + 1;
    }
    facts[2 * item] = count;
    facts[2 * item + 1] = behind;
}
HERON_END

// All chunks into the first. One item.
HERON_TYPES(class IT)
HERON_KERNEL(color_measure_all, GLOBAL i64* facts, heron_index chunks) {
    i64 count = 0;
    i64 behind = 0;
    for (heron_index c = item; c < chunks; ++c) {
        count += facts[2 * c];
        behind = facts[2 * c + 1] > behind ? facts[2 * c + 1] : behind;
    }
    facts[0] = count;
    facts[1] = behind;
}
HERON_END

HERON_TYPES(class IT)
HERON_KERNEL(color_is_left, GLOBAL const i32* colors, GLOBAL i64* left) { left[item] = colors[item] < 0; }
HERON_END

// Rows that are left get colours of their own.
HERON_TYPES(class IT)
HERON_KERNEL(color_rest, GLOBAL const i64* left_before, heron_index first, GLOBAL i32* colors) {
    if (colors[item] < 0) colors[item] = (i32)(first + left_before[item]);
}
HERON_END

// rows[item] is the row at place item in the new order.
HERON_TYPES(class IT)
HERON_KERNEL(color_order, GLOBAL const i32* rows, GLOBAL i32* order) { order[item] = rows[item]; }
HERON_END
