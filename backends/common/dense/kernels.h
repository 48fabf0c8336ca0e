// Dense matrices in column order. Types: VT elements, CT compute, RT real numbers of CT's precision. Operands
// are an address and an offset in elements, because on OpenCL the address may be a buffer object.

// A scalar that the device holds as a real number, or holds as it is, or that the host knows.
HERON_TYPES(class CT, class RT)
HERON_FN CT dense_scalar(CT value, GLOBAL const CT* device, GLOBAL const RT* real) {
    if (real) return LOAD(CT, RT, real, 0);
    return SCALAR(CT, value, device);
}

// sum + the products of k elements of A and B, which begin where they begin and are a step apart.
HERON_TYPES(class VT, class CT)
HERON_FN CT dense_dot(heron_index k, GLOBAL const VT* a, heron_index a_begin, heron_index a_step,
                      int conjugate_a, GLOBAL const VT* b, heron_index b_begin, heron_index b_step,
                      int conjugate_b, CT sum) {
    for (heron_index l = 0; l < k; ++l) {
        const CT al = LOAD(CT, VT, a, a_begin + l * a_step);
        const CT bl = LOAD(CT, VT, b, b_begin + l * b_step);
        sum = MAD(CT, conjugate_a ? CONJ(CT, al) : al, conjugate_b ? CONJ(CT, bl) : bl, sum);
    }
    return sum;
}

// c[at] := product + beta*c[at]; beta = 0 does not read it.
HERON_TYPES(class VT, class CT)
HERON_FN void dense_update(GLOBAL VT* c, heron_index at, CT product, CT beta) {
    if (!EQUAL(CT, beta, ZERO(CT))) product = MAD(CT, beta, LOAD(CT, VT, c, at), product);
    STORE(CT, VT, c, at, product);
}

// Element (i, j) of C := alpha*op(A)*op(B) + beta*C. Element (i, l) of op(A) lies at i*a_row + l*a_column,
// (l, j) of op(B) at l*b_row + j*b_column.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(gemm, heron_index m, heron_index k, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const VT* a, heron_index a_offset, heron_index a_row, heron_index a_column,
             int conjugate_a, GLOBAL const VT* b, heron_index b_offset, heron_index b_row,
             heron_index b_column, int conjugate_b, CT beta_value, GLOBAL const CT* beta_device, GLOBAL VT* c,
             heron_index c_offset, heron_index ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT product = ZERO(CT);
    if (k > 0 && !EQUAL(CT, alpha, ZERO(CT)))
        product = MUL(CT, alpha,
                      dense_dot(k, a, a_offset + i * a_row, a_column, conjugate_a, b, b_offset + j * b_column,
                                b_row, conjugate_b, ZERO(CT)));
    dense_update(c, c_offset + i + j * ldc, product, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// Part 0, 1 or 2 of a complex matrix, which begins at an offset of `begin` numbers, as a real one without
// gaps: the real parts, the imaginary parts, or their sums. conjugate turns the imaginary parts' signs.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(split_complex, heron_index rows, int part, int conjugate, GLOBAL const RT* a, heron_index begin,
             heron_index ld, GLOBAL RT* to) {
    const heron_index at = begin + 2 * (item % rows + item / rows * ld);
    const RT re = LOAD(RT, RT, a, at);
    const RT stored = LOAD(RT, RT, a, at + 1);
    const RT im = conjugate ? SUB(RT, ZERO(RT), stored) : stored;
    STORE(RT, RT, to, item, part == 0 ? re : part == 1 ? im : ADD(RT, re, im));
}
HERON_END

// C := alpha*P + beta*C, where P has the real parts products[0] - products[1] and the imaginary parts
// products[2] - products[0]
// - products[1]; each is m x n without gaps, one behind the other. Scalars on the device are two numbers.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(join_complex, heron_index m, heron_index apart, GLOBAL const RT* products, RT alpha_re,
             RT alpha_im, GLOBAL const RT* alpha_device, RT beta_re, RT beta_im, GLOBAL const RT* beta_device,
             GLOBAL RT* c, heron_index begin, heron_index ldc) {
    const heron_index at = begin + 2 * (item % m + item / m * ldc);
    const RT ar = alpha_device ? LOAD(RT, RT, alpha_device, 0) : alpha_re;
    const RT ai = alpha_device ? LOAD(RT, RT, alpha_device, 1) : alpha_im;
    const RT br = beta_device ? LOAD(RT, RT, beta_device, 0) : beta_re;
    const RT bi = beta_device ? LOAD(RT, RT, beta_device, 1) : beta_im;
    RT re = ZERO(RT);
    RT im = ZERO(RT);
    if (!EQUAL(RT, ar, ZERO(RT)) || !EQUAL(RT, ai, ZERO(RT))) {
        const RT first = LOAD(RT, RT, products, item);
        const RT second = LOAD(RT, RT, products, item + apart);
        const RT p_re = SUB(RT, first, second);
        const RT p_im = SUB(RT, SUB(RT, LOAD(RT, RT, products, item + 2 * apart), first), second);
        re = SUB(RT, MUL(RT, ar, p_re), MUL(RT, ai, p_im));
        im = MAD(RT, ar, p_im, MUL(RT, ai, p_re));
    }
    if (!EQUAL(RT, br, ZERO(RT)) || !EQUAL(RT, bi, ZERO(RT))) {
        const RT c_re = LOAD(RT, RT, c, at);
        const RT c_im = LOAD(RT, RT, c, at + 1);
        re = ADD(RT, re, SUB(RT, MUL(RT, br, c_re), MUL(RT, bi, c_im)));
        im = ADD(RT, im, MAD(RT, br, c_im, MUL(RT, bi, c_re)));
    }
    STORE(RT, RT, c, at, re);
    STORE(RT, RT, c, at + 1, im);
}
HERON_END

// The same as gemm for the items of a batch, m*n elements each.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(gemm_batched, heron_index m, heron_index n, heron_index k, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const VT* a, GLOBAL const void* a_list, int a_kind,
             heron_index a_stride, heron_index a_list_step, heron_index a_row, heron_index a_column,
             int conjugate_a, GLOBAL const VT* b, GLOBAL const void* b_list, int b_kind, heron_index b_stride,
             heron_index b_list_step, heron_index b_row, heron_index b_column, int conjugate_b, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL VT* c, GLOBAL const void* c_list, int c_kind,
             heron_index c_stride, heron_index c_list_step, heron_index ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m % n;
    const heron_index q = item / m / n;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT product = ZERO(CT);
    if (k > 0 && !EQUAL(CT, alpha, ZERO(CT)))
        product =
            MUL(CT, alpha,
                dense_dot(
                    k, (GLOBAL const VT*)batch_item(a, sizeof(VT), a_list, a_kind, a_stride, a_list_step, q),
                    i * a_row, a_column, conjugate_a,
                    (GLOBAL const VT*)batch_item(b, sizeof(VT), b_list, b_kind, b_stride, b_list_step, q),
                    j * b_column, b_row, conjugate_b, ZERO(CT)));
    GLOBAL VT* const where = (GLOBAL VT*)batch_item(c, sizeof(VT), c_list, c_kind, c_stride, c_list_step, q);
    dense_update(where, i + j * ldc, product, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// Element (i, j) of one triangle of C := alpha*op(A0)*op(B0) [+ alpha_1*op(A1)*op(B1)] + beta*C.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(gemmt, heron_index n, heron_index k, int lower, int terms, int conjugate_second, int hermitian,
             CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const RT* alpha_real, GLOBAL const VT* a0,
             heron_index a0_offset, heron_index a0_row, heron_index a0_column, GLOBAL const VT* a1,
             heron_index a1_offset, heron_index a1_row, heron_index a1_column, int conjugate_a,
             GLOBAL const VT* b0, heron_index b0_offset, heron_index b0_row, heron_index b0_column,
             GLOBAL const VT* b1, heron_index b1_offset, heron_index b1_row, heron_index b1_column,
             int conjugate_b, CT beta_value, GLOBAL const CT* beta_device, GLOBAL const RT* beta_real,
             GLOBAL VT* c, heron_index c_offset, heron_index ldc) {
    const heron_index i = item % n;
    const heron_index j = item / n;
    if (lower ? i < j : i > j) return;
    const CT alpha = dense_scalar(alpha_value, alpha_device, alpha_real);
    const CT beta = dense_scalar(beta_value, beta_device, beta_real);
    const int reads = k > 0 && !EQUAL(CT, alpha, ZERO(CT));
    if (!reads && EQUAL(CT, beta, ONE(CT))) return;
    CT product = ZERO(CT);
    if (reads)
        product = MUL(CT, alpha,
                      dense_dot(k, a0, a0_offset + i * a0_row, a0_column, conjugate_a, b0,
                                b0_offset + j * b0_column, b0_row, conjugate_b, ZERO(CT)));
    if (reads && terms > 1)
        product = MAD(CT, conjugate_second ? CONJ(CT, alpha) : alpha,
                      dense_dot(k, a1, a1_offset + i * a1_row, a1_column, conjugate_a, b1,
                                b1_offset + j * b1_column, b1_row, conjugate_b, ZERO(CT)),
                      product);
    const heron_index at = c_offset + i + j * ldc;
    if (hermitian && i == j) {
        product = REAL(CT, product);
        if (!EQUAL(CT, beta, ZERO(CT))) product = MAD(CT, beta, REAL(CT, LOAD(CT, VT, c, at)), product);
        STORE(CT, VT, c, at, REAL(CT, product));
    } else {
        dense_update(c, at, product, beta);
    }
}
HERON_END

// Element (i, j) of C := alpha*A*B + beta*C (left) or alpha*B*A + beta*C, with one triangle of A stored.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(symm, heron_index m, heron_index n, int left, int lower, int hermitian, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL const VT* a, heron_index a_offset, heron_index lda,
             GLOBAL const VT* b, heron_index b_offset, heron_index ldb, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL VT* c, heron_index c_offset, heron_index ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index fixed = left ? i : j;
    CT sum = ZERO(CT);
    const heron_index k = EQUAL(CT, alpha, ZERO(CT)) ? 0 : left ? m : n;
    for (heron_index l = 0; l < k; ++l) {
        const heron_index row = left ? i : l;
        const heron_index column = left ? l : j;
        const int stored = lower ? row >= column : row <= column;
        CT al = LOAD(CT, VT, a, a_offset + (stored ? row + column * lda : column + row * lda));
        if (hermitian && !stored) al = CONJ(CT, al);
        if (hermitian && l == fixed) al = REAL(CT, al);
        sum = MAD(CT, al, LOAD(CT, VT, b, b_offset + (left ? l + j * ldb : i + l * ldb)), sum);
    }
    const CT product = k > 0 ? MUL(CT, alpha, sum) : ZERO(CT);
    dense_update(c, c_offset + i + j * ldc, product, SCALAR(CT, beta_value, beta_device));
}
HERON_END

// One vector x := alpha*M*x in place, where M is triangular: element (i, l) lies at i*a_row + l*a_column. The
// vector's elements are x_step apart. An element is overwritten when no other needs it any more.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(trmm, heron_index order, int lower, int unit, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const VT* a, heron_index a_offset, heron_index a_row, heron_index a_column,
             int conjugate_a, GLOBAL VT* b, heron_index b_offset, heron_index x_line, heron_index x_step) {
    const heron_index begin = b_offset + item * x_line;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_zero = EQUAL(CT, alpha, ZERO(CT));
    for (heron_index n = 0; n < order; ++n) {
        const heron_index i = lower ? order - 1 - n : n;
        const heron_index at = begin + i * x_step;
        CT sum = ZERO(CT);
        if (!is_zero) {
            const CT diagonal = unit ? ONE(CT) : LOAD(CT, VT, a, a_offset + i * a_row + i * a_column);
            sum = MUL(CT, conjugate_a ? CONJ(CT, diagonal) : diagonal, LOAD(CT, VT, b, at));
            const heron_index first = lower ? 0 : i + 1;
            sum = MUL(CT, alpha,
                      dense_dot(order - 1 - n, a, a_offset + i * a_row + first * a_column, a_column,
                                conjugate_a, (GLOBAL const VT*)b, begin + first * x_step, x_step, 0, sum));
        }
        STORE(CT, VT, b, at, sum);
    }
}
HERON_END

// One vector x with M*x = alpha*b in place of b.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(trsm, heron_index order, int lower, int unit, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const VT* a, heron_index a_offset, heron_index a_row, heron_index a_column,
             int conjugate_a, GLOBAL VT* b, heron_index b_offset, heron_index x_line, heron_index x_step) {
    const heron_index begin = b_offset + item * x_line;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const int is_zero = EQUAL(CT, alpha, ZERO(CT));
    for (heron_index n = 0; n < order; ++n) {
        const heron_index i = lower ? n : order - 1 - n;
        const heron_index at = begin + i * x_step;
        CT x = ZERO(CT);
        if (!is_zero) {
            const heron_index first = lower ? 0 : i + 1;
            x = SUB(CT, MUL(CT, alpha, LOAD(CT, VT, b, at)),
                    dense_dot(n, a, a_offset + i * a_row + first * a_column, a_column, conjugate_a,
                              (GLOBAL const VT*)b, begin + first * x_step, x_step, 0, ZERO(CT)));
            if (!unit) {
                const CT diagonal = LOAD(CT, VT, a, a_offset + i * a_row + i * a_column);
                x = DIV(CT, x, conjugate_a ? CONJ(CT, diagonal) : diagonal);
            }
        }
        STORE(CT, VT, b, at, x);
    }
}
HERON_END
