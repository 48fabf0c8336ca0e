// Sums of sparse matrices, whose rows are sorted. Types: CT values, OT offsets.

// counts[item] := length of row item of the sum.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_count_row, GLOBAL const OT* a_offsets, GLOBAL const i32* a_indices, i32 a_base,
             GLOBAL const OT* b_offsets, GLOBAL const i32* b_indices, i32 b_base, GLOBAL i64* counts) {
    const heron_index a_end = (heron_index)a_offsets[item + 1] - a_base;
    const heron_index b_end = (heron_index)b_offsets[item + 1] - b_base;
    heron_index k = (heron_index)a_offsets[item] - a_base;
    heron_index l = (heron_index)b_offsets[item] - b_base;
    i64 count = 0;
    while (k < a_end && l < b_end) {
        const i32 i = a_indices[k] - a_base;
        const i32 j = b_indices[l] - b_base;
        k += i <= j;
        l += j <= i;
        ++count;
    }
    counts[item] = count + (a_end - k) + (b_end - l);
}
HERON_END

// *total := how many elements the offsets count. One item.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_total, GLOBAL const OT* offsets, heron_index rows, GLOBAL i32* total) {
    total[item] = offsets[rows] - offsets[0];
}
HERON_END

// factor*values[k], which is not read where the factor is 0.
HERON_TYPES(class CT)
HERON_FN CT spadd_term(CT factor, GLOBAL const CT* values, heron_index k) {
    return EQUAL(CT, factor, ZERO(CT)) ? ZERO(CT) : MUL(CT, factor, values[k]);
}

// Row item of the sum. Writes no more than the offsets have room for, whatever has become of the patterns
// since they were counted.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_row, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const OT* a_offsets,
             GLOBAL const i32* a_indices, GLOBAL const CT* a_values, i32 a_base, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL const OT* b_offsets, GLOBAL const i32* b_indices,
             GLOBAL const CT* b_values, i32 b_base, GLOBAL const OT* offsets, i32 base, GLOBAL i32* indices,
             GLOBAL CT* values) {
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index a_end = (heron_index)a_offsets[item + 1] - a_base;
    const heron_index b_end = (heron_index)b_offsets[item + 1] - b_base;
    const heron_index end = (heron_index)offsets[item + 1] - base;
    heron_index k = (heron_index)a_offsets[item] - a_base;
    heron_index l = (heron_index)b_offsets[item] - b_base;
    for (heron_index at = (heron_index)offsets[item] - base; at < end; ++at) {
        const int has_a = k < a_end;
        const int has_b = l < b_end;
        if (!has_a && !has_b) break;
        const i32 i = has_a ? a_indices[k] - a_base : 0;
        const i32 j = has_b ? b_indices[l] - b_base : 0;
        const int takes_a = has_a && (!has_b || i <= j);
        const int takes_b = has_b && (!has_a || j <= i);
        CT sum = takes_a ? spadd_term(alpha, a_values, k) : spadd_term(beta, b_values, l);
        if (takes_a && takes_b) sum = ADD(CT, sum, spadd_term(beta, b_values, l));
        indices[at] = (takes_a ? i : j) + base;
        values[at] = sum;
        k += takes_a;
        l += takes_b;
    }
}
HERON_END

// Where items own elements, not rows. An element of B whose place A lacks is alone: a bit for each says so,
// and words of 32 bits have the number of bits before them. The rank of an element of B is how many before it
// are alone, so that an element of A goes to its own number and the rank of its place in B, and one of B that
// is alone to its rank and the number of its place in A, all counted from the first row.

HERON_FN int spadd_bits_set(unsigned v) {
    v -= (v >> 1) & 0x55555555u;
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    return (int)((((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
}

HERON_FN heron_index spadd_rank(GLOBAL const i32* words, GLOBAL const i64* before, heron_index k) {
    const heron_index word = k / 32;
    const int bit = (int)(k % 32);
    return before[word] + (bit ? spadd_bits_set((unsigned)words[word] & ((1u << bit) - 1u)) : 0);
}

// The first element from `low` on and before `end` whose index is not less.
HERON_FN heron_index spadd_place(GLOBAL const i32* indices, heron_index low, heron_index end, i32 index) {
    while (low < end) {
        const heron_index middle = low + (end - low) / 2;
        if (indices[middle] < index)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

// 32 elements of B: words[item] and counts[item], the number of its bits.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_mark, GLOBAL const OT* a_offsets, GLOBAL const i32* a_indices, i32 a_base,
             GLOBAL const OT* b_offsets, GLOBAL const i32* b_indices, i32 b_base, heron_index rows,
             heron_index nnz, GLOBAL i32* words, GLOBAL i64* counts) {
    const heron_index begin = item * 32;
    const heron_index end = begin + 32 < nnz ? begin + 32 : nnz;
    heron_index row = 0;
    heron_index row_end = -1;
    heron_index low = 0;
    heron_index a_end = 0;
    unsigned word = 0;
    for (heron_index k = begin; k < end; ++k) {
        if (k >= row_end) {
            row = holder_of(b_offsets, b_base, row, rows - 1, k);
            row_end = (heron_index)b_offsets[row + 1] - b_base;
            low = (heron_index)a_offsets[row] - a_base;
            a_end = (heron_index)a_offsets[row + 1] - a_base;
        }
        const i32 index = b_indices[k] - b_base + a_base;
        low = spadd_place(a_indices, low, a_end, index);
        if (low == a_end || a_indices[low] != index) word |= 1u << (k - begin);
    }
    words[item] = (i32)word;
    counts[item] = spadd_bits_set(word);
}
HERON_END

HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_offset, GLOBAL const OT* a_offsets, i32 a_base, GLOBAL const OT* b_offsets, i32 b_base,
             GLOBAL const i32* words, GLOBAL const i64* before, i32 base, GLOBAL OT* offsets) {
    offsets[item] = (OT)(base + a_offsets[item] - a_base +
                         spadd_rank(words, before, (heron_index)b_offsets[item] - b_base));
}
HERON_END

// Element item of A, with that of B at its place.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_take_a, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const OT* a_offsets,
             GLOBAL const i32* a_indices, GLOBAL const CT* a_values, i32 a_base, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL const OT* b_offsets, GLOBAL const i32* b_indices,
             GLOBAL const CT* b_values, i32 b_base, heron_index rows, GLOBAL const i32* words,
             GLOBAL const i64* before, GLOBAL const OT* offsets, i32 base, GLOBAL i32* indices,
             GLOBAL CT* values) {
    const heron_index row = holder_of(a_offsets, a_base, 0, rows - 1, item);
    const heron_index b_end = (heron_index)b_offsets[row + 1] - b_base;
    const i32 index = a_indices[item] - a_base;
    const heron_index place =
        spadd_place(b_indices, (heron_index)b_offsets[row] - b_base, b_end, index + b_base);
    const heron_index at = item + spadd_rank(words, before, place);
    if (at >= (heron_index)offsets[rows] - base) return;
    CT sum = spadd_term(SCALAR(CT, alpha_value, alpha_device), a_values, item);
    if (place < b_end && b_indices[place] == index + b_base)
        sum = ADD(CT, sum, spadd_term(SCALAR(CT, beta_value, beta_device), b_values, place));
    indices[at] = index + base;
    values[at] = sum;
}
HERON_END

// Element item of B, if it is alone.
HERON_TYPES(class CT, class OT)
HERON_KERNEL(spadd_take_b, GLOBAL const OT* a_offsets, GLOBAL const i32* a_indices, i32 a_base, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL const OT* b_offsets, GLOBAL const i32* b_indices,
             GLOBAL const CT* b_values, i32 b_base, heron_index rows, GLOBAL const i32* words,
             GLOBAL const i64* before, GLOBAL const OT* offsets, i32 base, GLOBAL i32* indices,
             GLOBAL CT* values) {
    if (!(((unsigned)words[item / 32] >> (item % 32)) & 1u)) return;
    const heron_index row = holder_of(b_offsets, b_base, 0, rows - 1, item);
    const i32 index = b_indices[item] - b_base;
    const heron_index place = spadd_place(a_indices, (heron_index)a_offsets[row] - a_base,
                                          (heron_index)a_offsets[row + 1] - a_base, index + a_base);
    const heron_index at = place + spadd_rank(words, before, item);
    if (at >= (heron_index)offsets[rows] - base) return;
    indices[at] = index + base;
    values[at] = spadd_term(SCALAR(CT, beta_value, beta_device), b_values, item);
}
HERON_END
