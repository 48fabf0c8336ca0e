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

  private:
    CT* first_;
    const heron_stored_matrix& a_;
    int64_t rows_, below_, above_;
    bool is_lower_ = false;
};

// sums[i] += the sum over k < K of columns[k][i]*x[k].
template <int K, class CT>
void add_columns(CT* sums, const CT* const* columns, const CT* x, int64_t count) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, L = most_lanes<R>;
    R re[K];
    lanes<R, L> im[K];
    const R* from[K];
    for (int k = 0; k < K; ++k) {
        from[k] = reinterpret_cast<const R*>(columns[k]);
        if constexpr (parts == 1) {
            re[k] = x[k];
        } else {
            re[k] = x[k].re;
            for (int l = 0; l < L; ++l) im[k][l] = l % 2 ? x[k].im : -x[k].im;
        }
    }
    R* const to = reinterpret_cast<R*>(sums);
    int64_t i = 0;
    for (; i + L <= parts * count; i += L) {
        auto sum = load_lanes<L>(to + i);
        for (int k = 0; k < K; ++k) {
            const auto v = load_lanes<L>(from[k] + i);
            sum += v * re[k];
            if constexpr (parts == 2) sum += exchanged_parts<R, L>(v) * im[k];
        }
        store_lanes<L>(to + i, sum);
    }
    for (int64_t row = i / parts; row < count; ++row)
        for (int k = 0; k < K; ++k) sums[row] = mad(columns[k][row], x[k], sums[row]);
}

// Whether columns j ... j + K - 1 have all of the rows.
template <int K, class CT>
bool are_whole(const stored_columns<CT>& a, int64_t j, range rows) {
    for (int64_t k = j; k < j + K; ++k) {
        const range found = a.rows(k, rows);
        if (found.begin != rows.begin || found.end != rows.end) return false;
    }
    return true;
}

template <int K, class CT>
void add_whole_columns(const stored_columns<CT>& a, int64_t j, range rows, const CT* x, CT* sums) {
    const CT* columns[K];
    for (int k = 0; k < K; ++k) columns[k] = a.column(j + k) + rows.begin;
    add_columns<K>(sums, columns, x + j, rows.end - rows.begin);
}

// sums[i - rows.begin] += the sum over j in `columns` of element (i, j)*x[j].
template <class CT>
void add_columns(const stored_columns<CT>& a, range columns, range rows, const CT* x, CT* sums) {
    int64_t j = columns.begin;
    while (j < columns.end) {
        if (j + 8 <= columns.end && are_whole<8>(a, j, rows)) {
            add_whole_columns<8>(a, j, rows, x, sums);
            j += 8;
            continue;
        }
        const range found = a.rows(j, rows);
        if (found.begin < found.end) add_whole_columns<1>(a, j, found, x, sums + (found.begin - rows.begin));
        ++j;
    }
}

// The sum over i in `rows` of element (i, j), or its conjugate, times x[i].
template <class CT>
CT column_dot(const stored_columns<CT>& a, int64_t j, range rows, const CT* x, bool conjugate) {
    const range found = a.rows(j, rows);
    product_sums<CT> sums;
    sums.add(a.column(j) + found.begin, x + found.begin, found.end - found.begin);
    return sums.total(conjugate);
}

// The same of K columns that have all of the rows: x is loaded once for them.
template <int K, class CT>
void column_dots(const stored_columns<CT>& a, int64_t j, range rows, const CT* xs, bool conjugate, CT* sums) {
    using R = real_of<CT>;
    constexpr int parts = parts_of<CT>::count, L = most_lanes<R>;
    lanes<R, L> same[K]{}, crossed[K]{};
    const R* from[K];
    for (int k = 0; k < K; ++k) from[k] = reinterpret_cast<const R*>(a.column(j + k) + rows.begin);
    const R* const x = reinterpret_cast<const R*>(xs + rows.begin);
    const int64_t count = rows.end - rows.begin;
    int64_t i = 0;
    for (; i + L <= parts * count; i += L) {
        const auto xi = load_lanes<L>(x + i);
        [[maybe_unused]] lanes<R, L> turned = xi;
        if constexpr (parts == 2) turned = exchanged_parts<R, L>(xi);
        for (int k = 0; k < K; ++k) {
            const auto v = load_lanes<L>(from[k] + i);
            same[k] += v * xi;
            if constexpr (parts == 2) crossed[k] += v * turned;
        }
    }
    for (int k = 0; k < K; ++k) {
        const CT* const column = a.column(j + k) + rows.begin;
        const lanes<R, 2> of_same = folded<L, R>(same[k]), of_crossed = folded<L, R>(crossed[k]);
        CT sum;
        if constexpr (parts == 1)
            sum = of_same[0] + of_same[1];
        else if (conjugate)
            sum = {of_same[0] + of_same[1], of_crossed[0] - of_crossed[1]};
        else
            sum = {of_same[0] - of_same[1], of_crossed[0] + of_crossed[1]};
        for (int64_t row = i / parts; row < count; ++row)
            sum = mad(conjugate ? conj(column[row]) : column[row], xs[rows.begin + row], sum);
        sums[k] = sum;
    }
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

// y := value + beta*y at i; beta = 0 does not read it.
template <class CT>
void update(const heron_vector_operand& v, int64_t i, CT value, CT beta) {
    CT& y = as<CT>(v.memory)[v.offset + i * v.inc];
    y = equal(beta, CT{}) ? value : mad(beta, y, value);
}

}  // namespace heron::HERON_LEVEL
