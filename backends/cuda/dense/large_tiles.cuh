#pragma once
// How the threads of a block hold a large tile of C and add to it. What a step of the inner dimension needs
// is loaded into registers one step ahead. A step is multiplied in `groups`, each of which has `slots` where
// copies of a later step may begin; they do in copy_parts of these, and of products of many tiles by one
// block in stream_parts: few where memory is what is waited for. takes_depths: not where both operands come
// by depth, in panels that would leave room for fewer blocks. mirrors: also operands of which a triangle is
// stored; mirrors_only: nothing else.
#include "tiles.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// Rows and columns of C.
struct extent {
    int rows, columns;
};

// A block's tile, whose panels have `depth` steps of the inner dimension, `stages` panels under way at a
// time; what of it a thread has or, on Tensor Cores, a warp; blocks of a multiprocessor; slices of a step,
// each for threads of their own, or on Tensor Cores steps that are loaded at a time.
struct tile_shape {
    extent tile;
    int depth, stages;
    extent part;
    int blocks;
    int slices = 1, steps = 4;
};

// Which factors are conjugated while they are multiplied: known beforehand, or different from side to side of
// a diagonal.
template <bool second>
struct constant_conjugation {
    static constexpr bool a = false, b = second;
};
struct conjugation_of_steps {
    bool a, b;
};

// Plain multiply-adds. A warp has 8*TM x 4*TN elements: its lanes are 8 rows of 4 columns, interleaved such
// that either neighbours or every second lane load the same 16 bytes, which shared memory serves half a warp
// at a time. With several slices the threads of each add a part of every step.
template <class Element, int BM, int BN, int BK, int Stages, int TM, int TN, int Blocks, int Slices = 1>
struct large_thread_tile {
    using CT = Element;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages, slices = Slices;
    static constexpr int slice_threads = BM / TM * (BN / TN);
    static constexpr int threads = slice_threads * Slices, blocks = Blocks;
    static constexpr int padding = 16 / static_cast<int>(sizeof(CT));
    static constexpr int chunk = TM % padding == 0 && TN % padding == 0 ? padding : 1, run = chunk;
    static constexpr bool keeps_depth = false, takes_depths = true, mirrors = false, mirrors_only = false;
    static constexpr int groups = BK / Slices;  // what is loaded at a time
    // A step's copies begin in two places: each costs as much as three multiply-adds besides the copies. That
    // is little beside 64 complex ones.
    static constexpr bool has_long_groups = !std::is_same_v<CT, real_of<CT>> && TM * TN >= 64;
    static constexpr int slots = 1, copy_parts = has_long_groups ? groups - 1 : 2, stream_parts = copy_parts;
    using number = CT;
    static constexpr int sum_count = TM * TN, share = chunk;  // sums of a thread, and how many stay together
    static_assert(BM % (8 * TM) == 0 && BN % (4 * TN) == 0);
    static_assert(groups % 2 == 0);

    template <class A, class B>
    struct fragments {
        alignas(16) CT x[2][TM], y[2][TN];
    };

    __device__ large_thread_tile() {
        const int thread = static_cast<int>(threadIdx.x) % slice_threads;
        const int lane = thread % 32, warp = thread / 32;
        slice_ = static_cast<int>(threadIdx.x) / slice_threads;
        row_ = warp % (BM / (8 * TM)) * (8 * TM) + ((lane & 1) | (lane >> 1 & 6)) * chunk;
        column_ = warp / (BM / (8 * TM)) * (4 * TN) + ((lane >> 1 & 1) | (lane >> 3 & 2)) * chunk;
    }

    __device__ int slice() const { return slice_; }
    __device__ number* sums() { return sums_; }
    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < TM * TN; ++i) sums_[i] = CT{};
    }

    template <class A, class B>
    __device__ void load_first(fragments<A, B>& f, const CT* a, const CT* b) const {
        load(f, 0, a, b, 0);
    }

    // Adds what is loaded, and loads what comes next.
    template <class A, class B, class Work, class Conjugation, class Between>
    __device__ void add(fragments<A, B>& f, int now, const CT* a, const CT* b, int next, const Work& work,
                        const Conjugation& conjugates, Between&& between) {
        if (work.loads) load(f, 1 - now, a, b, next);
        between(0);
        if (!work.multiplies) return;
#pragma unroll
        for (int j = 0; j < TN; ++j)
            add_column<TM>(sums_ + j * TM, f.x[now], conjugates.b ? conj(f.y[now][j]) : f.y[now][j]);
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < TM * TN; ++i) sums_[i] = mul(factor, sums_[i]);
    }

    // Adds the other slices' sums to those of the first, in their order.
    __device__ void join_slices(CT* shared) {
        const int thread = static_cast<int>(threadIdx.x) % slice_threads;
#pragma unroll 1
        for (int s = 1; s < Slices; ++s) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TM * TN; ++i)
                if (slice_ == s) shared[i * slice_threads + thread] = sums_[i];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TM * TN; ++i)
                if (slice_ == 0) sums_[i] = add_up(sums_[i], shared[i * slice_threads + thread]);
        }
    }

    // f(row, column, sums, share) for runs of neighbouring rows.
    template <class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int j = 0; j < TN; ++j)
#pragma unroll
            for (int i = 0; i < TM; i += chunk)
                f(row_ + 8 * i, column_ + j / chunk * chunk * 4 + j % chunk, sums_ + (j * TM + i),
                  (j * TM + i) / share);
    }

  private:
    template <class A, class B>
    __device__ void load(fragments<A, B>& f, int to, const CT* a, const CT* b, int group) const {
        load_line<A, 8>(f.x[to], a + slice_ * groups * A::length + row_, group);
        load_line<B, 4>(f.y[to], b + slice_ * groups * B::length + column_, group);
    }

    struct alignas(chunk * sizeof(CT)) many {
        CT values[chunk];
    };

    // Every Lanes-th chunk of step l.
    template <class Panel, int Lanes, int N>
    static __device__ void load_line(CT (&to)[N], const CT* from, int l) {
#pragma unroll
        for (int c = 0; c < N; c += chunk)
            *reinterpret_cast<many*>(to + c) =
                *reinterpret_cast<const many*>(from + l * Panel::length + Lanes * c);
    }

    static __device__ CT add_up(CT a, CT b) { return heron::HERON_LEVEL::add(a, b); }

    int row_, column_, slice_;
    alignas(16) CT sums_[TM * TN];
};

// -x without the double precision pipeline, which the Tensor Cores' work keeps busy.
static __device__ inline double negated(double x) {
    return __hiloint2double(__double2hiint(x) ^ static_cast<int>(0x80000000u), __double2loint(x));
}

// What tiles of real elements on Tensor Cores have in common: every warp has WM x WN elements in parts of 16
// x 8; Steps steps are loaded at a time. How they are multiplied is the derived tile's.
template <class Element, int BM, int BN, int BK, int Stages, int WM, int WN, int Blocks, int Steps,
          int Padding>
struct tensor_tile {
    using CT = Element;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages, slices = 1;
    static constexpr int threads = BM / WM * (BN / WN) * 32, blocks = Blocks, run = 1;
    static constexpr int padding = Padding, depth_padding = 4;
    static constexpr bool keeps_depth = true, takes_depths = true, mirrors = false, mirrors_only = false;
    static constexpr int groups = BK / Steps, slots = 1;
    static constexpr int copy_parts = Blocks < 3 ? groups : groups - 1, stream_parts = copy_parts;
    using number = CT;
    static constexpr int sum_count = WM * WN / 32, share = 4;
    static_assert(WM % 16 == 0 && WN % 8 == 0 && groups % 2 == 0);

    template <class A, class B>
    struct fragments {
        CT x[WM / 16][Steps / 2], y[2][WN / 8][Steps / 4];
    };

    __device__ int slice() const { return 0; }
    __device__ number* sums() { return &sums_[0][0]; }
    __device__ void join_slices(CT*) {}
    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] = 0;
    }

    template <class A, class B>
    __device__ void load_first(fragments<A, B>& f, const CT* a, const CT* b) const {
        load_columns<B>(f.y[0], b, 0);
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) load_rows<A>(f.x[i], a, i, 0);
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] *= factor;
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
                      &sums_[i * (WN / 8) + j][e], i * (WN / 8) + j);
    }

  protected:
    static constexpr int tiles = WM / 16 * (WN / 8);

    template <class A>
    __device__ void load_rows(CT (&x)[Steps / 2], const CT* a, int i, int group) const {
        a += at_.row * A::line_step + (group * Steps + at_.step) * A::depth_step;
#pragma unroll
        for (int e = 0; e < Steps / 2; ++e)
            x[e] = a[(16 * i + e % 2 * 8) * A::line_step + e / 2 * 4 * A::depth_step];
    }
    template <class B>
    __device__ void load_columns(CT (&y)[WN / 8][Steps / 4], const CT* b, int group) const {
        b += (at_.column + at_.group) * B::line_step + (group * Steps + at_.step) * B::depth_step;
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
#pragma unroll
            for (int e = 0; e < Steps / 4; ++e) y[j][e] = b[8 * j * B::line_step + 4 * e * B::depth_step];
    }

    warp_place<BM, WM, WN> at_;
    CT sums_[tiles][4];
};

// Tensor Cores for double precision. With a padding of 4 the lanes that load together, 4 steps times 4 lines,
// meet different banks.
template <int BM, int BN, int BK, int Stages, int WM, int WN, int Blocks>
struct large_real_tile : tensor_tile<double, BM, BN, BK, Stages, WM, WN, Blocks, 4, 4> {
    using CT = double;
    static constexpr bool mirrors = true;
    template <class A, class B>
    using fragments = typename large_real_tile::tensor_tile::template fragments<A, B>;

    // Adds what is loaded, and loads what comes next: rows as soon as they have been used.
    template <class A, class B, class Work, class Conjugation, class Between>
    __device__ void add(fragments<A, B>& f, int now, const CT* a, const CT* b, int next, const Work& work,
                        const Conjugation&, Between&& between) {
        if (work.loads) this->template load_columns<B>(f.y[1 - now], b, next);
        between(0);
#pragma unroll
        for (int i = 0; i < WM / 16; ++i) {
#pragma unroll 1
            for (int time = 0; time < work.multiplies; ++time)
#pragma unroll
                for (int j = 0; j < WN / 8; ++j)
                    multiply_doubles<4>(this->sums_[i * (WN / 8) + j], f.x[i], f.y[now][j]);
            if (work.loads) this->template load_rows<A>(f.x[i], a, i, next);
        }
    }
};

// Double precision with complex elements. On Tensor Cores a complex step is two: the sixteen rows that are
// multiplied are the real and the imaginary parts of eight, (re, -im) and (im, re), by b's (re, im), which
// lie in a lane's registers as they are loaded. Steps steps are loaded and multiplied at a time.
template <int BM, int BN, int BK, int Stages, int WM, int WN, int Blocks, int Steps>
struct large_complex_tile {
    using CT = c64;
    static constexpr int rows = BM, columns = BN, depth = BK, stages = Stages, slices = 1;
    static constexpr int threads = BM / WM * (BN / WN) * 32, blocks = Blocks, run = 1;
    static constexpr int padding = 2, depth_padding = 4;
    // A mirrored operand needs more registers than others.
    static constexpr bool keeps_depth = true, takes_depths = true;
    static constexpr bool mirrors = threads * blocks < 512, mirrors_only = false;
    static constexpr int groups = BK / Steps, slots = WM / 8 * (WN / 8);
    static constexpr int copy_parts = Blocks < 3 ? groups * slots : 1, stream_parts = 1;
    using number = double;
    static constexpr int sum_count = WM * WN / 16, share = 4;
    static_assert(WM % 8 == 0 && WN % 8 == 0 && groups % 2 == 0);

    template <class A, class B>
    struct fragments {
        double x[WM / 8][Steps / 2], y[WN / 8][Steps / 2];
    };

    __device__ int slice() const { return 0; }
    __device__ number* sums() { return &sums_[0][0]; }
    __device__ void join_slices(CT*) {}
    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums_[i][e] = 0;
    }

    template <class A, class B>
    __device__ void load_first(fragments<A, B>& f, const CT* a, const CT* b) const {
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) load_column<B>(f.y[j], b, j, 0);
#pragma unroll
        for (int i = 0; i < WM / 8; ++i) load_row<A>(f.x[i], a, i, 0);
    }

    // Adds what is loaded, and loads what comes next in its place as soon as it has been used: twice as many
    // registers do not fit.
    template <class A, class B, class Work, class Conjugation, class Between>
    __device__ void add(fragments<A, B>& f, int, const CT* a, const CT* b, int next, const Work& work,
                        const Conjugation& conjugates, Between&& between) {
#pragma unroll
        for (int i = 0; i < WM / 8; ++i) {
            double both[Steps];
#pragma unroll
            for (int e = 0; e < Steps / 4; ++e) {
                const double re = f.x[i][2 * e];
                const double im = conjugates.a ? negated(f.x[i][2 * e + 1]) : f.x[i][2 * e + 1];
                both[4 * e] = re;
                both[4 * e + 1] = im;
                both[4 * e + 2] = conjugates.b ? im : negated(im);
                both[4 * e + 3] = conjugates.b ? negated(re) : re;
            }
            if (work.loads) load_row<A>(f.x[i], a, i, next);
#pragma unroll
            for (int j = 0; j < WN / 8; ++j) {
                const int slot = i * (WN / 8) + j;
#pragma unroll 1
                for (int time = 0; time < work.multiplies; ++time)
                    multiply_doubles<2 * Steps>(sums_[slot], both, f.y[j]);
                if (work.loads && i + 1 == WM / 8) load_column<B>(f.y[j], b, j, next);
                between(slot);
            }
        }
    }

    __device__ void scale(CT factor) {
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const CT value = mul(factor, CT{sums_[i][e], sums_[i][e + 2]});
                sums_[i][e] = value.re;
                sums_[i][e + 2] = value.im;
            }
    }

    template <class F>
    __device__ void each(F&& f) const {
#pragma unroll
        for (int i = 0; i < WM / 8; ++i)
#pragma unroll
            for (int j = 0; j < WN / 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const double(&sums)[4] = sums_[i * (WN / 8) + j];
                    const CT sum{sums[e], sums[e + 2]};
                    f(at_.row + 8 * i, at_.column + 8 * j + 2 * at_.step + e, &sum, i * (WN / 8) + j);
                }
    }

  private:
    static constexpr int tiles = WM / 8 * (WN / 8);

    template <class A>
    __device__ void load_row(double (&x)[Steps / 2], const CT* a, int i, int group) const {
        load_line<A>(x, a, at_.row + 8 * i, group);
    }
    template <class B>
    __device__ void load_column(double (&y)[Steps / 2], const CT* b, int j, int group) const {
        load_line<B>(y, b, at_.column + at_.group + 8 * j, group);
    }
    template <class Panel>
    __device__ void load_line(double (&to)[Steps / 2], const CT* from, int line, int group) const {
        from += line * Panel::line_step + (group * Steps + at_.step) * Panel::depth_step;
#pragma unroll
        for (int e = 0; e < Steps / 4; ++e) {
            const auto value = *reinterpret_cast<const double2*>(from + 4 * e * Panel::depth_step);
            to[2 * e] = value.x;
            to[2 * e + 1] = value.y;
        }
    }

    warp_place<BM, WM, WN> at_;
    double sums_[tiles][4];
};

// The same by their shapes.
template <class CT, tile_shape S>
using thread_tile_of = large_thread_tile<CT, S.tile.rows, S.tile.columns, S.depth, S.stages, S.part.rows,
                                         S.part.columns, S.blocks, S.slices>;
template <tile_shape S>
using real_tile_of =
    large_real_tile<S.tile.rows, S.tile.columns, S.depth, S.stages, S.part.rows, S.part.columns, S.blocks>;
template <tile_shape S>
using complex_tile_of = large_complex_tile<S.tile.rows, S.tile.columns, S.depth, S.stages, S.part.rows,
                                           S.part.columns, S.blocks, S.steps>;

}  // namespace heron::HERON_LEVEL::dense_cuda
