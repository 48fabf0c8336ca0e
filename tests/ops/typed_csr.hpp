// A CSR or CSC matrix for the typed functions: its arrays on the device and a descriptor.
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

inline index_choice indices_of_base(int base) { return {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base}; }

inline const layout by_rows{"CSR", CUSPARSE_FORMAT_CSR}, by_columns{"CSC", CUSPARSE_FORMAT_CSC};

template <class T>
const T* typed(const void* p) {
    return static_cast<const T*>(p);
}

// All arrays one element past an aligned address. With `absent` those of a matrix that stores nothing are
// NULL.
template <class T>
class csr_operand {
  public:
    explicit csr_operand(const sparse_arrays& arrays, bool absent = false)
        : rows(static_cast<int>(arrays.rows)),
          cols(static_cast<int>(arrays.cols)),
          nnz(static_cast<int>(arrays.nnz)),
          descr(describe_general(arrays.base)),
          absent_(absent && arrays.nnz == 0),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets, 1),
          indices_(CUSPARSE_INDEX_32I, arrays.indices, 1),
          values_(typed_functions<T>::type, arrays.values, 1) {}

    const T* values() const { return absent_ ? nullptr : typed<T>(values_.data()); }
    const int* offsets() const { return static_cast<const int*>(offsets_.data()); }
    const int* indices() const { return absent_ ? nullptr : static_cast<const int*>(indices_.data()); }

    const int rows, cols, nnz;
    const matrix_descriptor descr;

  private:
    bool absent_;
    index_array offsets_, indices_;
    typed_array values_;
};

// The arrays on the device that a typed function writes a matrix of so many lines and elements to.
template <class T>
class csr_result {
  public:
    csr_result(std::int64_t lines, std::int64_t nnz, int base)
        : base_(base),
          descr(describe_general(base)),
          offsets_(static_cast<std::size_t>(lines) + 1, 1),
          indices_(static_cast<std::size_t>(nnz), 1),
          values_(static_cast<std::size_t>(nnz), 1) {}

    T* values() const { return values_.data(); }
    int* offsets() const { return offsets_.data(); }
    int* indices() const { return indices_.data(); }
    // What was written, byte by byte.
    std::vector<int> found_offsets() const { return offsets_.download(); }
    std::vector<int> found_indices() const { return indices_.download(); }
    std::vector<unsigned char> found_bytes() const { return values_bytes(); }
    std::vector<number> found_values() const { return decode(typed_functions<T>::type, values_bytes()); }
    // The elements, of a matrix by rows.
    entries found(std::int64_t rows, std::int64_t cols) const {
        entries result{rows, cols, {}};
        const std::vector<int> starts = found_offsets(), places = found_indices();
        const std::vector<number> numbers = found_values();
        for (std::size_t i = 0; i + 1 < starts.size(); ++i)
            for (int k = starts[i] - base_; k < starts[i + 1] - base_; ++k) {
                const auto at = static_cast<std::size_t>(k);
                result.list.push_back({static_cast<std::int64_t>(i), places.at(at) - base_, numbers.at(at)});
            }
        return result;
    }

  private:
    std::vector<unsigned char> values_bytes() const {
        std::vector<unsigned char> bytes(values_.size() * sizeof(T));
        const std::vector<T> all = values_.download();
        if (!all.empty()) std::memcpy(bytes.data(), all.data(), bytes.size());
        return bytes;
    }

    int base_;

  public:
    const matrix_descriptor descr;

  private:
    device_array<int> offsets_, indices_;
    device_array<T> values_;
};

}  // namespace heron::test
