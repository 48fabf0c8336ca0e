#pragma once
// Three modes of 8 in double precision on the matrix units: mma m8n8k4. A lane l with t = l % 4 holds a
// factor's elements (l/4, 2t) and (l/4, 2t + 1), the order of the sum being free, and likewise two neighbours
// of 8 x 8 data. The product comes out transposed: what was summed over is in lanes, and what was in lanes
// can be summed over next. So two modes need no exchange.
#include "operands.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// Places in shared memory without bank conflicts: of a cube's elements, of those of cubes of runs, and of
// factors.
__host__ __device__ constexpr int tensor_cube_place(int element) { return element + element / 64 * 2; }
__host__ __device__ constexpr int tensor_runs_place(int element) {
    return element ^ (((element / 16) ^ (element / 1024 & 3)) & 7) * 2;
}
__host__ __device__ constexpr int tensor_factor_place(int element) { return element + element / 16 * 4; }

struct factor_fragment {
    f64 a[2];
};

struct alignas(16) f64_pair {
    f64 a[2];
};

// d := a*b + d
static __device__ inline void multiply_add_8x8x4(f64 (&d)[2], f64 a, f64 b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a), "d"(b));
}

static __device__ inline factor_fragment read_fragment(const f64* factor, int lane) {
    const f64* const from = factor + tensor_factor_place(lane % 4 * 16 + lane / 4);
    return {{from[0], from[8]}};
}

// to[i][q] := sum over j of factor[i][j]*data[q][j], with q = lane/4 in data and i = lane/4 in the result.
static __device__ inline void multiply_fragment(const factor_fragment& factor, const f64 (&data)[2],
                                                f64 (&to)[2]) {
    to[0] = to[1] = 0;
    multiply_add_8x8x4(to, factor.a[0], data[0]);
    multiply_add_8x8x4(to, factor.a[1], data[1]);
}

// The two modes of eight squares of 64 neighbours, by a warp.
template <class Put>
static __device__ inline void tensor_squares(const f64* tile, const f64* factors, int lane, Put&& put) {
    const factor_fragment first = read_fragment(factors, lane);
    const factor_fragment last = read_fragment(factors + tensor_factor_place(64), lane);
#pragma unroll
    for (int r = 0; r < 8; ++r) {
        const f64_pair x = *reinterpret_cast<const f64_pair*>(tile + tensor_cube_place(r * 64) + lane * 2);
        f64 turned[2], result[2];
        multiply_fragment(last, x.a, turned);
        multiply_fragment(first, turned, result);
        put(result, r * 64 + lane * 2);
    }
}

// A tile of 512 neighbours, by a warp.
template <class Put>
static __device__ inline void tensor_cube(f64* tile, const f64* factors, int lane, Put&& put) {
    const factor_fragment first = read_fragment(factors, lane);
    tensor_squares(tile, factors + tensor_factor_place(64), lane, [&](const f64(&v)[2], int element) {
        *reinterpret_cast<f64_pair*>(tile + tensor_cube_place(element)) = {{v[0], v[1]}};
    });
    __syncwarp();
    const f64* const column = tile + tensor_cube_place(lane % 4 * 128) + lane / 4;
#pragma unroll
    for (int m = 0; m < 64; m += 8) {
        const f64 x[2] = {column[m], column[tensor_cube_place(64) + m]};
        f64 result[2];
        multiply_fragment(first, x, result);
        // The products have waited for all lanes' reads; this says so.
        __syncwarp();
        put(result, lane / 4 * 64 + m + lane % 4 * 2);
    }
}

// A tile of 512 runs of 8, by a block.
template <class Put>
static __device__ inline void tensor_runs(f64* tile, const f64* factors, int thread, int threads, Put&& put) {
    const int lane = thread % 32;
    const int row = lane / 4;
    const int pair = lane % 4 * 2;
    const factor_fragment first = read_fragment(factors, lane);
    const factor_fragment middle = read_fragment(factors + tensor_factor_place(64), lane);
    const factor_fragment last = read_fragment(factors + tensor_factor_place(128), lane);
    for (int unit = thread / 32; unit < 32; unit += threads / 32) {
        const int begin = unit / 4 * 512 + row * 64 + pair * 8 + unit % 4 * 2;
        f64_pair* const places[2] = {reinterpret_cast<f64_pair*>(tile + tensor_runs_place(begin)),
                                     reinterpret_cast<f64_pair*>(tile + tensor_runs_place(begin + 8))};
        const f64_pair x[2] = {*places[0], *places[1]};
        f64 results[2][2];
#pragma unroll
        for (int w = 0; w < 2; ++w) {
            const f64 data[2] = {x[0].a[w], x[1].a[w]};
            f64 turned[2];
            multiply_fragment(last, data, turned);
            multiply_fragment(middle, turned, results[w]);
        }
        *places[0] = {{results[0][0], results[1][0]}};
        *places[1] = {{results[0][1], results[1][1]}};
    }
    __syncthreads();
    for (int unit = thread / 32; unit < 32; unit += threads / 32) {
        const int begin = pair * 512 + unit * 16 + row % 2 * 8 + row / 2 * 2;
        const f64_pair x[2] = {*reinterpret_cast<const f64_pair*>(tile + tensor_runs_place(begin)),
                               *reinterpret_cast<const f64_pair*>(tile + tensor_runs_place(begin + 512))};
        f64 results[2][2];
#pragma unroll
        for (int w = 0; w < 2; ++w) {
            const f64 data[2] = {x[0].a[w], x[1].a[w]};
            multiply_fragment(first, data, results[w]);
        }
        // The products have waited for all lanes' reads; this says so.
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const f64 values[2] = {results[0][r], results[1][r]};
            put(values, row * 512 + unit * 16 + r * 8 + pair);
        }
    }
}

// Factors 16 x 16. Stretches of four elements take turns within 128 bytes, by their row and their plane.
__host__ __device__ constexpr int tensor_turn(int row) { return (row / 2 & 1) + ((row ^ row / 4) & 1) * 2; }
__host__ __device__ constexpr int tensor_planes_place(int element) {
    return element ^ (tensor_turn(element / 16) ^ tensor_turn(element / 256)) * 4;
}
__host__ __device__ constexpr int tensor_wide_factor_place(int element) { return element + element / 16 * 2; }

// Blocks of eight rows; of a row the columns 2t, 2t + 1, 2t + 8 and 2t + 9.
struct wide_fragment {
    f64 a[2][4];
};

static __device__ inline wide_fragment read_wide_fragment(const f64* factors, int number, int lane) {
    wide_fragment f;
#pragma unroll
    for (int block = 0; block < 2; ++block)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int column = lane % 4 * 2 + k / 2 * 8 + k % 2;
            f.a[block][k] =
                factors[tensor_wide_factor_place(number * 256 + column * 16 + block * 8 + lane / 4)];
        }
    return f;
}

// to[b][i][q] := sum over j of factor[8b + i][j]*data[q][j]
static __device__ inline void multiply_wide_fragment(const wide_fragment& factor, const f64 (&data)[2][2],
                                                     f64 (&to)[2][2]) {
#pragma unroll
    for (int block = 0; block < 2; ++block) {
        to[block][0] = to[block][1] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) multiply_add_8x8x4(to[block], factor.a[block][k], data[k / 2][k % 2]);
    }
}

// The last two modes of `planes` x 16 x 16 neighbours, a plane by a warp at a time.
template <class Put>
static __device__ inline void tensor_planes(const f64* tile, const f64* factors, int planes, int thread,
                                            int threads, Put&& put) {
    const int lane = thread % 32;
    const int modes = planes > 1 ? 3 : 2;
    const wide_fragment middle = read_wide_fragment(factors, modes - 2, lane);
    const wide_fragment last = read_wide_fragment(factors, modes - 1, lane);
    for (int plane = thread / 32; plane < planes; plane += threads / 32) {
        const int corner = plane * 256 + lane / 4 * 16 + lane % 4 * 2;
        f64 turned[2][2][2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            f64 x[2][2], result[2][2];
#pragma unroll
            for (int c = 0; c < 2; ++c) {
                const f64_pair pair =
                    *reinterpret_cast<const f64_pair*>(tile + tensor_planes_place(corner + r * 128 + c * 8));
                x[c][0] = pair.a[0];
                x[c][1] = pair.a[1];
            }
            multiply_wide_fragment(last, x, result);
#pragma unroll
            for (int c = 0; c < 2; ++c) {
                turned[c][r][0] = result[c][0];
                turned[c][r][1] = result[c][1];
            }
        }
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            f64 result[2][2];
            multiply_wide_fragment(middle, turned[c], result);
#pragma unroll
            for (int r = 0; r < 2; ++r) put(result[r], corner + r * 128 + c * 8);
        }
    }
}

// The first mode of 16 planes.
template <class Put>
static __device__ inline void tensor_across_planes(const f64* tile, const f64* factors, int thread,
                                                   int threads, Put&& put) {
    const int lane = thread % 32;
    const wide_fragment first = read_wide_fragment(factors, 0, lane);
    for (int unit = thread / 32; unit < 32; unit += threads / 32) {
        f64 x[2][2], result[2][2];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            x[k / 2][k % 2] =
                tile[tensor_planes_place((lane % 4 * 2 + k / 2 * 8 + k % 2) * 256 + unit * 8 + lane / 4)];
        multiply_wide_fragment(first, x, result);
#pragma unroll
        for (int block = 0; block < 2; ++block)
            put(result[block], (block * 8 + lane / 4) * 256 + unit * 8 + lane % 4 * 2);
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
