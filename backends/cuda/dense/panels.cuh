#pragma once
// How a block brings its part of an operand, a panel, into shared memory where products are large. All that
// does not change from step to step is computed once: a copy costs little more than its own instruction.
#include "cuda/runtime/intrinsics.cuh"
#include "kernel.cuh"

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
    static constexpr bool has_parts = How != layout::any;  // that can be copied one by one
    static constexpr int length = (by_depth ? Depth : Lines) + Padding;
    static constexpr int size = length * (by_depth ? Lines : Depth);
    static constexpr int line_step = by_depth ? length : 1;
    static constexpr int depth_step = by_depth ? 1 : length;

    // Lines from `line` of `lines`, from step `first` on. A line beyond the end is replaced by the last:
    // nobody uses what it gives.
    __device__ void begin(const CT* p, const operand& o, int64_t line, int64_t lines, int64_t first) {
        const int last = last_of(line, lines);
        from_ = p + line * o.line_step + first * o.depth_step;
        line_step_ = static_cast<int>(o.line_step);
        depth_step_ = static_cast<int>(o.depth_step);
        const int thread = thread_here();
        if constexpr (How == layout::lines) {
            const int i = thread % row_threads * wide, l = thread / row_threads;
            starts_[0] = min(i, last / wide * wide) + l * step_of_depth();
            to_ = l * length + i;
            copies_ = i < Lines;
        } else if constexpr (by_depth) {
            const int l = thread % per_row * wide, i = thread / per_row;
#pragma unroll
            for (int c = 0; c < copies; ++c) starts_[c] = min(i + c * per_pass, last) * step_of_line() + l;
            to_ = i * length + l;
            copies_ = i + (copies - 1) * per_pass < Lines;
        } else if constexpr (How == layout::depth) {
            // Eight steps of four lines a warp: whole sectors are read, and all banks are written.
            const int l = thread % 8, i = thread / 8;
#pragma unroll
            for (int c = 0; c < passes; ++c)
                starts_[c] = min(i + c * (Threads / 8), last) * step_of_line() + l;
            to_ = l * length + i;
            copies_ = i + (passes - 1) * (Threads / 8) < Lines;
        }
    }

    // Part `part` of `parts` of a step's copies, none if it has been copied or is not there; the last part
    // goes on to the next step.
    __device__ void copy_part(CT* to, int part, int parts, bool is_there) {
        if constexpr (How == layout::lines) {
#pragma unroll
            for (int c = 0; c < copies; ++c)
                if (c * parts / copies == part)
                    copy_async_if<16>(is_there && takes_part(c), to + to_ + c * per_pass * length,
                                      from_ + (starts_[0] + c * per_pass * step_of_depth()));
        } else if constexpr (by_depth) {
#pragma unroll
            for (int c = 0; c < copies; ++c)
                if (c * parts / copies == part)
                    copy_async_if<16>(is_there && takes_part(c), to + to_ + c * per_pass * length,
                                      from_ + starts_[c]);
        } else if constexpr (How == layout::depth) {
            constexpr int all = passes * (Depth / 8);
#pragma unroll
            for (int c = 0; c < all; ++c)
                if (c * parts / all == part)
                    copy_async_if<sizeof(CT)>(
                        is_there && (uses_all_threads || c % passes + 1 < passes || copies_),
                        to + to_ + c / passes * 8 * length + c % passes * (Threads / 8),
                        from_ + starts_[c % passes] + c / passes * 8);
        }
        if (part == parts - 1) from_ += static_cast<int64_t>(Depth) * step_of_depth();
    }

    // The last step of aligned operands, of which `depth` are there; the others become zero. With line and
    // lines as at the beginning.
    __device__ void copy_last(CT* to, int depth, int64_t line, int64_t lines) const {
        if constexpr (How == layout::lines || by_depth) {
            constexpr int size = sizeof(CT);
            const int thread = thread_here();
#pragma unroll
            for (int c = 0; c < copies; ++c) {
                const int step = by_depth ? thread % per_row * wide : thread / row_threads + c * per_pass;
                const int there = min(max(depth - step, 0), by_depth ? wide : 1);
                const CT* const from =
                    from_ + (by_depth ? starts_[c % starts] : starts_[0] + c * per_pass * step_of_depth());
                if (takes_part(c))
                    copy_async_or_zero<16>(to + to_ + c * per_pass * length, there > 0 ? from : from_,
                                           there * (by_depth ? size : 16));
            }
        } else {
            copy_elements(to, depth, last_of(line, lines));
        }
    }

    // A step element by element, with line and lines as at the beginning. Of the last one only `depth` are
    // there; the others become zero.
    __device__ void copy_rest(CT* to, int depth, int64_t line, int64_t lines) const {
        copy_elements(to, depth, last_of(line, lines));
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
    static constexpr int copies = How == layout::lines ? Depth / per_pass : (Lines + per_pass - 1) / per_pass;
    static constexpr int passes = (Lines * 8 + Threads - 1) / Threads;
    static constexpr bool uses_all_threads = How == layout::lines ? row_threads == per_row
                                             : by_depth           ? Lines % per_pass == 0
                                                                  : Lines * 8 % Threads == 0;
    static constexpr int starts = How == layout::lines   ? 1
                                  : by_depth             ? copies
                                  : How == layout::depth ? passes
                                                         : 1;
    static_assert(How != layout::lines || (row_threads <= Threads && Depth % per_pass == 0));
    static_assert(How != layout::depth || Keeps || Depth % 8 == 0);
    static_assert(!by_depth || row_threads == per_row);

    // In the last pass by lines, all of them are the same for all passes.
    __device__ bool takes_part(int pass) const {
        return uses_all_threads || (by_depth && pass + 1 < copies) || copies_;
    }

    // What the layout says is no register's.
    __device__ int step_of_line() const { return How == layout::lines ? 1 : line_step_; }
    __device__ int step_of_depth() const { return How == layout::depth ? 1 : depth_step_; }

    static __device__ int last_of(int64_t line, int64_t lines) {
        return static_cast<int>(lines - line < Lines ? lines - line - 1 : Lines - 1);
    }

    __device__ void copy_elements(CT* to, int depth, int last) const {
        const bool by_lines = How != layout::depth && step_of_line() == 1;
#pragma unroll 1
        for (int n = thread_here(); n < Lines * Depth; n += Threads) {
            const int i = by_lines ? n % Lines : n / Depth, l = by_lines ? n / Lines : n % Depth;
            const CT* const from =
                from_ + (min(i, last) * step_of_line() + min(l, depth - 1) * step_of_depth());
            copy_async_or_zero<sizeof(CT)>(to + i * line_step + l * depth_step, from,
                                           l < depth ? static_cast<int>(sizeof(CT)) : 0);
        }
    }

    const CT* from_;
    int line_step_, depth_step_;
    int to_ = 0;
    bool copies_ = true;  // of the passes that not all threads take part in
    int starts_[starts];
};

// A panel of an operand one triangle of which is there, with elements on the diagonal: they come one by one.
template <class CT, int Lines, int Depth, int Threads, int Padding>
class mirrored_panel {
  public:
    static constexpr bool is_wide = false, has_parts = true;
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

    __device__ void copy_part(CT* to, int part, int parts, bool is_there) {
        if (part == 0 && is_there) copy_elements(to, Depth);
        if (part == parts - 1) next_ += Depth;
    }

    // A step, of which `depth` are there; the others become zero.
    __device__ void copy_rest(CT* to, int depth, int64_t, int64_t) const { copy_elements(to, depth); }

  private:
    static constexpr int copies = Lines * Depth / Threads;
    static constexpr int at_a_time = 2;
    static_assert(Lines * Depth % (at_a_time * Threads) == 0);
    static constexpr bool is_complex = !std::is_same_v<CT, real_of<CT>>;

    // Two at a time: the values of more would take the registers of the tile's sums.
    __device__ void copy_elements(CT* to, int depth) const {
#pragma unroll 1
        for (int first = 0; first < copies; first += at_a_time)
            copy_elements(to, depth, thread_here() + first * Threads);
    }

    __device__ void copy_elements(CT* to, int depth, int first) const {
        const bool is_hermitian = is_complex && mirrored_ != mirror::symmetric;
        CT values[at_a_time];
#pragma unroll
        for (int c = 0; c < at_a_time; ++c) {
            const int n = first + c * Threads, i = n % Lines, l = n / Lines;
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
        for (int c = 0; is_hermitian && c < at_a_time; ++c) {
            const int n = first + c * Threads;
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
