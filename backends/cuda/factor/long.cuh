#pragma once
// A row of many elements, which a whole block factors. Its elements before the diagonal follow each other,
// but all threads share what one of them does to the others; where these lie is looked up in an index of the
// row's columns.
#include "rows.cuh"

namespace heron::HERON_LEVEL {

// Where a row's columns are, by the first of each of some equal parts of the range that they span.
class column_index {
  public:
    static constexpr int buckets = 256;

    // By all threads of a block. starts: of shared memory, buckets + 1.
    __device__ void build(const row_parts& row, const int* columns, int shift, int* starts) {
        columns_ = columns;
        shift_ = shift;
        starts_ = starts;
        lowest_ = columns[row.begin - shift];
        const auto width =
            static_cast<unsigned>(columns[row.end - 1 - shift]) - static_cast<unsigned>(lowest_);
        bits_ = max(32 - __clz(static_cast<int>(width)) - bucket_bits, 0);
        for (int b = static_cast<int>(threadIdx.x); b <= buckets; b += factor_threads) {
            const int64_t first = lowest_ + (static_cast<int64_t>(b) << bits_);
            starts[b] = first > INT32_MAX ? row.end
                                          : lower_bound(columns, row.begin - shift, row.end - shift,
                                                        static_cast<int>(first)) +
                                                shift;
        }
        __syncthreads();
    }

    // The position of a column in [first, end); -1 if it is not there.
    __device__ int find(int column, int first, int end) const {
        const unsigned bucket = (static_cast<unsigned>(column) - static_cast<unsigned>(lowest_)) >> bits_;
        if (bucket >= buckets) return -1;
        first = max(first, starts_[bucket]);
        end = min(end, starts_[bucket + 1]);
        if (first >= end) return -1;
        const int found = lower_bound(columns_, first - shift_, end - shift_, column) + shift_;
        return found < end && columns_[found - shift_] == column ? found : -1;
    }

  private:
    static constexpr int bucket_bits = 8;
    static_assert(buckets == 1 << bucket_bits);

    const int* columns_ = nullptr;  // of position k: columns[k - shift]
    const int* starts_ = nullptr;
    int shift_ = 0;
    int lowest_ = 0;
    int bits_ = 0;
};

// The candidates for pairs of a long row with another one: the elements of the other row, since looking them
// up is quick; but where that is far longer, this row's.
class long_meeting {
  public:
    __device__ long_meeting(int own_first, int own_end, int other_first, int other_end)
        : own_first_(own_first), own_end_(own_end), other_first_(other_first), other_end_(other_end) {}

    __device__ int count() const { return by_own() ? own_count() : other_count(); }
    __device__ row_pair at(int q, const column_index& own, const int* own_columns, int shift,
                           const int* columns) const {
        if (by_own()) {
            const int column = own_columns[own_first_ + q - shift];
            const int found = lower_bound(columns, other_first_, other_end_, column);
            return found < other_end_ && columns[found] == column ? row_pair{found, own_first_ + q}
                                                                  : row_pair{};
        }
        const int found = own.find(columns[other_first_ + q], own_first_, own_end_);
        return found >= 0 ? row_pair{other_first_ + q, found} : row_pair{};
    }

  private:
    static constexpr int far_longer = 16;

    __device__ int own_count() const { return own_end_ - own_first_; }
    __device__ int other_count() const { return other_end_ - other_first_; }
    __device__ bool by_own() const {
        return other_count() > 4 * factor_threads && other_count() / far_longer > own_count();
    }

    int own_first_, own_end_, other_first_, other_end_;
};

// Beside the row's elements. awaited: elements that are waited for at a time.
template <class CT>
struct long_row_memory {
    static constexpr int awaited = sizeof(CT) > 8 ? 4 : 8;

    int starts[column_index::buckets + 1];
    CT sums[factor_threads / warp_size];
    // Of each thread's first pairs, which nobody else reads: the other row's element, and where the own one
    // is.
    CT elements[awaited * factor_threads];
    int own[awaited * factor_threads];  // -1: there is no pair
};

// Where the block keeps `count` of a row's elements.
template <class CT>
struct kept_elements {
    CT* values;
    int* columns;
    int count;
};

template <class CT, plans::factor_kind kind>
class long_row {
  public:
    using box = mailbox<CT>;
    using slot = typename box::slot;

    __device__ long_row(const factor_operands<CT>& o, slot* pivots, slot* elements, unsigned stamp,
                        long_row_memory<CT>& memory)
        : o_(o), pivots_(pivots), elements_(elements), stamp_(stamp), memory_(memory) {}

    // By all threads of a block. The row is not held back as short ones are: there are few such rows, and
    // they have much to do before they need what is found out last.
    __device__ void factor(int row, kept_elements<CT> kept) {
        begin(row, kept);
        take();
        while (taken_ > 0) {
#pragma unroll 1
            for (int u = 0; u < taken_; ++u) {
                if ((valid_ >> u & 1u) == 0) continue;
                wait_for(u);
                eliminate(u);
            }
            k_ += taken_;
            take();
        }
        __syncthreads();
        const finished_row<CT, kind> done{o_, row_, parts_, own_};
        done.post(squares_, pivots_, elements_, stamp_, thread(), factor_threads);
    }

  private:
    // Elements that are waited for at a time: lane u of each warp looks for the pivot of the u-th.
    static constexpr int batch = long_row_memory<CT>::awaited;
    static constexpr unsigned pivot_bit = 1u << 31;

    static __device__ int thread() { return static_cast<int>(threadIdx.x); }
    static __device__ int lane() { return thread() % warp_size; }
    static __device__ int warp() { return thread() / warp_size; }
    static __device__ int place_of(int u) { return u * factor_threads + thread(); }

    __device__ int needed_by(int k) const {
        const int j = own_.column(k) - o_.base;
        return j >= 0 && j < row_ ? j : -1;
    }
    __device__ long_meeting meeting_with(int k, const row_parts& other) const {
        return meeting_of<kind, long_meeting>(parts_, k, other);
    }
    __device__ row_pair pair_of(const long_meeting& meeting, int q) const {
        return meeting.at(q, index_, own_.columns, own_.shift, o_.columns);
    }

    __device__ void begin(int row, const kept_elements<CT>& kept) {
        row_ = row;
        parts_ = load_parts(o_.parts + row);
        k_ = parts_.begin;
        own_ = {o_.a, o_.columns, 0};
        if (parts_.end - parts_.begin <= kept.count) {
            own_ = {kept.values, kept.columns, parts_.begin};
            for (int k = parts_.begin + thread(); k < parts_.end; k += factor_threads) {
                kept.values[k - parts_.begin] = o_.a[k];
                kept.columns[k - parts_.begin] = o_.columns[k];
            }
            __syncthreads();
        }
        index_.build(parts_, own_.columns, own_.shift, memory_.starts);
    }

    // The next elements whose rows are waited for, and where they meet this one. The same in all threads but
    // for their pairs.
    __device__ void take() {
        taken_ = max(min(batch, parts_.diagonal - k_), 0);
        open_ = more_ = wide_ = valid_ = 0;
        pivot_row_ = -1;
        row_parts others[batch];
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int j = u < taken_ ? needed_by(k_ + u) : -1;
            if (j >= 0) valid_ |= 1u << u;
            if (lane() == u) pivot_row_ = j;
            others[u] = j >= 0 ? load_parts(o_.parts + j) : row_parts{};
        }
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            other_[u] = -1;
            if ((valid_ >> u & 1u) == 0) continue;
            const long_meeting meeting = meeting_with(k_ + u, others[u]);
            const int count = meeting.count();
            const row_pair pair = thread() < count ? pair_of(meeting, thread()) : row_pair{};
            other_[u] = pair.other;
            memory_.own[place_of(u)] = pair.other >= 0 ? pair.own : -1;
            if (pair.other >= 0) open_ |= 1u << u;
            if (count > warp_size) wide_ |= 1u << u;
            if (count > factor_threads) more_ |= 1u << u;
        }
        if (pivot_row_ >= 0) open_ |= pivot_bit;
    }

    __device__ void look() {
        slot inverse_seen{}, element_seen[batch] = {};
        box::peek((open_ & pivot_bit) != 0, pivots_ + pivot_row_, inverse_seen);
#pragma unroll
        for (int u = 0; u < batch; ++u) box::peek(open_ >> u & 1u, elements_ + other_[u], element_seen[u]);
        if ((open_ & pivot_bit) && box::open(inverse_seen, inverse_, stamp_)) open_ &= ~pivot_bit;
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if ((open_ >> u & 1u) && box::open(element_seen[u], memory_.elements[place_of(u)], stamp_))
                open_ &= ~(1u << u);
    }
    __device__ void wait_for(int u) {
        const auto waits = [&] { return (open_ >> u & 1u) || (lane() == u && (open_ & pivot_bit)); };
        // The longer it waits the less often it looks, to leave the cache to others.
        constexpr unsigned longest_nap = 128;
        for (unsigned nap = 0; __any_sync(all_lanes, waits()); nap = min(2 * nap + 16, longest_nap)) {
            if (nap > 16) __nanosleep(nap);
            look();
        }
    }

    // Calls f(own position, other row's element) for this thread's pairs of an element.
    template <class F>
    __device__ void each_pair(int u, F&& f) const {
        const int first_own = memory_.own[place_of(u)];
        if (first_own >= 0) f(first_own, memory_.elements[place_of(u)]);
        if ((more_ >> u & 1u) == 0) return;
        const long_meeting meeting = meeting_with(k_ + u, load_parts(o_.parts + needed_by(k_ + u)));
        constexpr int some = 4;
        const int count = meeting.count();
        for (int q = thread() + factor_threads; q < count; q += some * factor_threads) {
            row_pair pairs[some];
            slot seen[some] = {};
            CT found[some];
            unsigned open = 0;
#pragma unroll
            for (int v = 0; v < some; ++v) {
                if (q + v * factor_threads < count) pairs[v] = pair_of(meeting, q + v * factor_threads);
                if (pairs[v].other >= 0) open |= 1u << v;
            }
            while (open != 0) {
#pragma unroll
                for (int v = 0; v < some; ++v) box::peek(open >> v & 1u, elements_ + pairs[v].other, seen[v]);
#pragma unroll
                for (int v = 0; v < some; ++v)
                    if ((open >> v & 1u) && box::open(seen[v], found[v], stamp_)) open &= ~(1u << v);
            }
#pragma unroll
            for (int v = 0; v < some; ++v)
                if (pairs[v].other >= 0) f(pairs[v].own, found[v]);
        }
    }

    __device__ void eliminate(int u) {
        if constexpr (kind == plans::factor_kind::lu)
            divide_and_subtract(u);
        else
            subtract_and_divide(u);
    }
    __device__ void divide_and_subtract(int u) {
        const int k = k_ + u;
        const CT result = o_.quotient(own_.value(k), value_of_lane(inverse_, u), needed_by(k));
        each_pair(u, [&](int own, CT u_element) {
            own_.value(own) = sub(own_.value(own), mul(result, u_element));
        });
        __syncthreads();
        // Nobody looks at it any more.
        if (thread() == 0) own_.value(k) = result;
    }
    // Few pairs are the first warp's alone.
    __device__ void subtract_and_divide(int u) {
        const int k = k_ + u;
        const CT inverse = value_of_lane(inverse_, u);
        CT sum{};
        each_pair(u, [&](int own, CT l) { sum = mad(own_.value(own), conj(l), sum); });
        sum = sum_over_lanes(sum, warp_size);
        if (wide_ >> u & 1u) {
            if (lane() == 0) memory_.sums[warp()] = sum;
            __syncthreads();
            for (int w = 1; warp() == 0 && w < factor_threads / warp_size; ++w)
                sum = add(sum, memory_.sums[w]);
        }
        if (warp() == 0) {
            const CT result = o_.quotient(sub(own_.value(k), sum), inverse, needed_by(k));
            squares_ = with_square(squares_, result);
            __syncwarp();
            if (thread() == 0) own_.value(k) = result;
        }
        __syncthreads();
    }

    const factor_operands<CT>& o_;
    slot *pivots_, *elements_;
    unsigned stamp_;
    long_row_memory<CT>& memory_;
    int row_ = 0;
    row_parts parts_{};
    own_row<CT> own_{};
    column_index index_;
    int k_ = 0;           // the first element of the batch
    int taken_ = 0;       // elements of the batch
    unsigned valid_ = 0;  // elements of the batch that wait for a row
    unsigned wide_ = 0;   // that have more candidates for pairs than a warp has lanes
    unsigned more_ = 0;   // and more than the block has threads
    unsigned open_ = 0;   // boxes that have not been seen: of elements, and of the pivot
    int pivot_row_ = -1;  // whose pivot this lane looks for
    CT inverse_{};        // of that
    int other_[batch];
    CT squares_{};  // in the first warp
};

}  // namespace heron::HERON_LEVEL
