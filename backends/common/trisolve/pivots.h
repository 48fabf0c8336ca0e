// Where a triangular matrix of square blocks has no pivot. Types: CT elements. found[0] is the first block
// row whose diagonal block is not stored, found[1] the first one with a zero on its diagonal as well.

HERON_TYPES(class CT)
HERON_KERNEL(begin_pivots, GLOBAL int* found, int first) { found[item] = first; }
HERON_END

// Before the values are looked at.
HERON_TYPES(class CT)
HERON_KERNEL(restart_pivots, GLOBAL int* found) { found[item + 1] = found[item]; }
HERON_END

HERON_TYPES(class CT)
HERON_KERNEL(find_missing_pivots, GLOBAL const int* offsets, GLOBAL const int* indices, heron_index base,
             GLOBAL int* found) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    heron_index k = (heron_index)offsets[item] - base;
    while (k < end && (heron_index)indices[k] - base != item) ++k;
    if (k < end) return;
    ATOMIC_MIN(found, (int)item);
    ATOMIC_MIN(found + 1, (int)item);
}
HERON_END

// Blocks of `size` x `size` elements, in either order.
HERON_TYPES(class CT)
HERON_KERNEL(find_zero_pivots, GLOBAL const int* offsets, GLOBAL const int* indices, GLOBAL const CT* a,
             heron_index size, heron_index base, GLOBAL int* found) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    int is_zero = 0;
    for (heron_index k = (heron_index)offsets[item] - base; k < end; ++k) {
        if ((heron_index)indices[k] - base != item) continue;
        for (heron_index r = 0; r < size; ++r)
            is_zero |= EQUAL(CT, a[k * size * size + r * (size + 1)], ZERO(CT));
    }
    if (is_zero) ATOMIC_MIN(found + 1, (int)item);
}
HERON_END
