#pragma once
// One sweep over the rows of a triangle in which every row uses what the rows that it needs have found out:
// their solutions, or their levels. One launch, after the self-scheduled solves of Liu et al. ("A
// synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016) and of Su et al.
// ("CapelliniSpTRSV", ICPP 2020): no lane ever stands still for another of its warp, since every look at a
// mailbox is one try.
#include "cuda/runtime/group_words.cuh"
#include "sync.cuh"
#include "units.cuh"

#include "common/trisolve/order.hpp"

namespace heron::HERON_LEVEL {

// A row, and where its elements are.
struct alignas(16) row_record {
    int row;
    unsigned begin, end;
    unsigned unused = 0;  // so that it is loaded and stored as a whole

    __device__ unsigned count() const { return end - begin; }
};

// How many elements are missing in the first batch of a row, so that its last one is full: what comes last is
// waited for longest, and has then been loaded while there was time.
static __device__ inline unsigned missing_in_first(unsigned count, unsigned batch) {
    return (batch - count % batch) % batch;
}

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
    // Element q of a row, counted so that what is solved first comes first where columns ascend: a row that
    // has to wait has then done all but its last elements.
    __device__ unsigned place(const row_record& record, unsigned q) const {
        return lower ? record.begin + q : record.end - 1 - q;
    }
    // Of elements q, q + step, ..., modulo 2^32, of the first `end` of a row the columns, -1 for those that
    // are not there, and where the values are: loads that follow each other without a branch.
    template <int batch>
    __device__ void locate(const row_record& record, unsigned q, unsigned step, unsigned end,
                           int (&found)[batch], unsigned (&values)[batch]) const {
#pragma unroll
        for (int i = 0; i < batch; ++i) values[i] = place(record, q + i * step);
#pragma unroll
        for (int i = 0; i < batch; ++i)
            found[i] = q + i * step < end ? static_cast<int>(column(values[i])) : -1;
        if (!sources) return;
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (q + i * step < end) values[i] = static_cast<unsigned>(sources[values[i]]);
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
    // Whether a row is one of these.
    __device__ bool comes_first(int row) const {
        return is_ordered() && places[row] < static_cast<unsigned>(schedule->alone);
    }
    // How many they are, 0 if there are long rows.
    __device__ int short_alone() const { return is_ordered() && !schedule->has_long ? schedule->alone : 0; }
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
//   Work of_side(side)                 the same for another right-hand side
//   bool is_void()                     no row needs any other
//   value right_side(row)              what can be loaded before waiting
//   value prepare(right side)          and then be worked out
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

// A long row is several blocks' where it has more than that; each has a piece of it.
constexpr unsigned piece_length = 1024;
constexpr unsigned longest_whole = 2 * piece_length;

static __host__ __device__ inline unsigned pieces_of_length(unsigned length) {
    return length > longest_whole ? (length + piece_length - 1) / piece_length : 1u;
}

// Where a piece of a row that is not its last one hands its sum over. Places of elements tell rows' pieces
// apart: that of a last one would be the first of the next row.
static __device__ inline unsigned place_of_piece(const row_record& row, unsigned piece) {
    return row.begin / piece_length + piece;
}

// What the pieces of rows but the last ones hand over: their sums, and their parts of the pivot.
template <class Slot>
struct row_pieces {
    Slot* sums;    // one for each piece_length elements of the matrix
    Slot* pivots;  // likewise
    bool are_listed;
};

// The elements of a piece of a row.
static __device__ inline row_record piece_of_row(const row_record& row, unsigned piece, unsigned pieces,
                                                 bool lower) {
    row_record part = row;
    if (pieces == 1) return part;
    const unsigned from = piece * piece_length;
    const unsigned end = min(from + piece_length, row.count());
    part.begin = lower ? row.begin + from : row.end - end;
    part.end = lower ? row.begin + end : row.end - from;
    return part;
}

// A row, or a piece of it, walked by all threads of its block. The block of the last piece, which comes after
// the others, adds up what these have found in their order.
template <class Work, class OT, class IT>
static __device__ void sweep_long_row(const Work& work, const triangle_rows<OT, IT>& triangle,
                                      const row_order& order, int place, unsigned piece, bool ordered,
                                      typename Work::box::slot* boxes,
                                      const row_pieces<typename Work::box::slot>& shared, unsigned stamp) {
    using T = typename Work::value;
    using box = typename Work::box;
    constexpr int batch = 4;
    constexpr int most_warps = Work::most_threads / warp_size;
    __shared__ T sums[most_warps];
    __shared__ T pivots[most_warps];
    const row_record whole = order.at(triangle, place, ordered);
    const unsigned pieces = shared.are_listed ? pieces_of_length(whole.count()) : 1u;
    const row_record record = piece_of_row(whole, piece, pieces, triangle.lower);
    const bool is_last = piece + 1 == pieces;
    const unsigned own_place = place_of_piece(whole, piece);
    const unsigned step = blockDim.x;
    const unsigned count = record.count();
    const unsigned warps = step / warp_size;
    // In thread 0 what all threads have.
    const auto gather = [&](T(&of_warps)[most_warps], T value) {
        for (int distance = warp_size / 2; distance > 0; distance /= 2)
            value = work.join(value, from_lane_across(value, distance));
        if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = value;
        __syncthreads();
        if (threadIdx.x != 0) return value;
        for (unsigned warp = 1; warp < warps; ++warp) value = work.join(value, of_warps[warp]);
        return value;
    };
    const T right = threadIdx.x == 0 && is_last ? work.right_side(record.row) : T{};
    T prepared{};
    T sum{};
    T pivot{};
    typename Work::divisor by{};
    if (is_last) {
        for (unsigned other = threadIdx.x; other + 1 < pieces; other += step) {
            const unsigned at = own_place - piece + other;
            typename box::slot of_sum{};
            typename box::slot of_pivot{};
            T found{};
            while (!box::open(of_sum, found, stamp)) box::peek(true, shared.sums + at, of_sum);
            sum = work.join(sum, found);
            while (!box::open(of_pivot, found, stamp)) box::peek(true, shared.pivots + at, of_pivot);
            pivot = work.join(pivot, found);
        }
    }
    const unsigned missing = missing_in_first(count, batch * step);
    for (unsigned first = 0; first < count + missing; first += batch * step) {
        const unsigned q = first + threadIdx.x - missing;
        T elements[batch];
        T x[batch] = {};
        int columns[batch];
        unsigned needed = 0;
        unsigned values[batch];
        triangle.locate(record, q, step, count, columns, values);
#pragma unroll
        for (int i = 0; i < batch; ++i) elements[i] = q + i * step < count ? work.load(values[i]) : T{};
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (triangle.needs(record.row, columns[i])) {
                needed |= 1u << i;
                if (ordered) columns[i] = static_cast<int>(order.places[columns[i]]);
            } else if (columns[i] >= 0 && triangle.is_pivot(record.row, columns[i])) {
                pivot = work.add_pivot(pivot, elements[i]);
            }
        }
        // Most of a division comes before what is divided.
        if (first + batch * step == count + missing) {
            pivot = gather(pivots, pivot);
            if (threadIdx.x == 0 && is_last) {
                by = work.ready(record.row, pivot);
                prepared = work.prepare(right);
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
    sum = gather(sums, sum);
    if (threadIdx.x != 0) return;
    if (!is_last) {
        box::post(shared.sums + own_place, sum, stamp);
        box::post(shared.pivots + own_place, pivot, stamp);
        return;
    }
    const T result = work.finish(prepared, sum, by);
    box::post(boxes + (ordered ? place : record.row), result, stamp);
    work.store(record.row, result, by);
}

// Rows that a few lanes each solve, all of one block: those of at most blockDim.x / lanes neighbouring
// places.
template <class Work, class OT, class IT, int lanes>
static __device__ void sweep_short_rows(const Work& work, const triangle_rows<OT, IT>& triangle,
                                        const row_order& order, row_unit unit, bool ordered,
                                        typename Work::box::slot* boxes,
                                        typename Work::box::slot* block_boxes, unsigned stamp) {
    using T = typename Work::value;
    using box = typename Work::box;
    constexpr int batch = 4;
    const int own = static_cast<int>(threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int first = unit.first;
    const bool present = own < unit.end - first;
    const row_record record = present ? order.at(triangle, first + own, ordered) : row_record{};
    const int row = record.row;
    const int own_box = ordered ? first + own : row;
    const unsigned end = work.is_void() || !present ? 0u : record.count();
    // Below 0, that is far behind the end, where there is no element.
    unsigned k = static_cast<unsigned>(lane) - missing_in_first(end, batch * lanes);
    const T right = present && lane == 0 ? work.right_side(row) : T{};

    T prepared{};
    T sum{};
    T pivot{};
    typename Work::divisor by{};
    T elements[batch];
    T x[batch];
    int columns[batch];
    unsigned needed = 0;   // which elements of the batch have a share
    unsigned waiting = 0;  // and for which of them there is no x yet
    const auto take = [&] {
        needed = 0;
        unsigned values[batch];
        triangle.locate(record, k, lanes, end, columns, values);
#pragma unroll
        for (int i = 0; i < batch; ++i) elements[i] = k + i * lanes < end ? work.load(values[i]) : T{};
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
            const bool there = place >= 0 ? box::fetch_in_block(block_boxes + place, found, stamp)
                                          : box::open(seen[i], found, stamp);
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
    bool posted = !present;
    const auto post = [&](T row_sum) {
        const T result = work.finish(prepared, row_sum, by);
        if (!ordered) box::post_in_block(block_boxes + own, result, stamp);
        box::post(boxes + own_box, result, stamp);
        work.store(row, result, by);
    };
    const auto over_row = [&](T value) {
        for (int distance = lanes / 2; distance > 0; distance /= 2)
            value = work.join(value, from_lane_across(value, distance));
        return value;
    };
    const auto join_pivots = [&] { by = work.ready(row, over_row(pivot)); };
    bool has_pivots = false;
    // Most of a division comes before what is divided.
    const auto join_pivots_early = [&] {
        if (has_pivots || !__all_sync(all_lanes, k >= end)) return;
        join_pivots();
        has_pivots = true;
    };
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
            join_pivots_early();
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
    prepared = work.prepare(right);
    if (lanes > 1) join_pivots_early();
    if (ordered) {
        const int64_t ahead = order.place_ahead(first);
        if (threadIdx.x == 0 && ahead >= 0) {
            typename box::slot seen{};
            for (T value{}; !box::open(seen, value, stamp);) box::peek(true, boxes + ahead, seen);
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

// Long rows are walked by blocks only where the launch is told that there are some: that takes registers.
// Each block has a unit of a right-hand side. Blocks that are more than these come last.
template <class Work, class OT, class IT, int lanes, bool with_long>
__global__ void __launch_bounds__(Work::most_threads, Work::least_blocks)
    sweep_rows(Work work, triangle_rows<OT, IT> triangle, row_order order, row_units units, unsigned sides,
               solve_control* control, typename Work::box::slot* boxes,
               row_pieces<typename Work::box::slot> pieces) {
    using box = typename Work::box;
    __shared__ typename box::slot block_boxes[Work::most_threads / lanes];
    if (threadIdx.x % lanes == 0) box::clear_in_block(block_boxes + threadIdx.x / lanes);
    const bool ordered = order.is_ordered();
    const unit_summary known = with_long ? units.known() : unit_summary{};
    const int rows = static_cast<int>(blockDim.x) / lanes;
    const unsigned blocks =
        with_long ? static_cast<unsigned>(row_units::count(known, order.n, rows)) * sides : gridDim.x;
    if (blockIdx.x >= blocks) return;
    const block_ticket ticket = draw_ticket(control);

    const unsigned side = sides > 1 ? ticket.number % sides : 0u;
    const int number = static_cast<int>(sides > 1 ? ticket.number / sides : ticket.number);
    const row_unit unit = units.at(known, number, order.n, rows);
    const Work of_side = work.of_side(side);
    auto* const side_boxes = boxes + static_cast<int64_t>(side) * order.n;
    if (with_long && unit.is_long && !work.is_void())
        sweep_long_row(of_side, triangle, order, unit.first, units.piece(number), ordered, side_boxes, pieces,
                       ticket.stamp);
    else
        sweep_short_rows<Work, OT, IT, lanes>(of_side, triangle, order, unit, ordered, side_boxes,
                                              block_boxes, ticket.stamp);
    give_ticket_back(control, ticket, work.zero_pivot(), blocks);
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
