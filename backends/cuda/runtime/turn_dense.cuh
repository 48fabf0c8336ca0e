#pragma once
// A dense matrix of any layout brought into rows of whole vectors of 16 bytes, for kernels that read them so.
#include "early_launch.cuh"
#include "warp.cuh"

namespace heron::HERON_LEVEL {

template <class T>
struct alignas(16) vector_of {
    static constexpr int size = 16 / int(sizeof(T));
    T at[size];
};

constexpr int turn_threads = 256;

// Rows that a block turns for 32 columns: every thread has as many loads under way as make 64 bytes.
template <class VA>
constexpr int turned_rows = 512 / int(sizeof(VA)) < 128 ? 512 / int(sizeof(VA)) : 128;
constexpr int turned_columns = 32;

// to[i*to_ld + j] := from(i, j) for 0 <= j < to_ld, zero behind the last column. Both sides are touched in
// whole lines, with shared memory between them.
template <class VA>
struct dense_turn {
    const VA* from;
    int64_t rows, columns, row_step, column_step, stride;
    VA* to;  // NULL where there is nothing to do
    int64_t to_ld, batches;

    __host__ __device__ int64_t down() const { return (rows + turned_rows<VA> - 1) / turned_rows<VA>; }
    __host__ __device__ int64_t across() const { return (to_ld + turned_columns - 1) / turned_columns; }
    __host__ __device__ int64_t tiles() const { return to ? down() * across() * batches : 0; }
};

// Tile number s, by a block.
template <class VA>
static __device__ inline void turn_tile(const dense_turn<VA>& t, int64_t s) {
    constexpr int height = turned_rows<VA>;
    constexpr int loads = height * turned_columns / turn_threads;
    constexpr int vectors = turned_columns / vector_of<VA>::size;
    __shared__ VA tile[height][turned_columns + 1];
    // Neighbouring threads read neighbouring elements; a thread's next element is `step` behind the last one.
    const bool by_columns = t.row_step == 1;
    const int thread = static_cast<int>(threadIdx.x);
    const int i0 = by_columns ? thread % height : thread / turned_columns;
    const int j0 = by_columns ? thread / height : thread % turned_columns;
    const int i_step = by_columns ? 0 : turn_threads / turned_columns;
    const int j_step = by_columns ? turn_threads / height : 0;
    const int64_t step = i_step * t.row_step + j_step * t.column_step;
    const int64_t first_row = s % t.down() * height;
    const int64_t first_column = s / t.down() % t.across() * turned_columns;
    const int64_t batch = s / t.down() / t.across();
    const int64_t rows_left = t.rows - first_row;
    const int64_t columns_left = t.columns - first_column;
    const VA* from =
        t.from + batch * t.stride + (first_row + i0) * t.row_step + (first_column + j0) * t.column_step;
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
    for (int e = threadIdx.x; e < height * vectors; e += turn_threads) {
        const int i = e / vectors;
        const int j = e % vectors * vector_of<VA>::size;
        if (first_row + i >= t.rows || first_column + j >= t.to_ld) continue;
        vector_of<VA> out;
#pragma unroll
        for (int v = 0; v < vector_of<VA>::size; ++v) out.at[v] = tile[i][j + v];
        *reinterpret_cast<vector_of<VA>*>(t.to + (batch * t.rows + first_row + i) * t.to_ld + first_column +
                                          j) = out;
    }
    __syncthreads();
}

template <class VA>
__global__ void __launch_bounds__(turn_threads, 4)
    turn_dense(const VA* b, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step,
               int64_t stride, VA* to, int64_t to_ld, int64_t batches) {
    begin_behind_kernel_before();
    const dense_turn<VA> turn{b, rows, columns, row_step, column_step, stride, to, to_ld, batches};
    for (int64_t s = blockIdx.x; s < turn.tiles(); s += gridDim.x) turn_tile(turn, s);
}

// Both at once.
template <class VA>
__global__ void __launch_bounds__(turn_threads, 4)
    turn_two(const __grid_constant__ dense_turn<VA> one, const __grid_constant__ dense_turn<VA> other) {
    begin_behind_kernel_before();
    const int64_t tiles_of_one = one.tiles();
    for (int64_t s = blockIdx.x; s < tiles_of_one + other.tiles(); s += gridDim.x) {
        const bool is_of_one = s < tiles_of_one;
        turn_tile(is_of_one ? one : other, is_of_one ? s : s - tiles_of_one);
    }
}

// Blocks of turn_dense for `rows` rows in all.
template <class VA>
int64_t turned_tiles(int64_t rows, int64_t to_ld) {
    return (rows + turned_rows<VA> - 1) / turned_rows<VA> * ((to_ld + turned_columns - 1) / turned_columns);
}

}  // namespace heron::HERON_LEVEL
