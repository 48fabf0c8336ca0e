#pragma once
// Vectors of which some lanes alone are in memory that may be read or written.
#include "lanes.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace heron::HERON_LEVEL {

// Lanes begin ... end - 1 as bits.
template <int L>
[[gnu::always_inline]] inline unsigned bits_between(int64_t begin, int64_t end) {
    const auto up_to = [](int64_t lane) { return (1u << (lane < 0 ? 0 : lane < L ? lane : L)) - 1; };
    return up_to(end) & ~up_to(begin);
}

// The lanes begin ... end - 1, as far as there are such, and zeros in the others, whose memory is not read.
template <int L, class R>
[[gnu::always_inline]] inline lanes<R, L> load_some_lanes(const R* p, int64_t begin, int64_t end) {
#if defined(__AVX512F__)
    if constexpr (L * sizeof(R) == 64 && sizeof(R) == 4)
        return _mm512_maskz_loadu_ps(static_cast<__mmask16>(bits_between<L>(begin, end)), p);
    if constexpr (L * sizeof(R) == 64 && sizeof(R) == 8)
        return _mm512_maskz_loadu_pd(static_cast<__mmask8>(bits_between<L>(begin, end)), p);
#elif defined(__AVX2__)
    const auto own = (__m256i)lanes_between<R, L>(begin, end);
    if constexpr (L * sizeof(R) == 32 && sizeof(R) == 4) return _mm256_maskload_ps(p, own);
    if constexpr (L * sizeof(R) == 32 && sizeof(R) == 8) return _mm256_maskload_pd(p, own);
#endif
    lanes<R, L> v{};
    for (int l = 0; l < L; ++l)
        if (begin <= l && l < end) v[l] = p[l];
    return v;
}
template <int L, class R>
[[gnu::always_inline]] inline void store_some_lanes(R* p, lanes<R, L> v, int64_t begin, int64_t end) {
#if defined(__AVX512F__)
    if constexpr (L * sizeof(R) == 64 && sizeof(R) == 4)
        return _mm512_mask_storeu_ps(p, static_cast<__mmask16>(bits_between<L>(begin, end)), v);
    if constexpr (L * sizeof(R) == 64 && sizeof(R) == 8)
        return _mm512_mask_storeu_pd(p, static_cast<__mmask8>(bits_between<L>(begin, end)), v);
#elif defined(__AVX2__)
    const auto own = (__m256i)lanes_between<R, L>(begin, end);
    if constexpr (L * sizeof(R) == 32 && sizeof(R) == 4) return _mm256_maskstore_ps(p, own, v);
    if constexpr (L * sizeof(R) == 32 && sizeof(R) == 8) return _mm256_maskstore_pd(p, own, v);
#endif
    for (int l = 0; l < L; ++l)
        if (begin <= l && l < end) p[l] = v[l];
}

}  // namespace heron::HERON_LEVEL
