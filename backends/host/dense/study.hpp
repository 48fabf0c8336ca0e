#pragma once
// The kernel of host_dense_kernel.hpp with parts of its work left out, to see what binds it.
#include "kernel.hpp"

namespace heron::HERON_LEVEL::dense_host {

template <class CT>
using tile_kernel = void(int64_t k, const CT* a, const CT* b, CT alpha, CT beta, CT* c, int64_t ldc);

// The sums of a tile without the loads, or without the multiply-adds: then the vectors of A are added up, so
// that they are loaded.
template <class CT, int left_out>
[[gnu::always_inline]] inline void multiply_without(int64_t k, const CT* packed_a, const CT* packed_b,
                                                    tile_sums<CT>& sums) {
    using T = tile<CT>;
    using R = typename T::R;
    using vector = typename T::vector;
    constexpr int L = T::lanes_count;
    constexpr bool loads = (left_out & HERON_GEMM_WITHOUT_LOADS) == 0;
    constexpr bool multiplies = (left_out & HERON_GEMM_WITHOUT_ARITHMETIC) == 0;
    constexpr int columns = T::parts * T::columns;
    const R* a = reinterpret_cast<const R*>(packed_a);
    const R* b = reinterpret_cast<const R*>(packed_b);
    vector s[columns][T::vectors] = {};
    vector av[T::vectors] = {};
    R bv = 0;
    // The compiler must take these for values that it cannot know.
    __asm__("" : "+m"(s), "+m"(av), "+m"(bv));
    if constexpr (loads || multiplies)
        for (int64_t l = 0; l < k; ++l) {
#pragma GCC unroll 2
            for (int v = 0; v < T::vectors; ++v) {
                if constexpr (loads) av[v] = load_lanes<L>(a + v * L);
                if constexpr (!multiplies) s[0][v] += av[v];
            }
#pragma GCC unroll 12
            for (int j = 0; j < columns; ++j) {
                if constexpr (!multiplies) static_cast<void>(*static_cast<const volatile R*>(b + j));
                if constexpr (multiplies)
#pragma GCC unroll 2
                    for (int v = 0; v < T::vectors; ++v) s[j][v] += av[v] * (loads ? b[j] : bv);
            }
            a += T::vectors * L;
            b += columns;
        }
#pragma GCC unroll 12
    for (int j = 0; j < T::columns; ++j)
#pragma GCC unroll 2
        for (int v = 0; v < T::vectors; ++v) sums.v[j][v] = s[j][v] + s[columns - 1 - j][v];
}

template <class CT, int left_out>
[[gnu::noinline]] void update_tile_without(int64_t k, const CT* a, const CT* b, CT alpha, CT beta, CT* c,
                                           int64_t ldc) {
    tile_sums<CT> sums;
    multiply_without<CT, left_out>(k, a, b, sums);
    bool stores = (left_out & HERON_GEMM_WITHOUT_STORES) == 0;
    // The compiler must not see that the sums are not needed.
    __asm__("" : "+r"(stores));
    if (stores) store_sums(sums, alpha, beta, c, ldc);
}

// left_out: HERON_GEMM_WITHOUT_..., of which packing is not the kernel's.
template <class CT>
tile_kernel<CT>* find_tile_kernel(int left_out) {
    constexpr int loads = HERON_GEMM_WITHOUT_LOADS, arithmetic = HERON_GEMM_WITHOUT_ARITHMETIC,
                  stores = HERON_GEMM_WITHOUT_STORES;
    switch (left_out & (loads | arithmetic | stores)) {
        case loads: return &update_tile_without<CT, loads>;
        case arithmetic: return &update_tile_without<CT, arithmetic>;
        case stores: return &update_tile_without<CT, stores>;
        case loads | arithmetic: return &update_tile_without<CT, loads | arithmetic>;
        case loads | stores: return &update_tile_without<CT, loads | stores>;
        case arithmetic | stores: return &update_tile_without<CT, arithmetic | stores>;
        case loads | arithmetic | stores: return &update_tile_without<CT, loads | arithmetic | stores>;
        default: return &update_tile<CT>;
    }
}

}  // namespace heron::HERON_LEVEL::dense_host
