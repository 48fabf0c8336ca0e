#pragma once
// The group dialect: the kernel dialect (dialect.hpp) for kernels whose items work together in groups,
// written for GPUs. Its OpenCL twin is dialect_group.cl. A text is OpenCL C 1.2 and CUDA C++ at once; for the
// host it is only parsed, because there a core does the work of a group.
//
//   HERON_PROGRAM(name, class T, int GROUP, ...)   what follows, up to HERON_CLOSE, is built for these types
//                                    and sizes. C++: a class template; OpenCL: a program with -DT=f32 ...
//   HERON_GROUP_KERNEL(name, GROUP, args) {body}   a kernel for groups of GROUP items; HERON_CLOSE behind it
//   CONSTANT(name, value)            an int known when the text is compiled
//   UNROLL UNROLL_BY(n) ROLLED       before a loop that is to be unrolled, or not; UNROLL_LANES where it has
//                                    words for lanes in it, many instructions where a device has no lanes
//   LOCAL                            address space of what a group shares; a kernel's argument LOCAL T* has
//                                    the size that the launch gives it (local_memory)
//   LOCAL_ARRAY(T, name, count)      the same of constant size, in the outermost block of a kernel
//   RESTRICT                         behind the * of what nothing else in the kernel points to
//   group_item() group_id() group_count() sync_group()   orders local memory; sync_group_memory() global too
//   popcount(x) clz(x) min(a, b) max(a, b)
//   LOAD_ONCE(p) LOAD_OFTEN(p)       *p that only this item needs, or that others need too
//   FETCH_ADD(p, v) FETCH_MIN FETCH_MAX FETCH_OR   32-bit atomics, local and global; the value before
//   EXCHANGE(p, v)                   *p := v as an atomic
//   LOAD_RELAXED(p) STORE_RELAXED(p, v)   32 bits of global memory that other groups write or read meanwhile
//   LOAD_RELAXED_IF(flag, p, x)      x := *p if that is wanted, without a branch where the device can:
//   several
//                                    such loads are on their way at a time
//   NAP(ns)                          lets others work before the next look, where the device can
//   POLL(W, p)  POST(W, p, v)        a u32 or u64 of global memory that groups hand over to each other
//   POLL_IF(W, flag, p, x)           as LOAD_RELAXED_IF
//   LOCAL_ADD(CT, p, v)              *p += v in local memory by many items at once
//   GROUP_SCAN(T, parts, GROUP, v, all)   sum of v over the items before this one; all := over all items
//   PARTS_ARRAY(T, name, GROUP)      the local memory that it takes; PARTS(T) as an argument
//
// Lanes. LANES neighbouring items, a power of two up to 32, are a team. Items that run in step, 32 of them on
// NVIDIA's GPUs, are together; elsewhere all of a group. All that are together come to each of these words,
// or none: so a team decides where it goes if it is alone there, and a kernel for devices without lanes is
// built with GROUP == LANES.
//
//   sync_together()                  orders the local memory of items that are together;
//   sync_together_memory()           global too
//   BOARD_ARRAY(T, name, GROUP)      where items put values for their team; BOARD(T) as an argument
//   SYNC_BOARD()  PUT(T, board, v)   values are put between two of the first, and then got
//   GET(T, board, LANES, v, lane)  GET_ACROSS(T, board, LANES, v, mask)  GET_BELOW(T, board, LANES, v, n)
//                                    the v of a lane of the team, of the one whose number differs by mask,
//                                    and of the nth one before (or any value). v is what this item has put
//   MAX_TOGETHER(board, v)           the highest int of the items that are together
//   ANY_TOGETHER(flag)               whether a team has it that runs in step; flag is the same for a team
//   BALLOT(board, flag)              a bit per lane of a team of 32, or one alone in its group: its flag
//   ANY_LANE(board, flag)            whether a lane of such a team has it
//   SAME(board, key)                 a bit per lane of such a team: whether it has the same int
//   SAME_BEFORE(board, LANES, key)   how many lanes of the team before this one have the same int
//   SCAN_TEAM(T, board, LANES, v)    sum of v over this lane and those of its team before it
//
// Example: the sums of rows of LANES elements.
//
//   HERON_PROGRAM(row_sums, class CT, int GROUP, int LANES)
//   HERON_GROUP_KERNEL(sum_rows, GROUP, GLOBAL const CT* RESTRICT a, GLOBAL CT* sums) {
//       BOARD_ARRAY(CT, board, GROUP);
//       const int at = group_id() * GROUP + group_item();
//       CT sum = a[at];
//       UNROLL_LANES
//       for (int mask = 1; mask < LANES; mask *= 2) {
//           SYNC_BOARD();
//           PUT(CT, board, sum);
//           SYNC_BOARD();
//           sum = ADD(CT, sum, GET_ACROSS(CT, board, LANES, sum, mask));
//       }
//       if (at % LANES == 0) sums[at / LANES] = sum;
//   }
//   HERON_CLOSE
//   HERON_CLOSE
#include "dialect.hpp"

#define HERON_PROGRAM(program_name, ...) \
    template <__VA_ARGS__>               \
    struct program_name {                \
        using this_program = program_name;
#define HERON_GROUP_KERNEL(kernel, items, ...)       \
    struct kernel {                                  \
        using program = this_program;                \
        static constexpr const char* name = #kernel; \
        static constexpr int group = items;          \
        HERON_FN void run(__VA_ARGS__)
#define HERON_CLOSE \
    }               \
    ;
#define CONSTANT(name, value) static constexpr int name = value
#define LOCAL
#define RESTRICT
#define BOARD(T) no_board
#define BOARD_ARRAY(T, name, count) \
    [[maybe_unused]] constexpr no_board name {}
#define SYNC_BOARD()
#define PUT(T, board, v)
#define GET(T, board, LANES, v, lane) lane_get<LANES>(v, lane)
#define GET_ACROSS(T, board, LANES, v, mask) lane_across<LANES>(v, mask)
#define GET_BELOW(T, board, LANES, v, n) lane_below<LANES>(v, n)
#define MAX_TOGETHER(board, v) max_together(v)
#define ANY_TOGETHER(flag) any_together(flag)
#define BALLOT(board, flag) ballot(flag)
#define ANY_LANE(board, flag) any_together(flag)
#define SAME(board, key) same_lanes(key)
#define SAME_BEFORE(board, LANES, key) same_before<LANES>(key)
#define SCAN_TEAM(T, board, LANES, v) scan_team<LANES>(v)
#define PARTS(T) T*
#define GROUP_SCAN(T, parts, GROUP, v, all) scan_group<GROUP>(parts, v, all)
#define LOCAL_ADD(CT, p, v) atomic_add(p, v)

namespace heron::HERON_LEVEL {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

// Lanes that read each other's registers need no memory.
struct no_board {};

// A group kernel for a launch, with registers for so many of its groups at once on a compute unit where a
// device can be told.
template <class Kernel, int groups>
struct at_once : Kernel {
    static constexpr int groups_at_once = groups;
};

}  // namespace heron::HERON_LEVEL

// CUDA's part is cuda/runtime/group_words.cuh, which comes before any text.
#ifndef __CUDACC__
#define UNROLL
#define ROLLED
#define UNROLL_BY(n)
#define UNROLL_LANES
#define LOCAL_ARRAY(T, name, count) T name[count]
#define PARTS_ARRAY(T, name, count) T name[count]
#define LOAD_ONCE(p) (*(p))
#define LOAD_OFTEN(p) (*(p))
#define FETCH_ADD(p, v) fetched(p, v)
#define FETCH_MIN(p, v) fetched(p, v)
#define FETCH_MAX(p, v) fetched(p, v)
#define FETCH_OR(p, v) fetched(p, v)
#define EXCHANGE(p, v) fetched(p, v)
#define LOAD_RELAXED(p) (*(p))
#define LOAD_RELAXED_IF(flag, p, x) (x = (flag) ? *(p) : (x))
#define STORE_RELAXED(p, v) (*(p) = (v))
#define NAP(ns)
#define POLL(W, p) (*(p))
#define POLL_IF(W, flag, p, x) (x = (flag) ? *(p) : (x))
#define POST(W, p, v) (*(p) = (v))
namespace heron::HERON_LEVEL {

struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

// Never called: the text is parsed for the names and sizes of its kernels.
int group_item(), group_id(), group_count();
void sync_group(), sync_together();
int popcount(u32), clz(u32);
bool any_together(bool);
u32 ballot(bool), same_lanes(int);
int max_together(int);
template <class A, class B>
A min(A, B);
template <class A, class B>
A max(A, B);
template <class P, class V>
V fetched(P, V);
template <int lanes>
int same_before(int);
template <int lanes, class T>
T lane_get(T, int);
template <int lanes, class T>
T lane_across(T, int);
template <int lanes, class T>
T lane_below(T, int);
template <int lanes, class T>
T scan_team(T);
template <int items, class T>
T scan_group(T*, T, T&);

}  // namespace heron::HERON_LEVEL
#endif
