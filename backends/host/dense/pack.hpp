#pragma once
// Packed panels for the kernel: slivers of W lines (rows of op(A) or columns of op(B)), the W elements of one
// step of the inner dimension side by side, zeros where the matrix ends. What an operand is, transposed,
// conjugated, symmetric with one triangle stored, is decided here and nowhere else.
#include "kernel.hpp"

namespace heron::HERON_LEVEL::dense_host {

inline float conjugated(float v) { return v; }
inline double conjugated(double v) { return v; }
inline c32 conjugated(c32 v) { return {v.re, -v.im}; }
inline c64 conjugated(c64 v) { return {v.re, -v.im}; }

// W lines of `depth` elements whose lines are next to each other in memory.
template <int W, bool conjugates, class CT>
inline void copy_sliver(const CT* from, int64_t step, int64_t depth, CT* to) {
    for (int64_t l = 0; l < depth; ++l, from += step, to += W)
        for (int w = 0; w < W; ++w) to[w] = conjugates ? conjugated(from[w]) : from[w];
}

// W lines of `depth` elements each of which is contiguous. Blocks of 8 steps keep what is written in a few
// cache lines.
template <int W, bool conjugates, class CT>
inline void turn_sliver(const CT* from, int64_t line, int64_t depth, CT* to) {
    constexpr int block = 8;
    int64_t l = 0;
    for (; l + block <= depth; l += block)
        for (int w = 0; w < W; ++w)
#pragma GCC unroll 8
            for (int e = 0; e < block; ++e) {
                const CT v = from[w * line + l + e];
                to[(l + e) * W + w] = conjugates ? conjugated(v) : v;
            }
    for (; l < depth; ++l)
        for (int w = 0; w < W; ++w) {
            const CT v = from[w * line + l];
            to[l * W + w] = conjugates ? conjugated(v) : v;
        }
}

// Element (i, l) lies at i*line + l*step.
template <class CT>
struct strided_source {
    const CT* p;
    int64_t line, step;
    bool conjugates;

    template <int W>
    void pack(int64_t first, int64_t lines, int64_t begin, int64_t depth, CT* to) const {
        const CT* const from = p + first * line + begin * step;
        if (lines < W) return pack_edge<W>(from, lines, depth, to);
        if (line == 1)
            return conjugates ? copy_sliver<W, true>(from, step, depth, to)
                              : copy_sliver<W, false>(from, step, depth, to);
        if (step == 1)
            return conjugates ? turn_sliver<W, true>(from, line, depth, to)
                              : turn_sliver<W, false>(from, line, depth, to);
        pack_edge<W>(from, lines, depth, to);
    }

  private:
    template <int W>
    void pack_edge(const CT* from, int64_t lines, int64_t depth, CT* to) const {
        for (int64_t l = 0; l < depth; ++l)
            for (int w = 0; w < W; ++w) {
                const CT v = w < lines ? from[w * line + l * step] : CT{};
                to[l * W + w] = conjugates ? conjugated(v) : v;
            }
    }
};

// Element (i, l) of a symmetric or Hermitian matrix with one triangle stored, or of its transpose.
template <class CT>
struct symmetric_source {
    const CT* p;
    int64_t ld;
    bool lower, hermitian, transposes;

    template <int W>
    void pack(int64_t first, int64_t lines, int64_t begin, int64_t depth, CT* to) const {
        const int64_t end = begin + depth;
        // Steps before `low` lie below the diagonal for all lines, steps from `high` on above it.
        const int64_t low = clamp(first, begin, end), high = clamp(first + lines, begin, end);
        const bool conjugates_lower = hermitian && (lower == transposes);
        const bool conjugates_upper = hermitian && (lower != transposes);
        // Below the diagonal (i, l) is stored as it is if `lower`, else as (l, i).
        const strided_source<CT> below{p, lower ? 1 : ld, lower ? ld : 1, conjugates_lower};
        const strided_source<CT> above{p, lower ? ld : 1, lower ? 1 : ld, conjugates_upper};
        if (low > begin) below.template pack<W>(first, lines, begin, low - begin, to);
        for (int64_t l = low; l < high; ++l)
            for (int w = 0; w < W; ++w) to[(l - begin) * W + w] = w < lines ? element(first + w, l) : CT{};
        if (end > high) above.template pack<W>(first, lines, high, end - high, to + (high - begin) * W);
    }

  private:
    static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

    CT element(int64_t i, int64_t l) const {
        const bool is_stored = lower ? i >= l : i <= l;
        const CT v = is_stored ? p[i + l * ld] : p[l + i * ld];
        if (!hermitian) return v;
        if (i == l) return real_part(v);
        return is_stored == transposes ? conjugated(v) : v;
    }
};

}  // namespace heron::HERON_LEVEL::dense_host
