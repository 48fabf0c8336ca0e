#pragma once
// The inner loops of the host's SpMM: a strip of neighbouring columns of C, as many as fit the registers, is
// summed row by row. A strip reads the rows of B as contiguous vectors of compute type: B itself in row
// order, or a copy.
#include "common/runtime/dispatch.hpp"
#include "host/runtime/lanes.hpp"
#include "sources.hpp"

namespace heron::HERON_LEVEL {

// Elements of CT in a vector, and vectors in the widest strip: complex sums take two registers each.
template <class CT>
constexpr int vector_elements = most_lanes<real_of<CT>> / parts_of<CT>::count;
template <class CT>
constexpr int most_vectors = 8 / parts_of<CT>::count;
template <class CT>
constexpr int widest_strip = vector_elements<CT>* most_vectors<CT>;

// Rows that are summed before they are written, so that a C in column order is written in runs.
constexpr int tile_rows = 16;

// Where finished sums go: write(self, row, rows, sums), where sums has `rows` lines, tile_rows at most, of
// widest_strip<CT> elements.
template <class CT>
struct tile_writer {
    const void* self;
    void (*write)(const void* self, int64_t row, int64_t rows, const CT* sums);
};

// The rows of B under a strip.
template <class CT>
struct strip_of_b {
    const CT* b;
    int64_t step;
};

template <class CT, int vectors>
struct strip_sum {
    using R = real_of<CT>;
    static constexpr int L = most_lanes<R>;
    static constexpr bool is_complex = parts_of<CT>::count == 2;

    template <class Source>
    [[gnu::always_inline]] static void row(const Source& source, int64_t row, bool conjugate,
                                           strip_of_b<CT> strip, CT* to) {
        lanes<R, L> re[vectors] = {};
        [[maybe_unused]] lanes<R, L> im[vectors] = {};
        source.each(
            row, [&](auto stored, int64_t from) __attribute__((always_inline)) {
                const CT a = load<CT>(stored);
                const R* const b = reinterpret_cast<const R*>(strip.b + from * strip.step);
                if constexpr (is_complex) {
                    const R a_im = conjugate ? -a.im : a.im;
#pragma GCC unroll 8
                    for (int v = 0; v < vectors; ++v) {
                        const lanes<R, L> bv = load_lanes<L>(b + v * L);
                        re[v] += a.re * bv;
                        im[v] += a_im * bv;
                    }
                } else {
#pragma GCC unroll 8
                    for (int v = 0; v < vectors; ++v) re[v] += a * load_lanes<L>(b + v * L);
                }
            });
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            if constexpr (is_complex) re[v] += times_i<R, L>(im[v]);
            store_lanes<L>(reinterpret_cast<R*>(to) + v * L, re[v]);
        }
    }
};

template <class CT, int vectors, class Source>
void sum_strip(const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
               tile_writer<CT> writer) {
    alignas(64) CT sums[tile_rows * widest_strip<CT>];
    for (int64_t first = rows.begin; first < rows.end; first += tile_rows) {
        const int64_t count = rows.end - first < tile_rows ? rows.end - first : tile_rows;
        for (int64_t i = 0; i < count; ++i)
            strip_sum<CT, vectors>::row(source, first + i, conjugate, strip, sums + i * widest_strip<CT>);
        writer.write(writer.self, first, count, sums);
    }
}

// vectors: 1, 2, 4 or 8, at most most_vectors<CT>.
template <class CT, class Source>
void sum_strip(int vectors, const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
               tile_writer<CT> writer) {
    switch (vectors) {
        case 1: return sum_strip<CT, 1>(source, rows, conjugate, strip, writer);
        case 2: return sum_strip<CT, 2>(source, rows, conjugate, strip, writer);
        case 4: return sum_strip<CT, 4>(source, rows, conjugate, strip, writer);
        default: return sum_strip<CT, most_vectors<CT>>(source, rows, conjugate, strip, writer);
    }
}

}  // namespace heron::HERON_LEVEL
