#pragma once
// One sweep over the rows of a triangle in which every row uses what the rows that it needs have found out:
// their solutions, or their levels. One launch, after the self-scheduled solves of Liu et al. ("A
// synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016) and of Su et al.
// ("CapelliniSpTRSV", ICPP 2020): no lane ever stands still for another of its warp, since every look at a
// mailbox is one try.
#include "cuda/runtime/group_words.cuh"
#include "sync.cuh"

#include "common/trisolve/order.hpp"

namespace heron::HERON_LEVEL {

// A row, and where its elements are.
struct alignas(16) row_record {
    int row;
    unsigned begin, end;
    unsigned unused = 0;  // so that it is loaded and stored as a whole

    __device__ unsigned count() const { return end - begin; }
};

// The rows of the triangle of op(A): those of a CSR matrix, or gathered ones.
template <class OT, class IT>
struct triangle_rows {
    const OT* offsets;
    const IT* columns;
    const int* sources;  // where the values are; NULL: as the columns
    int64_t n;
    int64_t base;
    bool lower, unit;
    unsigned longest;  // elements of a row that is not walked by a whole block

    __device__ int64_t begin(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ int64_t column(int64_t k) const { return static_cast<int64_t>(columns[k]) - base; }
    __device__ int64_t source(int64_t k) const { return sources ? sources[k] : k; }
    // Element q of a row, counted so that what is solved first comes first where columns ascend: a row that
    // has to wait has then done all but its last elements.
    __device__ unsigned place(const row_record& record, unsigned q) const {
        return lower ? record.begin + q : record.end - 1 - q;
    }
    // How many rows come before a row, in the order in which they can be solved one after the other; and the
    // row that so many come before.
    __device__ int64_t turned(int64_t row) const { return lower ? row : n - 1 - row; }
    // Of an element beside the diagonal. Those of the other triangle have no part in the system.
    __device__ bool needs(int64_t row, int64_t column) const {
        return lower ? column >= 0 && column < row : column > row && column < n;
    }
    __device__ bool is_pivot(int64_t row, int64_t column) const { return row == column && !unit; }
};

template <class OT, class IT>
static __device__ inline row_record record_of(const triangle_rows<OT, IT>& triangle, int row) {
    return {row, static_cast<unsigned>(triangle.begin(row)), static_cast<unsigned>(triangle.begin(row + 1))};
}

// Which rows of a block are too long for the lanes of a row. All threads of the block walk each of those
// together, when the rows before it in the block are done.
template <int rows>
class long_rows {
  public:
    // By all threads; `first` of those of a row. Returns whether there are any.
    __device__ bool collect(int own, bool is_long, bool first) {
        if (threadIdx.x < words) bits_[threadIdx.x] = 0;
        if (!__syncthreads_or(is_long)) return false;
        if (is_long && first) atomicOr(bits_ + own / 32, 1u << own % 32);
        __syncthreads();
        return true;
    }
    // The first one that is not before row `from` of the block; `rows` or more if there is none.
    __device__ int next(int from) const {
        if (from >= rows) return rows;
        unsigned later = bits_[from / 32] & all_lanes << from % 32;
        int word = from / 32;
        while (later == 0 && ++word < words) later = bits_[word];
        return later == 0 ? rows : word * 32 + __ffs(static_cast<int>(later)) - 1;
    }

  private:
    static constexpr int words = (rows + 31) / 32;
    unsigned bits_[words];
};

// The order in which rows draw their tickets. A row comes after all that it needs.
struct row_order {
    const row_schedule* schedule;  // NULL: there is none
    const row_record* records;     // in the order
    const unsigned* places;        // where in the order each row is
    int n;
    bool lower;
    int levels_ahead;

    __device__ bool is_ordered() const { return schedule && schedule->is_ordered; }
    // How many rows come first that need no other.
    __device__ int alone() const { return is_ordered() ? schedule->alone : 0; }
    // By levels, or by number, upwards for a lower triangle and downwards for an upper one.
    template <class OT, class IT>
    __device__ row_record at(const triangle_rows<OT, IT>& triangle, int place, bool ordered) const {
        return ordered ? records[place] : record_of(triangle, lower ? place : n - 1 - place);
    }
    // Polling is held back until this place is done, so that only the levels that are next load the cache.
    __device__ int64_t place_ahead(int place) const {
        return place - static_cast<int64_t>(levels_ahead) * schedule->width;
    }
};

// Work is what is done per row:
//   value                              what rows hand to each other, through a
//   box
//   bool is_void()                     no row needs any other
//   value prepare(row)                 what can be loaded before waiting
//   value load(source)                 the matrix's element as it is stored: nothing waits for it until it is
//   used
//   value add(sum, element, x)         one element's share
//   value join(sum, sum)               of two lanes
//   value add_pivot(pivot, element)
//   divisor ready(row, pivot)          what the pivot gives before the sum is there
//   value finish(prepared, sum, divisor)       what others need
//   void store(row, value, divisor)    the row's result
//   heron_zero_pivot* zero_pivot()     where rows have told of their pivots
//   most_threads, least_blocks         of a block, and on a multiprocessor
//   longest_nap                        ns between two looks

// A row walked by all threads of its block. What it needs is done, or will be without this block.
template <class Work, class OT, class IT>
static __device__ void sweep_long_row(const Work& work, const triangle_rows<OT, IT>& triangle,
                                      const row_order& order, int place, bool ordered,
                                      typename Work::box::slot* boxes, typename Work::box::slot* block_box,
                                      unsigned stamp) {
    using T = typename Work::value;
    using box = typename Work::box;
    constexpr int batch = 4;
    constexpr int most_warps = Work::most_threads / warp_size;
    __shared__ T sums[most_warps];
    __shared__ T pivots[most_warps];
    const row_record record = order.at(triangle, place, ordered);
    const unsigned step = blockDim.x;
    const unsigned count = record.count();
    T sum{};
    T pivot{};
    for (unsigned q = threadIdx.x; q < count; q += batch * step) {
        T elements[batch];
        T x[batch] = {};
        int columns[batch];
        unsigned needed = 0;
        const auto at = [&](int i) { return triangle.place(record, q + i * step); };
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const bool is_there = q + i * step < count;
            columns[i] = is_there ? static_cast<int>(triangle.column(at(i))) : -1;
            elements[i] = is_there ? work.load(triangle.source(at(i))) : T{};
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (triangle.needs(record.row, columns[i])) {
                needed |= 1u << i;
                if (ordered) columns[i] = static_cast<int>(order.places[columns[i]]);
            } else if (columns[i] >= 0 && triangle.is_pivot(record.row, columns[i])) {
                pivot = work.add_pivot(pivot, elements[i]);
            }
        }
        for (unsigned waiting = needed; waiting != 0;) {
            typename box::slot seen[batch] = {};
#pragma unroll
            for (int i = 0; i < batch; ++i) box::peek(waiting >> i & 1u, boxes + columns[i], seen[i]);
#pragma unroll
            for (int i = 0; i < batch; ++i)
                if ((waiting >> i & 1u) && box::open(seen[i], x[i], stamp)) waiting &= ~(1u << i);
        }
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (needed >> i & 1u) sum = work.add(sum, elements[i], x[i]);
    }
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        sum = work.join(sum, from_lane_across(sum, distance));
        pivot = work.join(pivot, from_lane_across(pivot, distance));
    }
    __syncthreads();
    if (threadIdx.x % warp_size == 0) {
        sums[threadIdx.x / warp_size] = sum;
        pivots[threadIdx.x / warp_size] = pivot;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned warp = 1; warp < blockDim.x / warp_size; ++warp) {
        sum = work.join(sum, sums[warp]);
        pivot = work.join(pivot, pivots[warp]);
    }
    const typename Work::divisor by = work.ready(record.row, pivot);
    const T result = work.finish(work.prepare(record.row), sum, by);
    box::post_in_block(block_box, result, stamp);
    box::post(boxes + (ordered ? place : record.row), result, stamp);
    work.store(record.row, result, by);
}

// Long rows are walked by blocks only where the launch is told that there are some: that takes registers.
template <class Work, class OT, class IT, int lanes, bool with_long>
__global__ void __launch_bounds__(Work::most_threads, Work::least_blocks)
    sweep_rows(Work work, triangle_rows<OT, IT> triangle, row_order order, solve_control* control,
               typename Work::box::slot* boxes) {
    using T = typename Work::value;
    using box = typename Work::box;
    constexpr int batch = 4;
    constexpr int most_rows = Work::most_threads / lanes;
    __shared__ typename box::slot block_boxes[most_rows];
    __shared__ long_rows<most_rows> long_ones;
    const int own = static_cast<int>(threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    if (lane == 0) box::clear_in_block(block_boxes + own);
    const block_ticket ticket = draw_ticket(control);

    const bool ordered = order.is_ordered();
    const int rows = static_cast<int>(blockDim.x) / lanes;
    const int first = static_cast<int>(ticket.number) * rows;
    const bool present = own < order.n - first;
    const row_record record = present ? order.at(triangle, first + own, ordered) : row_record{};
    const int row = record.row;
    const int own_box = ordered ? first + own : row;
    const bool is_void = work.is_void();
    const bool is_long = with_long && !is_void && record.count() > triangle.longest;
    const bool some_long = with_long && long_ones.collect(own, is_long, lane == 0);
    for (int from = 0; from < rows;) {
        const int until = some_long ? long_ones.next(from) : rows;
        if (until > from) {
            const bool in_run = present && own >= from && own < until;
            unsigned k = static_cast<unsigned>(lane);
            const unsigned end = is_void || !in_run ? 0u : record.count();
            const T prepared = in_run && lane == 0 ? work.prepare(row) : T{};

            T sum{};
            T pivot{};
            typename Work::divisor by{};
            T elements[batch];
            T x[batch];
            int columns[batch];
            unsigned needed = 0;   // which elements of the batch have a share
            unsigned waiting = 0;  // and for which of them there is no x yet
            const auto at = [&](int i) { return triangle.place(record, k + i * lanes); };
            const auto take = [&] {
                needed = 0;
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    const bool is_there = k + i * lanes < end;
                    columns[i] = is_there ? static_cast<int>(triangle.column(at(i))) : -1;
                    elements[i] = is_there ? work.load(triangle.source(at(i))) : T{};
                }
                unsigned of_pivot = 0;
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    if (triangle.needs(row, columns[i])) needed |= 1u << i;
                    if (columns[i] >= 0 && triangle.is_pivot(row, columns[i])) of_pivot |= 1u << i;
                }
                if (ordered)
#pragma unroll
                    for (int i = 0; i < batch; ++i)
                        if (needed >> i & 1u) columns[i] = static_cast<int>(order.places[columns[i]]);
#pragma unroll
                for (int i = 0; i < batch; ++i)
                    if (of_pivot >> i & 1u) pivot = work.add_pivot(pivot, elements[i]);
                k += batch * lanes;
                waiting = needed;
                if (lanes == 1 && k >= end) by = work.ready(row, pivot);
            };
            // Rows of this block hand over through shared memory, where their places are known.
            const auto place_in_block = [&](int column) {
                return (triangle.lower ? column : order.n - 1 - column) - first;
            };
            const auto look = [&](bool elsewhere) {
                typename box::slot seen[batch] = {};
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    const bool far = ordered || place_in_block(columns[i]) < 0;
                    box::peek((waiting >> i & 1u) && far && elsewhere, boxes + columns[i], seen[i]);
                }
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    if ((waiting >> i & 1u) == 0) continue;
                    const int place = ordered ? -1 : place_in_block(columns[i]);
                    T found{};
                    const bool there = place >= 0
                                           ? box::fetch_in_block(block_boxes + place, found, ticket.stamp)
                                           : box::open(seen[i], found, ticket.stamp);
                    if (there) {
                        x[i] = found;
                        waiting &= ~(1u << i);
                    }
                }
                if (waiting == 0) {
#pragma unroll
                    for (int i = 0; i < batch; ++i)
                        if (needed >> i & 1u) sum = work.add(sum, elements[i], x[i]);
                    needed = 0;
                    if (k < end) take();
                }
            };
            bool posted = !in_run;
            const auto post = [&](T row_sum) {
                const T result = work.finish(prepared, row_sum, by);
                if (!ordered) box::post_in_block(block_boxes + own, result, ticket.stamp);
                box::post(boxes + own_box, result, ticket.stamp);
                work.store(row, result, by);
            };
            const auto over_row = [&](T value) {
                for (int distance = lanes / 2; distance > 0; distance /= 2)
                    value = work.join(value, from_lane_across(value, distance));
                return value;
            };
            const auto join_pivots = [&] { by = work.ready(row, over_row(pivot)); };
            bool has_pivots = false;
            // Whether a row of the warp has been posted.
            const auto settle = [&] {
                const bool through = needed == 0 && k >= end;
                bool complete = !posted && through;
                if constexpr (lanes == 1) {
                    if (complete) post(sum);
                    posted = posted || complete;
                    return __any_sync(all_lanes, complete) != 0;
                } else {
                    constexpr unsigned row_lanes = lanes == warp_size ? all_lanes : (1u << lanes) - 1u;
                    const int first_lane = static_cast<int>(threadIdx.x) % warp_size - lane;
                    const unsigned unfinished = __ballot_sync(all_lanes, !through) >> first_lane & row_lanes;
                    complete = complete && unfinished == 0;
                    if (!__any_sync(all_lanes, complete)) return false;
                    if (!has_pivots) join_pivots();
                    const T row_sum = over_row(sum);
                    if (complete && lane == 0) post(row_sum);
                    posted = posted || complete;
                    return true;
                }
            };

            take();
            if (lanes > 1 && __all_sync(all_lanes, k >= end)) {
                join_pivots();
                has_pivots = true;
            }
            if (ordered) {
                const int64_t ahead = order.place_ahead(first);
                if (threadIdx.x == 0 && ahead >= 0) {
                    typename box::slot seen{};
                    for (T value{}; !box::open(seen, value, ticket.stamp);)
                        box::peek(true, boxes + ahead, seen);
                }
                __syncthreads();
            }
            // Of blocks that hardly share a multiprocessor none is in another's way.
            constexpr unsigned few_blocks = 128;
            const unsigned longest_nap = gridDim.x <= few_blocks ? 0u : Work::longest_nap;
            unsigned nap = 0;
            while (!__all_sync(all_lanes, posted)) {
                const unsigned before = waiting;
                look(true);
                const bool found = __any_sync(all_lanes, waiting != before);
                bool again = settle();
                // Without levels most rows wait for long. They look the less often the longer they wait, and
                // leave the multiprocessor to those that need not.
                nap = found || again || ordered ? 0u : min(max(2 * nap, 32u), longest_nap);
                if (nap > 0) __nanosleep(nap);
                // What the block itself has found out is soon there: steps along a row of neighbours are
                // quick.
                while (again && !ordered) {
                    look(false);
                    again = settle();
                }
            }
        }
        if (with_long && until < rows)
            sweep_long_row(work, triangle, order, first + until, ordered, boxes, block_boxes + until,
                           ticket.stamp);
        from = until + 1;
    }
    give_ticket_back(control, ticket, work.zero_pivot());
}

inline int64_t blocks_of_rows(int64_t n, int rows) { return (n + rows - 1) / rows; }

template <int lanes>
struct lane_count {};

// Calls f with as many lanes per row as most rows have batches of elements; one if there are at most `few`.
template <class F>
void visit_lanes(int64_t stored, int64_t rows, int64_t few, F&& f) {
    if (stored <= few * rows) return f(lane_count<1>{});
    if (stored <= 24 * rows) return f(lane_count<4>{});
    f(lane_count<16>{});
}

}  // namespace heron::HERON_LEVEL
