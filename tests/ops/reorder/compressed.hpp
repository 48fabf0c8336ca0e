// The pattern of a CSR matrix (or, read the other way, of a CSC one) with its rows in any order.
#pragma once

#include "rig.hpp"

#include <algorithm>
#include <numeric>

namespace heron::test {

struct compressed_pattern {
    std::string name;
    int rows, cols, base;
    std::vector<int> offsets, indices;

    int nnz() const { return static_cast<int>(indices.size()); }
    // Of the elements of a row, counted from 0.
    int begin(int row) const { return offsets[static_cast<std::size_t>(row)] - base; }
    int end(int row) const { return offsets[static_cast<std::size_t>(row) + 1] - base; }
};

// Rows of the given lengths, with columns in any order, all different unless `repeats`.
inline compressed_pattern shuffled_pattern(std::string name, const std::vector<int>& lengths, int cols,
                                           int base, random_source& random, bool repeats = false) {
    compressed_pattern p{std::move(name), static_cast<int>(lengths.size()), cols, base, {base}, {}};
    std::vector<int> columns(static_cast<std::size_t>(cols));
    std::iota(columns.begin(), columns.end(), base);
    for (const int length : lengths) {
        random.shuffle(columns);
        for (int k = 0; k < length; ++k)
            p.indices.push_back(repeats ? base + static_cast<int>(random.below(cols))
                                        : columns[static_cast<std::size_t>(k)]);
        p.offsets.push_back(p.offsets.back() + length);
    }
    return p;
}

// Empty matrices and rows, one row, one column, rows of every length, full ones, long ones, and elements that
// repeat.
inline std::vector<compressed_pattern> shuffled_patterns(int base) {
    random_source random{77};
    std::vector<int> steps(70);
    std::iota(steps.begin(), steps.end(), 0);
    std::vector<int> uneven;
    for (int k = 0; k < 300; ++k) uneven.push_back(k % 3 == 0 ? 0 : static_cast<int>(random.below(40)));
    uneven[100] = 3000;
    std::vector<compressed_pattern> all;
    all.push_back(shuffled_pattern("no rows", {}, 4, base, random));
    all.push_back(shuffled_pattern("no elements", {0, 0, 0}, 4, base, random));
    all.push_back(shuffled_pattern("one element", {1}, 1, base, random));
    all.push_back(shuffled_pattern("one row", {1000}, 1000, base, random));
    all.push_back(shuffled_pattern("one column", {1, 0, 1, 1, 0}, 1, base, random));
    all.push_back(shuffled_pattern("all lengths", steps, 80, base, random));
    all.push_back(shuffled_pattern("full", std::vector<int>(33, 50), 50, base, random));
    all.push_back(shuffled_pattern("one long row", uneven, 4000, base, random));
    all.push_back(shuffled_pattern("long rows", {9000, 0, 7000, 2, 8192}, 10000, base, random));
    all.push_back(shuffled_pattern("repeated", std::vector<int>(40, 30), 31, base, random, true));
    return all;
}

// Which element of the pattern comes at each place when the rows are sorted.
inline std::vector<int> sorted_order(const compressed_pattern& p) {
    std::vector<int> order(p.indices.size());
    std::iota(order.begin(), order.end(), 0);
    for (int row = 0; row < p.rows; ++row)
        std::stable_sort(order.begin() + p.begin(row), order.begin() + p.end(row), [&](int a, int b) {
            return p.indices[static_cast<std::size_t>(a)] < p.indices[static_cast<std::size_t>(b)];
        });
    return order;
}

template <class T>
std::vector<T> picked(const std::vector<T>& from, const std::vector<int>& order) {
    std::vector<T> result;
    for (const int k : order) result.push_back(from[static_cast<std::size_t>(k)]);
    return result;
}

}  // namespace heron::test
