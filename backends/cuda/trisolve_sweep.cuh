#pragma once
// One sweep over the rows of a triangle in which every row uses what the rows that it needs have found out:
// their solutions, or their levels. One launch, after the self-scheduled solves of Liu et al. ("A
// synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016) and of Su et al.
// ("CapelliniSpTRSV", ICPP 2020): no lane ever stands still for another of its warp, since every look at a
// mailbox is one try.
#include "trisolve_sync.cuh"

namespace heron::HERON_LEVEL {

constexpr int sweep_threads = 256;

// The rows of the triangle of op(A): those of a CSR matrix, or gathered ones.
template <class OT, class IT>
struct triangle_rows {
    const OT* offsets;
    const IT* columns;
    const int* sources;  // where the values are; NULL: as the columns
    int64_t n;
    int64_t base;
    bool lower, unit;

    __device__ int64_t begin(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ int64_t column(int64_t k) const { return static_cast<int64_t>(columns[k]) - base; }
    __device__ int64_t source(int64_t k) const { return sources ? sources[k] : k; }
    // Of an element beside the diagonal. Those of the other triangle have no part in the system.
    __device__ bool needs(int64_t row, int64_t column) const {
        return lower ? column >= 0 && column < row : column > row && column < n;
    }
    __device__ bool is_pivot(int64_t row, int64_t column) const { return row == column && !unit; }
};

// The order in which rows draw their tickets. A row comes after all that it needs.
struct row_order {
    const unsigned* order;  // NULL: by number, upwards for a lower triangle and downwards for an upper one
    int64_t n;
    bool lower;

    __device__ int64_t row_at(int64_t place) const {
        return order ? order[place] : lower ? place : n - 1 - place;
    }
};

// Work is what is done per row:
//   value                              what rows hand to each other
//   bool is_void()                     no row needs any other
//   value prepare(row)                 what can be loaded before waiting
//   value load(source)                 the matrix's element
//   value add(sum, element, x)         one element's share
//   value join(sum, sum)               of two lanes
//   value add_pivot(pivot, element)
//   value finish(row, prepared, sum, pivot)    stores the row's result and returns what others need
template <class Work, class OT, class IT, int lanes>
__global__ void __launch_bounds__(sweep_threads)
    sweep_rows(Work work, triangle_rows<OT, IT> triangle, row_order order, solve_control* control,
               uint64_t* boxes) {
    using T = typename Work::value;
    using box = mailbox<T>;
    constexpr int rows = sweep_threads / lanes;
    __shared__ uint64_t block_boxes[rows * box::parts];
    for (int i = static_cast<int>(threadIdx.x); i < rows * box::parts; i += sweep_threads) block_boxes[i] = 0;
    const block_ticket ticket = draw_ticket(control);

    const int own = static_cast<int>(threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int lane_in_warp = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned group = (lanes == warp_size ? all_lanes : (1u << lanes) - 1u) << (lane_in_warp - lane);
    const int64_t first = static_cast<int64_t>(ticket.number) * rows;
    const bool present = first + own < triangle.n;
    const int64_t row = present ? order.row_at(first + own) : 0;
    const bool is_void = work.is_void();
    int64_t k = present ? triangle.begin(row) + lane : 0;
    const int64_t end = present && !is_void ? triangle.begin(row + 1) : 0;

    const T prepared = present && lane == 0 ? work.prepare(row) : T{};
    T sum{};
    T pivot{};
    T element{};
    int64_t column = 0;
    // To the lane's next element that waits for another row.
    const auto advance = [&] {
        for (; k < end; k += lanes) {
            column = triangle.column(k);
            if (triangle.needs(row, column)) {
                element = work.load(triangle.source(k));
                return;
            }
            if (triangle.is_pivot(row, column)) pivot = work.add_pivot(pivot, work.load(triangle.source(k)));
        }
    };
    // Rows of this block hand over through shared memory, where their places are known.
    const auto fetch = [&](T& x) {
        const int64_t place = (triangle.lower ? column : triangle.n - 1 - column) - first;
        if (!order.order && place >= 0 && place < rows)
            return box::fetch_in_block(block_boxes + place * box::parts, x, ticket.stamp);
        return box::fetch(boxes + column * box::parts, x, ticket.stamp);
    };

    advance();
    bool posted = !present;
    while (!__all_sync(all_lanes, posted)) {
        T x{};
        if (k < end && fetch(x)) {
            sum = work.add(sum, element, x);
            k += lanes;
            advance();
        }
        const unsigned waiting = __ballot_sync(all_lanes, k < end);
        const bool complete = !posted && (waiting & group) == 0;
        if (!__any_sync(all_lanes, complete)) continue;
        T row_sum = sum;
        T row_pivot = pivot;
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            row_sum = work.join(row_sum, from_lane_across(row_sum, distance));
            row_pivot = work.join(row_pivot, from_lane_across(row_pivot, distance));
        }
        if (complete && lane == 0) {
            const T result = work.finish(row, prepared, row_sum, row_pivot);
            if (!order.order) box::post_in_block(block_boxes + own * box::parts, result, ticket.stamp);
            box::post(boxes + row * box::parts, result, ticket.stamp);
        }
        posted = posted || complete;
    }
    give_ticket_back(control, ticket);
}

inline int64_t sweep_blocks(int64_t n, int lanes) {
    const int64_t rows = sweep_threads / lanes;
    return (n + rows - 1) / rows;
}

}  // namespace heron::HERON_LEVEL
