#pragma once
// The factorisation of a CSR matrix in one launch. A few lanes have a row, which waits for the rows that it
// needs, as in trisolve/sweep.cuh, and a block has a long row; what these hand over, each element and the
// pivot, lies in boxes beside the stamp of the launch (trisolve/sync.cuh), so that nobody waits for a fence.
// Where the elements of two rows meet depends on the pattern alone and is found out before the wait.
#include "long.cuh"
#include "units.cuh"

namespace heron::HERON_LEVEL {

// On a multiprocessor, as far as registers are concerned: more rows at work against spilled registers.
constexpr int factor_blocks_at_once(int lanes) { return lanes == 4 ? 6 : 4; }

// Elements of a row that each of its lanes keeps in shared memory.
constexpr int kept_per_lane(int lanes) { return lanes <= 8 ? 6 : 4; }
// Longer rows are factored by whole blocks, out of the same memory.
constexpr int kept_of_row(int lanes) { return lanes * kept_per_lane(lanes); }

// The first pair of each lane, for as many of a row's elements before its diagonal as are looked at before
// the row waits. A lane reads what it has written itself.
template <int lanes>
struct pair_table {
    static constexpr int elements = lanes == 4 ? 8 : lanes == 8 ? 12 : lanes == 16 ? 20 : 32;
    static constexpr int size = elements * lanes;

    int other[size];           // -1: there is no pair
    unsigned short own[size];  // from the row's begin; with the highest bit if there are more than lanes
};

template <class CT, plans::factor_kind kind, int lanes>
class row_of_lanes {
  public:
    using box = mailbox<CT>;
    using slot = typename box::slot;
    using table = pair_table<lanes>;

    __device__ row_of_lanes(const factor_operands<CT>& o, slot* pivots, slot* elements, unsigned stamp,
                            table& pairs)
        : o_(o), pivots_(pivots), elements_(elements), stamp_(stamp), table_(pairs) {}

    // A row that is there, of at most kept_of_row(lanes) elements, for which the shared memory has room.
    __device__ void begin(int row, CT* shared_values, int* shared_columns) {
        row_ = row;
        parts_ = load_parts(o_.parts + row);
        own_ = {shared_values, shared_columns, parts_.begin};
        for (int k = parts_.begin + lane(); k < parts_.end; k += lanes) {
            shared_values[k - parts_.begin] = o_.a[k];
            shared_columns[k - parts_.begin] = o_.columns[k];
        }
        k_ = parts_.begin;
        posted_ = false;
    }

    // Fills the table.
    __device__ void pair_ahead() {
        if (posted_) return;
        const int end = min(parts_.diagonal, parts_.begin + table::elements);
        for (int k = parts_.begin; k < end; k += batch) {
            row_parts others[batch];
#pragma unroll
            for (int u = 0; u < batch; ++u) others[u] = parts_of(k + u < end ? needed_by(k + u) : -1);
#pragma unroll
            for (int u = 0; u < batch; ++u)
                if (k + u < end) enter(k + u - parts_.begin, meeting_with(k + u, others[u]));
        }
        paired_ = end - parts_.begin;
    }

    // The next elements of the row whose rows are waited for.
    __device__ void take() {
        if (posted_) return;
        at_ = 0;
        taken_ = min(batch, parts_.diagonal - k_);
        open_ = more_ = valid_ = 0;
        pivot_row_ = -1;
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int j = u < taken_ ? needed_by(k_ + u) : -1;
            if (j >= 0) valid_ |= 1u << u;
            if (lane() == u) pivot_row_ = j;
        }
        k_ + taken_ - parts_.begin <= paired_ ? take_from_table() : search();
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if (pair_[u].other >= 0) open_ |= 1u << u;
        if (pivot_row_ >= 0) open_ |= pivot_bit;
    }

    // One look at all boxes that the row waits for. Whether this lane has found anything.
    __device__ bool look() {
        slot pivot_seen{}, element_seen[batch] = {};
        box::peek((open_ & pivot_bit) != 0, pivots_ + pivot_row_, pivot_seen);
#pragma unroll
        for (int u = 0; u < batch; ++u)
            box::peek(open_ >> u & 1u, elements_ + pair_[u].other, element_seen[u]);
        const unsigned before = open_;
        if ((open_ & pivot_bit) && box::open(pivot_seen, pivot_, stamp_)) open_ &= ~pivot_bit;
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if ((open_ >> u & 1u) && box::open(element_seen[u], element_[u], stamp_)) open_ &= ~(1u << u);
        return open_ != before;
    }

    // By all lanes of a warp: uses what has been found, in the order of the row.
    __device__ void use() {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const bool waits = (open_ >> u & 1u) != 0 || (lane() == u && (open_ & pivot_bit) != 0);
            const unsigned missing = __ballot_sync(all_lanes, waits);
            const bool next = !posted_ && at_ == u && u < taken_ && (missing & team()) == 0;
            if (!__any_sync(all_lanes, next)) continue;
            eliminate(next && (valid_ >> u & 1u) != 0, u);
            if (next) at_ = u + 1;
        }
        if (posted_ || at_ < taken_) return;
        k_ += taken_;
        taken_ = at_ = 0;
        if (k_ < parts_.diagonal) take();
    }

    // By all lanes of a warp: posts the row if it has all that it needs. Whether a row of the warp was
    // posted.
    __device__ bool settle() {
        const bool complete = !posted_ && k_ >= parts_.diagonal;
        if (!__any_sync(all_lanes, complete)) return false;
        __syncwarp();
        if (complete) post();
        posted_ = posted_ || complete;
        return true;
    }

    __device__ bool is_posted() const { return posted_; }

  private:
    // Elements that are waited for at a time: lane u looks for the pivot of the u-th.
    static constexpr int batch = (sizeof(CT) > 8 ? 2 : 4) * (lanes > 4 ? 2 : 1);
    static constexpr unsigned pivot_bit = 1u << 31;
    static constexpr int most_kept = kept_of_row(lanes);
    static constexpr unsigned has_more = 0x8000u;
    static_assert(batch <= lanes && most_kept < int{has_more});

    static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
    static __device__ int first_lane() { return static_cast<int>(threadIdx.x) % warp_size / lanes * lanes; }
    static __device__ unsigned team() {
        constexpr unsigned of_row = lanes == warp_size ? all_lanes : (1u << lanes) - 1u;
        return of_row << first_lane();
    }
    __device__ CT& value(int k) const { return own_.value(k); }

    // The row that element k waits for; -1 if it is no row before this one.
    __device__ int needed_by(int k) const {
        const int j = own_.column(k) - o_.base;
        return j >= 0 && j < row_ ? j : -1;
    }
    __device__ row_parts parts_of(int row) const {
        return row >= 0 ? load_parts(o_.parts + row) : row_parts{};
    }
    __device__ row_meeting meeting_with(int k, const row_parts& other) const {
        return meeting_of<kind>(parts_, k, other);
    }
    // This lane's first pair of a meeting.
    __device__ row_pair first_pair(const row_meeting& meeting) const {
        if (lane() >= meeting.count()) return {};
        return meeting.at(lane(), own_.columns, own_.shift, o_.columns);
    }

    __device__ void enter(int element, const row_meeting& meeting) {
        const row_pair pair = first_pair(meeting);
        const int place = element * lanes + lane();
        table_.other[place] = pair.other;
        table_.own[place] = static_cast<unsigned short>((pair.other >= 0 ? pair.own - parts_.begin : 0) |
                                                        (lane() + lanes < meeting.count() ? has_more : 0));
    }
    __device__ void take_from_table() {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            pair_[u] = row_pair{};
            if ((valid_ >> u & 1u) == 0) continue;
            const int place = (k_ + u - parts_.begin) * lanes + lane();
            const unsigned own = table_.own[place];
            pair_[u] = {table_.other[place], parts_.begin + static_cast<int>(own & (has_more - 1u))};
            if (own & has_more) more_ |= 1u << u;
        }
    }
    __device__ void search() {
        row_parts others[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) others[u] = parts_of(valid_ >> u & 1u ? needed_by(k_ + u) : -1);
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            pair_[u] = row_pair{};
            if ((valid_ >> u & 1u) == 0) continue;
            const row_meeting meeting = meeting_with(k_ + u, others[u]);
            pair_[u] = first_pair(meeting);
            if (lane() + lanes < meeting.count()) more_ |= 1u << u;
        }
    }

    // An element that another row has handed over or will without this one.
    __device__ CT await(int k) const {
        slot seen{};
        CT found{};
        while (!box::open(seen, found, stamp_)) box::peek(true, elements_ + k, seen);
        return found;
    }

    // Calls f(own position, other row's element) for this lane's pairs of an element of the batch.
    template <class F>
    __device__ void each_pair(int u, F&& f) const {
        if (pair_[u].other >= 0) f(pair_[u].own, element_[u]);
        if ((more_ >> u & 1u) == 0) return;
        const row_meeting meeting = meeting_with(k_ + u, parts_of(needed_by(k_ + u)));
        for (int q = lane() + lanes; q < meeting.count(); q += lanes) {
            const row_pair pair = meeting.at(q, own_.columns, own_.shift, o_.columns);
            if (pair.other >= 0) f(pair.own, await(pair.other));
        }
    }

    // By all lanes of a warp; those of a row that is active work out element k_ + u.
    __device__ void eliminate(bool active, int u) {
        const int k = k_ + u;
        const CT pivot = value_of_lane(pivot_, first_lane() + u);
        CT result{};
        if constexpr (kind == plans::factor_kind::lu) {
            if (active) result = divide(value(k), pivot);
            __syncwarp();
            if (active) {
                if (lane() == 0) value(k) = result;
                each_pair(
                    u, [&](int own, CT u_element) { value(own) = sub(value(own), mul(result, u_element)); });
            }
        } else {
            CT sum{};
            if (active) each_pair(u, [&](int own, CT l) { sum = mad(value(own), conj(l), sum); });
            sum = sum_over_lanes(sum, lanes);
            if (active) {
                result = divide(sub(value(k), sum), pivot);
                squares_ = add(squares_, real_part(mul(result, conj(result))));
            }
            __syncwarp();
            if (active && lane() == 0) value(k) = result;
        }
        __syncwarp();
    }

    // By the lanes of the row alone.
    __device__ void post() {
        const finished_row<CT, kind> row{o_, row_, parts_, own_};
        row.post(row.pivot(squares_, lane() == 0), pivots_, elements_, stamp_, lane(), lanes);
    }

    const factor_operands<CT>& o_;
    slot *pivots_, *elements_;
    unsigned stamp_;
    table& table_;
    int row_ = 0;
    row_parts parts_{};
    own_row<CT> own_{};
    bool posted_ = true;
    int paired_ = 0;      // elements that the table has
    int k_ = 0;           // the first element that is not done, or of the batch
    int taken_ = 0;       // elements of the batch
    int at_ = 0;          // and how many of them are done
    unsigned valid_ = 0;  // elements of the batch that wait for a row
    unsigned more_ = 0;   // and that have more pairs than lanes
    unsigned open_ = 0;   // boxes that have not been seen: of elements, and of the pivot
    int pivot_row_ = -1;  // whose pivot this lane looks for
    CT pivot_{};
    row_pair pair_[batch];
    CT element_[batch] = {};
    CT squares_{};
};

// What all blocks of a launch know.
template <class CT>
struct factor_launch {
    using box = mailbox<CT>;

    factor_operands<CT> o;
    row_order order;
    row_units units;
    solve_control* control;
    typename box::slot *pivots, *elements;

    // By all threads of a block: holds it back until the row is done that comes some levels before this
    // place.
    __device__ void hold_back(int place, unsigned stamp) const {
        if (!order.is_ordered()) return;
        const int64_t ahead = order.place_ahead(place);
        if (threadIdx.x == 0 && ahead >= 0) {
            const auto* const awaited = pivots + order.records[ahead].row;
            typename box::slot seen{};
            for (CT value{}; !box::open(seen, value, stamp);) box::peek(true, awaited, seen);
        }
        __syncthreads();
    }
    __device__ int row_at(int place) const { return order.is_ordered() ? order.records[place].row : place; }
};

// The memory of a block. Each row has its part of it, or one row all.
template <class CT, int lanes>
struct factor_memory {
    static constexpr int rows = factor_threads / lanes;
    static constexpr int of_row = kept_of_row(lanes);
    static constexpr int kept = rows * of_row;

    CT values[kept];
    int columns[kept];
    union {
        pair_table<lanes> pairs[rows];
        long_row_memory<CT> of_long;
    };
};

// Rows that a few lanes each factor: those of at most factor_threads / lanes neighbouring places.
template <class CT, plans::factor_kind kind, int lanes>
static __device__ void factor_short_rows(const factor_launch<CT>& launch, row_unit unit, unsigned stamp,
                                         factor_memory<CT, lanes>& memory) {
    constexpr int kept = factor_memory<CT, lanes>::of_row;
    const bool ordered = launch.order.is_ordered();
    const int own = static_cast<int>(threadIdx.x) / lanes;
    row_of_lanes<CT, kind, lanes> row(launch.o, launch.pivots, launch.elements, stamp, memory.pairs[own]);
    if (own < unit.end - unit.first)
        row.begin(launch.row_at(unit.first + own), memory.values + own * kept, memory.columns + own * kept);
    __syncwarp();
    row.pair_ahead();
    row.take();
    launch.hold_back(unit.first, stamp);
    unsigned nap = 0;
    bool posted = row.settle();
    while (!__all_sync(all_lanes, row.is_posted())) {
        const bool found = __any_sync(all_lanes, row.look());
        row.use();
        posted = row.settle();
        // Without levels most rows wait for long: they look the less often the longer they wait.
        nap = found || posted || ordered ? 0u : min(max(2 * nap, 32u), 100u);
        if (nap > 0) __nanosleep(nap);
    }
}

// A block has a unit, or where the grid has fewer of them one after the other.
template <class CT, plans::factor_kind kind, int lanes>
__global__ void __launch_bounds__(factor_threads, factor_blocks_at_once(lanes))
    factor_rows(factor_launch<CT> launch) {
    __shared__ __align__(16) unsigned char bytes[sizeof(factor_memory<CT, lanes>)];
    auto& memory = *reinterpret_cast<factor_memory<CT, lanes>*>(bytes);
    const int count = launch.units.count(launch.order.n, factor_threads / lanes);
    block_ticket ticket = draw_ticket(launch.control);
    while (static_cast<int>(ticket.number) < count) {
        const row_unit unit =
            launch.units.at(static_cast<int>(ticket.number), launch.order.n, factor_threads / lanes);
        if (unit.is_long)
            long_row<CT, kind>(launch.o, launch.pivots, launch.elements, ticket.stamp, memory.of_long)
                .factor(launch.row_at(unit.first), {memory.values, memory.columns, memory.kept});
        else
            factor_short_rows<CT, kind, lanes>(launch, unit, ticket.stamp, memory);
        if (static_cast<int>(gridDim.x) >= count) break;
        __syncthreads();
        ticket = draw_ticket(launch.control);
    }
    give_ticket_back(launch.control, ticket, [&] { launch.o.finish(); });
}

}  // namespace heron::HERON_LEVEL
