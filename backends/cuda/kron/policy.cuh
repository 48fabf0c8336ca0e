#pragma once
// What single sizes get that the rules of item_shape and of the passes would not give them: tables of rows
// that were measured on an H200, each with the result that it comes from (tools/bench/results/kron.md).
#include "operands.cuh"
#include <cstddef>
#include <type_traits>

namespace heron::HERON_LEVEL::kron_cuda {

enum class element { f32, f64, c32, c64 };
template <class CT>
constexpr element element_of = std::is_same_v<CT, f32>   ? element::f32
                               : std::is_same_v<CT, f64> ? element::f64
                               : std::is_same_v<CT, c32> ? element::c32
                                                         : element::c64;

// Factors of `rows` x `rows`, and the modes that a kernel has on chip, of `width` neighbours.
struct kron_size {
    element type;
    int rows, modes, width;
    bool operator==(const kron_size&) const = default;
};

// The row of a size, or one without a result.
template <class Row, size_t count>
constexpr Row row_of(const Row (&table)[count], const kron_size& size) {
    for (const Row& row : table)
        if (row.size == size) return row;
    return {};
}

// Threads of a block at most, and blocks that a multiprocessor is to have registers for; 0 in a row: as the
// rules say; blocks of 1: more registers than the compiler would take.
struct bounds_row {
    const char* result = nullptr;
    kron_size size{};
    int threads = 0, blocks = 0;
};
constexpr bounds_row item_bounds[] = {
    {"kron-1", {element::f32, 4, 5, 1}, 0, 5},
    {"kron-6", {element::f64, 9, 2, 27}, 0, 1},
    {"kron-4", {element::f64, 10, 2, 40}, 128, 3},
};
constexpr bounds_row sum_bounds[] = {
    {"kron-4", {element::c32, 6, 2, 36}, 0, 1},
    {"kron-4", {element::c32, 6, 3, 36}, 0, 1},
};

// Leading modes that tiles have: from `least` to `most` of them, of factors with at least so many rows. With
// one mode alone its tiles are long runs.
struct leading_row {
    const char* result = nullptr;
    int rows;
    int least, most;
};
constexpr leading_row leading_modes[] = {{"kron-13", 4, 3, 4}, {"kron-6", 5, 2, 3}};

template <class CT, int N>
constexpr leading_row leading_modes_of() {
    leading_row found{nullptr, 0, 1, 0};
    for (const leading_row& row : leading_modes)
        if (N >= row.rows) found = row;
    // Two of 16 leave doubles enough neighbours.
    if (N == 16 && !std::is_same_v<CT, f64>) found.least = 1;
    return found;
}

// Neighbours that tiles of leading modes have; tiles that are added up on chip may have others.
struct run_row {
    const char* result = nullptr;
    int bytes, rows;  // of an element, of a factor
    int run;
};
constexpr run_row runs_of_two_modes[] = {
    {"kron-6", 4, 9, 81},  {"kron-6", 8, 9, 27},  {"kron-6", 16, 9, 27},
    {"kron-4", 4, 10, 40}, {"kron-4", 8, 10, 40}, {"kron-4", 16, 10, 20},
};

constexpr int run_in_table(int bytes, int rows) {
    for (const run_row& row : runs_of_two_modes)
        if (row.bytes == bytes && row.rows == rows) return row.run;
    return 0;
}

// Else whole sectors where they divide what is behind the modes, or many.
template <class CT, int N>
constexpr int run_of_items(int modes) {
    constexpr int bytes = static_cast<int>(sizeof(CT)), in_table = run_in_table(bytes, N);
    constexpr int of_two = in_table > 0 ? in_table : N * N, of_more = N < 7 ? N * N : N;
    if (modes == 1) return 64;
    if constexpr (is_power_of_two(N))
        return 64 / bytes;
    else
        return modes == 2 ? of_two : of_more;
}
template <class CT, int N>
constexpr int run_of_sums(int modes) {
    constexpr kron_size longer{element::f64, 9, 2, 81};  // kron-4
    return longer == kron_size{element_of<CT>, N, modes, longer.width} ? longer.width
                                                                       : run_of_items<CT, N>(modes);
}

// Items whose sums are in the second-level cache although they would fit on chip: a multiprocessor has room
// for more warps or blocks then.
struct room_row {
    const char* result = nullptr;
    kron_size size{};
};
constexpr room_row sums_off_chip[] = {
    {"kron-3", {element::f32, 10, 3, 1}}, {"kron-4", {element::c32, 6, 4, 1}},
    {"kron-4", {element::c32, 6, 5, 1}},  {"kron-4", {element::c32, 5, 5, 1}},
    {"kron-2", {element::c64, 9, 4, 1}},
};

// Items of two passes that go through one launch: neighbours that a task of first modes has, and those of
// them that it takes at a time; a block's threads, and a multiprocessor's blocks.
struct pair_cut {
    int run, width, threads, blocks;
};
// Groups have sums beside their vectors.
struct pair_row {
    const char* result = nullptr;
    kron_size size{};  // all modes
    int last_modes = 0;
    pair_cut items{}, groups{};
};
constexpr pair_row pairs[] = {
    {"kron-3", {element::f64, 8, 6, 1}, 3, {16, 8, 256, 3}, {8, 8, 128, 3}},
    {"kron-3", {element::f32, 8, 6, 1}, 3, {32, 16, 256, 2}, {16, 16, 128, 3}},
    {"kron-3", {element::f64, 8, 5, 1}, 2, {16, 8, 256, 3}, {8, 8, 128, 3}},
    {"kron-3", {element::f64, 6, 6, 1}, 3, {36, 36, 128, 3}, {12, 12, 128, 3}},
};

}  // namespace heron::HERON_LEVEL::kron_cuda
