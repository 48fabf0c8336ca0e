// Reductions of vectors without gaps on processors: an item alone in its group adds up a run of elements, in
// LANES sums whose loop becomes instructions for vectors. The kernels of dot.h and norms.h finish.
HERON_PROGRAM(blas1_sum_runs, class VT, class CT)

CONSTANT(LANES, 32);

HERON_FN CT lane_sum(CT* sums) {
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) sums[l] = ADD(CT, sums[l], sums[l + width]);
    return sums[0];
}

HERON_GROUP_KERNEL(dot_run, 1, heron_index n, heron_index run, int conjugate, GLOBAL const VT* RESTRICT x,
                   heron_index x_offset, GLOBAL const VT* RESTRICT y, heron_index y_offset,
                   GLOBAL CT* partial) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const VT* const first = x + x_offset + begin;
    GLOBAL const VT* const second = y + y_offset + begin;
    CT sums[LANES];
    for (int l = 0; l < LANES; ++l) sums[l] = ZERO(CT);
    heron_index k = 0;
    if (conjugate) {
        for (; k + LANES <= count; k += LANES) {
            UNROLL
            for (int l = 0; l < LANES; ++l)
                sums[l] = MAD(CT, CONJ(CT, LOAD(CT, VT, first, k + l)), LOAD(CT, VT, second, k + l), sums[l]);
        }
    } else {
        for (; k + LANES <= count; k += LANES) {
            UNROLL
            for (int l = 0; l < LANES; ++l)
                sums[l] = MAD(CT, LOAD(CT, VT, first, k + l), LOAD(CT, VT, second, k + l), sums[l]);
        }
    }
    CT rest = ZERO(CT);
    for (; k < count; ++k) {
        const CT xk = LOAD(CT, VT, first, k);
        rest = MAD(CT, conjugate ? CONJ(CT, xk) : xk, LOAD(CT, VT, second, k), rest);
    }
    partial[group_id()] = ADD(CT, lane_sum(sums), rest);
}
HERON_CLOSE

// n counts parts, in this and the next one.
HERON_GROUP_KERNEL(asum_run, 1, heron_index n, heron_index run, GLOBAL const VT* RESTRICT x,
                   heron_index offset, GLOBAL CT* partial) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const VT* const first = x + offset + begin;
    CT sums[LANES];
    for (int l = 0; l < LANES; ++l) sums[l] = ZERO(CT);
    heron_index k = 0;
    for (; k + LANES <= count; k += LANES) {
        UNROLL
        for (int l = 0; l < LANES; ++l) sums[l] = ADD(CT, sums[l], MAGNITUDE(CT, LOAD(CT, VT, first, k + l)));
    }
    CT rest = ZERO(CT);
    for (; k < count; ++k) rest = ADD(CT, rest, MAGNITUDE(CT, LOAD(CT, VT, first, k)));
    partial[group_id()] = ADD(CT, lane_sum(sums), rest);
}
HERON_CLOSE

// The three sums of norms.h. Whole steps without large and small numbers take a short way.
HERON_GROUP_KERNEL(nrm2_run, 1, heron_index n, heron_index run, CT large, CT small, CT down, CT up,
                   GLOBAL const VT* RESTRICT x, heron_index offset, GLOBAL CT* partial) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const VT* const first = x + offset + begin;
    CT sums[LANES];
    for (int l = 0; l < LANES; ++l) sums[l] = ZERO(CT);
    CT of_large = ZERO(CT);
    CT of_small = ZERO(CT);
    CT rest = ZERO(CT);
    for (heron_index k = 0; k < count; k += LANES) {
        int others = k + LANES > count;
        if (!others) {
            UNROLL
            for (int l = 0; l < LANES; ++l) {
                const CT v = MAGNITUDE(CT, LOAD(CT, VT, first, k + l));
                others |= LESS(CT, large, v) | LESS(CT, v, small);
            }
        }
        if (!others) {
            UNROLL
            for (int l = 0; l < LANES; ++l) {
                const CT v = LOAD(CT, VT, first, k + l);
                sums[l] = MAD(CT, v, v, sums[l]);
            }
            continue;
        }
        for (heron_index i = k; i < k + LANES && i < count; ++i) {
            const CT v = MAGNITUDE(CT, LOAD(CT, VT, first, i));
            if (LESS(CT, large, v))
                of_large = MAD(CT, MUL(CT, v, down), MUL(CT, v, down), of_large);
            else if (LESS(CT, v, small))
                of_small = MAD(CT, MUL(CT, v, up), MUL(CT, v, up), of_small);
            else
                rest = MAD(CT, v, v, rest);
        }
    }
    partial[3 * group_id()] = of_large;
    partial[3 * group_id() + 1] = ADD(CT, lane_sum(sums), rest);
    partial[3 * group_id() + 2] = of_small;
}
HERON_CLOSE

// The size of element k as in norms.h, its sign turned where the smallest is wanted.
HERON_FN CT rank_of(GLOBAL const VT* x, heron_index k, heron_index parts, CT sign) {
    CT size = MAGNITUDE(CT, LOAD(CT, VT, x, k * parts));
    if (parts > 1) size = ADD(CT, size, MAGNITUDE(CT, LOAD(CT, VT, x, k * parts + 1)));
    return MUL(CT, sign, size);
}

// NaNs are passed over, but as the first number one comes before all.
HERON_GROUP_KERNEL(iamax_run, 1, heron_index n, heron_index run, heron_index parts, CT sign, CT infinity,
                   GLOBAL const VT* RESTRICT x, heron_index offset, GLOBAL CT* partial,
                   GLOBAL i64* partial_places) {
    const heron_index begin = group_id() * run;
    const heron_index count = begin + run < n ? run : n - begin;
    GLOBAL const VT* const first = x + (offset + begin) * parts;
    CT best = SUB(CT, ZERO(CT), infinity);
    i64 place = n;
    if (begin == 0) {
        best = rank_of(first, 0, parts, sign);
        if (!EQUAL(CT, best, best)) best = infinity;
        place = 0;
    }
    for (heron_index k = 0; k < count; k += LANES) {
        int is_news = k + LANES > count;
        if (!is_news && parts == 1) {
            UNROLL
            for (int l = 0; l < LANES; ++l)
                is_news |= LESS(CT, best, MUL(CT, sign, MAGNITUDE(CT, LOAD(CT, VT, first, k + l))));
        } else if (!is_news) {
            for (int l = 0; l < LANES; ++l) is_news |= LESS(CT, best, rank_of(first, k + l, parts, sign));
        }
        if (!is_news) continue;
        for (heron_index i = k; i < k + LANES && i < count; ++i) {
            const CT rank = rank_of(first, i, parts, sign);
            if (LESS(CT, best, rank)) {
                best = rank;
                place = begin + i;
            }
        }
    }
    partial[group_id()] = best;
    partial_places[group_id()] = place;
}
HERON_CLOSE

HERON_CLOSE
