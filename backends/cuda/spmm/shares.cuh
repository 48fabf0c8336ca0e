#pragma once
// The work of a product in equal shares, whatever the lengths of the rows: merge-based decomposition (Merrill
// and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016) with a price for a row.
//
// Row r begins at offsets[r] + row_cost*r on a line of nnz + row_cost*rows places; its elements come first,
// then its price. A share is an interval of that line. A boundary shortly before a row's end is moved behind
// the row, so that only long rows are split. What a share has of a row that began before it, or that goes on
// behind it, is a partial sum; a second kernel adds these in order, so that results are the same on every
// run.
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// Where a share begins: at this element, counted from 0, of this row.
struct spmm_place {
    int64_t row, element;
};

template <class CT>
struct spmm_shares {
    int64_t count;       // of shares of one item of the batch
    int size, row_cost;  // of a share, of a row
    int slack;           // elements of a row that are not left to the next share
    bool same_pattern;   // for all items of the batch
    bool are_found;      // by find_places; few shares are found by the blocks that multiply
    spmm_place* places;  // count + 1 per item, or for all of them
    // A share's sums of the row that ends in it but began before, and of the row that goes on: `stride`
    // numbers.
    CT* heads;
    CT* tails;
    int64_t stride;
    // The shares of all items in which a row ends that began before, in any order, where find_places has
    // cleared the count.
    unsigned long long* split_count;
    int64_t* split;

    static __host__ __device__ int64_t count_for(int64_t rows, int64_t nnz, int size, int row_cost) {
        return (nnz + row_cost * rows + size - 1) / size;
    }
    // Of rows, and of elements, that a share may touch.
    __host__ __device__ int most_rows() const { return size / row_cost + 3; }
    __host__ __device__ int most_elements() const { return size + slack; }

    __device__ void put_split(int64_t share) const { split[atomicAdd(split_count, 1ull)] = share; }

    __device__ const spmm_place* places_of(int64_t batch) const {
        return places + (same_pattern ? 0 : batch * (count + 1));
    }
    __device__ CT* head(int64_t batch, int64_t share) const {
        return heads + (batch * count + share) * stride;
    }
    __device__ CT* tail(int64_t batch, int64_t share) const {
        return tails + (batch * count + share) * stride;
    }
};

// The place at which share number `share` begins. All lanes of the warp together: each step of the search
// looks at 128 rows.
template <class CT, class OT>
static __device__ inline spmm_place place_of(const spmm_shares<CT>& shares, const OT* offsets, int64_t rows,
                                             int64_t nnz, int64_t base, int64_t share) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int64_t at = share * shares.size;
    if (at >= nnz + shares.row_cost * rows) return {rows, nnz};
    int64_t row = 0;
    int64_t high = rows;
    while (high - row > 1) {
        constexpr int probes = 4;
        const int64_t step = (high - row + probes * warp_size - 1) / (probes * warp_size);
        bool is_before[probes];
#pragma unroll
        for (int i = 0; i < probes; ++i) {
            const int64_t probe = row + (i * warp_size + lane + 1) * step;
            is_before[i] = probe < high && int64_t(offsets[probe]) - base + shares.row_cost * probe <= at;
        }
        int before = 0;
#pragma unroll
        for (int i = 0; i < probes; ++i) before += __popc(__ballot_sync(all_lanes, is_before[i]));
        row += before * step;
        high = row + step < high ? row + step : high;
    }
    const int64_t begin = int64_t(offsets[row]) - base;
    const int64_t end = int64_t(offsets[row + 1]) - base;
    const int64_t element = at - shares.row_cost * row;
    if (element > begin && end - element <= shares.slack) return {row + 1, end};
    return {row, element};
}

template <class CT, class OT>
__global__ void __launch_bounds__(spmm_threads)
    find_places(const __grid_constant__ spmm_shares<CT> shares, const OT* offsets, int64_t offsets_stride,
                int64_t rows, int64_t nnz, int64_t base, int64_t batches,
                const __grid_constant__ spmm_guard guard) {
    let_next_kernel_start();
    if (blockIdx.x == 0 && threadIdx.x == 0) *shares.split_count = 0;
    if (guard.is_skipped()) return;
    const int64_t warps = int64_t(gridDim.x) * (spmm_threads / warp_size);
    const int64_t warp = (int64_t(blockIdx.x) * spmm_threads + threadIdx.x) / warp_size;
    const int64_t places = shares.count + 1;
    for (int64_t i = warp; i < places * (shares.same_pattern ? 1 : batches); i += warps) {
        const spmm_place place =
            place_of(shares, offsets + i / places * offsets_stride, rows, nnz, base, i % places);
        if (threadIdx.x % warp_size == 0) shares.places[i] = place;
    }
}

// Writes the rows of C that have parts in several shares. Some threads add up some of the parts each, then
// one adds these.
template <class VA, class VC, class CT, class OT, class IT>
class split_rows {
    using product = spmm_product<VA, VC, CT, OT, IT>;

  public:
    __device__ split_rows(const product& p, const spmm_shares<CT>& shares, CT* sums)
        : p_(p), shares_(shares), sums_(sums), alpha_(p.alpha_now()), beta_(p.beta_now()) {}

    // Whether a row ends in the share that began before.
    __device__ bool is_split(int64_t batch, int64_t share) const {
        const spmm_place from = shares_.places_of(batch)[share];
        if (shares_.places_of(batch)[share + 1].row <= from.row) return false;
        return from.element > int64_t(p_.offsets[batch * p_.shape.offsets_stride + from.row]) - p_.shape.base;
    }

    // The row that ends in a share but began before. All threads together.
    __device__ void join(int64_t batch, int64_t share) {
        const spmm_place from = shares_.places_of(batch)[share];
        const int64_t begin = int64_t(p_.offsets[batch * p_.shape.offsets_stride + from.row]) - p_.shape.base;
        const int64_t first = (begin + shares_.row_cost * from.row) / shares_.size;
        for (int64_t column = 0; column < p_.shape.columns; column += spmm_threads)
            join_columns(batch, from.row, first, share, column);
    }

  private:
    __device__ void join_columns(int64_t batch, int64_t row, int64_t first, int64_t last, int64_t column) {
        const int64_t left = p_.shape.columns - column;
        const int columns = static_cast<int>(left < spmm_threads ? left : spmm_threads);
        const int slices = spmm_threads / columns;
        const int slice = static_cast<int>(threadIdx.x) / columns;
        const int mine = static_cast<int>(threadIdx.x) % columns;
        const int64_t each = (last - first + slices) / slices;
        const int64_t begin = first + slice * each;
        const int64_t end = begin + each < last + 1 ? begin + each : last + 1;
        CT sum{};
        if (slice < slices)
#pragma unroll 4
            for (int64_t s = begin; s < end; ++s)
                sum = add(sum, (s < last ? shares_.tail(batch, s) : shares_.head(batch, s))[column + mine]);
        sums_[threadIdx.x] = sum;
        __syncthreads();
        if (slice == 0) {
            const int summed = static_cast<int>((last - first + each) / each);  // slices that have parts
#pragma unroll 4
            for (int s = 1; s < summed; ++s) sum = add(sum, sums_[s * columns + mine]);
            const int64_t to = row * p_.shape.c_row_step + (column + mine) * p_.shape.c_column_step;
            kernels::update_c(p_.c + batch * p_.shape.c_stride, to, sum, alpha_, beta_);
        }
        __syncthreads();
    }

    const product& p_;
    const spmm_shares<CT>& shares_;
    CT* const sums_;
    const CT alpha_, beta_;
};

// A as the caller has it, for a product that the guard leaves to atomic additions: element k goes to row
// to[k] of C and comes from row from[k] of B, or, with offsets, from the line that it is in.
template <class OT, class IT>
struct spmm_elements {
    const OT* offsets;  // NULL for COO
    const IT *to, *from;
    int64_t lines;  // with offsets
    int64_t base;
};

template <class VA, class VC, class CT, class OT, class IT>
static __device__ inline void scale_c(const spmm_product<VA, VC, CT, OT, IT>& p, int64_t batches) {
    const CT beta = p.beta_now();
    const int64_t step = int64_t{gridDim.x} * spmm_threads;
    for (int64_t row = int64_t{blockIdx.x} * spmm_threads + threadIdx.x; row < p.shape.rows; row += step)
        for (int64_t batch = 0; batch < batches; ++batch)
            for (int64_t column = 0; column < p.shape.columns; ++column)
                kernels::update_c(p.c + batch * p.shape.c_stride,
                                  row * p.shape.c_row_step + column * p.shape.c_column_step, CT{}, CT{},
                                  beta);
}

// Adds the product to C, which is scaled.
template <class VA, class VC, class CT, class OT, class IT>
static __device__ inline void add_elements(const spmm_product<VA, VC, CT, OT, IT>& p,
                                           const spmm_elements<OT, IT>& a, int64_t batches) {
    if constexpr (std::is_same_v<VC, CT>) {
        kernels::spmm_shape shape = p.shape;
        shape.base = a.base;
        const int64_t lines = a.offsets ? a.lines : p.nnz;
        const kernels::spmm_sums sums{lines,          1, lines, shape.c_row_step, shape.c_column_step, 0,
                                      shape.c_stride, 1};
        const int64_t step = int64_t{gridDim.x} * spmm_threads;
        const int64_t first = int64_t{blockIdx.x} * spmm_threads + threadIdx.x;
        for (int64_t i = first; i < lines * shape.columns * batches; i += step)
            if (a.offsets)
                kernels::spmm_csr_scatter<VA, VC, CT, OT, IT>::run(i, a.offsets, a.to, p.values, p.b, p.c,
                                                                   shape, sums, p.alpha.value, p.alpha.device,
                                                                   nullptr);
            else
                kernels::spmm_coo_scatter<VA, VC, CT, OT, IT>::run(
                    i, a.to, a.from, p.values, p.b, p.c, shape, sums, p.alpha.value, p.alpha.device, nullptr);
    }
}

// Where the guard leaves the product to atomic additions, C is scaled for them before. May start before
// multiply_shares is over.
template <class VA, class VC, class CT, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    join_rows(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p,
              const __grid_constant__ spmm_shares<CT> shares, int64_t batches,
              const __grid_constant__ spmm_elements<OT, IT> elements) {
    __shared__ CT sums[spmm_threads];
    after_kernel_before(p.c);
    if (p.guard.is_skipped()) return add_elements(p, elements, batches);
    split_rows<VA, VC, CT, OT, IT> rows(p, shares, sums);
    const int64_t count =
        shares.are_found ? static_cast<int64_t>(*shares.split_count) : shares.count * batches;
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        const int64_t share = shares.are_found ? shares.split[i] : i;
        if (shares.are_found || rows.is_split(share / shares.count, share % shares.count))
            rows.join(share / shares.count, share % shares.count);
    }
}

}  // namespace heron::HERON_LEVEL
