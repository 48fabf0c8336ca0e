#pragma once
// Products of a transposed real matrix with few columns, row by row of the matrix as it is stored: each
// element adds to a row of C. One thread's.
#include "sources.hpp"

namespace heron::HERON_LEVEL {

// A dense matrix in either order.
template <class CT>
struct dense_places {
    CT* first;
    int64_t row_step, column_step;
};

// Adds the products in `count` columns from `first_column` on.
template <int count, class CT, class IT>
void add_scattered_columns(const stored_list<IT>& a, const CT* values, dense_places<const CT> b,
                           dense_places<CT> c, int64_t first_column) {
    const CT* const from = b.first + first_column * b.column_step;
    CT* const to = c.first + first_column * c.column_step;
    for (int64_t line = 0; line < a.lines; ++line) {
        CT factors[count];
        for (int j = 0; j < count; ++j) factors[j] = from[line * b.row_step + j * b.column_step];
        a.each_element(
            line, [&](int64_t index, int64_t k) __attribute__((always_inline)) {
                CT* const sums = to + index * c.row_step;
                for (int j = 0; j < count; ++j)
                    sums[j * c.column_step] = mad(values[k], factors[j], sums[j * c.column_step]);
            });
    }
}

template <class CT, class IT>
void add_scattered(const stored_list<IT>& a, const CT* values, dense_places<const CT> b, dense_places<CT> c,
                   int64_t columns) {
    int64_t first = 0;
    for (; first + 4 <= columns; first += 4) add_scattered_columns<4>(a, values, b, c, first);
    for (; first + 2 <= columns; first += 2) add_scattered_columns<2>(a, values, b, c, first);
    if (first < columns) add_scattered_columns<1>(a, values, b, c, first);
}

}  // namespace heron::HERON_LEVEL
