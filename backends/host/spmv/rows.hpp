#pragma once
// Sums over the elements of one row, the inner loops of the host's SpMV.
#include "complex_lanes.hpp"
#include <type_traits>
#if defined(__AVX512VL__)
#include <immintrin.h>
#if defined(__clang__)
#include <cpuid.h>
#endif
#endif

namespace heron::HERON_LEVEL {

template <class T>
inline constexpr bool is_complex_type = false;
template <>
inline constexpr bool is_complex_type<c32> = true;
template <>
inline constexpr bool is_complex_type<c64> = true;
template <>
inline constexpr bool is_complex_type<cf16> = true;
template <>
inline constexpr bool is_complex_type<cbf16> = true;

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

// x such that x[index] is the element of a 1-based index too. In integers: the address may lie before the
// array.
template <class T>
const T* shifted(const T* x, int64_t base) {
    return reinterpret_cast<const T*>(reinterpret_cast<uintptr_t>(x) -
                                      static_cast<uintptr_t>(base) * sizeof(T));
}

template <bool conjugate, class CT, class VA>
CT matrix_element(VA v) {
    if constexpr (conjugate)
        return conj(load<CT>(v));
    else
        return load<CT>(v);
}

// How the elements of a row are added up.
//   in_order  one after the other: short rows
//   in_lanes  in the lanes of a vector that x is loaded into one by one. Zen 4, one thread, double, 27-point
//             stencil from cache: 5.9 against 4.4 Gflop/s, but 5-point 2.8 against 3.4
//   gathered  in lanes that the hardware gathers, where it does so fast. Sapphire Rapids, one thread, against
//             the better of the others: R-MAT graph 1.3 times as fast, 5-point stencil 1.2 times
enum class row_way { in_order, in_lanes, gathered };

// prefetch: the matrix's arrays are asked for ahead. Zen 4, one thread, double, 7-point stencil from memory:
// 2.4 against 1.6 Gflop/s, 27-point 3.8 against 3.0. Where x is hit at random and not gathered, its misses
// need the slots that prefetches would take: 1.0 against 1.4.
struct row_walk {
    bool prefetch = false;
    row_way way = row_way::in_order;
};

// Whether the hardware's gathers are faster than loads one by one: on Intel's processors that need no
// microcode against gather data sampling, which Sapphire Rapids is the first of. On Zen 4 they take twice as
// long.
inline bool gathers_fast() {
#if defined(__AVX512VL__) && defined(__clang__)
    // Before version 18 it has no name for it.
    static const bool has_fp16 = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 23));
    }();
    return has_fp16;
#elif defined(__AVX512VL__)
    return __builtin_cpu_supports("avx512fp16");
#else
    return false;
#endif
}

// Elements that are gathered: plain real ones, eight at a time.
template <class VA, class VX, class CT>
inline constexpr bool can_gather = false;
#if defined(__AVX512VL__)
template <>
inline constexpr bool can_gather<f32, f32, f32> = true;
template <>
inline constexpr bool can_gather<f64, f64, f64> = true;
#endif

// Complex elements that need no conversion.
template <class VA, class VX, class CT>
inline constexpr bool in_complex_lanes = is_complex_type<CT>&& same_type<VA, CT>&& same_type<VX, CT>;

// Rows between two rounds of prefetching: some lines at a time. A round for every row costs more than it
// gains where rows are short, and long rounds stall.
inline int64_t rows_per_round(int64_t rows, int64_t elements) {
    constexpr int64_t elements_per_round = 64;
    constexpr int64_t most = 16;
    const int64_t wanted = elements_per_round * rows / (elements + 1);
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

// How far ahead of what is read, in bytes.
inline constexpr uintptr_t prefetch_distance = 2048;

template <bool ascending = true, class T>
[[gnu::always_inline]] inline void prefetch_ahead(const T* p) {
    constexpr uintptr_t ahead = ascending ? prefetch_distance : -prefetch_distance;
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(p) + ahead));
}

// Asks for what the same thread will read soon, a line for every line of [begin, end).
template <class T>
void prefetch_ahead(const T* p, int64_t begin, int64_t end) {
    constexpr uintptr_t line = 64;
    constexpr uintptr_t distance = prefetch_distance;
    const uintptr_t last =
        reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(end) * sizeof(T) + distance;
    uintptr_t address = reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(begin) * sizeof(T) + distance;
    for (; address < last; address += line) __builtin_prefetch(reinterpret_cast<const void*>(address));
}

// Whether neighbouring rows read neighbouring places of x, so that x comes from the caches, judged by some
// rows.
template <class OT, class IT>
bool reads_nearby(const OT* offsets, const IT* indices, int64_t rows, int64_t base) {
    constexpr int64_t samples = 16;
    constexpr int64_t longest = 16;
    constexpr int64_t near = 8;
    int64_t all = 0;
    int64_t nearby = 0;
    for (int64_t s = 0; s < samples; ++s) {
        const int64_t row = (rows - 2) / samples * s;
        const int64_t begin = int64_t{offsets[row]} - base;
        const int64_t middle = int64_t{offsets[row + 1]} - base;
        const int64_t end = int64_t{offsets[row + 2]} - base;
        const int64_t last = middle - begin < longest ? middle : begin + longest;
        const int64_t next_last = end - middle < longest ? end : middle + longest;
        for (int64_t k = middle; k < next_last; ++k) {
            bool found = false;
            for (int64_t j = begin; j < last; ++j) {
                const IT distance = indices[k] - indices[j];
                found |= distance <= near && distance >= -near;
            }
            nearby += found;
        }
        all += next_last - middle;
    }
    return 2 * nearby >= all;
}

// Sum of op(a[k])*x[indices[k]] over [begin, end).
template <row_way way, bool conjugate, class VA, class VX, class CT, class IT>
struct row_sum {
    [[gnu::always_inline]] static CT of(const VA* a, const IT* indices, const VX* x, int64_t begin,
                                        int64_t end) {
        if constexpr (in_complex_lanes<VA, VX, CT>)
            return complex_row_sum<conjugate>(a, indices, x, begin, end);
        CT sum{};
        for (int64_t k = begin; k < end; ++k)
            sum = mad(matrix_element<conjugate, CT>(a[k]), load<CT>(x[indices[k]]), sum);
        return sum;
    }
};

template <bool conjugate, class VA, class VX, class CT, class IT>
struct row_sum<row_way::in_lanes, conjugate, VA, VX, CT, IT> {
    [[gnu::always_inline]] static CT of(const VA* a, const IT* indices, const VX* x, int64_t begin,
                                        int64_t end) {
        if constexpr (in_complex_lanes<VA, VX, CT>)
            return complex_row_sum<conjugate>(a, indices, x, begin, end);
        else if constexpr (same_type<VA, CT> && same_type<VX, CT> && !same_type<CT, i32>)
            return in_lanes(a, indices, x, begin, end);
        else
            return in_scalars(a, indices, x, begin, end);
    }

  private:
    static constexpr int lanes = 4;

    [[gnu::always_inline]] static CT in_lanes(const CT* a, const IT* indices, const CT* x, int64_t begin,
                                              int64_t end) {
        typedef CT vector __attribute__((vector_size(lanes * sizeof(CT))));
        vector sums = {};
        int64_t k = begin;
        for (; k + lanes <= end; k += lanes) {
            vector ak;
            __builtin_memcpy(&ak, a + k, sizeof ak);
            const vector xk = {x[indices[k]], x[indices[k + 1]], x[indices[k + 2]], x[indices[k + 3]]};
            sums += ak * xk;
        }
        CT rest = 0;
        for (; k < end; ++k) rest += a[k] * x[indices[k]];
        return rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]));
    }

    [[gnu::always_inline]] static CT in_scalars(const VA* a, const IT* indices, const VX* x, int64_t begin,
                                                int64_t end) {
        CT sums[lanes] = {};
        int64_t k = begin;
        for (; k + lanes <= end; k += lanes)
            for (int lane = 0; lane < lanes; ++lane)
                sums[lane] = mad(matrix_element<conjugate, CT>(a[k + lane]), load<CT>(x[indices[k + lane]]),
                                 sums[lane]);
        for (; k < end; ++k)
            sums[0] = mad(matrix_element<conjugate, CT>(a[k]), load<CT>(x[indices[k]]), sums[0]);
        return add(add(sums[0], sums[2]), add(sums[1], sums[3]));
    }
};

#if defined(__AVX512VL__)
// All lanes, which the compiler does not know. Where it does it leaves out the source of a gather, which then
// waits for what its register held before: rows of eight elements took twice as long.
[[gnu::always_inline]] inline __mmask8 all_lanes() {
    __mmask8 mask = 0xff;
    asm("" : "+k"(mask));
    return mask;
}

// Up to eight elements, those of the mask's bits.
struct gathered_f64 {
    using vector = __m512d;
    static f64 sum(vector v) {
        const __m256d four =
            __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
        const __m128d two =
            __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
        return two[0] + two[1];
    }
    static vector values(__mmask8 mask, const f64* p) { return _mm512_maskz_loadu_pd(mask, p); }
    static vector gather(__mmask8 mask, const i32* indices, const f64* x) {
        return _mm512_mask_i32gather_pd(vector{}, mask, _mm256_maskz_loadu_epi32(mask, indices), x,
                                        sizeof *x);
    }
    static vector gather(__mmask8 mask, const i64* indices, const f64* x) {
        return _mm512_mask_i64gather_pd(vector{}, mask, _mm512_maskz_loadu_epi64(mask, indices), x,
                                        sizeof *x);
    }
};

struct gathered_f32 {
    using vector = __m256;
    static f32 sum(vector v) {
        const __m128 four =
            __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
        const __m128 two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1);
        return two[0] + two[1];
    }
    static vector values(__mmask8 mask, const f32* p) { return _mm256_maskz_loadu_ps(mask, p); }
    static vector gather(__mmask8 mask, const i32* indices, const f32* x) {
        return _mm256_mmask_i32gather_ps(vector{}, mask, _mm256_maskz_loadu_epi32(mask, indices), x,
                                         sizeof *x);
    }
    static vector gather(__mmask8 mask, const i64* indices, const f32* x) {
        return _mm512_mask_i64gather_ps(vector{}, mask, _mm512_maskz_loadu_epi64(mask, indices), x,
                                        sizeof *x);
    }
};

template <bool conjugate, class CT, class IT>
struct row_sum<row_way::gathered, conjugate, CT, CT, CT, IT> {
    [[gnu::always_inline]] static CT of(const CT* a, const IT* indices, const CT* x, int64_t begin,
                                        int64_t end) {
        constexpr int lanes = 8;
        vector sums{};
        int64_t k = begin;
        for (; k + lanes <= end; k += lanes) sums += products(all_lanes(), a + k, indices + k, x);
        if (k < end) sums += products(static_cast<__mmask8>((1u << (end - k)) - 1), a + k, indices + k, x);
        return gathered::sum(sums);
    }

  private:
    using gathered = std::conditional_t<same_type<CT, f64>, gathered_f64, gathered_f32>;
    using vector = typename gathered::vector;

    // Of the lanes of the mask, 0 in others.
    [[gnu::always_inline]] static vector products(__mmask8 mask, const CT* a, const IT* indices,
                                                  const CT* x) {
        prefetch_ahead(a);
        prefetch_ahead(indices);
        return gathered::values(mask, a) * gathered::gather(mask, indices, x);
    }
};
#endif

// Calls f with the way as a constant. gathers: whether the types can be gathered.
template <bool gathers, class F>
void visit_way(row_way way, F&& f) {
    if constexpr (gathers)
        if (way == row_way::gathered) return f.template operator()<row_way::gathered>();
    if (way == row_way::in_lanes) return f.template operator()<row_way::in_lanes>();
    f.template operator()<row_way::in_order>();
}

}  // namespace heron::HERON_LEVEL
