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

    __device__ void put(int64_t column, int64_t row, int64_t k) const {
        const auto left = static_cast<int64_t>(atomicAdd(counts + column, ~0ull));
        const int64_t to = int64_t(offsets[column]) + left - 1;
        rows[to] = static_cast<IT>(row);
        positions[to] = static_cast<OT>(k);
    }
};

template <class OT, class IT>
__global__ void __launch_bounds__(spmm_threads)
    sort_columns(const OT* offsets, const IT* indices, int64_t rows, int64_t nnz, int64_t base,
                 int per_thread, const places_by_column<OT, IT> places) {
    const int64_t step = int64_t(gridDim.x) * spmm_threads * per_thread;
    const int64_t thread = int64_t(blockIdx.x) * spmm_threads + threadIdx.x;
    for (int64_t first = thread * per_thread; first < nnz; first += step) {
        int64_t row = 0;
        int64_t high = rows - 1;
        while (row < high) {
            const int64_t middle = row + (high - row + 1) / 2;
            if (int64_t(offsets[middle]) - base <= first)
                row = middle;
            else
                high = middle - 1;
        }
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

// Two stamps lie around what ANALYSE leaves in the workspace, which the caller may overwrite.
static __global__ void set_stamps(uint64_t* front, uint64_t* back, uint64_t stamp) { *front = *back = stamp; }

}  // namespace heron::HERON_LEVEL
