// Kronecker products. Types: CT element.

// Where the operand of item k begins. kind: 0 base + k*stride; 1 the address that the list holds; 2 and 3
// base + index*stride with 32- and 64-bit indices.
HERON_TYPES(class CT)
HERON_FN GLOBAL const CT* kron_operand(GLOBAL const CT* base, GLOBAL const void* list, int kind,
                                       heron_index stride, heron_index list_step, heron_index k) {
    if (kind == 1) return (GLOBAL const CT*)((GLOBAL const i64*)list)[k * list_step];
    if (kind == 2) return base + (heron_index)((GLOBAL const i32*)list)[k * list_step] * stride;
    if (kind == 3) return base + (heron_index)((GLOBAL const i64*)list)[k * list_step] * stride;
    return base + k * stride;
}

// Entry k of a list of 32- or 64-bit numbers; k itself where there is no list.
HERON_FN heron_index kron_entry(GLOBAL const void* list, int is_wide, heron_index k) {
    if (!list) return k;
    return is_wide ? (heron_index)((GLOBAL const i64*)list)[k] : (heron_index)((GLOBAL const i32*)list)[k];
}

// The group that a position belongs to: of those that begin at the offsets, the first that ends behind it.
HERON_FN heron_index kron_group_of(GLOBAL const void* offsets, int are_wide, heron_index groups,
                                   heron_index position) {
    heron_index low = 0;
    heron_index high = groups;
    while (low < high) {
        const heron_index middle = low + (high - low) / 2;
        if (kron_entry(offsets, are_wide, middle + 1) <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// One element of a mode product: out[o, i, f] := sum over j of op(A)[i, j] * in[o, j, f], for the items
// first, first + 1, ... of the sequence that `order` lists, and `vectors` columns of each. With in_chunk the
// input is a workspace that holds these items alone, as `out` does.
HERON_TYPES(class CT)
HERON_KERNEL(kron_mode, GLOBAL const void* order, int order_is_wide, heron_index first, heron_index vectors,
             GLOBAL const CT* a, GLOBAL const void* a_list, int a_kind, heron_index a_stride,
             heron_index a_list_step, heron_index a_row, heron_index a_column, int conjugate,
             GLOBAL const CT* in, GLOBAL const void* in_list, int in_kind, heron_index in_stride,
             heron_index in_list_step, heron_index in_vector, heron_index in_element, heron_index in_offset,
             int in_chunk, heron_index outer, heron_index m, heron_index n, heron_index inner, GLOBAL CT* out,
             heron_index out_item, heron_index out_outer, heron_index out_line, heron_index out_inner) {
    const heron_index f = item % inner;
    const heron_index i = item / inner % m;
    const heron_index o = item / inner / m % outer;
    const heron_index q = item / inner / m / outer;
    const heron_index k = kron_entry(order, order_is_wide, first + q / vectors);
    GLOBAL const CT* const factor = kron_operand(a, a_list, a_kind, a_stride, a_list_step, k) + i * a_row;
    GLOBAL const CT* source = kron_operand(in, in_list, in_kind, in_stride, in_list_step, in_chunk ? q : k);
    if (!in_chunk) source += q % vectors * in_vector + in_offset;
    source += (o * n * inner + f) * in_element;
    CT sum = ZERO(CT);
    for (heron_index j = 0; j < n; ++j) {
        const CT aij = factor[j * a_column];
        sum = MAD(CT, conjugate ? CONJ(CT, aij) : aij, source[j * inner * in_element], sum);
    }
    out[q * out_item + o * out_outer + i * out_line + f * out_inner] = sum;
}
HERON_END

// The outputs of a chunk of items: y := alpha*w + beta*y, or atomically y += alpha*w. `size` elements per
// column. alpha = 0 does not read w.
HERON_TYPES(class CT)
HERON_KERNEL(kron_finish, heron_index first, heron_index vectors, GLOBAL const CT* w, heron_index size,
             CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
             int atomic, GLOBAL CT* y, GLOBAL const void* y_list, int y_kind, heron_index y_stride,
             heron_index y_list_step, heron_index y_vector, heron_index y_element, heron_index y_offset) {
    const heron_index e = item % size;
    const heron_index q = item / size;
    GLOBAL const CT* const where =
        kron_operand((GLOBAL const CT*)y, y_list, y_kind, y_stride, y_list_step, first + q / vectors);
    GLOBAL CT* const to = (GLOBAL CT*)where + q % vectors * y_vector + e * y_element + y_offset;
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    CT value = EQUAL(CT, alpha, ZERO(CT)) ? ZERO(CT) : MUL(CT, alpha, w[item]);
    if (atomic) {
        ATOMIC_ADD(CT, to, 0, value);
    } else {
        if (!EQUAL(CT, beta, ZERO(CT))) value = MAD(CT, beta, *to, value);
        *to = value;
    }
}
HERON_END

// The same where y is one output per group of items: the first item of a group in this chunk sums those that
// follow.
HERON_TYPES(class CT)
HERON_KERNEL(kron_finish_grouped, heron_index first, heron_index items, heron_index vectors,
             GLOBAL const CT* w, heron_index size, CT alpha_value, GLOBAL const CT* alpha_device,
             GLOBAL const void* offsets, int offsets_are_wide, heron_index groups, GLOBAL CT* y,
             GLOBAL const void* y_list, int y_kind, heron_index y_stride, heron_index y_list_step,
             heron_index y_vector, heron_index y_element, heron_index y_offset) {
    const heron_index e = item % size;
    const heron_index v = item / size % vectors;
    const heron_index p = item / size / vectors;
    const heron_index group = kron_group_of(offsets, offsets_are_wide, groups, first + p);
    if (group == groups) return;
    if (p > 0 && kron_entry(offsets, offsets_are_wide, group) < first + p) return;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    heron_index end = kron_entry(offsets, offsets_are_wide, group + 1) - first;
    if (end > items) end = items;
    CT sum = ZERO(CT);
    for (heron_index other = p; other < end; ++other) sum = ADD(CT, sum, w[(other * vectors + v) * size + e]);
    GLOBAL const CT* const where =
        kron_operand((GLOBAL const CT*)y, y_list, y_kind, y_stride, y_list_step, group);
    GLOBAL CT* const to = (GLOBAL CT*)where + v * y_vector + e * y_element + y_offset;
    *to = MAD(CT, alpha, sum, *to);
}
HERON_END

// Outputs in the order of their addresses (keys). Outputs whose keys are less than `span` bytes apart may
// overlap: they are one cluster. The first item of a cluster in this chunk adds the others too: element by
// element in parallel where all addresses are the same, else one work-item adds everything in order.
HERON_TYPES(class CT)
HERON_KERNEL(kron_finish_sorted, GLOBAL const i64* keys, heron_index first, heron_index items,
             heron_index vectors, GLOBAL const CT* w, heron_index size, CT alpha_value,
             GLOBAL const CT* alpha_device, heron_index span, heron_index y_vector, heron_index y_element,
             heron_index y_offset) {
    const heron_index e = item % size;
    const heron_index v = item / size % vectors;
    const heron_index p = item / size / vectors;
    GLOBAL const i64* const key = keys + first;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    if (EQUAL(CT, alpha, ZERO(CT))) return;
    if (p > 0 && key[p] - key[p - 1] < span) return;
    heron_index end = p + 1;
    while (end < items && key[end] - key[end - 1] < span) ++end;
    if (key[end - 1] == key[p]) {
        CT sum = ZERO(CT);
        for (heron_index other = p; other < end; ++other)
            sum = ADD(CT, sum, w[(other * vectors + v) * size + e]);
        GLOBAL CT* const to = (GLOBAL CT*)key[p] + v * y_vector + e * y_element + y_offset;
        *to = MAD(CT, alpha, sum, *to);
        return;
    }
    if (e > 0 || v > 0) return;
    for (heron_index other = p; other < end; ++other) {
        for (heron_index column = 0; column < vectors; ++column) {
            for (heron_index i = 0; i < size; ++i) {
                GLOBAL CT* const to = (GLOBAL CT*)key[other] + column * y_vector + i * y_element + y_offset;
                *to = MAD(CT, alpha, w[(other * vectors + column) * size + i], *to);
            }
        }
    }
}
HERON_END

// keys[k] := address of output k, order[k] := k.
HERON_TYPES(class CT)
HERON_KERNEL(kron_keys, GLOBAL const CT* y, GLOBAL const void* y_list, int y_kind, heron_index y_stride,
             heron_index y_list_step, GLOBAL i64* keys, GLOBAL i64* order) {
    keys[item] = (i64)kron_operand(y, y_list, y_kind, y_stride, y_list_step, item);
    order[item] = item;
}
HERON_END

// Sorts run `item` of `length` keys and what goes with them, equal keys in the order that they have.
HERON_TYPES(class CT)
HERON_KERNEL(kron_sort_run, GLOBAL i64* keys, GLOBAL i64* order, heron_index count, heron_index length) {
    const heron_index begin = item * length;
    const heron_index end = begin + length < count ? begin + length : count;
    for (heron_index k = begin + 1; k < end; ++k) {
        const i64 key = keys[k];
        const i64 moved = order[k];
        heron_index to = k;
        for (; to > begin && keys[to - 1] > key; --to) {
            keys[to] = keys[to - 1];
            order[to] = order[to - 1];
        }
        keys[to] = key;
        order[to] = moved;
    }
}
HERON_END

// Merges pairs of sorted runs: an element's place is its own rank plus its rank in the other run. Elements of
// the second run go behind equal ones of the first.
HERON_TYPES(class CT)
HERON_KERNEL(kron_merge, GLOBAL const i64* keys, GLOBAL const i64* order, heron_index count,
             heron_index length, GLOBAL i64* merged_keys, GLOBAL i64* merged_order) {
    const heron_index pair = item / (2 * length) * (2 * length);
    const heron_index middle = pair + length < count ? pair + length : count;
    const heron_index last = middle + length < count ? middle + length : count;
    const int is_first = item < middle;
    const i64 key = keys[item];
    const heron_index other = is_first ? middle : pair;
    heron_index low = other;
    heron_index high = is_first ? last : middle;
    while (low < high) {
        const heron_index probe = low + (high - low) / 2;
        if (keys[probe] < key || (!is_first && keys[probe] == key))
            low = probe + 1;
        else
            high = probe;
    }
    const heron_index to = (is_first ? item : item - middle + pair) + low - other;
    merged_keys[to] = key;
    merged_order[to] = order[item];
}
HERON_END

// One element of C := alpha*A*B + beta*C per item of a batch, or atomically C += alpha*A*B. Element (i, l) of
// A lies at i + l*lda, or transposed at l + i*lda; B alike.
HERON_TYPES(class CT)
HERON_KERNEL(kron_gemm, heron_index m, heron_index n, heron_index depth, int transpose_a, int transpose_b,
             CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device,
             GLOBAL const CT* a, GLOBAL const void* a_list, int a_kind, heron_index a_stride,
             heron_index a_list_step, GLOBAL const i32* lda, GLOBAL const CT* b, GLOBAL const void* b_list,
             int b_kind, heron_index b_stride, heron_index b_list_step, GLOBAL const i32* ldb, GLOBAL CT* c,
             GLOBAL const void* c_list, int c_kind, heron_index c_stride, heron_index c_list_step,
             GLOBAL const i32* ldc) {
    const heron_index i = item % m;
    const heron_index j = item / m % n;
    const heron_index k = item / m / n;
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        const heron_index a_line = transpose_a ? lda[k] : 1;
        const heron_index a_step = transpose_a ? 1 : lda[k];
        const heron_index b_line = transpose_b ? ldb[k] : 1;
        const heron_index b_column = transpose_b ? 1 : ldb[k];
        GLOBAL const CT* const row = kron_operand(a, a_list, a_kind, a_stride, a_list_step, k) + i * a_line;
        GLOBAL const CT* const column =
            kron_operand(b, b_list, b_kind, b_stride, b_list_step, k) + j * b_column;
        for (heron_index l = 0; l < depth; ++l) sum = MAD(CT, row[l * a_step], column[l * b_line], sum);
    }
    GLOBAL const CT* const matrix =
        kron_operand((GLOBAL const CT*)c, c_list, c_kind, c_stride, c_list_step, k);
    GLOBAL CT* const to = (GLOBAL CT*)matrix + i + j * ldc[k];
    CT value = MUL(CT, alpha, sum);
    if (EQUAL(CT, beta, ONE(CT))) {
        ATOMIC_ADD(CT, to, 0, value);
    } else {
        if (!EQUAL(CT, beta, ZERO(CT))) value = MAD(CT, beta, *to, value);
        *to = value;
    }
}
HERON_END
