#include "convert_case.hpp"

#include <algorithm>
#include <numeric>

namespace heron::tools {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

template <class T>
block_matrix<T> csr_of(const csr_matrix& m) {
    return {static_cast<int>(m.rows),     static_cast<int>(m.cols), 1, 1, m.offsets_as<std::int32_t>(),
            m.columns_as<std::int32_t>(), m.values_as<T>()};
}

// The block columns of B that rows [first, last) of elements of A reach.
template <class T>
int_list reached(const block_matrix<T>& a, std::int64_t first, std::int64_t last, int block_cols,
                 int_list& seen, int mark) {
    int_list found;
    for (std::int64_t row = first / a.block_rows; row * a.block_rows < last; ++row)
        for (int k = a.offsets[at(row)]; k < a.offsets[at(row + 1)]; ++k) {
            const std::int64_t begin = std::int64_t{a.columns[at(k)]} * a.block_cols;
            for (std::int64_t c = begin / block_cols; c * block_cols < begin + a.block_cols; ++c)
                if (seen[at(c)] != mark) {
                    seen[at(c)] = mark;
                    found.push_back(static_cast<std::int32_t>(c));
                }
        }
    std::sort(found.begin(), found.end());
    return found;
}

template <class T>
block_matrix<T> reblocked(const block_matrix<T>& a, int block_rows, int block_cols) {
    const std::int64_t m = std::int64_t{a.rows} * a.block_rows, n = std::int64_t{a.cols} * a.block_cols;
    block_matrix<T> b{static_cast<int>((m + block_rows - 1) / block_rows),
                      static_cast<int>((n + block_cols - 1) / block_cols),
                      block_rows,
                      block_cols,
                      {0},
                      {},
                      {}};
    int_list seen(at(b.cols), -1), block_of(at(b.cols));
    for (int line = 0; line < b.rows; ++line) {
        const std::int64_t first = std::int64_t{line} * block_rows, last = std::min(first + block_rows, m);
        for (const std::int32_t c : reached(a, first, last, block_cols, seen, line)) {
            block_of[at(c)] = b.nnz();
            b.columns.push_back(c);
        }
        b.offsets.push_back(b.nnz());
        b.values.resize(at(b.nnz()) * at(block_rows) * at(block_cols));
        for (std::int64_t i = first; i < last; ++i)
            for (int k = a.offsets[at(i / a.block_rows)]; k < a.offsets[at(i / a.block_rows + 1)]; ++k)
                for (int c = 0; c < a.block_cols; ++c) {
                    const std::int64_t j = std::int64_t{a.columns[at(k)]} * a.block_cols + c;
                    const std::size_t block = at(block_of[at(j / block_cols)]);
                    b.values[(block * at(block_rows) + at(i - first)) * at(block_cols) + at(j % block_cols)] =
                        a.values[(at(k) * at(a.block_rows) + at(i % a.block_rows)) * at(a.block_cols) +
                                 at(c)];
                }
    }
    return b;
}

// Blocks stay as they are.
template <class T>
block_matrix<T> turned(const block_matrix<T>& a) {
    block_matrix<T> b = a;
    std::swap(b.rows, b.cols);
    b.offsets.assign(at(b.rows) + 1, 0);
    for (const std::int32_t c : a.columns) ++b.offsets[at(c) + 1];
    std::partial_sum(b.offsets.begin(), b.offsets.end(), b.offsets.begin());
    int_list next = b.offsets;
    const std::size_t size = at(a.block_rows) * at(a.block_cols);
    for (int row = 0; row < a.rows; ++row)
        for (int k = a.offsets[at(row)]; k < a.offsets[at(row + 1)]; ++k) {
            const std::size_t to = at(next[at(a.columns[at(k)])]++);
            b.columns[to] = row;
            std::copy_n(a.values.begin() + static_cast<std::ptrdiff_t>(at(k) * size), size,
                        b.values.begin() + static_cast<std::ptrdiff_t>(to * size));
        }
    return b;
}

}  // namespace

const std::vector<std::string>& convert_functions() {
    static const std::vector<std::string> all{"csr2csc",     "csr2coo",    "coo2csr",   "csr2bsrNnz",
                                              "csr2bsr",     "bsr2csr",    "csr2gebsr", "gebsr2csr",
                                              "gebsr2gebsc", "gebsr2gebsr"};
    return all;
}

bool has_blocks(const std::string& function) { return function.find("bsr") != std::string::npos; }

template <class T>
double convert_case<T>::bytes() const {
    const double offsets = 4.0 * static_cast<double>(from.offsets.size());
    if (function == "csr2coo" || function == "coo2csr") return offsets + 4.0 * from.nnz();
    if (function == "csr2bsrNnz") return offsets + 4.0 * from.nnz() + 4.0 * to.rows;
    return from.bytes() + to.bytes();
}

template <class T>
convert_case<T> make_convert_case(const csr_matrix& matrix, const std::string& function, int block) {
    convert_case<T> made{function, csr_of<T>(matrix), {}, {}};
    if (function == "csr2coo" || function == "coo2csr") {
        for (int row = 0; row < made.from.rows; ++row)
            made.row_of.insert(made.row_of.end(),
                               at(made.from.offsets[at(row + 1)] - made.from.offsets[at(row)]), row);
    } else if (function == "csr2csc") {
        made.to = turned(made.from);
    } else if (function == "csr2bsr" || function == "csr2bsrNnz") {
        made.to = reblocked(made.from, block, block);
    } else if (function == "csr2gebsr") {
        made.to = reblocked(made.from, block, 2 * block);
    } else if (function == "bsr2csr") {
        made.from = reblocked(made.from, block, block);
        made.to = reblocked(made.from, 1, 1);
    } else if (function == "gebsr2csr") {
        made.from = reblocked(made.from, block, 2 * block);
        made.to = reblocked(made.from, 1, 1);
    } else if (function == "gebsr2gebsc") {
        made.from = reblocked(made.from, block, block);
        made.to = turned(made.from);
    } else {
        made.from = reblocked(made.from, block, block);
        made.to = reblocked(made.from, 2 * block, block);
    }
    return made;
}

template struct convert_case<float>;
template struct convert_case<double>;
template convert_case<float> make_convert_case(const csr_matrix&, const std::string&, int);
template convert_case<double> make_convert_case(const csr_matrix&, const std::string&, int);

}  // namespace heron::tools
