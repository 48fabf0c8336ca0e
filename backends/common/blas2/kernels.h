// A matrix and vectors, one item per element of the result. Types: CT elements.

// Where element (i, j) of a matrix is, behind its first. storage: 0 full; 1 a band with `upper` diagonals
// above the main one; 2 a triangle of order n without gaps.
HERON_FN heron_index blas2_at(int storage, int lower, heron_index n, heron_index upper, heron_index ld,
                              heron_index i, heron_index j) {
    if (storage == 0) return i + j * ld;
    if (storage == 1) return upper + i - j + j * ld;
    return lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

// y := alpha*op(A)*x + beta*y, A m x n with so many diagonals below and above the main one.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_gemv, heron_index m, heron_index n, int transposed, int conjugate, CT alpha_value,
             GLOBAL const CT* alpha_device, int storage, GLOBAL const CT* a, heron_index a_offset,
             heron_index ld, heron_index below, heron_index above, GLOBAL const CT* x, heron_index x_offset,
             heron_index x_inc, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
             heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index before = transposed ? above : below;
        const heron_index behind = transposed ? below : above;
        const heron_index size = transposed ? m : n;
        const heron_index end = size - item > behind ? item + behind + 1 : size;
        for (heron_index l = item > before ? item - before : 0; l < end; ++l) {
            const heron_index i = transposed ? l : item;
            const heron_index j = transposed ? item : l;
            const CT element = a[a_offset + (storage == 0 ? i + j * ld : above + i - j + j * ld)];
            sum = MAD(CT, conjugate ? CONJ(CT, element) : element, x[x_offset + l * x_inc], sum);
        }
        sum = MUL(CT, alpha, sum);
    }
    blas2_update(y, y_offset + item * y_inc, sum, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// y := alpha*A*x + beta*y, A symmetric or Hermitian with one triangle stored and `band` diagonals beside the
// main one.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_symv, heron_index n, int lower, int hermitian, int conjugate, CT alpha_value,
             GLOBAL const CT* alpha_device, int storage, GLOBAL const CT* a, heron_index a_offset,
             heron_index ld, heron_index band, GLOBAL const CT* x, heron_index x_offset, heron_index x_inc,
             CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y, heron_index y_offset,
             heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index end = n - item > band ? item + band + 1 : n;
        for (heron_index l = item > band ? item - band : 0; l < end; ++l) {
            const int stored = lower ? item >= l : item <= l;
            const heron_index i = stored ? item : l;
            const heron_index j = stored ? l : item;
            CT element = a[a_offset + blas2_at(storage, lower, n, lower ? 0 : band, ld, i, j)];
            if (hermitian && l == item) element = REAL(CT, element);
            if (hermitian && stored == conjugate) element = CONJ(CT, element);
            sum = MAD(CT, element, x[x_offset + l * x_inc], sum);
        }
        sum = MUL(CT, alpha, sum);
    }
    blas2_update(y, y_offset + item * y_inc, sum, SCALAR(CT, beta_value, beta_device));
}
HERON_END

HERON_TYPES(class CT)
HERON_KERNEL(blas2_take, GLOBAL const CT* x, heron_index x_offset, heron_index x_inc, GLOBAL CT* to) {
    to[item] = x[x_offset + item * x_inc];
}
HERON_END

// Element `row` of M*x, or only of M's columns from `first` to before `end`, M = op(A): lower or upper
// triangular.
HERON_TYPES(class CT)
HERON_FN CT blas2_row(heron_index row, heron_index first, heron_index end, heron_index n, int lower,
                      int transposed, int conjugate, int storage, GLOBAL const CT* a, heron_index a_offset,
                      heron_index ld, heron_index band, GLOBAL const CT* x, heron_index x_offset,
                      heron_index x_inc) {
    const int stored_lower = lower != transposed;
    if (lower && row - band > first) first = row - band;
    if (!lower && row + band + 1 < end) end = row + band + 1;
    CT sum = ZERO(CT);
    for (heron_index l = first; l < end; ++l) {
        const heron_index i = transposed ? l : row;
        const heron_index j = transposed ? row : l;
        const CT element =
            a[a_offset + blas2_at(storage, stored_lower, n, stored_lower ? 0 : band, ld, i, j)];
        sum = MAD(CT, conjugate ? CONJ(CT, element) : element, x[x_offset + l * x_inc], sum);
    }
    return sum;
}

HERON_TYPES(class CT)
HERON_FN CT blas2_diagonal(heron_index i, heron_index n, int stored_lower, int conjugate, int storage,
                           GLOBAL const CT* a, heron_index a_offset, heron_index ld, heron_index band) {
    const CT element = a[a_offset + blas2_at(storage, stored_lower, n, stored_lower ? 0 : band, ld, i, i)];
    return conjugate ? CONJ(CT, element) : element;
}

// x := M*before, where before is the x of before without gaps.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_trmv, heron_index n, int lower, int transposed, int conjugate, int unit, int storage,
             GLOBAL const CT* a, heron_index a_offset, heron_index ld, heron_index band,
             GLOBAL const CT* before, GLOBAL CT* x, heron_index x_offset, heron_index x_inc) {
    const CT diagonal =
        unit ? ONE(CT)
             : blas2_diagonal(item, n, (int)(lower != transposed), conjugate, storage, a, a_offset, ld, band);
    const CT others = blas2_row(item, lower ? 0 : item + 1, lower ? item : n, n, lower, transposed, conjugate,
                                storage, a, a_offset, ld, band, before, (heron_index)0, (heron_index)1);
    x[x_offset + item * x_inc] =
        unit ? ADD(CT, before[item], others) : MAD(CT, diagonal, before[item], others);
}
HERON_END

// The unknowns first ... end - 1 of M*x = b, which need no others any more, by one item.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_trsv_block, heron_index n, heron_index first, heron_index end, int lower, int transposed,
             int conjugate, int unit, int storage, GLOBAL const CT* a, heron_index a_offset, heron_index ld,
             heron_index band, GLOBAL CT* x, heron_index x_offset, heron_index x_inc) {
    for (heron_index k = first + item; k < end; ++k) {
        const heron_index row = lower ? k : end - 1 - (k - first);
        const heron_index at = x_offset + row * x_inc;
        const CT others =
            blas2_row(row, lower ? first : row + 1, lower ? row : end, n, lower, transposed, conjugate,
                      storage, a, a_offset, ld, band, (GLOBAL const CT*)x, x_offset, x_inc);
        CT value = SUB(CT, x[at], others);
        if (!unit)
            value = DIV(CT, value,
                        blas2_diagonal(row, n, (int)(lower != transposed), conjugate, storage, a, a_offset,
                                       ld, band));
        x[at] = value;
    }
}
HERON_END

// What the unknowns first ... end - 1 contribute to the rows from `rows` on.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_trsv_rest, heron_index n, heron_index rows, heron_index first, heron_index end, int lower,
             int transposed, int conjugate, int storage, GLOBAL const CT* a, heron_index a_offset,
             heron_index ld, heron_index band, GLOBAL CT* x, heron_index x_offset, heron_index x_inc) {
    const heron_index row = rows + item;
    const heron_index at = x_offset + row * x_inc;
    x[at] = SUB(CT, x[at],
                blas2_row(row, first, end, n, lower, transposed, conjugate, storage, a, a_offset, ld, band,
                          (GLOBAL const CT*)x, x_offset, x_inc));
}
HERON_END

// Sets all bits.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_unset, GLOBAL CT* memory) {
    GLOBAL i32* const words = (GLOBAL i32*)(memory + item);
    for (int w = 0; w < (int)(sizeof(CT) / sizeof(i32)); ++w) words[w] = -1;
}
HERON_END

// y := alpha*sum + beta*y, where a sum has parts that lie n apart. alpha = 0 reads no part.
HERON_TYPES(class CT)
HERON_KERNEL(blas2_join, heron_index n, int parts, GLOBAL const CT* partial, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device, GLOBAL CT* y,
             heron_index y_offset, heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT)))
        for (int part = 0; part < parts; ++part) sum = ADD(CT, sum, partial[part * n + item]);
    blas2_update(y, y_offset + item * y_inc, MUL(CT, alpha, sum), SCALAR(CT, beta_value, beta_device));
}
HERON_END
