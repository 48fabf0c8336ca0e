// What the products that find out about the columns of A share. Types: IT indices.

// counts[2*column] += 1 for every element: the low halves of 64-bit counts.
HERON_KERNEL(count_columns, GLOBAL const IT* restrict indices, heron_index base, GLOBAL int* counts) {
    atomic_inc(counts + 2 * ((heron_index)indices[item] - base));
}
HERON_END

// Two stamps lie around what the analysis leaves in the workspace, which the caller may overwrite.
HERON_KERNEL(set_stamps, GLOBAL i64* front, GLOBAL i64* back, heron_index stamp) { *front = *back = stamp; }
HERON_END
