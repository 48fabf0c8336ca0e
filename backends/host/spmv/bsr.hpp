#pragma once
// Block rows as the host's SpMV walks them; see host_spmv_sources.hpp.
#include "sources.hpp"

namespace heron::HERON_LEVEL {

// One block row of small square blocks, whose size the compiler knows: sums[r] := row r of the block row
// times x.
template <int size, class CT, class IT>
void sum_block_row(range blocks, const IT* indices, const CT* a, const CT* x, bool row_order, CT* sums) {
    CT products[size * size] = {};
    if (row_order) {
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            const CT* const ab = a + b * size * size;
            const CT* const xb = x + static_cast<int64_t>(indices[b]) * size;
            for (int r = 0; r < size; ++r)
                for (int c = 0; c < size; ++c) products[r * size + c] += ab[r * size + c] * xb[c];
        }
        for (int r = 0; r < size; ++r) {
            sums[r] = 0;
            for (int c = 0; c < size; ++c) sums[r] += products[r * size + c];
        }
    } else {
        for (int64_t b = blocks.begin; b < blocks.end; ++b) {
            const CT* const ab = a + b * size * size;
            const CT* const xb = x + static_cast<int64_t>(indices[b]) * size;
            for (int c = 0; c < size; ++c)
                for (int r = 0; r < size; ++r) products[c * size + r] += ab[c * size + r] * xb[c];
        }
        for (int r = 0; r < size; ++r) {
            sums[r] = 0;
            for (int c = 0; c < size; ++c) sums[r] += products[c * size + r];
        }
    }
}

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
        const row_cutter cutter = this->cutter(parts);
        const int64_t end = cutter.find(part + 1).row;
        for (int64_t block_row = cutter.find(part).row; block_row < end; ++block_row) {
            const range blocks{cutter.element(block_row), cutter.element(block_row + 1)};
            if (streams_) prefetch_blocks(blocks);
            sum_blocks(block_row, blocks, emit);
        }
    }

    template <class To>
    void add_rows(int part, int parts, To& to) const {
        const row_cutter cutter = this->cutter(parts);
        const int64_t end = cutter.find(part + 1).row;
        for (int64_t block_row = cutter.find(part).row; block_row < end; ++block_row) {
            const range blocks{cutter.element(block_row), cutter.element(block_row + 1)};
            if (blocks.begin == blocks.end) continue;
            if (streams_) prefetch_blocks(blocks);
            cover_indices(to, indices_ + blocks.begin, blocks.end - blocks.begin, base_, block_cols_);
            add_blocks(block_row, blocks, to.values);
        }
    }

  private:
    row_cutter cutter(int parts) const { return {offsets_, base_, rows_of_blocks_, 1, false, parts}; }

    void prefetch_blocks(range blocks) const {
        const int64_t size = block_rows_ * block_cols_;
        prefetch_ahead(values_, blocks.begin * size, blocks.end * size);
        prefetch_ahead(indices_, blocks.begin, blocks.end);
    }

    template <class Emit>
    void sum_blocks(int64_t block_row, range blocks, Emit emit) const {
        if constexpr (same_type<VA, CT> && same_type<VX, CT> && !is_complex_type<CT>) {
            if (block_rows_ == block_cols_) {
                switch (block_rows_) {
                    case 2: return sum_small<2>(block_row, blocks, emit);
                    case 3: return sum_small<3>(block_row, blocks, emit);
                    case 4: return sum_small<4>(block_row, blocks, emit);
                    case 6: return sum_small<6>(block_row, blocks, emit);
                    case 8: return sum_small<8>(block_row, blocks, emit);
                }
            }
        }
        int64_t r = 0;
        if (!row_order_)
            for (; r + strip <= block_rows_; r += strip) sum_strip<strip>(block_row, r, blocks, emit);
        for (; r < block_rows_; ++r) sum_strip<1>(block_row, r, blocks, emit);
    }

    template <int size, class Emit>
    void sum_small(int64_t block_row, range blocks, Emit emit) const {
        CT sums[size];
        sum_block_row<size>(blocks, indices_, values_, shifted(x_, base_ * size), row_order_, sums);
        for (int r = 0; r < size; ++r) emit(block_row * size + r, sums[r]);
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
