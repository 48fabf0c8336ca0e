#pragma once
// Batches of matrices that fit the threads of a block: blocks go from item to item, and the copies run ahead
// into the next item, so that memory stays busy while sums are formed and stored. A tile consists of units, a
// thread's or a warp's, as many as the item needs.
#include "cuda/runtime/intrinsics.cuh"
#include "kernel.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// Where the results of an item go.
template <class CT>
class item_output {
  public:
    __device__ item_output(const parameters<CT>& p, int64_t item)
        : p_(p),
          c_(const_cast<CT*>(p.c.template of<CT>(item))),
          alpha_(p.alpha.get()),
          beta_(p.beta.get()),
          is_aligned_(((reinterpret_cast<uintptr_t>(c_) | static_cast<uintptr_t>(p.ldc * sizeof(CT))) & 15) ==
                      0) {}

    // `run` neighbours of a column, of which some may be beyond C.
    template <int run>
    __device__ void store(int64_t row, int64_t column, const CT* sums) const {
        if (column >= p_.n) return;
        CT* const to = c_ + row + column * p_.ldc;
        if constexpr (run == 1) {
            if (row < p_.m) finish_run<run>(p_, to, sums, alpha_, beta_);
        } else if (is_aligned_ && row + run <= p_.m) {
            finish_run<run>(p_, to, sums, alpha_, beta_);
        } else {
#pragma unroll
            for (int e = 0; e < run; ++e)
                if (row + e < p_.m) finish(p_, to + e, sums[e], alpha_, beta_, false);
        }
    }

  private:
    const parameters<CT>& p_;
    CT* c_;
    CT alpha_, beta_;
    bool is_aligned_;
};

// How a launch divides items among threads.
struct stream_layout {
    int row_units, column_units;
    int group;  // threads of an item
    int items;  // that a block works on at a time
};

// Plain multiply-adds: a thread has TM x TN elements. Its rows are chunks of 16 bytes, and so are its columns
// unless steps are neighbours in shared memory: then lanes of neighbouring columns meet different banks.
template <class Element, int TM, int TN, int Depth, int Stages, int Threads, int Blocks>
struct stream_thread_tile {
    using CT = Element;
    static constexpr int rows = TM, columns = TN, depth = Depth, stages = Stages;
    static constexpr int threads = Threads, blocks = Blocks, unit = 1;
    static constexpr int wide = 16 / static_cast<int>(sizeof(CT));
    static constexpr int padding = 0, depth_padding = wide;
    static_assert(TM % wide == 0 && TN % wide == 0 && Depth % wide == 0);

    __device__ stream_thread_tile(const stream_layout& s, int thread)
        : row_(thread % s.row_units),
          column_(thread / s.row_units),
          row_units_(s.row_units),
          column_units_(s.column_units) {
        clear();
    }

    __device__ void clear() {
#pragma unroll
        for (int j = 0; j < TN; ++j)
#pragma unroll
            for (int i = 0; i < TM; ++i) sums_[j][i] = CT{};
    }

    template <bool a_by_depth, bool b_by_depth>
    __device__ void add(const CT* a, int a_length, const CT* b, int b_length, bool conjugates_b) {
#pragma unroll
        for (int l = 0; l < Depth; l += wide) {
            CT x[wide][TM], y[wide][TN];
#pragma unroll
            for (int s = 0; s < wide; ++s) {
                load<a_by_depth>(x, s, a, a_length, l, [&](int c) { return row_of(c); });
                load<b_by_depth>(y, s, b, b_length, l, [&](int c) { return column_of<b_by_depth>(c); });
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    add_column<TM>(sums_[j], x[s], conjugates_b ? conj(y[s][j]) : y[s][j]);
            }
        }
    }

    // f(row, column, sums) for runs of `run` neighbouring rows.
    static constexpr int run = wide;
    template <bool b_by_depth, class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int j = 0; j < TN; ++j)
#pragma unroll
            for (int i = 0; i < TM; i += wide) f(row_of(i), column_of<b_by_depth>(j), &sums_[j][i]);
    }

  private:
    __device__ int row_of(int c) const { return (c / wide * row_units_ + row_) * wide + c % wide; }
    template <bool by_depth>
    __device__ int column_of(int c) const {
        if (by_depth) return c * column_units_ + column_;
        return (c / wide * column_units_ + column_) * wide + c % wide;
    }

    // The lines of step l + s; where steps are neighbours, of all `wide` steps with the first.
    template <bool by_depth, int Count, class Line>
    static __device__ void load(CT (&x)[wide][Count], int s, const CT* panel, int length, int l,
                                Line&& line) {
        struct alignas(16) {
            CT values[wide];
        } many;
        if (by_depth && s > 0) return;
#pragma unroll
        for (int c = 0; c < Count; c += by_depth ? 1 : wide) {
            *reinterpret_cast<int4*>(&many) = *reinterpret_cast<const int4*>(
                panel + (by_depth ? line(c) * length + l : (l + s) * length + line(c)));
#pragma unroll
            for (int e = 0; e < wide; ++e) {
                if constexpr (by_depth)
                    x[e][c] = many.values[e];
                else
                    x[s][c + e] = many.values[e];
            }
        }
    }

    int row_, column_, row_units_, column_units_;
    CT sums_[TN][TM];
};

// Tensor Cores for double precision: a warp has WM x WN elements.
template <int WM, int WN, int Depth, int Stages, int Threads, int Blocks>
struct stream_tensor_tile {
    using CT = double;
    static constexpr int rows = WM, columns = WN, depth = Depth, stages = Stages;
    static constexpr int threads = Threads, blocks = Blocks, unit = 32;
    static constexpr int wide = 2;
    // The lanes that load together, 4 steps times 4 lines, meet different banks.
    static constexpr int padding = 4, depth_padding = 4;
    static_assert(WM % 16 == 0 && WN % 8 == 0 && Depth % 8 == 0);

    __device__ stream_tensor_tile(const stream_layout& s, int thread)
        : row_(thread / 32 % s.row_units * WM + thread % 32 / 4),
          column_(thread / 32 / s.row_units * WN),
          lane_(thread % 32) {
        clear();
    }

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] = 0;
    }

    template <bool a_by_depth, bool b_by_depth>
    __device__ void add(const CT* a, int a_length, const CT* b, int b_length, bool) {
        const auto at = [&](bool by_depth, int line, int step, int length) {
            return by_depth ? line * length + step : step * length + line;
        };
        a += at(a_by_depth, row_, lane_ % 4, a_length);
        b += at(b_by_depth, column_ + lane_ / 4, lane_ % 4, b_length);
#pragma unroll
        for (int l = 0; l < Depth; l += 4) {
            double y[WN / 8][1];
#pragma unroll
            for (int j = 0; j < WN / 8; ++j) y[j][0] = b[at(b_by_depth, 8 * j, l, b_length)];
#pragma unroll
            for (int i = 0; i < WM / 16; ++i) {
                double x[2];
#pragma unroll
                for (int e = 0; e < 2; ++e) x[e] = a[at(a_by_depth, 16 * i + 8 * e, l, a_length)];
#pragma unroll
                for (int j = 0; j < WN / 8; ++j) multiply_doubles<4>(sums_[i * (WN / 8) + j], x, y[j]);
            }
        }
    }

    static constexpr int run = 1;
    template <bool b_by_depth, class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int i = 0; i < WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    f(row_ + 16 * i + e / 2 * 8, column_ + 8 * j + 2 * (lane_ % 4) + e % 2,
                      &sums_[i * (WN / 8) + j][e]);
    }

  private:
    static constexpr int tiles = WM / 16 * (WN / 8);
    int row_, column_, lane_;
    double sums_[tiles][4];
};

// An operand's part of a step in shared memory as it lies in memory: each line (by_depth) or step is a row.
template <class Tile, bool by_depth>
class stream_panel {
  public:
    using CT = typename Tile::CT;

    __device__ stream_panel(int lines, int units, int unit_lines, int group, int thread)
        : length_(length_of(units * unit_lines)), lines_(lines) {
        const int chunks = chunks_of(lines);
        per_pass_ = group / chunks;
        element_ = thread % chunks * Tile::wide;
        first_ = thread / chunks < per_pass_ ? thread / chunks : INT32_MAX;
    }

    // What a row takes, and what all do.
    static __host__ __device__ int length_of(int padded_lines) {
        return by_depth ? Tile::depth + Tile::depth_padding : padded_lines + Tile::padding;
    }
    static __host__ __device__ int size_of(int padded_lines) {
        return length_of(padded_lines) * (by_depth ? padded_lines : Tile::depth);
    }
    // The chunks of 16 bytes of a row.
    static __host__ __device__ int chunks_of(int lines) {
        return by_depth ? Tile::depth / Tile::wide : (lines + Tile::wide - 1) / Tile::wide;
    }

    __device__ int length() const { return length_; }

    // The steps from `from` on, of which `depth` are there; zero beyond them. Lines beyond the operand's are
    // left as they are: nobody uses what they give.
    __device__ void copy(CT* to, const CT* from, int step, int depth) const {
        const int rows = by_depth ? lines_ : Tile::depth, whole = by_depth ? lines_ : depth;
        const int left = (by_depth ? depth : lines_) - element_;
        const int valid = left < 0 ? 0 : left < Tile::wide ? left : Tile::wide;
        const bool is_aligned = ((reinterpret_cast<uintptr_t>(from) | (step * sizeof(CT))) & 15) == 0;
        if (is_aligned)
            copy_rows<Tile::wide>(to, from, step, rows, whole, valid);
        else
            copy_rows<1>(to, from, step, rows, whole, valid);
    }

  private:
    template <int run>
    __device__ void copy_rows(CT* to, const CT* from, int step, int rows, int whole, int valid) const {
        constexpr int size = sizeof(CT);
#pragma unroll 1
        for (int r = first_; r < rows; r += per_pass_) {
            const CT* const row = from + (r * step + element_);
#pragma unroll
            for (int e = 0; e < Tile::wide; e += run) {
                const int there = r < whole ? valid - e : 0;
                const int count = there < 0 ? 0 : there < run ? there : run;
                copy_async_or_zero<run * size>(to + r * length_ + element_ + e, count > 0 ? row + e : from,
                                               count * size);
            }
        }
    }

    int length_, lines_, per_pass_, element_, first_;
};

template <class Tile, bool a_by_depth, bool b_by_depth>
class item_stream {
  public:
    using CT = typename Tile::CT;
    using a_panel = stream_panel<Tile, a_by_depth>;
    using b_panel = stream_panel<Tile, b_by_depth>;

    // Of a step of one item, in elements.
    static __host__ __device__ int step_size(const stream_layout& s) {
        return a_panel::size_of(s.row_units * Tile::rows) + b_panel::size_of(s.column_units * Tile::columns);
    }
    static __host__ int shared_bytes(const stream_layout& s) {
        return step_size(s) * Tile::stages * s.items * static_cast<int>(sizeof(CT));
    }

    __device__ item_stream(const parameters<CT>& p, const stream_layout& s, bool conjugates_b, CT* shared)
        : p_(p),
          conjugates_b_(conjugates_b),
          size_(step_size(s)),
          b_begin_(a_panel::size_of(s.row_units * Tile::rows)),
          apart_(static_cast<int>(gridDim.x) * s.items) {
        const int slot = static_cast<int>(threadIdx.x) / s.group;
        is_used_ = slot < s.items;
        shared_ = shared + slot * Tile::stages * size_;
        item_ = copied_ = static_cast<int>(blockIdx.x) * s.items + slot;
        end_ = static_cast<int>(p.count) + slot;  // the same number of turns for all of a block
    }

    __device__ void run(Tile& tile, const a_panel& a, const b_panel& b) {
        const bool reads = p_.reads();
        const auto steps = static_cast<int>(reads ? (p_.k + Tile::depth - 1) / Tile::depth : 0);
        for (int s = 0; reads && s < Tile::stages - 1; ++s) copy_next(a, b);
        for (; item_ < end_; item_ += apart_) {
            for (int s = 0; s < steps; ++s) {
                wait_for_copies<Tile::stages - 2>();
                // The step is here for all threads, and none still reads the one before, whose place is
                // filled again.
                __syncthreads();
                copy_next(a, b);
                const CT* const from = shared_ + stage_ * size_;
                if (is_used_)
                    tile.template add<a_by_depth, b_by_depth>(from, a.length(), from + b_begin_, b.length(),
                                                              conjugates_b_);
                stage_ = stage_ + 1 < Tile::stages ? stage_ + 1 : 0;
            }
            if (is_used_ && item_ < p_.count) store(tile);
            tile.clear();
        }
    }

  private:
    // The step after those that have been copied, of the next item after an item's last.
    __device__ void copy_next(const a_panel& a, const b_panel& b) {
        if (is_used_ && copied_ < p_.count) {
            if (depth_ == 0) {
                a_ = p_.a[0].at.template of<CT>(copied_);
                b_ = p_.b[0].at.template of<CT>(copied_);
            }
            const auto k = static_cast<int>(p_.k);
            const int left = k - depth_ < Tile::depth ? k - depth_ : Tile::depth;
            CT* const to = shared_ + free_ * size_;
            a.copy(to, a_, static_cast<int>(a_by_depth ? p_.a[0].line_step : p_.a[0].depth_step), left);
            b.copy(to + b_begin_, b_, static_cast<int>(b_by_depth ? p_.b[0].line_step : p_.b[0].depth_step),
                   left);
            a_ += Tile::depth * p_.a[0].depth_step;
            b_ += Tile::depth * p_.b[0].depth_step;
            depth_ += Tile::depth;
            if (depth_ >= k) {
                depth_ = 0;
                copied_ += apart_;
            }
        }
        free_ = free_ + 1 < Tile::stages ? free_ + 1 : 0;
        commit_copies();
    }

    __device__ void store(const Tile& tile) const {
        const item_output<CT> output(p_, item_);
        tile.template each<b_by_depth>([&](int row, int column, const CT* sums) {
            output.template store<Tile::run>(row, column, sums);
        });
    }

    const parameters<CT>& p_;
    bool conjugates_b_, is_used_;
    int size_, b_begin_;
    int apart_;
    CT* shared_;
    int item_, copied_, end_;
    int depth_ = 0;  // that has been copied of item copied_
    const CT *a_ = nullptr, *b_ = nullptr;
    int stage_ = 0, free_ = 0;
};

template <class Tile, bool a_by_depth, bool b_by_depth>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_stream(const __grid_constant__ parameters<typename Tile::CT> p,
                    const __grid_constant__ stream_layout s, bool conjugates_b) {
    extern __shared__ __align__(16) unsigned char shared[];
    using stream = item_stream<Tile, a_by_depth, b_by_depth>;
    const int thread = static_cast<int>(threadIdx.x) % s.group;
    Tile tile(s, thread);
    const typename stream::a_panel a(static_cast<int>(p.m), s.row_units, Tile::rows, s.group, thread);
    const typename stream::b_panel b(static_cast<int>(p.n), s.column_units, Tile::columns, s.group, thread);
    stream(p, s, conjugates_b, reinterpret_cast<typename Tile::CT*>(shared)).run(tile, a, b);
}

}  // namespace heron::HERON_LEVEL::dense_cuda
