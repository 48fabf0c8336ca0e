// Rows of a sparse product. Types: VT values, CT compute, OT offsets of A and B, IT indices.

// As in spgemm_pattern.h, which is another program on OpenCL.
HERON_TYPES(class IT)
HERON_FN heron_index clear_row_table(GLOBAL IT* keys, heron_index count) {
    heron_index places = 2;
    while (places < 2 * count) places *= 2;
    for (heron_index place = 0; place < places; ++place) keys[place] = (IT)-1;
    return places - 1;
}

HERON_TYPES(class IT)
HERON_FN heron_index find_row_place(GLOBAL const IT* keys, heron_index mask, IT key) {
    heron_index place = ((heron_index)key * 107) & mask;
    for (heron_index tries = 0; tries <= mask; ++tries) {
        if (keys[place] == key || keys[place] < 0) return place;
        place = (place + 1) & mask;
    }
    return -1;
}

HERON_TYPES(class IT)
HERON_FN void sort_by_insertion(GLOBAL IT* x, heron_index n) {
    for (heron_index i = 1; i < n; ++i) {
        const IT moving = x[i];
        heron_index at = i;
        for (; at > 0 && x[at - 1] > moving; --at) x[at] = x[at - 1];
        x[at] = moving;
    }
}

HERON_TYPES(class IT)
HERON_FN void sift_down(GLOBAL IT* x, heron_index root, heron_index n) {
    const IT sinking = x[root];
    heron_index child = 2 * root + 1;
    while (child < n) {
        if (child + 1 < n && x[child + 1] > x[child]) ++child;
        if (x[child] <= sinking) break;
        x[root] = x[child];
        root = child;
        child = 2 * root + 1;
    }
    x[root] = sinking;
}

HERON_TYPES(class IT)
HERON_FN void sort_columns(GLOBAL IT* x, heron_index n) {
    if (n <= 24) {
        sort_by_insertion(x, n);
        return;
    }
    for (heron_index root = n / 2; root-- > 0;) sift_down(x, root, n);
    for (heron_index last = n - 1; last > 0; --last) {
        const IT largest = x[0];
        x[0] = x[last];
        x[last] = largest;
        sift_down(x, 0, last);
    }
}

// The rows of C whose length is in (low, high], each summed in the order of A's and B's elements in a hash
// table of the item's own. with_columns: C's columns are found, else they are there. with_values: C's values
// are written.
HERON_TYPES(class VT, class CT, class OT, class IT)
HERON_KERNEL(compute_rows, GLOBAL const OT* a_offsets, GLOBAL const IT* a_indices, GLOBAL const VT* a_values,
             GLOBAL const OT* a_permutation, heron_index a_base, int a_permuted, int a_conjugate,
             GLOBAL const OT* b_offsets, GLOBAL const IT* b_indices, GLOBAL const VT* b_values,
             GLOBAL const OT* b_permutation, heron_index b_base, int b_permuted, int b_conjugate,
             GLOBAL const i64* c_offsets, GLOBAL IT* c_indices, GLOBAL VT* c_values, heron_index c_base,
             int with_columns, int with_values, heron_index rows, heron_index slots, heron_index low,
             heron_index high, GLOBAL IT* tables, GLOBAL CT* table_sums, heron_index capacity, CT alpha_value,
             GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device) {
    GLOBAL IT* keys = tables + item * capacity;
    GLOBAL CT* sums = table_sums + item * capacity;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int sums_up = with_values && !EQUAL(CT, alpha, ZERO(CT));
    for (heron_index row = item; row < rows; row += slots) {
        const heron_index first = c_offsets[row];
        const heron_index length = c_offsets[row + 1] - first;
        if (length <= low || length > high) continue;
        GLOBAL IT* columns = c_indices + first;
        const heron_index mask = clear_row_table(keys, length);
        heron_index count = 0;
        if (!with_columns)
            for (; count < length; ++count) {
                const IT key = (IT)(columns[count] - (IT)c_base);
                const heron_index place = find_row_place(keys, mask, key);
                if (place < 0) continue;
                keys[place] = key;
                sums[place] = ZERO(CT);
            }
        const heron_index end = with_columns || sums_up ? (heron_index)a_offsets[row + 1] - a_base
                                                        : (heron_index)a_offsets[row] - a_base;
        for (heron_index k = (heron_index)a_offsets[row] - a_base; k < end; ++k) {
            CT ak = ZERO(CT);
            if (sums_up) {
                ak = LOAD(CT, VT, a_values, a_permuted ? (heron_index)a_permutation[k] : k);
                if (a_conjugate) ak = CONJ(CT, ak);
            }
            const heron_index inner = (heron_index)a_indices[k] - a_base;
            const heron_index inner_end = (heron_index)b_offsets[inner + 1] - b_base;
            for (heron_index l = (heron_index)b_offsets[inner] - b_base; l < inner_end; ++l) {
                const IT key = (IT)(b_indices[l] - (IT)b_base);
                const heron_index place = find_row_place(keys, mask, key);
                if (place < 0) continue;
                if (keys[place] != key) {
                    if (count == length) continue;
                    keys[place] = key;
                    sums[place] = ZERO(CT);
                    columns[count++] = key;
                }
                if (!sums_up) continue;
                CT bl = LOAD(CT, VT, b_values, b_permuted ? (heron_index)b_permutation[l] : l);
                if (b_conjugate) bl = CONJ(CT, bl);
                sums[place] = MAD(CT, ak, bl, sums[place]);
            }
        }
        if (with_columns) sort_columns(columns, count);
        for (heron_index i = 0; i < count; ++i) {
            const IT key = with_columns ? columns[i] : (IT)(columns[i] - (IT)c_base);
            if (with_columns) columns[i] = (IT)(key + (IT)c_base);
            const heron_index place = find_row_place(keys, mask, key);
            if (!with_values || place < 0) continue;
            CT result = sums_up ? MUL(CT, alpha, sums[place]) : ZERO(CT);
            if (!EQUAL(CT, beta, ZERO(CT))) result = MAD(CT, beta, LOAD(CT, VT, c_values, first + i), result);
            STORE(CT, VT, c_values, first + i, result);
        }
    }
}
HERON_END
