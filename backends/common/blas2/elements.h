// What reads or writes every element of a matrix once, one item per element. Types: CT elements, RT real
// numbers of their precision.

// storage: 0 full, 2 a triangle of order n without gaps.
HERON_FN heron_index blas2_place(int storage, int lower, heron_index n, heron_index ld, heron_index i,
                                 heron_index j) {
    if (storage == 0) return i + j * ld;
    return lower ? i + j * (2 * n - j - 1) / 2 : i + j * (j + 1) / 2;
}

HERON_TYPES(class CT, class RT)
HERON_KERNEL(blas2_ger, heron_index m, CT alpha_value, GLOBAL const CT* alpha_device, int conjugate_x,
             GLOBAL const CT* x, heron_index x_offset, heron_index x_inc, int conjugate_y, GLOBAL const CT* y,
             heron_index y_offset, heron_index y_inc, GLOBAL CT* a, heron_index a_offset, heron_index ld) {
    const heron_index i = item % m;
    const heron_index j = item / m;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const CT xi = x[x_offset + i * x_inc];
    const CT yj = y[y_offset + j * y_inc];
    const heron_index at = a_offset + i + j * ld;
    a[at] = MAD(CT, MUL(CT, alpha, conjugate_y ? CONJ(CT, yj) : yj), conjugate_x ? CONJ(CT, xi) : xi, a[at]);
}
HERON_END

// A triangle of alpha*x*y^T + alpha_2*y*x^T + A or, Hermitian, alpha*x*y^H + conj(alpha)*y*x^H + A; with
// conjugate of the conjugates of x and y. terms = 1: the first one alone, y is x. alpha_real: a real number
// in place of alpha.
HERON_TYPES(class CT, class RT)
HERON_KERNEL(blas2_rank_update, heron_index n, int lower, int hermitian, int conjugate, int terms,
             CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const RT* alpha_real, GLOBAL const CT* x,
             heron_index x_offset, heron_index x_inc, GLOBAL const CT* y, heron_index y_offset,
             heron_index y_inc, int storage, GLOBAL CT* a, heron_index a_offset, heron_index ld) {
    const heron_index i = item % n;
    const heron_index j = item / n;
    if (lower ? i < j : i > j) return;
    CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (alpha_real) alpha = LOAD(CT, RT, alpha_real, 0);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const int conjugates_row = hermitian && conjugate;
    const int conjugates_column = hermitian && !conjugate;
    const CT xi = x[x_offset + i * x_inc];
    const CT yj = y[y_offset + j * y_inc];
    const CT first = MUL(CT, alpha, conjugates_column ? CONJ(CT, yj) : yj);
    CT sum = MUL(CT, first, conjugates_row ? CONJ(CT, xi) : xi);
    if (terms > 1) {
        const CT yi = y[y_offset + i * y_inc];
        const CT xj = x[x_offset + j * x_inc];
        const CT second = MUL(CT, hermitian ? CONJ(CT, alpha) : alpha, conjugates_column ? CONJ(CT, xj) : xj);
        sum = MAD(CT, second, conjugates_row ? CONJ(CT, yi) : yi, sum);
    }
    const heron_index at = a_offset + blas2_place(storage, lower, n, ld, i, j);
    if (hermitian && i == j)
        a[at] = ADD(CT, REAL(CT, a[at]), REAL(CT, sum));
    else
        a[at] = ADD(CT, a[at], sum);
}
HERON_END

// C := alpha*op(A) + beta*op(B); element (i, j) of op(A) lies at i*a_row + j*a_column.
HERON_TYPES(class CT, class RT)
HERON_KERNEL(blas2_geam, heron_index m, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const CT* a,
             heron_index a_offset, heron_index a_row, heron_index a_column, int conjugate_a, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL const CT* b, heron_index b_offset, heron_index b_row,
             heron_index b_column, int conjugate_b, GLOBAL CT* c, heron_index c_offset, heron_index ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const CT element = a[a_offset + i * a_row + j * a_column];
        sum = MUL(CT, alpha, conjugate_a ? CONJ(CT, element) : element);
    }
    if (!EQUAL(CT, beta, ZERO(CT))) {
        const CT element = b[b_offset + i * b_row + j * b_column];
        sum = MAD(CT, beta, conjugate_b ? CONJ(CT, element) : element, sum);
    }
    c[c_offset + i + j * ldc] = sum;
}
HERON_END

HERON_TYPES(class CT, class RT)
HERON_KERNEL(blas2_dgmm, heron_index m, int left, GLOBAL const CT* a, heron_index a_offset, heron_index lda,
             GLOBAL const CT* x, heron_index x_offset, heron_index x_inc, GLOBAL CT* c, heron_index c_offset,
             heron_index ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m;
    c[c_offset + i + j * ldc] = MUL(CT, x[x_offset + (left ? i : j) * x_inc], a[a_offset + i + j * lda]);
}
HERON_END

HERON_TYPES(class CT, class RT)
HERON_KERNEL(blas2_repack, heron_index n, int lower, int from_storage, GLOBAL const CT* from,
             heron_index from_offset, heron_index from_ld, int to_storage, GLOBAL CT* to,
             heron_index to_offset, heron_index to_ld) {
    const heron_index i = item % n;
    const heron_index j = item / n;
    if (lower ? i < j : i > j) return;
    to[to_offset + blas2_place(to_storage, lower, n, to_ld, i, j)] =
        from[from_offset + blas2_place(from_storage, lower, n, from_ld, i, j)];
}
HERON_END
