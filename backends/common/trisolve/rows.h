// What those who order the rows of a triangle (order.h) and those who solve it have in common.

typedef struct {
    heron_index base;
    int n, lower, unit;
} triangle_shape;

// Whether a row needs another one. Elements of the other triangle have no part in the system.
HERON_FN int is_needed(triangle_shape t, heron_index row, heron_index column) {
    return t.lower ? column >= 0 && column < row : column > row && column < t.n;
}

// How many rows come before one, in the order in which they can be solved one after the other; and the row
// that so many come before.
HERON_FN int turned_row(triangle_shape t, int row) { return t.lower ? row : t.n - 1 - row; }

// Element q of those in [begin, end) of a row, counted so that where columns ascend what is found out first
// comes first: a row that has to wait has then done all but its last elements.
HERON_FN unsigned element_in_order(triangle_shape t, unsigned begin, unsigned end, unsigned q) {
    return t.lower ? begin + q : end - 1 - q;
}

// What is known of the levels.
typedef struct {
    unsigned highest;   // level
    int is_ordered;     // whether there is an order by levels
    int width;          // rows of an average level
    unsigned has_long;  // rows that are walked by whole groups
    int alone;          // rows that come first and need no other, if levels were searched
} row_schedule;
