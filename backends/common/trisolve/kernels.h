// Sparse triangular solves by levels: rows of one level need only rows of earlier levels. Types: CT elements,
// ST indices of the triangle. Row i of the triangle has the elements k in [begin[i], begin[i + 1]), whose
// column is columns[k] and whose value is a[sources[k]]. order holds the rows, level by level. Element (i, j)
// of B is b[i*b_row + j*b_column]. zero_pivot, which may be NULL, becomes the first row of blocks of `block`
// rows that has a zero on its diagonal.

// Column j of row i. B and C may be the same memory with the same strides.
HERON_TYPES(class CT, class ST)
HERON_FN void solve_element(heron_index i, heron_index j, GLOBAL const ST* begin, GLOBAL const ST* columns,
                            GLOBAL const ST* sources, GLOBAL const CT* a, GLOBAL const CT* diagonal, int unit,
                            int conjugate, CT alpha, GLOBAL const CT* b, heron_index b_row,
                            heron_index b_column, GLOBAL CT* c, heron_index c_row, heron_index c_column,
                            GLOBAL int* zero_pivot, heron_index block) {
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin[i] : begin[i + 1];
    CT sum = ZERO(CT);
    CT pivot = ZERO(CT);
    for (heron_index k = begin[i]; k < end; ++k) {
        const heron_index column = columns[k];
        const CT stored = a[sources[k]];
        const CT value = conjugate ? CONJ(CT, stored) : stored;
        if (column == i)
            pivot = ADD(CT, pivot, value);
        else
            sum = MAD(CT, value, c[column * c_row + j * c_column], sum);
    }
    if (EQUAL(CT, alpha, ZERO(CT))) {
        c[i * c_row + j * c_column] = ZERO(CT);
        return;
    }
    if (zero_pivot && EQUAL(CT, pivot, ZERO(CT))) ATOMIC_MIN(zero_pivot, (int)(i / block));
    if (diagonal) pivot = conjugate ? CONJ(CT, diagonal[i]) : diagonal[i];
    const CT right = SUB(CT, MUL(CT, alpha, b[i * b_row + j * b_column]), sum);
    c[i * c_row + j * c_column] = unit ? right : DIV(CT, right, pivot);
}

// One right-hand side of one row of a level that begins at order[first].
HERON_TYPES(class CT, class ST)
HERON_KERNEL(solve_level, heron_index first, heron_index right_sides, GLOBAL const ST* order,
             GLOBAL const ST* begin, GLOBAL const ST* columns, GLOBAL const ST* sources, GLOBAL const CT* a,
             GLOBAL const CT* diagonal, int unit, int conjugate, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, heron_index b_column,
             GLOBAL CT* c, heron_index c_row, heron_index c_column, GLOBAL int* zero_pivot,
             heron_index block) {
    solve_element((heron_index)order[first + item / right_sides], item % right_sides, begin, columns, sources,
                  a, diagonal, unit, conjugate, SCALAR(CT, alpha_value, alpha_device), b, b_row, b_column, c,
                  c_row, c_column, zero_pivot, block);
}
HERON_END

// One right-hand side of the rows order[first] ... order[last - 1], one after the other: levels too narrow
// for a launch.
HERON_TYPES(class CT, class ST)
HERON_KERNEL(solve_rows, heron_index first, heron_index last, GLOBAL const ST* order, GLOBAL const ST* begin,
             GLOBAL const ST* columns, GLOBAL const ST* sources, GLOBAL const CT* a,
             GLOBAL const CT* diagonal, int unit, int conjugate, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const CT* b, heron_index b_row, heron_index b_column,
             GLOBAL CT* c, heron_index c_row, heron_index c_column, GLOBAL int* zero_pivot,
             heron_index block) {
    for (heron_index p = first; p < last; ++p)
        solve_element((heron_index)order[p], item, begin, columns, sources, a, diagonal, unit, conjugate,
                      SCALAR(CT, alpha_value, alpha_device), b, b_row, b_column, c, c_row, c_column,
                      zero_pivot, block);
}
HERON_END

// B into rows of `right_sides` elements.
HERON_TYPES(class CT, class ST)
HERON_KERNEL(stage_right_side, heron_index right_sides, GLOBAL const CT* b, heron_index b_row,
             heron_index b_column, GLOBAL CT* staged) {
    staged[item] = b[item / right_sides * b_row + item % right_sides * b_column];
}
HERON_END
