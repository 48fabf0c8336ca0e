#include "row_levels.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

// A matrix's pattern on the host. Throws for what points outside of it.
class host_rows {
  public:
    host_rows(context& c, const heron_spmat& a)
        : rows_(a.rows),
          base_(a.base),
          offsets_(a.rows > 0 && a.nnz > 0 ? download(c, a.offsets, a.rows + 1, a.offset_type)
                                           : std::vector<int64_t>(at(a.rows + 1), a.base)),
          columns_(a.nnz > 0 ? download(c, a.indices, a.nnz, a.index_type) : std::vector<int64_t>()) {
        for (int64_t row = 0; row < rows_; ++row)
            require(begin(row) >= 0 && begin(row) <= begin(row + 1) && begin(row + 1) <= a.nnz, role::info,
                    "was made for a matrix whose offsets are not valid now");
    }

    // f(column) for the elements of a row beside the diagonal, before it or behind it.
    template <class F>
    void each(int64_t row, bool before, F&& f) const {
        for (int64_t k = begin(row); k < begin(row + 1); ++k) {
            const int64_t column = columns_[at(k)] - base_;
            require(column >= 0 && column < rows_, role::info,
                    "was made for a matrix whose indices are not valid now");
            if (before ? column < row : column > row) f(column);
        }
    }

  private:
    static size_t at(int64_t i) { return static_cast<size_t>(i); }
    int64_t begin(int64_t row) const { return offsets_[at(row)] - base_; }

    int64_t rows_, base_;
    std::vector<int64_t> offsets_, columns_;
};

// The level of each row of op(A): the length of the longest chain of rows that it waits for.
std::vector<int32_t> levels_of(const host_rows& pattern, int64_t n, bool stored_lower, bool turned) {
    std::vector<int32_t> level(static_cast<size_t>(n), 0);
    const auto of = [&](int64_t row) -> int32_t& { return level[static_cast<size_t>(row)]; };
    const bool lower = stored_lower != turned;
    for (int64_t step = 0; step < n; ++step) {
        const int64_t row = lower ? step : n - 1 - step;
        pattern.each(row, stored_lower, [&](int64_t column) {
            int32_t& waiting = turned ? of(column) : of(row);
            waiting = std::max(waiting, 1 + (turned ? of(row) : of(column)));
        });
    }
    return level;
}

// Where the levels begin, and behind that the rows.
std::vector<int32_t> sorted_by_levels(const std::vector<int32_t>& level, int32_t count) {
    std::vector<int32_t> result(static_cast<size_t>(count) + 1 + level.size(), 0);
    for (const int32_t l : level) ++result[static_cast<size_t>(l) + 1];
    for (size_t l = 0; l < static_cast<size_t>(count); ++l) result[l + 1] += result[l];
    std::vector<int32_t> next(result.begin(), result.begin() + count);
    int32_t* const rows = result.data() + count + 1;
    for (size_t row = 0; row < level.size(); ++row)
        rows[next[static_cast<size_t>(level[row])]++] = static_cast<int32_t>(row);
    return result;
}

}  // namespace

row_levels::arrays row_levels::of(context& c, heron_operation op, const heron_spmat& a) {
    if (is_known_ && memory_.on(c)) return arrays_;
    const std::vector<int32_t> level =
        levels_of(host_rows(c, a), a.rows, a.fill == HERON_FILL_LOWER, transposes(op));
    const int32_t count = level.empty() ? 0 : 1 + *std::max_element(level.begin(), level.end());
    const std::vector<int32_t> sorted = sorted_by_levels(level, count);
    const size_t bytes = sorted.size() * sizeof sorted[0];
    arrays_.count = count;
    arrays_.starts = static_cast<int32_t*>(memory_.at_least(bytes, c));
    arrays_.rows = arrays_.starts + count + 1;
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, arrays_.starts, sorted.data(), bytes), "copying levels");
        check(c.table().queue_sync(queue), "waiting for the copy of levels");
    });
    is_known_ = true;
    return arrays_;
}

}  // namespace heron::core
