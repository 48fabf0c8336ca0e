#pragma once
// Vectors of which some lanes alone are in memory that may be read or written.
#include "lanes.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace heron::HERON_LEVEL {

#if defined(__AVX512F__)
constexpr bool has_lane_bits = true;
#else
constexpr bool has_lane_bits = false;
#endif

// Whether some lanes are loaded by one instruction.
#if defined(__AVX2__)
constexpr bool masks_loads = true;
#else
constexpr bool masks_loads = false;
#endif

// The lanes begin ... end - 1, as far as there are such: as bits where registers hold them so.
template <class R, int L, bool are_bits = has_lane_bits&& L * sizeof(R) == vector_bytes>
class some_lanes {
  public:
    using vector = lanes<R, L>;

    [[gnu::always_inline]] some_lanes(int64_t begin, int64_t end)
        : begin_(begin), end_(end), own_(lanes_between<R, L>(begin, end)) {}

    // With zeros in the others, whose memory is not read.
    [[gnu::always_inline]] vector load(const R* p) const {
#if defined(__AVX2__)
        if constexpr (sizeof(vector) == 32 && sizeof(R) == 4) return _mm256_maskload_ps(p, (__m256i)own_);
        if constexpr (sizeof(vector) == 32 && sizeof(R) == 8) return _mm256_maskload_pd(p, (__m256i)own_);
#endif
        vector v{};
        for (int l = 0; l < L; ++l)
            if (begin_ <= l && l < end_) v[l] = p[l];
        return v;
    }
    [[gnu::always_inline]] void store(R* p, vector v) const {
#if defined(__AVX2__)
        if constexpr (sizeof(vector) == 32 && sizeof(R) == 4) return _mm256_maskstore_ps(p, (__m256i)own_, v);
        if constexpr (sizeof(vector) == 32 && sizeof(R) == 8) return _mm256_maskstore_pd(p, (__m256i)own_, v);
#endif
        for (int l = 0; l < L; ++l)
            if (begin_ <= l && l < end_) p[l] = v[l];
    }
    // v in these lanes, the other elsewhere.
    [[gnu::always_inline]] vector only(vector v, vector other) const { return own_ ? v : other; }
    // sum + a*x in these lanes, sum elsewhere.
    [[gnu::always_inline]] vector add_product(vector sum, vector a, vector x) const {
        return only(sum + a * x, sum);
    }

  private:
    int64_t begin_, end_;
    decltype(lanes_between<R, L>(0, 0)) own_;
};

#if defined(__AVX512F__)
template <class R, int L>
class some_lanes<R, L, true> {
  public:
    using vector = lanes<R, L>;

    [[gnu::always_inline]] some_lanes(int64_t begin, int64_t end)
        : bits_(static_cast<mask>(up_to(end) & ~up_to(begin))) {}

    [[gnu::always_inline]] vector load(const R* p) const {
        if constexpr (sizeof(R) == 4)
            return _mm512_maskz_loadu_ps(bits_, p);
        else
            return _mm512_maskz_loadu_pd(bits_, p);
    }
    [[gnu::always_inline]] void store(R* p, vector v) const {
        if constexpr (sizeof(R) == 4)
            _mm512_mask_storeu_ps(p, bits_, v);
        else
            _mm512_mask_storeu_pd(p, bits_, v);
    }
    [[gnu::always_inline]] vector only(vector v, vector other) const {
        if constexpr (sizeof(R) == 4)
            return _mm512_mask_mov_ps(other, bits_, v);
        else
            return _mm512_mask_mov_pd(other, bits_, v);
    }
    [[gnu::always_inline]] vector add_product(vector sum, vector a, vector x) const {
        if constexpr (sizeof(R) == 4)
            return _mm512_mask3_fmadd_ps(a, x, sum, bits_);
        else
            return _mm512_mask3_fmadd_pd(a, x, sum, bits_);
    }

  private:
    using mask = std::conditional_t<L == 16, __mmask16, __mmask8>;

    [[gnu::always_inline]] static unsigned up_to(int64_t lane) {
        return (1u << (lane < 0 ? 0 : lane < L ? lane : L)) - 1;
    }

    mask bits_;
};
#endif

}  // namespace heron::HERON_LEVEL
