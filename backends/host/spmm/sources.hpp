#pragma once
// op(A) as the host's SpMM walks it: each(row, f) calls f(value, row of B) for the elements of a row, and
// part() cuts the rows into parts of equal work. Transposed and unsorted matrices are sorted first, into a
// list of places, so that no product is ever scattered: nothing is atomic, and results depend neither on
// threads nor on runs.
#include "host/runtime/team.hpp"

namespace heron::HERON_LEVEL {

// An element (a block) of a line: where it comes from in the other direction, and where it is stored.
struct sorted_place {
    int64_t other, position;
};

// The elements (blocks) of each line in storage order. Blocked-ELL has `slots` blocks in every line and no
// offsets; -1 is empty.
template <class IT>
struct stored_list {
    offset_array offsets;
    int64_t first;  // the offsets' base
    int64_t slots;
    const IT* indices;
    int64_t base, lines;

    int64_t begin(int64_t line) const { return slots > 0 ? line * slots : offsets[line] - first; }

    template <class F>
    [[gnu::always_inline]] void each(int64_t line, F&& f) const {
        const int64_t end = begin(line + 1);
        for (int64_t k = begin(line); k < end; ++k)
            if (indices[k] >= 0) f(static_cast<int64_t>(indices[k]) - base, k);
    }
    // Of a format that has offsets.
    template <class F>
    [[gnu::always_inline]] void each_element(int64_t line, F&& f) const {
        const int64_t end = offsets[line + 1] - first;
        for (int64_t k = offsets[line] - first; k < end; ++k) f(static_cast<int64_t>(indices[k]) - base, k);
    }

    range part(int member, int members, int64_t line_cost) const {
        if (slots > 0) return equal_part(lines, member, members);
        const row_cutter cutter(offsets, first, lines, line_cost, false, members);
        return {cutter.find(member).row, cutter.find(member + 1).row};
    }
};

struct sorted_list {
    const int64_t* offsets;
    const sorted_place* places;
    int64_t lines;

    template <class F>
    [[gnu::always_inline]] void each(int64_t line, F&& f) const {
        for (int64_t k = offsets[line]; k < offsets[line + 1]; ++k) f(places[k].other, places[k].position);
    }
    template <class F>
    [[gnu::always_inline]] void each_element(int64_t line, F&& f) const {
        each(line, f);
    }

    range part(int member, int members, int64_t line_cost) const {
        const row_cutter cutter(offset_array(offsets, HERON_INDEX_64), 0, lines, line_cost, false, members);
        return {cutter.find(member).row, cutter.find(member + 1).row};
    }
};

// Sorts elements by line, stably. Construct it in every phase, because it takes part of the workspace; add
// and place are then called for the same elements in the same order.
class line_sorter {
  public:
    line_sorter(workspace_layout& layout, int64_t lines, int64_t count)
        : line_sorter(lines, layout.take<int64_t>(lines + 1), layout.take<sorted_place>(count)) {}
    line_sorter(int64_t lines, int64_t* offsets, sorted_place* places)
        : lines_(lines), offsets_(offsets), places_(places) {}

    // Calls visit(f) twice, which calls f(line, other, position) for every element.
    template <class Visit>
    sorted_list sort(Visit&& visit) const {
        __builtin_memset(offsets_, 0, static_cast<size_t>(lines_ + 1) * sizeof(int64_t));
        visit([&](int64_t line, int64_t, int64_t) { ++offsets_[line]; });
        int64_t sum = 0;
        for (int64_t line = 0; line <= lines_; ++line) {
            const int64_t count = offsets_[line];
            offsets_[line] = sum;
            sum += count;
        }
        visit([&](int64_t line, int64_t other, int64_t position) {
            places_[offsets_[line]++] = {other, position};
        });
        // Every offset has moved on to the next line's.
        for (int64_t line = lines_; line > 0; --line) offsets_[line] = offsets_[line - 1];
        offsets_[0] = 0;
        return {offsets_, places_, lines_};
    }

    // The offsets alone, for elements that are sorted already.
    int64_t* offsets() const { return offsets_; }

  private:
    int64_t lines_;
    int64_t* offsets_;
    sorted_place* places_;
};

// Both sources call f(stored, other) for the elements of a row, and of those behind it that have elements in
// the same places; these are `row_step` apart.

// A line is a row.
template <class VA, class List>
struct element_source {
    using value_type = VA;
    List list;
    const VA* values;

    static constexpr bool has_rows_alike = false;
    int64_t row_step() const { return 0; }
    template <class F>
    [[gnu::always_inline]] void each(int64_t row, F&& f) const {
        list.each_element(
            row, [&](int64_t other, int64_t position)
                     __attribute__((always_inline)) { f(values + position, other); });
    }
    range part(int member, int members) const {
        constexpr int64_t row_cost = 4;
        return list.part(member, members, row_cost);
    }
};

// The blocks of op(A): `height` rows of `width` elements, which exist up to row `rows` and column `inner`.
// Block number p begins at p/per_band*band_step + p%per_band*block_step.
struct block_geometry {
    int64_t height, width, height_step, width_step;
    int64_t per_band, band_step, block_step;
    int64_t rows, inner;

    int64_t begin(int64_t p) const {
        return per_band == 1 ? p * band_step : p / per_band * band_step + p % per_band * block_step;
    }
};

// A line is a row of blocks.
template <class VA, class List>
struct block_source {
    using value_type = VA;
    List list;
    const VA* values;
    block_geometry g;

    static constexpr bool has_rows_alike = true;
    int64_t row_step() const { return g.height_step; }
    // From this row on, itself included.
    int64_t rows_alike(int64_t row) const { return g.height - row % g.height; }
    template <class F>
    [[gnu::always_inline]] void each(int64_t row, F&& f) const {
        const int64_t shift = row % g.height * g.height_step;
        list.each(
            row / g.height, [&](int64_t other, int64_t position) __attribute__((always_inline)) {
                const VA* const first = values + g.begin(position) + shift;
                const int64_t column = other * g.width;
                const int64_t count = g.inner - column < g.width ? g.inner - column : g.width;
                for (int64_t i = 0; i < count; ++i) f(first + i * g.width_step, column + i);
            });
    }
    range part(int member, int members) const {
        const range lines = list.part(member, members, 1);
        const int64_t end = lines.end * g.height;
        return {lines.begin * g.height, end < g.rows ? end : g.rows};
    }
};

}  // namespace heron::HERON_LEVEL
