#pragma once
// CSR times vector for matrices whose rows are much alike. A tile is a fixed number of consecutive rows whose
// elements fit a stage of shared memory. The blocks stay on the device and walk over the tiles; while one
// tile is summed, the next one is on its way from memory, so that the memory never idles.
#include "operands.cuh"
#include "cuda/runtime/early_launch.cuh"

namespace heron::HERON_LEVEL {

// A stage of shared memory for count elements. 16 bytes are left free after every 128, so that threads that
// read with a power-of-two stride do not meet in one bank.
template <class T, int count>
struct staged {
    static constexpr unsigned vector = 16 / sizeof(T);
    static constexpr unsigned segment = 128 / sizeof(T);
    static_assert(count % segment == 0);
    alignas(16) T slots[count + count / segment * vector];

    static __device__ unsigned slot(unsigned i) { return i + i / segment * vector; }
    __device__ const T& operator[](int i) const { return slots[slot(static_cast<unsigned>(i))]; }

    // Starts to copy from[0, n); from[0, readable) may be read, and n <= readable.
    __device__ void fetch(const T* from, int n, int64_t readable) {
        const bool whole_vectors = reinterpret_cast<uintptr_t>(from) % 16 == 0 && n + int(vector) <= readable;
        if (whole_vectors) {
#pragma unroll 1
            for (int i = static_cast<int>(threadIdx.x * vector); i < n; i += int(block_threads * vector))
                copy_async<16>(&slots[slot(i)], from + i);
        } else {
#pragma unroll 1
            for (int i = threadIdx.x; i < n; i += block_threads) fetch_one(from, i);
        }
    }

  private:
    __device__ void fetch_one(const T* from, int i) {
        if constexpr (sizeof(T) >= 4)
            copy_async<sizeof(T)>(&slots[slot(i)], from + i);
        else
            slots[slot(i)] = from[i];
    }
};

template <class VA, class IT>
struct row_tile {
    // Elements are fetched from a multiple of this, so that vectors are aligned where the arrays are.
    static constexpr int granule = 16;
    static constexpr int stage_bytes = 16384;
    static constexpr int capacity = stage_bytes / int(sizeof(VA) + sizeof(IT)) / 128 * 128;
    // Rows of a tile may have this many elements together.
    static constexpr int usable = capacity - (granule - 1);
    static constexpr int most_rows = 512;
};

template <class VA, class OT, class IT>
struct row_stage {
    using tile = row_tile<VA, IT>;
    staged<IT, tile::capacity> indices;
    staged<VA, tile::capacity> values;
    OT offsets[tile::most_rows + 1];
};

// How a group of lanes sums a row: 2^lane_bits lanes, each of which loads `batch` elements before it uses the
// first.
struct row_shares {
    int lane_bits;
    int batch;

    static constexpr int least_batch = 3;
    // More than this many elements do not fit the registers.
    template <class CT>
    static constexpr int most_batch = sizeof(CT) <= 8 ? 8 : 4;
};

// Sums the elements first, first + step, ... below end. Past the end the last element is read again, but not
// used: a load that every thread does costs less than the decision.
template <int batch, class Product, class Indices, class Values, class CT>
static __device__ inline CT sum_elements(const Product& p, const Indices& indices, const Values& values,
                                         int first, int end, int step, CT sum) {
    for (int i = first; i < end; i += batch * step) {
        CT x[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) {
            const int at = i + j * step;
            const auto index = indices[at < end ? at : end - 1];
            x[j] = at < end ? p.x_at(index) : CT{};
        }
#pragma unroll
        for (int j = 0; j < batch; ++j) {
            const int at = i + j * step;
            const CT a = p.element(values[at < end ? at : end - 1]);
            sum = mad(at < end ? a : CT{}, x[j], sum);
        }
    }
    return sum;
}

// One row straight from global memory by one warp: for a tile that does not fit.
template <class Product, class CT>
static __device__ inline CT sum_row_by_warp(const Product& p, int64_t row, CT sum) {
    const int64_t end = p.offset(row + 1);
    for (int64_t k = p.offset(row) + threadIdx.x % warp_size; k < end; k += warp_size)
        sum = mad(p.element(load_streaming(p.values + k)), p.x_at(load_streaming(p.indices + k)), sum);
    return sum_over_lanes(sum, warp_size);
}

template <class VA, class VX, class VY, class CT, class OT, class IT>
class row_walk {
    using tile = row_tile<VA, IT>;
    using stage = row_stage<VA, OT, IT>;
    using operands = product<VA, VX, VY, CT, OT, IT>;

  public:
    __device__ row_walk(const operands& p, int rows_per_tile, row_shares shares, stage* stages)
        : p_(p),
          rows_per_tile_(rows_per_tile),
          shares_(shares),
          stages_(stages),
          alpha_(p.alpha_now()),
          beta_(p.beta_now()),
          tiles_((p.rows + rows_per_tile - 1) / rows_per_tile) {}

    __device__ void run() {
        if (equal(alpha_, CT{})) return scale_only();
        const int64_t step = gridDim.x;
        int64_t tile_index = blockIdx.x;
        span now = span_of(tile_index);
        span next = span_of(tile_index + step);
        fetch(0, now);
        commit_copies();
        for (int turn = 0; tile_index < tiles_; tile_index += step, turn ^= 1) {
            fetch(turn ^ 1, next);
            commit_copies();
            // Asked for now, needed after this tile.
            const span later = span_of(tile_index + 2 * step);
            wait_for_copies<1>();
            __syncthreads();
            fetched(now) >= 0 ? sum_staged(stages_[turn], now) : sum_from_memory(now);
            __syncthreads();
            now = next;
            next = later;
        }
    }

  private:
    // The rows of a tile and the offsets of its elements as they are in memory: arithmetic on them would wait
    // for them.
    struct span {
        int64_t row;
        int rows;
        OT begin, end;
    };

    // Elements are fetched from here on.
    __device__ int64_t origin_of(const span& s) const {
        return (s.begin - p_.base) & ~int64_t{tile::granule - 1};
    }
    __device__ int fetched(const span& s) const {
        const int64_t count = s.end - p_.base - origin_of(s);
        return count <= tile::capacity ? static_cast<int>(count) : -1;
    }

    __device__ span span_of(int64_t tile_index) const {
        if (tile_index >= tiles_) return {0, 0, 0, 0};
        const int64_t row = tile_index * rows_per_tile_;
        const int rows = static_cast<int>(p_.rows - row < rows_per_tile_ ? p_.rows - row : rows_per_tile_);
        return {row, rows, p_.offsets[row], p_.offsets[row + rows]};
    }

    __device__ void fetch(int turn, const span& s) {
        const int count = fetched(s);
        if (s.rows == 0 || count < 0) return;
        stage& to = stages_[turn];
        const int64_t origin = origin_of(s);
        to.indices.fetch(p_.indices + origin, count, p_.nnz - origin);
        to.values.fetch(p_.values + origin, count, p_.nnz - origin);
        const OT* const offsets = p_.offsets + s.row;
#pragma unroll 1
        for (int i = threadIdx.x; i <= s.rows; i += block_threads)
            copy_async<sizeof(OT)>(&to.offsets[i], offsets + i);
    }

    // The number of elements in a batch is a constant of the code that loads them.
    template <int batch = row_shares::least_batch>
    __device__ void sum_staged(const stage& from, const span& s) {
        if constexpr (batch < row_shares::most_batch<CT>)
            if (shares_.batch > batch) return sum_staged<batch + 1>(from, s);
        sum_batches<batch>(from, s);
    }

    template <int batch>
    __device__ void sum_batches(const stage& from, const span& s) {
        const int lanes = 1 << shares_.lane_bits;
        const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
        const int group = static_cast<int>(threadIdx.x) >> shares_.lane_bits;
        const int groups = block_threads >> shares_.lane_bits;
        const auto shift = static_cast<OT>(origin_of(s) + p_.base);
        for (int first = 0; first < s.rows; first += groups) {
            const int row = first + group;
            const bool mine = row < s.rows;
            const int known = mine ? row : 0;
            const int begin = static_cast<int>(from.offsets[known] - shift);
            const int end = mine ? static_cast<int>(from.offsets[known + 1] - shift) : begin;
            CT sum = sum_elements<batch>(p_, from.indices, from.values, begin + lane, end, lanes, CT{});
            sum = sum_over_lanes(sum, lanes);
            if (mine && lane == 0) kernels::update_y(p_.y, s.row + row, sum, alpha_, beta_);
        }
    }

    __device__ void sum_from_memory(const span& s) {
        for (int row = threadIdx.x / warp_size; row < s.rows; row += block_warps) {
            const CT sum = sum_row_by_warp(p_, s.row + row, CT{});
            if (threadIdx.x % warp_size == 0) kernels::update_y(p_.y, s.row + row, sum, alpha_, beta_);
        }
    }

    __device__ void scale_only() {
        const int64_t step = static_cast<int64_t>(gridDim.x) * block_threads;
        for (int64_t row = static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x; row < p_.rows;
             row += step)
            kernels::update_y(p_.y, row, CT{}, alpha_, beta_);
    }

    const operands& p_;
    const int rows_per_tile_;
    const row_shares shares_;
    stage* const stages_;
    const CT alpha_, beta_;
    const int64_t tiles_;
};

// Any grid and any shares will do; as many blocks as fit the device are best.
template <class VA, class VX, class VY, class CT, class OT, class IT>
__global__ void __launch_bounds__(block_threads)
    multiply_rows(const __grid_constant__ product<VA, VX, VY, CT, OT, IT> p, int rows_per_tile,
                  row_shares shares) {
    begin_behind_kernel_before();
    __shared__ row_stage<VA, OT, IT> stages[2];
    row_walk<VA, VX, VY, CT, OT, IT>(p, rows_per_tile, shares, stages).run();
}

// Rows per tile that measure_rows tries.
struct row_candidates {
    static constexpr int count = 16;
    int rows[count] = {8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512};
};

// most[c] := the largest number of elements in any tile of candidate c; most[count] := the longest row. The
// array starts at zero; counts beyond 32 bits are cut.
template <class OT>
__global__ void measure_rows(const OT* offsets, int64_t rows, row_candidates candidates, unsigned* most) {
    constexpr int octet = 8;
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * octet;
    const auto elements = [&](int64_t row, int count) {
        const int64_t end = row + count < rows ? row + count : rows;
        const int64_t n =
            row < rows ? static_cast<int64_t>(offsets[end]) - static_cast<int64_t>(offsets[row]) : 0;
        return n < UINT32_MAX ? static_cast<unsigned>(n) : UINT32_MAX;
    };
    const auto keep = [&](int c, unsigned n) {
        n = __reduce_max_sync(all_lanes, n);
        if (threadIdx.x % warp_size == 0 && n > 0) atomicMax(most + c, n);
    };
    for (int c = 0; c < row_candidates::count; ++c) {
        const int n = candidates.rows[c];
        keep(c, first % n == 0 ? elements(first, n) : 0u);
    }
    unsigned longest = 0;
    for (int i = 0; i < octet; ++i) {
        const unsigned n = elements(first + i, 1);
        longest = n > longest ? n : longest;
    }
    keep(row_candidates::count, longest);
}

// What measure_rows has found, for the host: the words, and then the stamp, at words[last]. One warp.
static __global__ void report_rows(const unsigned* most, unsigned* words, int last, unsigned stamp) {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane <= row_candidates::count) words[lane] = most[lane];
    __threadfence_system();
    __syncwarp();
    if (lane == 0) *const_cast<volatile unsigned*>(words + last) = stamp;
}

}  // namespace heron::HERON_LEVEL
