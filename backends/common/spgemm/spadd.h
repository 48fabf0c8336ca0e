// Sums of sparse matrices, whose rows are sorted. Types: CT values.

// counts[item] := length of row item of the sum.
HERON_TYPES(class CT)
HERON_KERNEL(spadd_count_row, GLOBAL const i32* a_offsets, GLOBAL const i32* a_indices, i32 a_base,
             GLOBAL const i32* b_offsets, GLOBAL const i32* b_indices, i32 b_base, GLOBAL i64* counts) {
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
HERON_TYPES(class CT)
HERON_KERNEL(spadd_total, GLOBAL const i32* offsets, heron_index rows, GLOBAL i32* total) {
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
HERON_TYPES(class CT)
HERON_KERNEL(spadd_row, CT alpha_value, GLOBAL const CT* alpha_device, GLOBAL const i32* a_offsets,
             GLOBAL const i32* a_indices, GLOBAL const CT* a_values, i32 a_base, CT beta_value,
             GLOBAL const CT* beta_device, GLOBAL const i32* b_offsets, GLOBAL const i32* b_indices,
             GLOBAL const CT* b_values, i32 b_base, GLOBAL const i32* offsets, i32 base, GLOBAL i32* indices,
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
