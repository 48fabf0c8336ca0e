#pragma once
// The matrix formats as the host's SpMV walks them. A source knows its matrix and x, and cuts itself into
// parts:
//
//   sum_rows(part, parts, emit, fragments)   op = N: calls emit(row, sum) for every whole row of the part
//   add_rows(part, parts, to)                adds alpha*op(A)*x of the part into to.values, covering what it
//   touches
#include "host/runtime/accumulate.hpp"
#include "rows.hpp"

namespace heron::HERON_LEVEL {

// The sum of a part of a row that several threads share.
template <class CT>
struct row_fragment {
    int64_t row;  // -1: none
    CT sum;
};

// Whether most rows are as long as one in the middle, judged by some.
inline bool rows_are_alike(offset_array offsets, int64_t rows) {
    constexpr int64_t samples = 8;
    const int64_t length = offsets[rows / 2 + 1] - offsets[rows / 2];
    int64_t alike = 0;
    for (int64_t s = 0; s < samples; ++s) {
        const int64_t row = rows * s / samples;
        alike += offsets[row + 1] - offsets[row] == length;
    }
    return 4 * alike >= 3 * samples;
}

// Elements that are walked at a time when their hull is needed first: not more than have been asked for
// ahead.
inline constexpr int64_t hull_block = 256;

// Makes room in `to` for what these indices, scaled by a block length, address.
template <class CT, class IT>
void cover_indices(accumulator<CT>& to, const IT* indices, int64_t count, int64_t base,
                   int64_t block_length = 1) {
    if (to.is_whole) return;
    const range hull = hull_of(indices, count, base);
    if (hull.begin < hull.end) to.cover(hull.begin * block_length, hull.end * block_length);
}

template <class CT, class IT>
void cover_indices(whole_vector<CT>&, const IT*, int64_t, int64_t, int64_t = 1) {}

// The loops copy members to locals first: for all the compiler knows, a store into y may change a member.
template <class VA, class VX, class CT, class IT, bool conjugate>
class csr_source {
  public:
    csr_source(const heron_spmat& a, const VX* x, CT alpha, row_walk walk)
        : offsets_(a.offsets, a.offset_type),
          indices_(as<const IT>(a.indices)),
          values_(as<const VA>(a.values)),
          x_(x),
          rows_(a.rows),
          nnz_(a.nnz),
          base_(a.base),
          alpha_(alpha),
          walk_(walk) {}

    template <class Emit>
    void sum_rows(int part, int parts, Emit emit, row_fragment<CT>* fragments) const {
        const row_cutter cutter = this->cutter(parts);
        const cut from = cutter.find(part);
        const cut to = cutter.find(part + 1);
        int64_t row = from.row;
        if (row < rows_ && from.element > cutter.element(row)) {
            const int64_t end = to.row == row ? to.element : cutter.element(row + 1);
            fragments[0] = {row, sum(from.element, end)};
            if (to.row == row) return;
            ++row;
        }
        offsets_.visit([&](const auto* offsets) {
            visit_way<can_gather<VA, VX, CT>>(
                walk_.way, [&]<row_way way>() { sum_whole_rows<way>(offsets, row, to.row, emit); });
        });
        if (to.row < rows_ && to.element > cutter.element(to.row))
            fragments[1] = {to.row, sum(cutter.element(to.row), to.element)};
    }

    template <class To>
    void add_rows(int part, int parts, To& to) const {
        const row_cutter cutter = this->cutter(parts);
        const cut from = cutter.find(part);
        const cut last = cutter.find(part + 1);
        offsets_.visit([&](const auto* offsets) { add_between(offsets, from, last, to); });
    }

  private:
    row_cutter cutter(int parts) const {
        constexpr int64_t row_cost = 2;
        return {offsets_, base_, rows_, row_cost, true, parts};
    }

    CT sum(int64_t begin, int64_t end) const {
        CT result{};
        const row_way way = walk_.way == row_way::in_order ? row_way::in_lanes : walk_.way;
        visit_way<can_gather<VA, VX, CT>>(way, [&]<row_way w>() {
            result =
                row_sum<w, conjugate, VA, VX, CT, IT>::of(values_, indices_, shifted(x_, base_), begin, end);
        });
        return result;
    }

    template <row_way way, class OT, class Emit>
    void sum_whole_rows(const OT* offsets, int64_t row, int64_t end_row, Emit emit) const {
        const IT* const indices = indices_;
        const VA* const values = values_;
        const VX* const x = shifted(x_, base_);
        const int64_t base = base_;
        const bool prefetch = walk_.prefetch && way != row_way::gathered;
        const int64_t round = prefetch ? rows_per_round(rows_, nnz_) : end_row;
        int64_t begin = int64_t{offsets[row]} - base;
        while (row < end_row) {
            const int64_t round_end = end_row - row < round ? end_row : row + round;
            if (prefetch) {
                prefetch_ahead(values, begin, int64_t{offsets[round_end]} - base);
                prefetch_ahead(indices, begin, int64_t{offsets[round_end]} - base);
            }
            for (; row < round_end; ++row) {
                const int64_t end = int64_t{offsets[row + 1]} - base;
                emit(row, row_sum<way, conjugate, VA, VX, CT, IT>::of(values, indices, x, begin, end));
                begin = end;
            }
        }
    }

    template <class OT>
    void add_between(const OT* offsets, cut from, cut last, whole_vector<CT>& to) const {
        add_block(offsets, from.row, from.element, last.element, to.values);
    }

    template <class OT>
    void add_between(const OT* offsets, cut from, cut last, accumulator<CT>& to) const {
        const auto end_of = [&](int64_t row) {
            return row == last.row ? last.element : int64_t{offsets[row + 1]} - base_;
        };
        const bool splits_last = last.row < rows_ && last.element > int64_t{offsets[last.row]} - base_;
        const int64_t end_row = splits_last ? last.row + 1 : last.row;
        int64_t begin = from.element;
        for (int64_t row = from.row; row < end_row;) {
            int64_t block_end = row + 1;
            while (block_end < end_row && end_of(block_end) - begin <= hull_block) ++block_end;
            const int64_t end = end_of(block_end - 1);
            cover_indices(to, indices_ + begin, end - begin, base_);
            add_block(offsets, row, begin, end, to.values);
            row = block_end;
            begin = end;
        }
    }

    // Elements [begin, end), the first of which are of `row`.
    template <class OT>
    void add_block(const OT* offsets, int64_t row, int64_t begin, int64_t end, CT* y) const {
        constexpr int64_t step = 4;
        const IT* const indices = indices_;
        const VA* const values = values_;
        const VX* const x = x_;
        const int64_t base = base_;
        const bool prefetch = walk_.prefetch;
        const CT alpha = alpha_;
        CT* const to = const_cast<CT*>(shifted(y, base));
        for (; begin < end; ++row) {
            const int64_t stored_end = int64_t{offsets[row + 1]} - base;
            const int64_t row_end = stored_end < end ? stored_end : end;
            const row_factor factor = factor_of(mul(alpha, load<CT>(x[row])));
            for (; begin + step <= row_end; begin += step) {
                if (prefetch) {
                    prefetch_ahead(values + begin);
                    prefetch_ahead(indices + begin);
                }
                add_elements<step>(values + begin, indices + begin, factor, to);
            }
            for (; begin < row_end; ++begin) add_elements<1>(values + begin, indices + begin, factor, to);
        }
    }

    static constexpr bool in_lanes = in_complex_lanes<VA, VA, CT>;
    using row_factor = std::conditional_t<in_lanes, complex_factor<CT>, CT>;

    static row_factor factor_of(CT factor) {
        if constexpr (in_lanes)
            return row_factor(factor, conjugate);
        else
            return factor;
    }

    // Reads the matrix before it writes, which may be to the same addresses for all the compiler knows.
    template <int64_t count>
    static void add_elements(const VA* values, const IT* indices, row_factor factor, CT* to) {
        if constexpr (in_lanes) {
            factor.template add<count>(values, indices, to);
        } else {
            CT elements[count];
            for (int64_t i = 0; i < count; ++i) elements[i] = matrix_element<conjugate, CT>(values[i]);
            for (int64_t i = 0; i < count; ++i) to[indices[i]] = mad(elements[i], factor, to[indices[i]]);
        }
    }

    offset_array offsets_;
    const IT* indices_;
    const VA* values_;
    const VX* x_;
    int64_t rows_, nnz_, base_;
    CT alpha_;
    row_walk walk_;
};

// COO in either direction: rows are the places in y. Runs of one row are summed before they are added.
template <class VA, class VX, class CT, class IT, bool conjugate>
class coo_source {
  public:
    coo_source(const heron_spmat& a, bool transposed, const VX* x, CT alpha, row_walk walk)
        : to_(as<const IT>(transposed ? a.indices : a.row_indices)),
          from_(as<const IT>(transposed ? a.row_indices : a.indices)),
          values_(as<const VA>(a.values)),
          x_(x),
          nnz_(a.nnz),
          base_(a.base),
          alpha_(alpha),
          walk_(walk),
          transposed_(transposed) {}

    template <class To>
    void add_rows(int part, int parts, To& to) const {
        const range mine = equal_part(nnz_, part, parts);
        CT* const y = const_cast<CT*>(shifted(to.values, base_));
        for (int64_t begin = mine.begin; begin < mine.end; begin += hull_block) {
            const int64_t end = begin + hull_block < mine.end ? begin + hull_block : mine.end;
            cover_indices(to, to_ + begin, end - begin, base_);
            if (transposed_)
                add_elements(begin, end, y);
            else
                visit_way<can_gather<VA, VX, CT>>(walk_.way,
                                                  [&]<row_way way>() { add_runs<way>(begin, end, y); });
        }
    }

  private:
    // Elements between two rounds of prefetching.
    static constexpr int64_t round = 64;

    void prefetch(int64_t begin) const {
        if (!walk_.prefetch) return;
        prefetch_ahead(values_, begin, begin + round);
        prefetch_ahead(to_, begin, begin + round);
        prefetch_ahead(from_, begin, begin + round);
    }

    void add_elements(int64_t begin, int64_t end, CT* y) const {
        const IT* const to = to_;
        const IT* const from = from_;
        const VA* const values = values_;
        const VX* const x = shifted(x_, base_);
        const CT alpha = alpha_;
        while (begin < end) {
            const int64_t round_end = end - begin < round ? end : begin + round;
            prefetch(begin);
            for (; begin < round_end; ++begin) {
                const CT factor = mul(alpha, load<CT>(x[from[begin]]));
                y[to[begin]] = mad(matrix_element<conjugate, CT>(values[begin]), factor, y[to[begin]]);
            }
        }
    }

    template <row_way way>
    void add_runs(int64_t begin, int64_t end, CT* y) const {
        const IT* const to = to_;
        const IT* const from = from_;
        const VA* const values = values_;
        const VX* const x = shifted(x_, base_);
        const CT alpha = alpha_;
        for (int64_t asked = begin; begin < end;) {
            if (asked <= begin) {
                prefetch(asked);
                asked += round;
            }
            const IT row = to[begin];
            int64_t run_end = begin + 1;
            while (run_end < end && to[run_end] == row) ++run_end;
            y[row] = mad(alpha, row_sum<way, conjugate, VA, VX, CT, IT>::of(values, from, x, begin, run_end),
                         y[row]);
            begin = run_end;
        }
    }

    const IT* to_;
    const IT* from_;
    const VA* values_;
    const VX* x_;
    int64_t nnz_, base_;
    CT alpha_;
    row_walk walk_;
    bool transposed_;
};

// Sliced ELLPACK: a slice stores its rows' first elements, then their second ones, and so on; index -1 is
// padding.
template <class VA, class VX, class CT, class IT, bool conjugate>
class sell_source {
  public:
    sell_source(const heron_spmat& a, const VX* x, CT alpha)
        : offsets_(a.offsets, a.offset_type),
          indices_(as<const IT>(a.indices)),
          values_(as<const VA>(a.values)),
          x_(x),
          rows_(a.rows),
          slice_size_(a.slice_size),
          slices_((a.rows + a.slice_size - 1) / a.slice_size),
          base_(a.base),
          alpha_(alpha) {}

    template <class Emit>
    void sum_rows(int part, int parts, Emit emit, row_fragment<CT>*) const {
        const row_cutter cutter = this->cutter(parts);
        const int64_t end = cutter.find(part + 1).row;
        for (int64_t slice = cutter.find(part).row; slice < end; ++slice) {
            const range elements{cutter.element(slice), cutter.element(slice + 1)};
            const int64_t first_row = slice * slice_size_;
            const int64_t height = rows_ - first_row < slice_size_ ? rows_ - first_row : slice_size_;
            int64_t row = 0;
            for (; row + strip <= height; row += strip) sum_strip<strip>(elements, first_row, row, emit);
            for (; row < height; ++row) sum_strip<1>(elements, first_row, row, emit);
        }
    }

    template <class To>
    void add_rows(int part, int parts, To& to) const {
        const row_cutter cutter = this->cutter(parts);
        const int64_t end = cutter.find(part + 1).row;
        for (int64_t slice = cutter.find(part).row; slice < end; ++slice) {
            const range elements{cutter.element(slice), cutter.element(slice + 1)};
            if (elements.begin == elements.end) continue;
            cover_indices(to, indices_ + elements.begin, elements.end - elements.begin, base_);
            add_slice(elements, slice * slice_size_, to.values);
        }
    }

  private:
    static constexpr int strip = 8;

    row_cutter cutter(int parts) const { return {offsets_, offsets_[0], slices_, slice_size_, false, parts}; }

    // `width` neighbouring rows of a slice at once.
    template <int width, class Emit>
    void sum_strip(range elements, int64_t first_row, int64_t row, Emit emit) const {
        const VX* const x = shifted(x_, base_);
        CT sums[width] = {};
        for (int64_t k = elements.begin + row; k < elements.end; k += slice_size_) {
            const IT* const indices = indices_ + k;
            const VA* const a = values_ + k;
            IT signs = 0;
            for (int lane = 0; lane < width; ++lane) signs |= indices[lane];
            if (signs >= 0) {
                CT xk[width];
                for (int lane = 0; lane < width; ++lane) xk[lane] = load<CT>(x[indices[lane]]);
                for (int lane = 0; lane < width; ++lane)
                    sums[lane] = mad(matrix_element<conjugate, CT>(a[lane]), xk[lane], sums[lane]);
            } else {
                for (int lane = 0; lane < width; ++lane)
                    if (indices[lane] >= 0)
                        sums[lane] = mad(matrix_element<conjugate, CT>(a[lane]), load<CT>(x[indices[lane]]),
                                         sums[lane]);
            }
        }
        for (int lane = 0; lane < width; ++lane) emit(first_row + row + lane, sums[lane]);
    }

    void add_slice(range elements, int64_t first_row, CT* y) const {
        CT* const to = const_cast<CT*>(shifted(y, base_));
        const int64_t height = rows_ - first_row < slice_size_ ? rows_ - first_row : slice_size_;
        for (int64_t column = elements.begin; column < elements.end; column += slice_size_) {
            for (int64_t row = 0; row < height; ++row) {
                const IT index = indices_[column + row];
                if (index < 0) continue;
                const CT factor = mul(alpha_, load<CT>(x_[first_row + row]));
                to[index] = mad(matrix_element<conjugate, CT>(values_[column + row]), factor, to[index]);
            }
        }
    }

    offset_array offsets_;
    const IT* indices_;
    const VA* values_;
    const VX* x_;
    int64_t rows_, slice_size_, slices_, base_;
    CT alpha_;
};

}  // namespace heron::HERON_LEVEL
