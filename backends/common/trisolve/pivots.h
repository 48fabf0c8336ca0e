// Where a triangular matrix of square blocks has no pivot. Types: CT elements. found[0] is the first block
// row whose diagonal block is not stored, found[1] the first one with a zero on its diagonal as well.

HERON_TYPES(class CT)
HERON_KERNEL(begin_pivots, GLOBAL int* found, int first) { found[item] = first; }
HERON_END

// Where in [k, end) a column is; end if nowhere. In rows whose columns ascend a search finds it.
HERON_FN heron_index place_of_column(GLOBAL const int* indices, heron_index k, heron_index end,
                                     heron_index column) {
    heron_index low = k;
    heron_index high = end;
    while (low < high) {
        const heron_index middle = (low + high) / 2;
        if ((heron_index)indices[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && (heron_index)indices[low] == column) return low;
    while (k < end && (heron_index)indices[k] != column) ++k;
    return k;
}

HERON_TYPES(class CT)
HERON_KERNEL(find_missing_pivots, GLOBAL const int* offsets, GLOBAL const int* indices, heron_index base,
             GLOBAL int* found) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    const heron_index begin = (heron_index)offsets[item] - base;
    if (place_of_column(indices, begin, end, item + base) < end) return;
    ATOMIC_MIN(found, (int)item);
    ATOMIC_MIN(found + 1, (int)item);
}
HERON_END

// Blocks of `size` x `size` elements, in either order.
HERON_TYPES(class CT)
HERON_KERNEL(find_zero_pivots, GLOBAL const int* offsets, GLOBAL const int* indices, GLOBAL const CT* a,
             heron_index size, heron_index base, GLOBAL int* found) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    const heron_index begin = (heron_index)offsets[item] - base;
    const heron_index k = place_of_column(indices, begin, end, item + base);
    int is_zero = k == end;
    for (heron_index r = 0; k < end && r < size; ++r)
        is_zero |= EQUAL(CT, a[k * size * size + r * (size + 1)], ZERO(CT));
    if (is_zero) ATOMIC_MIN(found + 1, (int)item);
}
HERON_END
