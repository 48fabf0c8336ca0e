// Incomplete factorisations in one launch, for devices on which a group that has begun goes on whatever
// others do. Types: CT elements. LANES neighbours, a team, share a row, or row of blocks; GROUP: work-items
// of a group; IS_LU: A = L*U, else A = L*L^H.
//
// Teams take rows in an order in which each comes after all that it needs. done[i] says that row i has been
// factored: whoever sees it sees the row's factor.

typedef struct {
    int row, begin, diagonal, end;  // diagonal: the first element, or block, that is not before it
    int regular;                    // 1 if that is the diagonal's own
} factored_row;

typedef struct {
    GLOBAL const i32* offsets;
    GLOBAL const i32* columns;
    GLOBAL const i32* diagonal;
    GLOBAL i32* zero_pivot;
    GLOBAL int* done;
    CT tolerance, boost;
    int base;
} factor_operands;

HERON_FN factor_operands operands_of(GLOBAL const i32* offsets, GLOBAL const i32* columns, int base,
                                     GLOBAL const i32* diagonal, CT tolerance,
                                     GLOBAL const i64* tolerance_bits, CT boost,
                                     GLOBAL const CT* boost_device, GLOBAL i32* zero_pivot,
                                     GLOBAL int* done) {
    factor_operands o;
    o.offsets = offsets;
    o.columns = columns;
    o.diagonal = diagonal;
    o.zero_pivot = zero_pivot;
    o.done = done;
    o.tolerance = tolerance_bits ? FROM_DOUBLE(CT, *tolerance_bits) : tolerance;
    o.boost = SCALAR(CT, boost, boost_device);
    o.base = base;
    return o;
}

// What a row's element, or block, k needs of the row of its column: candidates for pairs of elements that
// stand in one column, those of the shorter range, each looked up in the other.
typedef struct {
    int own_first, own_end, other_first, other_end;
} row_meeting;

typedef struct {
    int own, other;  // other: -1 if there is no pair
} row_pair;

// The items of a team meet. Where items have no lanes a team is one item.
#ifdef HERON_PTX
HERON_FN uint lanes_of_team(void) {
    const int first = (int)get_local_id(0) % 32 / LANES * LANES;
    return (0xffffffffu >> (32 - LANES)) << first;
}
HERON_FN void sync_team(void) { __asm__ volatile("bar.warp.sync %0;" : : "r"(lanes_of_team()) : "memory"); }
HERON_FN int load_acquire(GLOBAL const int* p) {
    int value;
    __asm__ volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"((ulong)p) : "memory");
    return value;
}
HERON_FN void nap(uint ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }
HERON_FN void announce(GLOBAL int* done) {
    __asm__ volatile("fence.acq_rel.gpu;" : : : "memory");
    sync_team();
    if ((int)get_local_id(0) % LANES == 0)
        __asm__ volatile("st.relaxed.gpu.global.s32 [%0], %1;" : : "l"((ulong)done), "r"(1) : "memory");
}
HERON_FN uint across_uint(uint x, int distance) {
    uint result;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;"
                     : "=r"(result)
                     : "r"(x), "r"(distance), "r"(lanes_of_team()));
    return result;
}
HERON_FN ulong across_ulong(ulong x, int distance) {
    const uint low = across_uint((uint)x, distance);
    return (ulong)across_uint((uint)(x >> 32), distance) << 32 | low;
}
HERON_FN f32 across_f32(f32 x, int distance) { return as_float(across_uint(as_uint(x), distance)); }
HERON_FN c32 across_c32(c32 x, int distance) { return as_float2(across_ulong(as_ulong(x), distance)); }
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
HERON_FN f64 across_f64(f64 x, int distance) { return as_double(across_ulong(as_ulong(x), distance)); }
HERON_FN c64 across_c64(c64 x, int distance) {
    return (c64)(across_f64(x.x, distance), across_f64(x.y, distance));
}
#endif
HERON_FN CT sum_of_team(CT own) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own = ADD(CT, own, HERON_NAME1(across, CT)(own, distance));
    return own;
}
#else
HERON_FN void sync_team(void) {}
HERON_FN int load_acquire(GLOBAL const int* p) {
    const int value = *(volatile GLOBAL const int*)p;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    return value;
}
HERON_FN void nap(uint ns) { (void)ns; }
HERON_FN void announce(GLOBAL int* done) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *(volatile GLOBAL int*)done = 1;
}
HERON_FN CT sum_of_team(CT own) { return own; }
#endif

// The longer it waits the less often it looks, to leave the cache to others.
HERON_FN void await(GLOBAL const int* done) {
    uint ns = 0;
    while (load_acquire(done) == 0) {
        nap(ns);
        ns = min(ns + 16, 64u);
    }
    sync_team();
}

HERON_FN factored_row row_with_parts(factor_operands o, int row) {
    factored_row r;
    r.row = row;
    r.begin = o.offsets[row] - o.base;
    r.diagonal = o.diagonal[row];
    r.end = o.offsets[row + 1] - o.base;
    r.regular = r.diagonal < r.end && o.columns[r.diagonal] - o.base == row;
    return r;
}

HERON_FN row_meeting meeting_of(factored_row own, int k, factored_row other) {
    row_meeting m;
    m.own_first = IS_LU ? k + 1 : own.begin;
    m.own_end = IS_LU ? own.end : k;
    m.other_first = IS_LU ? other.diagonal + other.regular : other.begin;
    m.other_end = IS_LU ? other.end : other.diagonal;
    return m;
}
HERON_FN int candidates(row_meeting m) { return min(m.own_end - m.own_first, m.other_end - m.other_first); }

HERON_FN int place_of_column(GLOBAL const i32* columns, int first, int end, int column) {
    const int past = end;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (columns[middle] < column)
            first = middle + 1;
        else
            end = middle;
    }
    return first < past && columns[first] == column ? first : -1;
}

HERON_FN row_pair pair_at(row_meeting m, int q, GLOBAL const i32* columns) {
    const int by_own = m.own_end - m.own_first < m.other_end - m.other_first;
    row_pair pair;
    if (by_own) {
        pair.own = m.own_first + q;
        pair.other = place_of_column(columns, m.other_first, m.other_end, columns[pair.own]);
    } else {
        pair.other = m.other_first + q;
        pair.own = place_of_column(columns, m.own_first, m.own_end, columns[pair.other]);
        if (pair.own < 0) pair.other = -1;
    }
    return pair;
}

HERON_FN void report_zero(factor_operands o, int row) { ATOMIC_MIN(o.zero_pivot + 1, row); }

// Pivot of a row that is not zero, as the factor has it.
HERON_FN CT finished_pivot(factor_operands o, int row, CT pivot) {
    int is_zero;
    if (IS_LU) {
        if (NOT_ABOVE(CT, ABS(CT, pivot), o.tolerance)) pivot = o.boost;
        is_zero = EQUAL(CT, pivot, ZERO(CT));
    } else {
        pivot = REAL(CT, pivot);
        is_zero = NOT_ABOVE(CT, pivot, ZERO(CT));
        pivot = SQRT(CT, pivot);
    }
    if (is_zero) report_zero(o, row);
    return pivot;
}

// Before each factorisation: no row is done, no ticket drawn, and no pivot found but those that are missing.
HERON_KERNEL(begin_factor, GLOBAL int* done, GLOBAL int* ticket, GLOBAL i32* zero_pivot) {
    done[item] = 0;
    if (item > 0) return;
    *ticket = 0;
    zero_pivot[1] = zero_pivot[0];
}
HERON_END

HERON_FN int draw_ticket(GLOBAL int* tickets, __local int* ticket) {
    if (get_local_id(0) == 0) *ticket = atomic_inc(tickets);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *ticket;
}
