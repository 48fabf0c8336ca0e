#pragma once
// Block rows as the host's SpMV walks them; see sources.hpp.
#include "block_lines.hpp"
#include "sources.hpp"

namespace heron::HERON_LEVEL {

// The products of square blocks of one size, which the compiler knows. A line is a row of a block in row
// order, a column in column order.
template <class CT, class IT, bool conjugate, int size>
struct small_blocks {
    using line = block_line<CT, size>;
    static constexpr int64_t elements = size * size;
    const CT* a;
    const IT* indices;

    // sums[l] := the products of the blocks' lines l with what x has for their block columns. Some lines at a
    // time, whose sums fit the registers.
    [[gnu::always_inline]] void multiply_lines(range blocks, const CT* x, CT* sums) const {
        constexpr int vectors = line::pieces * parts_of<CT>::count;
        constexpr int at_once = size * vectors <= 16 ? size : size / 2;
        for (int first = 0; first < size; first += at_once) {
            line_product<CT, size> products[at_once];
            for (int64_t b = blocks.begin; b < blocks.end; ++b) {
                const line xb = line::load(x + static_cast<int64_t>(indices[b]) * size);
                const line crossed = line::is_complex ? xb.crossed() : xb;
                const CT* const lines = a + b * elements + first * size;
#pragma GCC unroll 8
                for (int l = 0; l < at_once; ++l) products[l].add(line::load(lines + l * size), xb, crossed);
            }
            store_products<conjugate, at_once>(products, sums + first);
        }
    }

    // sums := the blocks' lines by the elements of x, added up.
    [[gnu::always_inline]] void add_up_lines(range blocks, const CT* x, CT* sums) const {
        line_sum<CT, size> sum;
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            const CT* const xb = x + static_cast<int64_t>(indices[b]) * size;
#pragma GCC unroll 8
            for (int l = 0; l < size; ++l) sum.add(line::load(a + b * elements + l * size), xb[l]);
        }
        sum.template value<conjugate>().store(sums);
    }

    // The same for op T: each block's result is added to y.
    [[gnu::always_inline]] void scatter_line_sums(range blocks, const CT* factors, CT* y) const {
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            line_sum<CT, size> sum;
#pragma GCC unroll 8
            for (int l = 0; l < size; ++l) sum.add(line::load(a + b * elements + l * size), factors[l]);
            CT* const to = y + static_cast<int64_t>(indices[b]) * size;
            line result = line::load(to);
            result.add(sum.template value<conjugate>());
            result.store(to);
        }
    }
    [[gnu::always_inline]] void scatter_line_products(range blocks, const CT* factors, CT* y) const {
        const line x = line::load(factors);
        const line crossed = line::is_complex ? x.crossed() : x;
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            line_product<CT, size> products[size];
#pragma GCC unroll 8
            for (int l = 0; l < size; ++l)
                products[l].add(line::load(a + b * elements + l * size), x, crossed);
            CT sums[size];
            store_products<conjugate, size>(products, sums);
            CT* const to = y + static_cast<int64_t>(indices[b]) * size;
#pragma GCC unroll 8
            for (int l = 0; l < size; ++l) to[l] = add(to[l], sums[l]);
        }
    }
};

template <class VA, class VX, class CT, class IT, bool conjugate>
class bsr_source {
  public:
    bsr_source(const heron_spmat& a, const VX* x, CT alpha, bool streams)
        : offsets_(a.offsets, a.offset_type),
          indices_(as<const IT>(a.indices)),
          values_(as<const VA>(a.values)),
          x_(x),
          block_rows_(a.block_rows),
          block_cols_(a.block_cols),
          rows_of_blocks_(a.rows / a.block_rows),
          base_(a.base),
          alpha_(alpha),
          row_order_(a.block_order == HERON_ORDER_ROW),
          streams_(streams) {}

    template <class Emit>
    void sum_rows(int part, int parts, Emit emit, row_fragment<CT>*) const {
        const bool done = visit_small([&]<int size>(small_blocks<CT, IT, conjugate, size> small) {
            const auto x = shifted(x_, base_ * size);
            each_row(part, parts, [&](int64_t block_row, range blocks) {
                CT sums[size];
                row_order_ ? small.multiply_lines(blocks, x, sums) : small.add_up_lines(blocks, x, sums);
                for (int r = 0; r < size; ++r) emit(block_row * size + r, sums[r]);
            });
        });
        if (done) return;
        each_row(part, parts, [&](int64_t block_row, range blocks) {
            int64_t r = 0;
            if (!row_order_)
                for (; r + strip <= block_rows_; r += strip) sum_strip<strip>(block_row, r, blocks, emit);
            for (; r < block_rows_; ++r) sum_strip<1>(block_row, r, blocks, emit);
        });
    }

    template <class To>
    void add_rows(int part, int parts, To& to) const {
        const bool done = visit_small([&]<int size>(small_blocks<CT, IT, conjugate, size> small) {
            each_row(part, parts, [&](int64_t block_row, range blocks) {
                cover_indices(to, indices_ + blocks.begin, blocks.end - blocks.begin, base_, block_cols_);
                CT factors[size];
                for (int r = 0; r < size; ++r) factors[r] = mul(alpha_, load<CT>(x_[block_row * size + r]));
                CT* const y = const_cast<CT*>(shifted(to.values, base_ * size));
                row_order_ ? small.scatter_line_sums(blocks, factors, y)
                           : small.scatter_line_products(blocks, factors, y);
            });
        });
        if (done) return;
        each_row(part, parts, [&](int64_t block_row, range blocks) {
            cover_indices(to, indices_ + blocks.begin, blocks.end - blocks.begin, base_, block_cols_);
            add_blocks(block_row, blocks, to.values);
        });
    }

  private:
    row_cutter cutter(int parts) const { return {offsets_, base_, rows_of_blocks_, 1, false, parts}; }

    // Calls f(block row, its blocks) for the block rows of a part, with empty ones.
    template <class F>
    [[gnu::always_inline]] void each_row(int part, int parts, F&& f) const {
        const row_cutter cutter = this->cutter(parts);
        const int64_t end = cutter.find(part + 1).row;
        for (int64_t block_row = cutter.find(part).row; block_row < end; ++block_row) {
            const range blocks{cutter.element(block_row), cutter.element(block_row + 1)};
            if (streams_) prefetch_blocks(blocks);
            f(block_row, blocks);
        }
    }

    void prefetch_blocks(range blocks) const {
        const int64_t size = block_rows_ * block_cols_;
        prefetch_ahead(values_, blocks.begin * size, blocks.end * size);
        prefetch_ahead(indices_, blocks.begin, blocks.end);
    }

    // Calls f with the products of these blocks if they are square, small and of compute type; says whether.
    template <class F>
    [[gnu::always_inline]] bool visit_small(F&& f) const {
        if constexpr (same_type<VA, CT> && same_type<VX, CT> && !same_type<CT, i32>) {
            if (block_rows_ != block_cols_) return false;
            switch (block_rows_) {
                case 2: return f(small_blocks<CT, IT, conjugate, 2>{values_, indices_}), true;
                case 3: return f(small_blocks<CT, IT, conjugate, 3>{values_, indices_}), true;
                case 4: return f(small_blocks<CT, IT, conjugate, 4>{values_, indices_}), true;
                case 6: return f(small_blocks<CT, IT, conjugate, 6>{values_, indices_}), true;
                case 8: return f(small_blocks<CT, IT, conjugate, 8>{values_, indices_}), true;
            }
        }
        return false;
    }

    // `width` neighbouring scalar rows at once; more than one only in column order, where they are
    // contiguous.
    template <int width, class Emit>
    void sum_strip(int64_t block_row, int64_t r, range blocks, Emit emit) const {
        const int64_t column_step = row_order_ ? 1 : block_rows_;
        const int64_t first = row_order_ ? r * block_cols_ : r;
        CT sums[width] = {};
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            const VA* a = values_ + b * block_rows_ * block_cols_ + first;
            const VX* const x = x_ + (static_cast<int64_t>(indices_[b]) - base_) * block_cols_;
            for (int64_t c = 0; c < block_cols_; ++c, a += column_step) {
                const CT xc = load<CT>(x[c]);
                for (int lane = 0; lane < width; ++lane)
                    sums[lane] = mad(matrix_element<conjugate, CT>(a[lane]), xc, sums[lane]);
            }
        }
        for (int lane = 0; lane < width; ++lane) emit(block_row * block_rows_ + r + lane, sums[lane]);
    }

    void add_blocks(int64_t block_row, range blocks, CT* y) const {
        const int64_t row_step = row_order_ ? block_cols_ : 1;
        const int64_t column_step = row_order_ ? 1 : block_rows_;
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            const VA* const a = values_ + b * block_rows_ * block_cols_;
            CT* const to = y + (static_cast<int64_t>(indices_[b]) - base_) * block_cols_;
            for (int64_t r = 0; r < block_rows_; ++r) {
                const CT factor = mul(alpha_, load<CT>(x_[block_row * block_rows_ + r]));
                for (int64_t c = 0; c < block_cols_; ++c)
                    to[c] =
                        mad(matrix_element<conjugate, CT>(a[r * row_step + c * column_step]), factor, to[c]);
            }
        }
    }

    static constexpr int strip = 8;
    offset_array offsets_;
    const IT* indices_;
    const VA* values_;
    const VX* x_;
    int64_t block_rows_, block_cols_, rows_of_blocks_, base_;
    CT alpha_;
    bool row_order_, streams_;
};

}  // namespace heron::HERON_LEVEL
