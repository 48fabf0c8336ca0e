#pragma once
// CSR times vector for any matrix. The list of row ends and the list of elements are merged in storage order
// and the merged list is cut into tiles of equal length, so that neither long nor empty rows unbalance the
// work (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016). A row that
// crosses tiles leaves one partial sum in each; a second, small kernel adds them in order. Nothing is atomic:
// results are the same on every run.
#include "operands.cuh"

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

template <class VA, class VX, class VY, class CT, class OT, class IT>
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
        CT warp_sums[block_warps];
    };

    __device__ tile_product(const operands& p, memory& shared, int64_t t, CT* heads, CT* carries)
        : p_(p),
          shared_(shared),
          t_(t),
          heads_(heads),
          carries_(carries),
          alpha_(p.alpha_now()),
          beta_(p.beta_now()) {}

    __device__ void run(int64_t* starts, bool has_starts) {
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
        if (threadIdx.x == 0) shared_.long_count = 0;
        read_ends();
        multiply();
        __syncthreads();
        sum_rows();
        __syncthreads();
        sum_long_rows();
    }

  private:
    // One slot is left free after every 128 bytes: threads that read with a power-of-two stride do not meet
    // in one bank.
    static __device__ int slot(int i) { return i + i / int(128 / sizeof(CT)); }

    // What beta is multiplied by comes into the second-level cache while the sums are formed.
    __device__ void fetch_y() const {
        if (equal(beta_, CT{})) return;
        for (int i = threadIdx.x; i < tile_.rows_ended(); i += block_threads)
            prefetch_line(p_.y + tile_.begin.row + i);
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
        for (int j = 0; j < loaded::per_thread; ++j)
            if (loaded::place(j) < elements_) x_[j] = p_.x_at(loaded_.index[j]);
    }

    // use(place in the tile, element, x) for the thread's elements.
    template <class F>
    __device__ void for_each_product(F&& use) {
#pragma unroll
        for (int j = 0; j < loaded::per_thread; ++j)
            if (loaded::place(j) < elements_) use(loaded::place(j), p_.element(loaded_.a[j]), x_[j]);
    }

    __device__ void multiply() {
        for_each_product([&](int i, CT a, CT x) { shared_.products[slot(i)] = mul(a, x); });
    }

    // The tile lies inside one row: nothing to sort out.
    __device__ void sum_inside_row() {
        CT sum{};
        for_each_product([&](int, CT a, CT x) { sum = mad(a, x, sum); });
        sum = sum_over_lanes(sum, warp_size);
        if (threadIdx.x % warp_size == 0) shared_.warp_sums[threadIdx.x / warp_size] = sum;
        __syncthreads();
        if (threadIdx.x != 0) return;
        for (int warp = 1; warp < block_warps; ++warp) sum = add(sum, shared_.warp_sums[warp]);
        carries_[t_] = sum;
    }

    __device__ int begin_of(int i) const { return i == 0 ? 0 : shared_.ends[i - 1]; }

    __device__ CT sum_products(int first, int end, int step) const {
        CT sum{};
        for (int i = first; i < end; i += step) sum = add(sum, shared_.products[slot(i)]);
        return sum;
    }

    // The rows that end here and, as one more, what the tile holds of the row that does not.
    __device__ void sum_rows() {
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
                finish(i, sum);
        }
    }

    __device__ void sum_long_rows() {
        const int lane = threadIdx.x % warp_size;
        for (int n = threadIdx.x / warp_size; n < shared_.long_count; n += block_warps) {
            const int i = shared_.long_rows[n];
            const CT sum =
                sum_over_lanes(sum_products(begin_of(i) + lane, shared_.ends[i], warp_size), warp_size);
            if (lane == 0) finish(i, sum);
        }
    }

    __device__ void finish(int i, CT sum) {
        const int64_t row = tile_.begin.row + i;
        if (i == tile_.rows_ended())
            carries_[t_] = sum;
        else if (i == 0 && p_.offset(row) < tile_.begin.element)
            heads_[t_] = sum;
        else
            kernels::update_y(p_.y, row, sum, alpha_, beta_);
    }

    const operands& p_;
    memory& shared_;
    const int64_t t_;
    CT* const heads_;
    CT* const carries_;
    const CT alpha_, beta_;
    merge_tile tile_;
    int elements_;
    loaded loaded_;
    CT x_[loaded::per_thread];
};

// One block per tile. heads[t] is what tile t holds of a row that began before it and ends in it, carries[t]
// what it holds of a row that ends behind it. Without has_starts every block looks for its own cuts and
// stores them.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_tiles(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, int64_t* starts, int has_starts,
                   CT* heads, CT* carries) {
    using work = tile_product<VA, VX, VY, CT, OT, IT>;
    __shared__ typename work::memory shared;
    work(p, shared, blockIdx.x, heads, carries).run(starts, has_starts);
}

// y of the rows that cross tiles: one thread for the tile that each of them ends in, one warp if it crosses
// many.
template <class VY, class CT, class OT>
__global__ void __launch_bounds__(block_threads)
    join_tiles(merged_list<OT> list, int64_t tiles, const int64_t* starts, const CT* heads, const CT* carries,
               VY* y, scalar_argument<CT> alpha_argument, scalar_argument<CT> beta_argument) {
    constexpr int items = tile_items<CT>;
    constexpr int64_t few = 8;
    const int64_t t = static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x;
    const CT alpha = alpha_argument.device ? *alpha_argument.device : alpha_argument.value;
    const CT beta = beta_argument.device ? *beta_argument.device : beta_argument.value;
    const int64_t row = t < tiles ? starts[t] : 0;
    bool ends_here = t < tiles && row < starts[t + 1];
    const int64_t begin = ends_here ? list.offset(row) : 0;
    ends_here = ends_here && begin < t * items - row;
    const int64_t first = (begin + row) / items;
    const auto finish = [&](int64_t to, CT sum) { kernels::update_y(y, to, sum, alpha, beta); };

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

}  // namespace heron::HERON_LEVEL
