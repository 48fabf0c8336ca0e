#pragma once
// What ANALYSE finds out of each row: where its parts are, and how much of it other rows wait for.
#include "rows.cuh"
#include "cuda/runtime/early_launch.cuh"
#include "cuda/runtime/group_words.cuh"

namespace heron::HERON_LEVEL {

struct csr_rows {
    const int *offsets, *columns;
    int base, n, stored;

    __device__ int begin(int row) const { return offsets[row] - base; }
    __device__ int end(int row) const { return offsets[row + 1] - base; }

    __device__ row_parts parts(int row) const {
        const int first = begin(row), behind = end(row);
        return parts(row, first, lower_bound(columns, first, behind, row + base), behind);
    }
    __device__ row_parts parts(int row, int first, int diagonal, int behind) const {
        const bool is_regular = diagonal < behind && columns[diagonal] == row + base;
        return {first, diagonal, behind, is_regular ? row_parts::is_regular : 0};
    }
};

// Some neighbouring columns, of which those are wanted whose positions are in a range. They are loaded as
// aligned words of four, so that the first may lie before the range.
template <int word_count>
struct column_window {
    static constexpr int width = 4 * word_count;

    int columns[width] = {};
    unsigned wanted;  // a bit each

    // first: where a word starts. [begin, end): of a row.
    __device__ column_window(const csr_rows& rows, int first, int begin, int end) {
        const int from = min(max(begin - first, 0), width), until = min(max(end - first, 0), width);
        wanted = ((1u << until) - 1u) & (~0u << from);
        if (first >= 0 && first + width <= rows.stored)
            load_words(rows.columns + first);
        else
            load_each(rows.columns + first);
    }

    // Where the word with this position starts, maybe before all columns.
    static __device__ int word_start(const csr_rows& rows, int position) {
        const auto before = static_cast<int>(reinterpret_cast<uintptr_t>(rows.columns) / sizeof(int) % 4);
        return position - ((position + before) & 3);
    }

    // Which of the wanted ones have the lowest bit of bit(column) set.
    template <class F>
    __device__ unsigned which(F&& bit) const {
        unsigned result = 0;
#pragma unroll
        for (int u = 0; u < width; ++u) result |= (static_cast<unsigned>(bit(columns[u])) & 1u) << u;
        return result & wanted;
    }

  private:
    __device__ void load_words(const int* from) {
#pragma unroll
        for (int i = 0; i < word_count; ++i) {
            if ((wanted >> 4 * i & 15u) == 0) continue;
            const int4 word = reinterpret_cast<const int4*>(from)[i];
            columns[4 * i] = word.x;
            columns[4 * i + 1] = word.y;
            columns[4 * i + 2] = word.z;
            columns[4 * i + 3] = word.w;
        }
    }
    __device__ void load_each(const int* from) {
#pragma unroll
        for (int u = 0; u < width; ++u)
            if (wanted >> u & 1u) columns[u] = from[u];
    }
};

// Tells of most columns that a row lacks that it lacks them.
class column_filter {
  public:
    // is_there: 1 or 0.
    __device__ void enter(unsigned is_there, int column) {
        low_ |= u64{is_there} << low(column);
        high_ |= u64{is_there} << high(column);
    }
    // By all lanes of a warp: what is in the filters of `lanes` neighbours.
    __device__ void unite(int lanes) {
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            low_ |= from_lane_across(low_, distance);
            high_ |= from_lane_across(high_, distance);
        }
    }
    // The lowest bit says whether the row may have the column.
    __device__ unsigned may_have(int column) const {
        return static_cast<unsigned>(low_ >> low(column)) & static_cast<unsigned>(high_ >> high(column));
    }

  private:
    static __device__ unsigned low(int column) { return static_cast<unsigned>(column) % 64u; }
    static __device__ unsigned high(int column) { return static_cast<unsigned>(column) / 64u % 64u; }

    u64 low_ = 0, high_ = 0;
};

// Rows that lack a diagonal are structural zero pivots.
static __device__ inline void store_parts(const row_parts& found, int row, row_parts* parts,
                                          int* zero_pivot) {
    parts[row] = found;
    if (found.regular()) return;
    atomicMin(zero_pivot, row);
    atomicMin(zero_pivot + 1, row);
}

template <class CT>
__global__ void find_parts(csr_rows rows, row_parts* parts, int* zero_pivot) {
    begin_behind_kernel_before();
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows.n) store_parts(rows.parts(row), row, parts, zero_pivot);
}

// Which elements of a row meet others, found by a team of lanes. All lanes of a warp take part, and none of
// its teams alone: those would take turns.
template <plans::factor_kind kind, int lanes>
class row_marks : row_team<lanes> {
  public:
    // end: the row's, or its begin, so that nothing is found.
    __device__ row_marks(const csr_rows& rows, int row, int begin, int end) : rows_(rows), row_(row) {
        int before = 0;
        for (int first = word::word_start(rows, begin) + 4 * lane(); first < end; first += 4 * lanes) {
            const word own(rows, first, begin, end);
#pragma unroll
            for (int u = 0; u < word::width; ++u) filter_.enter(own.wanted >> u & 1u, own.columns[u]);
            before += __popc(own.which([&](int column) { return column - rows.base < row; }));
        }
        filter_.unite(lanes);
        for (int distance = lanes / 2; distance > 0; distance /= 2)
            before += from_lane_across(before, distance);
        own_ = rows.parts(row, begin, begin + before, end);
    }

    // The row's parts with what is found.
    __device__ row_parts find() const {
        row_parts found = own_;
        found.marks |= is_lu ? of_lu() : of_cholesky();
        return found;
    }

  private:
    static constexpr bool is_lu = kind == plans::factor_kind::lu;
    using word = column_window<1>;
    using window = column_window<3>;
    // Up to so many elements of another row are looked up in this one in any case.
    static constexpr int few = 32;

    using row_team<lanes>::lane;
    using row_team<lanes>::first_lane;
    using row_team<lanes>::team;

    // The row that element k needs; -1 if there is none before this one.
    __device__ int needed_by(int k) const {
        const int j = k < own_.diagonal ? rows_.columns[k] - rows_.base : -1;
        return j < row_ ? j : -1;
    }
    // Where a column is in [first, end); -1: nowhere.
    __device__ int position_of(int column, int first, int end) const {
        const int found = lower_bound(rows_.columns, first, end, column);
        return found < end && rows_.columns[found] == column ? found : -1;
    }

    // The row's own position of a pair of element k and the row that it needs; -1 if there is none. The last
    // one for an LU factorisation.
    __device__ int met_by(int k) const {
        const int j = needed_by(k);
        if (j < 0) return -1;
        const int begin = rows_.begin(j), end = rows_.end(j);
        const int own_first = is_lu ? k + 1 : own_.begin, own_end = is_lu ? own_.end : k;
        if (end - begin > few && own_end - own_first < end - begin)
            return met_in_long_row(own_first, own_end, begin, end);
        const int own_column = j + rows_.base;
        int first = is_lu ? window::word_start(rows_, end - 1) - (window::width - 4)
                          : window::word_start(rows_, begin);
        while (true) {
            const window seen(rows_, first, begin, end);
            const unsigned used =
                seen.which([&](int column) { return is_lu ? column > own_column : column < own_column; });
            unsigned hits = used & seen.which([&](int column) { return filter_.may_have(column); });
            while (hits != 0) {
                const int u = warp_size - 1 - __clz(static_cast<int>(hits));
                const int own = position_of(rows_.columns[first + u], own_first, own_end);
                if (own >= 0) return own;
                hits ^= 1u << u;
            }
            const bool is_last = is_lu ? first <= begin : end - first <= window::width;
            if (used != seen.wanted || is_last) return -1;
            first += is_lu ? -window::width : window::width;
        }
    }
    __device__ int met_in_long_row(int own_first, int own_end, int begin, int end) const {
        for (int own = own_end - 1; own >= own_first; --own)
            if (position_of(rows_.columns[own], begin, end) >= 0) return own;
        return -1;
    }

    __device__ int of_cholesky() const {
        bool alone = true;
        for (int first = own_.begin; __any_sync(all_lanes, alone && first < own_.diagonal); first += lanes) {
            const int met = alone ? met_by(first + lane()) : -1;
            const unsigned have_met = __ballot_sync(all_lanes, met >= 0) & team();
            alone = alone && have_met == 0;
        }
        return alone ? row_parts::is_alone : 0;
    }

    // What an element changes lies behind it; so the row's first elements are late if all that they change is
    // among themselves.
    __device__ int of_lu() const {
        int marks = row_parts::is_alone, changed = -1;
        for (int first = own_.begin; __any_sync(all_lanes, max(first, changed) < own_.diagonal);
             first += lanes) {
            const int k = first + lane();
            const int met = changed < own_.diagonal ? met_by(k) : -1;
            const unsigned have_met = __ballot_sync(all_lanes, met >= 0) & team();
            if (have_met != 0) marks &= ~row_parts::is_alone;
            changed = max(changed, max(met, k));
            for (int step = 1; step < lanes; step *= 2) {
                const int before = __shfl_up_sync(all_lanes, changed, step, lanes);
                if (lane() >= step) changed = max(changed, before);
            }
            const bool is_closed = k < own_.diagonal && changed == k;
            const unsigned closed = (__ballot_sync(all_lanes, is_closed) & team()) >> first_lane();
            if (closed != 0) {
                const int late = first + warp_size - __clz(static_cast<int>(closed)) - own_.begin;
                marks = (marks & row_parts::is_alone) | late << row_parts::late_shift;
            }
            changed = __shfl_sync(all_lanes, changed, lanes - 1, lanes);
        }
        return marks;
    }

    const csr_rows& rows_;
    int row_;
    row_parts own_{};
    column_filter filter_;  // of the columns of the row
};

// Memory that a kernel sets to zero beside its work, and nobody reads soon.
struct cleared_memory {
    uint4* words;
    int64_t count;

    // By all threads of a launch.
    __device__ void clear() const {
        const int64_t threads = int64_t{gridDim.x} * blockDim.x;
        for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
            __stcs(words + i, uint4{});
    }
};

// Where, by the offsets, what each row needs before it hands over ends.
struct needed_ends {
    int* ends;  // or NULL
    bool alone_needs_none;

    __device__ void store(int row, const row_parts& found, int base) const {
        if (ends) ends[row] = (alone_needs_none && found.alone() ? found.begin : found.diagonal) + base;
    }
};

constexpr int parts_threads = 256;

// The same as find_parts, and the marks of rows of up to `longest` elements. It waits for memory, so that
// many blocks are worth a spilled register.
template <class CT, plans::factor_kind kind, int lanes>
__global__ void __launch_bounds__(parts_threads, 6)
    find_marked_parts(csr_rows rows, int longest, row_parts* parts, needed_ends needed, int* zero_pivot,
                      cleared_memory cleared) {
    begin_behind_kernel_before();
    cleared.clear();
    const int row = static_cast<int>(blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes);
    const bool is_there = row < rows.n;
    const int begin = is_there ? rows.begin(row) : 0;
    int end = is_there ? rows.end(row) : 0;
    const bool is_marked = end - begin <= longest;
    if (!is_marked) end = begin;
    row_parts found = row_marks<kind, lanes>(rows, row, begin, end).find();
    if (!is_there || threadIdx.x % lanes != 0) return;
    if (!is_marked) found = rows.parts(row);
    store_parts(found, row, parts, zero_pivot);
    needed.store(row, found, rows.base);
}

}  // namespace heron::HERON_LEVEL
