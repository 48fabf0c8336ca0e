#pragma once
// Sums over blocks of real numbers, several vectors of them at a time, so that additions need not wait for
// each other.
#include "steps.hpp"

namespace heron::HERON_LEVEL {

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

    // At even and at odd places.
    void total(R& even, R& odd) const {
        const lanes<R, 2> pair = folded<L, R>((sums[0] + sums[1]) + (sums[2] + sums[3]));
        even = pair[0];
        odd = pair[1];
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
    lane_sums<R> of[parts];

    [[gnu::always_inline]] void add(const CT* xs, const CT* ys, int64_t count) {
        const R* const x = reinterpret_cast<const R*>(xs);
        const R* const y = reinterpret_cast<const R*>(ys);
        for_steps<R>(parts * count, [&]<int k>(const auto& at, std::integral_constant<int, k>) {
            const auto xi = at.load(x), yi = at.load(y);
            of[0].sums[k] += xi * yi;
            if constexpr (parts > 1) of[1].sums[k] += xi * exchanged_lanes<1>(yi);
        });
    }

    CT total(bool conjugate) const {
        if constexpr (parts == 1) {
            return of[0].total();
        } else {
            R re_re, im_im, re_im, im_re;
            of[0].total(re_re, im_im);
            of[1].total(re_im, im_re);
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
    lane_sums<R> all;

    [[gnu::always_inline]] void add(const R* x, int64_t count) {
        for_steps<R>(count, [&]<int k>(const auto& at, std::integral_constant<int, k>) {
            all.sums[k] += without_signs<R, lane_sums<R>::L>(at.load(x));
        });
    }
    R total() const { return all.total(); }
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
    scaled_squares total() const { return *this; }
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
