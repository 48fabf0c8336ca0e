#pragma once
// Colouring in one sweep: rows in the order of their priorities (long ones first, else by chance) take the
// least colour that no neighbour before them has (Jones and Plassmann, SIAM J. Sci. Comput. 14(3), 1993). A
// row waits for the neighbours before it alone, so that the launch takes as long as the longest chain of such
// rows, some hundred for a grid. What a row gets does not depend on time: every run gives the same.
#include "cuda/runtime/group_words.cuh"
#include "common/reorder/teams.hpp"
#include "cuda/runtime/intrinsics.cuh"
#include "cuda/runtime/prompt.hpp"
#include "cuda/runtime/sort.hpp"
#include "cuda/runtime/warp.cuh"

namespace heron::HERON_LEVEL {

constexpr int color_threads = 256;
// Neighbours of a row that a block colours instead of a few lanes.
constexpr int color_long_row = 1024;

// A key is the length in its upper bits, as far as there is room for it, and chance.
constexpr int color_chance_bits = 20;
constexpr int color_most_length = 4095;
static_assert(color_long_row < color_most_length);

// Zero before a sweep.
struct color_control {
    unsigned next_ticket;
    unsigned long_rows;
    int colors;  // that rows have got
};

// A neighbour's state: its colour, or while it has none ~place in the order.
struct color_sweep_operands {
    plans::color_graph graph;
    const unsigned* order;
    int* states;
    color_control* control;
};

// The neighbours of a row, in the pattern and in the turned one.
class color_neighbours {
  public:
    __device__ color_neighbours(const plans::color_graph& g, int row)
        : own_(g.indices + (g.offsets[row] - static_cast<int>(g.base))),
          own_count_(g.offsets[row + 1] - g.offsets[row]),
          base_(static_cast<int>(g.base)) {
        if (!g.turned_offsets) return;
        turned_ = g.turned_indices + g.turned_offsets[row];
        turned_count_ = g.turned_offsets[row + 1] - g.turned_offsets[row];
    }
    __device__ int count() const { return own_count_ + turned_count_; }
    __device__ int at(int k) const { return k < own_count_ ? own_[k] - base_ : turned_[k - own_count_]; }

  private:
    const int* own_;
    const int* turned_ = nullptr;
    int own_count_, turned_count_ = 0, base_;
};

static __device__ inline int load_state(const int* p) {
    return static_cast<int>(load_relaxed(reinterpret_cast<const unsigned*>(p)));
}
static __device__ inline void store_state(int* p, int value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

// The keys by which rows are ordered, ascending, and how many are long.
static __global__ void __launch_bounds__(color_threads)
    color_keys(plans::color_graph g, unsigned* keys, unsigned* rows, color_control* control) {
    const int row = static_cast<int>(blockIdx.x * color_threads + threadIdx.x);
    int count = 0;
    if (row < g.rows) {
        count = color_neighbours(g, row).count();
        const auto length = static_cast<unsigned>(min(count, color_most_length));
        keys[row] = (static_cast<unsigned>(color_most_length) - length) << color_chance_bits |
                    kernels::scrambled(static_cast<unsigned>(row)) >> (32 - color_chance_bits);
        rows[row] = static_cast<unsigned>(row);
    }
    const int longs = __syncthreads_count(count >= color_long_row);
    if (threadIdx.x == 0 && longs > 0) atomicAdd(&control->long_rows, static_cast<unsigned>(longs));
}

static __global__ void __launch_bounds__(color_threads)
    color_states(const unsigned* order, int64_t rows, int* states) {
    const int place = static_cast<int>(blockIdx.x * color_threads + threadIdx.x);
    if (place < rows) states[order[place]] = ~place;
}

// What one thread sees of the neighbours of a row, every stride-th of them: the colours of 64 in a row that
// are taken.
class color_look {
  public:
    __device__ color_look(const color_sweep_operands& o, int place, int first, int stride)
        : o_(o),
          neighbours_(o.graph, static_cast<int>(o.order[place])),
          place_(place),
          first_(first),
          stride_(stride) {
        restart(0);
    }

    // Looks for the colours from `least` on.
    __device__ void restart(int least) {
        least_ = least;
        taken_ = 0;
        next_ = first_;
        open_ = 0;
    }

    // Looks once at what is open. Whether anything was found.
    __device__ bool step() {
        if (open_ == 0) take();
        const unsigned before = open_;
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if (open_ >> u & 1u) seen_[u] = load_state(o_.states + columns_[u]);
#pragma unroll
        for (int u = 0; u < batch; ++u)
            if ((open_ >> u & 1u) && is_settled(seen_[u])) open_ &= ~(1u << u);
        return open_ != before;
    }

    __device__ bool is_done() const { return open_ == 0 && next_ >= neighbours_.count(); }
    __device__ uint64_t taken() const { return taken_; }
    __device__ int least() const { return least_; }

  private:
    static constexpr int batch = 8;

    __device__ void take() {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
            const int k = next_ + u * stride_;
            if (k >= neighbours_.count()) continue;
            columns_[u] = neighbours_.at(k);
            open_ |= 1u << u;
        }
        next_ += batch * stride_;
    }

    // Of a neighbour that has its colour, or comes later.
    __device__ bool is_settled(int state) {
        if (state < 0) return ~state >= place_;
        const int color = state - least_;
        if (color >= 0 && color < 64) taken_ |= uint64_t{1} << color;
        return true;
    }

    const color_sweep_operands& o_;
    color_neighbours neighbours_;
    int place_, first_, stride_;
    int least_ = 0, next_ = 0;
    uint64_t taken_ = 0;
    unsigned open_ = 0;
    int columns_[batch], seen_[batch];
};

// Of the 64 from `least` on the first that is not taken; -1 if all are.
static __device__ inline int free_color(uint64_t taken, int least) {
    return ~taken ? least + __ffsll(static_cast<long long>(~taken)) - 1 : -1;
}

// By all threads of a block, which share a row's neighbours. The colour.
static __device__ inline int color_long(const color_sweep_operands& o, int place) {
    __shared__ unsigned long long taken;
    color_look look(o, place, static_cast<int>(threadIdx.x), color_threads);
    for (int least = 0;; least += 64) {
        if (threadIdx.x == 0) taken = 0;
        __syncthreads();
        look.restart(least);
        while (!look.is_done()) look.step();
        if (look.taken()) atomicOr(&taken, static_cast<unsigned long long>(look.taken()));
        __syncthreads();
        const int color = free_color(taken, least);
        __syncthreads();
        if (color < 0) continue;
        if (threadIdx.x == 0) store_state(o.states + o.order[place], color);
        return color;
    }
}

// By all lanes of a warp; those of a team have a row, or none (place -1). The colour, or -1.
template <int lanes>
static __device__ int color_short(const color_sweep_operands& o, int place) {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const unsigned team = (lanes == warp_size ? all_lanes : (1u << lanes) - 1u)
                          << static_cast<int>(threadIdx.x) % warp_size / lanes * lanes;
    color_look look(o, max(place, 0), lane, lanes);
    int color = place < 0 ? 0 : -1;
    unsigned nap = 0;
    while (!__all_sync(all_lanes, color >= 0)) {
        const bool waits = color < 0 && !look.is_done();
        const bool found = __any_sync(all_lanes, waits && look.step());
        const unsigned open = __ballot_sync(all_lanes, color < 0 && !look.is_done());
        const bool complete = color < 0 && (open & team) == 0;
        if (__any_sync(all_lanes, complete)) {
            uint64_t taken = look.taken();
            for (int distance = lanes / 2; distance > 0; distance /= 2)
                taken |= from_lane_across(taken, distance);
            if (complete) {
                color = free_color(taken, look.least());
                if (color < 0)
                    look.restart(look.least() + 64);
                else if (lane == 0)
                    store_state(o.states + o.order[place], color);
            }
        }
        nap = found ? 0u : min(max(2 * nap, 16u), 64u);
        if (nap > 0) __nanosleep(nap);
    }
    return place < 0 ? -1 : color;
}

// Blocks draw tickets, so that a row waits only for rows whose blocks are at work or done. The first tickets
// are long rows, a block each.
template <int lanes>
static __global__ void __launch_bounds__(color_threads) color_sweep(color_sweep_operands o) {
    constexpr int teams = color_threads / lanes;
    __shared__ unsigned drawn;
    __shared__ int behind;
    if (threadIdx.x == 0) behind = 0;
    const int64_t long_rows = o.control->long_rows;
    int most = -1;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) drawn = atomicAdd(&o.control->next_ticket, 1u);
        __syncthreads();
        const int64_t first = drawn < long_rows ? int64_t{drawn} : long_rows + (drawn - long_rows) * teams;
        if (first >= o.graph.rows) break;
        const int64_t place = first + threadIdx.x / lanes;
        most = max(most, drawn < long_rows
                             ? color_long(o, static_cast<int>(first))
                             : color_short<lanes>(o, place < o.graph.rows ? static_cast<int>(place) : -1));
    }
    atomicMax(&behind, most + 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(&o.control->colors, behind);
}

// As plans::item_rounds.
template <int lanes>
class swept_coloring {
  public:
    swept_coloring(workspace_layout& layout, int64_t rows)
        : symmetry_(layout, rows),
          keys_{{layout.take<unsigned>(rows), layout.take<unsigned>(rows)}},
          order_{{layout.take<unsigned>(rows), layout.take<unsigned>(rows)}},
          control_(layout.take<color_control>(1)),
          sort_bytes_(sort_workspace(rows)),
          sort_memory_(layout.take<unsigned char>(static_cast<int64_t>(sort_bytes_))) {}

    bool is_symmetric(cuda_device& device, const plans::color_graph& g) const {
        return symmetry_.is_symmetric(device, g);
    }

    // All rows, if any are asked for.
    plans::color_progress color(cuda_device& device, const plans::color_graph& g, int64_t target, i32*,
                                i32* colors) {
        const int64_t rows = g.rows;
        if (target == 0 || rows == 0) {
            device.fill(colors, 0xff, static_cast<size_t>(rows) * sizeof(i32));
            return {0, 0};
        }
        device.fill(control_, 0, sizeof *control_);
        const int64_t blocks = (rows + color_threads - 1) / color_threads;
        device.launch_blocks(color_keys, blocks, color_threads, 0, g, keys_.current(), order_.current(),
                             control_);
        sort_pairs(device, sort_memory_, sort_bytes_, keys_, order_, rows, 32);
        device.launch_blocks(color_states, blocks, color_threads, 0, order_.current(), rows, colors);
        constexpr int64_t teams = color_threads / lanes;
        device.launch_blocks(color_sweep<lanes>, (rows + teams - 1) / teams, color_threads, 0,
                             color_sweep_operands{g, order_.current(), colors, control_});
        i32 found = 0;
        read_number(device, &found, &control_->colors);
        return {rows, found};
    }

  private:
    plans::team_symmetry<cuda_device, color_threads, lanes> symmetry_;
    array_pair keys_, order_;
    color_control* control_;
    size_t sort_bytes_;
    void* sort_memory_;
};

}  // namespace heron::HERON_LEVEL
