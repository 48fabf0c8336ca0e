// Between the offsets of rows and the row of each element. Types: IT both.

// The row that element item is of: the last one that does not begin behind it.
HERON_TYPES(class IT)
HERON_KERNEL(row_of_element, GLOBAL const IT* offsets, heron_index base, heron_index rows,
             GLOBAL IT* indices) {
    heron_index low = 0;
    heron_index high = rows - 1;
    while (low < high) {
        const heron_index middle = low + (high - low + 1) / 2;
        if ((heron_index)offsets[middle] - base <= item)
            low = middle;
        else
            high = middle - 1;
    }
    indices[item] = (IT)(low + base);
}
HERON_END

// All elements of one row, for devices where an item does best with neighbouring ones.
HERON_TYPES(class IT)
HERON_KERNEL(elements_of_row, GLOBAL const IT* offsets, heron_index base, heron_index nnz,
             GLOBAL IT* indices) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    for (heron_index k = (heron_index)offsets[item] - base; k < end && k < nnz; ++k)
        indices[k] = (IT)(item + base);
}
HERON_END

// Offset of the first element whose row is at least `item`. Three looks at a time cut the range into four,
// for the latency of half as many steps.
HERON_TYPES(class IT)
HERON_KERNEL(offset_of_row, GLOBAL const IT* indices, heron_index base, heron_index nnz, GLOBAL IT* offsets) {
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
    offsets[item] = (IT)(low + base);
}
HERON_END

// One element of an array that has nothing to count.
HERON_TYPES(class IT)
HERON_KERNEL(set_offset, GLOBAL IT* offsets, heron_index value) { offsets[item] = (IT)value; }
HERON_END
