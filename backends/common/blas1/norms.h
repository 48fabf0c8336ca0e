// Norms of real vectors, and of complex ones as real ones whose elements have two parts. The order of sums,
// partial and the results are as in dot.h.
HERON_PROGRAM(blas1_norms, class VT, class CT, int GROUP)

CONSTANT(PACK, 16 / (int)sizeof(CT));
// So many times PACK numbers are on their way to an item.
CONSTANT(AHEAD, 4);

HERON_FN CT group_sum(LOCAL CT* sums, CT sum) {
    const int me = group_item();
    sync_group();
    sums[me] = sum;
    UNROLL
    for (int width = GROUP / 2; width > 0; width /= 2) {
        sync_group();
        if (me < width) sums[me] = ADD(CT, sums[me], sums[me + width]);
    }
    return sums[me];
}

HERON_FN void put_result(CT sum, GLOBAL VT* short_result, GLOBAL CT* result, heron_index at) {
    if (short_result)
        STORE(CT, VT, short_result, at, sum);
    else
        result[at] = sum;
}

HERON_FN CT part_of(GLOBAL const VT* x, heron_index k, heron_index parts, heron_index offset,
                    heron_index inc) {
    if (parts == 1) return MAGNITUDE(CT, LOAD(CT, VT, x, offset + k * inc));
    return MAGNITUDE(CT, LOAD(CT, VT, x, 2 * (offset + (k >> 1) * inc) + (k & 1)));
}

// n counts parts.
HERON_GROUP_KERNEL(asum_groups, GROUP, heron_index n, heron_index parts, GLOBAL const VT* RESTRICT x,
                   heron_index offset, heron_index inc, GLOBAL CT* partial, GLOBAL VT* short_result,
                   GLOBAL CT* result, heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const heron_index step = (heron_index)group_count() * GROUP;
    heron_index k = (heron_index)group_id() * GROUP + group_item();
    CT sum0 = ZERO(CT);
    CT sum1 = ZERO(CT);
    CT sum2 = ZERO(CT);
    CT sum3 = ZERO(CT);
    for (; k + 3 * step < n; k += 4 * step) {
        sum0 = ADD(CT, sum0, part_of(x, k, parts, offset, inc));
        sum1 = ADD(CT, sum1, part_of(x, k + step, parts, offset, inc));
        sum2 = ADD(CT, sum2, part_of(x, k + 2 * step, parts, offset, inc));
        sum3 = ADD(CT, sum3, part_of(x, k + 3 * step, parts, offset, inc));
    }
    for (; k < n; k += step) sum0 = ADD(CT, sum0, part_of(x, k, parts, offset, inc));
    const CT all = group_sum(sums, ADD(CT, ADD(CT, sum0, sum1), ADD(CT, sum2, sum3)));
    if (group_item() == 0 && group_count() == 1) put_result(all, short_result, result, at);
    if (group_item() == 0 && group_count() > 1) partial[group_id()] = all;
}
HERON_CLOSE

HERON_GROUP_KERNEL(asum_finish, GROUP, int count, GLOBAL const CT* RESTRICT partial, GLOBAL VT* short_result,
                   GLOBAL CT* result, heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    CT sum = ZERO(CT);
    for (int k = group_item(); k < count; k += GROUP) sum = ADD(CT, sum, partial[k]);
    const CT all = group_sum(sums, sum);
    if (group_item() == 0) put_result(all, short_result, result, at);
}
HERON_CLOSE

// Squares of large numbers are added up scaled down, those of small ones scaled up (Blue, "A Portable Fortran
// Program to Find the Euclidean Norm of a Vector", TOMS 4(1), 1978). large and small: from where on; down and
// up: the factors.

// sqrt of the three sums. A NaN among the middle ones stays.
HERON_FN CT norm_of(CT large, CT middle, CT small, CT down, CT up) {
    const int has_middle = !EQUAL(CT, middle, ZERO(CT));
    if (LESS(CT, ZERO(CT), large) || !EQUAL(CT, large, large)) {
        if (has_middle) large = ADD(CT, large, MUL(CT, MUL(CT, middle, down), down));
        return DIV(CT, SQRT(CT, large), down);
    }
    if (!LESS(CT, ZERO(CT), small)) return SQRT(CT, middle);
    const CT of_small = DIV(CT, SQRT(CT, small), up);
    if (!has_middle) return of_small;
    const CT of_middle = SQRT(CT, middle);
    const int small_is_larger = LESS(CT, of_middle, of_small);
    const CT larger = small_is_larger ? of_small : of_middle;
    const CT ratio = DIV(CT, small_is_larger ? of_middle : of_small, larger);
    return MUL(CT, larger, SQRT(CT, MAD(CT, ratio, ratio, ONE(CT))));
}

// A number that is not negative, to the sum of the large, the middle or the small ones.
HERON_FN void add_square(CT v, CT large, CT small, CT down, CT up, CT* sums) {
    const int is_large = LESS(CT, large, v);
    const int is_small = LESS(CT, v, small);
    const CT scaled = is_large ? MUL(CT, v, down) : is_small ? MUL(CT, v, up) : v;
    if (is_large)
        sums[0] = MAD(CT, scaled, scaled, sums[0]);
    else if (is_small)
        sums[2] = MAD(CT, scaled, scaled, sums[2]);
    else
        sums[1] = MAD(CT, scaled, scaled, sums[1]);
}

// partial: three sums of each group.
HERON_GROUP_KERNEL(nrm2_groups, GROUP, heron_index n, heron_index parts, CT large, CT small, CT down, CT up,
                   GLOBAL const VT* RESTRICT x, heron_index offset, heron_index inc, GLOBAL CT* partial,
                   GLOBAL VT* short_result, GLOBAL CT* result, heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const heron_index step = (heron_index)group_count() * GROUP;
    CT own[3];
    own[0] = own[1] = own[2] = ZERO(CT);
    UNROLL_BY(4)
    for (heron_index k = (heron_index)group_id() * GROUP + group_item(); k < n; k += step)
        add_square(part_of(x, k, parts, offset, inc), large, small, down, up, own);
    const CT all_large = group_sum(sums, own[0]);
    const CT all_middle = group_sum(sums, own[1]);
    const CT all_small = group_sum(sums, own[2]);
    if (group_item() == 0 && group_count() == 1)
        put_result(norm_of(all_large, all_middle, all_small, down, up), short_result, result, at);
    if (group_item() == 0 && group_count() > 1) {
        partial[3 * group_id()] = all_large;
        partial[3 * group_id() + 1] = all_middle;
        partial[3 * group_id() + 2] = all_small;
    }
}
HERON_CLOSE

HERON_GROUP_KERNEL(nrm2_finish, GROUP, int count, CT down, CT up, GLOBAL const CT* RESTRICT partial,
                   GLOBAL VT* short_result, GLOBAL CT* result, heron_index at) {
    LOCAL_ARRAY(CT, sums, GROUP);
    CT of_large = ZERO(CT);
    CT of_middle = ZERO(CT);
    CT of_small = ZERO(CT);
    for (int k = group_item(); k < count; k += GROUP) {
        of_large = ADD(CT, of_large, partial[3 * k]);
        of_middle = ADD(CT, of_middle, partial[3 * k + 1]);
        of_small = ADD(CT, of_small, partial[3 * k + 2]);
    }
    const CT all_large = group_sum(sums, of_large);
    const CT all_middle = group_sum(sums, of_middle);
    const CT all_small = group_sum(sums, of_small);
    if (group_item() == 0)
        put_result(norm_of(all_large, all_middle, all_small, down, up), short_result, result, at);
}
HERON_CLOSE

// Long vectors without gaps, whose numbers are of type CT as they are stored: 16 bytes at a time where these
// are aligned. A group has GROUP*PACK numbers of every group_count() times as many.

typedef union {
    int4 raw;
    CT value[16 / sizeof(CT)];
} wide_value;

HERON_FN int is_aligned(GLOBAL const CT* x) { return ((i64)x & 15) == 0; }

HERON_FN heron_index first_number(int wide) {
    return (heron_index)group_id() * (GROUP * PACK) + group_item() * (wide ? PACK : 1);
}

// AHEAD times PACK numbers from `at` on, GROUP apart where these are not wide, and `none` from `end` on.
HERON_FN void take_numbers(GLOBAL const CT* x, heron_index at, heron_index end, int wide, CT none,
                           CT* numbers) {
    const heron_index step = (heron_index)group_count() * (GROUP * PACK);
    UNROLL
    for (int a = 0; a < AHEAD; ++a) {
        const heron_index k = at + a * step;
        wide_value v;
        UNROLL
        for (int q = 0; q < PACK; ++q) v.value[q] = none;
        if (wide && k < end) v.raw = *(GLOBAL const int4*)(x + k);
        UNROLL
        for (int q = 0; q < PACK; ++q) {
            if (!wide && k + q * GROUP < end) v.value[q] = x[k + q * GROUP];
            numbers[a * PACK + q] = v.value[q];
        }
    }
}

HERON_GROUP_KERNEL(asum_wide, GROUP, heron_index n, GLOBAL const CT* RESTRICT vector, heron_index offset,
                   GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, sums, GROUP);
    GLOBAL const CT* const x = vector + offset;
    const heron_index turn = (heron_index)group_count() * (AHEAD * GROUP * PACK);
    const int wide = is_aligned(x);
    const heron_index upto = wide ? n - n % PACK : n;
    CT own[PACK];
    UNROLL
    for (int q = 0; q < PACK; ++q) own[q] = ZERO(CT);
    for (heron_index k = first_number(wide); k < upto; k += turn) {
        CT numbers[AHEAD * PACK];
        take_numbers(x, k, upto, wide, ZERO(CT), numbers);
        UNROLL
        for (int e = 0; e < AHEAD * PACK; ++e)
            own[e % PACK] = ADD(CT, own[e % PACK], MAGNITUDE(CT, numbers[e]));
    }
    CT sum = own[0];
    UNROLL
    for (int q = 1; q < PACK; ++q) sum = ADD(CT, sum, own[q]);
    const heron_index last = upto + (heron_index)group_id() * GROUP + group_item();
    if (last < n) sum = ADD(CT, sum, MAGNITUDE(CT, x[last]));
    const CT all = group_sum(sums, sum);
    if (group_item() == 0) partial[group_id()] = all;
}
HERON_CLOSE

HERON_GROUP_KERNEL(nrm2_wide, GROUP, heron_index n, CT large, CT small, CT down, CT up,
                   GLOBAL const CT* RESTRICT vector, heron_index offset, GLOBAL CT* partial) {
    LOCAL_ARRAY(CT, sums, GROUP);
    GLOBAL const CT* const x = vector + offset;
    const heron_index turn = (heron_index)group_count() * (AHEAD * GROUP * PACK);
    const int wide = is_aligned(x);
    const heron_index upto = wide ? n - n % PACK : n;
    CT own[3];
    own[0] = own[1] = own[2] = ZERO(CT);
    for (heron_index k = first_number(wide); k < upto; k += turn) {
        CT numbers[AHEAD * PACK];
        take_numbers(x, k, upto, wide, ZERO(CT), numbers);
        UNROLL
        for (int e = 0; e < AHEAD * PACK; ++e)
            add_square(MAGNITUDE(CT, numbers[e]), large, small, down, up, own);
    }
    const heron_index last = upto + (heron_index)group_id() * GROUP + group_item();
    if (last < n) add_square(MAGNITUDE(CT, x[last]), large, small, down, up, own);
    UNROLL
    for (int s = 0; s < 3; ++s) {
        const CT all = group_sum(sums, own[s]);
        if (group_item() == 0) partial[3 * group_id() + s] = all;
    }
}
HERON_CLOSE

// The extremes: a number's size |re| + |im|, turned round where the smallest is wanted, and its place.

// NaNs are passed over, but as the first number one comes before all.
HERON_FN CT rank_of_size(CT size, int is_first, int smallest, CT infinity) {
    if (!EQUAL(CT, size, size)) return is_first ? infinity : SUB(CT, ZERO(CT), infinity);
    return smallest ? SUB(CT, ZERO(CT), size) : size;
}

HERON_FN CT rank_of(GLOBAL const VT* x, heron_index k, heron_index parts, heron_index offset, heron_index inc,
                    int smallest, CT infinity) {
    const heron_index place = (offset + k * inc) * parts;
    CT size = MAGNITUDE(CT, LOAD(CT, VT, x, place));
    if (parts > 1) size = ADD(CT, size, MAGNITUDE(CT, LOAD(CT, VT, x, place + 1)));
    return rank_of_size(size, k == 0, smallest, infinity);
}

HERON_FN int comes_first(CT rank, i64 place, CT other_rank, i64 other_place) {
    return LESS(CT, other_rank, rank) || (EQUAL(CT, other_rank, rank) && place < other_place);
}

// In the first item, the first of a group.
HERON_FN void group_first(LOCAL CT* ranks, LOCAL i64* places, CT rank, i64 place) {
    const int me = group_item();
    ranks[me] = rank;
    places[me] = place;
    for (int width = GROUP / 2; width > 0; width /= 2) {
        sync_group();
        if (me < width && comes_first(ranks[me + width], places[me + width], ranks[me], places[me])) {
            ranks[me] = ranks[me + width];
            places[me] = places[me + width];
        }
    }
}

HERON_FN void put_place(i64 place, GLOBAL i32* short_result, GLOBAL i64* result, heron_index at) {
    if (short_result)
        short_result[at] = (i32)place;
    else
        result[at] = place;
}

HERON_GROUP_KERNEL(iamax_groups, GROUP, heron_index n, heron_index parts, int smallest, CT infinity,
                   GLOBAL const VT* RESTRICT x, heron_index offset, heron_index inc, GLOBAL CT* partial,
                   GLOBAL i64* partial_places, GLOBAL i32* short_result, GLOBAL i64* result, heron_index at) {
    LOCAL_ARRAY(CT, ranks, GROUP);
    LOCAL_ARRAY(i64, places, GROUP);
    const heron_index step = (heron_index)group_count() * GROUP;
    CT rank = SUB(CT, ZERO(CT), infinity);
    i64 place = n;
    UNROLL_BY(4)
    for (heron_index k = (heron_index)group_id() * GROUP + group_item(); k < n; k += step) {
        const CT own = rank_of(x, k, parts, offset, inc, smallest, infinity);
        if (comes_first(own, k, rank, place)) {
            rank = own;
            place = k;
        }
    }
    group_first(ranks, places, rank, place);
    if (group_item() != 0) return;
    if (group_count() == 1) {
        put_place(n > 0 ? places[0] + 1 : 0, short_result, result, at);
    } else {
        partial[group_id()] = ranks[0];
        partial_places[group_id()] = places[0];
    }
}
HERON_CLOSE

// An item's own numbers come in the order of their places.
HERON_GROUP_KERNEL(iamax_wide, GROUP, heron_index n, int smallest, CT infinity,
                   GLOBAL const CT* RESTRICT vector, heron_index offset, GLOBAL CT* partial,
                   GLOBAL i64* partial_places) {
    LOCAL_ARRAY(CT, ranks, GROUP);
    LOCAL_ARRAY(i64, places, GROUP);
    GLOBAL const CT* const x = vector + offset;
    const heron_index step = (heron_index)group_count() * (GROUP * PACK);
    const int wide = is_aligned(x);
    const heron_index upto = wide ? n - n % PACK : n;
    const heron_index first = first_number(wide);
    const CT lowest = SUB(CT, ZERO(CT), infinity);
    CT rank = lowest;
    i64 place = first < upto ? first : n;
    for (heron_index k = first; k < upto; k += AHEAD * step) {
        CT numbers[AHEAD * PACK];
        take_numbers(x, k, upto, wide, SUB(CT, infinity, infinity), numbers);
        CT highest = lowest;
        int found = 0;
        UNROLL
        for (int e = 0; e < AHEAD * PACK; ++e) {
            const CT own = rank_of_size(MAGNITUDE(CT, numbers[e]), k + e == 0, smallest, infinity);
            if (LESS(CT, highest, own)) {
                highest = own;
                found = e;
            }
        }
        if (LESS(CT, rank, highest)) {
            rank = highest;
            place = k + found / PACK * step + found % PACK * (wide ? 1 : GROUP);
        }
    }
    const heron_index last = upto + (heron_index)group_id() * GROUP + group_item();
    if (last < n) {
        const CT own = rank_of_size(MAGNITUDE(CT, x[last]), 0, smallest, infinity);
        if (place == n || LESS(CT, rank, own)) {
            rank = own;
            place = last;
        }
    }
    group_first(ranks, places, rank, place);
    if (group_item() != 0) return;
    partial[group_id()] = ranks[0];
    partial_places[group_id()] = places[0];
}
HERON_CLOSE

HERON_GROUP_KERNEL(iamax_finish, GROUP, int count, heron_index n, CT infinity,
                   GLOBAL const CT* RESTRICT partial, GLOBAL const i64* RESTRICT partial_places,
                   GLOBAL i32* short_result, GLOBAL i64* result, heron_index at) {
    LOCAL_ARRAY(CT, ranks, GROUP);
    LOCAL_ARRAY(i64, places, GROUP);
    CT rank = SUB(CT, ZERO(CT), infinity);
    i64 place = n;
    for (int k = group_item(); k < count; k += GROUP)
        if (comes_first(partial[k], partial_places[k], rank, place)) {
            rank = partial[k];
            place = partial_places[k];
        }
    group_first(ranks, places, rank, place);
    if (group_item() == 0) put_place(places[0] + 1, short_result, result, at);
}
HERON_CLOSE

HERON_CLOSE
