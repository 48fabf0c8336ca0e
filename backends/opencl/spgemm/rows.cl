// What the kernels for rows of sparse products share. Types: CT values, OT offsets, IT indices. GROUP:
// work-items per group.

// What the kernels take first: the patterns of A and B, or with them their values and where C goes, and the
// rows of a bin. They are parameters one by one because a structure cannot hold pointers to global memory.
#define BIN GLOBAL const int* restrict sizes, GLOBAL const int* restrict lists, int bin
#define PATTERN(x) \
    GLOBAL const OT *restrict x##_offsets, GLOBAL const IT *restrict x##_indices, heron_index x##_base
#define PATTERNS PATTERN(a), PATTERN(b), BIN
#define VALUES(x) \
    GLOBAL const CT *restrict x##_values, GLOBAL const OT *restrict x##_permutation, int x##_conjugate
#define SCALE(x) CT x##_value, GLOBAL const CT *x##_device
#define RESULT(INDICES) \
    GLOBAL const i64 *restrict c_offsets, INDICES c_indices, GLOBAL CT *c_values, heron_index c_base
#define PRODUCT(INDICES) PATTERNS, VALUES(a), VALUES(b), RESULT(INDICES), SCALE(alpha), SCALE(beta)

// Items that wait for each other, at least as many as a team has. On NVIDIA's GPUs those of a warp.
#ifdef HERON_PTX
#define SYNC_TEAMS() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define TOGETHER 32
#else
#define SYNC_TEAMS() barrier(CLK_LOCAL_MEM_FENCE)
#define TOGETHER GROUP
#endif

// Row number i of a bin, of all rows without one; -1 behind the last.
HERON_FN heron_index row_number(int i, int size, GLOBAL const int* list) {
    return i < size ? (list ? list[i] : i) : -1;
}

// The rows of a bin: how many there are, and where its list begins.
HERON_FN int size_of_bin(GLOBAL const int* sizes, int bin, heron_index rows) {
    return sizes ? sizes[bin] : (int)rows;
}
HERON_FN GLOBAL const int* list_of_bin(GLOBAL const int* sizes, GLOBAL const int* lists, int bin) {
    if (!sizes) return 0;
    for (int b = 0; b < bin; ++b) lists += sizes[b];
    return lists;
}

HERON_FN CT value_at(GLOBAL const CT* restrict values, GLOBAL const OT* restrict permutation, heron_index k,
                     int conjugate) {
    const CT v = values[permutation ? (heron_index)permutation[k] : k];
    return conjugate ? CONJ(CT, v) : v;
}

HERON_FN int first_place(int column, const int places) {
    return (int)((uint)column * 2654435761u >> 7) & (places - 1);
}

// The place of a column in a table of so many places, a power of two, which is taken if it is new; -1 if the
// table is full.
HERON_FN int claim(__local volatile int* keys, const int places, int column, int* is_new) {
    int place = first_place(column, places);
    *is_new = 0;
    for (int tries = 0; tries < places; ++tries) {
        int seen = keys[place];
        if (seen < 0) {
            seen = atomic_cmpxchg(keys + place, -1, column);
            if (seen < 0) {
                *is_new = 1;
                return place;
            }
        }
        if (seen == column) return place;
        place = (place + 1) & (places - 1);
    }
    return -1;
}

// The place that a column has; -1 if it is not there.
HERON_FN int place_of(__local const int* keys, const int places, int column) {
    int place = first_place(column, places);
    for (int tries = 0; tries < places; ++tries) {
        const int seen = keys[place];
        if (seen == column) return place;
        if (seen < 0) return -1;
        place = (place + 1) & (places - 1);
    }
    return -1;
}
