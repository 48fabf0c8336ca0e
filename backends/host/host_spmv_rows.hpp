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

// How the rows of a matrix are best walked. Measured on Zen 4, one thread, double:
//   prefetch  7-point stencil from memory: 2.4 against 1.6 Gflop/s, 27-point: 3.8 against 3.0. Where x is hit
//   at random
//             the misses of x need the slots that prefetches would take: 1.0 against 1.4.
//   wide      27-point stencil from cache: 5.9 against 4.4 Gflop/s, but 5-point 2.8 against 3.4.
struct row_walk {
    bool prefetch, wide;
};

// Rows between two rounds of prefetching: some lines at a time. A round for every row costs more than it
// gains where rows are short, and long rounds stall.
inline int64_t rows_per_round(int64_t rows, int64_t elements) {
    constexpr int64_t elements_per_round = 64;
    constexpr int64_t most = 16;
    const int64_t wanted = elements_per_round * rows / (elements + 1);
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

// Asks for what the same thread will read soon, a line for every line of [begin, end).
template <class T>
void prefetch_ahead(const T* p, int64_t begin, int64_t end) {
    constexpr uintptr_t line = 64;
    constexpr uintptr_t distance = 2048;
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

// Sum of op(a[k])*x[indices[k]] over [begin, end). wide: several sums, in lanes of a vector where the types
// allow it.
template <bool wide, bool conjugate, class VA, class VX, class CT, class IT>
struct row_sum {
    [[gnu::always_inline]] static CT of(const VA* a, const IT* indices, const VX* x, int64_t begin,
                                        int64_t end) {
        CT sum{};
        for (int64_t k = begin; k < end; ++k)
            sum = mad(matrix_element<conjugate, CT>(a[k]), load<CT>(x[indices[k]]), sum);
        return sum;
    }
};

template <bool conjugate, class VA, class VX, class CT, class IT>
struct row_sum<true, conjugate, VA, VX, CT, IT> {
    [[gnu::always_inline]] static CT of(const VA* a, const IT* indices, const VX* x, int64_t begin,
                                        int64_t end) {
        if constexpr (same_type<VA, CT> && same_type<VX, CT> && !is_complex_type<CT> && !same_type<CT, i32>)
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

}  // namespace heron::HERON_LEVEL
