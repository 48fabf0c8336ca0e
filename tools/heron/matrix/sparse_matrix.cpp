#include "sparse_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace heron::tools {
namespace {

std::vector<std::int64_t> count_rows(const coo_matrix& entries) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(entries.rows) + 1, 0);
    for (const std::int64_t row : entries.row) ++offsets[static_cast<std::size_t>(row) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}

// Moves the entries to their rows and keeps their order within each row.
csr_matrix bucket_by_row(const coo_matrix& entries) {
    csr_matrix result{.rows = entries.rows, .cols = entries.cols, .is_complex = entries.is_complex};
    result.offsets = count_rows(entries);
    result.columns.resize(entries.row.size());
    result.real.resize(entries.row.size());
    result.imag.resize(entries.imag.size());
    std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (std::size_t k = 0; k < entries.row.size(); ++k) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(entries.row[k])]++);
        result.columns[place] = entries.col[k];
        result.real[place] = entries.real[k];
        if (entries.is_complex) result.imag[place] = entries.imag[k];
    }
    return result;
}

class row_sorter {
  public:
    explicit row_sorter(csr_matrix& matrix) : matrix_(matrix) {}

    void sort(std::size_t first, std::size_t last) {
        const auto begin = matrix_.columns.begin();
        if (std::is_sorted(begin + static_cast<std::ptrdiff_t>(first),
                           begin + static_cast<std::ptrdiff_t>(last))) {
            return;
        }
        load(first, last);
        std::sort(row_.begin(), row_.end(), [](const entry& a, const entry& b) {
            return a.column != b.column ? a.column < b.column : a.position < b.position;
        });
        store(first);
    }

  private:
    struct entry {
        std::int64_t column;
        std::size_t position;
        double real;
        double imag;
    };

    void load(std::size_t first, std::size_t last) {
        row_.clear();
        for (std::size_t k = first; k < last; ++k) {
            row_.push_back(
                {matrix_.columns[k], k, matrix_.real[k], matrix_.is_complex ? matrix_.imag[k] : 0.0});
        }
    }

    void store(std::size_t place) {
        for (const entry& e : row_) {
            matrix_.columns[place] = e.column;
            matrix_.real[place] = e.real;
            if (matrix_.is_complex) matrix_.imag[place] = e.imag;
            ++place;
        }
    }

    csr_matrix& matrix_;
    std::vector<entry> row_;
};

void sort_rows(csr_matrix& matrix) {
    row_sorter sorter(matrix);
    for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
        sorter.sort(static_cast<std::size_t>(matrix.offsets[row]),
                    static_cast<std::size_t>(matrix.offsets[row + 1]));
    }
}

void sum_duplicates(csr_matrix& matrix) {
    std::size_t kept = 0;
    std::size_t read = 0;
    for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
        const auto row_end = static_cast<std::size_t>(matrix.offsets[row + 1]);
        const std::size_t row_begin = kept;
        for (; read < row_end; ++read) {
            if (kept > row_begin && matrix.columns[kept - 1] == matrix.columns[read]) {
                matrix.real[kept - 1] += matrix.real[read];
                if (matrix.is_complex) matrix.imag[kept - 1] += matrix.imag[read];
                continue;
            }
            matrix.columns[kept] = matrix.columns[read];
            matrix.real[kept] = matrix.real[read];
            if (matrix.is_complex) matrix.imag[kept] = matrix.imag[read];
            ++kept;
        }
        matrix.offsets[row + 1] = static_cast<std::int64_t>(kept);
    }
    matrix.columns.resize(kept);
    matrix.real.resize(kept);
    if (matrix.is_complex) matrix.imag.resize(kept);
}

}  // namespace

csr_matrix to_csr(const coo_matrix& entries) {
    csr_matrix result = bucket_by_row(entries);
    sort_rows(result);
    sum_duplicates(result);
    return result;
}

row_lengths measure_rows(const csr_matrix& matrix) {
    if (matrix.rows == 0) return {};
    row_lengths result{.min = std::numeric_limits<std::int64_t>::max()};
    for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
        const std::int64_t length = matrix.offsets[row + 1] - matrix.offsets[row];
        result.min = std::min(result.min, length);
        result.max = std::max(result.max, length);
    }
    result.mean = static_cast<double>(matrix.nnz()) / static_cast<double>(matrix.rows);
    return result;
}

}  // namespace heron::tools
