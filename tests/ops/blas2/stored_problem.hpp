// Matrices in BLAS's three kinds of storage, with NaN wherever no element is.
#pragma once

#include "vector_problem.hpp"

namespace heron::test {

struct stored_case {
    heron_type type = HERON_R_64F;
    heron_order order = HERON_ORDER_COLUMN;
    heron_matrix_storage storage = HERON_STORAGE_FULL;
    heron_fill_mode fill = HERON_FILL_LOWER;  // PACKED
    std::int64_t rows = 0, columns = 0, kl = 0, ku = 0, ld = 1;
    std::vector<number> memory{};

    bool in_band(std::int64_t i, std::int64_t j) const {
        return storage != HERON_STORAGE_BANDED || (i - j <= kl && j - i <= ku);
    }
    // BLAS's definitions, one by one.
    std::size_t index(std::int64_t i, std::int64_t j) const {
        const bool by_rows = order == HERON_ORDER_ROW;
        const std::int64_t n = rows;
        std::int64_t at = 0;
        if (storage == HERON_STORAGE_FULL) at = by_rows ? i * ld + j : i + j * ld;
        if (storage == HERON_STORAGE_BANDED) at = by_rows ? kl + j - i + i * ld : ku + i - j + j * ld;
        if (storage == HERON_STORAGE_PACKED) {
            // As many elements as come before in the rows or columns of the triangle.
            const std::int64_t line = by_rows ? i : j, place = by_rows ? j : i;
            const bool grows = (fill == HERON_FILL_UPPER) != by_rows;
            for (std::int64_t l = 0; l < line; ++l) at += grows ? l + 1 : n - l;
            at += grows ? place : place - line;
        }
        return static_cast<std::size_t>(at);
    }
    number& at(std::int64_t i, std::int64_t j) { return memory[index(i, j)]; }
    number at(std::int64_t i, std::int64_t j) const { return memory[index(i, j)]; }
};

// Random numbers where `stored` says that an element is.
template <class Stored>
stored_case random_stored(random_source& random, stored_case m, const Stored& stored) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::int64_t line = m.order == HERON_ORDER_ROW ? m.columns : m.rows;
    const std::int64_t lines = m.order == HERON_ORDER_ROW ? m.rows : m.columns;
    const std::int64_t least =
        m.storage == HERON_STORAGE_BANDED ? m.kl + m.ku + 1 : std::max<std::int64_t>(line, 1);
    m.ld = least + random.below(3);
    const std::int64_t size = m.storage == HERON_STORAGE_PACKED ? m.rows * (m.rows + 1) / 2 : m.ld * lines;
    m.memory.assign(static_cast<std::size_t>(size), number{nan, is_complex(m.type) ? nan : 0});
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i)
            if (m.in_band(i, j) && stored(i, j)) m.at(i, j) = random_number(random, m.type);
    return m;
}

// The triangle `fill` of an n x n matrix, with k diagonals beside the main one where it is a band.
inline stored_case random_triangle(random_source& random, heron_type type, heron_order order,
                                   heron_matrix_storage storage, heron_fill_mode fill, std::int64_t n,
                                   std::int64_t k) {
    stored_case m{type, order, storage, fill, n, n};
    if (storage == HERON_STORAGE_BANDED) (fill == HERON_FILL_LOWER ? m.kl : m.ku) = k;
    return random_stored(random, m, [&](std::int64_t i, std::int64_t j) { return in_triangle(fill, i, j); });
}

// All of a matrix's memory as one vector, to send and to compare.
inline vector_case memory_of(const stored_case& m) {
    return {m.type, static_cast<std::int64_t>(m.memory.size()), 1, m.memory};
}

}  // namespace heron::test
