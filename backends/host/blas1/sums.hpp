#pragma once
// Sums over blocks of real numbers, several vectors of them at a time, so that additions need not wait for
// each other.
#include "blocks.hpp"
#include <utility>

namespace heron::HERON_LEVEL {

// What lies behind the last whole step of a block goes on in the lanes of `rest`, one after the other.
template <class R, class Step>
[[gnu::always_inline]] inline void for_lanes(int64_t count, const Step& step) {
    constexpr int L = most_lanes<R>;
    int64_t i = 0;
    for (; i + 4 * L <= count; i += 4 * L) {
        step(i, std::integral_constant<int, 0>{}, std::integral_constant<int, L>{});
        step(i + L, std::integral_constant<int, 1>{}, std::integral_constant<int, L>{});
        step(i + 2 * L, std::integral_constant<int, 2>{}, std::integral_constant<int, L>{});
        step(i + 3 * L, std::integral_constant<int, 3>{}, std::integral_constant<int, L>{});
    }
    for (; i + L <= count; i += L)
        step(i, std::integral_constant<int, 0>{}, std::integral_constant<int, L>{});
    for (; i < count; ++i) step(i, std::integral_constant<int, 0>{}, std::integral_constant<int, 1>{});
}

// Not by memory where the compiler can: sums whose address is taken do not stay in registers.
template <class R, int L>
struct halves {
    [[gnu::always_inline]] explicit halves(lanes<R, L> v) {
        if constexpr (L == 2) {
            low = v[0];
            high = v[1];
        } else {
            split(v, std::make_integer_sequence<int, L / 2>{});
        }
    }
    lanes<R, L / 2> low, high;

  private:
    template <int... l>
    [[gnu::always_inline]] void split(lanes<R, L> v, std::integer_sequence<int, l...>) {
#if __has_builtin(__builtin_shufflevector)
        low = __builtin_shufflevector(v, v, l...);
        high = __builtin_shufflevector(v, v, (l + L / 2)...);
#else
        __builtin_memcpy(&low, &v, sizeof low);
        __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
#endif
    }
};

// The sums of lanes that are half a vector apart.
template <int L, class R>
[[gnu::always_inline]] inline lanes<R, L / 2> folded_once(lanes<R, L> v) {
    const halves<R, L> half(v);
    return half.low + half.high;
}

// The sums of the lanes at even and at odd places.
template <int L, class R>
[[gnu::always_inline]] inline lanes<R, 2> folded(lanes<R, L> v) {
    if constexpr (L == 2)
        return v;
    else
        return folded<L / 2, R>(folded_once<L, R>(v));
}

template <class R>
struct lane_sums {
    static constexpr int L = most_lanes<R>;
    lanes<R, L> sums[4]{};
    // Behind the last whole step; [1] of numbers at odd places.
    R rest[2]{};

    // At even and at odd places.
    void total(R& even, R& odd) const {
        const lanes<R, L> all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        const lanes<R, 2> pair = folded<L, R>(all);
        even = rest[0] + pair[0];
        odd = rest[1] + pair[1];
    }
    R total() const {
        R even, odd;
        total(even, odd);
        return even + odd;
    }
};

// Of x*y and, for complex numbers, of x*(y with its parts exchanged).
template <class CT>
struct product_sums {
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    lane_sums<R> same, crossed;

    void add(const CT* xs, const CT* ys, int64_t count) {
        const R* const x = reinterpret_cast<const R*>(xs);
        const R* const y = reinterpret_cast<const R*>(ys);
        for_lanes<R>(parts * count, [&]<int k, int L>(int64_t i, std::integral_constant<int, k>,
                                                      std::integral_constant<int, L>) {
            if constexpr (L == 1) {
                same.rest[i % 2] += x[i] * y[i];
                if (parts > 1) crossed.rest[i % 2] += x[i] * y[i ^ 1];
            } else {
                const auto xi = load_lanes<L>(x + i);
                const auto yi = load_lanes<L>(y + i);
                same.sums[k] += xi * yi;
                if constexpr (parts > 1) crossed.sums[k] += xi * exchanged_lanes<1>(yi);
            }
        });
    }

    CT total(bool conjugate) const {
        if constexpr (parts == 1) {
            return same.total();
        } else {
            R re_re, im_im, re_im, im_re;
            same.total(re_re, im_im);
            crossed.total(re_im, im_re);
            if (conjugate) return {re_re + im_im, re_im - im_re};
            return {re_re - im_im, re_im + im_re};
        }
    }
};

// By lanes: so the compiler takes one instruction to clear the signs.
template <class R, int L>
[[gnu::always_inline]] inline lanes<R, L> without_signs(lanes<R, L> v) {
    if constexpr (sizeof(R) == sizeof(float))
        for (int l = 0; l < L; ++l) v[l] = __builtin_fabsf(v[l]);
    else
        for (int l = 0; l < L; ++l) v[l] = __builtin_fabs(v[l]);
    return v;
}

template <class R>
struct size_sums {
    lane_sums<R> sums;

    void add(const R* x, int64_t count) {
        for_lanes<R>(count, [&]<int k, int L>(int64_t i, std::integral_constant<int, k>,
                                              std::integral_constant<int, L>) {
            if constexpr (L == 1) {
                sums.rest[0] += modulus(x[i]);
            } else {
                sums.sums[k] += without_signs<R, L>(load_lanes<L>(x + i));
            }
        });
    }
};

// In double precision: squares of singles neither overflow nor underflow there.
struct square_sums {
    double sums[16]{};

    void add(const float* x, int64_t count) {
        int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            for (int l = 0; l < 16; ++l)
                sums[l] += static_cast<double>(x[i + l]) * static_cast<double>(x[i + l]);
        for (; i < count; ++i) sums[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    void add(const double* x, int64_t count) {
        int64_t i = 0;
        for (; i + 16 <= count; i += 16)
            for (int l = 0; l < 16; ++l) sums[l] += x[i + l] * x[i + l];
        for (; i < count; ++i) sums[0] += x[i] * x[i];
    }
    double total() const {
        double all = 0;
        for (int l = 0; l < 16; ++l) all += sums[l];
        return all;
    }
};

// Squares of doubles in three sums, as in common/blas1/norms.h.
struct scaled_squares {
    double large = 0, middle = 0, small = 0;

    void add(const double* x, int64_t count) {
        using limits = plans::norm_range<f64>;
        for (int64_t i = 0; i < count; ++i) {
            const double v = modulus(x[i]);
            if (v > limits::large)
                large += v * limits::down * (v * limits::down);
            else if (v < limits::small)
                small += v * limits::up * (v * limits::up);
            else
                middle += v * v;
        }
    }
    void add(const scaled_squares& other) {
        large += other.large;
        middle += other.middle;
        small += other.small;
    }
    double norm() const {
        using limits = plans::norm_range<f64>;
        if (large > 0) return square_root(large + middle * limits::down * limits::down) / limits::down;
        if (!(small > 0)) return square_root(middle);
        if (middle == 0) return square_root(small) / limits::up;
        const double first = square_root(middle), second = square_root(small) / limits::up;
        const double larger = first > second ? first : second,
                     ratio = first > second ? second / first : first / second;
        return middle != middle ? middle : larger * square_root(1 + ratio * ratio);
    }
};

}  // namespace heron::HERON_LEVEL
