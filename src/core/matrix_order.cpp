// Whether the matrices that a function gets are sorted, for the hints of a report.
#include "call_counts.hpp"
#include "report.hpp"
#include "submit.hpp"
#include <exception>
#include <vector>

namespace heron::core {
namespace {

// What is looked at of a matrix.
constexpr int64_t rows_looked_at = 1024, entries_looked_at = 16384;

int64_t first_descent(const std::vector<int64_t>& numbers, size_t from, size_t to) {
    for (size_t k = from; k + 1 < to; ++k)
        if (numbers[k] > numbers[k + 1]) return static_cast<int64_t>(k);
    return -1;
}

// The first row, column or row of blocks whose indices do not ascend, or -1.
int64_t unsorted_line(context& c, const heron_spmat& m, int64_t lines) {
    const auto offsets = download(c, m.offsets, std::min(lines, rows_looked_at) + 1, m.offset_type);
    if (offsets.empty()) return -1;
    const int64_t entries = std::min({offsets.back() - m.base, m.nnz, entries_looked_at});
    const auto indices = download(c, m.indices, std::max<int64_t>(entries, 0), m.index_type);
    for (size_t line = 0; line + 1 < offsets.size(); ++line) {
        const int64_t from = offsets[line] - m.base,
                      to = std::min<int64_t>(offsets[line + 1] - m.base, entries);
        if (from < 0 || to <= from) continue;
        if (first_descent(indices, static_cast<size_t>(from), static_cast<size_t>(to)) >= 0)
            return static_cast<int64_t>(line);
    }
    return -1;
}

int64_t unsorted_row(context& c, const heron_spmat& m) {
    switch (m.format) {
        case HERON_FORMAT_CSR: return unsorted_line(c, m, m.rows);
        case HERON_FORMAT_CSC: return unsorted_line(c, m, m.cols);
        case HERON_FORMAT_BSR: return unsorted_line(c, m, m.rows / std::max<int64_t>(m.block_rows, 1));
        case HERON_FORMAT_COO: {
            const auto rows = download(c, m.row_indices, std::min(m.nnz, entries_looked_at), m.index_type);
            const int64_t element = first_descent(rows, 0, rows.size());
            return element < 0 ? -1 : rows[static_cast<size_t>(element)] - m.base;
        }
        default: return -1;
    }
}

}  // namespace

void note_order(context& c, const heron_spmat& m) noexcept {
    call_counts* const counts = measured_call();
    if (!counts || !(works_at_once(c) || may_ask_stream(c)) || !counts->matrices.takes(m.indices)) return;
    try {
        if (const int64_t row = unsorted_row(c, m); row >= 0) note_unsorted(row);
    } catch (const std::exception&) {
        // The hint is left out.
    }
}

}  // namespace heron::core
