#pragma once
// The factorisation of a CSR matrix in one launch. A few lanes have a row, which waits for the rows that it
// needs, as in trisolve/sweep.cuh, and a block has a long row; what these hand over, each element and the
// pivot, lies in boxes beside the stamp of the launch (trisolve/sync.cuh), so that nobody waits for a fence.
// Where the elements of two rows meet depends on the pattern alone and is found out before the wait.
#include "alone.cuh"
#include "long.cuh"

namespace heron::HERON_LEVEL {

// On a multiprocessor, as far as registers are concerned: more rows at work against spilled registers
// (factor-9).
template <class CT, plans::factor_kind kind>
constexpr int factor_blocks_at_once(int lanes) {
    constexpr size_t widest = kind == plans::factor_kind::lu ? 4 : 8;
    return lanes == 4 && sizeof(CT) <= widest ? 6 : 4;
}

// Elements of a row that each of its lanes keeps in shared memory.
constexpr int kept_per_lane(int lanes) { return lanes <= 8 ? 6 : 4; }
// Longer rows are factored by whole blocks, out of the same memory.
constexpr int kept_of_row(int lanes) { return lanes * kept_per_lane(lanes); }

// What the lanes of a row keep beside its elements. A lane reads what it has written itself.
template <class CT, int lanes>
struct lane_memory {
    // Of the row's next elements before its diagonal, which are looked at before the row waits for theirs:
    // the first pair of each lane.
    static constexpr int paired = lanes == 4 ? 8 : lanes == 8 || (lanes == 16 && sizeof(CT) > 8) ? 16 : 32;
    static constexpr int found = awaited<CT>(lanes);

    CT elements[found * lanes];  // of other rows
    int other[paired * lanes];   // -1: there is no pair
    unsigned short
        own[paired * lanes];  // from the row's begin; with the highest bit if there are more than lanes
};

// The code of this class is met by rows that wait for each other: it is short, so that the instruction cache
// has all of it. Hence each of its steps is there once, and what it does to an element is a loop.
template <class CT, plans::factor_kind kind, int lanes>
class row_of_lanes : row_team<lanes> {
  public:
    using box = mailbox<CT>;
    using slot = typename box::slot;
    using memory = lane_memory<CT, lanes>;

    __device__ row_of_lanes(const factor_operands<CT>& o, slot* pivots, slot* elements, unsigned stamp,
                            memory& kept)
        : o_(o), pivots_(pivots), elements_(elements), stamp_(stamp), memory_(kept) {}

    // A row that is there, of at most kept_of_row(lanes) elements, for which the shared memory has room.
    __device__ void begin(int row, const row_parts& parts, CT* shared_values, int* shared_columns) {
        row_ = row;
        parts_ = parts;
        own_ = copied_row(o_, parts, shared_values, shared_columns, lane(), lanes);
        paired_ = parts_.alone() ? parts_.before_diagonal() : 0;
        turn_ = awaited_ = is_lu ? paired_ : 0;
        k_ = position(0);
        meeting_ = 0;
        posted_ = false;
    }

    // Finds the pairs of the next elements, as long as there is room for some at a time.
    __device__ void pair_ahead() {
        constexpr int some = 4;
        static_assert(memory::paired % some == 0);
        const int all = posted_ ? parts_.before_diagonal() : before_post();
#pragma unroll 1
        while (paired_ < all && paired_ + some <= turn_ + memory::paired) {
            const int end = min(paired_ + some, all);
            row_parts others[some];
            int candidates[some];
#pragma unroll
            for (int u = 0; u < some; ++u)
                others[u] = parts_of(paired_ + u < end ? needed_by(position(paired_ + u)) : -1);
                // All of these are on their way at a time.
#pragma unroll
            for (int u = 0; u < some; ++u) candidates[u] = candidate_of(position(paired_ + u), others[u]);
#pragma unroll
            for (int u = 0; u < some; ++u)
                if (paired_ + u < end) enter(paired_ + u, others[u], candidates[u]);
            paired_ = end;
        }
    }

    // As many elements as are waited for at a time.
    __device__ void await_next() {
        const int end = min(paired_, turn_ + window);
#pragma unroll 1
        for (; awaited_ < end; ++awaited_) {
            const int at = place_of(awaited_, window);
            const int place = pair_place(awaited_);
            const int other = parts_.alone() ? -1 : memory_.other[place];
#pragma unroll
            for (int u = 0; u < window; ++u)
                if (u == at) other_[u] = other;
            if (other >= 0) open_ |= 1u << at;
            if constexpr (!is_lu) meeting_ = (meeting_ & ~(1u << at)) | (meets(other, place) ? 1u << at : 0u);
            const int j = needed_by(position(awaited_));
            if (lane() != at || j < 0) continue;
            pivot_row_ = j;
            open_ |= pivot_bit;
        }
    }

    // One look at all boxes that the row waits for. Whether this lane has found anything.
    __device__ bool look() {
        slot inverse_seen{}, element_seen[window] = {};
        box::peek((open_ & pivot_bit) != 0, pivots_ + pivot_row_, inverse_seen);
#pragma unroll
        for (int u = 0; u < window; ++u) box::peek(open_ >> u & 1u, elements_ + other_[u], element_seen[u]);
        const unsigned before = open_;
        if ((open_ & pivot_bit) && box::open(inverse_seen, inverse_, stamp_)) open_ &= ~pivot_bit;
#pragma unroll
        for (int u = 0; u < window; ++u)
            if ((open_ >> u & 1u) && box::open(element_seen[u], memory_.elements[u * lanes + lane()], stamp_))
                open_ &= ~(1u << u);
        return open_ != before;
    }

    // By all lanes of a warp: uses what has been found, in the order of the row.
    __device__ void use() {
        const bool divides_alone = !is_lu && (looks_at_each || __any_sync(all_lanes, parts_.alone()));
#pragma unroll 1
        while (true) {
            if (divides_alone) divide_alone();
            const int at = place_of(turn_, window);
            const bool waits = (open_ >> at & 1u) != 0 || (lane() == at && (open_ & pivot_bit) != 0);
            const unsigned missing = __ballot_sync(all_lanes, waits);
            const bool next = turn_ < awaited_ && (missing & team()) == 0;
            if (!__any_sync(all_lanes, next)) return;
            eliminate(next && needed_by(k_) >= 0, at);
            if (next) {
                ++turn_;
                ++k_;
            }
        }
    }

    // By all lanes of a warp: posts the row if it has all that others need. Whether a row of the warp was
    // posted.
    __device__ bool settle() {
        const bool complete = !posted_ && turn_ >= before_post();
        if (!__any_sync(all_lanes, complete)) return false;
        if constexpr (!is_lu) {
            const CT sum = sum_over_lanes(squares_, lanes);
            if (complete) squares_ = sum;
        }
        __syncwarp();
        if (complete) post();
        if (is_lu && complete) k_ = parts_.begin;
        posted_ = posted_ || complete;
        return true;
    }

    // Whether nothing is left to do before all rows of the warp are.
    __device__ bool is_done() const { return posted_ && turn_ >= parts_.before_diagonal(); }

    // When all rows of the warp are done: stores the late elements of an LU factorisation, which if they meet
    // nothing are to be divided yet.
    __device__ void finish() const {
#pragma unroll 1
        for (int k = parts_.begin + lane(); k < parts_.begin + parts_.late(); k += lanes) {
            const int j = parts_.alone() ? needed_by(k) : -1;
            o_.a[k] = j >= 0 ? o_.quotient(value(k), await(pivots_ + j), j) : value(k);
        }
    }

  private:
    // Each lane looks for the pair of one candidate before the row waits.
    using meeting = range_meeting<lanes>;
    static constexpr bool is_lu = kind == plans::factor_kind::lu;
    // Lane u looks for the pivot of the u-th of them.
    static constexpr int window = memory::found;
    static constexpr unsigned pivot_bit = 1u << 31;
    // Whether elements without pairs are told from others in rows that have some (factor-5).
    static constexpr bool looks_at_each = !is_lu && lanes <= 8;
    static constexpr unsigned window_bits = (1u << window) - 1u;
    static constexpr int most_kept = kept_of_row(lanes);
    static constexpr unsigned has_more = 0x8000u;
    static_assert(window <= lanes && window <= memory::paired && most_kept < int{has_more});

    using row_team<lanes>::lane;
    using row_team<lanes>::first_lane;
    using row_team<lanes>::team;
    __device__ CT& value(int k) const { return own_.value(k); }

    // The elements before the diagonal take turns: first those that the row's post needs, in their order.
    __device__ int before_post() const { return parts_.before_diagonal() - (is_lu ? parts_.late() : 0); }
    __device__ int position(int turn) const {
        if constexpr (!is_lu) return parts_.begin + turn;
        const int k = parts_.begin + parts_.late() + turn;
        return k < parts_.diagonal ? k : k - parts_.before_diagonal();
    }
    // Where a turn's is in an array of the latest `count`.
    static __device__ int place_of(int turn, int count) {
        return static_cast<int>(static_cast<unsigned>(turn) % static_cast<unsigned>(count));
    }
    static __device__ int pair_place(int turn) { return place_of(turn, memory::paired) * lanes + lane(); }

    // The row that element k waits for; -1 if it is no row before this one.
    __device__ int needed_by(int k) const {
        const int j = own_.column(k) - o_.base;
        return j >= 0 && j < row_ ? j : -1;
    }
    __device__ row_parts parts_of(int row) const {
        return row >= 0 ? load_parts(o_.parts + row) : row_parts{};
    }

    // Whether an element of a Cholesky factor, of which this lane has the pair `other` or none, may have any.
    __device__ bool meets(int other, int place) const {
        if constexpr (!looks_at_each) return !parts_.alone();
        return __any_sync(team(), other >= 0 || (!parts_.alone() && (memory_.own[place] & has_more) != 0));
    }

    // The column of the lane's candidate for a pair of element k and the other row.
    __device__ int candidate_of(int k, const row_parts& other) const {
        const auto met = meeting_of<kind, meeting>(parts_, k, other);
        return lane() < met.count() ? met.column(lane(), own_.columns, own_.shift, o_.columns) : 0;
    }

    __device__ void enter(int turn, const row_parts& other, int candidate) {
        const auto met = meeting_of<kind, meeting>(parts_, position(turn), other);
        const row_pair pair = lane() < met.count()
                                  ? met.find(lane(), candidate, own_.columns, own_.shift, o_.columns)
                                  : row_pair{};
        const int place = pair_place(turn);
        memory_.other[place] = pair.other;
        memory_.own[place] = static_cast<unsigned short>((pair.other >= 0 ? pair.own - parts_.begin : 0) |
                                                         (lane() + lanes < met.count() ? has_more : 0));
    }

    // What another row has handed over or will without this one.
    __device__ CT await(slot* from) const {
        slot seen{};
        CT found{};
        while (!box::open(seen, found, stamp_)) box::peek(true, from, seen);
        return found;
    }

    // Calls f(own position, other row's element) for this lane's pairs of the next element.
    template <class F>
    __device__ void each_pair(int at, F&& f) const {
        const int place = pair_place(turn_);
        const unsigned own = memory_.own[place];
        const int other = memory_.other[place];
        if (other >= 0)
            f(parts_.begin + static_cast<int>(own & (has_more - 1u)), memory_.elements[at * lanes + lane()]);
        if ((own & has_more) == 0) return;
        const auto met = meeting_of<kind, meeting>(parts_, k_, parts_of(needed_by(k_)));
#pragma unroll 1
        for (int q = lane() + lanes; q < met.count(); q += lanes) {
            const row_pair pair = met.at(q, own_.columns, own_.shift, o_.columns);
            if (pair.other >= 0) f(pair.own, await(elements_ + pair.other));
        }
    }

    // By all lanes of a warp: divides the next elements as far as their pivots are there and they meet
    // nothing in their pivots' rows, so that none waits for another; each by the lane that looked for its
    // pivot.
    __device__ void divide_alone() {
        const unsigned missing = __ballot_sync(all_lanes, (open_ & pivot_bit) != 0) >> first_lane();
        const unsigned first = static_cast<unsigned>(place_of(turn_, window));
        const unsigned held = (missing | meeting_) & window_bits;
        const unsigned held_from_first = (held >> first | held << (window - first)) & window_bits;
        const int free = held_from_first ? __ffs(static_cast<int>(held_from_first)) - 1 : window;
        const int count = min(free, awaited_ - turn_);
        if (!__any_sync(all_lanes, count > 0)) return;
        const int own = (lane() + window - static_cast<int>(first)) % window;
        const int k = k_ + own;
        if (lane() < window && own < count && needed_by(k) >= 0) {
            CT& divided = value(k);
            divided = o_.quotient(divided, inverse_, needed_by(k));
            add_square(divided);
        }
        turn_ += count;
        k_ += count;
        __syncwarp();
    }

    // By the lane whose place the element has, so that the sum does not depend on what is found when.
    __device__ void add_square(CT l) {
        if constexpr (kind == plans::factor_kind::cholesky) squares_ = with_square(squares_, l);
    }

    // By all lanes of a warp; those of a row that is active work out its next element.
    __device__ void eliminate(bool active, int at) {
        if constexpr (kind == plans::factor_kind::lu) {
            const CT inverse = value_of_lane(inverse_, first_lane() + at);
            CT result{};
            if (active) {
                result = o_.quotient(value(k_), inverse, needed_by(k_));
                each_pair(at, [&](int own, CT u) { value(own) = sub(value(own), mul(result, u)); });
            }
            __syncwarp();
            if (active && lane() == 0) value(k_) = result;
        } else {
            CT sum{};
            if (active) each_pair(at, [&](int own, CT l) { sum = mad(value(own), conj(l), sum); });
            if (__any_sync(all_lanes, active && !equal(sum, CT{}))) sum = sum_over_lanes(sum, lanes);
            if (active && lane() == at) {
                const CT result = o_.quotient(sub(value(k_), sum), inverse_, needed_by(k_));
                add_square(result);
                value(k_) = result;
            }
            __syncwarp();
        }
    }

    // By the lanes of the row alone.
    __device__ void post() {
        const finished_row<CT, kind> row{o_, row_, parts_, own_};
        row.post(squares_, pivots_, elements_, stamp_, lane(), lanes);
    }

    const factor_operands<CT>& o_;
    slot *pivots_, *elements_;
    unsigned stamp_;
    memory& memory_;
    int row_ = 0;
    row_parts parts_{};
    own_row<CT> own_{};
    bool posted_ = true;
    int turn_ = 0;          // of the first element that is not done
    int k_ = 0;             // and its position
    int awaited_ = 0;       // behind those that are waited for
    int paired_ = 0;        // behind those whose pairs are known
    unsigned meeting_ = 0;  // which of the elements that are waited for have pairs
    unsigned open_ = 0;     // boxes that have not been seen: of elements, and of the pivot
    int pivot_row_ = -1;    // whose pivot this lane looks for
    CT inverse_{};          // of that
    int other_[window] = {};
    CT squares_{};  // of the elements whose places are this lane's
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
        lane_memory<CT, lanes> of_short[rows];
        long_row_memory<CT> of_long;
    };
};

// Rows that a few lanes each factor: those of at most factor_threads / lanes neighbouring places.
template <class CT, plans::factor_kind kind, int lanes>
static __device__ void factor_short_rows(const factor_launch<CT>& launch, row_unit unit, int first_place,
                                         unsigned stamp, factor_memory<CT, lanes>& memory) {
    constexpr int kept = factor_memory<CT, lanes>::of_row;
    const bool ordered = launch.order.is_ordered();
    const int own = static_cast<int>(threadIdx.x) / lanes;
    const int place = unit.first + own;
    const bool is_there = place < unit.end && place >= first_place;
    const int number = is_there ? launch.row_at(place) : 0;
    const row_parts parts = is_there ? load_parts(launch.o.parts + number) : row_parts{};
    CT* const values = memory.values + own * kept;
    int* const columns = memory.columns + own * kept;
    if constexpr (kind == plans::factor_kind::cholesky)
        if (__all_sync(all_lanes, !is_there || parts.alone())) {
            alone_row<CT, lanes> row(launch.o, launch.pivots, stamp);
            if (is_there) row.begin(number, parts, values, columns);
            launch.hold_back(unit.first, stamp);
            return row.factor(launch.elements, ordered);
        }
    row_of_lanes<CT, kind, lanes> row(launch.o, launch.pivots, launch.elements, stamp, memory.of_short[own]);
    if (is_there) row.begin(number, parts, values, columns);
    __syncwarp();
    bool is_held = true;
    unsigned nap = 0;
    do {
        row.pair_ahead();
        row.await_next();
        if (is_held) launch.hold_back(unit.first, stamp);
        is_held = false;
        const bool found = __any_sync(all_lanes, row.look());
        row.use();
        const bool posted = row.settle();
        nap = found || posted || ordered ? 0u : longer_nap(nap);
        if (nap > 0) __nanosleep(nap);
    } while (!__all_sync(all_lanes, row.is_done()));
    if constexpr (kind == plans::factor_kind::lu) row.finish();
}

// A block has a unit, or where the grid has fewer of them one after the other.
template <class CT, plans::factor_kind kind, int lanes>
__global__ void __launch_bounds__(factor_threads, factor_blocks_at_once<CT, kind>(lanes))
    factor_rows(factor_launch<CT> launch) {
    __shared__ __align__(16) unsigned char bytes[sizeof(factor_memory<CT, lanes>)];
    auto& memory = *reinterpret_cast<factor_memory<CT, lanes>*>(bytes);
    begin_behind_kernel_before();
    constexpr int rows = factor_threads / lanes;
    const unit_summary known = launch.units.known();
    const int first_place = launch.first_place();
    // Of units that are not listed.
    const int first_unit = known.has_long ? 0 : first_place / rows;
    const int count = row_units::count(known, launch.order.n, rows) - first_unit;
    block_ticket ticket = draw_ticket(launch.control);
    while (static_cast<int>(ticket.number) < count) {
        const row_unit unit =
            launch.units.at(known, first_unit + static_cast<int>(ticket.number), launch.order.n, rows);
        if (!unit.is_long)
            factor_short_rows<CT, kind, lanes>(launch, unit, first_place, ticket.stamp, memory);
        else if (unit.first >= first_place)
            long_row<CT, kind>(launch.o, launch.pivots, launch.elements, ticket.stamp, memory.of_long)
                .factor(launch.row_at(unit.first), {memory.values, memory.columns, memory.kept});
        if (static_cast<int>(gridDim.x) >= count) break;
        __syncthreads();
        ticket = draw_ticket(launch.control);
    }
    give_ticket_back(launch.control, ticket, [&] { launch.o.finish(); });
}

}  // namespace heron::HERON_LEVEL
