#pragma once
// Square blocks of matrices turned in registers: what was a row becomes a column.
#include "common/dialect/dialect.hpp"
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL {

// Elements are moved as words of their size.
template <class CT>
using turned_word = std::conditional_t<sizeof(CT) == 4, float, double>;
template <class CT>
constexpr bool can_turn = sizeof(CT) == 4 || sizeof(CT) == 8;

// Lanes of a with bit s in their number change places with those of b without it.
template <int s, class V, int... l>
[[gnu::always_inline]] inline void exchange_between(V& a, V& b, std::integer_sequence<int, l...>) {
    constexpr int count = sizeof...(l);
#if defined(__clang__)
    const V first = __builtin_shufflevector(a, b, ((l & s) == 0 ? l : count + (l ^ s))...);
    const V second = __builtin_shufflevector(a, b, ((l & s) == 0 ? (l | s) : count + l)...);
#else
    const decltype(a == a) from_first{((l & s) == 0 ? l : count + (l ^ s))...};
    const decltype(a == a) from_second{((l & s) == 0 ? (l | s) : count + l)...};
    const V first = __builtin_shuffle(a, b, from_first);
    const V second = __builtin_shuffle(a, b, from_second);
#endif
    a = first;
    b = second;
}

template <int s, class V, int count>
[[gnu::always_inline]] inline void turn_vectors(V (&v)[count]) {
    if constexpr (s < count) {
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i)
            if ((i & s) == 0) exchange_between<s>(v[i], v[i | s], std::make_integer_sequence<int, count>{});
        turn_vectors<2 * s>(v);
    }
}

// Calls f(j, column j) of the block of `size` rows and columns whose row i begins at from + i*step.
template <int size, class CT, class F>
[[gnu::always_inline]] inline void each_turned(const CT* from, int64_t step, F&& f) {
    using word = turned_word<CT>;
    lanes<word, size> v[size];
#pragma GCC unroll 16
    for (int i = 0; i < size; ++i) v[i] = load_lanes<size>(reinterpret_cast<const word*>(from + i * step));
    turn_vectors<1>(v);
#pragma GCC unroll 16
    for (int j = 0; j < size; ++j) f(j, v[j]);
}

}  // namespace heron::HERON_LEVEL
