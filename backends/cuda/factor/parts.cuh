#pragma once
// What ANALYSE finds out of each row: where its parts are, and how much of it other rows wait for.
#include "rows.cuh"
#include "cuda/runtime/group_words.cuh"

namespace heron::HERON_LEVEL {

struct csr_rows {
    const int *offsets, *columns;
    int base, n;

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
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows.n) store_parts(rows.parts(row), row, parts, zero_pivot);
}

// Which elements of a row meet others, found by a team of lanes.
template <plans::factor_kind kind, int lanes>
class row_marks : row_team<lanes> {
  public:
    __device__ row_marks(const csr_rows& rows, int row) : rows_(rows), row_(row) {
        const int begin = rows.begin(row), end = rows.end(row);
        unsigned before = 0;
        for (int k = begin + lane(); k < end; k += lanes) {
            const int column = rows.columns[k];
            filter_ |= bit_of(column);
            before += column - rows.base < row ? 1u : 0u;
        }
        filter_ = u64{__reduce_or_sync(team(), static_cast<unsigned>(filter_ >> 32))} << 32 |
                  __reduce_or_sync(team(), static_cast<unsigned>(filter_));
        before = __reduce_add_sync(team(), before);
        own_ = rows.parts(row, begin, begin + static_cast<int>(before), end);
    }

    // The row's parts with what is found.
    __device__ row_parts find() const {
        row_parts found = own_;
        found.marks |= kind == plans::factor_kind::lu ? of_lu() : of_cholesky();
        return found;
    }

  private:
    // Up to `few` elements of another row are looked up in this one, which has a filter.
    static constexpr int few = 32;
    using meeting = range_meeting<few>;
    // Candidates whose columns are on their way at a time.
    static constexpr int batch = 4;

    using row_team<lanes>::lane;
    using row_team<lanes>::first_lane;
    using row_team<lanes>::team;
    static __device__ u64 bit_of(int column) { return u64{1} << (static_cast<unsigned>(column) % 64u); }

    // The row that element k needs; -1 if there is none before this one.
    __device__ int needed_by(int k) const {
        const int j = k < own_.diagonal ? rows_.columns[k] - rows_.base : -1;
        return j < row_ ? j : -1;
    }
    // The own position of a pair; -1 if the candidate is in none.
    __device__ int met_at(const meeting& met, int q, int column) const {
        if ((filter_ & bit_of(column)) == 0) return -1;
        const row_pair pair = met.find(q, column, rows_.columns, 0, rows_.columns);
        return pair.other >= 0 ? pair.own : -1;
    }

    // The last position that element k of an LU factorisation changes; -1 if there is none.
    __device__ int last_met(int k) const {
        const int j = needed_by(k);
        if (j < 0) return -1;
        const meeting met(k + 1, own_.end, rows_.begin(j), rows_.end(j));
        const int own_column = j + rows_.base;
        for (int last = met.count() - 1; last >= 0; last -= batch) {
            int columns[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u)
                columns[u] = met.column(max(last - u, 0), rows_.columns, 0, rows_.columns);
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (last - u < 0 || columns[u] <= own_column) return -1;
                if (const int own = met_at(met, last - u, columns[u]); own >= 0) return own;
            }
        }
        return -1;
    }
    // Whether element k of a Cholesky factorisation is in a pair.
    __device__ bool meets_any(int k) const {
        const int j = needed_by(k);
        if (j < 0) return false;
        const meeting met(own_.begin, k, rows_.begin(j), rows_.end(j));
        const int own_column = j + rows_.base;
        for (int first = 0; first < met.count(); first += batch) {
            int columns[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u)
                columns[u] = met.column(min(first + u, met.count() - 1), rows_.columns, 0, rows_.columns);
#pragma unroll
            for (int u = 0; u < batch; ++u) {
                if (first + u >= met.count() || columns[u] >= own_column) return false;
                if (met_at(met, first + u, columns[u]) >= 0) return true;
            }
        }
        return false;
    }

    __device__ int of_cholesky() const {
        for (int first = own_.begin; first < own_.diagonal; first += lanes)
            if (__any_sync(team(), meets_any(first + lane()))) return 0;
        return row_parts::is_alone;
    }

    // What an element changes lies behind it; so the row's first elements are late if all that they change is
    // among themselves.
    __device__ int of_lu() const {
        int late = 0, changed = -1;
        bool alone = true;
        for (int first = own_.begin; first < own_.diagonal && changed < own_.diagonal; first += lanes) {
            const int k = first + lane();
            const int met = last_met(k);
            alone = alone && !__any_sync(team(), met >= 0);
            changed = max(changed, max(met, k));
            for (int step = 1; step < lanes; step *= 2) {
                const int before = __shfl_up_sync(team(), changed, step, lanes);
                if (lane() >= step) changed = max(changed, before);
            }
            const unsigned closed = __ballot_sync(team(), k < own_.diagonal && changed == k) >> first_lane();
            if (closed != 0) late = first + warp_size - __clz(static_cast<int>(closed)) - own_.begin;
            changed = __shfl_sync(team(), changed, lanes - 1, lanes);
        }
        return (alone ? row_parts::is_alone : 0) | late << row_parts::late_shift;
    }

    const csr_rows& rows_;
    int row_;
    row_parts own_{};
    u64 filter_ = 0;  // of the columns of the row
};

// The same as find_parts, and the marks of rows of up to `longest` elements. ends, or NULL: where, by the
// offsets, what a row needs before it hands over ends.
template <class CT, plans::factor_kind kind, int lanes>
__global__ void find_marked_parts(csr_rows rows, int longest, row_parts* parts, int* ends, int* zero_pivot) {
    const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / lanes);
    if (row >= rows.n) return;
    const bool is_marked = rows.end(row) - rows.begin(row) <= longest;
    const row_parts found = is_marked ? row_marks<kind, lanes>(rows, row).find() : rows.parts(row);
    if (threadIdx.x % lanes != 0) return;
    store_parts(found, row, parts, zero_pivot);
    if (ends) ends[row] = rows.offsets[found.alone() ? row : row + 1];
}

}  // namespace heron::HERON_LEVEL
