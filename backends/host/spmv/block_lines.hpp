#pragma once
// Rows or columns of small blocks, as they lie in memory, in vectors: the size is known to the compiler.
#include "common/runtime/dispatch.hpp"
#include "host/runtime/lanes.hpp"
#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace heron::HERON_LEVEL {

// The first `count` lanes of a vector, zeros behind them.
template <int L, int count, class R>
[[gnu::always_inline]] inline lanes<R, L> load_first(const R* p) {
    if constexpr (count >= L) return load_lanes<L>(p);
#if defined(__AVX512VL__)
    constexpr unsigned mask = (1u << count) - 1;
    if constexpr (sizeof(R) == 8 && L == 4) return _mm256_maskz_loadu_pd(mask, p);
    if constexpr (sizeof(R) == 8 && L == 8) return _mm512_maskz_loadu_pd(mask, p);
    if constexpr (sizeof(R) == 4 && L == 4) return _mm_maskz_loadu_ps(mask, p);
    if constexpr (sizeof(R) == 4 && L == 8) return _mm256_maskz_loadu_ps(mask, p);
    if constexpr (sizeof(R) == 4 && L == 16) return _mm512_maskz_loadu_ps(mask, p);
#endif
    lanes<R, L> v{};
    for (int l = 0; l < count; ++l) v[l] = p[l];
    return v;
}

template <int L, int count, class R>
[[gnu::always_inline]] inline void store_first(R* p, lanes<R, L> v) {
    if constexpr (count >= L) return store_lanes<L>(p, v);
    for (int l = 0; l < count; ++l) p[l] = v[l];
}

// `size` neighbouring elements.
template <class CT, int size>
struct block_line {
    using R = real_of<CT>;
    static constexpr bool is_complex = parts_of<CT>::count == 2;
    static constexpr int all = size * parts_of<CT>::count;
    static constexpr int lanes_over(int count) {
        int result = 2;
        while (result < most_lanes<R> && result < count) result *= 2;
        return result;
    }
    static constexpr int L = lanes_over(all);
    static constexpr int pieces = (all + L - 1) / L;
    using vector = lanes<R, L>;
    vector piece[pieces]{};

    [[gnu::always_inline]] static block_line load(const CT* p) {
        block_line line;
        const R* const from = reinterpret_cast<const R*>(p);
#pragma GCC unroll 4
        for (int i = 0; i + 1 < pieces; ++i) line.piece[i] = load_lanes<L>(from + i * L);
        line.piece[pieces - 1] = load_first<L, all - (pieces - 1) * L>(from + (pieces - 1) * L);
        return line;
    }
    [[gnu::always_inline]] void store(CT* p) const {
        R* const to = reinterpret_cast<R*>(p);
#pragma GCC unroll 4
        for (int i = 0; i + 1 < pieces; ++i) store_lanes<L>(to + i * L, piece[i]);
        store_first<L, all - (pieces - 1) * L>(to + (pieces - 1) * L, piece[pieces - 1]);
    }
    [[gnu::always_inline]] void add(const block_line& other) {
#pragma GCC unroll 4
        for (int i = 0; i < pieces; ++i) piece[i] += other.piece[i];
    }
    [[gnu::always_inline]] void add_products(const block_line& a, const block_line& x) {
#pragma GCC unroll 4
        for (int i = 0; i < pieces; ++i) piece[i] += a.piece[i] * x.piece[i];
    }
    [[gnu::always_inline]] void add_products(const block_line& a, R x) {
#pragma GCC unroll 4
        for (int i = 0; i < pieces; ++i) piece[i] += a.piece[i] * x;
    }
    // Each (re, im) becomes (im, re).
    [[gnu::always_inline]] block_line crossed() const {
        block_line result;
#pragma GCC unroll 4
        for (int i = 0; i < pieces; ++i) result.piece[i] = exchanged_lanes<1>(piece[i]);
        return result;
    }
    [[gnu::always_inline]] block_line times(R even, R odd) const {
        vector factors;
        for (int l = 0; l < L; l += 2) {
            factors[l] = even;
            factors[l + 1] = odd;
        }
        block_line result;
#pragma GCC unroll 4
        for (int i = 0; i < pieces; ++i) result.piece[i] = piece[i] * factors;
        return result;
    }
    [[gnu::always_inline]] vector in_one() const {
        vector sum = piece[0];
#pragma GCC unroll 4
        for (int i = 1; i < pieces; ++i) sum += piece[i];
        return sum;
    }
};

// Lane l: of u where bit d of l is clear, else of v, the sum of lanes l and l^d.
template <int d, class V, int... l>
[[gnu::always_inline]] inline V added_neighbours(V u, V v, std::integer_sequence<int, l...>) {
    constexpr int L = sizeof...(l);
#if defined(__clang__)
    return __builtin_shufflevector(u, v, (l & d ? l + L : l)...) +
           __builtin_shufflevector(u, v, (l & d ? (l ^ d) + L : l ^ d)...);
#else
    using places = decltype(u == v);
    return __builtin_shuffle(u, v, places{(l & d ? l + L : l)...}) +
           __builtin_shuffle(u, v, places{(l & d ? (l ^ d) + L : l ^ d)...});
#endif
}
template <int d, class V>
[[gnu::always_inline]] inline V added_neighbours(V u, V v) {
    return added_neighbours<d>(u, v,
                               std::make_integer_sequence<int, static_cast<int>(sizeof v / sizeof v[0])>{});
}

// The sums over the elements, of `parts` lanes, of `count` vectors, a power of two: that of vector i in
// element i.
template <int parts, int count, class V>
[[gnu::always_inline]] inline V sums_of(const V* vectors) {
    if constexpr (count == 1)
        return vectors[0];
    else
        return added_neighbours<parts * count / 2>(sums_of<parts, count / 2>(vectors),
                                                   sums_of<parts, count / 2>(vectors + count / 2));
}

// The inner product of a line, conjugated or not, with a vector's elements.
template <class CT, int size>
class line_product {
    using line = block_line<CT, size>;

  public:
    // crossed_x: of complex types.
    [[gnu::always_inline]] void add(const line& a, const line& x, const line& crossed_x) {
        straight_.add_products(a, x);
        if constexpr (line::is_complex) crossed_.add_products(a, crossed_x);
    }
    // Elements whose sum is the product.
    template <bool conjugate>
    [[gnu::always_inline]] typename line::vector parts() const {
        if constexpr (line::is_complex)
            return added_neighbours<1>(straight_.times(1, conjugate ? 1 : -1).in_one(),
                                       crossed_.times(1, conjugate ? -1 : 1).in_one());
        else
            return straight_.in_one();
    }

  private:
    line straight_, crossed_;
};

// The products of `count` lines.
template <bool conjugate, int count, class CT, int size>
[[gnu::always_inline]] inline void store_products(const line_product<CT, size>* products, CT* to) {
    using line = block_line<CT, size>;
    constexpr int parts = parts_of<CT>::count;
    constexpr int in_vector = line::L / parts;
    typename line::vector sums[in_vector]{};
    constexpr int some = count < in_vector ? count : in_vector;
#pragma GCC unroll 16
    for (int l = 0; l < some; ++l) sums[l] = products[l].template parts<conjugate>();
    store_first<line::L, some * parts>(reinterpret_cast<typename line::R*>(to),
                                       sums_of<parts, in_vector>(sums));
    if constexpr (count > some) store_products<conjugate, count - some>(products + some, to + some);
}

// The sum of lines, conjugated or not, by a factor each.
template <class CT, int size>
class line_sum {
    using line = block_line<CT, size>;

  public:
    [[gnu::always_inline]] void add(const line& a, CT factor) {
        if constexpr (line::is_complex) {
            by_re_.add_products(a, factor.re);
            by_im_.add_products(a, factor.im);
        } else {
            by_re_.add_products(a, factor);
        }
    }
    template <bool conjugate>
    [[gnu::always_inline]] line value() const {
        if constexpr (!line::is_complex) return by_re_;
        line result = conjugate ? by_re_.times(1, -1) : by_re_;
        result.add(conjugate ? by_im_.crossed() : by_im_.crossed().times(-1, 1));
        return result;
    }

  private:
    line by_re_, by_im_;
};

}  // namespace heron::HERON_LEVEL
