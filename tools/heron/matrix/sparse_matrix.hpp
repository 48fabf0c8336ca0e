// The two sparse formats that the tool works with. Indices are 0-based and 64-bit, values are kept in double;
// the *_as() members hand out the arrays in the types that a library call wants.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace heron::tools {

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;

// Entries in any order; entries at the same place add up. `imag` is empty unless `is_complex`.
struct coo_matrix {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    bool is_complex = false;
    std::vector<std::int64_t> row{};
    std::vector<std::int64_t> col{};
    std::vector<double> real{};
    std::vector<double> imag{};

    std::int64_t nnz() const { return static_cast<std::int64_t>(row.size()); }
};

// Columns ascend strictly within each row. `imag` is empty unless `is_complex`.
struct csr_matrix {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    bool is_complex = false;
    std::vector<std::int64_t> offsets{0};  // rows + 1 of them
    std::vector<std::int64_t> columns{};
    std::vector<double> real{};
    std::vector<double> imag{};

    std::int64_t nnz() const { return static_cast<std::int64_t>(columns.size()); }

    // Index arrays of type Index, with `base` added. Throws std::overflow_error if an index does not fit.
    template <class Index>
    std::vector<Index> offsets_as(Index base = 0) const;
    template <class Index>
    std::vector<Index> columns_as(Index base = 0) const;

    // Values as float, double or std::complex of them; a real T takes the real parts.
    template <class T>
    std::vector<T> values_as() const;
};

// Sorts the entries and adds up those at the same place, in the order in which they come. An entry whose
// value is zero stays. Every index must be in range.
csr_matrix to_csr(const coo_matrix& entries);

struct row_lengths {
    std::int64_t min = 0;
    std::int64_t max = 0;
    double mean = 0;
};
row_lengths measure_rows(const csr_matrix& matrix);

template <class Index>
std::vector<Index> shifted_indices(const std::vector<std::int64_t>& indices, std::int64_t largest,
                                   Index base) {
    if (largest >
        static_cast<std::int64_t>(std::numeric_limits<Index>::max()) - static_cast<std::int64_t>(base)) {
        throw std::overflow_error("the matrix is too large for the requested index type");
    }
    std::vector<Index> result;
    result.reserve(indices.size());
    for (const std::int64_t index : indices) result.push_back(static_cast<Index>(index + base));
    return result;
}

template <class Index>
std::vector<Index> csr_matrix::offsets_as(Index base) const {
    return shifted_indices<Index>(offsets, nnz(), base);
}

template <class Index>
std::vector<Index> csr_matrix::columns_as(Index base) const {
    return shifted_indices<Index>(columns, cols > 0 ? cols - 1 : 0, base);
}

template <class T>
std::vector<T> csr_matrix::values_as() const {
    std::vector<T> result(real.size());
    for (std::size_t k = 0; k < real.size(); ++k) {
        if constexpr (is_complex_v<T>) {
            using part = typename T::value_type;
            result[k] = T(static_cast<part>(real[k]), is_complex ? static_cast<part>(imag[k]) : part{});
        } else {
            result[k] = static_cast<T>(real[k]);
        }
    }
    return result;
}

}  // namespace heron::tools
