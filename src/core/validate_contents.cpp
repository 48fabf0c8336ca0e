// HERON_VALIDATE=1: the contents of index arrays are checked on the host before they are used. Slow, for finding errors.
#include "element_types.hpp"
#include "submit.hpp"
#include <algorithm>
#include <cstdlib>
#include <vector>

namespace heron::core {
namespace {

bool validating() {
    static const bool on = [] {
        const char* const v = std::getenv("HERON_VALIDATE");
        return v && *v && *v != '0';
    }();
    return on;
}

template <class T> std::vector<int64_t> download_as(context& c, const void* device, int64_t count) {
    std::vector<T> raw(static_cast<size_t>(count));
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, raw.data(), device, raw.size() * sizeof(T)), "reading indices for HERON_VALIDATE");
        check(c.table().queue_sync(queue), "reading indices for HERON_VALIDATE");
    });
    return {raw.begin(), raw.end()};
}

std::vector<int64_t> download(context& c, const void* device, int64_t count, heron_index_type type) {
    if (count == 0 || !device) return {};
    return type == HERON_INDEX_32 ? download_as<int32_t>(c, device, count) : download_as<int64_t>(c, device, count);
}

// Offsets ascend from their base to total.
void check_offsets(const std::vector<int64_t>& offsets, int64_t base, int64_t total, const char* argument) {
    if (offsets.empty()) return;
    if (offsets.front() != base)
        invalid(argument, fmt::format("row 0: the first offset is {}, not the base {}", offsets.front(), base));
    for (size_t row = 0; row + 1 < offsets.size(); ++row)
        if (offsets[row + 1] < offsets[row])
            invalid(argument, fmt::format("row {}: offsets descend from {} to {}", row, offsets[row], offsets[row + 1]));
    if (offsets.back() - base != total)
        invalid(argument, fmt::format("row {}: the last offset is {}, but {} elements are stored", offsets.size() - 2,
                                      offsets.back(), total));
}

void check_index(int64_t index, int64_t base, int64_t size, int64_t row, const char* argument) {
    if (index < base || index >= base + size)
        invalid(argument, fmt::format("row {}: index {} is not in [{}, {})", row, index, base, base + size));
}

void check_segment(std::vector<int64_t> segment, int64_t base, int64_t size, int64_t row, const char* argument) {
    for (int64_t index : segment) check_index(index, base, size, row, argument);
    std::sort(segment.begin(), segment.end());
    const auto twice = std::adjacent_find(segment.begin(), segment.end());
    if (twice != segment.end()) invalid(argument, fmt::format("row {}: index {} occurs twice", row, *twice));
}

void check_rows(const std::vector<int64_t>& offsets, const std::vector<int64_t>& indices, int64_t base, int64_t size,
                const char* argument) {
    for (size_t row = 0; row + 1 < offsets.size(); ++row)
        check_segment({indices.begin() + (offsets[row] - base), indices.begin() + (offsets[row + 1] - base)}, base, size,
                      static_cast<int64_t>(row), argument);
}

void check_compressed(context& c, const heron_spmat& m, int64_t segments, int64_t size, const char* argument) {
    const auto offsets = download(c, m.offsets, segments + 1, m.offset_type);
    check_offsets(offsets, m.base, m.nnz, argument);
    check_rows(offsets, download(c, m.indices, m.nnz, m.index_type), m.base, size, argument);
}

void check_coo(context& c, const heron_spmat& m, const char* argument) {
    const auto rows = download(c, m.row_indices, m.nnz, m.index_type);
    const auto columns = download(c, m.indices, m.nnz, m.index_type);
    std::vector<int64_t> row_columns;
    for (size_t k = 0; k < rows.size(); ++k) {
        check_index(rows[k], m.base, m.rows, static_cast<int64_t>(k), argument);
        if (k > 0 && rows[k] < rows[k - 1])
            invalid(argument, fmt::format("row {}: the rows of a COO matrix must ascend", rows[k] - m.base));
        row_columns.push_back(columns[k]);
        if (k + 1 == rows.size() || rows[k + 1] != rows[k]) {
            check_segment(row_columns, m.base, m.cols, rows[k] - m.base, argument);
            row_columns.clear();
        }
    }
}

void check_sell(context& c, const heron_spmat& m, const char* argument) {
    const int64_t slices = (m.rows + m.slice_size - 1) / m.slice_size;
    const auto offsets = download(c, m.offsets, slices + 1, m.offset_type);
    check_offsets(offsets, offsets.empty() ? 0 : offsets.front(), m.values_size, argument);
    const auto columns = download(c, m.indices, m.values_size, m.index_type);
    for (size_t k = 0; k < columns.size(); ++k) {
        const auto slice = std::upper_bound(offsets.begin(), offsets.end(), static_cast<int64_t>(k) + offsets.front()) -
                           offsets.begin() - 1;
        const int64_t row = slice * m.slice_size + (static_cast<int64_t>(k) - offsets[slice] + offsets[0]) % m.slice_size;
        if (columns[k] >= 0) check_index(columns[k], m.base, m.cols, row, argument);
    }
}

void check_blocked_ell(context& c, const heron_spmat& m, const char* argument) {
    const int64_t per_row = m.ell_cols / m.block_rows;
    const int64_t block_rows = (m.rows + m.block_rows - 1) / m.block_rows;
    const auto columns = download(c, m.indices, block_rows * per_row, m.index_type);
    for (size_t k = 0; k < columns.size(); ++k)
        if (columns[k] >= 0)
            check_index(columns[k], m.base, (m.cols + m.block_rows - 1) / m.block_rows,
                        static_cast<int64_t>(k) / per_row, argument);
}

}  // namespace

void validate_contents(context& c, const heron_spmat& m, const char* argument) {
    if (!validating() || m.rows == 0 || m.cols == 0) return;
    switch (m.format) {
        case HERON_FORMAT_COO: return check_coo(c, m, argument);
        case HERON_FORMAT_CSR: return check_compressed(c, m, m.rows, m.cols, argument);
        case HERON_FORMAT_CSC: return check_compressed(c, m, m.cols, m.rows, argument);
        case HERON_FORMAT_BSR: return check_compressed(c, m, m.rows / m.block_rows, m.cols / m.block_cols, argument);
        case HERON_FORMAT_SELL: return check_sell(c, m, argument);
        case HERON_FORMAT_BLOCKED_ELL: return check_blocked_ell(c, m, argument);
    }
}

void validate_contents(context& c, const heron_spvec& v, const char* argument) {
    if (!validating()) return;
    const auto indices = download(c, v.indices, v.nnz, v.index_type);
    for (size_t k = 0; k < indices.size(); ++k)
        if (indices[k] < v.base || indices[k] >= v.base + v.size)
            invalid(argument, fmt::format("element {}: index {} is not in [{}, {})", k, indices[k], v.base, v.base + v.size));
    check_segment(indices, v.base, v.size, 0, argument);
}

}  // namespace heron::core
