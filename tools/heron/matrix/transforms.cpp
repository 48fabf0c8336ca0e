#include "transforms.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace heron::tools {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// With the place (row, column) that each entry gets.
template <class Place>
csr_matrix moved(const csr_matrix& m, std::int64_t rows, std::int64_t cols, Place place) {
    coo_matrix result{.rows = rows, .cols = cols, .is_complex = m.is_complex, .real = m.real, .imag = m.imag};
    result.row.reserve(m.columns.size());
    result.col.reserve(m.columns.size());
    for (std::int64_t row = 0; row < m.rows; ++row)
        for (std::int64_t k = m.offsets[at(row)]; k < m.offsets[at(row + 1)]; ++k) {
            const auto [to_row, to_col] = place(row, m.columns[at(k)]);
            result.row.push_back(to_row);
            result.col.push_back(to_col);
        }
    return to_csr(result);
}

std::vector<std::int64_t> random_order(std::int64_t size, splitmix64& random) {
    std::vector<std::int64_t> order(at(size));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::int64_t i = size - 1; i > 0; --i) std::swap(order[at(i)], order[at(random.below(i + 1))]);
    return order;
}

}  // namespace

csr_matrix transposed(const csr_matrix& matrix) {
    return moved(matrix, matrix.cols, matrix.rows,
                 [](std::int64_t row, std::int64_t col) { return std::pair(col, row); });
}

csr_matrix shuffled(const csr_matrix& matrix, splitmix64& random) {
    const std::vector<std::int64_t> rows = random_order(matrix.rows, random);
    const std::vector<std::int64_t> cols =
        matrix.rows == matrix.cols ? rows : random_order(matrix.cols, random);
    return moved(matrix, matrix.rows, matrix.cols,
                 [&](std::int64_t row, std::int64_t col) { return std::pair(rows[at(row)], cols[at(col)]); });
}

csr_matrix blocks_of_entries(const csr_matrix& matrix, std::int64_t size) {
    csr_matrix result{
        .rows = matrix.rows * size, .cols = matrix.cols * size, .is_complex = matrix.is_complex};
    for (std::int64_t row = 0; row < result.rows; ++row) {
        for (std::int64_t k = matrix.offsets[at(row / size)]; k < matrix.offsets[at(row / size + 1)]; ++k)
            for (std::int64_t i = 0; i < size; ++i) {
                result.columns.push_back(matrix.columns[at(k)] * size + i);
                // Diagonal blocks stay regular.
                const double scale = row % size == i ? 1 : 0.125;
                result.real.push_back(matrix.real[at(k)] * scale);
                if (matrix.is_complex) result.imag.push_back(matrix.imag[at(k)] * scale);
            }
        result.offsets.push_back(result.nnz());
    }
    return result;
}

}  // namespace heron::tools
