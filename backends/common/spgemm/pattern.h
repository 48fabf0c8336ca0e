// Patterns of sparse products and of transposed matrices. Types: OT offsets, IT indices.

// One digit of the column of element k.
HERON_TYPES(class IT)
HERON_FN heron_index column_digit(GLOBAL const IT* indices, heron_index k, heron_index base, int shift,
                                  int bits) {
    return (((heron_index)indices[k] - base) >> shift) & (((heron_index)1 << bits) - 1);
}

// Elements are sorted by column, one digit after the other from the last (Knuth, The Art of Computer
// Programming, vol. 3, 5.2.5). An item owns a chunk of consecutive elements, so that equal columns keep their
// order. `order` is the order so far; the first pass, which has none, takes the elements as they lie.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(transpose_count, GLOBAL const IT* indices, heron_index base, heron_index nnz,
             GLOBAL const OT* order, int first, int shift, int bits, heron_index chunk, heron_index chunks,
             GLOBAL i64* counts) {
    const heron_index digits = (heron_index)1 << bits;
    for (heron_index digit = 0; digit < digits; ++digit) counts[digit * chunks + item] = 0;
    const heron_index end = (item + 1) * chunk < nnz ? (item + 1) * chunk : nnz;
    for (heron_index j = item * chunk; j < end; ++j) {
        const heron_index k = first ? j : (heron_index)order[j];
        counts[column_digit(indices, k, base, shift, bits) * chunks + item] += 1;
    }
}
HERON_END

// places[digit*chunks + item]: where the item's first element with that digit goes.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(transpose_move, GLOBAL const IT* indices, heron_index base, heron_index nnz,
             GLOBAL const OT* order, int first, int shift, int bits, heron_index chunk, heron_index chunks,
             GLOBAL i64* places, GLOBAL OT* moved) {
    const heron_index end = (item + 1) * chunk < nnz ? (item + 1) * chunk : nnz;
    for (heron_index j = item * chunk; j < end; ++j) {
        const heron_index k = first ? j : (heron_index)order[j];
        const heron_index at = column_digit(indices, k, base, shift, bits) * chunks + item;
        moved[places[at]] = (OT)k;
        places[at] += 1;
    }
}
HERON_END

// Offset of the first element whose column is at least `item`.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(transpose_offset, GLOBAL const IT* indices, heron_index base, heron_index nnz,
             GLOBAL const OT* order, GLOBAL OT* offsets) {
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)indices[order[middle]] - base < item)
            low = middle + 1;
        else
            high = middle;
    }
    offsets[item] = (OT)low;
}
HERON_END

// The row that holds element order[item].
HERON_TYPES(class OT, class IT)
HERON_KERNEL(transpose_row, GLOBAL const OT* offsets, heron_index base, heron_index rows,
             GLOBAL const OT* order, GLOBAL IT* transposed) {
    transposed[item] = (IT)holder_of(offsets, base, 0, rows - 1, (heron_index)order[item]);
}
HERON_END

// products[item] := elements of the rows of B that row item of A names.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(count_products, GLOBAL const OT* a_offsets, GLOBAL const IT* a_indices, heron_index a_base,
             GLOBAL const OT* b_offsets, GLOBAL i64* products) {
    const heron_index end = (heron_index)a_offsets[item + 1] - a_base;
    i64 sum = 0;
    for (heron_index k = (heron_index)a_offsets[item] - a_base; k < end; ++k) {
        const heron_index row = (heron_index)a_indices[k] - a_base;
        sum += (i64)b_offsets[row + 1] - (i64)b_offsets[row];
    }
    products[item] = sum;
}
HERON_END

// facts[2*item], facts[2*item + 1] := sum and maximum of chunk item; no summand of the maximum counts more
// than `most`.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(measure_chunk, GLOBAL const i64* counts, heron_index n, heron_index chunk, heron_index most,
             GLOBAL i64* facts) {
    const heron_index end = (item + 1) * chunk < n ? (item + 1) * chunk : n;
    i64 sum = 0;
    i64 longest = 0;
    for (heron_index k = item * chunk; k < end; ++k) {
        sum += counts[k];
        longest = counts[k] > longest ? counts[k] : longest;
    }
    facts[2 * item] = sum;
    facts[2 * item + 1] = longest < most ? longest : most;
}
HERON_END

// The facts of all chunks into those of the first. One item.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(measure_all, GLOBAL i64* facts, heron_index chunks) {
    i64 sum = 0;
    i64 longest = 0;
    for (heron_index c = item; c < chunks; ++c) {
        sum += facts[2 * c];
        longest = facts[2 * c + 1] > longest ? facts[2 * c + 1] : longest;
    }
    facts[0] = sum;
    facts[1] = longest;
}
HERON_END

// Hash tables: open addressing with linear probing, -1 where a place is free (Nagasaka, Nukada and Matsuoka,
// "High-performance and memory-saving sparse general matrix-matrix multiplication for NVIDIA Pascal GPU",
// ICPP 2017). At most half of the places of the table for so many keys get used.
HERON_TYPES(class IT)
HERON_FN heron_index clear_table(GLOBAL IT* keys, heron_index count) {
    heron_index places = 2;
    while (places < 2 * count) places *= 2;
    for (heron_index place = 0; place < places; ++place) keys[place] = (IT)-1;
    return places - 1;
}

// Where the key is or should go; -1 if the table is full, which takes a pattern that changed since it was
// counted.
HERON_TYPES(class IT)
HERON_FN heron_index find_place(GLOBAL const IT* keys, heron_index mask, IT key) {
    heron_index place = ((heron_index)key * 107) & mask;
    for (heron_index tries = 0; tries <= mask; ++tries) {
        if (keys[place] == key || keys[place] < 0) return place;
        place = (place + 1) & mask;
    }
    return -1;
}

// counts[row] := length of row `row` of C, for the rows whose bound min(products, most) is in (low, high].
// Each of `slots` items has a table of `capacity` places.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(count_rows, GLOBAL const OT* a_offsets, GLOBAL const IT* a_indices, heron_index a_base,
             GLOBAL const OT* b_offsets, GLOBAL const IT* b_indices, heron_index b_base,
             GLOBAL const i64* products, heron_index most, heron_index rows, heron_index slots,
             heron_index low, heron_index high, GLOBAL IT* tables, heron_index capacity, GLOBAL i64* counts) {
    GLOBAL IT* keys = tables + item * capacity;
    for (heron_index row = item; row < rows; row += slots) {
        const heron_index bound = products[row] < most ? products[row] : most;
        if (bound <= low || bound > high) continue;
        const heron_index mask = clear_table(keys, bound);
        const heron_index end = (heron_index)a_offsets[row + 1] - a_base;
        i64 count = 0;
        for (heron_index k = (heron_index)a_offsets[row] - a_base; k < end; ++k) {
            const heron_index inner = (heron_index)a_indices[k] - a_base;
            const heron_index inner_end = (heron_index)b_offsets[inner + 1] - b_base;
            for (heron_index l = (heron_index)b_offsets[inner] - b_base; l < inner_end; ++l) {
                const IT key = (IT)(b_indices[l] - (IT)b_base);
                const heron_index place = find_place(keys, mask, key);
                if (place < 0 || keys[place] == key) continue;
                keys[place] = key;
                ++count;
            }
        }
        counts[row] = count;
    }
}
HERON_END

// Offsets from 0 as those of a matrix: OT is C's offset type here.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(write_offsets, GLOBAL const i64* offsets, heron_index base, GLOBAL OT* to) {
    to[item] = (OT)(offsets[item] + base);
}
HERON_END
