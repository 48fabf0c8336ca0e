// Sparse vectors. Types: VT storage, CT compute, IT index.

// y := beta*y; beta = 0 does not read y.
HERON_TYPES(class VT, class CT, class IT)
HERON_KERNEL(scale, GLOBAL VT* y, CT beta_value, GLOBAL const CT* beta_device) {
    const CT beta = SCALAR(CT, beta_value, beta_device);
    if (EQUAL(CT, beta, ONE(CT))) return;
    STORE(CT, VT, y, item, EQUAL(CT, beta, ZERO(CT)) ? ZERO(CT) : MUL(CT, beta, LOAD(CT, VT, y, item)));
}
HERON_END

// y[x] += alpha*x; alpha = 0 does not read x's values.
HERON_TYPES(class VT, class CT, class IT)
HERON_KERNEL(add_scattered, GLOBAL const IT* indices, GLOBAL const VT* x, heron_index base, GLOBAL VT* y,
             CT alpha_value, GLOBAL const CT* alpha_device) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    const heron_index i = (heron_index)indices[item] - base;
    STORE(CT, VT, y, i, MAD(CT, alpha, LOAD(CT, VT, x, item), LOAD(CT, VT, y, i)));
}
HERON_END

HERON_TYPES(class VT, class CT, class IT)
HERON_KERNEL(rotate, GLOBAL const IT* indices, GLOBAL VT* x, heron_index base, GLOBAL VT* y, CT c_value,
             GLOBAL const CT* c_device, CT s_value, GLOBAL const CT* s_device) {
    const CT c = SCALAR(CT, c_value, c_device);
    const CT s = SCALAR(CT, s_value, s_device);
    const heron_index i = (heron_index)indices[item] - base;
    const CT xi = LOAD(CT, VT, x, item);
    const CT yi = LOAD(CT, VT, y, i);
    STORE(CT, VT, x, item, MAD(CT, s, yi, MUL(CT, c, xi)));
    STORE(CT, VT, y, i, SUB(CT, MUL(CT, c, yi), MUL(CT, s, xi)));
}
HERON_END

// partial[item] := sum of op(x[k])*y[x.index[k]] over k = item*item_stride + j*step, j < chunk.
HERON_TYPES(class VT, class CT, class IT)
HERON_KERNEL(dot_partial, GLOBAL const IT* indices, GLOBAL const VT* x, heron_index nnz, heron_index base,
             int conjugate, GLOBAL const VT* y, heron_index item_stride, heron_index step, heron_index chunk,
             GLOBAL CT* partial) {
    CT sum = ZERO(CT);
    for (heron_index j = 0; j < chunk; ++j) {
        const heron_index k = item * item_stride + j * step;
        if (k >= nnz) break;
        const CT xk = LOAD(CT, VT, x, k);
        sum = MAD(CT, conjugate ? CONJ(CT, xk) : xk, LOAD(CT, VT, y, (heron_index)indices[k] - base), sum);
    }
    partial[item] = sum;
}
HERON_END

// out[item] := sum of in[item], in[item + step], ...
HERON_TYPES(class VT, class CT, class IT)
HERON_KERNEL(sum_strided, GLOBAL const CT* in, heron_index n, heron_index step, GLOBAL CT* out) {
    CT sum = ZERO(CT);
    for (heron_index k = item; k < n; k += step) sum = ADD(CT, sum, in[k]);
    out[item] = sum;
}
HERON_END
