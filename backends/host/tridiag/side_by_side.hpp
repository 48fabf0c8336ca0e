#pragma once
// Many systems at a time by one thread: `width` neighbours take each step together, as vectors where systems
// are interleaved. What a step is the shared kernels say (common/tridiag/kernels.h).
#include "common/tridiag/plan.hpp"

namespace heron::HERON_LEVEL {

// Element i of system k is at i*step + k*stride.
struct system_steps {
    int64_t step, stride;
};

// What rows are divided by. Where `enlarges`, a row whose pivot is tiny is enlarged before; without, as is
// good for all pivots but those, loops over systems become SIMD.
template <bool enlarges, class CT>
struct divisor {
    CT inverse;
    bool is_tiny = false;

    [[gnu::always_inline]] inline explicit divisor(CT pivot) {
        if constexpr (enlarges) is_tiny = kernels::is_tiny(pivot);
        inverse = divide(one<CT>(), enlarged(pivot));
    }
    [[gnu::always_inline]] inline CT operator()(CT v) const { return mul(enlarged(v), inverse); }
    [[gnu::always_inline]] inline CT enlarged(CT v) const {
        if constexpr (enlarges)
            if (is_tiny) return kernels::enlarged(v);
        return v;
    }
};

// Calls f.operator()<enlarges>().
template <class F>
[[gnu::always_inline]] inline void with_divisors(bool enlarges, F&& f) {
    if (__builtin_expect(enlarges, 0))
        f.template operator()<true>();
    else
        f.template operator()<false>();
}

// Whether a rotation of some of the pairs gives a pivot that may be tiny.
template <int width, class CT>
[[gnu::always_inline]] inline bool may_be_tiny(const CT* a, const CT* b) {
    const CT half = scalar_value<CT>(0.5, 0);
    int are_tiny = 0;
#pragma omp simd reduction(| : are_tiny)
    for (int k = 0; k < width; ++k) {
        const CT of_a = magnitude(a[k]), of_b = magnitude(b[k]);
        are_tiny |= kernels::is_tiny(mul(half, less(of_a, of_b) ? of_b : of_a));
    }
    return are_tiny != 0;
}

// Thomas's algorithm for systems [0, width) of those at these addresses. factors, in which element i of
// system k is at i*factor.step + k*factor.stride, may be the upper diagonal. are_interleaved: the strides are
// 1, as the compiler is to know.
template <int width, bool are_interleaved, class CT>
void solve_by_thomas(const CT* lower, const CT* main, const CT* upper, CT* x, int64_t m, system_steps at,
                     CT* factors, system_steps factor) {
    const int64_t apart = are_interleaved ? 1 : at.stride;
    const int64_t factors_apart = are_interleaved ? 1 : factor.stride;
    CT second[width], right[width];
    for (int k = 0; k < width; ++k) second[k] = right[k] = CT{};
    for (int64_t i = 0; i < m; ++i) {
        const int64_t row = i * at.step;
        CT below[width], behind[width];
        for (int k = 0; k < width; ++k) {
            below[k] = i > 0 ? lower[row + k * apart] : CT{};
            behind[k] = i + 1 < m ? upper[row + k * apart] : CT{};
        }
        CT pivot[width], rest[width];
        int are_tiny = 0;
#pragma omp simd reduction(| : are_tiny)
        for (int k = 0; k < width; ++k) {
            const int64_t place = row + k * apart;
            pivot[k] = sub(main[place], mul(below[k], second[k]));
            rest[k] = sub(x[place], mul(below[k], right[k]));
            are_tiny |= kernels::is_tiny(pivot[k]);
            const CT inverse = divide(one<CT>(), pivot[k]);
            right[k] = mul(rest[k], inverse);
            second[k] = mul(behind[k], inverse);
            factors[i * factor.step + k * factors_apart] = second[k];
            x[place] = right[k];
        }
        if (__builtin_expect(are_tiny, 0))
            for (int k = 0; k < width; ++k) {
                const divisor<true, CT> by_pivot(pivot[k]);
                x[row + k * apart] = right[k] = by_pivot(rest[k]);
                factors[i * factor.step + k * factors_apart] = second[k] = by_pivot(behind[k]);
            }
    }
    for (int64_t i = m - 2; i >= 0; --i)
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            const int64_t place = i * at.step + k * apart;
            right[k] = sub(x[place], mul(factors[i * factor.step + k * factors_apart], right[k]));
            x[place] = right[k];
        }
}

// The rotation of kernels::find_rotation without a branch, so that a loop over systems becomes SIMD.
template <bool enlarges, class CT>
struct rotation {
    CT p, q, length;

    rotation(CT a, CT b) {
        const CT of_a = magnitude(a);
        const CT of_b = magnitude(b);
        const CT size = less(of_a, of_b) ? of_b : of_a;
        const bool are_zero = equal(size, CT{});
        const divisor<enlarges, CT> by_size(are_zero ? one<CT>() : size);
        const CT scaled_a = are_zero ? one<CT>() : by_size(a);
        const CT scaled_b = by_size(b);
        const CT scaled = square_root(add(mul(scaled_a, conj(scaled_a)), mul(scaled_b, conj(scaled_b))));
        const CT back = divide(one<CT>(), scaled);
        p = mul(scaled_a, back);
        q = mul(scaled_b, back);
        length = mul(scaled, size);
    }

    void turn(CT& a, CT& b) const {
        const CT turned = add(mul(conj(p), a), mul(conj(q), b));
        b = sub(mul(p, b), mul(q, a));
        a = turned;
    }
};

// What tridiag_eliminate does, for systems whose elements i lie side by side, `step` apart from those of i
// + 1.
template <int width, bool by_rotation, class CT>
void solve_by_elimination(CT* lower, const CT* main, CT* upper, CT* x, int64_t m, int64_t step) {
    CT pivot[width], second[width], right[width];
    for (int k = 0; k < width; ++k) {
        pivot[k] = main[k];
        second[k] = m > 1 ? upper[k] : CT{};
        right[k] = x[k];
    }
    for (int64_t i = 0; i + 1 < m; ++i) {
        CT* const low = lower + i * step;
        CT* const up = upper + i * step;
        CT* const value = x + i * step;
        const CT* const diagonal = main + (i + 1) * step;
        const CT inside = i + 2 < m ? one<CT>() : CT{};
        // What lies outside of the matrix may be anything.
        CT behind[width];
        for (int k = 0; k < width; ++k) behind[k] = equal(inside, CT{}) ? CT{} : up[step + k];
        with_divisors(may_be_tiny<width>(pivot, low + step), [&]<bool enlarges>() {
#pragma omp simd
            for (int k = 0; k < width; ++k) {
                CT below = low[step + k];
                CT next = diagonal[k];
                CT last = behind[k];
                CT below_right = value[step + k];
                CT third{};
                if constexpr (by_rotation) {
                    const rotation<enlarges, CT> r(pivot[k], below);
                    r.turn(second[k], next);
                    r.turn(third, last);
                    r.turn(right[k], below_right);
                    pivot[k] = r.length;
                    below = CT{};
                } else {
                    const bool swapped = less(magnitude(pivot[k]), magnitude(below));
                    const CT old_pivot = pivot[k], old_second = second[k], old_right = right[k];
                    pivot[k] = swapped ? below : old_pivot;
                    second[k] = swapped ? next : old_second;
                    third = swapped ? last : CT{};
                    right[k] = swapped ? below_right : old_right;
                    below = swapped ? old_pivot : below;
                    next = swapped ? old_second : next;
                    last = swapped ? CT{} : last;
                    below_right = swapped ? old_right : below_right;
                }
                const divisor<enlarges, CT> by_pivot(pivot[k]);
                const CT e = by_pivot(second[k]);
                const CT g = by_pivot(third);
                const CT f = by_pivot(right[k]);
                up[k] = e;
                low[k] = g;
                value[k] = f;
                pivot[k] = sub(next, mul(below, e));
                second[k] = sub(last, mul(below, g));
                right[k] = sub(below_right, mul(below, f));
            }
        });
    }
    CT after_next[width];
    for (int k = 0; k < width; ++k) {
        right[k] = divide(right[k], pivot[k]);
        after_next[k] = CT{};
        x[(m - 1) * step + k] = right[k];
    }
    for (int64_t i = m - 2; i >= 0; --i)
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            const int64_t at = i * step + k;
            const CT value = sub(sub(x[at], mul(upper[at], right[k])), mul(lower[at], after_next[k]));
            after_next[k] = right[k];
            right[k] = value;
            x[at] = value;
        }
}

// Of neighbours: the elements of a row from the column on that is to be eliminated next, and its right-hand
// side.
template <int width, class CT>
struct wide_row {
    static constexpr int parts = 6;
    CT part[parts][width];

    // Without the first element.
    wide_row shifted() const {
        wide_row result;
        for (int c = 0; c < parts; ++c)
            for (int k = 0; k < width; ++k)
                result.part[c][k] = c == parts - 1 ? part[c][k] : c == parts - 2 ? CT{} : part[c + 1][k];
        return result;
    }

    // The first element of `below` becomes zero.
    void eliminate(wide_row& below) {
        CT p[width], q[width];
        with_divisors(may_be_tiny<width>(part[0], below.part[0]), [&]<bool enlarges>() {
#pragma omp simd
            for (int k = 0; k < width; ++k) {
                const rotation<enlarges, CT> r(part[0][k], below.part[0][k]);
                p[k] = r.p;
                q[k] = r.q;
                part[0][k] = r.length;
            }
        });
        for (int c = 1; c < parts; ++c)
#pragma omp simd
            for (int k = 0; k < width; ++k) {
                const CT above = part[c][k];
                const CT under = below.part[c][k];
                part[c][k] = add(mul(conj(p[k]), above), mul(conj(q[k]), under));
                below.part[c][k] = sub(mul(p[k], under), mul(q[k], above));
            }
    }
};

// What pentadiag_rotate does, for systems side by side.
template <int width, class CT>
void solve_pentadiagonal(CT* const (&diagonals)[5], CT* x, int64_t m, int64_t step) {
    // The elements of a row from a column on, which is not behind its second lower diagonal; zero where there
    // is nothing.
    const auto row_from = [&](int64_t row, int64_t column) {
        wide_row<width, CT> result;
        for (int c = 0; c < 6; ++c) {
            const int64_t diagonal = column + c - row + 2;
            const bool is_there = row < m && (c == 5 || (diagonal < 5 && column + c < m));
            const CT* const from = !is_there ? nullptr : (c == 5 ? x : diagonals[diagonal]) + row * step;
            for (int k = 0; k < width; ++k) result.part[c][k] = is_there ? from[k] : CT{};
        }
        return result;
    };
    wide_row<width, CT> first = row_from(0, 0), second = row_from(1, 0);
    for (int64_t j = 0; j < m; ++j) {
        wide_row<width, CT> third = row_from(j + 2, j);
        first.eliminate(second);
        first.eliminate(third);
        const int64_t at = j * step;
        with_divisors(may_be_tiny<width>(first.part[0], first.part[0]), [&]<bool enlarges>() {
#pragma omp simd
            for (int k = 0; k < width; ++k) {
                const divisor<enlarges, CT> by_pivot(first.part[0][k]);
                diagonals[0][at + k] = by_pivot(first.part[1][k]);
                diagonals[1][at + k] = by_pivot(first.part[2][k]);
                diagonals[3][at + k] = by_pivot(first.part[3][k]);
                diagonals[4][at + k] = by_pivot(first.part[4][k]);
                x[at + k] = by_pivot(first.part[5][k]);
            }
        });
        first = second.shifted();
        second = third.shifted();
    }
    CT after[4][width];
    for (auto& values : after)
        for (CT& value : values) value = CT{};
    for (int64_t j = m - 1; j >= 0; --j)
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            const int64_t at = j * step + k;
            CT value = sub(x[at], mul(diagonals[0][at], after[0][k]));
            value = sub(value, mul(diagonals[1][at], after[1][k]));
            value = sub(value, mul(diagonals[3][at], after[2][k]));
            value = sub(value, mul(diagonals[4][at], after[3][k]));
            after[3][k] = after[2][k];
            after[2][k] = after[1][k];
            after[1][k] = after[0][k];
            after[0][k] = value;
            x[at] = value;
        }
}

}  // namespace heron::HERON_LEVEL
