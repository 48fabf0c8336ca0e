#pragma once
// What is done with the columns of a stored matrix, some of them together.
#include "bands.hpp"
#include "columns.hpp"

namespace heron::HERON_LEVEL {

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

// sums[i - rows.begin] += the sum over j in `columns` of element (i, j)*x[j].
template <class CT>
void add_columns(const stored_columns<CT>& a, range columns, range rows, const CT* x, CT* sums) {
    // Beyond the second-level cache short pieces of columns come slowly (results: blas-20).
    constexpr int64_t few = 262144 / static_cast<int64_t>(sizeof(CT));
    const bool is_small = a.is_full() && (rows.end - rows.begin) * (columns.end - columns.begin) <= few;
    if (is_small && add_small(a, columns, rows, x, sums)) return;
    const int64_t left = a.is_narrow() ? add_band(a, columns, rows, x, sums) : rows.begin;
    if (left == rows.end) return;
    const range wanted{left, rows.end};
    const auto add_group = [&]<int K>(int64_t j, std::integral_constant<int, K>, range common) {
        const column_pointers<K, CT> own(a, j, common.begin);
        add_columns<K>(sums + (common.begin - rows.begin), own.at, x + j, common.end - common.begin);
        for_others<K>(a, j, common, wanted, [&](int k, int64_t i) {
            CT& sum = sums[i - rows.begin];
            sum = mad(a.column(j + k)[i], x[j + k], sum);
        });
    };
    const range with = a.columns_with(wanted, columns);
    a.is_narrow() ? for_groups<1>(a, with, wanted, add_group) : for_groups<8>(a, with, wanted, add_group);
}

// results[j - columns.begin] := the sum over i in `rows` of element (i, j), or its conjugate, times x[i].
template <class CT>
void column_dots(const stored_columns<CT>& a, range columns, range rows, const CT* x, bool conjugate,
                 CT* results) {
    if (a.is_narrow()) return band_dots(a, columns, rows, x, conjugate, results);
    for_groups<8>(a, columns, rows, [&]<int K>(int64_t j, std::integral_constant<int, K>, range common) {
        const column_pointers<K, CT> own(a, j, common.begin);
        CT* const sums = results + (j - columns.begin);
        column_dots<K>(own.at, common.end - common.begin, conjugate, sums, x + common.begin);
        for_others<K>(a, j, common, rows, [&](int k, int64_t i) {
            const CT element = a.column(j + k)[i];
            sums[k] = mad(conjugate ? conj(element) : element, x[i], sums[k]);
        });
    });
}

// The same of one column.
template <class CT>
CT column_dot(const stored_columns<CT>& a, int64_t j, range rows, const CT* x, bool conjugate) {
    CT sum;
    column_dots(a, {j, j + 1}, rows, x, conjugate, &sum);
    return sum;
}

}  // namespace heron::HERON_LEVEL
