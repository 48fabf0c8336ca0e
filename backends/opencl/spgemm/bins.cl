// Sums and maxima over the rows of a sparse product, and its rows by their lengths. Types: OT offsets of A
// and B, IT indices.

#define SHARE_GROUP SCAN_GROUP
#define SHARE 2048  // counts that one group sums up
#define BINS 7      // of rows

// Sum and maximum over some counts.
typedef struct {
    i64 sum, longest;
} row_facts;

// ---- sums and maxima over all rows ----

// *facts := the sum of all items' sums, and the greatest of their `longest`, or `most`. All items of a group.
HERON_FN void write_facts(i64 sum, i64 longest, heron_index most, GLOBAL row_facts* facts, __local i64* sums,
                          __local i64* longest_of) {
    const int id = get_local_id(0);
    sums[id] = sum;
    longest_of[id] = min(longest, most);
    for (int distance = SHARE_GROUP / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= distance) continue;
        sums[id] += sums[id + distance];
        longest_of[id] = max(longest_of[id], longest_of[id + distance]);
    }
    if (id == 0) *facts = (row_facts){sums[0], longest_of[0]};
}

// The facts of each share of the counts; none counts more than `most` for the maximum.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_measure_shares(
    GLOBAL const i64* restrict counts, heron_index n, heron_index most, GLOBAL row_facts* facts) {
    __local i64 sums[SHARE_GROUP];
    __local i64 longest_of[SHARE_GROUP];
    const heron_index first = get_group_id(0) * (heron_index)SHARE + get_local_id(0);
    i64 sum = 0;
    i64 longest = 0;
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i) {
        const i64 count = first + i * SHARE_GROUP < n ? counts[first + i * SHARE_GROUP] : 0;
        sum += count;
        longest = max(longest, count);
    }
    write_facts(sum, longest, most, facts + get_group_id(0), sums, longest_of);
}

// products[row] := products that row `row` of A*B takes, and the facts of each share of them.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_measure_products(
    GLOBAL const OT* restrict a_offsets, GLOBAL const IT* restrict a_indices, heron_index a_base,
    GLOBAL const OT* restrict b_offsets, heron_index rows, GLOBAL i64* products, heron_index most,
    GLOBAL row_facts* facts) {
    __local i64 sums[SHARE_GROUP];
    __local i64 longest_of[SHARE_GROUP];
    const heron_index first = get_group_id(0) * (heron_index)SHARE + get_local_id(0);
    i64 sum = 0;
    i64 longest = 0;
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i) {
        const heron_index row = first + i * SHARE_GROUP;
        if (row >= rows) continue;
        const heron_index end = (heron_index)a_offsets[row + 1] - a_base;
        i64 count = 0;
#pragma unroll 4
        for (heron_index k = (heron_index)a_offsets[row] - a_base; k < end; ++k) {
            const heron_index inner = (heron_index)a_indices[k] - a_base;
            count += b_offsets[inner + 1] - b_offsets[inner];
        }
        products[row] = count;
        sum += count;
        longest = max(longest, count);
    }
    write_facts(sum, longest, most, facts + get_group_id(0), sums, longest_of);
}

// Counts into what precedes each of them, in place, and the sum of all behind them. With c_base added they go
// to the offsets of C that is not NULL.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_scan_counts(
    GLOBAL i64* counts, heron_index n, GLOBAL const row_facts* facts, heron_index c_base,
    GLOBAL i32* c_offsets_32, GLOBAL i64* c_offsets_64) {
    __local i64 sums[SHARE_GROUP];
    __local i64 staged[SHARE + SHARE / 8];
    const int id = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)SHARE;
    const int each = SHARE / SHARE_GROUP;
    // What the shares before this one have.
    i64 before = 0;
    for (heron_index s = id; s < (heron_index)get_group_id(0); s += SHARE_GROUP) before += facts[s].sum;
    for (int i = 0; i < each; ++i) {
        const int at = i * SHARE_GROUP + id;
        staged[at + at / each] = first + at < n ? counts[first + at] : 0;
    }
    sums[id] = before;
    scan_group(sums, SHARE_GROUP);
    before = sums[SHARE_GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    i64 own = 0;
    for (int i = 0; i < each; ++i) own += staged[id * (each + 1) + i];
    sums[id] = own;
    scan_group(sums, SHARE_GROUP);
    i64 place = before + sums[id] - own;
    const i64 all = before + sums[SHARE_GROUP - 1];
    for (int i = 0; i < each; ++i) {
        const i64 count = staged[id * (each + 1) + i];
        staged[id * (each + 1) + i] = place;
        place += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i <= SHARE; i += SHARE_GROUP) {
        const heron_index at = first + i;
        // The group of the last count writes the sum too.
        if (at > n || (i == SHARE && at < n)) continue;
        const i64 offset = at == n ? all : staged[i + i / each];
        counts[at] = offset;
        if (c_offsets_32) c_offsets_32[at] = (i32)(offset + c_base);
        if (c_offsets_64) c_offsets_64[at] = offset + c_base;
    }
}

// ---- rows by their lengths ----

// Bin b has the lengths above limits[b - 1] (0 for the first) and at most limits[b]; other rows have no bin.
typedef struct {
    heron_index limits[BINS];
} bin_limits;

HERON_FN int bin_of(heron_index length, bin_limits l) {
    if (length == 0) return -1;
    for (int b = 0; b < BINS; ++b)
        if (length <= l.limits[b]) return b;
    return -1;
}

// How rows are sorted.
typedef struct {
    bin_limits limits;
    int are_offsets;    // the counts are offsets, and the rows' lengths lie between them
    heron_index exact;  // larger counts are bounds: they count as at least one more, and as at most `most`
    heron_index most;
} bin_rule;

// The bin of a row; -1 also for rows that have at most rule.exact of `products`, unless that is NULL.
HERON_FN int bin_of_row(GLOBAL const i64* counts, GLOBAL const i64* products, heron_index row,
                        bin_rule rule) {
    if (rule.are_offsets)
        return products && products[row] <= rule.exact ? -1
                                                       : bin_of(counts[row + 1] - counts[row], rule.limits);
    const heron_index count = counts[row];
    return bin_of(count <= rule.exact ? count : max(rule.exact + 1, min(count, rule.most)), rule.limits);
}

// sizes[b] := rows of bin b, or with `moves` their numbers into lists, bin after bin. sizes and cursors are 0
// before.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_sort_into_bins(
    GLOBAL const i64* restrict counts, GLOBAL const i64* restrict products, heron_index rows, bin_rule rule,
    int moves, GLOBAL int* sizes, GLOBAL int* cursors, GLOBAL int* lists) {
    __local int found[BINS];
    __local int places[BINS];
    const int id = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)SHARE + id;
    int bins[SHARE / SHARE_GROUP];
    int numbers[SHARE / SHARE_GROUP];
    if (id < BINS) found[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i) {
        const heron_index row = first + i * SHARE_GROUP;
        bins[i] = row < rows ? bin_of_row(counts, products, row, rule) : -1;
        numbers[i] = bins[i] >= 0 ? atomic_inc(found + bins[i]) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < BINS) {
        int before = atomic_add((moves ? cursors : sizes) + id, found[id]);
        for (int b = 0; moves && b < id; ++b) before += sizes[b];
        places[id] = before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!moves) return;
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i)
        if (bins[i] >= 0) lists[places[bins[i]] + numbers[i]] = (int)(first + i * SHARE_GROUP);
}

// *unordered := 1 unless the columns of every row ascend strictly. An item is a row.
HERON_KERNEL(find_unordered, GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices,
             heron_index base, GLOBAL int* unordered) {
    const heron_index end = (heron_index)offsets[item + 1] - base;
    int descends = 0;
#pragma unroll 4
    for (heron_index k = (heron_index)offsets[item] - base + 1; k < end; ++k)
        descends |= indices[k] <= indices[k - 1];
    if (descends) *unordered = 1;
}
HERON_END
