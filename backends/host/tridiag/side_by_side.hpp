#pragma once
// Many systems at a time by one thread: `width` neighbours take each step together, as vectors where systems
// are interleaved. What a step is the shared kernels say (common/tridiag/kernels.h).
#include "common/tridiag/plan.hpp"

namespace heron::HERON_LEVEL {

// Element i of system k is at i*step + k*stride.
struct system_steps {
    int64_t step, stride;
};

// Thomas's algorithm for systems [0, width) of those at these addresses. factors, in which element i of
// system k is at i*factor.step + k*factor.stride, may be the upper diagonal.
template <int width, class CT>
void solve_by_thomas(const CT* lower, const CT* main, const CT* upper, CT* x, int64_t m, system_steps at,
                     CT* factors, system_steps factor) {
    CT second[width], right[width];
    for (int k = 0; k < width; ++k) second[k] = right[k] = CT{};
    for (int64_t i = 0; i < m; ++i) {
        const int64_t row = i * at.step;
        CT below[width], behind[width];
        for (int k = 0; k < width; ++k) {
            below[k] = i > 0 ? lower[row + k * at.stride] : CT{};
            behind[k] = i + 1 < m ? upper[row + k * at.stride] : CT{};
        }
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            const int64_t place = row + k * at.stride;
            const CT inverse = divide(one<CT>(), sub(main[place], mul(below[k], second[k])));
            right[k] = mul(sub(x[place], mul(below[k], right[k])), inverse);
            second[k] = mul(behind[k], inverse);
            factors[i * factor.step + k * factor.stride] = second[k];
            x[place] = right[k];
        }
    }
    for (int64_t i = m - 2; i >= 0; --i)
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            const int64_t place = i * at.step + k * at.stride;
            right[k] = sub(x[place], mul(factors[i * factor.step + k * factor.stride], right[k]));
            x[place] = right[k];
        }
}

// The rotation of kernels::find_rotation without a branch, so that a loop over systems becomes SIMD.
template <class CT>
struct rotation {
    CT p, q, length;

    rotation(CT a, CT b) {
        const CT of_a = magnitude(a);
        const CT of_b = magnitude(b);
        const CT size = less(of_a, of_b) ? of_b : of_a;
        const bool are_zero = equal(size, CT{});
        const CT inverse = divide(one<CT>(), are_zero ? one<CT>() : size);
        const CT scaled_a = are_zero ? one<CT>() : mul(a, inverse);
        const CT scaled_b = mul(b, inverse);
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
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            CT below = low[step + k];
            CT next = diagonal[k];
            CT last = behind[k];
            CT below_right = value[step + k];
            CT third{};
            if constexpr (by_rotation) {
                const rotation<CT> r(pivot[k], below);
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
            const CT inverse = divide(one<CT>(), pivot[k]);
            const CT e = mul(second[k], inverse);
            const CT g = mul(third, inverse);
            const CT f = mul(right[k], inverse);
            up[k] = e;
            low[k] = g;
            value[k] = f;
            pivot[k] = sub(next, mul(below, e));
            second[k] = sub(last, mul(below, g));
            right[k] = sub(below_right, mul(below, f));
        }
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

// What pentadiag_rotate does, for systems side by side.
template <int width, class CT>
void solve_pentadiagonal(CT* const (&diagonals)[5], CT* x, int64_t m, int64_t step) {
    // The two rows on their way: elements of the columns j to j + 3, and the right-hand side.
    CT a[5][width], b[5][width];
    const auto element = [&](int diagonal, int64_t row, int k) {
        const int64_t column = row + diagonal - 2;
        return row < m && column >= 0 && column < m ? diagonals[diagonal][row * step + k] : CT{};
    };
    for (int k = 0; k < width; ++k) {
        for (int c = 0; c < 4; ++c) {
            a[c][k] = c < 3 ? element(c + 2, 0, k) : CT{};
            b[c][k] = element(c + 1, 1, k);
        }
        a[4][k] = x[k];
        b[4][k] = m > 1 ? x[step + k] : CT{};
    }
    for (int64_t j = 0; j < m; ++j) {
        CT n[6][width];
        for (int c = 0; c < 5; ++c)
            for (int k = 0; k < width; ++k) n[c][k] = element(c, j + 2, k);
        for (int k = 0; k < width; ++k) n[5][k] = j + 2 < m ? x[(j + 2) * step + k] : CT{};
        const int64_t at = j * step;
#pragma omp simd
        for (int k = 0; k < width; ++k) {
            CT r[6] = {a[0][k], a[1][k], a[2][k], a[3][k], CT{}, a[4][k]};
            CT s[6] = {b[0][k], b[1][k], b[2][k], b[3][k], CT{}, b[4][k]};
            CT t[6] = {n[0][k], n[1][k], n[2][k], n[3][k], n[4][k], n[5][k]};
            const auto eliminate = [&](CT(&below)[6]) {
                const rotation<CT> turn(r[0], below[0]);
                r[0] = turn.length;
                for (int c = 1; c < 6; ++c) turn.turn(r[c], below[c]);
            };
            if (j + 1 < m) eliminate(s);
            if (j + 2 < m) eliminate(t);
            const CT inverse = divide(one<CT>(), r[0]);
            diagonals[0][at + k] = mul(r[1], inverse);
            diagonals[1][at + k] = mul(r[2], inverse);
            diagonals[3][at + k] = mul(r[3], inverse);
            diagonals[4][at + k] = mul(r[4], inverse);
            x[at + k] = mul(r[5], inverse);
            for (int c = 0; c < 4; ++c) {
                a[c][k] = c < 3 ? s[c + 1] : CT{};
                b[c][k] = t[c + 1];
            }
            a[4][k] = s[5];
            b[4][k] = t[5];
        }
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
