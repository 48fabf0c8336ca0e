#pragma once
// Matrices by columns, whose elements follow each other in every storage.
#include "common/blas2/plan.hpp"
#include "host/runtime/team.hpp"

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
    // Those of a band as if it had rows before the first and behind the last.
    range unbounded_rows(int64_t j) const { return {j - above_, j + below_ + 1}; }

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
    // Which of these columns have all of these rows; where there are none, both ends are the same.
    range columns_with_all(range rows, range wanted) const {
        const int64_t first = rows.end - 1 - below_, behind = rows.begin + above_ + 1;
        const int64_t begin = first < wanted.begin ? wanted.begin : first < wanted.end ? first : wanted.end;
        const int64_t end = behind < wanted.end ? behind : wanted.end;
        return {begin, end > begin ? end : begin};
    }

  private:
    CT* first_;
    const heron_stored_matrix& a_;
    int64_t rows_, below_, above_;
    bool is_lower_ = false;
};

template <int K, class CT>
struct column_pointers {
    column_pointers(const stored_columns<CT>& a, int64_t j, int64_t row) {
        for (int k = 0; k < K; ++k) at[k] = a.column(j + k) + row;
    }
    const CT* at[K];
};

}  // namespace heron::HERON_LEVEL
