#pragma once
// Batches of small matrices: a group of threads computes a whole item, and a block has several groups.
#include "cuda/runtime/intrinsics.cuh"
#include "kernel.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// Items of up to N x N elements, of which a thread has TM x TN; Depth steps are loaded at a time.
template <class Element, int N, int Depth, int TM, int TN, int Threads>
struct items_tile {
    using CT = Element;
    static constexpr int lines = N, depth = Depth, rows = TM, columns = TN, threads = Threads;
    static constexpr int row_threads = N / TM, group = N / TM * (N / TN), items = Threads / group;
    static constexpr int wide = 16 / static_cast<int>(sizeof(CT));
    static_assert(TM % wide == 0 && TN % wide == 0 && Depth % wide == 0 && Threads % group == 0);
};

// An operand of an item in shared memory as it lies in memory: each of its lines (by_depth) or steps is a
// row. A thread has the lines line_of(0), line_of(1), ...
template <class Tile, int Count, bool by_depth>
struct item_panel {
    using CT = typename Tile::CT;
    static constexpr int wide = Tile::wide;
    static constexpr int length = (by_depth ? Tile::depth : Tile::lines) + wide;
    static constexpr int size = length * (by_depth ? Tile::lines : Tile::depth);

    // Zero beyond the operand's end.
    static __device__ void copy(CT* to, const CT* from, const operand& o, int lines, int depth, int thread) {
        const int rows = by_depth ? lines : depth, elements = by_depth ? depth : lines;
        const int64_t step = by_depth ? o.line_step : o.depth_step;
        const bool is_aligned =
            ((reinterpret_cast<uintptr_t>(from) | static_cast<uintptr_t>(step * sizeof(CT))) & 15) == 0;
        if (is_aligned)
            copy_rows<wide>(to, from, step, rows, elements, thread);
        else
            copy_rows<1>(to, from, step, rows, elements, thread);
    }

    // The thread's lines at `wide` steps from l.
    static __device__ void load(CT (&x)[wide][Count], const CT* panel, int place, int l) {
        constexpr int pieces = by_depth ? Count : Count / wide;
#pragma unroll
        for (int c = 0; c < pieces; ++c)
#pragma unroll
            for (int s = 0; s < (by_depth ? 1 : wide); ++s) {
                const int line = line_of(place, by_depth ? c : c * wide);
                struct alignas(16) {
                    CT values[wide];
                } many;
                *reinterpret_cast<int4*>(&many) = *reinterpret_cast<const int4*>(
                    panel + (by_depth ? line * length + l : (l + s) * length + line));
#pragma unroll
                for (int e = 0; e < wide; ++e) {
                    if constexpr (by_depth)
                        x[e][c] = many.values[e];
                    else
                        x[s][c * wide + e] = many.values[e];
                }
            }
    }

    static __device__ int line_of(int place, int n) {
        return (n / wide * (Tile::lines / Count) + place) * wide + n % wide;
    }

  private:
    template <int run>
    static __device__ void copy_rows(CT* to, const CT* from, int64_t step, int rows, int elements,
                                     int thread) {
        constexpr int per_row = (by_depth ? Tile::depth : Tile::lines) / run;
        constexpr int all = per_row * (by_depth ? Tile::lines : Tile::depth);
#pragma unroll
        for (int n = thread; n < all; n += Tile::group) {
            const int r = n / per_row, e = n % per_row * run;
            const int left = r < rows ? elements - e : 0;
            const int valid = left < 0 ? 0 : left < run ? left : run;
            copy_async_or_zero<run* static_cast<int>(sizeof(CT))>(to + r * length + e,
                                                                  valid > 0 ? from + r * step + e : from,
                                                                  valid * static_cast<int>(sizeof(CT)));
        }
    }
};

template <class Tile, bool a_by_depth, bool b_by_depth>
class item_product {
  public:
    using CT = typename Tile::CT;
    using a_panel = item_panel<Tile, Tile::rows, a_by_depth>;
    using b_panel = item_panel<Tile, Tile::columns, b_by_depth>;
    static constexpr int item_size = a_panel::size + b_panel::size;
    static constexpr int shared_bytes = item_size * Tile::items * static_cast<int>(sizeof(CT));

    __device__ item_product(const parameters<CT>& p, bool conjugates_b, CT* shared)
        : p_(p),
          conjugates_b_(conjugates_b),
          thread_(static_cast<int>(threadIdx.x) % Tile::group),
          item_(int64_t{blockIdx.x} * Tile::items + static_cast<int>(threadIdx.x) / Tile::group),
          shared_(shared + static_cast<int>(threadIdx.x) / Tile::group * item_size) {}

    __device__ void run() {
        const CT alpha = p_.alpha.get();
        if (p_.reads()) add_all();
        if (item_ < p_.count) store(alpha);
    }

  private:
    __device__ void add_all() {
        const bool is_there = item_ < p_.count;
        const CT* const a = is_there ? p_.a[0].at.template of<CT>(item_) : nullptr;
        const CT* const b = is_there ? p_.b[0].at.template of<CT>(item_) : nullptr;
        for (int64_t begin = 0; begin < p_.k; begin += Tile::depth) {
            const auto left = static_cast<int>(p_.k - begin < Tile::depth ? p_.k - begin : Tile::depth);
            if (begin > 0) __syncthreads();
            if (is_there) {
                a_panel::copy(shared_, a + begin * p_.a[0].depth_step, p_.a[0], static_cast<int>(p_.m), left,
                              thread_);
                b_panel::copy(shared_ + a_panel::size, b + begin * p_.b[0].depth_step, p_.b[0],
                              static_cast<int>(p_.n), left, thread_);
            }
            commit_copies();
            wait_for_copies<0>();
            __syncthreads();
            if (is_there) add(left);
        }
    }

    __device__ void add(int depth) {
#pragma unroll 2
        for (int l = 0; l < depth; l += Tile::wide) {
            CT x[Tile::wide][Tile::rows], y[Tile::wide][Tile::columns];
            a_panel::load(x, shared_, thread_ % Tile::row_threads, l);
            b_panel::load(y, shared_ + a_panel::size, thread_ / Tile::row_threads, l);
#pragma unroll
            for (int s = 0; s < Tile::wide; ++s)
#pragma unroll
                for (int j = 0; j < Tile::columns; ++j) {
                    const CT factor = conjugates_b_ ? conj(y[s][j]) : y[s][j];
#pragma unroll
                    for (int i = 0; i < Tile::rows; ++i) sums_[j][i] = mad(x[s][i], factor, sums_[j][i]);
                }
        }
    }

    __device__ void store(CT alpha) {
        constexpr int run = Tile::wide;
        const CT beta = p_.beta.get();
        CT* const c = const_cast<CT*>(p_.c.template of<CT>(item_));
        const bool is_aligned =
            ((reinterpret_cast<uintptr_t>(c) | static_cast<uintptr_t>(p_.ldc * sizeof(CT))) & 15) == 0;
#pragma unroll
        for (int j = 0; j < Tile::columns; ++j) {
            const int column = b_panel::line_of(thread_ / Tile::row_threads, j);
            if (column >= p_.n) continue;
#pragma unroll
            for (int i = 0; i < Tile::rows; i += run) {
                const int row = a_panel::line_of(thread_ % Tile::row_threads, i);
                CT* const to = c + row + column * p_.ldc;
                if (is_aligned && row + run <= p_.m) {
                    finish_run<run>(p_, to, &sums_[j][i], alpha, beta);
                } else {
#pragma unroll
                    for (int e = 0; e < run; ++e)
                        if (row + e < p_.m) finish(p_, to + e, sums_[j][i + e], alpha, beta, false);
                }
            }
        }
    }

    const parameters<CT>& p_;
    bool conjugates_b_;
    int thread_;
    int64_t item_;
    CT* shared_;
    CT sums_[Tile::columns][Tile::rows] = {};
};

template <class Tile, bool a_by_depth, bool b_by_depth>
__global__ void __launch_bounds__(Tile::threads)
    multiply_items(const __grid_constant__ parameters<typename Tile::CT> p, bool conjugates_b) {
    extern __shared__ __align__(16) unsigned char shared[];
    item_product<Tile, a_by_depth, b_by_depth>(p, conjugates_b, reinterpret_cast<typename Tile::CT*>(shared))
        .run();
}

}  // namespace heron::HERON_LEVEL::dense_cuda
