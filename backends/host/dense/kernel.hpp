#pragma once
// The innermost kernel of the dense products: one tile of C, held in registers while the packed panels of A
// and B go by. The division of labour is that of BLIS (Van Zee and van de Geijn, ACM TOMS 41(3),
// 2015, 10.1145/2764454).
//
// A complex tile has two sums per element, of A with the real and with the imaginary parts of B; each is a
// plain multiply-add of interleaved data, and they are joined once in the end.
#include "common/runtime/dispatch.hpp"
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL::dense_host {

// Two vectors of rows and as many columns as leave registers for A and one element of B.
template <class CT>
struct tile {
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count;
    static constexpr int lanes_count = most_lanes<R>;
    static constexpr int vectors = 2;
    static constexpr int rows = vectors * lanes_count / parts;
    static constexpr int columns = (vector_registers == 32 ? 12 : 6) / parts;
    using vector = lanes<R, lanes_count>;
};

// The sums of a tile, column by column.
template <class CT>
struct tile_sums {
    typename tile<CT>::vector v[tile<CT>::columns][tile<CT>::vectors];
};

// sums := A*B for k steps; A holds tile::rows and B tile::columns elements per step.
template <class CT>
[[gnu::always_inline]] inline void multiply(int64_t k, const CT* packed_a, const CT* packed_b,
                                            tile_sums<CT>& sums) {
    using T = tile<CT>;
    using R = typename T::R;
    using vector = typename T::vector;
    constexpr int L = T::lanes_count;
    const R* a = reinterpret_cast<const R*>(packed_a);
    const R* b = reinterpret_cast<const R*>(packed_b);
    vector s[T::parts][T::columns][T::vectors] = {};
    for (int64_t l = 0; l < k; ++l) {
        vector av[T::vectors];
#pragma GCC unroll 2
        for (int v = 0; v < T::vectors; ++v) av[v] = load_lanes<L>(a + v * L);
#pragma GCC unroll 12
        for (int j = 0; j < T::columns; ++j)
#pragma GCC unroll 2
            for (int p = 0; p < T::parts; ++p)
#pragma GCC unroll 2
                for (int v = 0; v < T::vectors; ++v) s[p][j][v] += av[v] * b[j * T::parts + p];
        a += T::vectors * L;
        b += T::columns * T::parts;
    }
#pragma GCC unroll 12
    for (int j = 0; j < T::columns; ++j)
#pragma GCC unroll 2
        for (int v = 0; v < T::vectors; ++v) {
            if constexpr (T::parts == 2)
                sums.v[j][v] = s[0][j][v] + times_i<R, L>(s[1][j][v]);
            else
                sums.v[j][v] = s[0][j][v];
        }
}

template <class CT>
[[gnu::always_inline]] inline typename tile<CT>::vector scaled(CT factor, typename tile<CT>::vector v) {
    if constexpr (parts_of<CT>::count == 2)
        return factor.re * v + factor.im * times_i<real_of<CT>, tile<CT>::lanes_count>(v);
    else
        return factor * v;
}

template <class CT>
[[gnu::always_inline]] inline void store_sums(const tile_sums<CT>& sums, CT alpha, CT beta, CT* c,
                                              int64_t ldc) {
    using T = tile<CT>;
    constexpr int L = T::lanes_count;
    using R = typename T::R;
    const bool overwrites = equal(beta, CT{});
    const bool adds = equal(beta, one<CT>());
#pragma GCC unroll 12
    for (int j = 0; j < T::columns; ++j)
#pragma GCC unroll 2
        for (int v = 0; v < T::vectors; ++v) {
            R* const to = reinterpret_cast<R*>(c + j * ldc) + v * L;
            typename T::vector result = scaled<CT>(alpha, sums.v[j][v]);
            if (!overwrites) result += adds ? load_lanes<L>(to) : scaled<CT>(beta, load_lanes<L>(to));
            store_lanes<L>(to, result);
        }
}

// A whole tile: C := alpha*A*B + beta*C.
template <class CT>
[[gnu::noinline]] void update_tile(int64_t k, const CT* a, const CT* b, CT alpha, CT beta, CT* c,
                                   int64_t ldc) {
    using T = tile<CT>;
    for (int j = 0; j < T::columns; ++j)
        for (int at = 0; at < T::rows; at += 64 / static_cast<int>(sizeof(CT)))
            __builtin_prefetch(c + j * ldc + at, 1);
    tile_sums<CT> sums;
    multiply(k, a, b, sums);
    // Addresses are computed again: the compiler would rather keep them in registers that the sums need.
    __asm__("" : "+r"(c), "+r"(ldc));
    store_sums(sums, alpha, beta, c, ldc);
}

// A whole tile's product into t, column by column without gaps.
template <class CT>
[[gnu::noinline]] void multiply_tile(int64_t k, const CT* a, const CT* b, CT* t) {
    using T = tile<CT>;
    tile_sums<CT> sums;
    multiply(k, a, b, sums);
#pragma GCC unroll 12
    for (int j = 0; j < T::columns; ++j)
#pragma GCC unroll 2
        for (int v = 0; v < T::vectors; ++v)
            store_lanes<T::lanes_count>(
                reinterpret_cast<typename T::R*>(t + j * T::rows) + v * T::lanes_count, sums.v[j][v]);
}

}  // namespace heron::HERON_LEVEL::dense_host
