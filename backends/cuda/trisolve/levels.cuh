#pragma once
// The levels of the rows of a triangle, one more than the highest of the rows that a row needs, in one
// launch. A lane per row waits for its rows as in trisolve_sweep.cuh, but rows of a warp of which each needs
// the one before, as in the matrices of grids, are done in one scan: a chain of 32 rows costs as much as one.
#include "grid.cuh"
#include "sweep.cuh"

namespace heron::HERON_LEVEL {

// The same of a row that is walked by all threads of its block.
template <class OT, class IT>
static __device__ unsigned level_of_long_row(const triangle_rows<OT, IT>& triangle, int row,
                                             const unsigned* levels) {
    constexpr int batch = 4;
    __shared__ unsigned highest;
    const auto end = static_cast<unsigned>(triangle.begin(row + 1));
    const unsigned step = blockDim.x;
    unsigned level = 1;
    for (unsigned k = static_cast<unsigned>(triangle.begin(row)) + threadIdx.x; k < end; k += batch * step) {
        int columns[batch];
        unsigned waiting = 0;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            columns[i] = k + i * step < end ? static_cast<int>(triangle.column(k + i * step)) : -1;
            if (triangle.needs(row, columns[i])) waiting |= 1u << i;
        }
        while (waiting != 0) {
            unsigned seen[batch] = {};
#pragma unroll
            for (int i = 0; i < batch; ++i) load_relaxed_if(waiting >> i & 1u, levels + columns[i], seen[i]);
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (seen[i] == 0) continue;
                level = max(level, seen[i] + 1u);
                waiting &= ~(1u << i);
            }
        }
    }
    if (threadIdx.x == 0) highest = 0;
    __syncthreads();
    level = __reduce_max_sync(all_lanes, level);
    if (threadIdx.x % warp_size == 0) atomicMax(&highest, level);
    __syncthreads();
    level = highest;
    __syncthreads();
    return level;
}

constexpr int level_threads = 128;

// What all threads of a block know.
template <class OT, class IT>
struct level_block {
    const triangle_rows<OT, IT>& triangle;
    unsigned* levels;      // of all rows
    unsigned* own_levels;  // of those of the block
    int first;             // number of the first of them

    __device__ int place_of(int row) const { return static_cast<int>(triangle.turned(row)) - first; }
};

// What a lane does for its row.
template <class OT, class IT>
class levelled_row {
  public:
    // A row that is not there has been posted; a long one waits for what the block finds out about it.
    __device__ levelled_row(const level_block<OT, IT>& block, const row_record& record, int own, bool present,
                            bool is_long)
        : block_(block),
          row_(record.row),
          own_(own),
          k_(record.begin),
          end_(is_long ? record.begin : record.end),
          is_long_(is_long),
          posted_(!present) {
        take();
    }

    __device__ bool is_posted() const { return posted_; }
    // One more than the level; 0 for a row that is not there.
    __device__ unsigned result() const { return result_; }

    // Looks for what the row waits for, in the block and maybe elsewhere. Whether there is anything for a row
    // of the warp.
    __device__ bool look(bool elsewhere) {
        const unsigned wanted = elsewhere ? far_ : 0u;
        unsigned any = 0;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            seen_[i] = 0;
            load_relaxed_if(wanted >> i & 1u, block_.levels + columns_[i], seen_[i]);
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (near_ >> i & 1u) seen_[i] = fetch_in_block(block_.own_levels + block_.place_of(columns_[i]));
            any |= seen_[i];
        }
        return __any_sync(all_lanes, any != 0) != 0;
    }

    __device__ void use() {
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (seen_[i] == 0) continue;
            level_ = max(level_, seen_[i] + 1u);
            far_ &= ~(1u << i);
            near_ &= ~(1u << i);
        }
        take();
    }

    // Posts the row if all that it needs has been used or is posted with it. Whether a row of the warp has
    // been posted.
    __device__ bool settle() {
        const int lane = own_ % warp_size;
        const bool complete = (far_ | near_) == 0 && k_ >= end_ && !is_long_;
        const unsigned open = __ballot_sync(all_lanes, !complete);
        const unsigned starts = ~__ballot_sync(all_lanes, linked_);
        const unsigned upto = all_lanes >> (warp_size - 1 - lane);
        const int start = warp_size - 1 - __clz(static_cast<int>(starts & upto));
        int highest = static_cast<int>(level_) - lane;
#pragma unroll
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const int below = __shfl_up_sync(all_lanes, highest, distance);
            if (lane - distance >= start) highest = max(highest, below);
        }
        const bool ready = !posted_ && (open & upto & (all_lanes << start)) == 0;
        if (ready) post(static_cast<unsigned>(highest + lane));
        return __any_sync(all_lanes, ready) != 0;
    }

    __device__ void post(unsigned result) {
        level_ = result_ = result;
        is_long_ = false;
        posted_ = true;
        post_in_block(block_.own_levels + own_, result);
        store_relaxed(block_.levels + row_, result);
    }

  private:
    static constexpr int batch = 4;

    __device__ void take() {
        while ((far_ | near_) == 0 && k_ < end_) {
#pragma unroll
            for (int i = 0; i < batch; ++i)
                columns_[i] = k_ + i < end_ ? static_cast<int>(block_.triangle.column(k_ + i)) : -1;
#pragma unroll
            for (int i = 0; i < batch; ++i)
                if (block_.triangle.needs(row_, columns_[i])) await(i);
            k_ += batch;
        }
    }
    __device__ void await(int i) {
        const int place = block_.place_of(columns_[i]);
        if (place < 0)
            far_ |= 1u << i;
        else if (own_ % warp_size > 0 && place == own_ - 1)
            linked_ = true;
        else
            near_ |= 1u << i;
    }

    const level_block<OT, IT>& block_;
    int row_, own_;
    unsigned k_, end_;
    bool is_long_, posted_;
    bool linked_ = false;  // needs the row of the lane before
    unsigned level_ = 1;   // one more than the level, as in memory
    unsigned result_ = 0;
    int columns_[batch];
    unsigned seen_[batch] = {};
    unsigned far_ = 0;   // elements that need rows of other blocks
    unsigned near_ = 0;  // and rows of this block
};

// Until all rows before row `until` of the block have been posted. `again`: whether a row of the warp has
// just been posted.
template <class OT, class IT>
static __device__ void level_short_rows(levelled_row<OT, IT>& row, int own, int until, bool& again) {
    // Polling by all rows that wait would keep those from the caches that need not: ns between two looks.
    constexpr unsigned longest_nap = 400;
    while (!__all_sync(all_lanes, row.is_posted() || own >= until)) {
        unsigned nap = 16;
        while (!(again && row.look(false)) && !row.look(true)) {
            again = false;
            __nanosleep(nap);
            nap = min(2 * nap, longest_nap);
        }
        row.use();
        again = row.settle();
    }
}

// Counts the rows of each level. Those of a warp get neighbouring ranks in their level. `result`: one more
// than the level, or 0.
static __device__ inline void rank_row(const order_memory& memory, int row, unsigned result) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned same = __match_any_sync(all_lanes, result);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    unsigned rank = 0;
    if (result != 0 && lane == leader) rank = atomicAdd(memory.counts + result - 1, __popc(same));
    rank = value_of_lane(rank, leader) + __popc(same & ((1u << lane) - 1u));
    if (result != 0) memory.places[row] = rank;
    const unsigned highest = __reduce_max_sync(all_lanes, result);
    if (lane == 0 && highest > load_relaxed(&memory.schedule->highest) + 1u)
        atomicMax(&memory.schedule->highest, highest - 1u);
}

template <class OT, class IT>
__global__ void __launch_bounds__(level_threads, 2048 / level_threads)
    find_levels(triangle_rows<OT, IT> triangle, order_memory memory) {
    __shared__ unsigned own_levels[level_threads];
    __shared__ long_rows<level_threads> long_ones;
    if (memory.guess->source != order_source::search) return;
    const int own = static_cast<int>(threadIdx.x);
    own_levels[own] = 0;
    const block_ticket ticket = draw_ticket(memory.controls);
    const int first = static_cast<int>(ticket.number) * level_threads;
    const level_block<OT, IT> block{triangle, memory.levels, own_levels, first};
    const bool present = own < static_cast<int>(triangle.n) - first;
    const row_record record =
        present ? record_of(triangle, static_cast<int>(triangle.turned(first + own))) : row_record{};
    const bool is_long = record.end - record.begin > triangle.longest;
    const bool some_long = long_ones.collect(own, is_long, true);
    if (is_long) store_relaxed(&memory.schedule->has_long, 1u);

    levelled_row<OT, IT> row(block, record, own, present, is_long);
    bool again = row.settle();
    for (int from = 0; from < level_threads;) {
        const int until = some_long ? long_ones.next(from) : level_threads;
        level_short_rows(row, own, until, again);
        if (until < level_threads) {
            const int long_row = static_cast<int>(triangle.turned(first + until));
            const unsigned result = level_of_long_row(triangle, long_row, memory.levels);
            if (own == until) row.post(result);
            again = row.settle();
        }
        from = until + 1;
    }
    rank_row(memory, record.row, row.result());
    give_ticket_back(memory.controls, ticket);
}

}  // namespace heron::HERON_LEVEL
