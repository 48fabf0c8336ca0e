// A BSR matrix for the typed functions: its arrays on the device and a descriptor.
#pragma once

#include "ops/operands.hpp"
#include "typed_functions.hpp"

namespace heron::test {

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;

inline matrix_descriptor describe_general(int base) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    return matrix_descriptor(descr);
}

inline layout square_blocks(std::int64_t size, cusparseDirection_t direction) {
    layout l{"BSR", CUSPARSE_FORMAT_BSR};
    l.block_rows = l.block_cols = size;
    l.block_order = direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    return l;
}

inline index_choice indices_of_base(int base) { return {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base}; }

// Full blocks in the places of a pattern's elements.
inline entries with_blocks(const entries& blocks, std::int64_t size) {
    entries result{blocks.rows * size, blocks.cols * size, {}};
    for (const entry& e : blocks.list)
        for (std::int64_t r = 0; r < size; ++r)
            for (std::int64_t c = 0; c < size; ++c)
                result.list.push_back({e.row * size + r, e.col * size + c, 1.0});
    return result;
}

// With `absent` the arrays of a matrix that stores nothing are NULL.
template <class T>
class bsr_operand {
  public:
    bsr_operand(const sparse_arrays& arrays, bool absent = false)
        : direction(arrays.block_order == CUSPARSE_ORDER_ROW ? CUSPARSE_DIRECTION_ROW
                                                             : CUSPARSE_DIRECTION_COLUMN),
          block(static_cast<int>(arrays.block_rows)),
          block_rows(static_cast<int>(arrays.rows / arrays.block_rows)),
          block_cols(static_cast<int>(arrays.cols / arrays.block_cols)),
          nnz(static_cast<int>(arrays.nnz)),
          descr(describe_general(arrays.base)),
          absent_(absent),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets, 1),
          columns_(CUSPARSE_INDEX_32I, arrays.indices, 1),
          values_(arrays.type, arrays.values, 1) {}

    T* values() const { return absent_ ? nullptr : static_cast<T*>(values_.data()); }
    const int* offsets() const { return absent_ ? nullptr : static_cast<const int*>(offsets_.data()); }
    const int* columns() const { return absent_ ? nullptr : static_cast<const int*>(columns_.data()); }
    void upload(const std::vector<number>& values) { values_.upload(values); }

    const cusparseDirection_t direction;
    const int block, block_rows, block_cols, nnz;
    const matrix_descriptor descr;

  private:
    bool absent_;
    index_array offsets_, columns_;
    typed_array values_;
};

template <class T>
const T* typed(const void* p) {
    return static_cast<const T*>(p);
}

inline constexpr cusparseDirection_t both_directions[] = {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN};

}  // namespace heron::test
