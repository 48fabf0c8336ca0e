#pragma once
// Sums over the elements of one row, the inner loops of the host's SpMV. No hardware gathers: on the CPUs
// measured, loads into the lanes of a vector are faster (27-point stencil in cache: 5.8 against 3.1 Gflop/s
// on Zen 4) and independent of microcode mitigations.
#include "../common/dialect.hpp"

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

// Asks for what the same thread will read some rows later, a line for every line of [begin, end). Hardware
// prefetchers alone leave a third of the bandwidth unused (27-point stencil, one thread of Zen 4: 2.5
// against 3.7 Gflop/s).
template <class T>
void prefetch_ahead(const T* p, int64_t begin, int64_t end) {
    constexpr uintptr_t line = 64;
    constexpr uintptr_t distance = 2048;
    const uintptr_t last =
        reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(end) * sizeof(T) + distance;
    uintptr_t address = reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(begin) * sizeof(T) + distance;
    for (; address < last; address += line) __builtin_prefetch(reinterpret_cast<const void*>(address));
}

// Sum of op(a[k])*x[indices[k]] over [begin, end). Four sums hide the latency of the additions.
template <bool conjugate, class VA, class VX, class CT, class IT>
struct row_sum {
    static CT of(const VA* a, const IT* indices, const VX* x, int64_t begin, int64_t end) {
        CT sums[4] = {};
        int64_t k = begin;
        for (; k + 4 <= end; k += 4)
            for (int lane = 0; lane < 4; ++lane)
                sums[lane] = mad(matrix_element<conjugate, CT>(a[k + lane]), load<CT>(x[indices[k + lane]]),
                                 sums[lane]);
        for (; k < end; ++k)
            sums[0] = mad(matrix_element<conjugate, CT>(a[k]), load<CT>(x[indices[k]]), sums[0]);
        return add(add(sums[0], sums[2]), add(sums[1], sums[3]));
    }
};

template <class IT>
struct row_sum<false, f64, f64, f64, IT> {
    static f64 of(const f64* a, const IT* indices, const f64* x, int64_t begin, int64_t end) {
        typedef f64 vector __attribute__((vector_size(32)));
        vector sums = {};
        int64_t k = begin;
        for (; k + 4 <= end; k += 4) {
            vector ak;
            __builtin_memcpy(&ak, a + k, sizeof ak);
            const vector xk = {x[indices[k]], x[indices[k + 1]], x[indices[k + 2]], x[indices[k + 3]]};
            sums += ak * xk;
        }
        f64 rest = 0;
        for (; k < end; ++k) rest += a[k] * x[indices[k]];
        return rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]));
    }
};

template <class IT>
struct row_sum<false, f32, f32, f32, IT> {
    static f32 of(const f32* a, const IT* indices, const f32* x, int64_t begin, int64_t end) {
        typedef f32 vector __attribute__((vector_size(16)));
        vector sums = {};
        int64_t k = begin;
        for (; k + 4 <= end; k += 4) {
            vector ak;
            __builtin_memcpy(&ak, a + k, sizeof ak);
            const vector xk = {x[indices[k]], x[indices[k + 1]], x[indices[k + 2]], x[indices[k + 3]]};
            sums += ak * xk;
        }
        f32 rest = 0;
        for (; k < end; ++k) rest += a[k] * x[indices[k]];
        return rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]));
    }
};

}  // namespace heron::HERON_LEVEL
