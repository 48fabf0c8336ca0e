// Pictures of sparsity patterns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "matrix/sparse_matrix.hpp"

namespace heron::tools {

// Cells of the same whole number of matrix rows and columns (only the last ones may be smaller), with the
// share of places in each that hold an entry: 0 is an empty cell, 1 a full one.
struct density_grid {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t rows_per_cell = 1;
    std::int64_t cols_per_cell = 1;
    std::vector<double> density{};  // row by row
};

// The finest grid of at most `longest_side` cells in each direction. Cells are square, unless the matrix is
// so long and narrow that its short side would nearly vanish.
density_grid measure_density(const csr_matrix& matrix, std::int64_t longest_side);

// The colour of a position between 0 (thin) and 1 (dense) on the scale: from light blue to almost black, its
// lightness falling evenly.
rgb density_colour(double position);

struct spy_options {
    std::string title;
    std::int64_t longest_side = 800;  // of the pattern, in pixels; frame and lettering come on top
};

// The pattern with title, figures, frame and colour scale, which is logarithmic. Empty cells are white, and a
// small matrix is magnified by a whole number.
drawing draw_spy(const csr_matrix& matrix, const spy_options& options);

}  // namespace heron::tools
