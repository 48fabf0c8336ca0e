// Counting and dropping small elements. Types: RT raw element, WT the signed raw word that RT consists of one
// or two of, ET the number that a part of a complex element is, and WT for real ones. Absolute values of real
// numbers are compared as integers, in whose order they are; a NaN comes behind infinity. `mask` has all bits
// of a word but the sign.

HERON_TYPES(class RT, class WT)
HERON_FN int differs_from_zero(GLOBAL const RT* a, heron_index k, WT mask) {
    const heron_index words = sizeof(RT) / sizeof(WT);
    GLOBAL const WT* element = (GLOBAL const WT*)a + k * words;
    return ((element[0] | element[words - 1]) & mask) != 0;
}

// The bits of a threshold so that what is dropped is not above them: -1 for a negative number, and infinity
// for a NaN, above which there is nothing.
HERON_TYPES(class WT)
HERON_FN WT threshold_bits(WT value, GLOBAL const WT* device, WT mask, WT infinity) {
    const WT bits = SCALAR(WT, value, device);
    const WT absolute = (WT)(bits & mask);
    if (absolute > infinity) return infinity;
    return bits < 0 && absolute != 0 ? (WT)-1 : absolute;
}

// Whether |re + i*im| > tolerance; with a NaN it is not. The scale is a power of two that brings the
// tolerance close to 1, so that squares that matter neither overflow nor vanish, and a difference of squares
// is a product, so that nothing cancels.
HERON_TYPES(class ET)
HERON_FN int is_longer(GLOBAL const ET* number, ET tolerance, ET scale) {
    const ET re = (ET)(number[0] < 0 ? -number[0] : number[0]);
    const ET im = (ET)(number[1] < 0 ? -number[1] : number[1]);
    const int re_is_above = re > tolerance;
    const int im_is_above = im > tolerance;
    if (!((re_is_above || re <= tolerance) && (im_is_above || im <= tolerance))) return 0;
    if (re_is_above || im_is_above) return 1;
    const ET long_leg = (ET)((re > im ? re : im) * scale);
    const ET short_leg = (ET)((re > im ? im : re) * scale);
    const ET limit = (ET)(tolerance * scale);
    return short_leg * short_leg > (limit - long_leg) * (limit + long_leg);
}

// The threshold is threshold_bits of a real element's, and a tolerance with its scale of a complex one's.
HERON_TYPES(class RT, class WT, class ET)
HERON_FN int is_kept(GLOBAL const RT* a, heron_index k, WT mask, WT infinity, WT threshold, ET tolerance,
                     ET scale) {
    if (sizeof(RT) != sizeof(WT)) return is_longer((GLOBAL const ET*)a + 2 * k, tolerance, scale);
    const WT absolute = (WT)(((GLOBAL const WT*)a)[k] & mask);
    return absolute > threshold && absolute <= infinity;
}

// An item has `block` neighbouring lines (rows or columns) of a dense matrix, whose element k of line l is
// a[l*line_step + k*element_step], and goes through them side by side.
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(count_nonzero_lines, GLOBAL const RT* a, heron_index lines, heron_index length,
             heron_index line_step, heron_index element_step, heron_index block, WT mask,
             GLOBAL i64* counts) {
    const heron_index begin = item * block;
    const heron_index end = begin + block < lines ? begin + block : lines;
    for (heron_index l = begin; l < end; ++l) counts[l] = 0;
    for (heron_index k = 0; k < length; ++k)
        for (heron_index l = begin; l < end; ++l)
            counts[l] += differs_from_zero(a, l * line_step + k * element_step, mask);
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(count_kept_lines, GLOBAL const RT* a, heron_index lines, heron_index length,
             heron_index line_step, heron_index element_step, heron_index block, WT mask, WT infinity,
             WT threshold_value, GLOBAL const WT* threshold_device, ET tolerance, ET scale,
             GLOBAL i64* counts) {
    const WT threshold = threshold_bits(threshold_value, threshold_device, mask, infinity);
    const heron_index begin = item * block;
    const heron_index end = begin + block < lines ? begin + block : lines;
    for (heron_index l = begin; l < end; ++l) counts[l] = 0;
    for (heron_index k = 0; k < length; ++k)
        for (heron_index l = begin; l < end; ++l)
            counts[l] +=
                is_kept(a, l * line_step + k * element_step, mask, infinity, threshold, tolerance, scale);
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(count_kept_row, GLOBAL const i32* offsets, heron_index base, GLOBAL const RT* a, WT mask,
             WT infinity, WT threshold_value, GLOBAL const WT* threshold_device, ET tolerance, ET scale,
             GLOBAL i64* counts) {
    const WT threshold = threshold_bits(threshold_value, threshold_device, mask, infinity);
    const heron_index end = (heron_index)offsets[item + 1] - base;
    i64 count = 0;
    for (heron_index k = (heron_index)offsets[item] - base; k < end; ++k)
        count += is_kept(a, k, mask, infinity, threshold, tolerance, scale);
    counts[item] = count;
}
HERON_END

// to[item] := from[item] + base
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(narrow_counts, GLOBAL const i64* from, heron_index base, GLOBAL i32* to) {
    to[item] = (i32)(from[item] + base);
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(widen_counts, GLOBAL const i32* from, GLOBAL i64* to) { to[item] = from[item]; }
HERON_END

// Rows of a dense matrix as above. next: where the next element of each row goes, for `block` rows at a time.
// Never writes outside what B's offsets say, whatever has become of A since they were counted.
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(keep_of_lines, GLOBAL const RT* a, heron_index lines, heron_index length, heron_index line_step,
             heron_index element_step, heron_index block, WT mask, WT infinity, WT threshold_value,
             GLOBAL const WT* threshold_device, ET tolerance, ET scale, GLOBAL const i32* b_offsets,
             heron_index b_base, GLOBAL i64* next, GLOBAL i32* b_columns, GLOBAL RT* b_values) {
    const WT threshold = threshold_bits(threshold_value, threshold_device, mask, infinity);
    const heron_index begin = item * block;
    const heron_index end = begin + block < lines ? begin + block : lines;
    for (heron_index l = begin; l < end; ++l) next[l] = (i64)b_offsets[l] - b_base;
    for (heron_index k = 0; k < length; ++k)
        for (heron_index l = begin; l < end; ++l) {
            const heron_index from = l * line_step + k * element_step;
            if (!is_kept(a, from, mask, infinity, threshold, tolerance, scale)) continue;
            const i64 to = next[l];
            if (to < 0 || to >= (i64)b_offsets[l + 1] - b_base) continue;
            b_columns[to] = (i32)(k + b_base);
            b_values[to] = a[from];
            next[l] = to + 1;
        }
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(keep_of_row, GLOBAL const i32* offsets, GLOBAL const i32* columns, GLOBAL const RT* a,
             heron_index base, WT mask, WT infinity, WT threshold_value, GLOBAL const WT* threshold_device,
             ET tolerance, ET scale, GLOBAL const i32* b_offsets, heron_index b_base, GLOBAL i32* b_columns,
             GLOBAL RT* b_values) {
    const WT threshold = threshold_bits(threshold_value, threshold_device, mask, infinity);
    const heron_index end = (heron_index)offsets[item + 1] - base;
    const heron_index b_end = (heron_index)b_offsets[item + 1] - b_base;
    heron_index to = (heron_index)b_offsets[item] - b_base;
    if (to < 0) return;
    for (heron_index k = (heron_index)offsets[item] - base; k < end && to < b_end; ++k) {
        if (!is_kept(a, k, mask, infinity, threshold, tolerance, scale)) continue;
        b_columns[to] = (i32)((heron_index)columns[k] - base + b_base);
        b_values[to] = a[k];
        ++to;
    }
}
HERON_END

// The element of a rank among ascending absolute values is found digit by digit from the top. The cell holds
// the digits found so far and the rank among the elements that begin with them. One item.
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(select_begin, i64 rank, GLOBAL i64* cell) {
    cell[2 * item] = 0;
    cell[2 * item + 1] = rank;
}
HERON_END

// Counts the next digit of elements item*chunk, item*chunk + 1, ... whose bits from `above` on are those
// found. digits[value*items + item] is how many have the value.
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(select_count, GLOBAL const RT* a, heron_index rows, heron_index ld, heron_index size,
             heron_index chunk, heron_index items, WT mask, i32 above, i32 shift, GLOBAL const i64* cell,
             GLOBAL i32* digits) {
    const heron_index values = (heron_index)1 << (above - shift);
    const i64 found = cell[0];
    const heron_index begin = item * chunk;
    const heron_index end = begin + chunk < size ? begin + chunk : size;
    heron_index row = begin % rows;
    heron_index from = begin / rows * ld + row;
    for (heron_index v = 0; v < values; ++v) digits[v * items + item] = 0;
    for (heron_index k = begin; k < end; ++k) {
        const i64 bits = (i64)(((GLOBAL const WT*)a)[from] & mask);
        if (bits >> above == found) ++digits[((bits >> shift) & (values - 1)) * items + item];
        ++row;
        ++from;
        if (row == rows) {
            row = 0;
            from += ld - rows;
        }
    }
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(select_add, GLOBAL const i32* digits, heron_index items, GLOBAL i64* sums) {
    i64 sum = 0;
    for (heron_index k = 0; k < items; ++k) sum += digits[item * items + k];
    sums[item] = sum;
}
HERON_END

// One item.
HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(select_digit, GLOBAL const i64* sums, i32 width, GLOBAL i64* cell) {
    const heron_index last = ((heron_index)1 << width) - 1;
    GLOBAL i64* own = cell + 2 * item;
    heron_index digit = 0;
    for (; digit < last && own[1] >= sums[digit]; ++digit) own[1] -= sums[digit];
    own[0] = own[0] << width | digit;
}
HERON_END

HERON_TYPES(class RT, class WT, class ET)
HERON_KERNEL(select_end, GLOBAL const i64* cell, GLOBAL WT* result) { result[item] = (WT)cell[0]; }
HERON_END
