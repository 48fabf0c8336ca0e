#pragma once
// Numbers of triangular systems as they are worked on: complex ones as two lanes, which are loaded and stored
// together, because a load of both waits long for stores of each.
#include "common/runtime/dispatch.hpp"
#include "host/spmv/rows.hpp"

namespace heron::HERON_LEVEL {

template <class CT>
struct packed_of {
    using type = CT;
    using stored = CT;
};
template <class R>
struct two_lanes {
    typedef R type __attribute__((vector_size(2 * sizeof(R))));
    typedef R stored __attribute__((vector_size(2 * sizeof(R)), aligned(sizeof(R)), may_alias));
};
template <>
struct packed_of<c32> : two_lanes<f32> {};
template <>
struct packed_of<c64> : two_lanes<f64> {};
template <class CT>
using packed = typename packed_of<CT>::type;

template <class CT>
[[gnu::always_inline]] inline packed<CT> load_packed(const CT& from) {
    return *reinterpret_cast<const typename packed_of<CT>::stored*>(&from);
}

template <class CT>
[[gnu::always_inline]] inline void store_packed(CT& to, packed<CT> v) {
    *reinterpret_cast<typename packed_of<CT>::stored*>(&to) = v;
}

template <class CT>
[[gnu::always_inline]] inline packed<CT> to_packed(CT v) {
    if constexpr (is_complex_type<CT>)
        return packed<CT>{v.re, v.im};
    else
        return v;
}

// v*factor*i for a real factor.
template <class CT>
[[gnu::always_inline]] inline packed<CT> turned(packed<CT> v, real_of<CT> factor) {
    return __builtin_shufflevector(v, v, 1, 0) * packed<CT>{-factor, factor};
}

template <class CT>
[[gnu::always_inline]] inline packed<CT> times(CT factor, packed<CT> v) {
    if constexpr (is_complex_type<CT>)
        return v * factor.re + turned<CT>(v, factor.im);
    else
        return v * factor;
}

// A sum of products. Complex ones are put together at the end: what the factors' real and imaginary parts
// contribute.
template <class CT>
class product_sum {
  public:
    [[gnu::always_inline]] void add(const CT& factor, const CT& x) {
        const packed<CT> v = load_packed(x);
        if constexpr (is_complex_type<CT>) {
            by_real_ += v * factor.re;
            by_imaginary_ += v * factor.im;
        } else {
            by_real_ += v * factor;
        }
    }
    [[gnu::always_inline]] void add(const product_sum& other) {
        by_real_ += other.by_real_;
        if constexpr (is_complex_type<CT>) by_imaginary_ += other.by_imaginary_;
    }
    // sign: of the factors' imaginary parts.
    [[gnu::always_inline]] packed<CT> value(real_of<CT> sign) const {
        if constexpr (is_complex_type<CT>)
            return by_real_ + turned<CT>(by_imaginary_, sign);
        else
            return by_real_;
    }

  private:
    packed<CT> by_real_{}, by_imaginary_{};
};

}  // namespace heron::HERON_LEVEL
