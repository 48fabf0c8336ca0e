// Dense vectors, `chunk` elements one after the other by an item. Types: VT storage, CT compute, RT real
// numbers of CT's precision. Where complex vectors meet real scalars VT and CT are real, and an element has
// two parts.

HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(blas1_scal, heron_index n, heron_index chunk, heron_index parts, CT alpha_value,
             GLOBAL const CT* alpha_device, GLOBAL VT* x, heron_index x_offset, heron_index x_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ONE(CT))) return;
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k) {
        const heron_index at = (x_offset + k * x_inc) * parts;
        STORE(CT, VT, x, at, MUL(CT, alpha, LOAD(CT, VT, x, at)));
        if (parts > 1) STORE(CT, VT, x, at + 1, MUL(CT, alpha, LOAD(CT, VT, x, at + 1)));
    }
}
HERON_END

HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(blas1_axpy, heron_index n, heron_index chunk, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const VT* x, heron_index x_offset, heron_index x_inc, GLOBAL VT* y, heron_index y_offset,
             heron_index y_inc) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k) {
        const heron_index at = y_offset + k * y_inc;
        STORE(CT, VT, y, at, MAD(CT, alpha, LOAD(CT, VT, x, x_offset + k * x_inc), LOAD(CT, VT, y, at)));
    }
}
HERON_END

// x, y := c*x + s*y, c*y - conj(s)*x
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(blas1_rot, heron_index n, heron_index chunk, heron_index parts, CT c_value,
             GLOBAL const RT* c_device, CT s_value, GLOBAL const CT* s_device, GLOBAL VT* x,
             heron_index x_offset, heron_index x_inc, GLOBAL VT* y, heron_index y_offset, heron_index y_inc) {
    CT c = c_value;
    if (c_device) c = LOAD(CT, RT, c_device, 0);
    const CT s = SCALAR(CT, s_value, s_device);
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k)
        for (heron_index part = 0; part < parts; ++part) {
            const heron_index i = (x_offset + k * x_inc) * parts + part;
            const heron_index j = (y_offset + k * y_inc) * parts + part;
            const CT xi = LOAD(CT, VT, x, i);
            const CT yj = LOAD(CT, VT, y, j);
            STORE(CT, VT, x, i, MAD(CT, s, yj, MUL(CT, c, xi)));
            STORE(CT, VT, y, j, SUB(CT, MUL(CT, c, yj), MUL(CT, CONJ(CT, s), xi)));
        }
}
HERON_END

// x, y := h11*x + h12*y, h21*x + h22*y. The flag says which of the four are implied: -1 none, 0 the ones of
// the diagonal, 1 the others, -2 all of the identity.
HERON_TYPES(class VT, class CT, class RT)
HERON_KERNEL(blas1_rotm, heron_index n, heron_index chunk, CT flag_value, CT h11_value, CT h21_value,
             CT h12_value, CT h22_value, GLOBAL const CT* parameters, heron_index offset, GLOBAL VT* x,
             heron_index x_offset, heron_index x_inc, GLOBAL VT* y, heron_index y_offset, heron_index y_inc) {
    const CT minus_one = SUB(CT, ZERO(CT), ONE(CT));
    const CT flag = parameters ? parameters[offset] : flag_value;
    if (LESS(CT, flag, minus_one)) return;
    const int has_diagonal = !EQUAL(CT, flag, ZERO(CT));
    const int has_others = LESS(CT, flag, ONE(CT));
    CT h11 = ONE(CT);
    CT h21 = minus_one;
    CT h12 = ONE(CT);
    CT h22 = ONE(CT);
    if (has_diagonal) {
        h11 = parameters ? parameters[offset + 1] : h11_value;
        h22 = parameters ? parameters[offset + 4] : h22_value;
    }
    if (has_others) {
        h21 = parameters ? parameters[offset + 2] : h21_value;
        h12 = parameters ? parameters[offset + 3] : h12_value;
    }
    for (heron_index k = item * chunk; k < n && k < (item + 1) * chunk; ++k) {
        const heron_index i = x_offset + k * x_inc;
        const heron_index j = y_offset + k * y_inc;
        const CT xi = LOAD(CT, VT, x, i);
        const CT yj = LOAD(CT, VT, y, j);
        STORE(CT, VT, x, i, MAD(CT, h12, yj, MUL(CT, h11, xi)));
        STORE(CT, VT, y, j, MAD(CT, h21, xi, MUL(CT, h22, yj)));
    }
}
HERON_END
