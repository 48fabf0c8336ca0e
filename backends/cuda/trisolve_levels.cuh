#pragma once
// The levels of the rows of a triangle, one more than the highest of the rows that a row needs, in one
// launch. A lane per row waits for its rows as in trisolve_sweep.cuh, but rows of a warp of which each needs
// the one before, as in the matrices of grids, are done in one scan: a chain of 32 rows costs as much as one.
#include "trisolve_pattern.hpp"
#include "trisolve_sweep.cuh"

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

template <class OT, class IT>
__global__ void __launch_bounds__(level_threads, 2048 / level_threads)
    find_levels(triangle_rows<OT, IT> triangle, order_memory memory) {
    // Polling by all rows that wait would keep those from the caches that need not: ns between two looks.
    constexpr unsigned longest_nap = 400;
    constexpr int batch = 4;
    __shared__ unsigned block_levels[level_threads];
    __shared__ long_rows<level_threads> long_ones;
    const int own = static_cast<int>(threadIdx.x);
    const int lane = own % warp_size;
    block_levels[own] = 0;
    const block_ticket ticket = draw_ticket(memory.control);
    const int n = static_cast<int>(triangle.n);
    const int first = static_cast<int>(ticket.number) * level_threads;
    const bool present = own < n - first;
    // Of a row, where in the order it comes, and the other way round.
    const auto turned = [&](int i) { return triangle.lower ? i : n - 1 - i; };
    const int row = present ? turned(first + own) : 0;
    unsigned k = present ? static_cast<unsigned>(triangle.begin(row)) : 0u;
    unsigned end = present ? static_cast<unsigned>(triangle.begin(row + 1)) : 0u;
    bool is_long = end - k > triangle.longest;
    const bool some_long = long_ones.collect(own, is_long, true);
    if (is_long) {
        end = 0;
        store_relaxed(&memory.schedule->has_long, 1u);
    }

    unsigned level = 1;   // one more than the level, as in memory
    bool linked = false;  // needs the row of the lane before
    int columns[batch];
    unsigned seen[batch];
    unsigned far = 0;   // elements that need rows of other blocks
    unsigned near = 0;  // and rows of this block
    const auto place_in_block = [&](int column) { return turned(column) - first; };
    const auto take = [&] {
        while ((far | near) == 0 && k < end) {
#pragma unroll
            for (int i = 0; i < batch; ++i)
                columns[i] = k + i < end ? static_cast<int>(triangle.column(k + i)) : -1;
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                if (!triangle.needs(row, columns[i])) continue;
                const int place = place_in_block(columns[i]);
                if (place < 0)
                    far |= 1u << i;
                else if (lane > 0 && place == own - 1)
                    linked = true;
                else
                    near |= 1u << i;
            }
            k += batch;
        }
    };
    // Whether anything that a lane of the warp needs is there.
    const auto poll = [&](bool elsewhere) {
        const unsigned wanted = elsewhere ? far : 0u;
        unsigned any = 0;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            seen[i] = 0;
            load_relaxed_if(wanted >> i & 1u, memory.levels + columns[i], seen[i]);
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (near >> i & 1u)
                seen[i] = static_cast<const volatile unsigned*>(block_levels)[place_in_block(columns[i])];
            any |= seen[i];
        }
        return __any_sync(all_lanes, any != 0) != 0;
    };
    const auto use = [&] {
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (seen[i] == 0) continue;
            level = max(level, seen[i] + 1u);
            far &= ~(1u << i);
            near &= ~(1u << i);
        }
        take();
    };
    bool posted = !present;
    unsigned result = 0;
    // Whether a row of the warp has been posted.
    const auto settle = [&] {
        const bool complete = (far | near) == 0 && k >= end && !is_long;
        const unsigned open = __ballot_sync(all_lanes, !complete);
        const unsigned starts = ~__ballot_sync(all_lanes, linked);
        const unsigned upto = all_lanes >> (warp_size - 1 - lane);
        const int start = warp_size - 1 - __clz(static_cast<int>(starts & upto));
        int highest = static_cast<int>(level) - lane;
#pragma unroll
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const int below = __shfl_up_sync(all_lanes, highest, distance);
            if (lane - distance >= start) highest = max(highest, below);
        }
        const bool ready = !posted && (open & upto & (all_lanes << start)) == 0;
        if (ready) {
            result = static_cast<unsigned>(highest + lane);
            static_cast<volatile unsigned*>(block_levels)[own] = result;
            store_relaxed(memory.levels + row, result);
            posted = true;
        }
        return __any_sync(all_lanes, ready) != 0;
    };
    take();
    bool again = settle();
    for (int from = 0; from < level_threads;) {
        const int until = some_long ? long_ones.next(from) : level_threads;
        while (!__all_sync(all_lanes, posted || own >= until)) {
            unsigned nap = 16;
            while (!(again && poll(false)) && !poll(true)) {
                again = false;
                __nanosleep(nap);
                nap = min(2 * nap, longest_nap);
            }
            use();
            again = settle();
        }
        if (until < level_threads) {
            const int long_row = turned(first + until);
            const unsigned long_level = level_of_long_row(triangle, long_row, memory.levels);
            if (own == until) {
                level = result = long_level;
                is_long = false;
                posted = true;
                static_cast<volatile unsigned*>(block_levels)[own] = result;
                store_relaxed(memory.levels + row, result);
            }
            again = settle();
        }
        from = until + 1;
    }

    // Rows of a warp get neighbouring ranks in their level.
    const unsigned same = __match_any_sync(all_lanes, present ? result : 0u);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    unsigned rank = 0;
    if (present && lane == leader) rank = atomicAdd(memory.counts + result - 1, __popc(same));
    rank = value_of_lane(rank, leader) + __popc(same & ((1u << lane) - 1u));
    if (present) memory.places[row] = rank;
    const unsigned highest = __reduce_max_sync(all_lanes, present ? result - 1 : 0u);
    if (lane == 0 && highest > load_relaxed(&memory.schedule->highest))
        atomicMax(&memory.schedule->highest, highest);
    give_ticket_back(memory.control, ticket);
}

}  // namespace heron::HERON_LEVEL
