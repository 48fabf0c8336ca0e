#pragma once
// How the threads of a block hold a tile of C and add to it from the tiles of A and B in shared memory.
// There, step l of the inner dimension is a row of `rows` or `columns` elements with a little padding.
#include "common/dialect/dialect.hpp"
#include <cuda_runtime.h>

namespace heron::HERON_LEVEL::dense_cuda {

// Every thread has TM x TN elements and adds with plain multiply-adds. Its rows are chunks of 16 bytes, as
// wide as a load, spread over the tile so that a warp reads neighbouring chunks.
template <class Element, int BM, int BN, int BK, int Stages, int TM, int TN>
struct thread_tile {
    using CT = Element;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages;
    static constexpr int threads = BM / TM * (BN / TN);
    static constexpr int blocks = 512 / threads;  // per multiprocessor: 128 registers per thread
    static constexpr int chunk = 16 / static_cast<int>(sizeof(CT));
    static constexpr int row_length = BM + chunk, column_length = BN + chunk;
    static_assert(TM % chunk == 0 && TN % chunk == 0);

    __device__ thread_tile()
        : row_(static_cast<int>(threadIdx.x) % (BM / TM)),
          column_(static_cast<int>(threadIdx.x) / (BM / TM)) {}

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < TM * TN; ++i) sums_[i] = CT{};
    }

    template <bool conjugates_b>
    __device__ void add(const CT* a, const CT* b) {
#pragma unroll
        for (int l = 0; l < BK; ++l) {
            fragment<TM> x;
            fragment<TN> y;
            load<TM, BM>(a + l * row_length, row_, x);
            load<TN, BN>(b + l * column_length, column_, y);
#pragma unroll
            for (int j = 0; j < TN; ++j)
#pragma unroll
                for (int i = 0; i < TM; ++i)
                    sums_[j * TM + i] =
                        mad(x.values[i], conjugates_b ? conj(y.values[j]) : y.values[j], sums_[j * TM + i]);
        }
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < TM * TN; ++i) sums_[i] = mul(factor, sums_[i]);
    }

    // f(row, column, sum) for the thread's elements.
    template <class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int j = 0; j < TN; ++j)
#pragma unroll
            for (int i = 0; i < TM; ++i)
                f(place<TM, BM>(row_, i), place<TN, BN>(column_, j), sums_[j * TM + i]);
    }

  private:
    template <int N>
    struct alignas(16) fragment {
        CT values[N];
    };

    template <int N, int Length>
    static __device__ int place(int thread, int element) {
        return element / chunk * (Length * chunk / N) + thread * chunk + element % chunk;
    }

    template <int N, int Length>
    static __device__ void load(const CT* line, int thread, fragment<N>& f) {
#pragma unroll
        for (int c = 0; c < N / chunk; ++c)
            reinterpret_cast<int4*>(f.values)[c] =
                *reinterpret_cast<const int4*>(line + place<N, Length>(thread, c * chunk));
    }

    int row_, column_;
    CT sums_[TM * TN];
};

// sums += x*y. With complex elements the products with the real part of y come first: what is added to the
// same number is far apart, and y stays where the multiplier has it.
template <int Count, class CT>
static __device__ inline void add_column(CT* sums, const CT* x, CT y) {
    if constexpr (std::is_same_v<CT, c32>) {
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            sums[i].re = fmaf(x[i].re, y.re, sums[i].re);
            sums[i].im = fmaf(x[i].im, y.re, sums[i].im);
        }
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            sums[i].re = fmaf(-x[i].im, y.im, sums[i].re);
            sums[i].im = fmaf(x[i].re, y.im, sums[i].im);
        }
    } else {
#pragma unroll
        for (int i = 0; i < Count; ++i) sums[i] = fmaf(x[i], y, sums[i]);
    }
}

// d += a*b for 16 x 8 x Depth doubles of a warp. Lane 4*g + t holds a(g + 8*(i%2), t + 4*(i/2)), b(t + 4*i,
// g) and d(g + 8*(i/2), 2*t + i%2). From compute capability 9.0 on the larger shapes are twice as fast.
template <int Depth>
static __device__ inline void multiply_doubles(double (&d)[4], const double (&a)[Depth / 2],
                                               const double (&b)[Depth / 4]) {
#if __CUDA_ARCH__ >= 900
    if constexpr (Depth == 4)
        asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, "
            "%3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    else if constexpr (Depth == 8)
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, "
            "%10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
              "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
#pragma unroll
    for (int step = 0; step < Depth / 4; ++step)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                : "d"(a[2 * step + half]), "d"(b[step]));
#endif
}

// Where a thread is in a block's tile whose warps have WM x WN elements each: lane 4*g + t of a warp loads
// from line g and step t.
template <int BM, int WM, int WN>
struct warp_place {
    int row = static_cast<int>(threadIdx.x) / 32 % (BM / WM) * WM + static_cast<int>(threadIdx.x) % 32 / 4;
    int column = static_cast<int>(threadIdx.x) / 32 / (BM / WM) * WN;  // of the warp; row is of the lane
    int group = static_cast<int>(threadIdx.x) % 32 / 4;
    int step = static_cast<int>(threadIdx.x) % 4;
};

// Every warp has WM x WN complex elements and adds on the Tensor Cores for double precision. A complex
// product is four real ones.
template <int BM, int BN, int BK, int Stages, int WM, int WN>
struct warp_tile {
    using CT = c64;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages;
    static constexpr int threads = BM / WM * (BN / WN) * 32;
    static constexpr int blocks = 1;  // per multiprocessor: the sums need the registers
    // With this padding the lanes that load together, 4 steps times 2 lines, meet different banks.
    static constexpr int padding = 2;
    static constexpr int row_length = BM + padding, column_length = BN + padding;
    static_assert(WM % 16 == 0 && WN % 8 == 0 && BK % 8 == 0);

    __device__ void clear() {
#pragma unroll
        for (int p = 0; p < 2; ++p)
#pragma unroll
            for (int i = 0; i < tiles; ++i)
#pragma unroll
                for (int e = 0; e < 4; ++e) sums_[p][i][e] = 0;
    }

    template <bool conjugates_b>
    __device__ void add(const CT* a, const CT* b) {
#pragma unroll
        for (int l = 0; l < BK; l += 8) {
            double y[2][WN / 8][2];
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    split<conjugates_b>(
                        b[(l + at_.step + 4 * e) * column_length + at_.column + 8 * j + at_.group], y, j, e);
#pragma unroll
            for (int i = 0; i < WM / 16; ++i) {
                double x[2][1][4];
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    split<false>(a[(l + at_.step + e / 2 * 4) * row_length + at_.row + 16 * i + e % 2 * 8], x,
                                 0, e);
#pragma unroll
                for (int j = 0; j < WN / 8; ++j) add_tile(i * (WN / 8) + j, x, y, j);
            }
        }
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) set(i, e, mul(factor, get(i, e)));
    }

    template <class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    f(at_.row + 16 * i + e / 2 * 8, at_.column + 8 * j + 2 * at_.step + e % 2,
                      get(i * (WN / 8) + j, e));
    }

  private:
    static constexpr int tiles = WM / 16 * (WN / 8);

    template <bool conjugates, int N, int E>
    static __device__ void split(CT value, double (&to)[2][N][E], int n, int e) {
        to[0][n][e] = value.re;
        to[1][n][e] = conjugates ? -value.im : value.im;
    }

    __device__ void add_tile(int tile, const double (&x)[2][1][4], const double (&y)[2][WN / 8][2], int j) {
        multiply_doubles<8>(sums_[0][tile], x[0][0], y[0][j]);
        const double minus[4] = {-x[1][0][0], -x[1][0][1], -x[1][0][2], -x[1][0][3]};
        multiply_doubles<8>(sums_[0][tile], minus, y[1][j]);
        multiply_doubles<8>(sums_[1][tile], x[0][0], y[1][j]);
        multiply_doubles<8>(sums_[1][tile], x[1][0], y[0][j]);
    }

    __device__ CT get(int tile, int e) const { return {sums_[0][tile][e], sums_[1][tile][e]}; }
    __device__ void set(int tile, int e, CT value) {
        sums_[0][tile][e] = value.re;
        sums_[1][tile][e] = value.im;
    }

    warp_place<BM, WM, WN> at_;
    double sums_[2][tiles][4];
};

}  // namespace heron::HERON_LEVEL::dense_cuda
