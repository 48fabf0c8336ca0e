#pragma once
// Items whose outputs overlap: sums of the items of a group, or of items sorted by their outputs.
#include "operands.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// The outputs of groups of items. Positions first, ..., first + count - 1 of the order are cut into slices.
struct group_parameters {
    int64_t count, slices;
    const void* offsets;  // of groups, or NULL
    int offsets_are_wide;
    int64_t groups;
    const void* items;  // at the positions, or NULL, for kernels that look ahead
    int items_are_wide;
    const int64_t* keys;  // else the outputs' addresses in the order of the items
    const int* mixed;     // with keys: set where outputs overlap without being the same
    int runs_mixed;       // 1: this launch is the one for such outputs, of one crew
    int64_t vector;
    void* slots;      // an item's elements per slice: the part of a group that began in an earlier slice
    int64_t* owners;  // address of the output that a slot belongs to, or 0
    void* sums;       // where they are not on chip: a chunk's elements per slice
    int64_t rows;
};

// The group of a position, walking upwards.
class group_walk {
  public:
    __device__ group_walk(const group_parameters& g, int64_t position) : g_(g) {
        if (!g.keys) group_ = kernels::kron_group_of(g.offsets, g.offsets_are_wide, g.groups, position);
    }
    // To a position that is not before the last one.
    __device__ void move_to(int64_t position) {
        if (g_.keys) return;
        while (group_ < g_.groups && offset(group_ + 1) <= position) ++group_;
    }
    __device__ bool begins_at(int64_t position) const {
        if (g_.keys) return position == 0 || g_.keys[position - 1] != g_.keys[position];
        return offset(group_) == position;
    }
    template <class CT>
    __device__ CT* output(const operand& y, int64_t position) const {
        return g_.keys ? reinterpret_cast<CT*>(g_.keys[position]) : locate<CT>(y, group_);
    }
    // One behind the group's last position, where groups are given by offsets.
    __device__ int64_t end() const { return offset(group_ + 1); }
    // Likewise, of the group at a position; more than `limit` where it goes on there.
    __device__ int64_t end(int64_t position, int64_t limit) const {
        if (!g_.keys) return end();
        int64_t behind = position + 1;
        while (behind <= limit && behind < g_.count && g_.keys[behind] == g_.keys[position]) ++behind;
        return behind;
    }
    __device__ bool is_over() const { return !g_.keys && group_ >= g_.groups; }

  private:
    __device__ int64_t offset(int64_t group) const {
        return kernels::kron_entry(g_.offsets, g_.offsets_are_wide, group);
    }

    const group_parameters& g_;
    int64_t group_ = 0;
};

// The sum of `count` elements that are `apart` elements apart, some at a time so that none waits for another.
template <class CT>
static __device__ inline CT sum_apart(const CT* from, int count, int64_t apart) {
    constexpr int batch = sizeof(CT) == 16 ? 4 : 8;
    CT sum{};
#pragma unroll 1
    for (; count > 0; count -= batch) {
        CT values[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b, from += apart)
            if (b < count) values[b] = *from;
#pragma unroll
        for (int b = 0; b < batch; ++b)
            if (b < count) sum = add(sum, values[b]);
    }
    return sum;
}

// How the results of a chunk's items have been added up already, at each place of `width` neighbours: runs of
// `length` of all that follow each other, place by place. A run's sum is that of its last item, and so is
// what a group has of a run that it shares with others.
struct sum_runs {
    int length = 1;
    int width = 1, inner = 1;  // elements that the places cover, over and over

    // Results of the items done, ..., end - 1 of `count`: `whole` of them, `length` apart, and perhaps the
    // last one's.
    struct results {
        int64_t first, whole;
        bool has_last;
    };
    __device__ results of(int64_t row, int64_t done, int64_t end, int64_t count) const {
        if (length == 1) return {done, end - done, false};
        const int place = static_cast<int>(row) % inner / width;
        const int from = place * static_cast<int>(count);
        const int first = static_cast<int>(done) + length - 1 - (from + static_cast<int>(done)) % length;
        const int last = static_cast<int>(end) - 1;
        const int whole = first <= last ? (last - first) / length + 1 : 0;
        return {first, whole, (from + last + 1) % length != 0};
    }
};

// Adds the items first, ..., first + g.count - 1 of the groups' order, which lie in the workspace, to their
// outputs: `lanes` threads a row, whose sums are added in order. Blocks part, part + parts, ... have the
// groups that begin in that part of the items.
constexpr int sum_threads = 256, sum_blocks = 6;

template <class CT, int lanes>
__global__ void __launch_bounds__(sum_threads, sum_blocks)
    kron_sum_chunk(const __grid_constant__ group_parameters g, const CT* chunk, const sum_runs runs,
                   int64_t first, int64_t parts, const __grid_constant__ operand y, int64_t out_vector,
                   int64_t out_step, kron_scalar<CT> alpha) {
    constexpr int rows = sum_threads / lanes;
    __shared__ CT sums[lanes][rows];
    if (equal(alpha.get(), CT{})) return;
    const int column = static_cast<int>(threadIdx.x) % rows;
    const int lane = static_cast<int>(threadIdx.x) / rows;
    const int64_t part = blockIdx.x % parts, block = blockIdx.x / parts, blocks = gridDim.x / parts;
    const int64_t stop = share(g.count, part + 1, parts);
    int64_t done = share(g.count, part, parts);
    group_walk walk(g, first + done);
    if (done > 0 && !walk.is_over() && !walk.begins_at(first + done)) done = walk.end() - first;
    while (done < stop) {
        walk.move_to(first + done);
        if (walk.is_over()) return;
        const int64_t end = walk.end() - first < g.count ? walk.end() - first : g.count;
        CT* const to = walk.template output<CT>(y, first + done) + g.vector * out_vector;
        for (int64_t begin = block * rows; begin < g.rows; begin += blocks * rows) {
            const int64_t row = begin + column;
            CT sum{};
            if (row < g.rows) {
                const sum_runs::results found = runs.of(row, done, end, g.count);
                const int mine = static_cast<int>(found.whole - lane + lanes - 1) / lanes;
                const int64_t apart = runs.length * g.rows;
                sum = sum_apart(chunk + found.first * g.rows + lane * apart + row, mine, lanes * apart);
                if (lane == 0 && found.has_last) sum = add(sum, chunk[(end - 1) * g.rows + row]);
            }
            if constexpr (lanes > 1) {
                sums[lane][column] = sum;
                __syncthreads();
#pragma unroll
                for (int l = 1; l < lanes && lane == 0; ++l) sum = add(sum, sums[l][column]);
                __syncthreads();
            }
            if (lane == 0 && row < g.rows) to[row * out_step] = mad(alpha.get(), sum, to[row * out_step]);
        }
        done = end;
    }
}

// *mixed := 1 if two outputs, in the order of their addresses, overlap without being the same.
template <class CT>
__global__ void kron_find_mixed(const int64_t* keys, int64_t count, int64_t span, int* mixed) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x + 1; k < count; k += step)
        if (keys[k] != keys[k - 1] && keys[k] - keys[k - 1] < span) *mixed = 1;
}

constexpr int combine_threads = 256;

// One behind the last slot of an output, whose slots follow each other. For a whole block.
static __device__ inline int64_t end_of_run(const group_parameters& g, int64_t slice, int64_t owner) {
    for (int64_t from = slice;; from += combine_threads) {
        const int64_t s = from + threadIdx.x;
        const int same = __syncthreads_count(s < g.slices && g.owners[s] == owner);
        if (same < combine_threads) return from + same;
    }
}

// Adds the slots of one output to it, in a fixed tree of `lanes` branches. A block has the rows of one
// stretch and looks through its part of the slots for the first of every run that belongs together.
template <class CT, int lanes>
__global__ void __launch_bounds__(combine_threads)
    kron_combine(group_parameters g, int64_t parts, int64_t out_step, kron_scalar<CT> alpha) {
    constexpr int rows = combine_threads / lanes;
    __shared__ CT sums[lanes][rows];
    if ((g.mixed && *g.mixed) || equal(alpha.get(), CT{})) return;
    const int column = static_cast<int>(threadIdx.x) % rows;
    const int lane = static_cast<int>(threadIdx.x) / rows;
    const int64_t row = blockIdx.x / parts * rows + column;
    const CT* const slots = static_cast<const CT*>(g.slots) + row;
    const int64_t begin = share(g.slices, blockIdx.x % parts, parts);
    const int64_t end = share(g.slices, blockIdx.x % parts + 1, parts);
    for (int64_t slice = begin; slice < end;) {
        const int64_t owner = g.owners[slice];
        const bool begins = slice == 0 || g.owners[slice - 1] != owner;
        if (owner == 0) {
            ++slice;
            continue;
        }
        CT* const to = reinterpret_cast<CT*>(owner) + row * out_step;
        const bool writes = begins && lane == 0 && row < g.rows;
        CT before{};
        if (writes) before = *to;
        const int64_t stop = end_of_run(g, slice, owner);
        if (begins) {
            CT sum{};
            if (row < g.rows) {
#pragma unroll 8
                for (int64_t s = slice + lane; s < stop; s += lanes) sum = add(sum, slots[s * g.rows]);
            }
            sums[lane][column] = sum;
            __syncthreads();
            if (writes) {
                for (int l = 1; l < lanes; ++l) sum = add(sum, sums[l][column]);
                *to = mad(alpha.get(), sum, before);
            }
            __syncthreads();
        }
        slice = stop;
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
