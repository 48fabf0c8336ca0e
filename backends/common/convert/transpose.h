// The arrays of a transposed matrix from the order of its elements. Types: RT raw element.

HERON_TYPES(class RT)
HERON_KERNEL(add_base, GLOBAL i32* numbers, int base) { numbers[item] += base; }
HERON_END

// One element of one of the blocks of `size` elements, which go where the order says as they are.
HERON_TYPES(class RT)
HERON_KERNEL(move_block_element, GLOBAL const RT* a, GLOBAL const i32* order, heron_index size,
             GLOBAL RT* b) {
    b[item] = a[(heron_index)order[item / size] * size + item % size];
}
HERON_END

// The same with the order in the upper halves of `packed`, whose lower ones are the rows.
HERON_TYPES(class RT)
HERON_KERNEL(move_packed_element, GLOBAL const RT* a, GLOBAL const i64* packed, heron_index size, int base,
             GLOBAL i32* indices, GLOBAL RT* b) {
    const heron_index k = item / size;
    const i64 element = packed[k];
    if (item == k * size) indices[k] = (i32)(element & 0xffffffff) + base;
    b[item] = a[(element >> 32) * size + item % size];
}
HERON_END
