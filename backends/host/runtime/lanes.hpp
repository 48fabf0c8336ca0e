#pragma once
// Vectors of the instruction set level that is being compiled.
#include "common/dialect/dialect.hpp"
#include <type_traits>
#include <utility>

namespace heron::HERON_LEVEL {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

template <class R>
constexpr int most_lanes = vector_bytes / static_cast<int>(sizeof(R));

template <class R, int L>
struct lanes_of {
    typedef R type __attribute__((vector_size(L * sizeof(R))));
};
template <class R>
struct lanes_of<R, 1> {
    using type = R;
};
template <class R, int L>
using lanes = typename lanes_of<R, L>::type;

template <int L, class R>
[[gnu::always_inline]] inline lanes<R, L> load_lanes(const R* p) {
    lanes<R, L> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
template <int L, class R>
[[gnu::always_inline]] inline void store_lanes(R* p, lanes<R, L> v) {
    __builtin_memcpy(p, &v, sizeof v);
}

// Lanes that lie s apart, a power of two, change places.
template <int s, class V, int... l>
[[gnu::always_inline]] inline V exchanged_lanes(V v, std::integer_sequence<int, l...>) {
#if defined(__clang__)
    return __builtin_shufflevector(v, v, (l ^ s)...);
#else
    const decltype(v == v) places{(l ^ s)...};
    return __builtin_shuffle(v, places);
#endif
}
template <int s, class V>
[[gnu::always_inline]] inline V exchanged_lanes(V v) {
    return exchanged_lanes<s>(v, std::make_integer_sequence<int, static_cast<int>(sizeof v / sizeof v[0])>{});
}

// A mask of the lanes begin ... end - 1, for vectors of R.
template <class R, int L>
[[gnu::always_inline]] inline auto lanes_between(int64_t begin, int64_t end) {
    using N = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
    lanes<N, L> number;
    for (int l = 0; l < L; ++l) number[l] = l;
    return (number >= static_cast<N>(begin)) & (number < static_cast<N>(end));
}

// The product of a complex vector with i: (-im, re) pairs.
template <class R, int L>
[[gnu::always_inline]] inline lanes<R, L> times_i(lanes<R, L> v) {
    lanes<R, L> sign;
    for (int l = 0; l < L; ++l) sign[l] = l % 2 ? R(1) : R(-1);
    return exchanged_lanes<1>(v) * sign;
}

}  // namespace heron::HERON_LEVEL
