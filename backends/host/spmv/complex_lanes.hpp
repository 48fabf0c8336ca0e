#pragma once
// Sums of products of complex elements that lie in lanes as they lie in memory, (re, im) after (re, im).
#include "common/runtime/dispatch.hpp"
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL {

// Vectors of 16 bytes: one c64, or two c32. Wider ones would have to be put together from several places of
// x.
template <class C>
struct complex_lanes {
    using R = real_of<C>;
    static constexpr int elements = 16 / static_cast<int>(sizeof(C));
    static constexpr int L = 2 * elements;
    using vector = lanes<R, L>;

    static vector load(const C* p) { return load_lanes<L>(reinterpret_cast<const R*>(p)); }

    // The first element alone, zeros behind it.
    static vector load_one(const C* p) {
        if constexpr (elements == 1)
            return load(p);
        else
            return joined(p, 0);
    }

    template <class IT>
    static vector pick(const C* x, const IT* indices) {
        if constexpr (elements == 1)
            return load(x + indices[0]);
        else
            return joined(x + indices[0], bits_of(x + indices[1]));
    }

    // p[0] += the element in lanes 2*which and 2*which + 1.
    template <int which>
    static void add_to(C* p, vector v) {
        if constexpr (elements == 1) {
            store_lanes<L>(reinterpret_cast<R*>(p), load(p) + v);
        } else {
            const lanes<f64, 2> places = reinterpret_cast<lanes<f64, 2>>(v);
            const vector sum = load_one(p) + reinterpret_cast<vector>(lanes<f64, 2>{places[which], 0});
            const f64 bits = reinterpret_cast<lanes<f64, 2>>(sum)[0];
            __builtin_memcpy(p, &bits, sizeof bits);
        }
    }

  private:
    // The bits of a c32.
    static f64 bits_of(const C* p) {
        f64 bits;
        __builtin_memcpy(&bits, p, sizeof bits);
        return bits;
    }
    static vector joined(const C* first, f64 second) {
        return reinterpret_cast<vector>(lanes<f64, 2>{bits_of(first), second});
    }
};

// Sums of a*x: of (re*re, im*im) in `straight`, of (re*im, im*re) in `crossed`. Whether a is conjugated makes
// no difference before the end.
template <class C>
struct complex_sum {
    using set = complex_lanes<C>;
    typename set::vector straight{}, crossed{};

    [[gnu::always_inline]] void add(typename set::vector a, typename set::vector x) {
        straight += a * x;
        crossed += a * exchanged_lanes<1>(x);
    }
    [[gnu::always_inline]] void add(const complex_sum& other) {
        straight += other.straight;
        crossed += other.crossed;
    }
    template <bool conjugate>
    [[gnu::always_inline]] C value() const {
        const C s = in_one(straight), c = in_one(crossed);
        return conjugate ? C{s.re + s.im, c.re - c.im} : C{s.re - s.im, c.re + c.im};
    }

  private:
    static C in_one(typename set::vector v) {
        if constexpr (set::elements == 1)
            return {v[0], v[1]};
        else
            return {v[0] + v[2], v[1] + v[3]};
    }
};

// The sum of op(a[k])*x[indices[k]] over [begin, end).
template <bool conjugate, class C, class IT>
[[gnu::always_inline]] inline C complex_row_sum(const C* a, const IT* indices, const C* x, int64_t begin,
                                                int64_t end) {
    using set = complex_lanes<C>;
    constexpr int step = set::elements;
    constexpr int chains = 4;  // of additions that do not wait for each other
    complex_sum<C> sums[chains];
    int64_t k = begin;
    for (; k + chains * step <= end; k += chains * step)
#pragma GCC unroll 4
        for (int i = 0; i < chains; ++i)
            sums[i].add(set::load(a + k + i * step), set::pick(x, indices + k + i * step));
#pragma GCC unroll 4
    for (int i = 0; i + 1 < chains; ++i)
        if (k + step <= end) {
            sums[i].add(set::load(a + k), set::pick(x, indices + k));
            k += step;
        }
    if (step > 1 && k < end) sums[chains - 1].add(set::load_one(a + k), set::load_one(x + indices[k]));
    sums[0].add(sums[2]);
    sums[1].add(sums[3]);
    sums[0].add(sums[1]);
    return sums[0].template value<conjugate>();
}

// What elements are multiplied with: op(a)*factor.
template <class C>
class complex_factor {
    using set = complex_lanes<C>;

  public:
    complex_factor(C factor, bool conjugate) {
        for (int l = 0; l < set::L; l += 2) {
            straight_[l] = factor.re;
            straight_[l + 1] = conjugate ? -factor.re : factor.re;
            crossed_[l] = conjugate ? factor.im : -factor.im;
            crossed_[l + 1] = factor.im;
        }
    }
    // Adds `count` elements' products to the places to[indices[i]], one after the other.
    template <int64_t count, class IT>
    [[gnu::always_inline]] void add(const C* a, const IT* indices, C* to) const {
        if constexpr (count % set::elements != 0) {
            set::template add_to<0>(to + indices[0], times(set::load_one(a)));
            if constexpr (count > 1) add<count - 1>(a + 1, indices + 1, to);
        } else {
            typename set::vector products[count / set::elements];
            for (int64_t i = 0; i < count; i += set::elements)
                products[i / set::elements] = times(set::load(a + i));
            for (int64_t i = 0; i < count; i += set::elements) {
                set::template add_to<0>(to + indices[i], products[i / set::elements]);
                if constexpr (set::elements > 1)
                    set::template add_to<1>(to + indices[i + 1], products[i / set::elements]);
            }
        }
    }

  private:
    [[gnu::always_inline]] typename set::vector times(typename set::vector a) const {
        return a * straight_ + exchanged_lanes<1>(a) * crossed_;
    }

    typename set::vector straight_, crossed_;
};

}  // namespace heron::HERON_LEVEL
