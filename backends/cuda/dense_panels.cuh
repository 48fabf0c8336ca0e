#pragma once
// How a block brings its part of an operand, a panel, into shared memory where products are large. All that
// does not change from step to step is computed once: a copy costs little more than its own instruction.
#include "cuda_intrinsics.cuh"
#include "dense_kernel.cuh"

namespace heron::HERON_LEVEL::dense_cuda {

// lines: neighbours in memory are neighbours among the lines, and 16 bytes are copied at a time. depth: they
// are neighbours along the inner dimension. any: one element is copied at a time, whatever the steps.
// mirrored: so is an operand one triangle of which is there.
enum class layout { lines, depth, any, mirrored };

// The thread's number where it is needed seldom: what follows from it is computed there, and no registers
// keep it.
static __device__ inline int thread_here() {
    auto thread = static_cast<int>(threadIdx.x);
    asm volatile("" : "+r"(thread));
    return thread;
}

// In shared memory step l is a row of Lines elements, or, where Keeps is true and the layout is depth, line i
// is a row of Depth elements, so that 16 bytes can be copied at a time there too.
template <class CT, int Lines, int Depth, int Threads, int Padding, layout How, bool Keeps>
class panel {
  public:
    static constexpr bool by_depth = How == layout::depth && Keeps;
    static constexpr int wide = 16 / static_cast<int>(sizeof(CT));
    static constexpr bool is_wide = wide > 1 && (How == layout::lines || by_depth);
    static constexpr int length = (by_depth ? Depth : Lines) + Padding;
    static constexpr int size = length * (by_depth ? Lines : Depth);
    static constexpr int line_step = by_depth ? length : 1;
    static constexpr int depth_step = by_depth ? 1 : length;

    // Lines from `line` of `lines`, from step `first` on. A line beyond the end is replaced by the last:
    // nobody uses what it gives.
    __device__ void begin(const CT* p, const operand& o, int64_t line, int64_t lines, int64_t first) {
        const auto last = static_cast<int>(lines - line < Lines ? lines - line - 1 : Lines - 1);
        from_ = p + line * o.line_step + first * o.depth_step;
        line_step_ = static_cast<int>(o.line_step);
        depth_step_ = static_cast<int>(o.depth_step);
        last_ = last;
        const int thread = thread_here();
        if constexpr (How == layout::lines) {
            const int i = thread % row_threads * wide, l = thread / row_threads;
            starts_[0] = min(i, last / wide * wide) + l * depth_step_;
            to_ = l * length + i;
            copies_ = i < Lines;
        } else if constexpr (by_depth) {
            const int l = thread % per_row * wide, i = thread / per_row;
#pragma unroll
            for (int c = 0; c < copies; ++c) starts_[c] = min(i + c * per_pass, last) * line_step_ + l;
            to_ = i * length + l;
        } else if constexpr (How == layout::depth) {
            // Eight steps of four lines a warp: whole sectors are read, and all banks are written.
            const int l = thread % 8, i = thread / 8;
#pragma unroll
            for (int c = 0; c < passes; ++c) starts_[c] = min(i + c * (Threads / 8), last) * line_step_ + l;
            to_ = l * length + i;
            copies_ = i + (passes - 1) * (Threads / 8) < Lines;
        }
    }

    // Part `part` of `parts` of a step's copies; the last one goes on to the next step.
    __device__ void copy_part(CT* to, int part, int parts) {
        if constexpr (How == layout::lines) {
#pragma unroll
            for (int c = 0; c < copies; ++c)
                if (c % parts == part && (uses_all_threads || copies_))
                    copy_async<16>(to + to_ + c * per_pass * length,
                                   from_ + (starts_[0] + c * per_pass * depth_step_));
        } else if constexpr (by_depth) {
#pragma unroll
            for (int c = 0; c < copies; ++c)
                if (c % parts == part) copy_async<16>(to + to_ + c * per_pass * length, from_ + starts_[c]);
        } else if constexpr (How == layout::depth) {
#pragma unroll
            for (int c = 0; c < passes * (Depth / 8); ++c)
                if (c % parts == part && (uses_all_threads || c % passes + 1 < passes || copies_))
                    copy_async<sizeof(CT)>(to + to_ + c / passes * 8 * length + c % passes * (Threads / 8),
                                           from_ + starts_[c % passes] + c / passes * 8);
        } else {
            if (part == 0) copy_elements(to, Depth);
        }
        if (part == parts - 1) from_ += static_cast<int64_t>(Depth) * depth_step_;
    }

    // A step element by element. Of the last one only `depth` are there; the others become zero.
    __device__ void copy_rest(CT* to, int depth) {
        copy_elements(to, depth);
        from_ += static_cast<int64_t>(Depth) * depth_step_;
    }

  private:
    static constexpr int per_row = (by_depth ? Depth : Lines) / wide;
    // The threads of a row; where it is not one of their divisors, some copy nothing.
    static constexpr int row_threads = [] {
        int count = per_row;
        while (Threads % count != 0 && count < Threads) ++count;
        return count;
    }();
    static constexpr int per_pass = Threads / row_threads;
    static constexpr int copies = How == layout::lines ? Depth / per_pass : Lines * Depth / wide / Threads;
    static constexpr int passes = (Lines * 8 + Threads - 1) / Threads;
    static constexpr bool uses_all_threads =
        How == layout::lines ? row_threads == per_row : Lines * 8 % Threads == 0;
    static constexpr int starts = How == layout::lines   ? 1
                                  : by_depth             ? copies
                                  : How == layout::depth ? passes
                                                         : 1;
    static_assert(How != layout::lines || (row_threads <= Threads && Depth % per_pass == 0));
    static_assert(How != layout::depth || Keeps || Depth % 8 == 0);
    static_assert(!by_depth || (row_threads == per_row && copies * wide * Threads == Lines * Depth));

    __device__ void copy_elements(CT* to, int depth) const {
        const bool by_lines = line_step_ == 1;
#pragma unroll 1
        for (int n = thread_here(); n < Lines * Depth; n += Threads) {
            const int i = by_lines ? n % Lines : n / Depth, l = by_lines ? n / Lines : n % Depth;
            const CT* const from = from_ + (min(i, last_) * line_step_ + min(l, depth - 1) * depth_step_);
            copy_async_or_zero<sizeof(CT)>(to + i * line_step + l * depth_step, from,
                                           l < depth ? static_cast<int>(sizeof(CT)) : 0);
        }
    }

    const CT* from_;
    int line_step_, depth_step_, last_;
    int to_ = 0;
    bool copies_ = true;  // of the passes that not all threads take part in
    int starts_[starts];
};

// A panel of an operand one triangle of which is there, with elements on the diagonal: they come one by one.
template <class CT, int Lines, int Depth, int Threads, int Padding>
class mirrored_panel {
  public:
    static constexpr bool is_wide = false;
    static constexpr int length = Lines + Padding, size = length * Depth;
    static constexpr int line_step = 1, depth_step = length;

    __device__ void begin(const CT* p, const operand& o, int64_t line, int64_t lines, int64_t first) {
        from_ = p;
        step_ = o.line_step == 1 ? o.depth_step : o.line_step;
        lines_before_ = o.line_step == 1;
        mirrored_ = o.mirrored;
        line_ = static_cast<int>(line);
        last_ = static_cast<int>(lines - line < Lines ? lines - line - 1 : Lines - 1);
        next_ = static_cast<int>(first);
    }

    __device__ void copy_part(CT* to, int part, int parts) {
        if (part == 0) copy_elements(to, Depth);
        if (part == parts - 1) next_ += Depth;
    }

    // A step, of which `depth` are there; the others become zero.
    __device__ void copy_rest(CT* to, int depth) {
        copy_elements(to, depth);
        next_ += Depth;
    }

  private:
    static constexpr int copies = Lines * Depth / Threads;
    static_assert(Lines * Depth % Threads == 0);
    static constexpr bool is_complex = !std::is_same_v<CT, real_of<CT>>;

    __device__ void copy_elements(CT* to, int depth) const {
        const bool is_hermitian = is_complex && mirrored_ != mirror::symmetric;
        CT values[copies];
#pragma unroll
        for (int c = 0; c < copies; ++c) {
            const int n = thread_here() + c * Threads, i = n % Lines, l = n / Lines;
            const int line = line_ + min(i, last_), step = next_ + min(l, depth - 1);
            const bool by_lines = (step < line) == lines_before_;
            const CT* const from = from_ + (by_lines ? step * step_ + line : line * step_ + step);
            if (is_hermitian)
                values[c] = l < depth ? element(*from, line, step) : CT{};
            else
                copy_async_or_zero<sizeof(CT)>(to + i + l * length, from,
                                               l < depth ? static_cast<int>(sizeof(CT)) : 0);
        }
#pragma unroll
        for (int c = 0; is_hermitian && c < copies; ++c) {
            const int n = thread_here() + c * Threads;
            to[n % Lines + n / Lines * length] = values[c];
        }
    }

    __device__ CT element(CT value, int line, int step) const {
        if (line == step) return real_part(value);
        return (step < line) == (mirrored_ == mirror::hermitian_before) ? conj(value) : value;
    }

    const CT* from_;
    int64_t step_;       // between lines or between steps, whichever are not neighbours
    bool lines_before_;  // before the diagonal lines are neighbours
    mirror mirrored_;
    int line_, last_, next_;
};

}  // namespace heron::HERON_LEVEL::dense_cuda
