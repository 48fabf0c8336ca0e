// Incomplete factorisations on a matrix's own pattern, row by row of blocks. Types: CT elements. The rows
// are those of a BSR matrix with square blocks of `size` rows; CSR is size 1. Element (r, c) of block k is
// a[k*size*size + r*row_step + c*column_step]. diagonal[i] is the first block of row i whose column is not
// before the diagonal. zero_pivot: the first row without a diagonal block, and the first with a zero pivot.

HERON_FN int has_diagonal(GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
                          GLOBAL const i32* diagonal, int row) {
    return diagonal[row] < offsets[row + 1] - base && columns[diagonal[row]] - base == row;
}

// Where row i's columns from `first` on reach `column`, and what is found there; `end` if nothing is. Steps
// that double: what is near is found at once, and what is far in a long row soon.
HERON_FN int advance_to(GLOBAL const i32* columns, int first, int end, int column) {
    heron_index looked_at = first;
    for (heron_index step = 1; looked_at < end && columns[looked_at] < column; step *= 2) {
        first = (int)looked_at + 1;
        looked_at += step;
    }
    int last = looked_at < end ? (int)looked_at : end;
    while (first < last) {
        const int middle = first + (last - first) / 2;
        if (columns[middle] < column)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

// X := X * U^-1 for a block X and the upper triangle of a diagonal block; NULL: one that is zero.
HERON_TYPES(class CT)
HERON_FN void divide_by_upper(GLOBAL CT* x, GLOBAL const CT* u, int size, int row_step, int column_step) {
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) {
            CT sum = x[r * row_step + c * column_step];
            for (int t = 0; t < c && u; ++t)
                sum = SUB(CT, sum,
                          MUL(CT, x[r * row_step + t * column_step], u[t * row_step + c * column_step]));
            x[r * row_step + c * column_step] =
                DIV(CT, sum, u ? u[c * row_step + c * column_step] : ZERO(CT));
        }
}

// Y := Y - X * Z, all blocks.
HERON_TYPES(class CT)
HERON_FN void subtract_product(GLOBAL CT* y, GLOBAL const CT* x, GLOBAL const CT* z, int size, int row_step,
                               int column_step) {
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) {
            CT sum = ZERO(CT);
            for (int t = 0; t < size; ++t)
                sum = MAD(CT, x[r * row_step + t * column_step], z[t * row_step + c * column_step], sum);
            y[r * row_step + c * column_step] = SUB(CT, y[r * row_step + c * column_step], sum);
        }
}

// The pivot that takes the place of this one: boost where |pivot| is at most the tolerance, which is
// negative where nothing is replaced.
HERON_TYPES(class CT)
HERON_FN CT boosted(CT pivot, CT tolerance, CT boost) {
    return NOT_ABOVE(CT, ABS(CT, pivot), tolerance) ? boost : pivot;
}

// A diagonal block as the product of its triangles. Returns whether no pivot is zero.
HERON_TYPES(class CT)
HERON_FN int factor_diagonal(GLOBAL CT* d, int size, int row_step, int column_step, CT tolerance, CT boost) {
    int regular = 1;
    for (int t = 0; t < size; ++t) {
        const CT pivot = boosted(d[t * row_step + t * column_step], tolerance, boost);
        d[t * row_step + t * column_step] = pivot;
        if (EQUAL(CT, pivot, ZERO(CT))) regular = 0;
        for (int r = t + 1; r < size; ++r) {
            const CT left = DIV(CT, d[r * row_step + t * column_step], pivot);
            d[r * row_step + t * column_step] = left;
            for (int c = t + 1; c < size; ++c)
                d[r * row_step + c * column_step] = SUB(CT, d[r * row_step + c * column_step],
                                                        MUL(CT, left, d[t * row_step + c * column_step]));
        }
    }
    return regular;
}

// X := L^-1 * X for a block X and the unit lower triangle of a diagonal block.
HERON_TYPES(class CT)
HERON_FN void divide_by_unit_lower(GLOBAL CT* x, GLOBAL const CT* l, int size, int row_step,
                                   int column_step) {
    for (int r = 1; r < size; ++r)
        for (int c = 0; c < size; ++c) {
            CT sum = x[r * row_step + c * column_step];
            for (int t = 0; t < r; ++t)
                sum = SUB(CT, sum,
                          MUL(CT, l[r * row_step + t * column_step], x[t * row_step + c * column_step]));
            x[r * row_step + c * column_step] = sum;
        }
}

// One row of A = L*U. The rows that it needs are done.
HERON_TYPES(class CT)
HERON_FN void ilu_row(int i, GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
                      GLOBAL const i32* diagonal, GLOBAL CT* a, int size, int row_step, int column_step,
                      CT tolerance, CT boost, GLOBAL i32* zero_pivot) {
    const heron_index block = (heron_index)size * size;
    const int end = offsets[i + 1] - base;
    for (int k = offsets[i] - base; k < diagonal[i]; ++k) {
        const int j = columns[k] - base;
        if (j < 0 || j >= i) continue;
        const int own = diagonal[j];
        const int regular = has_diagonal(offsets, columns, base, diagonal, j);
        divide_by_upper(a + k * block, regular ? (GLOBAL const CT*)(a + own * block) : (GLOBAL const CT*)0,
                        size, row_step, column_step);
        const int other_end = offsets[j + 1] - base;
        int p = k + 1;
        int q = own + regular;
        while (p < end && q < other_end) {
            p = advance_to(columns, p, end, columns[q]);
            if (p == end) break;
            if (columns[p] == columns[q]) {
                subtract_product(a + p * block, (GLOBAL const CT*)(a + k * block),
                                 (GLOBAL const CT*)(a + q * block), size, row_step, column_step);
                q += 1;
            } else {
                q = advance_to(columns, q, other_end, columns[p]);
            }
        }
    }
    if (!has_diagonal(offsets, columns, base, diagonal, i)) {
        ATOMIC_MIN(zero_pivot + 1, i);
        return;
    }
    GLOBAL CT* const own = a + diagonal[i] * block;
    if (!factor_diagonal(own, size, row_step, column_step, tolerance, boost)) ATOMIC_MIN(zero_pivot + 1, i);
    for (int k = diagonal[i] + 1; k < end; ++k)
        divide_by_unit_lower(a + k * block, (GLOBAL const CT*)own, size, row_step, column_step);
}

// Y := Y - X * Z^H, all blocks; of a block on the diagonal the lower triangle alone.
HERON_TYPES(class CT)
HERON_FN void subtract_conjugate(GLOBAL CT* y, GLOBAL const CT* x, GLOBAL const CT* z, int size, int row_step,
                                 int column_step, int lower) {
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < (lower ? r + 1 : size); ++c) {
            CT sum = ZERO(CT);
            for (int t = 0; t < size; ++t)
                sum = MAD(CT, x[r * row_step + t * column_step], CONJ(CT, z[c * row_step + t * column_step]),
                          sum);
            y[r * row_step + c * column_step] = SUB(CT, y[r * row_step + c * column_step], sum);
        }
}

// X := X * L^-H for a block X and the lower triangle of a diagonal block; NULL: one that is zero.
HERON_TYPES(class CT)
HERON_FN void divide_by_adjoint(GLOBAL CT* x, GLOBAL const CT* l, int size, int row_step, int column_step) {
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) {
            CT sum = x[r * row_step + c * column_step];
            for (int t = 0; t < c && l; ++t)
                sum = SUB(
                    CT, sum,
                    MUL(CT, x[r * row_step + t * column_step], CONJ(CT, l[c * row_step + t * column_step])));
            x[r * row_step + c * column_step] =
                DIV(CT, sum, l ? l[c * row_step + c * column_step] : ZERO(CT));
        }
}

// The lower triangle of a diagonal block becomes its Cholesky factor. Returns whether no pivot is zero or
// negative.
HERON_TYPES(class CT)
HERON_FN int factor_hermitian(GLOBAL CT* d, int size, int row_step, int column_step) {
    int regular = 1;
    for (int t = 0; t < size; ++t) {
        CT pivot = REAL(CT, d[t * row_step + t * column_step]);
        for (int c = 0; c < t; ++c) {
            const CT left = d[t * row_step + c * column_step];
            pivot = SUB(CT, pivot, REAL(CT, MUL(CT, left, CONJ(CT, left))));
        }
        if (NOT_ABOVE(CT, pivot, ZERO(CT))) regular = 0;
        pivot = SQRT(CT, pivot);
        d[t * row_step + t * column_step] = pivot;
        for (int r = t + 1; r < size; ++r) {
            CT sum = d[r * row_step + t * column_step];
            for (int c = 0; c < t; ++c)
                sum = SUB(
                    CT, sum,
                    MUL(CT, d[r * row_step + c * column_step], CONJ(CT, d[t * row_step + c * column_step])));
            d[r * row_step + t * column_step] = DIV(CT, sum, pivot);
        }
    }
    return regular;
}

// One row of A = L*L^H. The rows that it needs are done.
HERON_TYPES(class CT)
HERON_FN void ic_row(int i, GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
                     GLOBAL const i32* diagonal, GLOBAL CT* a, int size, int row_step, int column_step,
                     GLOBAL i32* zero_pivot) {
    const heron_index block = (heron_index)size * size;
    const int begin = offsets[i] - base;
    const int regular = has_diagonal(offsets, columns, base, diagonal, i);
    GLOBAL CT* const last = a + diagonal[i] * block;
    for (int k = begin; k < diagonal[i]; ++k) {
        const int j = columns[k] - base;
        if (j < 0 || j >= i) continue;
        int p = begin;
        for (int q = offsets[j] - base; q < diagonal[j]; ++q) {
            p = advance_to(columns, p, k, columns[q]);
            if (p < k && columns[p] == columns[q])
                subtract_conjugate(a + k * block, (GLOBAL const CT*)(a + p * block),
                                   (GLOBAL const CT*)(a + q * block), size, row_step, column_step, 0);
        }
        divide_by_adjoint(a + k * block,
                          has_diagonal(offsets, columns, base, diagonal, j)
                              ? (GLOBAL const CT*)(a + diagonal[j] * block)
                              : (GLOBAL const CT*)0,
                          size, row_step, column_step);
        if (regular)
            subtract_conjugate(last, (GLOBAL const CT*)(a + k * block), (GLOBAL const CT*)(a + k * block),
                               size, row_step, column_step, 1);
    }
    if (!regular || !factor_hermitian(last, size, row_step, column_step)) ATOMIC_MIN(zero_pivot + 1, i);
}

// Two items. What is structural stays, but for an analysis.
HERON_TYPES(class CT)
HERON_KERNEL(clear_zero_pivot, GLOBAL i32* zero_pivot, int structural, int none) {
    if (structural)
        zero_pivot[item] = none;
    else if (item == 1)
        zero_pivot[1] = zero_pivot[0];
}
HERON_END

// Rows without a diagonal block have a zero pivot whatever the values are.
HERON_TYPES(class CT)
HERON_KERNEL(find_diagonal, GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
             GLOBAL i32* diagonal, GLOBAL i32* zero_pivot) {
    const int end = offsets[item + 1] - base;
    int low = offsets[item] - base;
    int high = end;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (columns[middle] - base < item)
            low = middle + 1;
        else
            high = middle;
    }
    diagonal[item] = low;
    if (low < end && columns[low] - base == item) return;
    ATOMIC_MIN(zero_pivot, (int)item);
    ATOMIC_MIN(zero_pivot + 1, (int)item);
}
HERON_END

// The rows order[first], order[first + 1], ... of one level; or, with `count` of them, one after the other.
HERON_TYPES(class CT)
HERON_KERNEL(ilu_rows, heron_index first, heron_index count, GLOBAL const i32* order,
             GLOBAL const i32* offsets, GLOBAL const i32* columns, int base, GLOBAL const i32* diagonal,
             GLOBAL CT* a, int size, int row_step, int column_step, GLOBAL i32* zero_pivot,
             CT tolerance_value, GLOBAL const i64* tolerance_bits, CT boost_value,
             GLOBAL const CT* boost_device) {
    const CT tolerance = tolerance_bits ? FROM_DOUBLE(CT, *tolerance_bits) : tolerance_value;
    for (heron_index p = 0; p < count; ++p)
        ilu_row(order[first + item + p], offsets, columns, base, diagonal, a, size, row_step, column_step,
                tolerance, SCALAR(CT, boost_value, boost_device), zero_pivot);
}
HERON_END

HERON_TYPES(class CT)
HERON_KERNEL(ic_rows, heron_index first, heron_index count, GLOBAL const i32* order,
             GLOBAL const i32* offsets, GLOBAL const i32* columns, int base, GLOBAL const i32* diagonal,
             GLOBAL CT* a, int size, int row_step, int column_step, GLOBAL i32* zero_pivot) {
    for (heron_index p = 0; p < count; ++p)
        ic_row(order[first + item + p], offsets, columns, base, diagonal, a, size, row_step, column_step,
               zero_pivot);
}
HERON_END
