// Elements moved as they are. Types: RT raw element, IT index.

HERON_TYPES(class RT, class IT)
HERON_KERNEL(gather, GLOBAL const IT* indices, heron_index base, GLOBAL const RT* y, GLOBAL RT* x) {
    x[item] = y[(heron_index)indices[item] - base];
}
HERON_END

HERON_TYPES(class RT, class IT)
HERON_KERNEL(scatter, GLOBAL const IT* indices, heron_index base, GLOBAL const RT* x, GLOBAL RT* y) {
    y[(heron_index)indices[item] - base] = x[item];
}
HERON_END
