// Pivots of rows of tridiagonal systems. CT: type of all numbers.

HERON_TYPES(class CT)
HERON_FN int exceeds(CT a, CT b) { return LESS(CT, MAGNITUDE(CT, b), MAGNITUDE(CT, a)); }

// Whether one over a pivot may overflow. A row with such a pivot is enlarged before it is divided by it: what
// that gives is the same, because the factor is a power of two.
HERON_TYPES(class CT)
HERON_FN int is_tiny(CT pivot) {
    const CT least = FROM_DOUBLE(CT, 0x3810000000000000);  // 2^-126
    return LESS(CT, MAGNITUDE(CT, pivot), least);
}
HERON_TYPES(class CT)
HERON_FN CT enlarged(CT v) {
    const CT factor = FROM_DOUBLE(CT, 0x43b0000000000000);  // 2^60
    return MUL(CT, v, factor);
}

// LU with partial pivoting of row j and the row that comes below: [*pivot, *second, third] and [*below,
// *next, *third] change places if the latter begins with more, and the second one loses its first element. 1
// if they did.
HERON_TYPES(class CT)
HERON_FN int pivot_rows(CT* pivot, CT* second, CT* third, CT* below, CT* next, CT* last, int pivoting) {
    const int swapped = pivoting && exceeds(*below, *pivot);
    if (swapped) {
        const CT c = *pivot;
        const CT e = *second;
        *pivot = *below;
        *second = *next;
        *third = *last;
        *below = c;
        *next = e;
        *last = ZERO(CT);
    } else {
        *third = ZERO(CT);
    }
    return swapped;
}

// Enlarges a row if its pivot is tiny: 1 if it is.
HERON_TYPES(class CT)
HERON_FN int enlarge_tiny(CT* pivot, CT* second, CT* third) {
    const int tiny = is_tiny(*pivot);
    if (tiny) {
        *pivot = enlarged(*pivot);
        *second = enlarged(*second);
        *third = enlarged(*third);
    }
    return tiny;
}

// A row and its right-hand side, divided by the pivot.
HERON_TYPES(class CT)
HERON_FN void divide_row(CT pivot, CT* second, CT* third, CT* right) {
    if (enlarge_tiny(&pivot, second, third)) *right = enlarged(*right);
    const CT inverse = DIV(CT, ONE(CT), pivot);
    *second = MUL(CT, *second, inverse);
    *third = MUL(CT, *third, inverse);
    *right = MUL(CT, *right, inverse);
}
