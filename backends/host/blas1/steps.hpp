#pragma once
// What is done with blocks of real numbers in vectors; what is left behind the last whole one is the first
// lanes of another.
#include "blocks.hpp"
#include "host/runtime/some_lanes.hpp"

namespace heron::HERON_LEVEL {

template <class R>
struct whole_step {
    static constexpr int L = most_lanes<R>;
    using vector = lanes<R, L>;

    [[gnu::always_inline]] vector load(const R* p) const { return load_lanes<L>(p + place); }
    [[gnu::always_inline]] void store(R* p, vector v) const { store_lanes<L>(p + place, v); }
    // v in the lanes that there are, the other elsewhere.
    [[gnu::always_inline]] vector only(vector v, vector) const { return v; }

    int64_t place;
};

template <class R>
struct partial_step {
    static constexpr int L = most_lanes<R>;
    using vector = lanes<R, L>;

    // With zeros in the other lanes.
    [[gnu::always_inline]] vector load(const R* p) const { return own.load(p + place); }
    [[gnu::always_inline]] void store(R* p, vector v) const { own.store(p + place, v); }
    [[gnu::always_inline]] vector only(vector v, vector other) const { return own.only(v, other); }

    int64_t place;
    some_lanes<R, L> own;
};

// Calls step(at, k) for all vectors of a block, k one after the other of 0 to 3.
template <class R, class Step>
[[gnu::always_inline]] inline void for_steps(int64_t count, const Step& step) {
    constexpr int L = most_lanes<R>;
    constexpr std::integral_constant<int, 0> first;
    constexpr std::integral_constant<int, 1> second;
    constexpr std::integral_constant<int, 2> third;
    constexpr std::integral_constant<int, 3> fourth;
    int64_t i = 0;
    for (; i + 4 * L <= count; i += 4 * L) {
        step(whole_step<R>{i}, first);
        step(whole_step<R>{i + L}, second);
        step(whole_step<R>{i + 2 * L}, third);
        step(whole_step<R>{i + 3 * L}, fourth);
    }
    const int64_t left = count - i;
    if (left >= L) step(whole_step<R>{i}, first);
    if (left >= 2 * L) step(whole_step<R>{i + L}, second);
    if (left >= 3 * L) step(whole_step<R>{i + 2 * L}, third);
    const int64_t last = left & (L - 1);
    if (last > 0) step(partial_step<R>{i + left - last, {0, last}}, fourth);
}

}  // namespace heron::HERON_LEVEL
