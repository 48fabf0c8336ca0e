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

    // Of rows that share what they read of B, so many vectors that their sums stay in registers.
    template <int count>
    static constexpr int at_once = [] {
        int result = vectors;
        while (result > 1 && count * result * parts_of<CT>::count > vector_registers * 3 / 4) result /= 2;
        return result;
    }();

    // Calls finish(r, v, sums) with each vector of the sums of `count` rows, of which there are `rows`: the
    // last one stands for those that are not there.
    template <int count, class Source, class Finish>
    [[gnu::always_inline]] static void sum(const Source& source, int64_t row, int64_t rows, bool conjugate,
                                           strip_of_b<CT> strip, Finish&& finish) {
        lanes<R, L> re[count][vectors] = {};
        [[maybe_unused]] lanes<R, L> im[count][vectors] = {};
        int64_t places[count];
        for (int r = 0; r < count; ++r) places[r] = (r < rows ? r : rows - 1) * source.row_step();
        source.each(
            row, [&](const auto* stored, int64_t from) __attribute__((always_inline)) {
                CT a[count];
#pragma GCC unroll 4
                for (int r = 0; r < count; ++r) a[r] = load<CT>(stored[places[r]]);
                const R* const b = reinterpret_cast<const R*>(strip.b + from * strip.step);
#pragma GCC unroll 8
                for (int v = 0; v < vectors; ++v) {
                    const lanes<R, L> bv = load_lanes<L>(b + v * L);
#pragma GCC unroll 4
                    for (int r = 0; r < count; ++r) {
                        if constexpr (is_complex) {
                            re[r][v] += a[r].re * bv;
                            im[r][v] += (conjugate ? -a[r].im : a[r].im) * bv;
                        } else {
                            re[r][v] += a[r] * bv;
                        }
                    }
                }
            });
#pragma GCC unroll 4
        for (int r = 0; r < count; ++r)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                if constexpr (is_complex) re[r][v] += times_i<R, L>(im[r][v]);
                if (r < rows) finish(r, v, re[r][v]);
            }
    }

    // The same, some vectors after the others.
    template <int count, class Source, class Finish>
    [[gnu::always_inline]] static void sum_together(const Source& source, int64_t row, int64_t rows,
                                                    bool conjugate, strip_of_b<CT> strip, Finish&& finish) {
        constexpr int some = at_once<count>;
        for (int first = 0; first < vectors; first += some)
            strip_sum<CT, some, elements>::template sum<count>(
                source, row, rows, conjugate, {strip.b + first * elements, strip.step},
                [&](int r, int v, lanes<R, L> sums)
                    __attribute__((always_inline)) { finish(row + r, first + v, sums); });
    }

    // Of all rows of a range, up to four of a block together: finish(row, v, sums).
    template <class Source, class Finish>
    [[gnu::always_inline]] static void sum_all(const Source& source, range rows, bool conjugate,
                                               strip_of_b<CT> strip, Finish&& finish) {
        if constexpr (Source::has_rows_alike) {
            for (int64_t row = rows.begin; row < rows.end;) {
                const int64_t alike = source.rows_alike(row), left = rows.end - row;
                const int64_t all = alike < left ? alike : left, some = all < 4 ? all : 4;
                some > 2 ? sum_together<4>(source, row, some, conjugate, strip, finish)
                         : sum_together<2>(source, row, some, conjugate, strip, finish);
                row += some;
            }
        } else {
            for (int64_t row = rows.begin; row < rows.end; ++row)
                sum<1>(
                    source, row, 1, conjugate,
                    strip, [&](int, int v, lanes<R, L> sums) __attribute__((always_inline)) {
                        finish(row, v, sums);
                    });
        }
    }

    // The sums as lines, `widest_strip` apart.
    template <class Source>
    static void store_rows(const Source& source, range rows, bool conjugate, strip_of_b<CT> strip, CT* to) {
        sum_all(
            source, rows, conjugate,
            strip, [&](int64_t row, int v, lanes<R, L> sums) __attribute__((always_inline)) {
                CT* const line = to + (row - rows.begin) * widest_strip<CT>;
                store_lanes<L>(reinterpret_cast<R*>(line) + v * L, sums);
            });
    }

    template <bool has_beta, class Source>
    static void update_rows(const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
                            const rows_of_c<CT>& to) {
        sum_all(
            source, rows, conjugate,
            strip, [&](int64_t row, int v, lanes<R, L> sums) __attribute__((always_inline)) {
                R* const line = reinterpret_cast<R*>(to.c + row * to.step) + v * L;
                lanes<R, L> result = scaled(to.alpha, sums);
                if constexpr (has_beta) result += scaled(to.beta, load_lanes<L>(line));
                store_lanes<L>(line, result);
            });
    }
};

template <class CT, int vectors, int elements, class Source>
void sum_strip(const Source& source, range rows, bool conjugate, strip_of_b<CT> strip,
               const tile_writer<CT>& writer) {
    using strip_sums = strip_sum<CT, vectors, elements>;
    if (const rows_of_c<CT>& to = writer.rows; to.c) {
        if (equal(to.beta, CT{}))
            strip_sums::template update_rows<false>(source, rows, conjugate, strip, to);
        else
            strip_sums::template update_rows<true>(source, rows, conjugate, strip, to);
        return;
    }
    alignas(64) CT sums[tile_rows * widest_strip<CT>];
    for (int64_t first = rows.begin; first < rows.end; first += tile_rows) {
        const int64_t count = rows.end - first < tile_rows ? rows.end - first : tile_rows;
        strip_sums::store_rows(source, {first, first + count}, conjugate, strip, sums);
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
