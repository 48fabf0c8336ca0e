// Rotations made of numbers in device memory, by one item. Types: RT real numbers.

// sqrt(x^2 + y^2) with neither overflow nor underflow on the way.
HERON_TYPES(class RT)
HERON_FN RT blas1_length(RT x, RT y) {
    const RT first = MAGNITUDE(RT, x);
    const RT second = MAGNITUDE(RT, y);
    const RT larger = LESS(RT, first, second) ? second : first;
    const RT smaller = LESS(RT, first, second) ? first : second;
    if (EQUAL(RT, larger, ZERO(RT))) return ADD(RT, larger, smaller);  // a NaN stays one
    const RT ratio = DIV(RT, smaller, larger);
    return MUL(RT, larger, SQRT(RT, MAD(RT, ratio, ratio, ONE(RT))));
}

HERON_TYPES(class RT)
HERON_KERNEL(blas1_rotg, GLOBAL RT* a, heron_index a_at, GLOBAL RT* b, heron_index b_at, GLOBAL RT* c,
             heron_index c_at, GLOBAL RT* s, heron_index s_at) {
    a += item;
    const RT from_a = a[a_at];
    const RT from_b = b[b_at];
    RT r = from_a;
    RT z = ZERO(RT);
    RT cosine = ONE(RT);
    RT sine = ZERO(RT);
    if (!EQUAL(RT, from_b, ZERO(RT)) && EQUAL(RT, from_a, ZERO(RT))) {
        r = from_b;
        z = ONE(RT);
        cosine = ZERO(RT);
        sine = ONE(RT);
    } else if (!EQUAL(RT, from_b, ZERO(RT))) {
        const int a_is_larger = LESS(RT, MAGNITUDE(RT, from_b), MAGNITUDE(RT, from_a));
        const RT length = blas1_length(from_a, from_b);
        r = LESS(RT, a_is_larger ? from_a : from_b, ZERO(RT)) ? SUB(RT, ZERO(RT), length) : length;
        cosine = DIV(RT, from_a, r);
        sine = DIV(RT, from_b, r);
        z = a_is_larger ? sine : EQUAL(RT, cosine, ZERO(RT)) ? ONE(RT) : DIV(RT, ONE(RT), cosine);
    }
    a[a_at] = r;
    b[b_at] = z;
    c[c_at] = cosine;
    s[s_at] = sine;
}
HERON_END

// a, b and s are complex, their real part at 2*at.
HERON_TYPES(class RT)
HERON_KERNEL(blas1_complex_rotg, GLOBAL RT* a, heron_index a_at, GLOBAL const RT* b, heron_index b_at,
             GLOBAL RT* c, heron_index c_at, GLOBAL RT* s, heron_index s_at) {
    a += 2 * item;
    RT a_re = a[2 * a_at];
    RT a_im = a[2 * a_at + 1];
    RT b_re = b[2 * b_at];
    RT b_im = b[2 * b_at + 1];
    // Moduli may leave the range where the parts do not: only infinity and 0 are twice themselves.
    const RT size = ADD(RT, ADD(RT, MAGNITUDE(RT, a_re), MAGNITUDE(RT, a_im)),
                        ADD(RT, MAGNITUDE(RT, b_re), MAGNITUDE(RT, b_im)));
    const RT two = ADD(RT, ONE(RT), ONE(RT));
    const RT unit = EQUAL(RT, size, MUL(RT, two, size)) ? DIV(RT, ONE(RT), ADD(RT, two, two)) : ONE(RT);
    a_re = MUL(RT, a_re, unit);
    a_im = MUL(RT, a_im, unit);
    b_re = MUL(RT, b_re, unit);
    b_im = MUL(RT, b_im, unit);
    const RT of_a = blas1_length(a_re, a_im);
    const RT of_b = blas1_length(b_re, b_im);
    RT r_re = a_re;
    RT r_im = a_im;
    RT s_re = ZERO(RT);
    RT s_im = ZERO(RT);
    RT cosine = ONE(RT);
    if (!EQUAL(RT, of_b, ZERO(RT)) && EQUAL(RT, of_a, ZERO(RT))) {
        cosine = ZERO(RT);
        r_re = of_b;
        r_im = ZERO(RT);
        s_re = DIV(RT, b_re, of_b);
        s_im = SUB(RT, ZERO(RT), DIV(RT, b_im, of_b));
    } else if (!EQUAL(RT, of_b, ZERO(RT))) {
        const RT length = blas1_length(of_a, of_b);
        const RT d_re = DIV(RT, a_re, of_a);
        const RT d_im = DIV(RT, a_im, of_a);
        const RT u_re = DIV(RT, b_re, length);
        const RT u_im = DIV(RT, b_im, length);
        cosine = DIV(RT, of_a, length);
        r_re = MUL(RT, d_re, length);
        r_im = MUL(RT, d_im, length);
        s_re = MAD(RT, d_re, u_re, MUL(RT, d_im, u_im));
        s_im = SUB(RT, MUL(RT, d_im, u_re), MUL(RT, d_re, u_im));
    }
    a[2 * a_at] = DIV(RT, r_re, unit);
    a[2 * a_at + 1] = DIV(RT, r_im, unit);
    c[c_at] = cosine;
    s[2 * s_at] = s_re;
    s[2 * s_at + 1] = s_im;
}
HERON_END

// gamma is 4096. Factors bring d1 and d2 into (gamma^-2, gamma^2), from where they came out of it; each round
// needs all four elements of H.
HERON_TYPES(class RT)
HERON_KERNEL(blas1_rotmg, RT gamma, GLOBAL RT* d1_memory, heron_index d1_at, GLOBAL RT* d2_memory,
             heron_index d2_at, GLOBAL RT* x1_memory, heron_index x1_at, GLOBAL const RT* y1_memory,
             heron_index y1_at, GLOBAL RT* parameters, heron_index at) {
    parameters += 5 * item;
    const RT minus_one = SUB(RT, ZERO(RT), ONE(RT));
    const RT large = MUL(RT, gamma, gamma);
    const RT small = DIV(RT, ONE(RT), large);
    RT d1 = d1_memory[d1_at];
    RT d2 = d2_memory[d2_at];
    RT x1 = x1_memory[x1_at];
    const RT y1 = y1_memory[y1_at];
    const RT p1 = MUL(RT, d1, x1);
    const RT p2 = MUL(RT, d2, y1);
    const RT q1 = MUL(RT, p1, x1);
    const RT q2 = MUL(RT, p2, y1);
    RT flag = minus_one;
    RT h11 = ZERO(RT);
    RT h21 = ZERO(RT);
    RT h12 = ZERO(RT);
    RT h22 = ZERO(RT);
    int is_cleared = LESS(RT, d1, ZERO(RT));
    if (!is_cleared && EQUAL(RT, p2, ZERO(RT))) {
        parameters[at] = SUB(RT, minus_one, ONE(RT));
        return;
    }
    if (!is_cleared && LESS(RT, MAGNITUDE(RT, q2), MAGNITUDE(RT, q1))) {
        h21 = SUB(RT, ZERO(RT), DIV(RT, y1, x1));
        h12 = DIV(RT, p2, p1);
        const RT u = SUB(RT, ONE(RT), MUL(RT, h12, h21));
        is_cleared = !LESS(RT, ZERO(RT), u);
        flag = ZERO(RT);
        h11 = h22 = ONE(RT);
        d1 = DIV(RT, d1, u);
        d2 = DIV(RT, d2, u);
        x1 = MUL(RT, x1, u);
    } else if (!is_cleared) {
        is_cleared = LESS(RT, q2, ZERO(RT));
        h11 = DIV(RT, p1, p2);
        h22 = DIV(RT, x1, y1);
        const RT u = MAD(RT, h11, h22, ONE(RT));
        flag = h12 = ONE(RT);
        h21 = minus_one;
        const RT first = DIV(RT, d2, u);
        d2 = DIV(RT, d1, u);
        d1 = first;
        x1 = MUL(RT, y1, u);
    }
    if (is_cleared) {
        flag = minus_one;
        h11 = h21 = h12 = h22 = d1 = d2 = x1 = ZERO(RT);
    }
    // A number of a double takes 43 rounds at most; infinities would take more.
    for (int round = 0; round < 64 && !EQUAL(RT, d1, ZERO(RT)); ++round) {
        const int is_small = NOT_ABOVE(RT, MAGNITUDE(RT, d1), small);
        if (!is_small && !NOT_ABOVE(RT, large, MAGNITUDE(RT, d1))) break;
        const RT factor = is_small ? DIV(RT, ONE(RT), gamma) : gamma;
        flag = minus_one;
        d1 = DIV(RT, d1, MUL(RT, factor, factor));
        x1 = MUL(RT, x1, factor);
        h11 = MUL(RT, h11, factor);
        h12 = MUL(RT, h12, factor);
    }
    for (int round = 0; round < 64 && !EQUAL(RT, d2, ZERO(RT)); ++round) {
        const int is_small = NOT_ABOVE(RT, MAGNITUDE(RT, d2), small);
        if (!is_small && !NOT_ABOVE(RT, large, MAGNITUDE(RT, d2))) break;
        const RT factor = is_small ? DIV(RT, ONE(RT), gamma) : gamma;
        flag = minus_one;
        d2 = DIV(RT, d2, MUL(RT, factor, factor));
        h21 = MUL(RT, h21, factor);
        h22 = MUL(RT, h22, factor);
    }
    d1_memory[d1_at] = d1;
    d2_memory[d2_at] = d2;
    x1_memory[x1_at] = x1;
    parameters[at] = flag;
    const int is_full = LESS(RT, flag, ZERO(RT));
    if (is_full || EQUAL(RT, flag, ONE(RT))) {
        parameters[at + 1] = h11;
        parameters[at + 4] = h22;
    }
    if (is_full || EQUAL(RT, flag, ZERO(RT))) {
        parameters[at + 2] = h21;
        parameters[at + 3] = h12;
    }
}
HERON_END
