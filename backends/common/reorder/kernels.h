// Sorting, permuting and numbering. Types: RT the bits of an element that is moved.
//
// A sort's control says what its passes have to do: control[0] and control[1] are the least numbers,
// control[2] the bits of a minor number, control[3] the bits of all, or 0 where all is in order.

// What tells pairs apart: the bits of both numbers, counted from the least ones.
HERON_FN i64 pair_key(i32 major, i32 minor, GLOBAL const i64* control) {
    return (((i64)major - control[0]) << control[2]) | ((i64)minor - control[1]);
}

HERON_FN int pair_digit(i32 major, i32 minor, GLOBAL const i64* control, int shift, int bits) {
    return (int)((pair_key(major, minor, control) >> shift) & ((1 << bits) - 1));
}

// facts[5*item ...] := least and greatest numbers of chunk item, and whether a pair of it is followed by a
// lesser one.
HERON_TYPES(class RT)
HERON_KERNEL(sort_measure, GLOBAL const i32* major, GLOBAL const i32* minor, heron_index n, heron_index chunk,
             GLOBAL i64* facts) {
    const heron_index begin = item * chunk;
    const heron_index end = begin + chunk < n ? begin + chunk : n;
    i32 least_major = major[begin];
    i32 greatest_major = least_major;
    i32 least_minor = minor[begin];
    i32 greatest_minor = least_minor;
    i64 descents = 0;
    for (heron_index k = begin; k < end; ++k) {
        const i32 i = major[k];
        const i32 j = minor[k];
        least_major = i < least_major ? i : least_major;
        greatest_major = i > greatest_major ? i : greatest_major;
        least_minor = j < least_minor ? j : least_minor;
        greatest_minor = j > greatest_minor ? j : greatest_minor;
        if (k + 1 < n && (major[k + 1] < i || (major[k + 1] == i && minor[k + 1] < j))) descents = 1;
    }
    facts[5 * item] = least_major;
    facts[5 * item + 1] = greatest_major;
    facts[5 * item + 2] = least_minor;
    facts[5 * item + 3] = greatest_minor;
    facts[5 * item + 4] = descents;
}
HERON_END

// One item.
HERON_TYPES(class RT)
HERON_KERNEL(sort_control, GLOBAL const i64* facts, heron_index chunks, GLOBAL i64* control) {
    i64 least_major = facts[0];
    i64 greatest_major = facts[1];
    i64 least_minor = facts[2];
    i64 greatest_minor = facts[3];
    i64 descents = facts[4];
    for (heron_index c = item + 1; c < chunks; ++c) {
        GLOBAL const i64* own = facts + 5 * c;
        least_major = own[0] < least_major ? own[0] : least_major;
        greatest_major = own[1] > greatest_major ? own[1] : greatest_major;
        least_minor = own[2] < least_minor ? own[2] : least_minor;
        greatest_minor = own[3] > greatest_minor ? own[3] : greatest_minor;
        descents |= own[4];
    }
    i64 major_bits = 0;
    i64 minor_bits = 0;
    while ((greatest_major - least_major) >> major_bits) ++major_bits;
    while ((greatest_minor - least_minor) >> minor_bits) ++minor_bits;
    control[0] = least_major;
    control[1] = least_minor;
    control[2] = minor_bits;
    control[3] = descents ? major_bits + minor_bits : 0;
}
HERON_END

// counts[digit*chunks + item]: how many elements of chunk item have that digit.
HERON_TYPES(class RT)
HERON_KERNEL(sort_count, GLOBAL const i32* major, GLOBAL const i32* minor, heron_index n, heron_index chunk,
             heron_index chunks, GLOBAL const i64* control, int shift, int bits, GLOBAL i64* counts) {
    i32 own[256];
    const int digits = 1 << bits;
    for (int digit = 0; digit < digits; ++digit) own[digit] = 0;
    const heron_index begin = item * chunk;
    const heron_index end = shift >= control[3] ? begin : begin + chunk < n ? begin + chunk : n;
    for (heron_index k = begin; k < end; ++k) own[pair_digit(major[k], minor[k], control, shift, bits)] += 1;
    for (int digit = 0; digit < digits; ++digit) counts[digit * chunks + item] = own[digit];
}
HERON_END

// places[digit*chunks + item]: where the first element of chunk item with that digit goes.
HERON_TYPES(class RT)
HERON_KERNEL(sort_move, GLOBAL const i32* major, GLOBAL const i32* minor, GLOBAL const i32* permutation,
             heron_index n, heron_index chunk, heron_index chunks, GLOBAL const i64* control, int shift,
             int bits, GLOBAL const i64* places, GLOBAL i32* to_major, GLOBAL i32* to_minor,
             GLOBAL i32* to_permutation) {
    i32 own[256];
    if (shift >= control[3]) return;
    const int digits = 1 << bits;
    for (int digit = 0; digit < digits; ++digit) own[digit] = (i32)places[digit * chunks + item];
    const heron_index end = (item + 1) * chunk < n ? (item + 1) * chunk : n;
    for (heron_index k = item * chunk; k < end; ++k) {
        const i32 i = major[k];
        const i32 j = minor[k];
        const int digit = pair_digit(i, j, control, shift, bits);
        const i32 to = own[digit];
        own[digit] = to + 1;
        to_major[to] = i;
        to_minor[to] = j;
        if (permutation) to_permutation[to] = permutation[k];
    }
}
HERON_END

// The passes take turns with two sets of arrays. After an odd number of them the result lies in the other
// one.
HERON_TYPES(class RT)
HERON_KERNEL(sort_return, GLOBAL const i32* from_major, GLOBAL const i32* from_minor,
             GLOBAL const i32* from_permutation, GLOBAL const i64* control, int bits, GLOBAL i32* major,
             GLOBAL i32* minor, GLOBAL i32* permutation) {
    const i64 passes = (control[3] + bits - 1) / bits;
    if (passes % 2 == 0) return;
    major[item] = from_major[item];
    minor[item] = from_minor[item];
    if (permutation) permutation[item] = from_permutation[item];
}
HERON_END

// The row of element item of a CSR matrix: the last one that does not begin behind it.
HERON_TYPES(class RT)
HERON_KERNEL(sort_row_of, GLOBAL const i32* offsets, heron_index rows, GLOBAL i32* row_of) {
    const heron_index k = item + (heron_index)offsets[0];
    heron_index low = 0;
    heron_index high = rows - 1;
    while (low < high) {
        const heron_index middle = low + (high - low + 1) / 2;
        if ((heron_index)offsets[middle] <= k)
            low = middle;
        else
            high = middle - 1;
    }
    row_of[item] = (i32)low;
}
HERON_END

// The same by rows: row_of[k] := item for its elements.
HERON_TYPES(class RT)
HERON_KERNEL(sort_number_row, GLOBAL const i32* offsets, GLOBAL i32* row_of) {
    const heron_index end = (heron_index)offsets[item + 1] - offsets[0];
    for (heron_index k = (heron_index)offsets[item] - offsets[0]; k < end; ++k) row_of[k] = (i32)item;
}
HERON_END

// Sorts row item of a CSR matrix by insertion unless it has more elements than that is good for.
HERON_TYPES(class RT)
HERON_KERNEL(sort_short_row, GLOBAL const i32* offsets, GLOBAL i32* indices, GLOBAL i32* permutation) {
    const heron_index begin = (heron_index)offsets[item] - offsets[0];
    const heron_index end = (heron_index)offsets[item + 1] - offsets[0];
    if (end - begin > 64) return;
    for (heron_index k = begin + 1; k < end; ++k) {
        const i32 index = indices[k];
        const i32 along = permutation ? permutation[k] : 0;
        heron_index to = k;
        for (; to > begin && indices[to - 1] > index; --to) {
            indices[to] = indices[to - 1];
            if (permutation) permutation[to] = permutation[to - 1];
        }
        indices[to] = index;
        if (permutation) permutation[to] = along;
    }
}
HERON_END

HERON_TYPES(class RT)
HERON_KERNEL(write_identity, GLOBAL i32* permutation) { permutation[item] = (i32)item; }
HERON_END

// to[item] := from[permutation[item]], where that is one of n elements.
HERON_TYPES(class RT)
HERON_KERNEL(gather_elements, GLOBAL const RT* from, GLOBAL const i32* permutation, heron_index n,
             GLOBAL RT* to) {
    const heron_index k = (heron_index)permutation[item];
    if (k >= 0 && k < n) to[item] = from[k];
}
HERON_END

// to[permutation[item]] := from[item], where that is one of n elements.
HERON_TYPES(class RT)
HERON_KERNEL(scatter_elements, GLOBAL const RT* from, GLOBAL const i32* permutation, heron_index n,
             GLOBAL RT* to) {
    const heron_index k = (heron_index)permutation[item];
    if (k >= 0 && k < n) to[k] = from[item];
}
HERON_END
