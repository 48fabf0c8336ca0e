#pragma once
// A group of lanes sums a row of op(A) for a tile of columns. Rows longer than a segment would keep one group
// busy while the others are done: they are put on a list, cut into segments, which groups sum one each, and
// the segments' sums are added in order. Nothing but the list is atomic, so results are the same on every
// run.
#include "spmm_operands.cuh"

namespace heron::HERON_LEVEL {

struct row_segment {
    int64_t row, begin, end;
};

// A row on the list; its segments are numbers first, ..., first + count - 1.
struct long_row {
    int64_t row, first, count;
};

// Empty where `counters` is NULL: then no row is long. A segment's sums are `stride` numbers.
template <class CT>
struct long_row_list {
    static constexpr int segment = 512;

    unsigned long long* counters;  // of segments and of rows, zero at the start
    row_segment* segments;
    long_row* rows;
    CT* sums;
    int64_t stride;

    static __host__ __device__ int64_t most_rows(int64_t nnz) { return nnz / segment; }
    static __host__ __device__ int64_t most_segments(int64_t nnz) { return 2 * most_rows(nnz); }

    __device__ bool takes(int64_t elements) const { return counters && elements > segment; }

    __device__ void put(int64_t row, int64_t begin, int64_t end) const {
        const int64_t count = (end - begin + segment - 1) / segment;
        const auto first = static_cast<int64_t>(atomicAdd(counters, static_cast<unsigned long long>(count)));
        for (int64_t i = 0; i < count; ++i) {
            const int64_t from = begin + i * segment;
            segments[first + i] = {row, from, from + segment < end ? from + segment : end};
        }
        rows[atomicAdd(counters + 1, 1ull)] = {row, first, count};
    }
};

// A block's rows of C for one tile of columns: blocks of 256 threads, 2^lane_bits lanes per row.
template <class VA, class VC, class CT, class OT, class IT, int units>
class spmm_block {
    using product = spmm_product<VA, VC, CT, OT, IT>;
    using item = spmm_item<product, VA, OT, IT>;
    using lane = lane_sums<VA, VC, CT, OT, IT, units>;
    static constexpr int width = lane::width;

  public:
    __device__ spmm_block(const product& p, const long_row_list<CT>& list, int lane_bits, CT* tile)
        : p_(p),
          list_(list),
          tile_(tile),
          lanes_(1 << lane_bits),
          rows_(spmm_threads >> lane_bits),
          columns_(tile_columns<VA, units>(lane_bits)),
          alpha_(p.alpha_now()),
          beta_(p.beta_now()) {}

    // All threads of the block together.
    __device__ void run(int64_t batch, int64_t first_row, int64_t first_column) {
        const item a(p_, batch);
        const int group = static_cast<int>(threadIdx.x) / lanes_;
        const int lane_number = static_cast<int>(threadIdx.x) % lanes_;
        const int64_t row = first_row + group;
        const bool mine = row < p_.shape.rows;
        const int64_t begin = mine ? int64_t(a.offsets[row]) - p_.shape.base : 0;
        const int64_t end =
            mine && !equal(alpha_, CT{}) ? int64_t(a.offsets[row + 1]) - p_.shape.base : begin;
        const bool is_long = list_.takes(end - begin);
        if (is_long && lane_number == 0 && first_column == 0) list_.put(row, begin, end);
        lane sums(p_, first_column, lane_number, lanes_);
        if (!is_long) sums.add_elements(a, begin, end);
        VC* const c = p_.c + batch * p_.shape.c_stride;
        if (p_.c_is_aligned) {
            if (mine && !is_long) write_vectors(c + row * p_.shape.c_row_step, sums);
        } else {
            write_tile(c, first_row, first_column, group, lane_number, mine && !is_long, sums);
        }
    }

  private:
    // C by rows: a lane's neighbouring columns at once.
    __device__ void write_vectors(VC* c, const lane& sums) const {
        struct alignas(16) part {
            char bytes[16];
        };
        constexpr int parts = width * int(sizeof(VC)) / 16;
#pragma unroll
        for (int u = 0; u < units; ++u) {
            if (sums.first_column(u) >= p_.shape.columns) continue;
            part* const to = reinterpret_cast<part*>(c + sums.first_column(u));
            alignas(16) VC out[width];
            if (!equal(beta_, CT{})) {
#pragma unroll
                for (int i = 0; i < parts; ++i) {
                    const part old = to[i];
                    __builtin_memcpy(reinterpret_cast<char*>(out) + i * 16, &old, 16);
                }
            }
#pragma unroll
            for (int v = 0; v < width; ++v) kernels::update_c(out, v, sums.sums[u][v], alpha_, beta_);
#pragma unroll
            for (int i = 0; i < parts; ++i) {
                part now;
                __builtin_memcpy(&now, reinterpret_cast<const char*>(out) + i * 16, 16);
                to[i] = now;
            }
        }
    }

    // Any C: the sums of the block go through shared memory, so that neighbouring threads write neighbouring
    // elements.
    __device__ void write_tile(VC* c, int64_t first_row, int64_t first_column, int group, int lane_number,
                               bool is_summed, const lane& sums) {
        const int stride = columns_ + 1;
        bool* const is_row = reinterpret_cast<bool*>(tile_ + rows_ * stride);
#pragma unroll
        for (int u = 0; u < units; ++u)
#pragma unroll
            for (int v = 0; v < width; ++v)
                tile_[group * stride + (u * lanes_ + lane_number) * width + v] = sums.sums[u][v];
        if (lane_number == 0) is_row[group] = is_summed;
        __syncthreads();
        const bool by_columns = p_.shape.c_row_step == 1;
        for (int e = threadIdx.x; e < rows_ * columns_; e += spmm_threads) {
            const int i = by_columns ? e % rows_ : e / columns_;
            const int j = by_columns ? e / rows_ : e % columns_;
            const int64_t column = first_column + j;
            if (!is_row[i] || column >= p_.shape.columns) continue;
            kernels::update_c(c, (first_row + i) * p_.shape.c_row_step + column * p_.shape.c_column_step,
                              tile_[i * stride + j], alpha_, beta_);
        }
        __syncthreads();
    }

    const product& p_;
    const long_row_list<CT>& list_;
    CT* const tile_;
    const int lanes_, rows_, columns_;
    const CT alpha_, beta_;
};

// Shared memory that a block needs where C is not aligned.
template <class VA, class CT, int units>
static inline size_t spmm_tile_bytes(int lane_bits) {
    const int rows = spmm_threads >> lane_bits;
    return static_cast<size_t>(rows) * static_cast<size_t>(tile_columns<VA, units>(lane_bits) + 1) *
               sizeof(CT) +
           static_cast<size_t>(rows);
}

// Any grid and any lane_bits up to 5 will do. Column tiles are walked slowest, so that one tile of B stays in
// the cache.
template <class VA, class VC, class CT, class OT, class IT, int units>
__global__ void __launch_bounds__(spmm_threads)
    multiply_dense(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p,
                   const __grid_constant__ long_row_list<CT> list, int lane_bits, int64_t batches) {
    extern __shared__ __align__(16) unsigned char shared[];
    if (p.skipped && *p.skipped) return;
    spmm_block<VA, VC, CT, OT, IT, units> block(p, list, lane_bits, reinterpret_cast<CT*>(shared));
    const int rows = spmm_threads >> lane_bits;
    const int columns = tile_columns<VA, units>(lane_bits);
    const int64_t row_blocks = (p.shape.rows + rows - 1) / rows;
    const int64_t tiles = (p.shape.columns + columns - 1) / columns;
    for (int64_t i = blockIdx.x; i < row_blocks * tiles * batches; i += gridDim.x)
        block.run(i / row_blocks / tiles, i % row_blocks * rows, i / row_blocks % tiles * columns);
}

// The sums of the segments on the list; only for one item.
template <class VA, class VC, class CT, class OT, class IT, int units>
__global__ void __launch_bounds__(spmm_threads)
    sum_segments(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p,
                 const __grid_constant__ long_row_list<CT> list, int lane_bits) {
    if (p.skipped && *p.skipped) return;
    using lane = lane_sums<VA, VC, CT, OT, IT, units>;
    const int lanes = 1 << lane_bits;
    const int columns = tile_columns<VA, units>(lane_bits);
    const int64_t tiles = (p.shape.columns + columns - 1) / columns;
    const int64_t groups = int64_t(gridDim.x) * spmm_threads >> lane_bits;
    const int64_t group = (int64_t(blockIdx.x) * spmm_threads + threadIdx.x) >> lane_bits;
    const auto count = static_cast<int64_t>(list.counters[0]);
    const spmm_item<spmm_product<VA, VC, CT, OT, IT>, VA, OT, IT> a(p, 0);
    for (int64_t i = group; i < count * tiles; i += groups) {
        const row_segment s = list.segments[i / tiles];
        lane sums(p, i % tiles * columns, static_cast<int>(threadIdx.x) & (lanes - 1), lanes);
        sums.add_elements(a, s.begin, s.end);
        CT* const to = list.sums + i / tiles * list.stride;
        for (int u = 0; u < units; ++u)
            for (int v = 0; v < lane::width; ++v)
                if (sums.first_column(u) + v < p.shape.columns)
                    to[sums.first_column(u) + v] = sums.sums[u][v];
    }
}

// C's long rows from the sums of their segments, a row per block.
template <class VA, class VC, class CT, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    join_segments(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p,
                  const __grid_constant__ long_row_list<CT> list) {
    if (p.skipped && *p.skipped) return;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const auto count = static_cast<int64_t>(list.counters[1]);
    for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        const long_row r = list.rows[i];
        for (int64_t column = threadIdx.x; column < p.shape.columns; column += spmm_threads) {
            CT sum{};
            for (int64_t s = r.first; s < r.first + r.count; ++s)
                sum = add(sum, list.sums[s * list.stride + column]);
            kernels::update_c(p.c, r.row * p.shape.c_row_step + column * p.shape.c_column_step, sum, alpha,
                              beta);
        }
    }
}

}  // namespace heron::HERON_LEVEL
