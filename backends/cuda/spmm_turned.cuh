#pragma once
// Operands turned into what the SpMM kernels read fast: B by rows in vectors of 16 bytes, and the pattern of
// a transposed CSR matrix by its columns.
#include "spmm_operands.cuh"

namespace heron::HERON_LEVEL {

// Rows of B that a block of turn_dense turns for 32 columns: every thread has as many loads under way as make
// 64 bytes.
template <class VA>
constexpr int turned_rows = 512 / int(sizeof(VA)) < 128 ? 512 / int(sizeof(VA)) : 128;
constexpr int turned_columns = 32;

// to[i*to_ld + j] := b(i, j) for 0 <= j < to_ld, zero behind the last column. Both sides are touched in whole
// lines, with shared memory between them.
template <class VA>
__global__ void __launch_bounds__(spmm_threads)
    turn_dense(const VA* b, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step,
               int64_t stride, VA* to, int64_t to_ld, int64_t batches) {
    constexpr int height = turned_rows<VA>;
    constexpr int loads = height * turned_columns / spmm_threads;
    constexpr int vectors = turned_columns / vector_of<VA>::size;
    __shared__ VA tile[height][turned_columns + 1];
    const int64_t down = (rows + height - 1) / height;
    const int64_t across = (to_ld + turned_columns - 1) / turned_columns;
    // Neighbouring threads read neighbouring elements; a thread's next element is `step` behind the last one.
    const bool by_columns = row_step == 1;
    const int thread = static_cast<int>(threadIdx.x);
    const int i0 = by_columns ? thread % height : thread / turned_columns;
    const int j0 = by_columns ? thread / height : thread % turned_columns;
    const int i_step = by_columns ? 0 : spmm_threads / turned_columns;
    const int j_step = by_columns ? spmm_threads / height : 0;
    const int64_t step = i_step * row_step + j_step * column_step;
    for (int64_t s = blockIdx.x; s < down * across * batches; s += gridDim.x) {
        const int64_t first_row = s % down * height;
        const int64_t first_column = s / down % across * turned_columns;
        const int64_t batch = s / down / across;
        const int64_t rows_left = rows - first_row;
        const int64_t columns_left = columns - first_column;
        const VA* from = b + batch * stride + (first_row + i0) * row_step + (first_column + j0) * column_step;
        VA values[loads];
#pragma unroll
        for (int l = 0; l < loads; ++l) {
            const bool exists = i0 + l * i_step < rows_left && j0 + l * j_step < columns_left;
            values[l] = exists ? load_streaming(from) : VA{};
            from += step;
        }
#pragma unroll
        for (int l = 0; l < loads; ++l) tile[i0 + l * i_step][j0 + l * j_step] = values[l];
        __syncthreads();
        for (int e = threadIdx.x; e < height * vectors; e += spmm_threads) {
            const int i = e / vectors;
            const int j = e % vectors * vector_of<VA>::size;
            if (first_row + i >= rows || first_column + j >= to_ld) continue;
            vector_of<VA> out;
#pragma unroll
            for (int v = 0; v < vector_of<VA>::size; ++v) out.at[v] = tile[i][j + v];
            *reinterpret_cast<vector_of<VA>*>(to + (batch * rows + first_row + i) * to_ld + first_column +
                                              j) = out;
        }
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
