// What a product does to an element of y, for all of level 2.

// product + beta*old; beta = 0 takes nothing from old.
HERON_TYPES(class CT)
HERON_FN CT blas2_updated(CT product, CT beta, CT old) {
    return EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, old, product);
}

// y[at] := product + beta*y[at]; beta = 0 does not read it.
HERON_TYPES(class CT)
HERON_FN void blas2_update(GLOBAL CT* y, heron_index at, CT product, CT beta) {
    y[at] = EQUAL(CT, beta, ZERO(CT)) ? product : MAD(CT, beta, y[at], product);
}
