// Sums and maxima over the rows of a sparse product, and its rows by their lengths. Types: OT offsets of A
// and B, IT indices.

#define SHARE_GROUP SCAN_GROUP
#define SHARE 2048  // counts that one group sums up
#define BINS 7      // of rows
#define ALONE 2048  // elements of a row that an item walks alone

// Sum and maximum over some counts; and their sizes, bit s for one above 2^(s-1) and up to 2^s.
typedef struct {
    i64 sum, longest, sizes;
} row_facts;

HERON_FN void add_count(row_facts* f, i64 count) {
    f->sum += count;
    f->longest = max(f->longest, count);
    if (count > 0) f->sizes |= (i64)1 << (64 - clz(count - 1));
}

// ---- sums and maxima over all rows ----

// *facts := those of all items, but for a `longest` above `most`. All items of a group.
HERON_FN void write_facts(row_facts own, heron_index most, GLOBAL row_facts* facts, __local i64* sums,
                          __local i64* longest_of, __local i64* sizes) {
    const int id = get_local_id(0);
    sums[id] = own.sum;
    longest_of[id] = min(own.longest, most);
    sizes[id] = own.sizes;
    for (int distance = SHARE_GROUP / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= distance) continue;
        sums[id] += sums[id + distance];
        longest_of[id] = max(longest_of[id], longest_of[id + distance]);
        sizes[id] |= sizes[id + distance];
    }
    if (id == 0) *facts = (row_facts){sums[0], longest_of[0], sizes[0]};
}

// The facts of each share of the counts; none counts more than `most` for the maximum.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_measure_shares(
    GLOBAL const i64* restrict counts, heron_index n, heron_index most, GLOBAL row_facts* facts) {
    __local i64 sums[SHARE_GROUP];
    __local i64 longest_of[SHARE_GROUP];
    __local i64 sizes[SHARE_GROUP];
    const heron_index first = get_group_id(0) * (heron_index)SHARE + get_local_id(0);
    row_facts own = {0, 0, 0};
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i) {
        const i64 count = first + i * SHARE_GROUP < n ? counts[first + i * SHARE_GROUP] : 0;
        add_count(&own, count);
    }
    write_facts(own, most, facts + get_group_id(0), sums, longest_of, sizes);
}

// Elements of a row of a factor.
typedef struct {
    heron_index begin, end;
} row_range;

HERON_FN row_range range_of(GLOBAL const OT* restrict offsets, heron_index base, heron_index row) {
    row_range r = {(heron_index)offsets[row] - base, (heron_index)offsets[row + 1] - base};
    return r;
}

// The products of each step-th of a row's elements.
HERON_FN i64 count_products(row_range r, int step, GLOBAL const IT* restrict a_indices, heron_index a_base,
                            GLOBAL const OT* restrict b_offsets) {
    i64 count = 0;
#pragma unroll 4
    for (heron_index k = r.begin; k < r.end; k += step) {
        const heron_index inner = (heron_index)a_indices[k] - a_base;
        count += b_offsets[inner + 1] - b_offsets[inner];
    }
    return count;
}

// The sum of what all items of a group have.
HERON_FN i64 sum_of_items(i64 own, __local i64* sums) {
    const int id = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[id] = own;
    for (int distance = SHARE_GROUP / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < distance) sums[id] += sums[id + distance];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[0];
}

// products[row] := products that row `row` of A*B takes, and the facts of each group's `share` of them, at
// most SHARE. All items share a long row.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_measure_products(
    GLOBAL const OT* restrict a_offsets, GLOBAL const IT* restrict a_indices, heron_index a_base,
    GLOBAL const OT* restrict b_offsets, heron_index rows, int share, GLOBAL i64* products, heron_index most,
    GLOBAL row_facts* facts) {
    __local i64 sums[SHARE_GROUP];
    __local i64 longest_of[SHARE_GROUP];
    __local i64 sizes[SHARE_GROUP];
    __local int long_rows[SHARE];
    __local int long_count;
    const int id = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)share;
    const heron_index end = min(first + share, rows);
    row_facts own = {0, 0, 0};
    if (id == 0) long_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SHARE / SHARE_GROUP; ++i) {
        const heron_index row = first + i * SHARE_GROUP + id;
        if (row >= end) continue;
        const row_range r = range_of(a_offsets, a_base, row);
        if (r.end - r.begin > ALONE) {
            long_rows[atomic_inc(&long_count)] = i * SHARE_GROUP + id;
            continue;
        }
        const i64 count = count_products(r, 1, a_indices, a_base, b_offsets);
        products[row] = count;
        add_count(&own, count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int remaining = long_count;
    for (int l = 0; l < remaining; ++l) {
        const heron_index row = first + long_rows[l];
        row_range r = range_of(a_offsets, a_base, row);
        r.begin += id;
        const i64 count = sum_of_items(count_products(r, SHARE_GROUP, a_indices, a_base, b_offsets), sums);
        if (id == 0) {
            products[row] = count;
            add_count(&own, count);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    write_facts(own, most, facts + get_group_id(0), sums, longest_of, sizes);
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

// ---- rows that several groups share ----

// Rows whose row of A has more than `longest` elements, but for those that have at most most_ranked products,
// where these are given.
typedef struct {
    heron_index longest, most_ranked;
} heavy_rule;

// Without offsets no row is heavy.
HERON_FN int is_heavy(GLOBAL const OT* a_offsets, GLOBAL const i64* products, heron_index row, heavy_rule h) {
    return a_offsets && (heron_index)(a_offsets[row + 1] - a_offsets[row]) > h.longest &&
           !(products && products[row] <= h.most_ranked);
}

// Lists the heavy rows in any order, behind their number, which is 0 before. An item is a row.
HERON_KERNEL(find_heavy, GLOBAL const OT* restrict a_offsets, GLOBAL const i64* products, heavy_rule rule,
             GLOBAL int* heavy) {
    if (is_heavy(a_offsets, products, item, rule)) heavy[1 + atomic_inc(heavy)] = (int)item;
}
HERON_END

// ---- bins ----

// The bin of a row; -1 also for rows that have at most rule.exact of `products`, unless that is NULL.
HERON_FN int bin_of_row(GLOBAL const i64* counts, GLOBAL const i64* products, heron_index row,
                        bin_rule rule) {
    if (rule.are_offsets)
        return products && products[row] <= rule.exact ? -1
                                                       : bin_of(counts[row + 1] - counts[row], rule.limits);
    const heron_index count = counts[row];
    return bin_of(count <= rule.exact ? count : max(rule.exact + 1, min(count, rule.most)), rule.limits);
}

// sizes[b] := rows of bin b, or with `moves` their numbers into lists, bin after bin. Heavy rows have no bin.
// sizes and cursors are 0 before.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_sort_into_bins(
    GLOBAL const i64* restrict counts, GLOBAL const i64* restrict products, heron_index rows, bin_rule rule,
    GLOBAL const OT* restrict a_offsets, GLOBAL const i64* restrict heavy_products, heavy_rule heavy,
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
        const int has_bin = row < rows && !is_heavy(a_offsets, heavy_products, row, heavy);
        bins[i] = has_bin ? bin_of_row(counts, products, row, rule) : -1;
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

// Whether an element of a row, each step-th behind its first, is not above the one before.
HERON_FN int descends(row_range r, int step, GLOBAL const IT* restrict indices) {
    int result = 0;
#pragma unroll 4
    for (heron_index k = r.begin; k < r.end; k += step) result |= indices[k] <= indices[k - 1];
    return result;
}

// *unordered := 1 unless the columns of every row ascend strictly. An item has a row, but all share a long
// one.
__kernel __attribute__((reqd_work_group_size(SHARE_GROUP, 1, 1))) void heron_find_unordered(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, heron_index rows, heron_index base,
    GLOBAL int* unordered) {
    __local int long_rows[SHARE_GROUP];
    __local int long_count;
    const int id = get_local_id(0);
    const heron_index first = get_group_id(0) * (heron_index)SHARE_GROUP;
    int found = 0;
    if (id == 0) long_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first + id < rows) {
        row_range r = range_of(offsets, base, first + id);
        ++r.begin;
        if (r.end - r.begin > ALONE)
            long_rows[atomic_inc(&long_count)] = id;
        else
            found = descends(r, 1, indices);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int remaining = long_count;
    for (int l = 0; l < remaining; ++l) {
        row_range r = range_of(offsets, base, first + long_rows[l]);
        r.begin += 1 + id;
        found |= descends(r, SHARE_GROUP, indices);
    }
    if (found) *unordered = 1;
}
