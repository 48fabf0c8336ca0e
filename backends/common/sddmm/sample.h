// What becomes of an element of C. Types: VC storage of C, CT compute.

// c[at] := alpha*sum + beta*c[at]; beta = 0 does not read c.
HERON_TYPES(class VC, class CT)
HERON_FN void update_sample(GLOBAL VC* c, heron_index at, CT sum, CT alpha, CT beta) {
    CT result = MUL(CT, alpha, sum);
    if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, LOAD(CT, VC, c, at), result);
    STORE(CT, VC, c, at, result);
}
