// The list of all products of a sparse product, by the elements of C that they add to (listed_sums.h). Types:
// OT offsets of A and B, IT indices.

// counts[item] := products with element `item` of A.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(count_of_element, GLOBAL const IT* a_indices, heron_index a_base, GLOBAL const OT* b_offsets,
             GLOBAL i64* counts) {
    const heron_index inner = (heron_index)a_indices[item] - a_base;
    counts[item] = (i64)b_offsets[inner + 1] - (i64)b_offsets[inner];
}
HERON_END

// Product `item`, in the order of A's and then of B's elements: the element of C that it adds to, in the
// slice of B's rows that it is of. starts[k] products come before those with element k of A. `nnz` is C's,
// whatever its pattern is.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(place_product, GLOBAL const OT* starts, GLOBAL const OT* a_offsets, GLOBAL const IT* a_indices,
             heron_index a_base, heron_index a_rows, heron_index a_nnz, GLOBAL const OT* b_offsets,
             GLOBAL const IT* b_indices, heron_index b_base, GLOBAL const i64* c_offsets,
             GLOBAL const IT* c_indices, heron_index c_base, heron_index nnz, heron_index slices,
             heron_index b_rows, GLOBAL i32* places, GLOBAL i32* numbers) {
    const heron_index k = holder_of(starts, 0, 0, a_nnz - 1, item);
    const heron_index row = holder_of(a_offsets, a_base, 0, a_rows - 1, k);
    const heron_index inner = (heron_index)a_indices[k] - a_base;
    const heron_index l = (heron_index)b_offsets[inner] - b_base + item - (heron_index)starts[k];
    const heron_index column = (heron_index)b_indices[l] - b_base;
    heron_index low = c_offsets[row];
    heron_index high = c_offsets[row + 1];
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if ((heron_index)c_indices[middle] - c_base < column)
            low = middle + 1;
        else
            high = middle;
    }
    places[item] = (i32)(inner * slices / b_rows * nnz + (low < nnz ? low : nnz - 1));
    numbers[item] = (i32)item;
}
HERON_END

// Entry `item` of the list: from the number of a product and 12 bits that stay (listed_order.h), A's element
// and B's above these, in 26 and 25 bits.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(list_product, GLOBAL const OT* starts, GLOBAL const IT* a_indices,
             GLOBAL const OT* a_permutation, int a_permuted, heron_index a_base, heron_index a_nnz,
             GLOBAL const OT* b_offsets, GLOBAL const OT* b_permutation, int b_permuted, heron_index b_base,
             GLOBAL i64* list) {
    const heron_index number = list[item] >> 12;
    heron_index k = holder_of(starts, 0, 0, a_nnz - 1, number);
    const heron_index inner = (heron_index)a_indices[k] - a_base;
    heron_index l = (heron_index)b_offsets[inner] - b_base + number - (heron_index)starts[k];
    if (a_permuted) k = (heron_index)a_permutation[k];
    if (b_permuted) l = (heron_index)b_permutation[l];
    list[item] = (i64)l << 38 | (i64)k << 12 | (list[item] & 4095);
}
HERON_END

HERON_FN int begins_segment(GLOBAL const i32* places, heron_index p) {
    return p == 0 || places[p - 1] != places[p];
}

// counts[item] := segments of one place that begin in tile `item`.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(count_segments, GLOBAL const i32* places, heron_index products, heron_index tile,
             GLOBAL i64* counts) {
    const heron_index end = (item + 1) * tile < products ? (item + 1) * tile : products;
    i64 count = 0;
    for (heron_index p = item * tile; p < end; ++p) count += begins_segment(places, p);
    counts[item] = count;
}
HERON_END

// Where there are slices not every place has products: firsts as from listed_order.h, but by the numbers of
// segments, and targets[n] := where the sum of segment n goes, the slices of an element of C side by side.
// before[item] segments begin in the tiles before.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(number_segments, GLOBAL const i32* places, heron_index products, heron_index tile,
             heron_index nnz, heron_index slices, GLOBAL const i64* before, GLOBAL i32* firsts,
             GLOBAL i32* targets) {
    const heron_index end = (item + 1) * tile < products ? (item + 1) * tile : products;
    heron_index number = before[item] - 1;
    firsts[item] = (i32)(begins_segment(places, item * tile) ? number + 1 : -1 - number);
    for (heron_index p = item * tile; p < end; ++p)
        if (begins_segment(places, p)) {
            number += 1;
            targets[number] = (i32)(places[p] % nnz * slices + places[p] / nnz);
        }
}
HERON_END

// The first tile from `low` on whose segment at the beginning is `number` or a later one.
HERON_FN heron_index first_tile_of(GLOBAL const i32* firsts, heron_index low, heron_index tiles,
                                   heron_index number) {
    heron_index high = tiles;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        const heron_index there = firsts[middle] < 0 ? -1 - firsts[middle] : firsts[middle];
        if (there < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Where the segment at the beginning of tile `item` begins, and in how many tiles it is: they join their
// sums.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(link_tile, GLOBAL const i32* firsts, heron_index tiles, GLOBAL i32* owners, GLOBAL i32* spans) {
    heron_index owner = item;
    heron_index end = item + 1;
    if (firsts[item] < 0) {
        const heron_index number = -1 - firsts[item];
        owner = first_tile_of(firsts, 0, tiles, number);
        if (firsts[owner] < 0) owner -= 1;
        end = first_tile_of(firsts, item, tiles, number + 1);
    }
    owners[item] = (i32)owner;
    spans[item] = (i32)(end - owner);
}
HERON_END
