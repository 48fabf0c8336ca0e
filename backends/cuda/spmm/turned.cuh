#pragma once
// The pattern of a transposed CSR or COO matrix by its columns.
#include "operands.cuh"

namespace heron::HERON_LEVEL {

// counts[column] += 1 for every element. `front` is cleared, which tells every plan for this memory that it
// is used anew.
template <class IT>
__global__ void __launch_bounds__(spmm_threads)
    count_columns(const IT* indices, int64_t nnz, int64_t base, unsigned long long* counts, uint64_t* front) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads;
    if (blockIdx.x == 0 && threadIdx.x == 0) *front = 0;
    for (int64_t k = int64_t(blockIdx.x) * spmm_threads + threadIdx.x; k < nnz; k += step)
        atomicAdd(counts + (int64_t(indices[k]) - base), 1ull);
}

// Columns that a block counts in shared memory, at most.
constexpr int most_crowded_columns = 2048;

// count_columns for few columns of many elements, whose additions would wait for each other: a block adds its
// own up first.
template <class IT>
__global__ void __launch_bounds__(spmm_threads)
    count_crowded_columns(const IT* indices, int64_t nnz, int64_t base, int columns,
                          unsigned long long* counts, uint64_t* front) {
    __shared__ unsigned own[most_crowded_columns];
    if (blockIdx.x == 0 && threadIdx.x == 0) *front = 0;
    for (int c = threadIdx.x; c < columns; c += spmm_threads) own[c] = 0;
    __syncthreads();
    const int64_t step = int64_t{gridDim.x} * spmm_threads;
    for (int64_t k = int64_t{blockIdx.x} * spmm_threads + threadIdx.x; k < nnz; k += step)
        atomicAdd(own + (int64_t(indices[k]) - base), 1u);
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += spmm_threads)
        if (own[c] > 0) atomicAdd(counts + c, static_cast<unsigned long long>(own[c]));
}

// Elements that a thread of sort_columns takes in a row, after one search for the first one's row, at most:
// atomic operations follow each other, so few elements are left to more threads.
constexpr int most_sorted_per_thread = 16;

// Where elements go, the last free place of their column first: `counts` starts as the columns' lengths. The
// order within a column is any.
template <class OT, class IT>
struct places_by_column {
    const OT* offsets;  // of the columns, from 0
    unsigned long long* counts;
    IT* rows;
    OT* positions;

    // The first of so many places.
    __device__ OT take(int64_t column, unsigned count) const {
        const auto left = atomicAdd(counts + column, 0ull - count);
        return static_cast<OT>(offsets[column] + static_cast<OT>(left) - static_cast<OT>(count));
    }
    __device__ void put_at(OT to, int64_t row, int64_t k) const {
        rows[to] = static_cast<IT>(row);
        positions[to] = static_cast<OT>(k);
    }
    __device__ void put(int64_t column, int64_t row, int64_t k) const { put_at(take(column, 1), row, k); }
};

// The row that holds element k.
template <class OT>
static __device__ inline int64_t row_that_holds(const OT* offsets, int64_t rows, int64_t base, int64_t k) {
    int64_t row = 0;
    int64_t high = rows - 1;
    while (row < high) {
        const int64_t middle = row + (high - row + 1) / 2;
        if (int64_t(offsets[middle]) - base <= k)
            row = middle;
        else
            high = middle - 1;
    }
    return row;
}

template <class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    sort_columns(const OT* offsets, const IT* indices, int64_t rows, int64_t nnz, int64_t base,
                 int per_thread, const places_by_column<OT, IT> places) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads * per_thread;
    const int64_t thread = int64_t(blockIdx.x) * spmm_threads + threadIdx.x;
    for (int64_t first = thread * per_thread; first < nnz; first += step) {
        int64_t row = row_that_holds(offsets, rows, base, first);
        const int64_t last = first + per_thread < nnz ? first + per_thread : nnz;
        for (int64_t k = first; k < last; ++k) {
            while (int64_t(offsets[row + 1]) - base <= k) ++row;
            places.put(int64_t(indices[k]) - base, row, k);
        }
    }
}

// As sort_columns for COO in any order.
template <class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    sort_coo_columns(const IT* rows, const IT* columns, int64_t nnz, int64_t base,
                     const places_by_column<OT, IT> places) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads;
    for (int64_t k = int64_t(blockIdx.x) * spmm_threads + threadIdx.x; k < nnz; k += step)
        places.put(int64_t(columns[k]) - base, int64_t(rows[k]) - base, k);
}

// As count_crowded_columns does: a block counts its elements of each column, takes as many places at once,
// and deals them out. Of COO `offsets` is NULL and `row_indices` says the rows.
template <class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    sort_crowded_columns(const OT* offsets, const IT* row_indices, const IT* indices, int64_t rows,
                         int64_t nnz, int64_t base, int columns, const places_by_column<OT, IT> places) {
    __shared__ unsigned own[most_crowded_columns];
    __shared__ OT first_places[most_crowded_columns];
    const int64_t each = (nnz + gridDim.x - 1) / gridDim.x;
    const int64_t first = blockIdx.x * each;
    const int64_t last = first + each < nnz ? first + each : nnz;
    for (int c = threadIdx.x; c < columns; c += spmm_threads) own[c] = 0;
    __syncthreads();
    for (int64_t k = first + threadIdx.x; k < last; k += spmm_threads)
        atomicAdd(own + (int64_t(indices[k]) - base), 1u);
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += spmm_threads) {
        if (own[c] > 0) first_places[c] = places.take(c, own[c]);
        own[c] = 0;
    }
    __syncthreads();
    const int64_t run = (each + spmm_threads - 1) / spmm_threads;
    const int64_t begin = first + threadIdx.x * run;
    const int64_t end = begin + run < last ? begin + run : last;
    int64_t row = offsets && begin < end ? row_that_holds(offsets, rows, base, begin) : 0;
    for (int64_t k = begin; k < end; ++k) {
        if (offsets)
            while (int64_t(offsets[row + 1]) - base <= k) ++row;
        else
            row = int64_t(row_indices[k]) - base;
        const int64_t column = int64_t(indices[k]) - base;
        places.put_at(first_places[column] + static_cast<OT>(atomicAdd(own + column, 1u)), row, k);
    }
}

// longest := the largest length of a column, if it is zero before.
template <class OT>
__global__ void __launch_bounds__(spmm_threads)
    find_longest_column(const OT* offsets, int64_t columns, unsigned long long* longest) {
    const int64_t step = int64_t{gridDim.x} * spmm_threads;
    unsigned long long own = 0;
    for (int64_t c = int64_t{blockIdx.x} * spmm_threads + threadIdx.x; c < columns; c += step) {
        const auto length = static_cast<unsigned long long>(offsets[c + 1] - offsets[c]);
        own = length > own ? length : own;
    }
    atomicMax(longest, own);
}

// Two stamps lie around what ANALYSE leaves in the workspace, which the caller may overwrite.
static __global__ void set_stamps(uint64_t* front, uint64_t* back, uint64_t stamp) { *front = *back = stamp; }

}  // namespace heron::HERON_LEVEL
