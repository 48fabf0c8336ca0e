// What the tests of counting and pruning share: matrices with zeros of both signs, ties, NaNs and infinities,
// and what is to be left of them.
#pragma once

#include "ops/operands.hpp"

#include <limits>

namespace heron::test {

using matrix_descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;

inline matrix_descriptor general(int base) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    return matrix_descriptor(descr);
}

inline number special_value(cudaDataType type, random_source& random) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto part = [&]() -> double {
        switch (random.below(10)) {
            case 0:
            case 1: return 0.0;
            case 2: return -0.0;
            case 3: return 0.5;
            case 4: return -0.5;
            case 5: return smallest(type);
            case 6: return random.below(4) ? 0.25 : nan;
            case 7: return random.below(4) ? -2.0 : -infinity;
            default: return random.symmetric_unit();
        }
    };
    const double re = part();
    return rounded(type, number{re, is_complex(type) ? part() : 0.0});
}

inline std::vector<number> special_values(cudaDataType type, std::int64_t count, random_source& random) {
    std::vector<number> result(static_cast<std::size_t>(count));
    for (number& v : result) v = special_value(type, random);
    return result;
}

// A CSR matrix without base, whose columns are in any order in their rows.
struct csr_rows {
    std::int64_t cols = 0;
    std::vector<std::vector<std::int64_t>> columns{};
    std::vector<std::vector<number>> values{};

    std::int64_t rows() const { return static_cast<std::int64_t>(columns.size()); }
    std::vector<std::int64_t> lengths() const {
        std::vector<std::int64_t> result;
        for (const auto& row : columns) result.push_back(static_cast<std::int64_t>(row.size()));
        return result;
    }
    std::vector<std::int64_t> offsets(int base) const {
        std::vector<std::int64_t> result{base};
        for (const auto& row : columns)
            result.push_back(result.back() + static_cast<std::int64_t>(row.size()));
        return result;
    }
    std::vector<std::int64_t> all_columns(int base) const {
        std::vector<std::int64_t> result;
        for (const auto& row : columns)
            for (const std::int64_t c : row) result.push_back(c + base);
        return result;
    }
    std::vector<number> all_values() const {
        std::vector<number> result;
        for (const auto& row : values) result.insert(result.end(), row.begin(), row.end());
        return result;
    }
};

// Rows of all lengths from none to all columns.
inline csr_rows random_rows(std::int64_t rows, std::int64_t cols, cudaDataType type, random_source& random) {
    csr_rows result{cols, {}, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
        std::vector<std::int64_t> places;
        const std::int64_t kind = random.below(8);
        for (std::int64_t j = 0; j < cols && kind > 0; ++j)
            if (kind == 1 || random.below(kind) == 0) places.push_back(j);
        random.shuffle(places);
        result.values.push_back(special_values(type, static_cast<std::int64_t>(places.size()), random));
        result.columns.push_back(std::move(places));
    }
    return result;
}

// keeps(value) says which elements stay.
template <class Keeps>
csr_rows kept_of(const csr_rows& a, Keeps&& keeps) {
    csr_rows result{a.cols, {}, {}};
    for (std::size_t i = 0; i < a.columns.size(); ++i) {
        result.columns.emplace_back();
        result.values.emplace_back();
        for (std::size_t k = 0; k < a.columns[i].size(); ++k) {
            if (!keeps(a.values[i][k])) continue;
            result.columns.back().push_back(a.columns[i][k]);
            result.values.back().push_back(a.values[i][k]);
        }
    }
    return result;
}

// A dense matrix in column order: elements, and poison that is not zero between the columns.
struct dense_columns {
    std::int64_t rows, cols, ld;
    std::vector<number> memory{};

    dense_columns(std::int64_t m, std::int64_t n, std::int64_t pad, cudaDataType type, random_source& random)
        : rows(m), cols(n), ld(m + pad), memory(static_cast<std::size_t>(ld * n), number{3.0}) {
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) at(i, j) = special_value(type, random);
    }
    number& at(std::int64_t i, std::int64_t j) { return memory[static_cast<std::size_t>(i + j * ld)]; }
    number at(std::int64_t i, std::int64_t j) const { return memory[static_cast<std::size_t>(i + j * ld)]; }

    // Every element by rows.
    csr_rows as_rows() const {
        csr_rows result{cols, {}, {}};
        for (std::int64_t i = 0; i < rows; ++i) {
            result.columns.emplace_back();
            result.values.emplace_back();
            for (std::int64_t j = 0; j < cols; ++j) {
                result.columns.back().push_back(j);
                result.values.back().push_back(at(i, j));
            }
        }
        return result;
    }
};

// An int that a function writes in the pointer mode's memory.
class count_answer {
  public:
    explicit count_answer(cusparsePointerMode_t mode)
        : on_device_(std::vector<std::int32_t>{-77}, 1), is_host_(mode == CUSPARSE_POINTER_MODE_HOST) {}
    int* data() { return is_host_ ? &on_host_ : on_device_.data(); }
    std::int64_t value() const { return is_host_ ? on_host_ : on_device_.download()[0]; }

  private:
    device_array<std::int32_t> on_device_;
    int on_host_ = -77;
    bool is_host_;
};

inline const int* ints(const index_array& a) { return static_cast<const int*>(a.data()); }
inline int* writable_ints(const index_array& a) { return static_cast<int*>(a.data()); }

inline index_array unwritten(std::int64_t count) {
    return {CUSPARSE_INDEX_32I, std::vector<std::int64_t>(static_cast<std::size_t>(count), -77), 1};
}

}  // namespace heron::test
