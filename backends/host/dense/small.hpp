#pragma once
// Small products straight from the operands, without packing: the elements of a column of op(A) must be
// neighbours.
#include "product.hpp"

namespace heron::HERON_LEVEL::dense_host {

// Up to here packing costs more than the slower steps through unpacked operands.
inline constexpr int64_t largest_small = 64;

template <class CT>
class direct_product {
  public:
    // Element (i, l) of op(A) is a[i + l*a_step], (l, j) of op(B) is b[l*b_row + j*b_column].
    struct operands {
        const CT* a;
        int64_t a_step;
        const CT* b;
        int64_t b_row, b_column;
        bool conjugates_b;
        CT alpha, beta;
        CT* c;
        int64_t ldc;
    };

    static void run(const operands& o, int64_t m, int64_t n, int64_t k) {
        int64_t i = 0;
        // A vector on the right: long pieces of A's columns, which are read once.
        if (n == 1)
            for (; i + long_rows <= m; i += long_rows) block<L, long_vectors, 1>(o, i, 0, k);
        for (; i + 2 * L / parts <= m; i += 2 * L / parts) columns<L, 2>(o, i, n, k);
        rest<L>(o, i, m, n, k);
    }

    static constexpr int widest = (vector_registers == 32 ? 6 : 4) / parts_of<CT>::count;  // columns at once

  private:
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int L = most_lanes<R>;
    static constexpr int long_vectors = 8 / parts;
    static constexpr int64_t long_rows = long_vectors * L / parts;

    template <int W>
    static void rest(const operands& o, int64_t i, int64_t m, int64_t n, int64_t k) {
        if ((m - i) * parts >= W) {
            columns<W, 1>(o, i, n, k);
            i += W / parts;
        }
        if constexpr (W > parts) rest<W / 2>(o, i, m, n, k);
    }

    template <int W, int V>
    static void columns(const operands& o, int64_t i, int64_t n, int64_t k) {
        int64_t j = 0;
        for (; j + widest <= n; j += widest) block<W, V, widest>(o, i, j, k);
        for (; j < n; ++j) block<W, V, 1>(o, i, j, k);
    }

    // V vectors of W lanes in N columns.
    template <int W, int V, int N>
    [[gnu::always_inline]] static inline void block(const operands& o, int64_t i, int64_t j, int64_t k) {
        using vector = lanes<R, W>;
        const R* a = reinterpret_cast<const R*>(o.a + i);
        const R* b = reinterpret_cast<const R*>(o.b + j * o.b_column);
        vector s[parts][N][V] = {};
        for (int64_t l = 0; l < k; ++l) {
            vector av[V];
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) av[v] = load_lanes<W>(a + v * W);
#pragma GCC unroll 6
            for (int c = 0; c < N; ++c)
#pragma GCC unroll 2
                for (int p = 0; p < parts; ++p)
#pragma GCC unroll 8
                    for (int v = 0; v < V; ++v) s[p][c][v] += av[v] * b[c * o.b_column * parts + p];
            a += o.a_step * parts;
            b += o.b_row * parts;
        }
        const R sign = o.conjugates_b ? R(-1) : R(1);
#pragma GCC unroll 6
        for (int c = 0; c < N; ++c)
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) {
                R* const to = reinterpret_cast<R*>(o.c + i + (j + c) * o.ldc) + v * W;
                vector sum = s[0][c][v];
                if constexpr (parts == 2) sum += sign * times_i<R, W>(s[1][c][v]);
                vector result = times<W>(o.alpha, sum);
                if (!equal(o.beta, CT{})) result += times<W>(o.beta, load_lanes<W>(to));
                store_lanes<W>(to, result);
            }
    }

    template <int W>
    [[gnu::always_inline]] static inline lanes<R, W> times(CT factor, lanes<R, W> v) {
        if constexpr (parts == 2)
            return factor.re * v + factor.im * times_i<R, W>(v);
        else
            return factor * v;
    }
};

// Whether a product is one for this path.
template <class CT>
bool is_direct(const product_target<CT>& target, int64_t k, const strided_term<CT>& term) {
    const bool needs_copy = term.a.line != 1 || term.a.conjugates;
    if (target.m <= largest_small && target.n <= largest_small && k <= largest_small) return true;
    return !needs_copy && target.n <= direct_product<CT>::widest;
}

// One member's share of such a product: some columns, or rows where there are few columns. `scratch` is for a
// copy of A where its columns are not contiguous.
template <class CT>
void multiply_direct(const product_target<CT>& target, int64_t k, const strided_term<CT>& term, CT* scratch,
                     int member, int team) {
    constexpr int64_t unit = tile<CT>::rows;
    const bool by_rows = target.n <= direct_product<CT>::widest;
    const range groups = equal_part(by_rows ? divided_up(target.m, unit) : target.n, member, team);
    const range rows =
        by_rows ? range{groups.begin * unit, least(groups.end * unit, target.m)} : range{0, target.m};
    const range columns = by_rows ? range{0, target.n} : groups;
    const int64_t height = rows.end - rows.begin;
    if (height <= 0 || columns.begin >= columns.end) return;
    const strided_source<CT>& a = term.a;
    const strided_source<CT>& b = term.b;
    typename direct_product<CT>::operands o{a.p + rows.begin * a.line,
                                            a.step,
                                            b.p + columns.begin * b.line,
                                            b.step,
                                            b.line,
                                            b.conjugates,
                                            term.alpha,
                                            target.beta,
                                            target.c + rows.begin + columns.begin * target.ldc,
                                            target.ldc};
    if (a.line != 1 || a.conjugates) {
        for (int64_t i = 0; i < height; ++i)
            for (int64_t l = 0; l < k; ++l) {
                const CT value = a.p[(rows.begin + i) * a.line + l * a.step];
                scratch[i + l * height] = a.conjugates ? conjugated(value) : value;
            }
        o.a = scratch;
        o.a_step = height;
    }
    direct_product<CT>::run(o, height, columns.end - columns.begin, k);
}

}  // namespace heron::HERON_LEVEL::dense_host
