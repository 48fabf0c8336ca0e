#pragma once
// CSR times vector for any matrix. The list of row ends and the list of elements are merged in storage order
// and the merged list is cut into tiles of equal length, so that neither long nor empty rows unbalance the
// work (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016). A row that
// crosses tiles leaves one partial sum in each; a second, small kernel adds them in order. Nothing is atomic:
// results are the same on every run.
#include "operands.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// Merged items per tile. 16-byte sums fill the same shared memory with fewer.
template <class CT>
constexpr int tile_items = sizeof(CT) <= 8 ? 2048 : 1024;

static __host__ __device__ inline int64_t tile_count(int64_t rows, int64_t nnz, int items) {
    return (rows + nnz + items - 1) / items;
}

// Where the merged list is cut: before the end of `row`, and before element `element`.
struct merge_point {
    int64_t row, element;
};

// A tile starts at `begin` and stops before `end`.
struct merge_tile {
    merge_point begin, end;

    __device__ int rows_ended() const { return static_cast<int>(end.row - begin.row); }
    __device__ int elements() const { return static_cast<int>(end.element - begin.element); }
};

// The merged list of a matrix.
template <class OT>
struct merged_list {
    const OT* offsets;
    int64_t rows, nnz, base;

    __device__ int64_t offset(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
    __device__ int64_t length() const { return rows + nnz; }

    // Position of the end of a row in the list.
    __device__ int64_t position(int64_t row) const { return offset(row + 1) + row; }

    // True if `row` rows end before position d; only for rows that inside() accepts. Both offsets are read in
    // any case, so that neither waits for the other.
    __device__ bool cuts_at(int64_t row, int64_t d) const {
        const int64_t before = offset(row);
        const int64_t after = offset(row < rows ? row + 1 : rows);
        return bool(before <= d - row) & (bool(row == rows) | bool(after >= d - row));
    }
    // True if a cut at d with `row` rows before it addresses nothing outside the matrix.
    __device__ bool inside(int64_t row, int64_t d) const {
        return row >= 0 && row <= rows && row <= d && d - row <= nnz;
    }

    // How many rows end before position d. One warp together: every step divides the range by 32.
    __device__ int64_t find(int64_t d) const {
        int64_t low = d > nnz ? d - nnz : 0;
        int64_t high = d < rows ? d : rows;
        const int lane = threadIdx.x % warp_size;
        while (low < high) {
            const int64_t step = (high - low + warp_size - 1) / warp_size;
            const int64_t probe = low + lane * step;
            const unsigned before = __ballot_sync(all_lanes, probe < high && position(probe) < d);
            const int passed = __popc(before);
            const int64_t ceiling = low + passed * step;
            if (passed > 0) low = ceiling - step + 1;
            high = passed == 0 ? low : (ceiling < high ? ceiling : high);
        }
        return low;
    }
};

// starts[t] := rows that end before tile t, for t in [0, tiles]. One warp per tile.
template <class OT>
__global__ void __launch_bounds__(block_threads)
    find_tiles(merged_list<OT> list, int items, int64_t tiles, int64_t* starts) {
    const int64_t t = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) / warp_size;
    if (t > tiles) return;
    const int64_t d = t * items < list.length() ? t * items : list.length();
    const int64_t row = list.find(d);
    if (threadIdx.x % warp_size == 0) starts[t] = row;
}

// A tile as the list of cuts has it, or an empty one if those cuts address something outside the matrix.
template <class OT>
static __device__ merge_tile guess_tile(const merged_list<OT>& list, int items, int64_t t,
                                        const int64_t* starts) {
    const int64_t first = t * items;
    const int64_t last = first + items < list.length() ? first + items : list.length();
    const int64_t from = starts[t];
    const int64_t to = starts[t + 1];
    if (!list.inside(from, first) || !list.inside(to, last) || to < from) return {{0, 0}, {0, 0}};
    return {{from, first - from}, {to, last - to}};
}

// The list of cuts may have been overwritten since it was made. True if the guess was right; if not, the
// guess and the list are put right. The whole block calls this.
template <class OT>
static __device__ bool settle_tile(const merged_list<OT>& list, int items, int64_t t, int64_t* starts,
                                   merge_tile& tile) {
    __shared__ int64_t found[2];
    const int64_t first = t * items;
    const int64_t last = first + items < list.length() ? first + items : list.length();
    const bool complete =
        tile.begin.row + tile.begin.element == first && tile.end.row + tile.end.element == last;
    const bool good = complete & list.cuts_at(tile.begin.row, first) & list.cuts_at(tile.end.row, last);
    const bool all_good = __syncthreads_and(good);
    if (!all_good) {
        const int warp = threadIdx.x / warp_size;
        if (warp < 2) {
            const int64_t row = list.find(warp == 0 ? first : last);
            if (threadIdx.x % warp_size == 0) starts[t + warp] = found[warp] = row;
        }
        __syncthreads();
        tile = {{found[0], first - found[0]}, {found[1], last - found[1]}};
    }
    // What lies behind the last row is no part of the matrix, even if nnz counts it.
    if (tile.end.row == list.rows) {
        const int64_t stop = list.offset(list.rows);
        tile.end.element = stop > tile.begin.element ? stop : tile.begin.element;
    }
    return all_good;
}

// The elements of a tile, spread over the threads of a block. Loading does not wait: all loads are under way
// at once.
template <class VA, class CT, class IT>
struct tile_elements {
    static constexpr int per_thread = tile_items<CT> / block_threads;
    VA a[per_thread];
    IT index[per_thread];

    static __device__ int place(int j) { return static_cast<int>(threadIdx.x) + j * block_threads; }

    __device__ void load(const VA* values, const IT* indices, const merge_tile& tile) {
        const int count = tile.elements();
#pragma unroll
        for (int j = 0; j < per_thread; ++j)
            if (place(j) < count) index[j] = load_streaming(indices + tile.begin.element + place(j));
#pragma unroll
        for (int j = 0; j < per_thread; ++j)
            if (place(j) < count) a[j] = load_streaming(values + tile.begin.element + place(j));
    }
};

// In the workspace: the cuts, and for every column and tile the sums of the row that began before the tile
// and of the one that ends behind it.
template <class CT>
struct tile_memory {
    int64_t* starts;
    CT *heads, *carries;
};

template <int columns, class VA, class VX, class VY, class CT, class OT, class IT>
class tile_product {
    using operands = product<VA, VX, VY, CT, OT, IT>;
    static constexpr int items = tile_items<CT>;
    using loaded = tile_elements<VA, CT, IT>;
    // Longer rows than this for each lane are left to whole warps.
    static constexpr int longest_share = 16;

  public:
    struct memory {
        CT products[items + items / (128 / sizeof(CT))];
        uint16_t ends[items + 1];
        uint16_t long_rows[items / longest_share];
        int long_count;
        CT warp_sums[columns][block_warps];
    };

    __device__ tile_product(const operands& p, const column_steps<columns>& steps, memory& shared, int64_t t,
                            int64_t tiles, const tile_memory<CT>& parts)
        : p_(p),
          steps_(steps),
          shared_(shared),
          t_(t),
          tiles_(tiles),
          parts_(parts),
          alpha_(p.alpha_now()),
          beta_(p.beta_now()) {}

    __device__ void run(bool has_starts) {
        int64_t* const starts = parts_.starts;
        const merged_list<OT> list{p_.offsets, p_.rows, p_.nnz, p_.base};
        const bool reads_a = !equal(alpha_, CT{});
        tile_ = has_starts ? guess_tile(list, items, t_, starts) : merge_tile{};
        if (reads_a) loaded_.load(p_.values, p_.indices, tile_);
        const bool good = settle_tile(list, items, t_, starts, tile_);
        if (reads_a && !good) loaded_.load(p_.values, p_.indices, tile_);
        elements_ = reads_a ? tile_.elements() : 0;
        fetch_y();
        gather();
        if (tile_.rows_ended() == 0) return sum_inside_row();
        read_ends();
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            if (c > 0) __syncthreads();
            if (threadIdx.x == 0) shared_.long_count = 0;
            multiply(c);
            __syncthreads();
            sum_rows(c);
            __syncthreads();
            sum_long_rows(c);
        }
    }

  private:
    // One slot is left free after every 128 bytes: threads that read with a power-of-two stride do not meet
    // in one bank.
    static __device__ int slot(int i) { return i + i / int(128 / sizeof(CT)); }

    // What beta is multiplied by comes into the second-level cache while the sums are formed.
    __device__ void fetch_y() const {
        if (equal(beta_, CT{})) return;
        for (int i = threadIdx.x; i < tile_.rows_ended(); i += block_threads)
#pragma unroll
            for (int c = 0; c < columns; ++c) prefetch_line(p_.y + steps_.place_in_y(tile_.begin.row + i, c));
    }

    // Ends of the tile's rows, counted from the tile's first element; behind them the tile's own end.
    __device__ void read_ends() {
        const int rows = tile_.rows_ended();
        for (int i = threadIdx.x; i < rows; i += block_threads) {
            const int64_t end = p_.offset(tile_.begin.row + 1 + i) - tile_.begin.element;
            shared_.ends[i] = static_cast<uint16_t>(end < elements_ ? end : elements_);
        }
        if (threadIdx.x == 0) shared_.ends[rows] = static_cast<uint16_t>(elements_);
    }

    __device__ void gather() {
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int j = 0; j < loaded::per_thread; ++j)
                if (loaded::place(j) < elements_) x_[c][j] = steps_.x_at(p_, loaded_.index[j], c);
    }

    // use(place in the tile, element, x) for the thread's elements.
    template <class F>
    __device__ void for_each_product(int column, F&& use) {
#pragma unroll
        for (int j = 0; j < loaded::per_thread; ++j)
            if (loaded::place(j) < elements_) use(loaded::place(j), p_.element(loaded_.a[j]), x_[column][j]);
    }

    __device__ void multiply(int column) {
        for_each_product(column, [&](int i, CT a, CT x) { shared_.products[slot(i)] = mul(a, x); });
    }

    // The tile lies inside one row: nothing to sort out.
    __device__ void sum_inside_row() {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            CT sum{};
            for_each_product(c, [&](int, CT a, CT x) { sum = mad(a, x, sum); });
            sum = sum_over_lanes(sum, warp_size);
            if (threadIdx.x % warp_size == 0) shared_.warp_sums[c][threadIdx.x / warp_size] = sum;
        }
        __syncthreads();
        const int column = static_cast<int>(threadIdx.x);
        if (column >= columns) return;
        const CT* const sums = shared_.warp_sums[column];
        CT sum = sums[0];
        for (int warp = 1; warp < block_warps; ++warp) sum = add(sum, sums[warp]);
        carry(column) = sum;
    }

    __device__ int begin_of(int i) const { return i == 0 ? 0 : shared_.ends[i - 1]; }

    __device__ CT sum_products(int first, int end, int step) const {
        CT sum{};
        for (int i = first; i < end; i += step) sum = add(sum, shared_.products[slot(i)]);
        return sum;
    }

    // The rows that end here and, as one more, what the tile holds of the row that does not.
    __device__ void sum_rows(int column) {
        const int rows = tile_.rows_ended() + 1;
        const int lanes = lanes_per_row(rows);
        const int groups = block_threads / lanes;
        const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
        for (int first = 0; first < rows; first += groups) {
            const int i = first + static_cast<int>(threadIdx.x) / lanes;
            const bool mine = i < rows;
            const int begin = mine ? begin_of(i) : 0;
            const int end = mine ? shared_.ends[i] : 0;
            const bool postponed = end - begin > longest_share * lanes && lanes < warp_size;
            CT sum = postponed ? CT{} : sum_products(begin + lane, end, lanes);
            sum = sum_over_lanes(sum, lanes);
            if (!mine || lane != 0) continue;
            if (postponed)
                shared_.long_rows[atomicAdd(&shared_.long_count, 1)] = static_cast<uint16_t>(i);
            else
                finish(column, i, sum);
        }
    }

    __device__ void sum_long_rows(int column) {
        const int lane = threadIdx.x % warp_size;
        for (int n = threadIdx.x / warp_size; n < shared_.long_count; n += block_warps) {
            const int i = shared_.long_rows[n];
            const CT sum =
                sum_over_lanes(sum_products(begin_of(i) + lane, shared_.ends[i], warp_size), warp_size);
            if (lane == 0) finish(column, i, sum);
        }
    }

    __device__ CT& carry(int64_t column) const { return parts_.carries[column * tiles_ + t_]; }

    __device__ void finish(int column, int i, CT sum) {
        const int64_t row = tile_.begin.row + i;
        if (i == tile_.rows_ended())
            carry(column) = sum;
        else if (i == 0 && p_.offset(row) < tile_.begin.element)
            parts_.heads[column * tiles_ + t_] = sum;
        else
            kernels::update_y(p_.y, steps_.place_in_y(row, column), sum, alpha_, beta_);
    }

    const operands& p_;
    const column_steps<columns>& steps_;
    memory& shared_;
    const int64_t t_, tiles_;
    const tile_memory<CT>& parts_;
    const CT alpha_, beta_;
    merge_tile tile_;
    int elements_;
    loaded loaded_;
    CT x_[columns][loaded::per_thread];
};

// One block per tile. Without has_starts every block looks for its own cuts and stores them.
template <int columns, class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_tiles(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p,
                   const __grid_constant__ column_steps<columns> steps,
                   const __grid_constant__ tile_memory<CT> parts, int has_starts) {
    using work = tile_product<columns, VA, VX, VY, CT, OT, IT>;
    begin_behind_kernel_before();
    __shared__ typename work::memory shared;
    work(p, steps, shared, blockIdx.x, gridDim.x, parts).run(has_starts);
}

// y of the rows that cross tiles: one thread for the tile that each of them ends in, one warp if it crosses
// many. Blocks of one column follow each other. May start before multiply_tiles is over.
template <int columns, class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    join_tiles(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p,
               const __grid_constant__ column_steps<columns> steps,
               const __grid_constant__ tile_memory<CT> parts, int64_t tiles) {
    constexpr int items = tile_items<CT>;
    constexpr int64_t few = 8;
    const int64_t* const starts = after_kernel_before(parts.starts);
    const merged_list<OT> list{p.offsets, p.rows, p.nnz, p.base};
    const unsigned blocks = gridDim.x / columns;
    const int column = static_cast<int>(columns == 1 ? 0 : blockIdx.x / blocks);
    const int64_t t = static_cast<int64_t>(blockIdx.x - column * blocks) * block_threads + threadIdx.x;
    const CT* const heads = parts.heads + column * tiles;
    const CT* const carries = parts.carries + column * tiles;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const int64_t row = t < tiles ? starts[t] : 0;
    bool ends_here = t < tiles && row < starts[t + 1];
    const int64_t begin = ends_here ? list.offset(row) : 0;
    ends_here = ends_here && begin < t * items - row;
    const int64_t first = (begin + row) / items;
    const auto finish = [&](int64_t to, CT sum) {
        kernels::update_y(p.y, steps.place_in_y(to, column), sum, alpha, beta);
    };

    if (ends_here && t - first <= few) {
        CT sum{};
        for (int64_t s = first; s < t; ++s) sum = add(sum, carries[s]);
        finish(row, add(sum, heads[t]));
    }
    unsigned crossing_many = __ballot_sync(all_lanes, ends_here && t - first > few);
    while (crossing_many) {
        const int lane = __ffs(static_cast<int>(crossing_many)) - 1;
        crossing_many &= crossing_many - 1;
        const int64_t last = value_of_lane(t, lane);
        const int64_t to = value_of_lane(row, lane);
        CT sum{};
        for (int64_t s = value_of_lane(first, lane) + threadIdx.x % warp_size; s < last; s += warp_size)
            sum = add(sum, carries[s]);
        sum = sum_over_lanes(sum, warp_size);
        if (threadIdx.x % warp_size == 0) finish(to, add(sum, heads[last]));
    }
}

template <class CT, class OT>
void launch_find_tiles(cuda_device& device, const merged_list<OT>& list, int64_t tiles, int64_t* starts) {
    device.launch_blocks(find_tiles<OT>, tiles / block_warps + 1, block_threads, 0, list, tile_items<CT>,
                         tiles, starts);
}

// For at least one tile.
template <int columns, class VA, class VX, class VY, class CT, class OT, class IT>
void launch_tiles(cuda_device& device, const product<VA, VX, VY, CT, OT, IT>& p,
                  const column_steps<columns>& steps, int64_t tiles, bool has_starts,
                  const tile_memory<CT>& parts) {
    // While all tiles are worked on at once, it costs less that every block looks for its own.
    const int64_t at_once = int64_t{6} * device.multiprocessors();
    if (!has_starts && tiles > at_once) {
        launch_find_tiles<CT>(device, merged_list<OT>{p.offsets, p.rows, p.nnz, p.base}, tiles, parts.starts);
        has_starts = true;
    }
    launch_early(device, multiply_tiles<columns, VA, VX, VY, CT, OT, IT>, tiles, block_threads, p, steps,
                 parts, has_starts);
    if (tiles > 1)
        launch_early(device, join_tiles<columns, VA, VX, VY, CT, OT, IT>,
                     (tiles + block_threads - 1) / block_threads * columns, block_threads, p, steps, parts,
                     tiles);
}

}  // namespace heron::HERON_LEVEL
