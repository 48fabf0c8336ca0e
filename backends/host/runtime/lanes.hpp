#pragma once
// Vectors of the instruction set level that is being compiled.
#include "common/dialect/dialect.hpp"
#include <type_traits>

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

// The product of a complex vector with i: (-im, re) pairs.
template <class R, int L>
[[gnu::always_inline]] inline lanes<R, L> times_i(lanes<R, L> v) {
    typedef std::conditional_t<sizeof(R) == 4, int32_t, int64_t> integer;
    lanes<integer, L> swap;
    lanes<R, L> sign;
    for (int l = 0; l < L; ++l) {
        swap[l] = l ^ 1;
        sign[l] = l % 2 ? R(1) : R(-1);
    }
    return __builtin_shuffle(v, swap) * sign;
}

}  // namespace heron::HERON_LEVEL
