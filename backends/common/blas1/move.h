// Elements of vectors moved as they are, `chunk` of them one after the other by an item. Types: RT raw
// element.

HERON_TYPES(class RT)
HERON_KERNEL(blas1_copy, heron_index n, heron_index chunk, GLOBAL const RT* x, heron_index x_offset,
             heron_index x_inc, GLOBAL RT* y, heron_index y_offset, heron_index y_inc) {
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k)
        y[y_offset + k * y_inc] = x[x_offset + k * x_inc];
}
HERON_END

HERON_TYPES(class RT)
HERON_KERNEL(blas1_swap, heron_index n, heron_index chunk, GLOBAL RT* x, heron_index x_offset,
             heron_index x_inc, GLOBAL RT* y, heron_index y_offset, heron_index y_inc) {
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k) {
        const RT kept = x[x_offset + k * x_inc];
        x[x_offset + k * x_inc] = y[y_offset + k * y_inc];
        y[y_offset + k * y_inc] = kept;
    }
}
HERON_END
