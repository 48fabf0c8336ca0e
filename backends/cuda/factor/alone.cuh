#pragma once
// Rows whose elements meet none of the rows that they need, so that each is only divided by a pivot. What
// such a row of an LU factorisation hands over is there before any other row is: where these rows come first
// in the order two launches have them, one before and one behind the rows that wait for each other. Those of
// a Cholesky factorisation wait for pivots, and for nothing else (factor-10).
#include "launch.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// A row of a Cholesky factorisation, by its lanes.
template <class CT, int lanes>
class alone_row : row_team<lanes> {
  public:
    using box = mailbox<CT>;
    using slot = typename box::slot;

    __device__ alone_row(const factor_operands<CT>& o, slot* pivots, unsigned stamp)
        : o_(o), pivots_(pivots), stamp_(stamp) {}

    // A row that is there, for which the shared memory has room.
    __device__ void begin(int row, const row_parts& parts, CT* shared_values, int* shared_columns) {
        row_ = row;
        parts_ = parts;
        own_ = copied_row(o_, parts, shared_values, shared_columns, lane(), lanes);
        __syncwarp(team());
        k_ = parts.begin + (lane() < window ? lane() : parts.before_diagonal());
        posted_ = false;
        take();
    }

    // By all lanes of a warp, each row of which is an alone one or is not there.
    __device__ void factor(slot* elements, bool is_ordered) {
        unsigned nap = 0;
        while (!__all_sync(all_lanes, posted_)) {
            const bool found = __any_sync(all_lanes, look());
            use();
            const bool posted = settle(elements);
            nap = found || posted || is_ordered ? 0u : longer_nap(nap);
            if (nap > 0) __nanosleep(nap);
        }
    }

  private:
    // Each of these lanes has every window-th element, so that squares are added up as in other rows.
    static constexpr int window = awaited<CT>(lanes);
    // Of its elements a lane looks for the pivots of so many at a time.
    static constexpr int batch = 3;

    using row_team<lanes>::lane;
    using row_team<lanes>::team;

    // The next elements: which rows they need, -1 if none.
    __device__ void take() {
        open_ = 0;
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int k = k_ + u * window;
            const int j = k < parts_.diagonal ? own_.column(k) - o_.base : -1;
            needed_[u] = j < row_ ? j : -1;
            if (needed_[u] >= 0) open_ |= 1u << u;
        }
    }

    // Whether anything has been found.
    __device__ bool look() {
        slot seen[batch] = {};
#pragma unroll
        for (int u = 0; u < batch; ++u) box::peek(open_ >> u & 1u, pivots_ + needed_[u], seen[u]);
        const unsigned before = open_;
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if ((open_ >> u & 1u) && box::open(seen[u], inverse_[u], stamp_)) open_ &= ~(1u << u);
        return open_ != before;
    }

    // When all of the batch have been found.
    __device__ void use() {
        if (open_ != 0 || k_ >= parts_.diagonal) return;
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            if (needed_[u] < 0) continue;
            CT& divided = own_.value(k_ + u * window);
            divided = o_.quotient(divided, inverse_[u], needed_[u]);
            squares_ = with_square(squares_, divided);
        }
        k_ += batch * window;
        take();
    }

    // By all lanes of a warp. Whether a row of the warp was posted.
    __device__ bool settle(slot* elements) {
        const unsigned missing = __ballot_sync(all_lanes, k_ < parts_.diagonal);
        const bool complete = !posted_ && (missing & team()) == 0;
        if (!__any_sync(all_lanes, complete)) return false;
        const CT sum = sum_over_lanes(squares_, lanes);
        __syncwarp();
        if (complete)
            finished_row<CT, plans::factor_kind::cholesky>{o_, row_, parts_, own_}.post(
                sum, pivots_, elements, stamp_, lane(), lanes);
        posted_ = posted_ || complete;
        return true;
    }

    const factor_operands<CT>& o_;
    slot* pivots_;
    unsigned stamp_;
    int row_ = 0;
    row_parts parts_{};
    own_row<CT> own_{};
    bool posted_ = true;
    int k_ = 0;  // this lane's next element
    int needed_[batch] = {};
    unsigned open_ = 0;  // whose pivots have not been seen
    CT inverse_[batch] = {};
    CT squares_{};
};

constexpr int alone_threads = 256;

// By all threads of a block: hands over the rows that come first in the order, none of which needs another
// one for that. A row of very many elements is shared by all threads.
template <class CT, int lanes>
__global__ void __launch_bounds__(alone_threads)
    post_alone_rows(const __grid_constant__ factor_launch<CT> launch) {
    constexpr int longest = 64 * lanes;
    constexpr int rows = alone_threads / lanes;
    begin_behind_kernel_before();
    const unsigned stamp = load_relaxed(&launch.control->solves_done) + 1u;
    const int thread = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(blockIdx.x) * rows;
    const int end = min(first + rows, launch.order.n);
    bool is_long = false;
    const auto post = [&](int row, bool is_shared, int own, int threads) {
        const bool is_alone = launch.order.comes_first(row);
        const row_parts parts = load_parts(launch.o.parts + row);
        is_long = is_alone && parts.end - parts.diagonal > longest;
        const own_row<CT> in_place{launch.o.a, launch.o.columns, 0};
        const finished_row<CT, plans::factor_kind::lu> finished{launch.o, row, parts, in_place};
        if (is_alone && is_long == is_shared)
            finished.post(CT{}, launch.pivots, launch.elements, stamp, own, threads);
    };
    if (const int row = first + thread / lanes; row < end) post(row, false, thread % lanes, lanes);
    if (!__syncthreads_or(is_long)) return;
    for (int row = first; row < end; ++row) post(row, true, thread, alone_threads);
}

// Divides what these rows have before the diagonal, when all rows have been handed over.
template <class CT, int lanes>
__global__ void __launch_bounds__(alone_threads)
    divide_alone_rows(const __grid_constant__ factor_launch<CT> launch) {
    using box = mailbox<CT>;
    constexpr int batch = 2;
    begin_behind_kernel_before();
    const int thread = static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.x) * (alone_threads / lanes) + thread / lanes;
    if (row >= launch.order.n) return;
    const factor_operands<CT>& o = launch.o;
    const row_parts parts = load_parts(o.parts + row);
    if (!launch.order.comes_first(row)) return;
    for (int first = parts.begin + thread % lanes; first < parts.diagonal; first += batch * lanes) {
        int needed[batch];
        CT divided[batch], inverse[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int k = first + u * lanes;
            needed[u] = -1;
            if (k >= parts.diagonal) continue;
            divided[u] = o.a[k];
            needed[u] = o.columns[k] - o.base;
            if (needed[u] >= row) needed[u] = -1;
        }
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if (needed[u] >= 0) inverse[u] = box::value_of(launch.pivots[needed[u]]);
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if (needed[u] >= 0) o.a[first + u * lanes] = o.quotient(divided[u], inverse[u], needed[u]);
    }
}

}  // namespace heron::HERON_LEVEL
