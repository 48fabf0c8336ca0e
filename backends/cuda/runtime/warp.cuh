#pragma once
// Values of any type exchanged and summed within a warp. All 32 lanes take part in every call.
#include "common/dialect/dialect.hpp"
#include "intrinsics.cuh"

namespace heron::HERON_LEVEL {

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warp_size = 32;

// A value as the 32-bit words that the hardware moves.
template <class T>
struct words {
    static constexpr int count = (sizeof(T) + 3) / 4;
    int word[count] = {};
};
template <class T>
static __device__ inline words<T> to_words(T v) {
    words<T> w;
    __builtin_memcpy(w.word, &v, sizeof v);
    return w;
}
template <class T>
static __device__ inline T from_words(words<T> w) {
    T v;
    __builtin_memcpy(&v, w.word, sizeof v);
    return v;
}

template <class T>
static __device__ inline T value_of_lane(T v, int lane) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_sync(all_lanes, word, lane);
    return from_words(w);
}
template <class T>
static __device__ inline T from_lane_above(T v, int distance) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_down_sync(all_lanes, word, distance);
    return from_words(w);
}
template <class T>
static __device__ inline T from_lane_below(T v, int distance) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_up_sync(all_lanes, word, distance);
    return from_words(w);
}
template <class T>
static __device__ inline T from_lane_across(T v, int distance) {
    words<T> w = to_words(v);
    for (int& word : w.word) word = __shfl_xor_sync(all_lanes, word, distance);
    return from_words(w);
}

// Sums over groups of `lanes` neighbouring lanes, a power of two; every lane of the group gets the sum.
template <class CT>
static __device__ inline CT sum_over_lanes(CT v, int lanes) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) v = add(v, from_lane_across(v, distance));
    return v;
}

}  // namespace heron::HERON_LEVEL
