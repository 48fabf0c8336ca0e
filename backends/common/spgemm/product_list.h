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

// The last one of [0, n) that does not begin behind `number`.
HERON_TYPES(class OT)
HERON_FN heron_index holder_of(GLOBAL const OT* begins, heron_index base, heron_index n, heron_index number) {
    heron_index low = 0;
    heron_index high = n - 1;
    while (low < high) {
        const heron_index middle = low + (high - low + 1) / 2;
        if ((heron_index)begins[middle] - base <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Product `item`, in the order of A's and then of B's elements: the element of C that it adds to. starts[k]
// products come before those with element k of A. `nnz` is C's, whatever its pattern is.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(place_product, GLOBAL const OT* starts, GLOBAL const OT* a_offsets, GLOBAL const IT* a_indices,
             heron_index a_base, heron_index a_rows, heron_index a_nnz, GLOBAL const OT* b_offsets,
             GLOBAL const IT* b_indices, heron_index b_base, GLOBAL const i64* c_offsets,
             GLOBAL const IT* c_indices, heron_index c_base, heron_index nnz, GLOBAL i32* places,
             GLOBAL i32* numbers) {
    const heron_index k = holder_of(starts, 0, a_nnz, item);
    const heron_index row = holder_of(a_offsets, a_base, a_rows, k);
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
    places[item] = (i32)(low < nnz ? low : nnz - 1);
    numbers[item] = (i32)item;
}
HERON_END

// Entry `item` of the list, from the sorted places and the numbers of the products there: where A's element
// is in its 31 lowest bits, in the next one whether it is the first of an element of C, and B's above.
// firsts[t] := the element of C at the beginning of tile t.
HERON_TYPES(class OT, class IT)
HERON_KERNEL(list_product, GLOBAL const i32* places, GLOBAL const i32* numbers, GLOBAL const OT* starts,
             GLOBAL const IT* a_indices, GLOBAL const OT* a_permutation, int a_permuted, heron_index a_base,
             heron_index a_nnz, GLOBAL const OT* b_offsets, GLOBAL const OT* b_permutation, int b_permuted,
             heron_index b_base, heron_index tile, GLOBAL i64* list, GLOBAL i32* firsts) {
    const heron_index number = numbers[item];
    heron_index k = holder_of(starts, 0, a_nnz, number);
    const heron_index inner = (heron_index)a_indices[k] - a_base;
    heron_index l = (heron_index)b_offsets[inner] - b_base + number - (heron_index)starts[k];
    const i32 place = places[item];
    const i64 is_first = item == 0 || places[item == 0 ? 0 : item - 1] != place;
    if (a_permuted) k = (heron_index)a_permutation[k];
    if (b_permuted) l = (heron_index)b_permutation[l];
    list[item] = (i64)l << 32 | is_first << 31 | (i64)k;
    if (item % tile == 0) firsts[item / tile] = place;
}
HERON_END
