#include "packed_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace heron::tools {
namespace {

constexpr std::array<std::string_view, 6> format_names{"csr", "csc", "coo", "sell", "bsr", "ell"};

template <class Index>
std::vector<std::byte> narrow(const std::vector<std::int64_t>& indices) {
    const auto largest = indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end());
    if (largest > static_cast<std::int64_t>(std::numeric_limits<Index>::max())) {
        throw std::overflow_error("the matrix is too large for the requested index type");
    }
    std::vector<std::byte> bytes(indices.size() * sizeof(Index));
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto index = static_cast<Index>(indices[i]);
        std::memcpy(&bytes[i * sizeof(Index)], &index, sizeof(Index));
    }
    return bytes;
}

std::vector<std::byte> narrow(const std::vector<std::int64_t>& indices, int width) {
    return width == 4 ? narrow<std::int32_t>(indices) : narrow<std::int64_t>(indices);
}

// Values in a new order: element i comes from source[i], or is 0 where that is negative.
number_array permuted(const number_array& values, const std::vector<std::int64_t>& source) {
    const auto pick = [&](const std::vector<double>& from) {
        std::vector<double> result;
        if (from.empty()) return result;
        result.reserve(source.size());
        for (const std::int64_t k : source) result.push_back(k < 0 ? 0 : from[static_cast<std::size_t>(k)]);
        return result;
    };
    number_array result{.real = pick(values.real), .imag = pick(values.imag)};
    result.real.resize(source.size());
    return result;
}

class packer {
  public:
    packer(const csr_matrix& pattern, const number_array& values, const packing& how)
        : pattern_(pattern), values_(values) {
        result_.how = how;
        result_.rows = pattern.rows;
        result_.cols = pattern.cols;
        result_.nnz = pattern.nnz();
    }

    packed_matrix take() {
        switch (result_.how.format) {
            case sparse_format::csr: store(pattern_.offsets, pattern_.columns, nullptr); break;
            case sparse_format::csc: pack_csc(); break;
            case sparse_format::coo: pack_coo(); break;
            case sparse_format::sell: pack_sell(); break;
            case sparse_format::bsr: pack_bsr(); break;
            case sparse_format::ell: pack_ell(); break;
        }
        return std::move(result_);
    }

  private:
    std::int64_t first(std::int64_t row) const { return pattern_.offsets[static_cast<std::size_t>(row)]; }
    std::int64_t last(std::int64_t row) const { return pattern_.offsets[static_cast<std::size_t>(row) + 1]; }
    std::int64_t column(std::int64_t k) const { return pattern_.columns[static_cast<std::size_t>(k)]; }

    void store(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& indices,
               const std::vector<std::int64_t>* source) {
        result_.offsets = narrow(offsets, result_.how.widths.offsets);
        result_.indices = narrow(indices, result_.how.widths.indices);
        const scalar_type type = result_.how.type;
        result_.values = source ? encode(type, permuted(values_, *source)) : encode(type, values_);
        result_.stored = static_cast<std::int64_t>(result_.values.size() / traits_of(type).size);
    }

    std::vector<std::int64_t> rows_of_entries() const {
        std::vector<std::int64_t> rows(pattern_.columns.size());
        for (std::int64_t row = 0; row < pattern_.rows; ++row) {
            std::fill(rows.begin() + first(row), rows.begin() + last(row), row);
        }
        return rows;
    }

    void pack_coo() {
        store({}, pattern_.columns, nullptr);
        result_.row_indices = narrow(rows_of_entries(), result_.how.widths.indices);
    }

    void pack_csc() {
        std::vector<std::int64_t> offsets(static_cast<std::size_t>(pattern_.cols) + 1, 0);
        for (const std::int64_t col : pattern_.columns) ++offsets[static_cast<std::size_t>(col) + 1];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
        std::vector<std::int64_t> rows(pattern_.columns.size());
        std::vector<std::int64_t> source(pattern_.columns.size());
        for (std::int64_t row = 0; row < pattern_.rows; ++row) {
            for (std::int64_t k = first(row); k < last(row); ++k) {
                const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(column(k))]++);
                rows[place] = row;
                source[place] = k;
            }
        }
        store(offsets, rows, &source);
    }

    // A slice holds its rows' first entries, then their second ones and so on, as many as its longest row
    // has.
    void pack_sell() {
        const std::int64_t slice = result_.how.slice;
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int64_t> columns;
        std::vector<std::int64_t> source;
        for (std::int64_t begin = 0; begin < pattern_.rows; begin += slice) {
            const std::int64_t end = std::min(begin + slice, pattern_.rows);
            std::int64_t width = 0;
            for (std::int64_t row = begin; row < end; ++row) width = std::max(width, last(row) - first(row));
            const std::size_t base = columns.size();
            columns.resize(base + static_cast<std::size_t>(width * slice), -1);
            source.resize(columns.size(), -1);
            for (std::int64_t row = begin; row < end; ++row) {
                for (std::int64_t k = first(row); k < last(row); ++k) {
                    const auto place =
                        base + static_cast<std::size_t>((k - first(row)) * slice + row - begin);
                    columns[place] = column(k);
                    source[place] = k;
                }
            }
            offsets.push_back(static_cast<std::int64_t>(columns.size()));
        }
        store(offsets, columns, &source);
    }

    void require_padded() const {
        const std::int64_t block = result_.how.block;
        if (pattern_.rows % block != 0 || pattern_.cols % block != 0) {
            throw std::invalid_argument("the sizes of the matrix are not multiples of the block");
        }
    }

    // Ascending block columns that have entries in the block row that begins with row `begin`.
    std::vector<std::int64_t> block_columns(std::int64_t begin) const {
        const std::int64_t block = result_.how.block;
        std::vector<std::int64_t> columns;
        for (std::int64_t k = first(begin); k < last(begin + block - 1); ++k) {
            columns.push_back(column(k) / block);
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        return columns;
    }

    // Calls use(row, slot, column inside the block, entry) for the entries of a block row.
    template <class Use>
    void for_entries(std::int64_t begin, const std::vector<std::int64_t>& columns, Use use) const {
        const std::int64_t block = result_.how.block;
        for (std::int64_t row = begin; row < begin + block; ++row) {
            for (std::int64_t k = first(row); k < last(row); ++k) {
                const auto slot =
                    std::lower_bound(columns.begin(), columns.end(), column(k) / block) - columns.begin();
                use(row, slot, column(k) % block, k);
            }
        }
    }

    void pack_bsr() {
        require_padded();
        const std::int64_t block = result_.how.block;
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int64_t> columns;
        std::vector<std::int64_t> source;
        for (std::int64_t begin = 0; begin < pattern_.rows; begin += block) {
            const std::vector<std::int64_t> own = block_columns(begin);
            const auto before = static_cast<std::int64_t>(columns.size());
            columns.insert(columns.end(), own.begin(), own.end());
            source.resize(columns.size() * static_cast<std::size_t>(block * block), -1);
            for_entries(begin, own, [&](auto row, auto slot, auto inside, auto k) {
                source[static_cast<std::size_t>(((before + slot) * block + row - begin) * block + inside)] =
                    k;
            });
            offsets.push_back(static_cast<std::int64_t>(columns.size()));
        }
        store(offsets, columns, &source);
        result_.nnz = static_cast<std::int64_t>(columns.size());
    }

    // All block rows have as many slots as the fullest one needs.
    void pack_ell() {
        require_padded();
        const std::int64_t block = result_.how.block;
        std::size_t slots = 0;
        for (std::int64_t begin = 0; begin < pattern_.rows; begin += block) {
            slots = std::max(slots, block_columns(begin).size());
        }
        const std::int64_t width = static_cast<std::int64_t>(slots) * block;
        std::vector<std::int64_t> columns;
        std::vector<std::int64_t> source(static_cast<std::size_t>(pattern_.rows * width), -1);
        for (std::int64_t begin = 0; begin < pattern_.rows; begin += block) {
            std::vector<std::int64_t> own = block_columns(begin);
            for_entries(begin, own, [&](auto row, auto slot, auto inside, auto k) {
                source[static_cast<std::size_t>(row * width + slot * block + inside)] = k;
            });
            own.resize(slots, -1);
            columns.insert(columns.end(), own.begin(), own.end());
        }
        store({}, columns, &source);
        result_.ell_cols = width;
    }

    const csr_matrix& pattern_;
    const number_array& values_;
    packed_matrix result_;
};

}  // namespace

sparse_format find_sparse_format(std::string_view name) {
    const auto found = std::find(format_names.begin(), format_names.end(), name);
    if (found == format_names.end()) {
        throw std::invalid_argument(
            fmt::format("'{}' is not one of the formats csr csc coo sell bsr ell", name));
    }
    return static_cast<sparse_format>(found - format_names.begin());
}

std::string_view name_of(sparse_format format) { return format_names[static_cast<std::size_t>(format)]; }

index_widths find_index_widths(std::string_view name) {
    if (name == "32") return {.offsets = 4, .indices = 4};
    if (name == "64") return {.offsets = 8, .indices = 8};
    if (name == "64/32") return {.offsets = 8, .indices = 4};
    throw std::invalid_argument(fmt::format("'{}' is not one of the index types 32 64 64/32", name));
}

std::size_t packed_matrix::compulsory_bytes() const {
    if (how.format != sparse_format::sell) {
        return offsets.size() + row_indices.size() + indices.size() + values.size();
    }
    const std::size_t entry = traits_of(how.type).size + static_cast<std::size_t>(how.widths.indices);
    return offsets.size() + static_cast<std::size_t>(nnz) * entry;
}

csr_matrix padded_to_blocks(csr_matrix matrix, std::int64_t block) {
    const auto up = [block](std::int64_t n) { return (n + block - 1) / block * block; };
    matrix.rows = up(matrix.rows);
    matrix.cols = up(matrix.cols);
    matrix.offsets.resize(static_cast<std::size_t>(matrix.rows) + 1, matrix.nnz());
    return matrix;
}

packed_matrix pack(const csr_matrix& pattern, const number_array& values, const packing& how) {
    return packer(pattern, values, how).take();
}

}  // namespace heron::tools
