#pragma once
// B and C by columns, and rows of A that are short: a thread has a row of C, so that neighbouring threads
// read neighbouring elements of B, as long as neighbouring rows of A name neighbouring columns. Grids do;
// nothing is copied for them. An analysis measures whether a matrix does. Of other matrices of short rows one
// or two columns take less time so than copied.
#include "common/runtime/plan_record.hpp"
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// Columns of C that a thread works on at a time.
template <class CT>
constexpr int down_columns = sizeof(CT) > 8 ? 4 : 8;
constexpr int few_down_columns = 2;

// What measure_columns counts: over a sample of steps in which the 32 lanes of a warp each go on in their
// rows, the elements and the sectors of 32 bytes of a column of B that these touch; and the longest of all
// rows.
struct columns_found {
    unsigned elements, sectors, longest_row;

    // As many columns of C as are to be computed so. More sectors than twice the least are as much traffic as
    // copying B, and long rows of A, which lanes read side by side, do not stay in the nearest cache.
    // Elements that lie anywhere have a sector each, which is twice the least where they have 16 bytes.
    int64_t columns_down(size_t element_bytes) const {
        constexpr unsigned longest = 16;
        constexpr double sector = 32, most_of_element = 0.75;
        if (elements == 0 || longest_row > longest) return 0;
        const double least = elements * (static_cast<double>(element_bytes) / sector);
        const bool are_near = sectors <= 2 * least && sectors <= most_of_element * elements;
        return are_near ? INT64_MAX : few_down_columns;
    }
};

// Up to how many columns multiply_down is the way. It is right for every matrix, so an analysis that no
// longer fits costs time only.
struct spmm_rows_plan final : plan_of<spmm_rows_plan> {
    int64_t columns_down = 0;
};

// found is zero before.
template <class VA, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    measure_columns(const OT* offsets, const IT* indices, int64_t rows, int64_t base, columns_found* found) {
    constexpr int steps = 16;
    const int64_t threads = int64_t{gridDim.x} * spmm_threads;
    const int64_t thread = int64_t{blockIdx.x} * spmm_threads + threadIdx.x;
    int64_t longest = 0;
    for (int64_t row = thread; row < rows; row += threads) {
        const int64_t length = int64_t(offsets[row + 1]) - int64_t(offsets[row]);
        longest = length > longest ? length : longest;
    }
    atomicMax(&found->longest_row, static_cast<unsigned>(longest < INT32_MAX ? longest : INT32_MAX));
    // Warps look at 32 rows each, which lie all over the matrix.
    const int64_t groups = (rows + warp_size - 1) / warp_size;
    const int64_t group = thread / warp_size * groups / (threads / warp_size);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int64_t row = group * warp_size + lane;
    const int64_t begin = row < rows ? int64_t(offsets[row]) - base : 0;
    const int64_t end = row < rows ? int64_t(offsets[row + 1]) - base : 0;
    unsigned elements = 0, sectors = 0;
    for (int i = 0; i < steps; ++i) {
        const bool exists = begin + i < end;
        const int64_t sector =
            exists ? (int64_t(indices[begin + i]) - base) * int64_t{sizeof(VA)} / 32 : -1 - lane;
        const unsigned same = __match_any_sync(all_lanes, static_cast<long long>(sector));
        const bool is_first = lane == __ffs(static_cast<int>(same)) - 1;
        elements += static_cast<unsigned>(__popc(__ballot_sync(all_lanes, exists)));
        sectors += static_cast<unsigned>(__popc(__ballot_sync(all_lanes, exists && is_first)));
    }
    if (lane == 0) {
        atomicAdd(&found->elements, elements);
        atomicAdd(&found->sectors, sectors);
    }
}

// Neighbouring blocks take the same rows for other columns of C, and find A in the cache.
template <int columns, class VA, class VC, class CT, class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    multiply_down(const __grid_constant__ spmm_product<VA, VC, CT, OT, IT> p, int64_t batches) {
    using item = spmm_item<spmm_product<VA, VC, CT, OT, IT>, VA, OT, IT>;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const int64_t tiles = (p.shape.columns + columns - 1) / columns;
    const int64_t parts = (p.shape.rows + spmm_threads - 1) / spmm_threads;
    for (int64_t i = blockIdx.x; i < parts * tiles * batches; i += gridDim.x) {
        const int64_t batch = i / tiles / parts;
        const int64_t row = i / tiles % parts * spmm_threads + threadIdx.x;
        const int64_t first = i % tiles * columns;
        if (row >= p.shape.rows) continue;
        const item a(p, batch);
        const int64_t left = p.shape.columns - first;
        const VA* const b = a.b + first * p.shape.b_column_step - p.shape.base * p.shape.b_row_step;
        const int64_t end = int64_t(a.offsets[row + 1]) - p.shape.base;
        int64_t k = equal(alpha, CT{}) ? end : int64_t(a.offsets[row]) - p.shape.base;
        CT sums[columns] = {};
#pragma unroll 2
        for (; k < end; ++k) {
            const VA* const from = b + int64_t{load_shared_by_many(a.indices + k)} * p.shape.b_row_step;
            const CT value = p.element(load_shared_by_many(a.values + k));
            VA of_b[columns];
#pragma unroll
            for (int v = 0; v < columns; ++v)
                of_b[v] = load_shared_by_many(from + (v < left ? v : 0) * p.shape.b_column_step);
#pragma unroll
            for (int v = 0; v < columns; ++v) sums[v] = mad(value, p.operand(of_b[v]), sums[v]);
        }
        VC* const c = p.c + batch * p.shape.c_stride;
#pragma unroll
        for (int v = 0; v < columns; ++v)
            if (v < left)
                kernels::update_c(c, row * p.shape.c_row_step + (first + v) * p.shape.c_column_step, sums[v],
                                  alpha, beta);
    }
}

}  // namespace heron::HERON_LEVEL
