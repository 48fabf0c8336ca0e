// HERON_VALIDATE=1: the contents of index arrays are checked on the host before they are used. Slow, for
// finding errors.
#include "element_types.hpp"
#include "log.hpp"
#include "submit.hpp"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace heron::core {
namespace {

template <class T>
std::vector<int64_t> download_as(context& c, const void* array, int64_t count) {
    std::vector<T> raw(static_cast<size_t>(count));
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, raw.data(), array, raw.size() * sizeof(T)),
              "reading an array for HERON_VALIDATE");
        check(c.table().queue_sync(queue), "reading an array for HERON_VALIDATE");
    });
    return {raw.begin(), raw.end()};
}

// A run of consecutive indices that share an offset: what messages call it and how many rows each one spans.
struct segment_kind {
    const char* name;
    int64_t span = 1;
};

// Offsets ascend from base to base + total.
void check_offsets(const std::vector<int64_t>& offsets, int64_t base, int64_t total, segment_kind kind,
                   argument operand) {
    if (offsets.empty()) return;
    if (offsets.front() != base)
        invalid(operand, fmt::format("{} 0: the first offset is {}, not the base {}", kind.name,
                                     offsets.front(), base));
    for (size_t k = 0; k + 1 < offsets.size(); ++k)
        if (offsets[k + 1] < offsets[k])
            invalid(operand, fmt::format("{} {}: offsets descend from {} to {}", kind.name,
                                         static_cast<int64_t>(k) * kind.span, offsets[k], offsets[k + 1]));
    if (offsets.back() - base != total)
        invalid(operand,
                fmt::format("{} {}: the last offset is {}, but {} elements are stored", kind.name,
                            static_cast<int64_t>(offsets.size() - 2) * kind.span, offsets.back(), total));
}

// An index that occurs more than once.
std::optional<int64_t> repeated(std::vector<int64_t> indices) {
    std::sort(indices.begin(), indices.end());
    const auto twice = std::adjacent_find(indices.begin(), indices.end());
    return twice == indices.end() ? std::nullopt : std::optional(*twice);
}

// Indices are in range and none occurs twice. name and number say whose they are.
void check_segment(std::vector<int64_t> segment, int64_t base, int64_t size, const char* name, int64_t number,
                   argument operand) {
    for (int64_t index : segment)
        if (index < base || index >= base + size)
            invalid(operand, fmt::format("{} {}: index {} is not in [{}, {})", name, number, index, base,
                                         base + size));
    if (const auto twice = repeated(std::move(segment)))
        invalid(operand, fmt::format("{} {}: index {} occurs twice", name, number, *twice));
}

void check_compressed(context& c, const heron_spmat& m, int64_t segments, int64_t size, const char* name,
                      argument operand) {
    const auto offsets = download(c, m.offsets, segments + 1, m.offset_type);
    check_offsets(offsets, m.base, m.nnz, {name}, operand);
    const auto indices = download(c, m.indices, m.nnz, m.index_type);
    for (size_t k = 0; k + 1 < offsets.size(); ++k) {
        const auto first = indices.begin() + (offsets[k] - m.base);
        const auto last = indices.begin() + (offsets[k + 1] - m.base);
        check_segment({first, last}, m.base, size, name, static_cast<int64_t>(k), operand);
        if (reporting() && !std::is_sorted(first, last)) note_unsorted(static_cast<int64_t>(k));
    }
}

// The places of a COO matrix's elements by rows.
std::vector<size_t> by_rows(const std::vector<int64_t>& rows) {
    std::vector<size_t> places(rows.size());
    std::iota(places.begin(), places.end(), size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
    return places;
}

// Rows may come in any order.
void check_coo(context& c, const heron_spmat& m, argument operand) {
    const auto rows = download(c, m.row_indices, m.nnz, m.index_type);
    const auto columns = download(c, m.indices, m.nnz, m.index_type);
    for (size_t k = 0; k < rows.size(); ++k)
        if (rows[k] < m.base || rows[k] >= m.base + m.rows)
            invalid(operand, fmt::format("element {}: row {} is not in [{}, {})", k, rows[k], m.base,
                                         m.base + m.rows));
    if (const auto descent = std::is_sorted_until(rows.begin(), rows.end()); descent != rows.end()) {
        log(log_level::hint, "HERON_VALIDATE",
            "the rows of a COO matrix do not ascend, which other libraries need");
        if (reporting()) note_unsorted(*descent - m.base);
    }
    const std::vector<size_t> places = by_rows(rows);
    std::vector<int64_t> row_columns;
    for (size_t k = 0; k < places.size(); ++k) {
        const int64_t row = rows[places[k]];
        row_columns.push_back(columns[places[k]]);
        if (k + 1 < places.size() && rows[places[k + 1]] == row) continue;
        check_segment(row_columns, m.base, m.cols, "row", row - m.base, operand);
        row_columns.clear();
    }
}

// The indices of one row of SELL or Blocked-ELL without the padding.
std::vector<int64_t> stored(const std::vector<int64_t>& indices, int64_t first, int64_t step, int64_t count) {
    std::vector<int64_t> found;
    for (int64_t k = 0; k < count; ++k)
        if (const int64_t index = indices[static_cast<size_t>(first + k * step)]; index >= 0)
            found.push_back(index);
    return found;
}

void check_sell(context& c, const heron_spmat& m, argument operand) {
    const int64_t slices = (m.rows + m.slice_size - 1) / m.slice_size;
    const auto offsets = download(c, m.offsets, slices + 1, m.offset_type);
    // The first offset tells the offsets' own base.
    const int64_t base = offsets.empty() ? 0 : offsets.front();
    if (base < 0) invalid(operand, fmt::format("the first offset is {}, which is negative", base));
    check_offsets(offsets, base, m.values_size, {"slice with row", m.slice_size}, operand);
    for (size_t k = 0; k + 1 < offsets.size(); ++k)
        if (const int64_t count = offsets[k + 1] - offsets[k]; count % m.slice_size != 0)
            invalid(operand,
                    fmt::format("slice with row {}: {} elements are no multiple of the slice size {}",
                                static_cast<int64_t>(k) * m.slice_size, count, m.slice_size));
    const auto columns = download(c, m.indices, m.values_size, m.index_type);
    if (columns.empty()) return;
    // Kernels may look at the rows that fill up the last slice.
    for (int64_t row = 0; row < slices * m.slice_size; ++row) {
        const auto slice = static_cast<size_t>(row / m.slice_size);
        const int64_t width = (offsets[slice + 1] - offsets[slice]) / m.slice_size;
        const int64_t first = offsets[slice] - base + row % m.slice_size;
        check_segment(stored(columns, first, m.slice_size, width), m.base, m.cols, "row", row, operand);
    }
}

void check_blocked_ell(context& c, const heron_spmat& m, argument operand) {
    const int64_t per_row = m.ell_cols / m.block_rows;
    const int64_t block_rows = (m.rows + m.block_rows - 1) / m.block_rows;
    const int64_t block_cols = (m.cols + m.block_rows - 1) / m.block_rows;
    const auto columns = download(c, m.indices, block_rows * per_row, m.index_type);
    if (columns.empty()) return;
    for (int64_t row = 0; row < block_rows; ++row)
        check_segment(stored(columns, row * per_row, 1, per_row), m.base, block_cols, "block row", row,
                      operand);
}

void* advanced(void* array, int64_t elements, heron_index_type type) {
    return array ? static_cast<char*>(array) + elements * static_cast<int64_t>(size_of(type)) : nullptr;
}

// The pattern of one matrix of a batch.
heron_spmat item_of(const heron_spmat& m, int64_t item) {
    heron_spmat one = m;
    one.offsets = advanced(m.offsets, item * m.offsets_stride, m.offset_type);
    one.row_indices = advanced(m.row_indices, item * m.indices_stride, m.index_type);
    one.indices = advanced(m.indices, item * m.indices_stride, m.index_type);
    return one;
}

void check_contents(context& c, const heron_spmat& m, argument operand) {
    switch (m.format) {
        case HERON_FORMAT_COO: return check_coo(c, m, operand);
        case HERON_FORMAT_CSR: return check_compressed(c, m, m.rows, m.cols, "row", operand);
        case HERON_FORMAT_CSC: return check_compressed(c, m, m.cols, m.rows, "column", operand);
        case HERON_FORMAT_BSR:
            return check_compressed(c, m, m.rows / m.block_rows, m.cols / m.block_cols, "block row", operand);
        case HERON_FORMAT_SELL: return check_sell(c, m, operand);
        case HERON_FORMAT_BLOCKED_ELL: return check_blocked_ell(c, m, operand);
    }
}

}  // namespace

bool validating() {
    static const bool on = [] {
        const char* const v = std::getenv("HERON_VALIDATE");
        return v && *v && *v != '0';
    }();
    return on;
}

std::vector<int64_t> download(context& c, const void* array, int64_t count, heron_index_type type) {
    if (count == 0 || !array) return {};
    return type == HERON_INDEX_32 ? download_as<int32_t>(c, array, count)
                                  : download_as<int64_t>(c, array, count);
}

void validate_contents(context& c, const heron_spmat& m, argument operand) {
    if (!validating() || m.rows == 0 || m.cols == 0) return;
    const bool one_pattern = m.offsets_stride == 0 && m.indices_stride == 0;
    const int32_t items = one_pattern ? 1 : m.batch_count;
    for (int32_t item = 0; item < items; ++item)
        check_contents(c, item_of(m, item), items > 1 ? argument{operand.role, operand.part, item} : operand);
}

void validate_contents(context& c, const heron_spvec& v, argument operand) {
    if (!validating()) return;
    auto indices = download(c, v.indices, v.nnz, v.index_type);
    for (size_t k = 0; k < indices.size(); ++k)
        check_segment({indices[k]}, v.base, v.size, "element", static_cast<int64_t>(k), operand);
    if (const auto twice = repeated(std::move(indices)))
        invalid(operand, fmt::format("index {} occurs twice", *twice));
}

void validate_ascending(context& c, const heron_spmat& m, argument operand) {
    if (!validating() || m.rows == 0) return;
    const bool blocks = m.format == HERON_FORMAT_BSR;
    const int64_t rows = m.rows / (blocks ? m.block_rows : 1);
    const auto offsets = download(c, m.offsets, rows + 1, m.offset_type);
    const auto columns = download(c, m.indices, m.nnz, m.index_type);
    for (int64_t row = 0; row < rows; ++row) {
        const auto first = columns.begin() + (offsets[static_cast<size_t>(row)] - m.base);
        const auto last = columns.begin() + (offsets[static_cast<size_t>(row) + 1] - m.base);
        if (!std::is_sorted(first, last))
            invalid(operand,
                    fmt::format("{} {}: the columns do not ascend", blocks ? "block row" : "row", row));
    }
}

}  // namespace heron::core
