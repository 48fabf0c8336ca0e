#pragma once
// Rows of incomplete factorisations without blocks. Where many columns follow each other, as in dense blocks
// and bands, two rows are merged by runs of columns that both have, which are worked out in vectors.
#include "common/factor/plan.hpp"
#include "host/runtime/lanes.hpp"

namespace heron::HERON_LEVEL {

constexpr int shortest_factor_run = 8;

// Whether most elements of a sample of the rows are part of runs.
inline bool has_runs(const i32* offsets, const i32* columns, int base, int64_t rows) {
    constexpr int64_t sampled = 512;
    const int64_t step = rows / sampled + 1;
    int64_t elements = 0, in_runs = 0;
    for (int64_t row = 0; row < rows; row += step) {
        const i32 end = offsets[row + 1] - base;
        for (i32 k = offsets[row] - base; k < end;) {
            const i32 first = k++;
            while (k < end && columns[k] == columns[k - 1] + 1) ++k;
            elements += k - first;
            if (k - first >= shortest_factor_run) in_runs += k - first;
        }
    }
    return 2 * in_runs > elements;
}

template <class CT, bool by_runs>
struct factor_rows {
    const i32 *offsets, *columns, *diagonal;
    int base;
    CT* a;
    i32* zero_pivot;

    // A row of A = L*U. The rows that it needs are done.
    void lu(int i, CT tolerance, CT boost) const {
        if constexpr (!by_runs)
            return kernels::ilu_row<CT>(i, offsets, columns, base, diagonal, a, 1, 1, 1, tolerance, boost,
                                        zero_pivot);
        const int end = offsets[i + 1] - base;
        for (int k = offsets[i] - base; k < diagonal[i]; ++k) {
            const int j = columns[k] - base;
            if (j < 0 || j >= i) continue;
            const bool regular = has_diagonal(j);
            a[k] = divide(a[k], regular ? a[diagonal[j]] : CT{});
            subtract_multiple(a[k], {k + 1, end}, {diagonal[j] + regular, offsets[j + 1] - base});
        }
        if (!has_diagonal(i)) return report(i);
        CT& pivot = a[diagonal[i]];
        pivot = kernels::boosted(pivot, tolerance, boost);
        if (equal(pivot, CT{})) report(i);
    }

    // A row of A = L*L^H. The rows that it needs are done.
    void cholesky(int i) const {
        const int begin = offsets[i] - base;
        const bool regular = has_diagonal(i);
        CT square{};
        for (int k = begin; k < diagonal[i]; ++k) {
            const int j = columns[k] - base;
            if (j < 0 || j >= i) continue;
            const CT left = sub(a[k], product({begin, k}, {offsets[j] - base, diagonal[j]}));
            a[k] = divide(left, has_diagonal(j) ? a[diagonal[j]] : CT{});
            square = mad(a[k], conj(a[k]), square);
        }
        if (!regular) return report(i);
        CT& pivot = a[diagonal[i]];
        const CT rest = real_part(sub(pivot, square));
        if (not_above(rest, CT{})) report(i);
        pivot = square_root(rest);
    }

  private:
    struct places {
        int begin, end;
        int count() const { return end - begin; }
    };

    bool has_diagonal(int row) const {
        return kernels::has_diagonal(offsets, columns, base, diagonal, row) != 0;
    }
    void report(int row) const { atomic_least(zero_pivot + 1, row); }

    // Whether a run that both rows have probably begins here.
    bool may_be_run(places x, places y) const {
        constexpr int last = shortest_factor_run - 1;
        return x.count() > last && y.count() > last && columns[x.begin + last] == columns[y.begin + last];
    }
    // How many columns from these places on are the same, one at least.
    int run_length(places x, places y) const {
        const int most = x.count() < y.count() ? x.count() : y.count();
        const i32 *const xs = columns + x.begin, *const ys = columns + y.begin;
        int n = 0;
        for (; n + shortest_factor_run <= most; n += shortest_factor_run) {
            i32 differ = 0;
            for (int l = 0; l < shortest_factor_run; ++l) differ |= xs[n + l] ^ ys[n + l];
            if (differ) break;
        }
        while (n < most && xs[n] == ys[n]) ++n;
        return n;
    }

    // Calls one(place, other place), or run(place, other place, count), for the columns that two rows share.
    template <class One, class Run>
    void merge(places own, places other, const One& one, const Run& run) const {
        while (own.begin < own.end && other.begin < other.end) {
            own.begin = kernels::advance_to(columns, own.begin, own.end, columns[other.begin]);
            if (own.begin == own.end) return;
            if (columns[own.begin] != columns[other.begin]) {
                other.begin = kernels::advance_to(columns, other.begin, other.end, columns[own.begin]);
            } else if (by_runs && may_be_run(own, other)) {
                const int n = run_length(own, other);
                run(own.begin, other.begin, n);
                own.begin += n;
                other.begin += n;
            } else {
                one(own.begin, other.begin++);
            }
        }
    }

    void subtract_multiple(CT factor, places own, places other) const {
        const auto one = [&](int to, int from) { a[to] = sub(a[to], mul(factor, a[from])); };
        merge(own, other, one, [&](int to, int from, int count) {
            CT* const y = a + to;
            const CT* const x = a + from;
#pragma GCC ivdep
            for (int t = 0; t < count; ++t) y[t] = sub(y[t], mul(factor, x[t]));
        });
    }

    // The sum of x*conj(y).
    static CT sum_of_run(const CT* x, const CT* y, int count) {
        constexpr int together = shortest_factor_run;
        CT sums[together]{};
        int t = 0;
        for (; t + together <= count; t += together)
            for (int l = 0; l < together; ++l) sums[l] = mad(x[t + l], conj(y[t + l]), sums[l]);
        for (int l = 0; t + l < count; ++l) sums[l] = mad(x[t + l], conj(y[t + l]), sums[l]);
        for (int half = together / 2; half > 0; half /= 2)
            for (int l = 0; l < half; ++l) sums[l] = add(sums[l], sums[l + half]);
        return sums[0];
    }

    // The sum of x*conj(y) over the columns that rows of L share.
    CT product(places own, places other) const {
        CT sum{};
        const auto one = [&](int left, int right) { sum = mad(a[left], conj(a[right]), sum); };
        merge(own, other, one, [&](int left, int right, int count) {
            sum = add(sum, sum_of_run(a + left, a + right, count));
        });
        return sum;
    }
};

}  // namespace heron::HERON_LEVEL
