#pragma once
// A stored triangle and its mirror image: columns are read once, for the rows that they add to and for their
// own rows of the result.
#include "columns.hpp"
#include "stored_columns.hpp"

namespace heron::HERON_LEVEL {

// Columns that go together: as many as there are registers for their sums, and as a vector holds.
template <class CT>
constexpr int mirrored_together = [] {
    constexpr int parts = parts_of<CT>::count, most = parts == 1 && vector_registers > 16 ? 8 : 4;
    constexpr int held = most_lanes<real_of<CT>> / parts;
    return most < held ? most : held;
}();

// K columns from j on of a triangle without its diagonal. Vectors of rows lie at the same places of the sums
// for all columns, so that what one group has stored the next one loads as it is; at the diagonal some of
// their lanes count.
template <int K, bool is_lower, class CT>
class mirrored_columns {
  public:
    mirrored_columns(const stored_columns<CT>& triangle, int64_t j, range rows, const CT* x)
        : j_(j), rows_(rows), x_(reinterpret_cast<const R*>(x)), factors_(x + j) {
        for (int k = 0; k < K; ++k) columns_[k] = reinterpret_cast<const R*>(triangle.column(j + k));
    }

    // sums[i] += the columns by x[j ...], in these rows, and dots[k] += column k, or its conjugate, by x.
    [[gnu::always_inline]] void add(CT* sums, bool conjugate, CT* dots) {
        if (is_lower ? rows_.end <= j_ + 1 : rows_.begin >= j_ + K - 1) return;
        R* const to = reinterpret_cast<R*>(sums);
        is_lower ? add_lower(to) : add_upper(to);
        CT results[K];
        dots_.finish(conjugate, results);
        for (int k = 0; k < K; ++k) dots[k] = heron::HERON_LEVEL::add(dots[k], results[k]);
    }

  private:
    using R = real_of<CT>;
    static constexpr int parts = parts_of<CT>::count, L = most_lanes<R>, count = L / parts;
    using vector = lanes<R, L>;

    [[gnu::always_inline]] void add_lower(R* to) {
        int64_t i = rows_.begin;
        if (j_ > i) i += (j_ - i) / count * count;
        for (; i < rows_.end && i < j_ + K; i += count) add_some<true>(to, i);
        for (; i + count <= rows_.end; i += count) add_whole(to, i);
        if (i < rows_.end) add_some<false>(to, i);
    }
    [[gnu::always_inline]] void add_upper(R* to) {
        int64_t i = rows_.begin;
        const int64_t whole = rows_.end < j_ ? rows_.end : j_, last = j_ + K - 1;
        for (; i + count <= whole; i += count) add_whole(to, i);
        for (; i < rows_.end && i < last; i += count) add_some<true>(to, i);
    }

    [[gnu::always_inline]] void add_whole(R* to, int64_t i) {
        const vector x = load_lanes<L>(x_ + parts * i);
        vector sum = load_lanes<L>(to + parts * i), crossed{};
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) {
            const vector a = load_lanes<L>(columns_[k] + parts * i);
            sum += a * factors_.re[k];
            if constexpr (parts == 2) crossed += a * factors_.im[k];
            dots_.add(k, a, x);
        }
        if constexpr (parts == 2) sum += times_i<R, L>(crossed);
        store_lanes<L>(to + parts * i, sum);
    }

    // Of the vector those rows that there are and, where the diagonal cuts it, that a column has.
    template <bool is_cut>
    [[gnu::always_inline]] void add_some(R* to, int64_t i) {
        const int64_t end = parts * (rows_.end - i);
        const some_lanes<R, L> all(0, end);
        const vector x = all.load(x_ + parts * i);
        vector sum = all.load(to + parts * i), crossed{};
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) {
            const int64_t diagonal = parts * (j_ + k - i);
            const some_lanes<R, L> own = !is_cut    ? all
                                         : is_lower ? some_lanes<R, L>(diagonal + parts, end)
                                                    : some_lanes<R, L>(0, diagonal < end ? diagonal : end);
            const vector a = own.load(columns_[k] + parts * i);
            sum = own.add_product(sum, a, factors_.re[k] - vector{});
            if constexpr (parts == 2) crossed = own.add_product(crossed, a, factors_.im[k] - vector{});
            dots_.add(k, a, x, own);
        }
        if constexpr (parts == 2) sum += times_i<R, L>(crossed);
        all.store(to + parts * i, sum);
    }

    int64_t j_;
    range rows_;
    const R* x_;
    const R* columns_[K];
    column_factors<R, K> factors_;
    column_sums<R, parts, K, L> dots_;
};

// sums[i] += a range of columns in these rows, by x, and dots[j - columns.begin] += each column by x.
template <int K, bool is_lower, class CT>
void add_mirrored(const stored_columns<CT>& triangle, range columns, range rows, const CT* x, bool conjugate,
                  CT* sums, CT* dots) {
    int64_t j = columns.begin;
    for (; j + K <= columns.end; j += K)
        mirrored_columns<K, is_lower, CT>(triangle, j, rows, x)
            .add(sums, conjugate, dots + (j - columns.begin));
    if constexpr (K > 1)
        add_mirrored<K / 2, is_lower>(triangle, {j, columns.end}, rows, x, conjugate, sums,
                                      dots + (j - columns.begin));
}

}  // namespace heron::HERON_LEVEL
