// Matrices for the conversions between sparse formats, as plain arrays whose values are arbitrary bits, and
// what the conversions mean, element by element.
#pragma once

#include "ops/operands.hpp"

#include <array>
#include <span>
#include <utility>

namespace heron::test {

using byte_array = std::vector<unsigned char>;

// With room for the largest type.
using element_bytes = std::array<unsigned char, 16>;

struct placed_element {
    std::int64_t row, col;
    element_bytes value;
};

// Elements by rows and columns, one at a place. In vectors: there are half a million of them in some.
struct element_list {
    std::int64_t rows = 0, cols = 0;
    std::vector<placed_element> elements;
};

element_list noisy(const entries& pattern, std::size_t element_size, random_source& random);

// CSR is blocks of 1 x 1.
struct block_layout {
    int rows = 1, cols = 1;
    bool by_columns = false;  // elements of a block
    int base = 0;
};

struct block_arrays {
    block_layout layout;
    int mb = 0, nb = 0;
    std::size_t element_size = 0;
    std::vector<std::int32_t> offsets, indices;
    byte_array values;

    int nnz() const { return static_cast<int>(indices.size()); }
    bool operator==(const block_arrays&) const = default;
};
inline bool operator==(const block_layout& a, const block_layout& b) {
    return a.rows == b.rows && a.cols == b.cols && a.by_columns == b.by_columns && a.base == b.base;
}

// The blocks that hold an element, filled up with zeros.
block_arrays arranged(const element_list& matrix, std::size_t element_size, const block_layout& layout);
// Every element of every block, those beyond the edge of the matrix too. The blocks are in order, as
// arranged() leaves them.
element_list all_elements(const block_arrays& blocks);
// The elements of each row in another order.
block_arrays shuffled(block_arrays csr, random_source& random);
// Blocks by columns, each as it is.
block_arrays turned(const block_arrays& blocks);

// The arrays on the device, or NULL for what is empty.
struct device_blocks {
    explicit device_blocks(const block_arrays& from, bool absent = false);
    const int* offsets() const { return address<const int>(offsets_); }
    const int* indices() const { return address<const int>(indices_); }
    template <class T>
    const T* values() const {
        return address<const T>(values_);
    }

  private:
    template <class T>
    T* address(const device_memory& m) const {
        return absent_ && m.size() == 0 ? nullptr : static_cast<T*>(m.data());
    }
    bool absent_;
    device_memory offsets_, indices_, values_;
};

// Room for arrays of exactly the expected sizes.
class device_result {
  public:
    explicit device_result(const block_arrays& expected);
    int* offsets() { return static_cast<int*>(offsets_.data()); }
    int* indices() { return static_cast<int*>(indices_.data()); }
    template <class T>
    T* values() {
        return static_cast<T*>(values_.data());
    }
    void upload_offsets() { offsets_.upload(expected_.offsets.data()); }
    // Empty, or what differs.
    std::string offsets_differ() const;
    std::string pattern_differs() const;
    std::string differs() const;

  private:
    block_arrays expected_;
    device_memory offsets_, indices_, values_;
};

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;
matrix_descriptor general_descriptor(int base);

}  // namespace heron::test
