#pragma once
// One tridiagonal system by two threads: they eliminate from both ends towards the middle, where two
// equations in two unknowns are left, and go back the way they came (van der Vorst, "Large tridiagonal and
// block tridiagonal linear systems on vector and parallel computers", Parallel Computing 5, 1987). Each does
// what one thread would do with half of the rows, so that no unknown costs more than by Gaussian elimination
// with partial pivoting of the whole.
#include "host/runtime/team.hpp"
#include "common/tridiag/plan.hpp"

namespace heron::HERON_LEVEL {

// An equation in two neighbouring unknowns, the one that is to be eliminated first.
template <class CT>
struct short_equation {
    CT own, next, right;
};

// Rows of a system from one of its ends on: row k of the half is row start + k*step, and `towards` the
// diagonal whose elements stand in the column of the row after it.
template <class CT>
struct half_system {
    const CT* back;
    const CT* main;
    const CT* towards;
    CT* x;
    CT* seconds;
    CT* thirds;
    int64_t start, step, rows;

    // Eliminates the unknowns of all rows but the last one. What is left has the last row's unknown and the
    // one behind it.
    template <bool pivoting>
    short_equation<CT> eliminate() const {
        short_equation<CT> carried{main[start], towards[start], x[start]};
        int64_t at = start;
        for (int64_t k = 1; k < rows; ++k) {
            const int64_t row = at + step;
            CT below = back[row];
            short_equation<CT> next{main[row], towards[row], x[row]};
            CT third{};
            if (pivoting && kernels::exceeds(below, carried.own)) {
                const CT own = carried.own;
                const short_equation<CT> other{carried.next, CT{}, carried.right};
                carried = {below, next.own, next.right};
                third = next.next;
                below = own;
                next = other;
            }
            if (kernels::is_tiny(carried.own)) {
                carried = {kernels::enlarged(carried.own), kernels::enlarged(carried.next),
                           kernels::enlarged(carried.right)};
                third = kernels::enlarged(third);
            }
            const CT inverse = divide(one<CT>(), carried.own);
            const CT second = mul(carried.next, inverse);
            third = mul(third, inverse);
            const CT right = mul(carried.right, inverse);
            seconds[at] = second;
            thirds[at] = third;
            x[at] = right;
            carried = {sub(next.own, mul(below, second)), sub(next.next, mul(below, third)),
                       sub(next.right, mul(below, right))};
            at = row;
        }
        return carried;
    }

    // The unknowns of all rows but the last one, from that one's and the one's behind it.
    void substitute(CT last, CT behind) const {
        for (int64_t k = rows - 2; k >= 0; --k) {
            const int64_t at = start + k * step;
            const CT value = sub(sub(x[at], mul(thirds[at], behind)), mul(seconds[at], last));
            x[at] = value;
            behind = last;
            last = value;
        }
    }
};

// The solution of the two equations in the middle: lower half's first unknown is upper's `next`.
template <class CT>
void solve_middle(const short_equation<CT>& upper, const short_equation<CT>& lower, CT& of_upper,
                  CT& of_lower) {
    const bool swapped = kernels::exceeds(lower.next, upper.own);
    const CT own = swapped ? lower.next : upper.own;
    const CT next = swapped ? lower.own : upper.next;
    const CT right = swapped ? lower.right : upper.right;
    const CT factor = divide(swapped ? upper.own : lower.next, own);
    const CT other = swapped ? upper.next : lower.own;
    const CT other_right = swapped ? upper.right : lower.right;
    of_lower = divide(sub(other_right, mul(factor, right)), sub(other, mul(factor, next)));
    of_upper = divide(sub(right, mul(next, of_lower)), own);
}

// X in place of x. seconds and thirds: m numbers each. m is 2 at least.
template <bool pivoting, class CT>
void solve_twisted(int team, const CT* lower, const CT* main, const CT* upper, CT* x, int64_t m, CT* seconds,
                   CT* thirds) {
    const int64_t middle = m / 2;
    const half_system<CT> halves[2] = {
        {lower, main, upper, x, seconds, thirds, 0, 1, middle},
        {upper, main, lower, x, seconds, thirds, m - 1, -1, m - middle},
    };
    short_equation<CT> left[2];
    const auto for_both = [&](auto&& f) {
        run_team(team, [&](int member, int members) {
            for (int half = member; half < 2; half += members) f(half);
        });
    };
    for_both([&](int half) { left[half] = halves[half].template eliminate<pivoting>(); });
    solve_middle(left[0], left[1], x[middle - 1], x[middle]);
    for_both([&](int half) { halves[half].substitute(x[middle - 1 + half], x[middle - half]); });
}

}  // namespace heron::HERON_LEVEL
