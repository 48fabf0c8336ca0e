#pragma once
// Operands turned into what the SpMM kernels read fast: B by rows in vectors of 16 bytes, and the pattern of
// a transposed CSR matrix by its columns.
#include "spmm_operands.cuh"

namespace heron::HERON_LEVEL {

// to[i*to_ld + j] := b(i, j) for 0 <= j < to_ld, zero behind the last column. Squares of 32 x 32 go through
// shared memory, so that both sides are touched in whole lines. Blocks of 32 x 8 threads.
template <class VA>
__global__ void __launch_bounds__(spmm_threads)
    turn_dense(const VA* b, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step,
               int64_t stride, VA* to, int64_t to_ld, int64_t batches) {
    constexpr int side = 32;
    constexpr int lines = spmm_threads / side;
    __shared__ VA square[side][side + 1];
    const int x = static_cast<int>(threadIdx.x) % side;
    const int y = static_cast<int>(threadIdx.x) / side;
    const int64_t down = (rows + side - 1) / side;
    const int64_t across = (to_ld + side - 1) / side;
    const bool by_columns = row_step == 1;
    for (int64_t s = blockIdx.x; s < down * across * batches; s += gridDim.x) {
        const int64_t first_row = s % down * side;
        const int64_t first_column = s / down % across * side;
        const int64_t batch = s / down / across;
        for (int l = y; l < side; l += lines) {
            const int i = by_columns ? x : l;
            const int j = by_columns ? l : x;
            const bool exists = first_row + i < rows && first_column + j < columns;
            square[i][j] =
                exists ? b[batch * stride + (first_row + i) * row_step + (first_column + j) * column_step]
                       : VA{};
        }
        __syncthreads();
        for (int l = y; l < side; l += lines)
            if (first_row + l < rows && first_column + x < to_ld)
                to[(batch * rows + first_row + l) * to_ld + first_column + x] = square[l][x];
        __syncthreads();
    }
}

// counts[column] += 1 for every element.
template <class IT>
__global__ void __launch_bounds__(spmm_threads)
    count_columns(const IT* indices, int64_t nnz, int64_t base, unsigned long long* counts) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads;
    for (int64_t k = int64_t(blockIdx.x) * spmm_threads + threadIdx.x; k < nnz; k += step)
        atomicAdd(counts + (int64_t(indices[k]) - base), 1ull);
}

// Elements that a thread of sort_columns takes in a row, after one search for the first one's row.
constexpr int sorted_per_thread = 16;

// Puts every element at the next place of its column: `next` starts as the columns' offsets. The order within
// a column is any.
template <class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    sort_columns(const OT* offsets, const IT* indices, int64_t rows, int64_t nnz, int64_t base,
                 unsigned long long* next, IT* sorted_rows, OT* positions) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads * sorted_per_thread;
    const int64_t thread = int64_t(blockIdx.x) * spmm_threads + threadIdx.x;
    for (int64_t first = thread * sorted_per_thread; first < nnz; first += step) {
        int64_t row = 0;
        int64_t high = rows - 1;
        while (row < high) {
            const int64_t middle = row + (high - row + 1) / 2;
            if (int64_t(offsets[middle]) - base <= first)
                row = middle;
            else
                high = middle - 1;
        }
        const int64_t last = first + sorted_per_thread < nnz ? first + sorted_per_thread : nnz;
        for (int64_t k = first; k < last; ++k) {
            while (int64_t(offsets[row + 1]) - base <= k) ++row;
            const auto to = static_cast<int64_t>(atomicAdd(next + (int64_t(indices[k]) - base), 1ull));
            sorted_rows[to] = static_cast<IT>(row);
            positions[to] = static_cast<OT>(k);
        }
    }
}

// Two stamps lie around what ANALYSE leaves in the workspace, which the caller may overwrite.
static __global__ void set_stamps(uint64_t* front, uint64_t* back, uint64_t stamp) { *front = *back = stamp; }

static __global__ void compare_stamps(const uint64_t* front, const uint64_t* back, uint64_t stamp,
                                      int* is_lost) {
    *is_lost = *front != stamp || *back != stamp;
}

}  // namespace heron::HERON_LEVEL
