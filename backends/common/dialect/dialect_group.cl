// The group dialect for OpenCL C 1.2: the twin of dialect_group.hpp, where its words are explained.
// HERON_PROGRAM and HERON_GROUP_KERNEL are not here: OpenCL C 1.2 has no variadic macros, so the plug-in
// rewrites them in the text. With HERON_PTX the lanes of a warp read each other's registers; elsewhere they
// meet in local memory, and all items of a group are together.

typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;

// PoCL 3.1 gives each of its threads an array of its own where the kernel itself names one in local memory.
// Its optimiser lets a function name the array that all calls hand to it, which then all threads share.
#ifndef HERON_PTX
#undef HERON_FN
#define HERON_FN static inline __attribute__((always_inline))
#endif

#define HERON_CLOSE
#define CONSTANT(name, value) enum { name = value }
#define UNROLL _Pragma("unroll")
#define HERON_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(n) HERON_PRAGMA(unroll n)
#define ROLLED _Pragma("unroll 1")
#define LOCAL __local
#define LOCAL_ARRAY(T, name, count) __local T name[count]
#define RESTRICT restrict
#define LOAD_ONCE(p) (*(p))
#define LOAD_OFTEN(p) (*(p))
#define store_wide(p, v) (*(p) = (v))
#define FETCH_ADD(p, v) atomic_add(p, v)
#define FETCH_MIN(p, v) atomic_min(p, v)
#define FETCH_MAX(p, v) atomic_max(p, v)
#define FETCH_OR(p, v) atomic_or(p, v)
#define EXCHANGE(p, v) atomic_xchg(p, v)
#define POLL(W, p) (*(volatile GLOBAL const W*)(p))
#define POLL_IF(W, flag, p, x) ((x) = (flag) ? POLL(W, p) : (x))
#define POST(W, p, v) (*(volatile GLOBAL W*)(p) = (v))

HERON_FN int group_item(void) { return (int)get_local_id(0); }
HERON_FN int group_id(void) { return (int)get_group_id(0); }
HERON_FN int group_count(void) { return (int)get_num_groups(0); }
#define sync_group() barrier(CLK_LOCAL_MEM_FENCE)
#define sync_group_memory() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define BOARD(T) __local T*
#define PARTS(T) __local T*

#ifdef HERON_PTX

#define UNROLL_LANES _Pragma("unroll")
#define sync_together() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define sync_together_memory() sync_together()
// The arrays are there because C has no empty ones.
#define BOARD_ARRAY(T, name, count) __local T name[1]
#define SYNC_BOARD() (void)0
#define PUT(T, board, v) (void)(board)
#define GET(T, board, LANES, v, lane) HERON_NAME1(heron_get, T)(v, lane, LANES)
#define GET_ACROSS(T, board, LANES, v, mask) HERON_NAME1(heron_across, T)(v, mask, LANES)
#define GET_BELOW(T, board, LANES, v, n) HERON_NAME1(heron_below, T)(v, n, LANES)
#define MAX_TOGETHER(board, v) heron_max_together(v)
#define ANY_TOGETHER(flag) heron_any_together(flag)
#define BALLOT(board, flag) heron_ballot(flag)
#define ANY_LANE(board, flag) heron_any_together(flag)
#define SAME(board, key) heron_same(key)
#define SAME_BEFORE(board, LANES, key) heron_same_before(key, LANES)
#define LOAD_RELAXED(p) heron_load_relaxed(p)
#define LOAD_RELAXED_IF(flag, p, x) heron_load_relaxed_if((flag) != 0, p, &(x))
#define STORE_RELAXED(p, v) heron_store_relaxed(p, v)
#define NAP(ns) __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns))

HERON_FN u32 heron_load_relaxed(GLOBAL const u32* p) {
    u32 value;
    __asm__ volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"((ulong)p) : "memory");
    return value;
}
HERON_FN void heron_store_relaxed(GLOBAL u32* p, u32 value) {
    __asm__ volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"((ulong)p), "r"(value) : "memory");
}
HERON_FN void heron_load_relaxed_if(int flag, GLOBAL const u32* p, u32* x) {
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n @q ld.relaxed.gpu.global.u32 %0, [%2];}"
                     : "+r"(*x)
                     : "r"(flag), "l"((ulong)p)
                     : "memory");
}

// A shuffle's last operand holds the size of a team in its second byte, and in its first one the last lane
// that may be read, of a team: for the one before the first.
#define HERON_SHUFFLES(HOW, PTX, LAST)                                                    \
    HERON_FN uint heron_##HOW##_1(uint v, int n, int lanes) {                             \
        uint result;                                                                      \
        __asm__ volatile("shfl.sync." PTX ".b32 %0, %1, %2, %3, 0xffffffff;"              \
                         : "=r"(result)                                                   \
                         : "r"(v), "r"(n), "r"((32 - lanes) << 8 | LAST));                \
        return result;                                                                    \
    }                                                                                     \
    HERON_FN uint2 heron_##HOW##_2(uint2 v, int n, int lanes) {                           \
        return (uint2)(heron_##HOW##_1(v.x, n, lanes), heron_##HOW##_1(v.y, n, lanes));   \
    }                                                                                     \
    HERON_FN uint4 heron_##HOW##_4(uint4 v, int n, int lanes) {                           \
        return (uint4)(heron_##HOW##_2(v.lo, n, lanes), heron_##HOW##_2(v.hi, n, lanes)); \
    }
HERON_SHUFFLES(get, "idx", 31)
HERON_SHUFFLES(across, "bfly", 31)
HERON_SHUFFLES(below, "up", 0)

#define HERON_SHUFFLE(HOW, T, TYPE, WORDS, UINTS)                         \
    HERON_FN T heron_##HOW##_##T(T v, int n, int lanes) {                 \
        return as_##TYPE(heron_##HOW##_##WORDS(as_##UINTS(v), n, lanes)); \
    }
#define HERON_LANE_TYPE(T, TYPE, WORDS, UINTS)   \
    HERON_SHUFFLE(get, T, TYPE, WORDS, UINTS)    \
    HERON_SHUFFLE(across, T, TYPE, WORDS, UINTS) \
    HERON_SHUFFLE(below, T, TYPE, WORDS, UINTS)
HERON_LANE_TYPE(i32, int, 1, uint)
HERON_LANE_TYPE(u32, uint, 1, uint)
HERON_LANE_TYPE(f32, float, 1, uint)
HERON_LANE_TYPE(i64, long, 2, uint2)
HERON_LANE_TYPE(u64, ulong, 2, uint2)
HERON_LANE_TYPE(c32, float2, 2, uint2)
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
HERON_LANE_TYPE(f64, double, 2, uint2)
HERON_LANE_TYPE(c64, double2, 4, uint4)
#endif

HERON_FN int heron_max_together(int v) {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) v = max(v, heron_across_i32(v, mask, 32));
    return v;
}
HERON_FN int heron_any_together(int flag) {
    int any;
    __asm__ volatile(
        "{.reg .pred p, q; setp.ne.s32 p, %1, 0;\n vote.sync.any.pred q, p, 0xffffffff;\n selp.s32 %0, 1, 0, "
        "q;}"
        : "=r"(any)
        : "r"(flag));
    return any;
}
HERON_FN u32 heron_ballot(int flag) {
    u32 lanes;
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n vote.sync.ballot.b32 %0, q, 0xffffffff;}"
                     : "=r"(lanes)
                     : "r"(flag));
    return lanes;
}
HERON_FN u32 heron_same(int key) {
    u32 same;
    __asm__ volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(key));
    return same;
}
HERON_FN int heron_same_before(int key, int lanes) {
    const int lane = group_item() % 32;
    return popcount(heron_same(key) & (0xffffffffu << lane / lanes * lanes) & ((1u << lane) - 1u));
}

#else

#define UNROLL_LANES _Pragma("unroll 1")
#define sync_together() barrier(CLK_LOCAL_MEM_FENCE)
#define sync_together_memory() sync_group_memory()
#define BOARD_ARRAY(T, name, count) __local T name[count]
#define SYNC_BOARD() barrier(CLK_LOCAL_MEM_FENCE)
#define PUT(T, board, v) ((board)[group_item()] = (v))
#define GET(T, board, LANES, v, lane) ((board)[group_item() / (LANES) * (LANES) + (lane)])
#define GET_ACROSS(T, board, LANES, v, mask) ((board)[group_item() ^ (mask)])
#define GET_BELOW(T, board, LANES, v, n) \
    ((board)[group_item() % (LANES) >= (n) ? group_item() - (n) : group_item()])
#define MAX_TOGETHER(board, v) heron_max_together(board, v)
#define ANY_TOGETHER(flag) (flag)
#define BALLOT(board, flag) heron_ballot(board, flag)
#define ANY_LANE(board, flag) (heron_ballot(board, flag) != 0)
#define SAME(board, key) heron_same(board, key)
#define SAME_BEFORE(board, LANES, key) heron_same_before(board, LANES, key)
#define LOAD_RELAXED(p) (*(volatile GLOBAL const u32*)(p))
#define LOAD_RELAXED_IF(flag, p, x) ((x) = (flag) ? LOAD_RELAXED(p) : (x))
#define STORE_RELAXED(p, v) (*(volatile GLOBAL u32*)(p) = (v))
#define NAP(ns) (void)(ns)

HERON_FN void heron_put_int(__local int* board, int v) {
    barrier(CLK_LOCAL_MEM_FENCE);
    board[group_item()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
}
HERON_FN int heron_max_together(__local int* board, int v) {
    heron_put_int(board, v);
    for (int i = 0; i < (int)get_local_size(0); ++i) v = max(v, board[i]);
    return v;
}
HERON_FN u32 heron_ballot(__local int* board, int flag) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group_item() == 0) board[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (flag) atomic_or(board, 1 << group_item());
    barrier(CLK_LOCAL_MEM_FENCE);
    return (u32)board[0];
}
HERON_FN u32 heron_same(__local int* board, int key) {
    heron_put_int(board, key);
    u32 same = 0;
    for (int i = 0; i < (int)get_local_size(0); ++i) same |= (u32)(board[i] == key) << i;
    return same;
}
HERON_FN int heron_same_before(__local int* board, int lanes, int key) {
    heron_put_int(board, key);
    int count = 0;
    for (int i = group_item() / lanes * lanes; i < group_item(); ++i) count += board[i] == key;
    return count;
}

#endif

#define SCAN_TEAM(T, board, LANES, v) HERON_NAME1(heron_scan_team, T)(board, LANES, v)
#define GROUP_SCAN(T, parts, GROUP, v, all) HERON_NAME1(heron_scan_group, T)(parts, GROUP, v, &(all))
#define PARTS_ARRAY(T, name, GROUP) __local T name[GROUP]

#define HERON_SCANS(T)                                                         \
    HERON_FN T heron_scan_team_##T(__local T* board, int lanes, T v) {         \
        const int lane = group_item() % lanes;                                 \
        for (int distance = 1; distance < lanes; distance *= 2) {              \
            SYNC_BOARD();                                                      \
            PUT(T, board, v);                                                  \
            SYNC_BOARD();                                                      \
            const T below = GET_BELOW(T, board, lanes, v, distance);           \
            if (lane >= distance) v += below;                                  \
        }                                                                      \
        return v;                                                              \
    }                                                                          \
    HERON_FN T heron_scan_group_##T(__local T* parts, int size, T v, T* all) { \
        const int id = group_item();                                           \
        T upto = v;                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        parts[id] = v;                                                         \
        for (int distance = 1; distance < size; distance *= 2) {               \
            barrier(CLK_LOCAL_MEM_FENCE);                                      \
            const T before = id >= distance ? parts[id - distance] : 0;        \
            barrier(CLK_LOCAL_MEM_FENCE);                                      \
            upto += before;                                                    \
            parts[id] = upto;                                                  \
        }                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        *all = parts[size - 1];                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        return upto - v;                                                       \
    }
HERON_SCANS(i32)
HERON_SCANS(u32)
HERON_SCANS(i64)
