// Between the offsets of rows and the row of each element. Types: OT both.

// The row that element item is of.
HERON_TYPES(class OT)
HERON_KERNEL(row_of_element, GLOBAL const OT* offsets, heron_index base, heron_index rows,
             GLOBAL OT* indices) {
    indices[item] = (OT)(holder_of(offsets, base, 0, rows - 1, item) + base);
}
HERON_END

// All elements of one row, for devices where an item does best with neighbouring ones.
HERON_TYPES(class OT)
HERON_KERNEL(elements_of_row, GLOBAL const OT* offsets, heron_index base, heron_index nnz,
             GLOBAL OT* indices) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = (heron_index)offsets[item] - base; k < end && k < nnz; ++k)
        indices[k] = (OT)(item + base);
}
HERON_END

// Offset of the first element whose row is at least `item`. Three looks at a time cut the range into four,
// for the latency of half as many steps.
HERON_TYPES(class OT)
HERON_KERNEL(offset_of_row, GLOBAL const OT* indices, heron_index base, heron_index nnz, GLOBAL OT* offsets) {
    const heron_index row = item + base;
    heron_index low = 0;
    heron_index high = nnz;
    while (low < high) {
        const heron_index step = (high - low) / 4;
        const heron_index first = low + step;
        const heron_index second = first + step;
        const heron_index third = second + step;
        const int is_behind_first = indices[first] < row;
        const int is_behind_second = indices[second] < row;
        const int is_behind_third = indices[third] < row;
        if (is_behind_third) {
            low = third + 1;
        } else if (is_behind_second) {
            low = second + 1;
            high = third;
        } else if (is_behind_first) {
            low = first + 1;
            high = second;
        } else {
            high = first;
        }
    }
    offsets[item] = (OT)(low + base);
}
HERON_END

// One element of an array that has nothing to count.
HERON_TYPES(class OT)
HERON_KERNEL(set_offset, GLOBAL OT* offsets, heron_index value) { offsets[item] = (OT)value; }
HERON_END
