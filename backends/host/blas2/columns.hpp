#pragma once
// Matrices by columns, whose elements follow each other in every storage, and what is done with columns.
#include "common/blas2/plan.hpp"
#include "host/blas1/sums.hpp"

namespace heron::HERON_LEVEL {

// The elements of a column, of which not all rows have one.
template <class CT>
class stored_columns {
  public:
    // An m x n matrix.
    stored_columns(const heron_stored_matrix& a, int64_t m)
        : first_(as<CT>(a.memory) + a.offset), a_(a), rows_(m), below_(m), above_(INT64_MAX / 2) {
        if (a.storage != HERON_STORAGE_BANDED) return;
        below_ = a.lower;
        above_ = a.upper;
    }
    // A triangle of order n, with its diagonal or without.
    stored_columns(const heron_stored_matrix& a, int64_t n, heron_fill_mode fill, bool has_diagonal)
        : stored_columns(a, n) {
        is_lower_ = fill == HERON_FILL_LOWER;
        const int64_t band = plans::triangle_band(a, n);
        below_ = is_lower_ ? band : has_diagonal ? 0 : -1;
        above_ = is_lower_ ? (has_diagonal ? 0 : -1) : band;
    }

    // [i] is element (i, j).
    CT* column(int64_t j) const {
        switch (a_.storage) {
            case HERON_STORAGE_FULL: return first_ + j * a_.ld;
            case HERON_STORAGE_BANDED: return first_ + a_.upper - j + j * a_.ld;
            default: return first_ + (is_lower_ ? j * (2 * rows_ - j - 1) / 2 : j * (j + 1) / 2);
        }
    }
    CT diagonal(int64_t j) const { return column(j)[j]; }

    // Which rows column j has among `wanted`; empty ones end where they begin.
    range rows(int64_t j, range wanted) const {
        const int64_t begin = j > above_ ? j - above_ : 0;
        const int64_t end = rows_ - j > below_ ? j + below_ + 1 : rows_;
        const range found{begin > wanted.begin ? begin : wanted.begin, end < wanted.end ? end : wanted.end};
        return found.end > found.begin ? found : range{found.begin, found.begin};
    }
    range rows(int64_t j) const { return rows(j, {0, rows_}); }

    // Which of them K columns from j on all have; where there are none, the end is not behind the beginning.
    template <int K>
    range common_rows(int64_t j, range wanted) const {
        if (is_full()) return wanted;
        range common = rows(j, wanted);
        for (int64_t k = j + 1; k < j + K; ++k) {
            const range own = rows(k, wanted);
            if (own.begin > common.begin) common.begin = own.begin;
            if (own.end < common.end) common.end = own.end;
        }
        return common;
    }
    bool is_full() const { return below_ == rows_ && above_ == INT64_MAX / 2; }
    // Columns so short that what few of them do not have in common weighs.
    bool is_narrow() const { return a_.storage == HERON_STORAGE_BANDED && below_ + above_ < 256; }
    // Which columns have any of these rows.
    range columns_with(range rows, range wanted) const {
        const int64_t begin = rows.begin > below_ ? rows.begin - below_ : 0;
        const int64_t end = above_ < wanted.end - rows.end ? rows.end + above_ : wanted.end;
        return {begin > wanted.begin ? begin : wanted.begin, end};
    }

  private:
    CT* first_;
    const heron_stored_matrix& a_;
    int64_t rows_, below_, above_;
    bool is_lower_ = false;
};

// Numbers whose real factors are re[k] and, at even and odd places, -im[k] and im[k].
template <class R, int K>
struct column_factors {
    R re[K], im[K];

    template <class CT>
    explicit column_factors(const CT* x) {
        for (int k = 0; k < K; ++k) {
            if constexpr (parts_of<CT>::count == 1) {
                re[k] = x[k];
            } else {
                re[k] = x[k].re;
                im[k] = x[k].im;
            }
        }
    }
    template <int L>
    [[gnu::always_inline]] lanes<R, L> alternating(int k) const {
        lanes<R, L> both;
        for (int l = 0; l < L; ++l) both[l] = l % 2 ? im[k] : -im[k];
        return both;
    }
};

// How many numbers lie before the first whole vector at `to`, if there is one. Vectors that the next columns
// load must not lie across two that are just being stored.
template <int L, int parts, class R>
int64_t head_of(const R* to, int64_t n) {
    const auto behind = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) / sizeof(R) % L);
    const int64_t head = (L - behind) % L / parts * parts;
    return head < n ? head : 0;
}

// Calls step(i, L) for vectors of L numbers behind a head, and for one of each smaller size down to `least`
// in front of them and behind.
template <int L, int least, class Step>
[[gnu::always_inline]] inline void for_vectors(int64_t head, int64_t i, int64_t n, const Step& step) {
    for (; i + L <= n; i += L) step(i, std::integral_constant<int, L>{});
    if constexpr (L > least) {
        if (i == n && head == 0) return;
        if (head >= L / 2) {
            head -= L / 2;
            step(head, std::integral_constant<int, L / 2>{});
        }
        for_vectors<L / 2, least>(head, i, n, step);
    }
}

// sums[i] += the sum over k < K of columns[k][i]*x[k].
template <int K, class CT>
void add_columns(CT* sums, const CT* const* columns, const CT* x, int64_t count) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count;
    const column_factors<R, K> factors(x);
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    R* const to = reinterpret_cast<R*>(sums);
    // Single columns are updates of a matrix, which come once.
    const int64_t head = K > 1 ? head_of<most_lanes<R>, parts>(to, parts * count) : 0;
    for_vectors<most_lanes<R>, parts>(
        head, head, parts * count, [&]<int L>(int64_t i, std::integral_constant<int, L>) {
            auto sum = load_lanes<L>(to + i);
#pragma GCC unroll 8
            for (int k = 0; k < K; ++k) {
                const auto v = load_lanes<L>(from[k] + i);
                sum += v * factors.re[k];
                if constexpr (parts == 2) sum += exchanged_lanes<1>(v) * factors.template alternating<L>(k);
            }
            store_lanes<L>(to + i, sum);
        });
}

// The sums of a*x and, of complex numbers, of a*(x with its parts exchanged) for K columns, in L lanes each.
template <class R, int parts, int K, int L>
struct column_sums {
    lanes<R, L> same[K]{}, crossed[K]{};

    [[gnu::always_inline]] void add(int k, lanes<R, L> a, lanes<R, L> x) {
        same[k] += a * x;
        if constexpr (parts == 2) crossed[k] += a * exchanged_lanes<1>(x);
    }
    [[gnu::always_inline]] column_sums<R, parts, K, L / 2> halved() const {
        column_sums<R, parts, K, L / 2> half;
#pragma GCC unroll 8
        for (int k = 0; k < K; ++k) {
            half.same[k] = folded_once<L, R>(same[k]);
            if constexpr (parts == 2) half.crossed[k] = folded_once<L, R>(crossed[k]);
        }
        return half;
    }
};

// add(sums, i, L) adds vectors to sums that are halved when no whole vectors are left.
template <int L, class CT, int K, class Add>
[[gnu::always_inline]] inline void sum_columns(column_sums<real_of<CT>, parts_of<CT>::count, K, L> sums,
                                               int64_t i, int64_t n, bool conjugate, CT* results,
                                               const Add& add) {
    constexpr int parts = parts_of<CT>::count;
    for (; i + L <= n; i += L) add(sums, i, std::integral_constant<int, L>{});
    if constexpr (L > parts) {
        sum_columns<L / 2, CT, K>(sums.halved(), i, n, conjugate, results, add);
    } else {
        for (int k = 0; k < K; ++k) {
            if constexpr (parts == 1)
                results[k] = sums.same[k];
            else if (conjugate)
                results[k] = {sums.same[k][0] + sums.same[k][1], sums.crossed[k][0] - sums.crossed[k][1]};
            else
                results[k] = {sums.same[k][0] - sums.same[k][1], sums.crossed[k][0] + sums.crossed[k][1]};
        }
    }
}

// results[k] := the sum over i of columns[k][i], or its conjugate, times xs[i]: x is loaded once for all.
template <int K, class CT>
void column_dots(const CT* const* columns, const CT* xs, int64_t count, bool conjugate, CT* results) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, most = most_lanes<R>;
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    const R* const x = reinterpret_cast<const R*>(xs);
    sum_columns<most, CT, K>({}, 0, parts * count, conjugate, results,
                             [&]<int L>(auto& sums, int64_t i, std::integral_constant<int, L>) {
                                 const auto xi = load_lanes<L>(x + i);
#pragma GCC unroll 8
                                 for (int k = 0; k < K; ++k) sums.add(k, load_lanes<L>(from[k] + i), xi);
                             });
}

// Both: sums += columns[k]*factors[k], and results[k] := columns[k]*xs.
template <int K, class CT>
void add_columns_and_dots(CT* sums, const CT* const* columns, const CT* factors, const CT* xs, int64_t count,
                          bool conjugate, CT* results) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, most = most_lanes<R>;
    const column_factors<R, K> factor(factors);
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(columns[k]);
    const R* const x = reinterpret_cast<const R*>(xs);
    R* const to = reinterpret_cast<R*>(sums);
    sum_columns<most, CT, K>({}, 0, parts * count, conjugate, results,
                             [&]<int L>(auto& dots, int64_t i, std::integral_constant<int, L>) {
                                 const auto xi = load_lanes<L>(x + i);
                                 auto sum = load_lanes<L>(to + i);
#pragma GCC unroll 8
                                 for (int k = 0; k < K; ++k) {
                                     const auto v = load_lanes<L>(from[k] + i);
                                     sum += v * factor.re[k];
                                     if constexpr (parts == 2)
                                         sum += exchanged_lanes<1>(v) * factor.template alternating<L>(k);
                                     dots.add(k, v, xi);
                                 }
                                 store_lanes<L>(to + i, sum);
                             });
}

// Calls f(j, K, rows) for groups of up to `together` columns: `rows` are those that all K of them have
// among `wanted`; for_others finds what else they have.
template <int together, class CT, class F>
void for_groups(const stored_columns<CT>& a, range columns, range wanted, const F& f) {
    int64_t j = columns.begin;
    if constexpr (together > 1) {
        // Less than that is no faster together.
        constexpr int64_t shortest = 8;
        while (j + together <= columns.end) {
            const range rows = a.template common_rows<together>(j, wanted);
            if (rows.end - rows.begin >= shortest)
                f(j, std::integral_constant<int, together>{}, rows);
            else
                for_groups<1>(a, {j, j + together}, wanted, f);
            j += together;
        }
        for_groups<together / 2>(a, {j, columns.end}, wanted, f);
    } else {
        for (; j < columns.end; ++j) f(j, std::integral_constant<int, 1>{}, a.rows(j, wanted));
    }
}

// Calls f(k, i) for the elements that K columns have beside their common rows.
template <int K, class CT, class F>
void for_others(const stored_columns<CT>& a, int64_t j, range common, range wanted, const F& f) {
    if (K == 1 || a.is_full()) return;
    for (int k = 0; k < K; ++k) {
        const range own = a.rows(j + k, wanted);
        for (int64_t i = own.begin; i < common.begin; ++i) f(k, i);
        for (int64_t i = common.end; i < own.end; ++i) f(k, i);
    }
}

template <int K, class CT>
struct column_pointers {
    column_pointers(const stored_columns<CT>& a, int64_t j, int64_t row) {
        for (int k = 0; k < K; ++k) at[k] = a.column(j + k) + row;
    }
    const CT* at[K];
};

// sums[i - rows.begin] += the sum over j in `columns` of element (i, j)*x[j].
template <class CT>
void add_columns(const stored_columns<CT>& a, range columns, range rows, const CT* x, CT* sums) {
    const auto add_group = [&]<int K>(int64_t j, std::integral_constant<int, K>, range common) {
        const column_pointers<K, CT> own(a, j, common.begin);
        add_columns<K>(sums + (common.begin - rows.begin), own.at, x + j, common.end - common.begin);
        for_others<K>(a, j, common, rows, [&](int k, int64_t i) {
            CT& sum = sums[i - rows.begin];
            sum = mad(a.column(j + k)[i], x[j + k], sum);
        });
    };
    a.is_narrow() ? for_groups<4>(a, columns, rows, add_group) : for_groups<8>(a, columns, rows, add_group);
}

// results[j - columns.begin] := the sum over i in `rows` of element (i, j), or its conjugate, times x[i].
template <class CT>
void column_dots(const stored_columns<CT>& a, range columns, range rows, const CT* x, bool conjugate,
                 CT* results) {
    const auto sum_group = [&]<int K>(int64_t j, std::integral_constant<int, K>, range common) {
        const column_pointers<K, CT> own(a, j, common.begin);
        CT* const sums = results + (j - columns.begin);
        column_dots<K>(own.at, x + common.begin, common.end - common.begin, conjugate, sums);
        for_others<K>(a, j, common, rows, [&](int k, int64_t i) {
            const CT element = a.column(j + k)[i];
            sums[k] = mad(conjugate ? conj(element) : element, x[i], sums[k]);
        });
    };
    a.is_narrow() ? for_groups<4>(a, columns, rows, sum_group) : for_groups<8>(a, columns, rows, sum_group);
}

// The same of one column.
template <class CT>
CT column_dot(const stored_columns<CT>& a, int64_t j, range rows, const CT* x, bool conjugate) {
    CT sum;
    column_dots(a, {j, j + 1}, rows, x, conjugate, &sum);
    return sum;
}

// Nothing, for which there need be no workspace, or so many elements of it.
template <class CT>
CT* some_of(workspace_layout& layout, int64_t count) {
    return count > 0 ? layout.take<CT>(count) : nullptr;
}

// A vector without gaps: where it is, or a copy, conjugated or not, in `memory`.
template <class CT>
bool lies_apart(const heron_vector_operand& v, bool conjugates) {
    return v.inc != 1 || conjugates;
}
template <class CT>
const CT* without_gaps(const heron_vector_operand& v, int64_t n, bool conjugates, CT* memory) {
    const CT* const first = as<const CT>(v.memory) + v.offset;
    if (!lies_apart<CT>(v, conjugates)) return first;
    for (int64_t i = 0; i < n; ++i) memory[i] = conjugates ? conj(first[i * v.inc]) : first[i * v.inc];
    return memory;
}

template <class CT>
CT number_of(const heron_scalar& s) {
    const auto argument = as_argument<CT>(s);
    return argument.device ? *argument.device : argument.value;
}

// y := alpha*sums + beta*y at first, first + 1, ...; beta = 0 does not read it.
template <class CT>
void update(const heron_vector_operand& v, int64_t first, const CT* sums, int64_t count, CT alpha, CT beta) {
    CT* const y = as<CT>(v.memory) + v.offset + first * v.inc;
    const auto run = [&](int64_t inc) {
        if (equal(beta, CT{}))
            for (int64_t i = 0; i < count; ++i) y[i * inc] = mul(alpha, sums[i]);
        else
            for (int64_t i = 0; i < count; ++i) y[i * inc] = mad(beta, y[i * inc], mul(alpha, sums[i]));
    };
    // A loop of its own, which becomes one of vectors.
    v.inc == 1 ? run(1) : run(v.inc);
}

// y := beta*y.
template <class CT>
void scale(const heron_vector_operand& y, int64_t n, CT beta) {
    for (int64_t i = 0; i < n; ++i) {
        const CT zero{};
        update(y, i, &zero, 1, zero, beta);
    }
}

}  // namespace heron::HERON_LEVEL
