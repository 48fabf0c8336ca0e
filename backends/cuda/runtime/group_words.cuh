#pragma once
// The words of the group dialect (common/dialect/dialect_group.hpp) on CUDA: a warp's items are together, and
// its lanes read each other's registers.
#include "common/dialect/dialect_group.hpp"
#include "warp.cuh"

#define UNROLL _Pragma("unroll")
#define HERON_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(n) HERON_PRAGMA(unroll n)
#define ROLLED _Pragma("unroll 1")
#define UNROLL_LANES _Pragma("unroll")
#define LOCAL_ARRAY(T, name, count) __shared__ T name[count]
#define PARTS_ARRAY(T, name, GROUP) __shared__ T name[GROUP / warp_size]
#define LOAD_ONCE(p) load_streaming(p)
#define LOAD_OFTEN(p) load_shared_by_many(p)
#define FETCH_ADD(p, v) atomicAdd(p, v)
#define FETCH_MIN(p, v) atomicMin(p, v)
#define FETCH_MAX(p, v) atomicMax(p, v)
#define FETCH_OR(p, v) atomicOr(p, v)
#define EXCHANGE(p, v) atomicExch(p, v)
#define LOAD_RELAXED(p) load_relaxed(p)
#define LOAD_RELAXED_IF(flag, p, x) load_relaxed_if((flag) != 0, p, x)
#define STORE_RELAXED(p, v) store_relaxed(p, v)
#define NAP(ns) __nanosleep(ns)
#define POLL(W, p) poll(p)
#define POLL_IF(W, flag, p, x) load_relaxed_if((flag) != 0, p, x)
#define POST(W, p, v) post(p, v)

namespace heron::HERON_LEVEL {

HERON_FN int group_item() { return static_cast<int>(threadIdx.x); }
HERON_FN int group_id() { return static_cast<int>(blockIdx.x); }
HERON_FN int group_count() { return static_cast<int>(gridDim.x); }
HERON_FN void sync_group() { __syncthreads(); }
HERON_FN void sync_together() { __syncwarp(); }
HERON_FN u32 poll(const u32* p) {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
HERON_FN u64 poll(const u64* p) {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
HERON_FN void post(u32* p, u32 v) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
HERON_FN void post(u64* p, u64 v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
HERON_FN int popcount(u32 v) { return __popc(v); }
HERON_FN int clz(u32 v) { return __clz(static_cast<int>(v)); }

template <int lanes, class T>
HERON_FN T lane_get(T v, int lane) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_sync(all_lanes, word, lane, lanes);
    return from_words(w);
}
template <int lanes, class T>
HERON_FN T lane_across(T v, int mask) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_xor_sync(all_lanes, word, mask, lanes);
    return from_words(w);
}
template <int lanes, class T>
HERON_FN T lane_below(T v, int distance) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_up_sync(all_lanes, word, distance, lanes);
    return from_words(w);
}
HERON_FN int max_together(int v) { return __reduce_max_sync(all_lanes, v); }
HERON_FN bool any_together(bool flag) { return __any_sync(all_lanes, flag) != 0; }
HERON_FN u32 ballot(bool flag) { return __ballot_sync(all_lanes, flag); }
HERON_FN u32 same_lanes(int key) { return __match_any_sync(all_lanes, key); }

template <int lanes>
HERON_FN int same_before(int key) {
    const int lane = group_item() % warp_size;
    const u32 team_up = lanes == warp_size ? all_lanes : all_lanes << (lane / lanes * lanes);
    return __popc(__match_any_sync(all_lanes, key) & team_up & ((1u << lane) - 1u));
}

template <int lanes, class T>
HERON_FN T scan_team(T v) {
    const int lane = group_item() % lanes;
#pragma unroll
    for (int distance = 1; distance < lanes; distance *= 2) {
        const T below = lane_below<lanes>(v, distance);
        if (lane >= distance) v += below;
    }
    return v;
}

template <int items, class T>
HERON_FN T scan_group(T* of_warp, T v, T& all) {
    constexpr int warps = items / warp_size;
    const int lane = group_item() % warp_size;
    const int warp = group_item() / warp_size;
    const T upto = scan_team<warp_size>(v);
    if (lane == warp_size - 1) of_warp[warp] = upto;
    __syncthreads();
    T before{};
    T total{};
    for (int w = 0; w < warps; ++w) {
        if (w < warp) before += of_warp[w];
        total += of_warp[w];
    }
    __syncthreads();
    all = total;
    return before + upto - v;
}

}  // namespace heron::HERON_LEVEL
