// Matrices whose sizes and shapes choose between the ways to go through one.
#pragma once

#include "ops/operands.hpp"

namespace heron::test {

// One of each pair of index types.
inline std::vector<index_choice> index_pairs() {
    return {index_choices().begin(), index_choices().begin() + 3};
}

// Rows of equally many elements, far apart.
inline entries rows_alike(std::int64_t rows, std::int64_t cols, std::int64_t per_row) {
    entries m{rows, cols, {}};
    const std::int64_t step = cols / per_row;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < per_row; ++k) m.list.push_back({i, (i + k * step) % cols, 1.0});
    return m;
}

// Every element.
inline entries dense_pattern(std::int64_t rows, std::int64_t cols) {
    entries m{rows, cols, {}};
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) m.list.push_back({i, j, 1.0});
    return m;
}

// A band of neighbours.
inline entries band(std::int64_t n, std::int64_t width) {
    entries m{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = std::max<std::int64_t>(i - width / 2, 0); j < std::min(i + width / 2 + 1, n);
             ++j)
            m.list.push_back({i, j, 1.0});
    return m;
}

}  // namespace heron::test
