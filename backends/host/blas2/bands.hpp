#pragma once
// Products with bands of few diagonals, whose columns are too short to be added up one after the other, and
// with small matrices: the sums of a vector of rows stay in registers, and every column of a band meets its
// own part of x.
#include "columns.hpp"
#include "stored_columns.hpp"

namespace heron::HERON_LEVEL {

// Sums of a vector of rows, in turns, so that additions need not wait for each other. Complex numbers have
// those of a*re(x) and of a*im(x) apart.
template <class CT, int all_turns = 4>
class row_sums {
  public:
    using R = real_of<CT>;
    static constexpr int L = most_lanes<R>, parts = parts_of<CT>::count, turns = all_turns;
    using vector = lanes<R, L>;

    template <int turn>
    [[gnu::always_inline]] void add(vector a, CT x) {
        same_[turn] += a * real(x);
        if constexpr (parts == 2) crossed_[turn] += a * x.im;
    }
    // To the lanes begin ... end - 1 alone: what the others hold may be anything.
    template <int turn>
    [[gnu::always_inline]] void add(vector a, CT x, int64_t begin, int64_t end) {
        const auto is_own = lanes_between<R, L>(begin, end);
        same_[turn] = is_own ? same_[turn] + a * real(x) : same_[turn];
        if constexpr (parts == 2) crossed_[turn] = is_own ? crossed_[turn] + a * x.im : crossed_[turn];
    }
    [[gnu::always_inline]] vector total() const {
        const vector same = sum(same_);
        if constexpr (parts == 1)
            return same;
        else
            return same + times_i<R, L>(sum(crossed_));
    }

  private:
    [[gnu::always_inline]] static R real(CT x) {
        if constexpr (parts == 1)
            return x;
        else
            return x.re;
    }
    [[gnu::always_inline]] static vector sum(const vector (&v)[turns]) {
        if constexpr (turns == 2)
            return v[0] + v[1];
        else
            return (v[0] + v[1]) + (v[2] + v[3]);
    }
    vector same_[turns]{}, crossed_[turns]{};
};

// Calls f(j, turn) for all j of a range, turn by turn.
template <int turns, class F>
[[gnu::always_inline]] inline void in_turns(range columns, const F& f) {
    int64_t j = columns.begin;
    for (; j + turns <= columns.end; j += turns) [&]<int... turn>(std::integer_sequence<int, turn...>) {
            (f(j + turn, std::integral_constant<int, turn>{}), ...);
        }
    (std::make_integer_sequence<int, turns>{});
    for (; j < columns.end; ++j) f(j, std::integral_constant<int, 0>{});
}

// to[0 ...] += V vectors of rows of A*x, all of whose elements there are; of the last one `lanes` lanes alone
// where that is fewer than it has.
template <int V, bool is_partial, class CT>
[[gnu::always_inline]] inline void add_whole_rows(const CT* first, int64_t step, range columns, const CT* x,
                                                  CT* to, int64_t lanes_of_last) {
    using rows = row_sums<CT, 2>;
    using R = typename rows::R;
    constexpr int L = rows::L;
    const some_lanes<R, L> last(0, lanes_of_last);
    const auto loaded = [&](const R* p, int v) __attribute__((always_inline)) {
        return is_partial && v == V - 1 ? last.load(p + v * L) : load_lanes<L>(p + v * L);
    };
    rows sums[V];
    in_turns<rows::turns>(columns, [&]<int turn>(int64_t j, std::integral_constant<int, turn>) {
        const R* const column = reinterpret_cast<const R*>(first + (j - columns.begin) * step);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sums[v].template add<turn>(loaded(column, v), x[j]);
    });
    R* const all = reinterpret_cast<R*>(to);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
        const auto sum = loaded(all, v) + sums[v].total();
        if (is_partial && v == V - 1)
            last.store(all + v * L, sum);
        else
            store_lanes<L>(all + v * L, sum);
    }
}

// sums[i - rows.begin] += the sum over j in `columns` of element (i, j)*x[j] of a matrix that has all of them
// and stays in the caches; false where there are not two columns.
template <class CT>
bool add_small(const stored_columns<CT>& a, range columns, range rows, const CT* x, CT* sums) {
    constexpr int parts = parts_of<CT>::count, L = row_sums<CT, 2>::L;
    constexpr int64_t count = L / parts;
    if (columns.end - columns.begin < 2) return false;
    const CT* const first = a.column(columns.begin);
    const int64_t step = a.column(columns.begin + 1) - first;
    int64_t row = rows.begin;
    const auto add_next = [&]<int V, bool is_partial>(std::integral_constant<int, V>,
                                                      std::integral_constant<bool, is_partial>) {
        const int64_t lanes_of_last = parts * (rows.end - row) - (V - 1) * L;
        add_whole_rows<V, is_partial>(first + row, step, columns, x, sums + (row - rows.begin),
                                      lanes_of_last);
        row += V * count;
    };
    const std::integral_constant<int, 1> single;
    const std::integral_constant<int, 2> pair;
    while (row + 4 * count <= rows.end) add_next(std::integral_constant<int, 4>{}, std::false_type{});
    if (row + 2 * count <= rows.end) add_next(pair, std::false_type{});
    if (row + count < rows.end)
        add_next(pair, std::true_type{});
    else if (row + count == rows.end)
        add_next(single, std::false_type{});
    else if (row < rows.end)
        add_next(single, std::true_type{});
    return true;
}

// to[0 ...] += the vector of rows from `row` on of A*x. The last of these rows has an element in the last of
// the columns, so that all that is loaded lies among A's elements.
template <class CT>
[[gnu::always_inline]] inline void add_band_rows(const stored_columns<CT>& a, int64_t row, range columns,
                                                 const CT* x, CT* to) {
    using rows = row_sums<CT>;
    using R = typename rows::R;
    constexpr int64_t count = rows::L / rows::parts;
    rows sums;
    const CT* const first = a.column(columns.begin) + row;
    const int64_t step = a.column(columns.begin + 1) - a.column(columns.begin);
    const auto loaded = [&](int64_t j) {
        return load_lanes<rows::L>(reinterpret_cast<const R*>(first + (j - columns.begin) * step));
    };
    const auto add_some = [&](int64_t j, auto turn) {
        const range own = a.unbounded_rows(j);
        sums.template add<turn>(loaded(j), x[j], rows::parts * (own.begin - row),
                                rows::parts * (own.end - row));
    };
    const auto add_all = [&](int64_t j, auto turn) { sums.template add<turn>(loaded(j), x[j]); };
    const range whole = a.columns_with_all({row, row + count}, columns);
    in_turns<rows::turns>({columns.begin, whole.begin}, add_some);
    in_turns<rows::turns>(whole, add_all);
    in_turns<rows::turns>({whole.end, columns.end}, add_some);
    R* const at = reinterpret_cast<R*>(to);
    store_lanes<rows::L>(at, load_lanes<rows::L>(at) + sums.total());
}

// sums[i - rows.begin] += the sum over j in `columns` of element (i, j)*x[j], for as many rows as go in
// vectors; returns the first one that is left.
template <class CT>
int64_t add_band(const stored_columns<CT>& a, range columns, range rows, const CT* x, CT* sums) {
    constexpr int64_t count = row_sums<CT>::L / row_sums<CT>::parts;
    int64_t row = rows.begin;
    for (; row + count <= rows.end; row += count) {
        const range with = a.columns_with({row, row + count}, columns);
        if (with.end <= with.begin || a.rows(with.end - 1, {row, row + count}).end != row + count) break;
        add_band_rows(a, row, with, x, sums + (row - rows.begin));
    }
    return row;
}

// results[k] := the sum over i of columns[k][i], or its conjugate, times x[i], where column k has the rows k
// ... k + count - 1 of rows - 1 + K. What is loaded beside them lies in the columns before and behind.
template <int K, class CT>
void shifted_dots(const CT* const* columns, const CT* x, int64_t count, bool conjugate, CT* results) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, L = most_lanes<R>;
    const int64_t end_of_first = parts * count, n = end_of_first + parts * (K - 1);
    column_sums<R, parts, K, L> sums;
    const auto loaded = [](const CT* from, int64_t i) {
        return load_lanes<L>(reinterpret_cast<const R*>(from) + i);
    };
    const auto add_some = [&](int64_t at, int64_t wanted) {
        const auto xi = loaded(x, at);
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) {
            const int64_t begin = wanted > parts * k ? wanted : parts * k;
            sums.add(k, loaded(columns[k], at), xi, begin - at, end_of_first + parts * k - at);
        }
    };
    add_some(0, 0);
    int64_t i = L;
    for (; i + L <= end_of_first; i += L) {
        const auto xi = loaded(x, i);
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) sums.add(k, loaded(columns[k], i), xi);
    }
    for (; i < n; i += L) add_some(i + L <= n ? i : n - L, i);
    sums.finish(conjugate, results);
}

// results[j - columns.begin] := the sum over i in `rows` of element (i, j), or its conjugate, times x[i].
template <class CT>
void band_dots(const stored_columns<CT>& a, range columns, range rows, const CT* x, bool conjugate,
               CT* results) {
    constexpr int least = row_sums<CT>::L / row_sums<CT>::parts, together = least < 4 ? least : 4;
    const auto are_shifted = [&](int64_t j, range first) {
        const range last = a.rows(j + together - 1, rows);
        return first.end - first.begin >= least && last.begin == first.begin + together - 1 &&
               last.end == first.end + together - 1;
    };
    for (int64_t j = columns.begin; j < columns.end;) {
        const range own = a.rows(j, rows);
        CT* const to = results + (j - columns.begin);
        if (j + together <= columns.end && are_shifted(j, own)) {
            const column_pointers<together, CT> group(a, j, own.begin);
            shifted_dots<together>(group.at, x + own.begin, own.end - own.begin, conjugate, to);
            j += together;
        } else {
            const column_pointers<1, CT> single(a, j, own.begin);
            column_dots<1>(single.at, own.end - own.begin, conjugate, to, x + own.begin);
            ++j;
        }
    }
}

}  // namespace heron::HERON_LEVEL
