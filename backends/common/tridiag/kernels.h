// Solves with tridiagonal and pentadiagonal matrices, one system or right-hand side per item. CT: type of all
// numbers. Element i of an item's array is at i*step from where the item begins. A pivot row is kept divided
// by its pivot, so that going back takes no division. The loads of several rows come before what waits for
// them.

// The factors of one tridiagonal matrix: what a row's right-hand side takes from the pivot row, one over the
// pivot, and the two elements behind it. how[j] says whether row j changed places with the one below and
// whether its pivot was enlarged.
HERON_TYPES(class CT)
HERON_KERNEL(tridiag_factor, GLOBAL const CT* lower, GLOBAL const CT* main, GLOBAL const CT* upper,
             heron_index m, int pivoting, GLOBAL CT* multipliers, GLOBAL CT* inverses, GLOBAL CT* seconds,
             GLOBAL CT* thirds, GLOBAL i8* how) {
    CT pivot = main[item];
    CT second = m > 1 ? upper[item] : ZERO(CT);
    for (heron_index j = 0; j + 1 < m; ++j) {
        CT below = lower[j + 1];
        CT next = main[j + 1];
        CT last = j + 2 < m ? upper[j + 1] : ZERO(CT);
        CT third;
        const int swapped = pivot_rows(&pivot, &second, &third, &below, &next, &last, pivoting);
        const int tiny = enlarge_tiny(&pivot, &second, &third);
        how[j] = (i8)(swapped | tiny << 1);
        const CT inverse = DIV(CT, ONE(CT), pivot);
        second = MUL(CT, second, inverse);
        third = MUL(CT, third, inverse);
        multipliers[j] = below;
        inverses[j] = inverse;
        seconds[j] = second;
        thirds[j] = third;
        pivot = SUB(CT, next, MUL(CT, below, second));
        second = SUB(CT, last, MUL(CT, below, third));
    }
    how[m - 1] = (i8)(is_tiny(pivot) << 1);
    inverses[m - 1] = DIV(CT, ONE(CT), is_tiny(pivot) ? enlarged(pivot) : pivot);
}
HERON_END

// One right-hand side with these factors.
HERON_TYPES(class CT)
HERON_KERNEL(tridiag_solve, GLOBAL CT* b, heron_index ldb, heron_index m, GLOBAL const CT* multipliers,
             GLOBAL const CT* inverses, GLOBAL const CT* seconds, GLOBAL const CT* thirds,
             GLOBAL const i8* how) {
    GLOBAL CT* const x = b + item * ldb;
    CT right = x[0];
    for (heron_index j = 0; j + 1 < m; ++j) {
        const CT next = x[j + 1];
        const int swapped = how[j] & 1;
        CT kept = swapped ? next : right;
        if (how[j] & 2) kept = enlarged(kept);
        kept = MUL(CT, kept, inverses[j]);
        right = SUB(CT, swapped ? right : next, MUL(CT, multipliers[j], kept));
        x[j] = kept;
    }
    if (how[m - 1]) right = enlarged(right);
    CT after = MUL(CT, right, inverses[m - 1]);
    CT after_next = ZERO(CT);
    x[m - 1] = after;
    for (heron_index j = m - 2; j >= 0; --j) {
        const CT value = SUB(CT, SUB(CT, x[j], MUL(CT, seconds[j], after)), MUL(CT, thirds[j], after_next));
        x[j] = value;
        after_next = after;
        after = value;
    }
}
HERON_END

// Thomas's algorithm. Systems are `stride` apart. factors, in which element i is at i*factor_step, may be the
// upper diagonal.
HERON_TYPES(class CT)
HERON_KERNEL(tridiag_thomas, GLOBAL const CT* lower, GLOBAL const CT* main, GLOBAL const CT* upper,
             GLOBAL CT* x, heron_index m, heron_index step, heron_index stride, GLOBAL CT* factors,
             heron_index factor_step, heron_index factor_stride) {
    enum { ahead = 4 };
    const heron_index begin = item * stride;
    GLOBAL CT* const factor = factors + item * factor_stride;
    CT second = ZERO(CT);
    CT right = ZERO(CT);
    for (heron_index first = 0; first < m; first += ahead) {
        CT l[ahead], d[ahead], u[ahead], f[ahead];
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = first + k;
            const heron_index at = begin + i * step;
            l[k] = i > 0 && i < m ? lower[at] : ZERO(CT);
            d[k] = i < m ? main[at] : ONE(CT);
            u[k] = i + 1 < m ? upper[at] : ZERO(CT);
            f[k] = i < m ? x[at] : ZERO(CT);
        }
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = first + k;
            CT pivot = SUB(CT, d[k], MUL(CT, l[k], second));
            right = SUB(CT, f[k], MUL(CT, l[k], right));
            second = u[k];
            if (is_tiny(pivot)) {
                pivot = enlarged(pivot);
                second = enlarged(second);
                right = enlarged(right);
            }
            const CT inverse = DIV(CT, ONE(CT), pivot);
            right = MUL(CT, right, inverse);
            second = MUL(CT, second, inverse);
            if (i < m) {
                factor[i * factor_step] = second;
                x[begin + i * step] = right;
            }
        }
    }
    CT after = ZERO(CT);
    for (heron_index end = m; end > 0; end -= ahead) {
        CT e[ahead], f[ahead];
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = end - 1 - k;
            e[k] = i >= 0 ? factor[i * factor_step] : ZERO(CT);
            f[k] = i >= 0 ? x[begin + i * step] : ZERO(CT);
        }
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = end - 1 - k;
            after = SUB(CT, f[k], MUL(CT, e[k], after));
            if (i >= 0) x[begin + i * step] = after;
        }
    }
}
HERON_END

// The Givens rotation that turns (a, b) into (*r, 0): it takes rows A and B to conj(p)*A + conj(q)*B and
// p*B - q*A. Its squares can neither overflow nor vanish.
HERON_TYPES(class CT)
HERON_FN void find_rotation(CT a, CT b, CT* p, CT* q, CT* r) {
    if (EQUAL(CT, b, ZERO(CT))) {
        *p = ONE(CT);
        *q = ZERO(CT);
        *r = a;
        return;
    }
    const CT size = exceeds(b, a) ? MAGNITUDE(CT, b) : MAGNITUDE(CT, a);
    CT divisor = size;
    if (is_tiny(size)) {
        divisor = enlarged(size);
        a = enlarged(a);
        b = enlarged(b);
    }
    const CT inverse = DIV(CT, ONE(CT), divisor);
    const CT scaled_a = MUL(CT, a, inverse);
    const CT scaled_b = MUL(CT, b, inverse);
    const CT length =
        SQRT(CT, ADD(CT, MUL(CT, scaled_a, CONJ(CT, scaled_a)), MUL(CT, scaled_b, CONJ(CT, scaled_b))));
    const CT share = DIV(CT, ONE(CT), length);
    *p = MUL(CT, scaled_a, share);
    *q = MUL(CT, scaled_b, share);
    *r = MUL(CT, length, size);
}
HERON_TYPES(class CT)
HERON_FN void turn_rows(CT p, CT q, CT* a, CT* b) {
    const CT turned = ADD(CT, MUL(CT, CONJ(CT, p), *a), MUL(CT, CONJ(CT, q), *b));
    *b = SUB(CT, MUL(CT, p, *b), MUL(CT, q, *a));
    *a = turned;
}

// One tridiagonal system by LU with partial pivoting or, by_rotation, by QR. Where rows were read, lower and
// upper become what lies behind the pivots, and x the right-hand side.
HERON_TYPES(class CT)
HERON_KERNEL(tridiag_eliminate, GLOBAL CT* lower, GLOBAL const CT* main, GLOBAL CT* upper, GLOBAL CT* x,
             heron_index m, heron_index step, int by_rotation) {
    enum { ahead = 4 };
    CT pivot = main[item];
    CT second = m > 1 ? upper[item] : ZERO(CT);
    CT right = x[item];
    for (heron_index first = 0; first + 1 < m; first += ahead) {
        CT l[ahead], d[ahead], u[ahead], f[ahead];
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = first + k + 1;
            const heron_index at = item + i * step;
            l[k] = i < m ? lower[at] : ZERO(CT);
            d[k] = i < m ? main[at] : ZERO(CT);
            u[k] = i + 1 < m ? upper[at] : ZERO(CT);
            f[k] = i < m ? x[at] : ZERO(CT);
        }
        for (int k = 0; k < ahead && first + k + 1 < m; ++k) {
            const heron_index at = item + (first + k) * step;
            CT third = ZERO(CT);
            CT below_right = f[k];
            if (by_rotation) {
                CT p, q, r;
                find_rotation(pivot, l[k], &p, &q, &r);
                turn_rows(p, q, &second, d + k);
                turn_rows(p, q, &third, u + k);
                turn_rows(p, q, &right, &below_right);
                pivot = r;
            } else if (pivot_rows(&pivot, &second, &third, l + k, d + k, u + k, 1)) {
                below_right = right;
                right = f[k];
            }
            divide_row(pivot, &second, &third, &right);
            upper[at] = second;
            lower[at] = third;
            x[at] = right;
            const CT left = by_rotation ? ZERO(CT) : l[k];
            pivot = SUB(CT, d[k], MUL(CT, left, second));
            second = SUB(CT, u[k], MUL(CT, left, third));
            right = SUB(CT, below_right, MUL(CT, left, right));
        }
    }
    CT after = DIV(CT, right, pivot);
    CT after_next = ZERO(CT);
    x[item + (m - 1) * step] = after;
    for (heron_index end = m - 1; end > 0; end -= ahead) {
        CT e[ahead], g[ahead], f[ahead];
        for (int k = 0; k < ahead; ++k) {
            const heron_index at = item + (end - 1 - k) * step;
            const int is_row = end - 1 - k >= 0;
            e[k] = is_row ? upper[at] : ZERO(CT);
            g[k] = is_row ? lower[at] : ZERO(CT);
            f[k] = is_row ? x[at] : ZERO(CT);
        }
        for (int k = 0; k < ahead; ++k) {
            const CT value = SUB(CT, SUB(CT, f[k], MUL(CT, e[k], after)), MUL(CT, g[k], after_next));
            if (end - 1 - k >= 0) x[item + (end - 1 - k) * step] = value;
            after_next = after;
            after = value;
        }
    }
}
HERON_END

// One pentadiagonal system by QR. Two rows are on their way, of which the elements of columns j to j + 3 are
// left, and row j + 2 joins them. The diagonals become what lies behind the pivots, of row j in row j: the
// columns j + 1 to j + 4 in second_lower, lower, upper and second_upper.
HERON_TYPES(class CT)
HERON_KERNEL(pentadiag_rotate, GLOBAL CT* second_lower, GLOBAL CT* lower, GLOBAL const CT* main,
             GLOBAL CT* upper, GLOBAL CT* second_upper, GLOBAL CT* x, heron_index m, heron_index step) {
    enum { ahead = 4 };
    CT a[5], b[5];
    a[0] = main[item];
    a[1] = m > 1 ? upper[item] : ZERO(CT);
    a[2] = m > 2 ? second_upper[item] : ZERO(CT);
    a[3] = ZERO(CT);
    a[4] = x[item];
    b[0] = m > 1 ? lower[item + step] : ZERO(CT);
    b[1] = m > 1 ? main[item + step] : ZERO(CT);
    b[2] = m > 2 ? upper[item + step] : ZERO(CT);
    b[3] = m > 3 ? second_upper[item + step] : ZERO(CT);
    b[4] = m > 1 ? x[item + step] : ZERO(CT);
    for (heron_index first = 0; first < m; first += ahead) {
        CT rows[ahead][6];
        for (int k = 0; k < ahead; ++k) {
            const heron_index i = first + k + 2;
            const heron_index at = item + i * step;
            rows[k][0] = i < m ? second_lower[at] : ZERO(CT);
            rows[k][1] = i < m ? lower[at] : ZERO(CT);
            rows[k][2] = i < m ? main[at] : ZERO(CT);
            rows[k][3] = i + 1 < m ? upper[at] : ZERO(CT);
            rows[k][4] = i + 2 < m ? second_upper[at] : ZERO(CT);
            rows[k][5] = i < m ? x[at] : ZERO(CT);
        }
        for (int k = 0; k < ahead && first + k < m; ++k) {
            const heron_index at = item + (first + k) * step;
            CT n[6];
            for (int c = 0; c < 6; ++c) n[c] = rows[k][c];
            CT p, q, r;
            CT farthest = ZERO(CT);
            find_rotation(a[0], b[0], &p, &q, &r);
            for (int c = 1; c < 5; ++c) turn_rows(p, q, a + c, b + c);
            find_rotation(r, n[0], &p, &q, &r);
            for (int c = 1; c < 4; ++c) turn_rows(p, q, a + c, n + c);
            turn_rows(p, q, &farthest, n + 4);
            turn_rows(p, q, a + 4, n + 5);
            if (is_tiny(r)) {
                r = enlarged(r);
                for (int c = 1; c < 5; ++c) a[c] = enlarged(a[c]);
                farthest = enlarged(farthest);
            }
            const CT inverse = DIV(CT, ONE(CT), r);
            second_lower[at] = MUL(CT, a[1], inverse);
            lower[at] = MUL(CT, a[2], inverse);
            upper[at] = MUL(CT, a[3], inverse);
            second_upper[at] = MUL(CT, farthest, inverse);
            x[at] = MUL(CT, a[4], inverse);
            for (int c = 0; c < 3; ++c) a[c] = b[c + 1];
            a[3] = ZERO(CT);
            a[4] = b[4];
            for (int c = 0; c < 5; ++c) b[c] = n[c + 1];
        }
    }
    CT after[4];
    for (int c = 0; c < 4; ++c) after[c] = ZERO(CT);
    for (heron_index end = m; end > 0; end -= ahead) {
        CT rows[ahead][5];
        for (int k = 0; k < ahead; ++k) {
            const heron_index at = item + (end - 1 - k) * step;
            const int is_row = end - 1 - k >= 0;
            rows[k][0] = is_row ? second_lower[at] : ZERO(CT);
            rows[k][1] = is_row ? lower[at] : ZERO(CT);
            rows[k][2] = is_row ? upper[at] : ZERO(CT);
            rows[k][3] = is_row ? second_upper[at] : ZERO(CT);
            rows[k][4] = is_row ? x[at] : ZERO(CT);
        }
        for (int k = 0; k < ahead; ++k) {
            CT value = rows[k][4];
            for (int c = 0; c < 4; ++c) value = SUB(CT, value, MUL(CT, rows[k][c], after[c]));
            for (int c = 3; c > 0; --c) after[c] = after[c - 1];
            after[0] = value;
            if (end - 1 - k >= 0) x[item + (end - 1 - k) * step] = value;
        }
    }
}
HERON_END
