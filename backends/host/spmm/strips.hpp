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
// Of the narrowest vector that blocks are turned in.
template <class CT>
constexpr int least_elements = 16 / static_cast<int>(sizeof(CT));
// Columns of the narrowest strip, half such a vector, or an element.
template <class CT>
constexpr int narrowest_strip = least_elements<CT> > 1 ? least_elements<CT> / 2 : 1;

// Rows that are summed before they are written, so that a C in column order is written in runs.
constexpr int tile_rows = 32;

// A strip of C in row order and of compute type, whose rows are updated as soon as they are summed.
template <class CT>
struct rows_of_c {
    CT* c;
    int64_t step;
    CT alpha, beta;
};

// Where finished sums go: to rows.c, or where that is NULL to write(self, row, rows, sums), where sums has
// `rows` lines, tile_rows at most, of widest_strip<CT> elements.
template <class CT>
struct tile_writer {
    const void* self;
    void (*write)(const void* self, int64_t row, int64_t rows, const CT* sums);
    rows_of_c<CT> rows;
};

// The rows of B under a strip.
template <class CT>
struct strip_of_b {
    const CT* b;
    int64_t step;
};

template <class CT, class V>
[[gnu::always_inline]] inline V scaled(CT factor, V v) {
    if constexpr (parts_of<CT>::count == 2)
        return factor.re * v + factor.im * times_i<real_of<CT>, sizeof(V) / sizeof(real_of<CT>)>(v);
    else
        return factor * v;
}

template <class CT, int vectors, int elements>
struct strip_sum {
    using R = real_of<CT>;
    static constexpr int L = elements * parts_of<CT>::count;
    static constexpr bool is_complex = parts_of<CT>::count == 2;

    // Calls finish(v, sums) with each vector of the row's sums.
    template <class Source, class Finish>
    [[gnu::always_inline]] static void row(const Source& source, int64_t row, bool conjugate,
                                           strip_of_b<CT> strip, Finish&& finish) {
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
            finish(v, re[v]);
        }
    }

    template <class Source>
    [[gnu::always_inline]] static void store_row(const Source& source, int64_t row_number, bool conjugate,
                                                 strip_of_b<CT> strip, CT* to) {
        row(
            source, row_number, conjugate,
            strip, [&](int v, lanes<R, L> sums) __attribute__((always_inline)) {
                store_lanes<L>(reinterpret_cast<R*>(to) + v * L, sums);
            });
    }

    template <bool has_beta, class Source>
    [[gnu::always_inline]] static void update_row(const Source& source, int64_t row_number, bool conjugate,
                                                  strip_of_b<CT> strip, const rows_of_c<CT>& to) {
        R* const line = reinterpret_cast<R*>(to.c + row_number * to.step);
        row(
            source, row_number, conjugate,
            strip, [&](int v, lanes<R, L> sums) __attribute__((always_inline)) {
                lanes<R, L> result = scaled(to.alpha, sums);
                if constexpr (has_beta) result += scaled(to.beta, load_lanes<L>(line + v * L));
                store_lanes<L>(line + v * L, result);
            });
    }
};

template <class CT, int vectors, int elements, class Source>
void sum_strip(const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
               const tile_writer<CT>& writer) {
    using strip_sums = strip_sum<CT, vectors, elements>;
    if (const rows_of_c<CT>& to = writer.rows; to.c) {
        const bool has_beta = !equal(to.beta, CT{});
        for (int64_t row = rows.begin; row < rows.end; ++row)
            has_beta ? strip_sums::template update_row<true>(source, row, conjugate, strip, to)
                     : strip_sums::template update_row<false>(source, row, conjugate, strip, to);
        return;
    }
    alignas(64) CT sums[tile_rows * widest_strip<CT>];
    for (int64_t first = rows.begin; first < rows.end; first += tile_rows) {
        const int64_t count = rows.end - first < tile_rows ? rows.end - first : tile_rows;
        for (int64_t i = 0; i < count; ++i)
            strip_sums::store_row(source, first + i, conjugate, strip, sums + i * widest_strip<CT>);
        writer.write(writer.self, first, count, sums);
    }
}

// columns: a power of two from narrowest_strip<CT> to widest_strip<CT>.
template <class CT, class Source>
void sum_strip(int columns, const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
               const tile_writer<CT>& writer) {
    constexpr int L = vector_elements<CT>;
    const auto sum = [&]<int vectors, int elements>() {
        sum_strip<CT, vectors, elements>(source, rows, conjugate, strip, writer);
    };
    if constexpr (L / 2 >= narrowest_strip<CT>)
        if (columns == L / 2) return sum.template operator()<1, L / 2>();
    if constexpr (L / 4 >= narrowest_strip<CT>)
        if (columns == L / 4) return sum.template operator()<1, L / 4>();
    if constexpr (L / 8 >= narrowest_strip<CT>)
        if (columns == L / 8) return sum.template operator()<1, L / 8>();
    switch (columns / L) {
        case 1: return sum.template operator()<1, L>();
        case 2: return sum.template operator()<2, L>();
        case 4: return sum.template operator()<4, L>();
        default: return sum.template operator()<most_vectors<CT>, L>();
    }
}

}  // namespace heron::HERON_LEVEL
