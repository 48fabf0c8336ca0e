#pragma once
// What is done with a few columns at a time.
#include "host/blas1/sums.hpp"

namespace heron::HERON_LEVEL {

// Numbers that vectors are multiplied by. Products with imaginary parts are added up apart, and come to the
// others once.
template <class R, int K>
struct column_factors {
    R re[K], im[K];

    template <class CT>
    explicit column_factors(const CT* x) {
        for (int k = 0; k < K; ++k) {
            if constexpr (parts_of<CT>::count == 1) {
                re[k] = x[k];
            } else {
                re[k] = x[k].re;
                im[k] = x[k].im;
            }
        }
    }
};

// How many numbers lie before the first whole vector at `to`, if there is one. Vectors that the next columns
// load must not lie across two that are just being stored.
template <int L, int parts, class R>
int64_t head_of(const R* to, int64_t n) {
    const auto behind = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) / sizeof(R) % L);
    const int64_t head = (L - behind) % L / parts * parts;
    return head < n ? head : 0;
}

// Calls step(i, L) for vectors of L numbers behind a head, and for one of each smaller size down to `least`
// in front of them and behind.
template <int L, int least, class Step>
[[gnu::always_inline]] inline void for_vectors(int64_t head, int64_t i, int64_t n, const Step& step) {
    for (; i + L <= n; i += L) step(i, std::integral_constant<int, L>{});
    if constexpr (L > least) {
        if (i == n && head == 0) return;
        if (head >= L / 2) {
            head -= L / 2;
            step(head, std::integral_constant<int, L / 2>{});
        }
        for_vectors<L / 2, least>(head, i, n, step);
    }
}

// sums[i] += the sum over k < K of columns[k][i]*x[k].
template <int K, class CT>
void add_columns(CT* sums, const CT* const* columns, const CT* x, int64_t count) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count;
    const column_factors<R, K> factors(x);
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    R* const to = reinterpret_cast<R*>(sums);
    // Single columns are updates of a matrix, which come once.
    const int64_t head = K > 1 ? head_of<most_lanes<R>, parts>(to, parts * count) : 0;
    for_vectors<most_lanes<R>, parts>(head, head, parts * count,
                                      [&]<int L>(int64_t i, std::integral_constant<int, L>) {
                                          auto sum = load_lanes<L>(to + i);
                                          lanes<R, L> crossed{};
#pragma GCC unroll 8
                                          for (int k = 0; k < K; ++k) {
                                              const auto v = load_lanes<L>(from[k] + i);
                                              sum += v * factors.re[k];
                                              if constexpr (parts == 2) crossed += v * factors.im[k];
                                          }
                                          if constexpr (parts == 2) sum += times_i<R, L>(crossed);
                                          store_lanes<L>(to + i, sum);
                                      });
}

// Two vectors as one whose groups of lanes, first those of a, are half as long: the sums of both halves of a
// group.
template <int half, class R, int L, int... l>
[[gnu::always_inline]] inline lanes<R, L> folded_pair(lanes<R, L> a, lanes<R, L> b,
                                                      std::integer_sequence<int, l...>) {
    return __builtin_shufflevector(a, b, (l / half * 2 * half + l % half)...) +
           __builtin_shufflevector(a, b, (l / half * 2 * half + l % half + half)...);
}

// The sums of the lanes of each of K vectors, or of those at even and at odd places; of v[k] from lane k*L/K
// on.
template <int parts, class R, int L, int K, int groups = 1>
[[gnu::always_inline]] inline lanes<R, L> folded_together(const lanes<R, L> (&v)[K]) {
    constexpr int half = L / groups / 2;
    if constexpr (K > 1) {
        lanes<R, L> pairs[K / 2];
#pragma GCC unroll 8
        for (int k = 0; k < K / 2; ++k)
            pairs[k] = folded_pair<half, R, L>(v[2 * k], v[2 * k + 1], std::make_integer_sequence<int, L>{});
        return folded_together<parts, R, L, K / 2, 2 * groups>(pairs);
    } else if constexpr (half >= parts) {
        const lanes<R, L> both[1] = {v[0] + exchanged_lanes<half>(v[0])};
        return folded_together<parts, R, L, 1, 2 * groups>(both);
    } else {
        return v[0];
    }
}

// The sums of a*x and, of complex numbers, of a*(x with its parts exchanged) for K columns, in L lanes each.
template <class R, int parts, int K, int L>
struct column_sums {
    lanes<R, L> same[K]{}, crossed[K]{};

    [[gnu::always_inline]] void add(int k, lanes<R, L> a, lanes<R, L> x) {
        same[k] += a * x;
        if constexpr (parts == 2) crossed[k] += a * exchanged_lanes<1>(x);
    }
    // Of the lanes begin ... end - 1 alone: what the others hold may be anything.
    [[gnu::always_inline]] void add(int k, lanes<R, L> a, lanes<R, L> x, int64_t begin, int64_t end) {
        const auto is_own = lanes_between<R, L>(begin, end);
        same[k] = is_own ? same[k] + a * x : same[k];
        if constexpr (parts == 2) crossed[k] = is_own ? crossed[k] + a * exchanged_lanes<1>(x) : crossed[k];
    }
    // Of some lanes alone.
    [[gnu::always_inline]] void add(int k, lanes<R, L> a, lanes<R, L> x, const some_lanes<R, L>& own) {
        same[k] = own.add_product(same[k], a, x);
        if constexpr (parts == 2) crossed[k] = own.add_product(crossed[k], a, exchanged_lanes<1>(x));
    }
    [[gnu::always_inline]] column_sums<R, parts, K, L / 2> halved() const {
        column_sums<R, parts, K, L / 2> half;
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) {
            half.same[k] = folded_once<L, R>(same[k]);
            if constexpr (parts == 2) half.crossed[k] = folded_once<L, R>(crossed[k]);
        }
        return half;
    }
    // results[k] := the sum, or with the conjugate of a.
    template <class CT>
    [[gnu::always_inline]] void finish(bool conjugate, CT* results) const {
        if constexpr (K > L / parts) {
            part<0>().finish(conjugate, results);
            part<K / 2>().finish(conjugate, results + K / 2);
        } else if constexpr (parts == 1) {
            store_lanes<K>(results, every<L / K>(folded_together<parts, R, L, K>(same)));
        } else {
            const auto all = folded_together<parts, R, L, K>(same);
            const auto all_crossed = folded_together<parts, R, L, K>(crossed);
            const R sign = conjugate ? R(-1) : R(1);
#pragma GCC unroll 8
            for (int k = 0; k < K; ++k) {
                const int l = k * (L / K);
                results[k] = {all[l] - sign * all[l + 1], all_crossed[l] + sign * all_crossed[l + 1]};
            }
        }
    }

  private:
    // K/2 columns from one on.
    template <int first>
    [[gnu::always_inline]] column_sums<R, parts, K / 2, L> part() const {
        column_sums<R, parts, K / 2, L> some;
#pragma GCC unroll 8
        for (int k = 0; k < K / 2; ++k) {
            some.same[k] = same[first + k];
            if constexpr (parts == 2) some.crossed[k] = crossed[first + k];
        }
        return some;
    }
    // The lanes 0, step, 2*step, ...
    template <int step>
    [[gnu::always_inline]] static lanes<R, L / step> every(lanes<R, L> v) {
        if constexpr (L == step)
            return v[0];
        else
            return every<step>(v, std::make_integer_sequence<int, L / step>{});
    }
    template <int step, int... k>
    [[gnu::always_inline]] static lanes<R, L / step> every(lanes<R, L> v, std::integer_sequence<int, k...>) {
        return __builtin_shufflevector(v, v, (k * step)...);
    }
};

// add(sums, i, L) adds vectors to sums that are halved when no whole vectors are left.
template <int L, class CT, int K, class Add>
[[gnu::always_inline]] inline void sum_columns(column_sums<real_of<CT>, parts_of<CT>::count, K, L> sums,
                                               int64_t i, int64_t n, bool conjugate, CT* results,
                                               const Add& add) {
    constexpr int parts = parts_of<CT>::count;
    for (; i + L <= n; i += L) add(sums, i, std::integral_constant<int, L>{});
    if constexpr (L > parts) {
        sum_columns<L / 2, CT, K>(sums.halved(), i, n, conjugate, results, add);
    } else {
        for (int k = 0; k < K; ++k) {
            if constexpr (parts == 1)
                results[k] = sums.same[k];
            else if (conjugate)
                results[k] = {sums.same[k][0] + sums.same[k][1], sums.crossed[k][0] - sums.crossed[k][1]};
            else
                results[k] = {sums.same[k][0] - sums.same[k][1], sums.crossed[k][0] + sums.crossed[k][1]};
        }
    }
}

// results[k] := the sum over i of columns[k][i], or its conjugate, times xs[i]: x is loaded once for all.
template <int K, class CT>
void column_dots(const CT* const* columns, int64_t count, bool conjugate, CT* results, const CT* xs) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, most = most_lanes<R>;
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    const R* const x = reinterpret_cast<const R*>(xs);
    column_sums<R, parts, K, most> sums;
    if constexpr (masks_loads) {
        const int64_t n = parts * count, whole = n / most * most;
        for (int64_t i = 0; i < whole; i += most) {
            const auto xi = load_lanes<most>(x + i);
#pragma GCC unroll 8
            for (int k = 0; k < K; ++k) sums.add(k, load_lanes<most>(from[k] + i), xi);
        }
        if (whole < n) {
            const some_lanes<R, most> last(0, n - whole);
            const auto xi = last.load(x + whole);
#pragma GCC unroll 8
            for (int k = 0; k < K; ++k) sums.add(k, last.load(from[k] + whole), xi);
        }
        sums.finish(conjugate, results);
    } else {
        sum_columns<most, CT, K>(sums, 0, parts * count, conjugate, results,
                                 [&]<int L>(auto& halved, int64_t i, std::integral_constant<int, L>) {
                                     const auto xi = load_lanes<L>(x + i);
#pragma GCC unroll 8
                                     for (int k = 0; k < K; ++k)
                                         halved.add(k, load_lanes<L>(from[k] + i), xi);
                                 });
    }
}

// Both: sums += columns[k]*factors[k], and results[k] := columns[k]*xs.
template <int K, class CT>
void add_columns_and_dots(CT* sums, const CT* const* columns, const CT* factors, const CT* xs, int64_t count,
                          bool conjugate, CT* results) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, most = most_lanes<R>;
    const column_factors<R, K> factor(factors);
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    const R* const x = reinterpret_cast<const R*>(xs);
    R* const to = reinterpret_cast<R*>(sums);
    sum_columns<most, CT, K>({}, 0, parts * count, conjugate, results,
                             [&]<int L>(auto& dots, int64_t i, std::integral_constant<int, L>) {
                                 const auto xi = load_lanes<L>(x + i);
                                 auto sum = load_lanes<L>(to + i);
                                 lanes<R, L> crossed{};
#pragma GCC unroll 8
                                 for (int k = 0; k < K; ++k) {
                                     const auto v = load_lanes<L>(from[k] + i);
                                     sum += v * factor.re[k];
                                     if constexpr (parts == 2) crossed += v * factor.im[k];
                                     dots.add(k, v, xi);
                                 }
                                 if constexpr (parts == 2) sum += times_i<R, L>(crossed);
                                 store_lanes<L>(to + i, sum);
                             });
}

}  // namespace heron::HERON_LEVEL
