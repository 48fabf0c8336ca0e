// Pictures of sparsity patterns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sparse_matrix.hpp"

namespace heron::tools {

struct rgb {
    std::uint8_t red;
    std::uint8_t green;
    std::uint8_t blue;

    friend bool operator==(const rgb&, const rgb&) = default;
};

struct rgb_image {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<rgb> pixels{};  // row by row

    rgb& at(std::int64_t x, std::int64_t y) { return pixels[static_cast<std::size_t>(y * width + x)]; }
    const rgb& at(std::int64_t x, std::int64_t y) const {
        return pixels[static_cast<std::size_t>(y * width + x)];
    }
};

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
rgb_image draw_spy(const csr_matrix& matrix, const spy_options& options);

// Throws std::runtime_error with the file's name and the reason.
void write_png(const std::filesystem::path& file, const rgb_image& image);

}  // namespace heron::tools
